//! A place with something to protect: files, sockets, shared memory, a process. After each attack everything is looked
//! at from outside. Whoever runs attacks, here or elsewhere, shares this.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use prowess_sandbox::Limits;
use serde_json::{Value, json};

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

impl Verdict {
    /// What an attack says in its last line, and how it ends.
    pub(crate) fn of(text: &str, code: Option<i32>, more: &str) -> Self {
        let line = text.lines().last().unwrap_or_default();
        match (line.split_once(": "), code) {
            (Some(("HELD", why)), Some(3)) => Self::Held(why.to_owned()),
            (Some(("ESCAPED", what)), Some(0)) => Self::Escaped(what.to_owned()),
            _ => Self::Unclear(format!("{code:?}, {line}, {more}")),
        }
    }

    /// As a cell of a table.
    pub(crate) fn cell(&self, characters: usize) -> String {
        let (word, detail) = match self {
            Self::Held(detail) => ("held", detail),
            Self::Escaped(detail) => ("**not stopped**", detail),
            Self::Traces(detail) => ("**left traces**", detail),
            Self::Unclear(detail) => ("**unclear**", detail),
        };
        let detail = detail.replace('|', "\\|").replace('\n', " ");
        let short: String = detail.chars().take(characters).collect();
        format!("{word}: {short}")
    }
}

/// A file of the attacks.
pub(crate) fn file(name: &str) -> String {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = own.join("../sandbox/attacks").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) struct Watched {
    place: tempfile::TempDir,
    host: Child,
    /// `None` when it may go.
    ask: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    facts: Value,
}

/// What the place was like before an attack.
pub(crate) type Before = BTreeMap<PathBuf, Vec<u8>>;

/// What an attack should know of its jail.
pub(crate) struct Known<'a> {
    pub(crate) project: &'a Path,
    pub(crate) skill: &'a Path,
    /// Variables that it was given.
    pub(crate) given: &'a [&'a str],
    pub(crate) limits: Limits,
    pub(crate) scratch: u64,
}

impl Watched {
    pub(crate) fn new() -> Self {
        let place = tempfile::tempdir_in("/tmp").unwrap();
        let root = place.path();
        fs::create_dir_all(root.join("outside")).unwrap();
        fs::create_dir_all(root.join("project/skills/attack")).unwrap();
        fs::write(root.join("outside/canary"), SECRET).unwrap();
        fs::write(root.join("project/file"), "as it was\n").unwrap();
        trusted_files(&root.join("project"));
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

    pub(crate) fn root(&self) -> &Path {
        self.place.path()
    }

    /// A word by which the processes of an attack are known.
    pub(crate) fn mark(&self, id: &str) -> String {
        format!("attack-{id}-{}", self.host.id())
    }

    pub(crate) fn before(&self) -> Before {
        tree(self.root())
    }

    /// The verdict, unless what is outside says otherwise.
    pub(crate) fn after(&mut self, before: &Before, mark: &str, verdict: Verdict) -> Verdict {
        let traces = self.traces(before, mark);
        if traces.is_empty() || matches!(verdict, Verdict::Escaped(_)) {
            return verdict;
        }
        Verdict::Traces(format!("{verdict:?}, but {}", traces.join("; ")))
    }

    fn traces(&mut self, before: &Before, mark: &str) -> Vec<String> {
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
    pub(crate) fn text(&self, id: &str, known: &Known<'_>) -> String {
        let root = self.root();
        let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
        let names: Vec<String> = names
            .filter(|name| !known.given.contains(&name.as_str()))
            .collect();
        let mut facts = json!({
            "secret": SECRET, "place": root, "outside": root.join("outside"), "canary": root.join("outside/canary"),
            "project": known.project, "skill": known.skill, "project_outside": root.join("project"),
            "home": std::env::var("HOME").unwrap_or_else(|_| "/root".to_owned()), "variables": names,
            "processes": known.limits.processes, "scratch": known.scratch, "file_size": known.limits.file_size,
            "address_space": known.limits.address_space, "memory": known.limits.memory, "disk": known.limits.disk,
            "files": known.limits.files,
        });
        let all = facts.as_object_mut().unwrap();
        all.extend(self.facts.as_object().unwrap().clone());
        let facts = serde_json::to_string(&facts.to_string()).unwrap();
        let (prelude, own) = (file("prelude.py"), file(&format!("{id}.py")));
        format!("import json\n\nFACTS = json.loads({facts})\n{prelude}\n{own}")
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // It goes with its input, and takes with it what would stay otherwise.
        drop(self.ask.take());
        let _ = self.host.wait();
    }
}

/// What git, editors and agents would believe, at several depths: in a repository, in one below, and in one whose files
/// are elsewhere.
fn trusted_files(project: &Path) {
    let write = |path: &str, text: &str| prowess_testing::write(project.join(path), text);
    for repository in [".git", "sub/.git", "pointer/.bare"] {
        write(&format!("{repository}/config"), "[core]\n");
        write(&format!("{repository}/hooks/pre-commit"), "#!/bin/sh\n");
    }
    write("pointer/.git", "gitdir: ./.bare\n");
    write("AGENTS.md", "Be kind.\n");
    write("sub/deep/prowess.toml", "");
    for path in [
        ".cursor/mcp.json",
        ".github/workflows/ci.yml",
        "sub/.cargo/config.toml",
        "opencode.json",
    ] {
        write(path, "started = false\n");
    }
    write("docs/rules.md", "Be kind.\n");
    std::os::unix::fs::symlink("rules.md", project.join("docs/AGENTS.md")).unwrap();
}

/// Processes whose command line has this word.
pub(crate) fn processes_with(word: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let found = entries.filter_map(|entry| {
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let named = format!("{} {line}", entry.file_name().display());
        line.contains(word)
            .then(|| named.chars().take(120).collect())
    });
    found.collect()
}

/// Every file below `root` with what it holds, its kind and its permissions.
fn tree(root: &Path) -> Before {
    let mut found = BTreeMap::new();
    let mut left = vec![root.to_owned()];
    while let Some(path) = left.pop() {
        let data = fs::symlink_metadata(&path).unwrap();
        let mut text = format!("{:o} {} ", data.mode(), data.uid()).into_bytes();
        if data.is_dir() {
            let entries = fs::read_dir(&path).unwrap();
            left.extend(entries.map(|entry| entry.unwrap().path()));
        } else if data.is_file() {
            text.extend(format!("{} ", data.mtime()).bytes());
            text.extend(fs::read(&path).unwrap());
        }
        found.insert(path, text);
    }
    found
}
