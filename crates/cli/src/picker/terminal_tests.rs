//! The picker in a real terminal. Each test starts this program again, for one test that opens a picker.
#![cfg(test)]

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use prowess_testing::{ChildGuard, terminal};
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{LocalModes, Termios, Winsize, tcgetattr, tcsetwinsize};

use super::screen::Screen;
use super::{PickerItem, pick};

/// What the started program does: opens a picker of so many items, or panics.
const PART: &str = "PROWESS_TEST_PICKER";

struct Session {
    child: ChildGuard,
    ours: File,
    theirs: File,
    before: Termios,
    chunks: Receiver<Vec<u8>>,
    shown: String,
    /// The part of it that counts begins here.
    start: usize,
}

impl Session {
    /// A picker that has drawn its first frame.
    fn start(part: &str, columns: u16, rows: u16) -> Self {
        let (ours, theirs) = terminal(columns, rows);
        let before = tcgetattr(&theirs).unwrap();
        let end = || Stdio::from(theirs.try_clone().unwrap());
        let test = "picker::terminal_tests::pi2_pk6_keys_end_a_picker";
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env(PART, part)
            .env("TERM", "xterm")
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .unwrap();
        let (sender, chunks) = channel();
        let mut reader = ours.try_clone().unwrap();
        thread::spawn(move || {
            let mut bytes = [0; 4_096];
            while let Ok(count @ 1..) = reader.read(&mut bytes)
                && sender.send(bytes[..count].to_vec()).is_ok()
            {}
        });
        Self {
            child: ChildGuard(child),
            ours,
            theirs,
            before,
            chunks,
            shown: String::new(),
            start: 0,
        }
    }

    /// Reads until a text was shown.
    fn until(&mut self, text: &str) -> &mut Self {
        while !self.latest().contains(text) {
            let bytes = self.chunks.recv().unwrap();
            self.shown.push_str(&String::from_utf8_lossy(&bytes));
        }
        self
    }

    /// What was shown since the start of the part that counts.
    fn latest(&self) -> &str {
        self.shown.get(self.start..).unwrap()
    }

    fn press(&mut self, keys: &str) -> &mut Self {
        self.ours.write_all(keys.as_bytes()).unwrap();
        self
    }

    fn signal(&mut self, signal: Signal) -> &mut Self {
        let id = Pid::from_raw(self.child.id().try_into().unwrap()).unwrap();
        kill_process(id, signal).unwrap();
        self
    }

    /// Waits for the end, and returns what was shown after the screen of the picker.
    fn end(mut self) -> (ExitStatus, String) {
        self.until("\u{1b}[?1049l");
        let status = self.child.wait().unwrap();
        let after = tcgetattr(&self.theirs).unwrap();
        assert_eq!(
            (after.local_modes, after.input_modes, after.output_modes),
            (
                self.before.local_modes,
                self.before.input_modes,
                self.before.output_modes
            )
        );
        drop(self.theirs);
        for bytes in self.chunks {
            self.shown.push_str(&String::from_utf8_lossy(&bytes));
        }
        assert_eq!(self.shown.matches("\u{1b}[?1049h").count(), 1);
        let (screen, after) = self.shown.split_once("\u{1b}[?1049l").unwrap();
        assert!(screen.ends_with("\u{1b}[?7h\u{1b}[?25h"));
        assert!(!after.contains("\u{1b}[?1049l"));
        (status, after.to_owned())
    }
}

/// The part of the started program.
fn open_picker(part: &str) {
    if part == "panic" {
        let _screen = Screen::enter().unwrap();
        panic!("in the picker");
    }
    let item = |number| PickerItem {
        name: format!("skill-{number}"),
        description: "A skill".to_owned(),
        preview: format!("preview of {number}"),
    };
    let items: Vec<PickerItem> = (0..part.parse().unwrap()).map(item).collect();
    let chosen = pick(&items, "Choose skills").map_err(|error| error.message);
    println!("chosen: {chosen:?}");
}

#[test]
fn pi2_pk6_keys_end_a_picker() {
    if let Ok(part) = std::env::var(PART) {
        return open_picker(&part);
    }
    for (keys, expected) in [
        ("\r", "Ok(Some([0]))"),
        ("\u{1b}[B \u{1b}[6~ \r", "Ok(Some([1, 22]))"),
        ("9999\r", "Ok(Some([9999]))"),
        ("9998\u{1}\u{15}9999\u{1}\r", "Ok(Some([9998, 9999]))"),
        ("\u{1b}", "Ok(None)"),
        ("x\u{3}", "Ok(None)"),
    ] {
        let mut session = Session::start("10000", 100, 24);
        session.until("ctrl-a all");
        let modes = tcgetattr(&session.theirs).unwrap().local_modes;
        assert!(!modes.intersects(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG));
        session.press(keys);
        let (status, after) = session.end();
        assert!(status.success(), "{after}");
        assert!(after.contains(&format!("chosen: {expected}")), "{after}");
    }
}

#[test]
fn pi6_signals_restore_the_terminal() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let mut session = Session::start("3", 100, 24);
        session.until("ctrl-a all").signal(signal);
        let (_, after) = session.end();
        assert!(after.contains("chosen: Err(\"interrupted\")"), "{after}");
    }
}

#[test]
fn pi6_a_panic_restores_the_terminal_before_its_message() {
    let session = Session::start("panic", 100, 24);
    let (status, after) = session.end();
    assert!(!status.success());
    assert!(after.contains("in the picker"), "{after}");
}

#[test]
fn pi6_a_terminal_that_closes_ends_the_picker() {
    let mut session = Session::start("3", 100, 24);
    session.until("ctrl-a all");
    let Session {
        mut child,
        ours,
        theirs,
        chunks,
        ..
    } = session;
    // The reader closes the last handle of this end after it has read the answer to a key.
    drop((theirs, chunks));
    (&ours).write_all(b"x").unwrap();
    drop(ours);
    let _ = child.wait().unwrap();
}

#[test]
fn pi4_another_size_is_drawn_at_once() {
    let mut session = Session::start("30", 100, 24);
    session.until("ctrl-a all").until("\u{1b}[?2026l");
    assert!(
        session.shown.contains("preview of 0"),
        "{:?}",
        session.shown
    );
    session.start = session.shown.len();
    let size = Winsize {
        ws_row: 5,
        ws_col: 20,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&session.ours, size).unwrap();
    session.signal(Signal::WINCH);
    session.until("\u{1b}[5;1H").until("\u{1b}[?2026l");
    let shown = session.latest();
    assert!(!shown.contains("preview"), "{shown:?}");
    session.press("\r");
    let (status, after) = session.end();
    assert!(
        status.success() && after.contains("chosen: Ok(Some([0]))"),
        "{after}"
    );
}
