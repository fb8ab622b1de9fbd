//! What a program does to the world, as strace saw it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What happened that the rest of the world can notice.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    /// Programs that were started, our own left out.
    pub(crate) programs: Vec<String>,
    /// Addresses that something was sent to.
    pub(crate) sent: Vec<String>,
    /// Paths that were opened for writing, made, renamed or removed.
    pub(crate) written: Vec<PathBuf>,
    /// Paths that were opened.
    pub(crate) opened: BTreeSet<PathBuf>,
    /// Those of them whose opening would wait for the other end of a pipe.
    pub(crate) waiting: BTreeSet<PathBuf>,
    /// Where opened paths led, if they were opened for more than their names.
    pub(crate) reached: BTreeMap<PathBuf, PathBuf>,
}

/// What a traced program may use: seconds, and KiB of address space.
const TIME: u32 = 60;
const MEMORY: u32 = 6_000_000;

/// Calls that change a directory, with the position of each path.
const CHANGES: &[(&str, &[usize])] = &[
    ("mkdir", &[0]),
    ("mkdirat", &[1]),
    ("rmdir", &[0]),
    ("unlink", &[0]),
    ("unlinkat", &[1]),
    ("rename", &[0, 1]),
    ("renameat", &[1, 3]),
    ("renameat2", &[1, 3]),
    ("link", &[1]),
    ("linkat", &[3]),
    ("symlink", &[1]),
    ("symlinkat", &[2]),
    ("mknod", &[0]),
    ("mknodat", &[1]),
    ("truncate", &[0]),
    ("chmod", &[0]),
    ("fchmodat", &[1]),
    ("chown", &[0]),
    ("creat", &[0]),
];

impl Trace {
    /// Runs a command to its end under strace, which fails if it takes too long or too much memory.
    pub(crate) fn of(command: &Command, log: &Path) -> (Self, String) {
        let mut traced = Command::new("sh");
        let bounded = format!("ulimit -v {MEMORY}; exec timeout -s KILL {TIME} strace \"$@\"");
        traced
            .args(["-c", &bounded, "sh", "-f", "-qq", "-y", "-s", "4096", "-o"])
            .arg(log)
            .args(["-e", "trace=%process,%network,%file,openat,openat2,unshare"])
            .arg(command.get_program())
            .args(command.get_args())
            .stdin(Stdio::null());
        if let Some(directory) = command.get_current_dir() {
            traced.current_dir(directory);
        }
        let set = command.get_envs();
        traced.env_clear();
        traced.envs(set.filter_map(|(name, value)| Some((name, value?))));
        let output = traced
            .output()
            .expect("strace is installed by `cargo xtask test`");
        let text = decoded(&fs::read(log).unwrap());
        assert!(text.contains("execve("), "nothing was traced: {output:?}");
        let code = output.status.code();
        assert!(
            code.is_some_and(|code| code < 100),
            "{command:?}: {output:?}"
        );
        let own = command.get_program().to_string_lossy().into_owned();
        let directory = command.get_current_dir().unwrap().to_owned();
        let shown = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        (read(&text, &own, &directory), shown)
    }
}

/// The text of a trace, in which strace writes the bytes of other alphabets as `\303`.
fn decoded(log: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(log.len());
    let mut rest = log;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| *first == b'\\');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        if let Some(byte) = byte.filter(|byte| !byte.is_ascii()) {
            bytes.push(byte);
            rest = &after[3..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The lines of a trace: the process and what it called.
fn calls(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines()
        .filter_map(|line| line.trim_start().split_once(char::is_whitespace))
        .map(|(pid, call)| (pid, call.trim_start()))
}

/// The processes that have namespaces of their own, and the line since which they have them:
/// they build a jail, in which nothing is outside.
///
/// The first calls of a child may stand before the line in which the call of its parent ends.
fn jailed(text: &str) -> BTreeMap<&str, usize> {
    let mut jailed = BTreeMap::new();
    for (at, (pid, call)) in calls(text).enumerate() {
        if call.starts_with("unshare(") && call.contains("CLONE_NEWNS") && !call.contains(" = -1 ")
        {
            jailed.entry(pid).or_insert(at);
        }
        let name = call.strip_prefix("<... ").unwrap_or(call);
        let forks = ["clone", "fork", "vfork"]
            .iter()
            .any(|it| name.starts_with(it));
        if forks && jailed.contains_key(pid) {
            let child = call.rsplit("= ").next().unwrap_or_default();
            if let Some(child) = child.split_whitespace().next() {
                jailed.entry(child).or_insert(0);
            }
        }
    }
    jailed
}

fn read(text: &str, own: &str, directory: &Path) -> Trace {
    let mut trace = Trace::default();
    let jailed = jailed(text);
    for (at, (pid, call)) in calls(text).enumerate() {
        let Some((name, rest)) = call.split_once('(') else {
            continue;
        };
        if rest.contains(") = -1 ") || rest.contains(")  = -1 ") || call.starts_with("<... ") {
            continue;
        }
        if jailed.get(pid).is_some_and(|since| *since <= at) {
            continue;
        }
        let paths = quoted(rest);
        let full = |path: &str| directory.join(path);
        match name {
            "execve" => {
                let program = paths.first().cloned().unwrap_or_default();
                if program != own && program != "/proc/self/exe" {
                    trace.programs.push(program);
                }
            }
            // The kernel is no address: a jail brings up its own loopback.
            "connect" | "sendto" | "sendmsg"
                if rest.contains("sa_family=") && !rest.contains("sa_family=AF_NETLINK") =>
            {
                trace.sent.push(call.to_owned());
            }
            "open" | "openat" | "openat2" => {
                let Some(path) = paths.first() else { continue };
                // With a directory that is named by its handle, strace shows where that leads.
                let base = handle(rest).map_or_else(|| directory.to_owned(), PathBuf::from);
                let path = base.join(path);
                if ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_TMPFILE"]
                    .iter()
                    .any(|flag| rest.contains(flag))
                {
                    trace.written.push(path.clone());
                }
                let waits = ["O_NONBLOCK", "O_PATH", "O_DIRECTORY"];
                if !waits.iter().any(|flag| rest.contains(flag)) {
                    trace.waiting.insert(path.clone());
                }
                if let Some(real) = result(rest).filter(|_| !rest.contains("O_PATH")) {
                    trace.reached.insert(path.clone(), real.into());
                }
                trace.opened.insert(path);
            }
            _ => {
                let Some((_, positions)) = CHANGES.iter().find(|(known, _)| *known == name) else {
                    continue;
                };
                let base = handle(rest).map_or_else(|| directory.to_owned(), PathBuf::from);
                let at = name.ends_with("at") || name.ends_with("at2");
                let found = paths.iter().take(positions.len());
                for path in found {
                    trace
                        .written
                        .push(if at { base.join(path) } else { full(path) });
                }
            }
        }
    }
    trace
}

/// The strings of a call, escapes left as they are.
fn quoted(rest: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut current: Option<String> = None;
    let mut escaped = false;
    for c in rest.chars() {
        match &mut current {
            Some(text) if escaped => {
                text.push(c);
                escaped = false;
            }
            Some(_) if c == '\\' => escaped = true,
            Some(_) if c == '"' => found.extend(current.take()),
            Some(text) => text.push(c),
            None if c == '"' => current = Some(String::new()),
            None => {}
        }
    }
    found
}

/// What was opened, as `strace -y` shows it behind a call: `= 3</home/x>`.
fn result(rest: &str) -> Option<&str> {
    let (_, result) = rest.rsplit_once(" = ")?;
    result.split_once('<')?.1.strip_suffix('>')
}

/// The directory behind the first argument, as `strace -y` shows it: `3</home/x>`.
fn handle(rest: &str) -> Option<&str> {
    let first = rest.split(", ").next()?;
    let inside = first.split_once('<')?.1;
    inside.strip_suffix('>').or(Some(inside))
}
