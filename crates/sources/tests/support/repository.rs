//! A git repository made up for a test, and a server in front of it.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use prowess_sources::RemoteOptions;
use prowess_testing::{ChildGuard, ClosedPort};

use crate::support::Place;

/// A repository with a server in front of it, if wanted.
pub(crate) struct Repository {
    pub(crate) place: Place,
    server: Mutex<Option<(ChildGuard, u16)>>,
    closed: Mutex<Option<ClosedPort>>,
}

impl Repository {
    pub(crate) fn new() -> Self {
        let repository = Self {
            place: Place::new(),
            server: Mutex::default(),
            closed: Mutex::default(),
        };
        fs::create_dir(repository.place.path("work")).unwrap();
        repository.git(&["init", "--quiet", "--initial-branch", "main", "."]);
        repository.skill("pdf", "Reads PDF files");
        repository.commit("first");
        repository
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        prowess_testing::git(self.place.path("work"), arguments)
    }

    pub(crate) fn skill(&self, path: &str, description: &str) -> &Self {
        self.place
            .described(&format!("work/skills/{path}"), description);
        self
    }

    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    pub(crate) fn serve(&self) -> u16 {
        let mut server = self.server.lock().unwrap();
        if let Some((_, port)) = &*server {
            return *port;
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/git_server.py");
        let mut child = Command::new("python3")
            .arg(script)
            .args([self.place.path(""), self.place.path("requests.log")])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let out = child.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        let port = line.trim().parse().unwrap();
        *server = Some((ChildGuard(child), port));
        port
    }

    pub(crate) fn stop(&self) {
        let server = self.server.lock().unwrap().take();
        if let Some((child, port)) = server {
            drop(child);
            *self.closed.lock().unwrap() = Some(ClosedPort::new(port));
        }
    }

    pub(crate) fn requests(&self) -> usize {
        let log = fs::read_to_string(self.place.path("requests.log"));
        log.map_or(0, |log| log.lines().count())
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.place.path("cache")
    }

    pub(crate) fn remote(&self) -> RemoteOptions {
        RemoteOptions {
            cache: Some(self.cache()),
            ..RemoteOptions::default()
        }
    }
}
