//! A place with something to protect. Attacks run in it one after the other, and after each of them everything is
//! looked at from outside.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use prowess_sandbox::limits::{ADDRESS_SPACE, FILE_SIZE, PROCESSES, SCRATCH};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::executors::{Executor, Said};

const SECRET: &str = "the-secret-of-the-host-7c21";

/// One row of the sandbox's table.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Attack {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) category: String,
    #[serde(default)]
    grants: Vec<String>,
    #[serde(default)]
    outcome: Option<String>,
    #[serde(default)]
    open_in: Vec<String>,
}

#[derive(Deserialize)]
struct Table {
    attack: Vec<Attack>,
}

/// The attacks that need nothing granted, end by themselves and must not succeed.
pub(crate) fn attacks() -> Vec<Attack> {
    let table: Table = toml::from_str(&file("attacks.toml")).unwrap();
    let plain = |attack: &Attack| {
        let everywhere = attack.open_in.iter().any(|place| place == "every jail");
        attack.grants.is_empty() && attack.outcome.is_none() && !everywhere
    };
    table.attack.into_iter().filter(plain).collect()
}

fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sandbox/attacks");
    fs::read_to_string(path.join(name)).unwrap()
}

/// What came of an attack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    Held(String),
    Escaped(String),
    /// Something was found outside, whatever the attack said.
    Traces(String),
    /// The attack did not end as one does.
    Unclear(String),
}

pub(crate) struct Arena {
    place: tempfile::TempDir,
    host: Child,
    ask: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    facts: Value,
}

impl Arena {
    pub(crate) fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        fs::create_dir_all(root.join("outside")).unwrap();
        fs::create_dir_all(root.join("project")).unwrap();
        fs::write(root.join("outside/canary"), SECRET).unwrap();
        fs::write(root.join("project/file"), "as it was\n").unwrap();
        let script = root.join("outside/host.py");
        fs::write(&script, file("host.py")).unwrap();
        let mut host = Command::new("/usr/bin/python3")
            .arg("-I")
            .arg(script)
            .arg(root)
            .arg(SECRET)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let ask = host.stdin.take();
        let mut answers = BufReader::new(host.stdout.take().unwrap());
        let mut line = String::new();
        answers.read_line(&mut line).unwrap();
        let facts = serde_json::from_str(&line).unwrap();
        Self {
            place,
            host,
            ask,
            answers,
            facts,
        }
    }

    fn root(&self) -> &Path {
        self.place.path()
    }

    /// Has a skill make an attack, and looks at what it left.
    pub(crate) fn run(&mut self, attack: &Attack, executor: &dyn Executor) -> Verdict {
        let before = tree(self.root());
        let mark = format!("attack-{}-{}", attack.id, self.host.id());
        let said = executor.run(&self.root().join("project"), &self.text(attack), &mark);
        let verdict = verdict(attack, said);
        let traces = self.traces(&before, &mark);
        if traces.is_empty() || matches!(verdict, Verdict::Escaped(_)) {
            return verdict;
        }
        Verdict::Traces(format!("{verdict:?}, but {}", traces.join("; ")))
    }

    fn traces(&mut self, before: &BTreeMap<PathBuf, Vec<u8>>, mark: &str) -> Vec<String> {
        let mut traces = Vec::new();
        let after = tree(self.root());
        if *before != after {
            let changed = |path: &&PathBuf| before.get(*path) != after.get(*path);
            let names: Vec<_> = before.keys().chain(after.keys()).filter(changed).collect();
            traces.push(format!("files changed: {names:?}"));
        }
        let left = processes_with(mark);
        if !left.is_empty() {
            traces.push(format!("processes left: {left:?}"));
        }
        writeln!(self.ask.as_ref().unwrap(), "report").unwrap();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        if line != "[]\n" {
            traces.push(format!("the host was reached: {}", line.trim()));
        }
        traces
    }

    /// The program: what it should know, what all attacks share, and the attack.
    fn text(&self, attack: &Attack) -> String {
        let root = self.root();
        let given = ["HOME", "LANG", "LC_CTYPE", "PATH", "PWD", "TMPDIR"];
        let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
        let names: Vec<String> = names
            .filter(|name| !given.contains(&name.as_str()))
            .collect();
        let mut facts = json!({
            "secret": SECRET, "place": root, "outside": root.join("outside"), "canary": root.join("outside/canary"),
            "project": "/project", "skill": "/skill", "project_outside": root.join("project"),
            "home": std::env::var("HOME").unwrap_or_else(|_| "/root".to_owned()), "variables": names,
            "processes": PROCESSES, "scratch": SCRATCH, "file_size": FILE_SIZE, "address_space": ADDRESS_SPACE,
        });
        let known = facts.as_object_mut().unwrap();
        known.extend(self.facts.as_object().unwrap().clone());
        let facts = serde_json::to_string(&facts.to_string()).unwrap();
        let (prelude, own) = (file("prelude.py"), file(&format!("{}.py", attack.id)));
        format!("import json\n\nFACTS = json.loads({facts})\n{prelude}\n{own}")
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // It goes with its input, and takes with it what would stay otherwise.
        drop(self.ask.take());
        let _ = self.host.wait();
    }
}

fn verdict(attack: &Attack, said: Said) -> Verdict {
    let (text, code) = match said {
        Said::Ended { text, code } => (text, code),
        // Whoever shoots at everything it sees hits itself.
        Said::Died(reason) => return Verdict::Held(format!("it ended with its worker: {reason}")),
        Said::Not(reason) => return Verdict::Unclear(reason),
    };
    if attack.id == "escape-bytes" && !text.contains('\u{1b}') {
        return Verdict::Unclear(text);
    }
    let line = text.lines().last().unwrap_or_default();
    match (line.split_once(": "), code) {
        (Some(("HELD", why)), 3) => Verdict::Held(why.to_owned()),
        (Some(("ESCAPED", what)), 0) => Verdict::Escaped(what.to_owned()),
        _ => Verdict::Unclear(format!("exit code {code}: {text}")),
    }
}

fn processes_with(word: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| {
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(word).then(|| line.chars().take(80).collect())
    });
    lines.collect()
}

/// Every file below `root` with what it holds, its kind and its permissions.
fn tree(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left = vec![root.to_owned()];
    while let Some(path) = left.pop() {
        let data = fs::symlink_metadata(&path).unwrap();
        let mut text = format!("{:o} {} ", data.mode(), data.uid()).into_bytes();
        if data.is_dir() {
            left.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if data.is_file() {
            text.extend(format!("{} ", data.mtime()).bytes());
            text.extend(fs::read(&path).unwrap());
        }
        found.insert(path, text);
    }
    found
}
