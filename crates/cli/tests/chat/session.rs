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
        // Keys that send signals reach the process that controls the terminal.
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
        let end = Instant::now() + Duration::from_mins(2);
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

    /// The lines as a terminal shows them now, the cursor as `█`.
    pub(crate) fn screen(&self) -> String {
        let mut lines: Vec<Vec<char>> = vec![Vec::new()];
        let (mut row, mut column, mut hidden) = (0, 0, false);
        let text = String::from_utf8_lossy(&self.bytes);
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match c {
                '\r' => column = 0,
                '\n' => {
                    row += 1;
                    lines.resize(lines.len().max(row + 1), Vec::new());
                }
                '\u{1b}' => {
                    assert_eq!(chars.next(), Some('['), "{text:?}");
                    let is_number = |c: &char| matches!(c, '0'..='9' | ';' | '?');
                    let mut number = String::new();
                    let letter = loop {
                        let c = chars.next().unwrap();
                        if !is_number(&c) {
                            break c;
                        }
                        number.push(c);
                    };
                    let count = number.parse().unwrap_or(1);
                    match letter {
                        'A' => row = row.saturating_sub(count),
                        'B' => row += count,
                        'C' => column += count,
                        'D' => column = column.saturating_sub(count),
                        'K' if number == "2" => lines[row].clear(),
                        'K' => lines[row].truncate(column),
                        'J' => {
                            lines[row].truncate(column);
                            lines.truncate(row + 1);
                        }
                        'h' | 'l' if number == "?25" => hidden = letter == 'l',
                        _ => {}
                    }
                }
                c => {
                    let line = &mut lines[row];
                    line.resize(line.len().max(column + 1), ' ');
                    line[column] = c;
                    column += 1;
                }
            }
        }
        if !hidden {
            let line = &mut lines[row];
            line.resize(line.len().max(column), ' ');
            line.insert(column, '█');
        }
        let lines = lines.iter().map(|line| line.iter().collect::<String>());
        let lines: Vec<String> = lines.map(|line| line.trim_end().to_owned()).collect();
        lines.join("\n")
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
        let end = Instant::now() + Duration::from_mins(2);
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            self.look();
        }
        panic!("it goes on: {:?}", self.shown.get(self.seen..));
    }
}
