//! Row L6: a command that is killed at any moment.
//!
//! strace kills the program at each system call that changes something, one after the other. The random moments are in the
//! tests of `prowess-registry`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::workshop::{FIRST, Workshop, state};

/// System calls that change files.
const CHANGES: &str = "mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,rmdir,symlink,symlinkat,write,pwrite64,fdatasync,fsync,flock,fchmod,fchmodat,ftruncate";

/// What a full disk answers: the system calls that need room, and those that find out late. Not `write`, which also wakes threads.
pub(crate) const NEED_ROOM: &str =
    "pwrite64,mkdir,mkdirat,symlink,symlinkat,ftruncate,fallocate,fsync,fdatasync";

/// The project, and the lock file of what was applied.
fn snapshot(workshop: &Workshop) -> BTreeMap<String, String> {
    workshop.project()
}

/// The program under strace, with further arguments of strace.
pub(crate) fn traced(workshop: &Workshop, arguments: &[&str], strace: &[&str]) -> Command {
    let program = workshop.command(arguments);
    let mut command = Command::new("strace");
    command
        .args(["-f", "-qq"])
        .args(strace)
        .arg(program.get_program())
        .args(program.get_args())
        .current_dir(program.get_current_dir().unwrap());
    let set = program.get_envs();
    command.env_clear();
    command.envs(set.filter_map(|(name, value)| Some((name, value?))));
    command
}

/// The same command, which is killed after two minutes.
pub(crate) fn bounded(command: &Command) -> Command {
    let mut timeout = Command::new("timeout");
    timeout
        .args(["-s", "KILL", "120"])
        .arg(command.get_program())
        .args(command.get_args());
    timeout
        .current_dir(command.get_current_dir().unwrap())
        .env_clear();
    timeout.envs(
        command
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    timeout
}

/// The changes that a command makes, which exits with this code if one is given: the name of each system call, and the how many-th of its name it is.
pub(crate) fn changes(
    workshop: &Workshop,
    arguments: &[&str],
    code: Option<i32>,
) -> Vec<(String, usize)> {
    let log = workshop.path("strace.log");
    let trace = format!("trace={CHANGES}");
    let strace = ["-o", log.to_str().unwrap(), "-e", &trace];
    let output = traced(workshop, arguments, &strace).output().unwrap();
    if code.is_some() {
        assert_eq!(output.status.code(), code, "{output:?}");
    }
    let text = fs::read_to_string(log).unwrap();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let names = text.lines().filter_map(|line| {
        let (_, call) = line.split_once(' ')?;
        call.trim_start()
            .split_once('(')
            .map(|(name, _)| name.to_owned())
    });
    let counted = names.map(|name| {
        let count = counts.entry(name.clone()).or_default();
        *count += 1;
        (name, *count)
    });
    counted.collect()
}

/// Starts from `prepared`, kills the command at every change, and looks at what the next command leaves.
fn kill_everywhere(prepared: &Workshop, arguments: &[&str]) {
    let start = snapshot(prepared);
    let backup = prepared.path("backup");
    for name in ["project", "home"] {
        copy(&prepared.path(name), &backup.join(name));
    }
    let moments = changes(prepared, arguments, Some(0));
    let end = snapshot(prepared);
    assert_ne!(start, end, "{arguments:?}");
    let (mut old, mut new) = (0, 0);
    for (call, count) in &moments {
        for name in ["project", "home"] {
            fs::remove_dir_all(prepared.path(name)).unwrap();
            copy(&backup.join(name), &prepared.path(name));
        }
        let inject = format!("inject={call}:signal=SIGKILL:when={count}");
        let strace = ["-o", "/dev/null", "-e", &inject];
        traced(prepared, arguments, &strace).output().unwrap();
        // The next command that changes something finishes what was begun; what it says does not matter.
        prepared.run(&["sync"]);
        let found = snapshot(prepared);
        assert!(
            found == end || found == start,
            "{arguments:?} killed at {call} {count}: {found:#?}"
        );
        old += usize::from(found == start);
        new += usize::from(found == end);
    }
    // Both sides of the moment from which on it is done were seen.
    assert!(old > 3 && new > 3, "{arguments:?}: {old} {new} {moments:?}");
    println!(
        "{arguments:?}: killed at {} changes, {old} old, {new} new",
        moments.len()
    );
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    prowess_testing::run(Command::new("cp").arg("-a").arg(from).arg(to));
}

#[test]
fn l6_add_is_killed_at_every_change() {
    let workshop = Workshop::new();
    kill_everywhere(
        &workshop,
        &[
            "add",
            &workshop.url(),
            "--all",
            "--agent",
            "claude-code,windsurf",
        ],
    );
}

#[test]
fn l6_update_is_killed_at_every_change() {
    let workshop = Workshop::new();
    workshop.add();
    workshop.write(
        "project/.agents/skills/pdf/SKILL.md",
        FIRST.replace("first", "edited"),
    );
    workshop.write(
        "repository/skills/pdf/SKILL.md",
        FIRST.replace("second", "changed"),
    );
    workshop.write("repository/skills/pdf/new/file.md", "new");
    workshop.commit("second");
    kill_everywhere(&workshop, &["update"]);
}

#[test]
fn l6_remove_is_killed_at_every_change() {
    let workshop = Workshop::new();
    workshop.expect(0, &["add", &workshop.url(), "--all"]);
    kill_everywhere(&workshop, &["remove", "pdf", "csv"]);
}

#[test]
fn l6_import_is_killed_at_every_change() {
    let workshop = Workshop::new();
    workshop.write("project/.claude/skills/pdf/SKILL.md", FIRST);
    kill_everywhere(&workshop, &["import", "pdf"]);
    assert!(state(&workshop.path("project")).len() > 2);
}
