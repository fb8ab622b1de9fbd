//! A chat in a terminal, and the keys that a user types.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use prowess_testing::ChildGuard;
use prowess_testing::model::ScriptedModel;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::setup::chat;
use crate::support::TestProject;
use crate::support::terminal::{plain, terminal};

/// A chat in a terminal.
pub(crate) struct Session {
    ours: File,
    child: ChildGuard,
    pub(crate) bytes: Vec<u8>,
    /// The same without colours.
    pub(crate) shown: String,
    /// How much of it was looked at.
    pub(crate) seen: usize,
}

impl Session {
    pub(crate) fn start(
        project: &TestProject,
        model: Option<&ScriptedModel>,
        arguments: &[&str],
    ) -> Self {
        let (ours, theirs) = terminal(90);
        let mut command = chat(project, model, arguments);
        // Keys that send signals do so to whoever has the terminal.
        let child = command
            .env("TERM", "xterm")
            .stdin(Stdio::from(theirs.try_clone().unwrap()))
            .stdout(Stdio::from(theirs.try_clone().unwrap()))
            .stderr(Stdio::from(theirs))
            .spawn()
            .unwrap();
        let mut session = Self {
            ours,
            child: ChildGuard(child),
            bytes: Vec::new(),
            shown: String::new(),
            seen: 0,
        };
        session.until("> ");
        session
    }

    /// Waits until something new is shown; everything new up to there.
    pub(crate) fn until(&mut self, text: &str) -> String {
        let end = Instant::now() + Duration::from_secs(20);
        loop {
            let new = self.shown.get(self.seen..).unwrap_or_default();
            if let Some(at) = new.find(text) {
                let new = new.get(..at + text.len()).unwrap().to_owned();
                self.seen += new.len();
                return new;
            }
            assert!(
                Instant::now() < end,
                "no {text:?} in {new:?}, {:?}",
                self.child.try_wait()
            );
            self.look();
        }
    }

    /// Takes in what is shown, if anything is.
    pub(crate) fn look(&mut self) {
        let mut ready = [PollFd::new(&self.ours, PollFlags::IN)];
        let patience = Timespec {
            tv_sec: 0,
            tv_nsec: 50_000_000,
        };
        if poll(&mut ready, Some(&patience)).unwrap() > 0 {
            let mut bytes = [0; 4096];
            let count = self.ours.read(&mut bytes).unwrap_or_default();
            self.bytes.extend(&bytes[..count]);
            self.shown = plain(&String::from_utf8_lossy(&self.bytes));
        }
    }

    pub(crate) fn type_in(&mut self, keys: &str) {
        self.ours.write_all(keys.as_bytes()).unwrap();
    }

    pub(crate) fn interrupt(&self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    }

    /// Ctrl-D, and what the program ends with.
    pub(crate) fn end(mut self) -> Option<i32> {
        self.type_in("\u{4}");
        self.ended()
    }

    pub(crate) fn ended(&mut self) -> Option<i32> {
        let end = Instant::now() + Duration::from_secs(20);
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            self.look();
        }
        panic!("it goes on: {:?}", self.shown.get(self.seen..));
    }
}
