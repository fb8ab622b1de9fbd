//! Running the real binary in a directory of its own.
#![allow(dead_code, reason = "each test binary uses its own part")]

#[cfg(unix)]
pub(crate) mod terminal;

use std::io::{BufRead, BufReader};
use std::ops::Deref;
use std::process::{Command, Output, Stdio};

use prowess_testing::{ChildGuard, TestDirectory, at_home, repository};

/// A temporary project directory in which the program runs.
pub(crate) struct TestProject(TestDirectory);

impl Deref for TestProject {
    type Target = TestDirectory;

    fn deref(&self) -> &TestDirectory {
        &self.0
    }
}

impl TestProject {
    pub(crate) fn new() -> Self {
        Self(TestDirectory::new())
    }

    /// A project whose path is short: a table is cut at the width of the screen.
    pub(crate) fn short() -> Self {
        Self(TestDirectory::new_in("/tmp"))
    }

    /// A copy of a directory of the repository.
    pub(crate) fn copy_of(path: &str) -> Self {
        Self::new().with_copy_of(path)
    }

    pub(crate) fn with_copy_of(self, path: &str) -> Self {
        self.copy(&repository().join(path), path);
        self
    }

    /// A valid skill.
    pub(crate) fn skill(&self, path: &str) -> &Self {
        self.0.skill(path, "d", "Do it.\n");
        self
    }

    /// The program with these arguments. What `--approve-skills` names is named with its digest, because a name alone
    /// does not cover the skills of a project.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut is_next = false;
        let digested: Vec<String> = arguments
            .iter()
            .map(|argument| {
                let is_list = std::mem::replace(&mut is_next, *argument == "--approve-skills");
                let names = argument
                    .split(',')
                    .map(|name| self.digested(name, arguments));
                if is_list {
                    names.collect::<Vec<_>>().join(",")
                } else {
                    (*argument).to_owned()
                }
            })
            .collect();
        let digested: Vec<&str> = digested.iter().map(String::as_str).collect();
        self.command_as_typed(&digested)
    }

    /// `NAME@DIGEST` of a skill that is here, or in a directory that the arguments name.
    fn digested(&self, name: &str, arguments: &[&str]) -> String {
        let named = arguments.windows(2).filter(|pair| pair[0] == "--in");
        let named = named.map(|pair| pair[1]);
        let typed = arguments.iter().filter(|it| it.starts_with("./")).copied();
        let places = named.chain(typed).map(|project| vec!["--in", project]);
        for project in [Vec::new()].into_iter().chain(places) {
            let words: Vec<&str> = ["info", name, "--json"]
                .into_iter()
                .chain(project)
                .collect();
            let info = self.command_as_typed(&words).output().unwrap();
            let info: serde_json::Value = serde_json::from_slice(&info.stdout).unwrap_or_default();
            if let Some(digest) = info["digest"].as_str()
                && !name.contains('@')
            {
                return format!("{name}@{digest}");
            }
        }
        name.to_owned()
    }

    /// The program with exactly these arguments.
    pub(crate) fn command_as_typed(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_prowess"));
        at_home(&mut command, self.path("home"))
            .args(arguments)
            .current_dir(self.root());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::of(self.command(arguments).output().unwrap())
    }
}

/// A server that `serve --json` has started, and what it says about itself.
pub(crate) fn started(serve: &mut Command) -> (ChildGuard, serde_json::Value) {
    let mut server = serve.stdout(Stdio::piped()).spawn().unwrap();
    let mut ready = Vec::new();
    let mut out = BufReader::new(server.stdout.take().unwrap());
    out.read_until(b'}', &mut ready).unwrap();
    let server = ChildGuard(server);
    (server, serde_json::from_slice(&ready).unwrap())
}

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn of(output: Output) -> Self {
        let run = Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        };
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
        run
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// Everything, as a snapshot holds it: times and trailing blanks taken out.
    pub(crate) fn snapshot(&self) -> String {
        let code = self.code.map_or("none".to_owned(), |code| code.to_string());
        let text = format!(
            "exit {code}\n--- stdout\n{}--- stderr\n{}",
            self.stdout, self.stderr
        );
        without_times(&text)
    }
}

/// `in 1.2ms` becomes `in TIME`.
pub(crate) fn without_times(text: &str) -> String {
    let line = |line: &str| match line.split_once(" in ") {
        Some((before, after)) if before.starts_with("checked ") => {
            let rest = after.split_once(':').map_or("", |(_, rest)| rest);
            format!("{before} in TIME:{rest}")
        }
        _ => line.trim_end().to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// `-1.23 s` becomes `?N.NN s`.
pub(crate) fn without_seconds(text: &str) -> String {
    let line = |line: &str| {
        let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        for index in 1..words.len() {
            if words[index] == "s" {
                let number = words[index - 1].replace(['+', '-'], "?");
                words[index - 1] = number.replace(|c: char| c.is_ascii_digit(), "N");
            }
        }
        words.join(" ")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// What a skill consists of may change; that it is shown may not.
pub(crate) fn without_digests(text: &str) -> String {
    let mut parts = text.split("sha256:");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_hexdigit());
        out.push_str("sha256:DIGEST");
        out.push_str(rest);
    }
    out
}
