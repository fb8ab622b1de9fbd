//! A program in a real terminal; each key waits for the expected screen.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use vt100::Parser;

use super::look::{COLUMNS, ROWS, before_cursor, blank, text};

/// For one thing to appear on a machine that is busy with something else.
const PATIENCE: Duration = Duration::from_mins(1);

/// What has to be there before the next key.
pub(super) struct Wanted {
    /// Said since the last key.
    pub(super) said: &'static str,
    /// The line on which the cursor stands, up to the cursor.
    pub(super) line: String,
}

/// A program and its terminal.
pub(super) struct Terminal {
    ours: File,
    child: Child,
    parser: Parser,
    /// What came since the last key.
    heard: Vec<u8>,
}

impl Terminal {
    /// Starts the program.
    pub(super) fn start(mut command: Command) -> Result<Self> {
        let (ours, theirs) = open().context("cannot open a terminal")?;
        let child = command
            .stdin(Stdio::from(theirs.try_clone()?))
            .stdout(Stdio::from(theirs.try_clone()?))
            .stderr(Stdio::from(theirs))
            .spawn()
            .context("cannot start the program")?;
        // The command would keep the other end open after the program has ended.
        drop(command);
        Ok(Self {
            ours,
            child,
            parser: blank(),
            heard: Vec::new(),
        })
    }

    /// Presses keys.
    pub(super) fn press(&mut self, keys: &str) -> Result<()> {
        self.ours
            .write_all(keys.as_bytes())
            .context("cannot type into the terminal")
    }

    /// The line on which the cursor stands, up to the cursor.
    pub(super) fn line(&self) -> String {
        before_cursor(self.parser.screen())
    }

    /// Waits for what is wanted; everything that came until then.
    pub(super) fn until(&mut self, wanted: &Wanted) -> Result<Vec<u8>> {
        let end = Instant::now() + PATIENCE;
        loop {
            if is_whole(&self.heard)
                && contains(&self.heard, wanted.said)
                && self.line() == wanted.line
            {
                return Ok(std::mem::take(&mut self.heard));
            }
            ensure!(
                Instant::now() < end,
                "after {} s: {}",
                PATIENCE.as_secs(),
                self.missing(wanted)
            );
            if self.look()? == Heard::End {
                bail!("the program ended: {}", self.missing(wanted));
            }
        }
    }

    fn missing(&self, Wanted { said, line }: &Wanted) -> String {
        let screen = text(self.parser.screen());
        format!("no {said:?} and then {line:?} on the screen:\n{screen}")
    }

    /// Waits until the program is over; everything that came until then.
    pub(super) fn end(mut self) -> Result<Vec<u8>> {
        let end = Instant::now() + PATIENCE;
        while self.look()? != Heard::End {
            ensure!(
                Instant::now() < end,
                "the program does not end; its screen:\n{}",
                text(self.parser.screen())
            );
        }
        let status = self.exit(end)?;
        ensure!(
            status.success(),
            "the program ended with {status}; its screen:\n{}",
            text(self.parser.screen())
        );
        Ok(std::mem::take(&mut self.heard))
    }

    /// It has closed the terminal and may need a moment more.
    fn exit(&mut self, end: Instant) -> Result<ExitStatus> {
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            ensure!(Instant::now() < end, "the program does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Takes in what is shown, if anything is.
    fn look(&mut self) -> Result<Heard> {
        let mut ready = [PollFd::new(&self.ours, PollFlags::IN)];
        let a_moment = Timespec {
            tv_sec: 0,
            tv_nsec: 50_000_000,
        };
        if poll(&mut ready, Some(&a_moment))? == 0 {
            return Ok(Heard::Nothing);
        }
        let mut bytes = [0; 4096];
        // A terminal ends with an error once the program has closed it.
        let count = self.ours.read(&mut bytes).unwrap_or_default();
        let new = bytes.get(..count).unwrap_or_default();
        if new.is_empty() {
            return Ok(Heard::End);
        }
        self.parser.process(new);
        self.heard.extend_from_slice(new);
        Ok(Heard::Something)
    }
}

/// Nothing is left of a recording that failed.
impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The result of looking at the terminal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Heard {
    Something,
    Nothing,
    End,
}

/// A terminal: our end, and the program's.
fn open() -> Result<(File, OwnedFd)> {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let size = Winsize {
        ws_row: ROWS,
        ws_col: COLUMNS,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&ours, size)?;
    let path = ptsname(&ours, Vec::new())?;
    let theirs = rustix::fs::open(path, OFlags::RDWR | OFlags::NOCTTY, Mode::empty())?;
    Ok((File::from(ours), theirs))
}

/// Whether no line is half drawn: the editor says where a change begins and where it ends.
fn is_whole(heard: &[u8]) -> bool {
    let text = String::from_utf8_lossy(heard);
    text.rfind("\u{1b}[?2026h") <= text.rfind("\u{1b}[?2026l")
}

fn contains(heard: &[u8], text: &str) -> bool {
    String::from_utf8_lossy(heard).contains(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Terminal {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Terminal::start(command).unwrap()
    }

    #[test]
    fn a_program_is_typed_at() {
        let mut terminal = shell("printf 'name: '; read name; echo hello, $name");
        let wanted = Wanted {
            said: "name",
            line: "name: ".to_owned(),
        };
        terminal.until(&wanted).unwrap();
        terminal.press("Ada\n").unwrap();
        let said = terminal.end().unwrap();
        assert_eq!(String::from_utf8(said).unwrap(), "Ada\r\nhello, Ada\r\n");
    }

    #[test]
    fn whoever_waits_for_nothing_is_shown_the_screen() {
        let mut terminal = shell("echo something else");
        let wanted = Wanted {
            said: "this",
            line: String::new(),
        };
        assert_eq!(
            terminal.until(&wanted).unwrap_err().to_string(),
            "the program ended: no \"this\" and then \"\" on the screen:\nsomething else"
        );
        let error = shell("echo oh; exit 3").end().unwrap_err();
        assert_eq!(
            error.to_string(),
            "the program ended with exit status: 3; its screen:\noh"
        );
    }

    #[test]
    fn half_a_line_is_not_enough() {
        assert!(is_whole(b""));
        assert!(is_whole(b"a\x1b[?2026h> b\x1b[?2026l"));
        assert!(!is_whole(b"\x1b[?2026l\x1b[?2026h> b"));
        assert!(!is_whole(b"\x1b[?2026h"));
    }
}
