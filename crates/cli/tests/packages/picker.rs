//! Row PK26: choosing skills of a source in a terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

use prowess_testing::{ChildGuard, terminal};

use crate::support::terminal::plain;
use crate::workshop::{FIRST, Workshop};

/// A program in a terminal.
pub(crate) struct Screen {
    child: ChildGuard,
    ours: File,
    shown: String,
}

impl Screen {
    pub(crate) fn start(mut command: Command) -> Self {
        let (ours, theirs) = terminal(100, 24);
        let end = || Stdio::from(theirs.try_clone().unwrap());
        command.stdin(end()).stdout(end()).stderr(end());
        let child = command.env("TERM", "xterm").spawn().unwrap();
        Self {
            child: ChildGuard(child),
            ours,
            shown: String::new(),
        }
    }

    fn read(&mut self) -> bool {
        let mut bytes = [0; 4_096];
        let count = self.ours.read(&mut bytes).unwrap_or_default();
        self.shown
            .push_str(&String::from_utf8_lossy(&bytes[..count]));
        count > 0
    }

    /// Reads until a text was shown.
    pub(crate) fn wait_for(&mut self, text: &str) {
        while !plain(&self.shown).contains(text) {
            assert!(self.read(), "{}", self.shown);
        }
    }

    /// Reads until a text was shown, and types.
    pub(crate) fn answer(&mut self, text: &str, keys: &str) {
        self.wait_for(text);
        self.shown.clear();
        self.ours.write_all(keys.as_bytes()).unwrap();
    }

    /// Says yes to every question; everything that is shown, and the exit code.
    pub(crate) fn agree(mut self) -> (String, Option<i32>) {
        let mut answered = 0;
        loop {
            while answered < plain(&self.shown).matches("[y/N]").count() {
                self.ours.write_all(b"y\n").unwrap();
                answered += 1;
            }
            if !self.read() {
                return self.end();
            }
        }
    }

    /// The rest of what is shown, and the exit code.
    pub(crate) fn end(mut self) -> (String, Option<i32>) {
        while self.read() {}
        let code = self.child.wait().unwrap().code();
        (plain(&self.shown).replace('\r', ""), code)
    }
}

fn three() -> Workshop {
    let workshop = Workshop::new();
    workshop.write(
        "repository/skills/xml/SKILL.md",
        FIRST.replace("pdf", "xml"),
    );
    workshop.commit("third");
    workshop
}

#[test]
fn pk26_skills_are_chosen_in_a_terminal() {
    let workshop = three();
    let mut screen = Screen::start(workshop.command(&["add", &workshop.url()]));
    // The first, not the second, the third.
    screen.answer("xml", " \u{1b}[B\u{1b}[B ");
    screen.answer("2 ", "\r");
    let (shown, code) = screen.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(
        shown.contains("+ csv (file://") && shown.contains("+ xml (file://"),
        "{shown}"
    );
    assert!(!workshop.exists("project/.agents/skills/pdf"));
    workshop.expect(0, &["verify"]);
    let lock = workshop.read("project/prowess.lock");
    assert_eq!(lock.matches("[[skill]]").count(), 2, "{lock}");
}

#[test]
fn pk26_escape_installs_nothing() {
    let workshop = three();
    let mut screen = Screen::start(workshop.command(&["add", &workshop.url()]));
    screen.answer("xml", "\u{1b}");
    let (shown, code) = screen.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.ends_with("nothing was installed\n"), "{shown}");
    assert!(workshop.project().is_empty());
}
