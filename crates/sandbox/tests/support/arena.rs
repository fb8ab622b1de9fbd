//! A place with something to protect: files, sockets, shared memory, a process. Attacks run in it one after the other,
//! and after each of them everything is looked at from outside.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child as Process, ChildStdin, ChildStdout, Command as ProcessCommand, Stdio};

use prowess_sandbox::{Command, Confinement, Isolation, Network};
use serde_json::{Value, json};

use super::attack::{Attack, Grant, Outcome, file};
use super::{PYTHON, confinement, finish, mount, processes_with, sandbox};

const SECRET: &str = "the-secret-of-the-host-7c21";

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
    host: Process,
    /// `None` when it may go.
    ask: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    facts: Value,
}

impl Arena {
    pub(crate) fn new() -> Self {
        let place = tempfile::tempdir_in("/tmp").unwrap();
        let root = place.path();
        fs::create_dir_all(root.join("outside")).unwrap();
        fs::create_dir_all(root.join("project/skills/attack")).unwrap();
        fs::write(root.join("outside/canary"), SECRET).unwrap();
        fs::write(root.join("project/file"), "as it was\n").unwrap();
        let script = root.join("outside/host.py");
        fs::write(&script, file("host.py")).unwrap();
        let mut host = ProcessCommand::new(PYTHON)
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

    fn skill(&self) -> PathBuf {
        self.root().join("project/skills/attack")
    }

    /// Runs an attack and looks at what it left.
    pub(crate) fn run(&mut self, attack: &Attack, isolation: Isolation) -> Verdict {
        let confinement = self.confinement(attack);
        let text = self.text(attack, isolation, &confinement);
        fs::write(self.skill().join("main.py"), text).unwrap();
        let before = tree(self.root());
        let mark = format!("attack-{}-{}", attack.id, self.host.id());
        let command = Command::new(PYTHON).arguments(["-I", "/skill/main.py", &mark]);
        let mut child = match sandbox(isolation).spawn(&command, &confinement) {
            Ok(child) => child,
            Err(error) => return Verdict::Unclear(error.to_string()),
        };
        let verdict = match attack.outcome {
            Outcome::ByItself => verdict(attack, &finish(child)),
            Outcome::KilledByUs => {
                let mut lines = BufReader::new(child.stdout.take().unwrap());
                let mut line = String::new();
                lines.read_line(&mut line).unwrap();
                assert_eq!(line, "READY\n");
                assert!(processes_with(&mark).len() > 3);
                child.kill().unwrap();
                let status = child.wait().unwrap();
                Verdict::Held(format!("killed: {status}"))
            }
        };
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

    fn confinement(&self, attack: &Attack) -> Confinement {
        let project = mount(&self.root().join("project"), "/project");
        let mut made = Confinement {
            read_only: vec![mount(&self.skill(), "/skill")],
            working_directory: "/skill".into(),
            environment: vec![("LANG".into(), "C.UTF-8".into())],
            ..confinement()
        };
        if attack.grants.contains(&Grant::ProjectWrite) {
            made.read_write.push(project);
        } else {
            made.read_only.push(project);
        }
        if attack.grants.contains(&Grant::Network) {
            made.network = Network::Host;
        }
        made
    }

    /// The program: what it should know, what all attacks share, and the attack.
    fn text(&self, attack: &Attack, isolation: Isolation, confinement: &Confinement) -> String {
        let root = self.root();
        let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
        let names: Vec<_> = names
            .filter(|name| !["LANG", "PWD", "LC_CTYPE"].contains(&name.as_str()))
            .collect();
        let inside = isolation != Isolation::None;
        let mut facts = json!({
            "secret": SECRET, "place": root, "outside": root.join("outside"), "canary": root.join("outside/canary"),
            "project": if inside { "/project".into() } else { root.join("project") },
            "skill": if inside { "/skill".into() } else { self.skill() },
            "project_outside": root.join("project"), "home": std::env::var("HOME").unwrap_or_else(|_| "/root".to_owned()),
            "variables": names, "processes": confinement.limits.processes, "scratch": confinement.scratch,
            "file_size": confinement.limits.file_size, "address_space": confinement.limits.address_space,
        });
        let known = facts.as_object_mut().unwrap();
        known.extend(self.facts.as_object().unwrap().clone());
        let facts = serde_json::to_string(&facts.to_string()).unwrap();
        format!(
            "import json\n\nFACTS = json.loads({facts})\n{}\n{}",
            file("prelude.py"),
            attack.text()
        )
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // It goes with its input, and takes with it what would stay otherwise.
        drop(self.ask.take());
        let _ = self.host.wait();
    }
}

fn verdict(attack: &Attack, done: &super::Done) -> Verdict {
    if attack.id == "escape-bytes"
        && !done
            .output
            .starts_with(b"\x1b]0;owned\x07\x1b[2J\x9b31m\x00\n")
    {
        return Verdict::Unclear(format!("{:?}", done.output));
    }
    let text = done.text();
    let line = text.lines().last().unwrap_or_default();
    match (line.split_once(": "), done.status.code()) {
        (Some(("HELD", why)), Some(3)) => Verdict::Held(why.to_owned()),
        (Some(("ESCAPED", what)), Some(0)) => Verdict::Escaped(what.to_owned()),
        _ => Verdict::Unclear(format!("{}, {line}, {}", done.status, done.errors)),
    }
}

/// Every file below `root` with what it holds, its kind and its permissions.
fn tree(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    use std::os::unix::fs::MetadataExt;
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
