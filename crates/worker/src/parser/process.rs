//! One process that parses, as its host sees it.

use std::io::{self, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use prowess_sandbox::Launcher;
use prowess_syntax::wire::{WireError, encode_request, read_answer};
use prowess_syntax::{LostParser, Parse, ParseRequest};
use rustix::process::Signal;

/// What holds a parser that a stranger's bytes have taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParserJail {
    /// It can open no file, program or connection, and its memory and time are bounded.
    LockedDown,
    /// Its memory and time are bounded: the system offers nothing more.
    BoundedOnly,
}

impl ParserJail {
    /// The first byte that a parser writes.
    pub(super) fn code(self) -> u8 {
        match self {
            Self::LockedDown => 1,
            Self::BoundedOnly => 2,
        }
    }

    /// Its name in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LockedDown => "locked-down",
            Self::BoundedOnly => "bounded-only",
        }
    }

    fn of(code: u8) -> Option<Self> {
        [Self::LockedDown, Self::BoundedOnly]
            .into_iter()
            .find(|jail| jail.code() == code)
    }
}

/// A running parser. It ends with this value.
pub(super) struct ParserProcess {
    child: Child,
    stream: UnixStream,
    jail: ParserJail,
    /// Longest wait for an answer.
    patience: Duration,
}

impl ParserProcess {
    /// Starts a parser and waits until it is shut in.
    pub(super) fn start(launcher: &Launcher, patience: Duration) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        let output = theirs.try_clone()?;
        let child = Command::new(&launcher.program)
            .args(&launcher.arguments)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::from(OwnedFd::from(output)))
            .stderr(Stdio::null())
            // Ctrl-C at a terminal is for us; what we do then ends it.
            .process_group(0)
            .spawn()?;
        let mut process = Self {
            child,
            stream: ours,
            jail: ParserJail::BoundedOnly,
            patience,
        };
        let mut code = [0];
        process.until_late().read_exact(&mut code)?;
        process.jail = ParserJail::of(u8::from_le_bytes(code))
            .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
        Ok(process)
    }

    pub(super) fn jail(&self) -> ParserJail {
        self.jail
    }

    /// The tree of a program. After a loss there are no more answers.
    pub(super) fn parse(&mut self, request: &ParseRequest<'_>) -> Parse {
        let mut stream = self.until_late();
        let answer = stream
            .write_all(&encode_request(request))
            .map_err(WireError::Stream)
            .and_then(|()| read_answer(&mut BufReader::new(stream), request.source));
        answer.unwrap_or_else(|error| Parse::Lost(self.why(&error)))
    }

    fn until_late(&self) -> BeforeDeadline<'_> {
        BeforeDeadline {
            stream: &self.stream,
            deadline: Instant::now() + self.patience,
        }
    }

    /// Why there is no answer. Ends the process.
    fn why(&mut self, error: &WireError) -> LostParser {
        let late = matches!(error, WireError::Stream(error) if is_late(error));
        self.end();
        let status = self.child.wait().ok().and_then(|status| status.signal());
        if late || status == Some(Signal::XCPU.as_raw()) {
            LostParser::TimedOut
        } else {
            LostParser::Crashed
        }
    }

    fn end(&mut self) {
        // It has ended already, or it does now.
        let _ = self.child.kill();
    }
}

impl Drop for ParserProcess {
    fn drop(&mut self) {
        self.end();
        // Without this it would stay as a zombie.
        let _ = self.child.wait();
    }
}

fn is_late(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

/// A stream that fails when it is too late, however slowly the other end goes on.
struct BeforeDeadline<'s> {
    stream: &'s UnixStream,
    deadline: Instant,
}

impl BeforeDeadline<'_> {
    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            Err(io::ErrorKind::TimedOut.into())
        } else {
            Ok(Some(left))
        }
    }
}

impl Read for BeforeDeadline<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(buffer)
    }
}

impl Write for BeforeDeadline<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
