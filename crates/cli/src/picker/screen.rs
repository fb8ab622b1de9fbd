//! The terminal of a picker: the whole screen, each key at once, and everything as before afterwards.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

use super::keys::{Input, take_keys};
use super::model::{Picker, Step};
use super::signals::{Notice, Signals};
use super::view;
use crate::error::{CommandError, Context, Result};

/// Another screen, no cursor, and lines that end at the margin.
const ENTER: &str = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l";
const LEAVE: &str = "\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l";
/// What is between them is shown at once.
const BEGIN_FRAME: &str = "\u{1b}[?2026h";
const END_FRAME: &str = "\u{1b}[?2026l";
/// How long the rest of a key may take: Esc is also the start of other keys.
const REST_OF_KEY: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 50_000_000,
};

/// The modes to go back to, while a picker is open.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// Runs a picker until the user accepts or cancels.
pub(super) fn run(mut picker: Picker<'_>) -> Result<Option<Vec<usize>>> {
    let signals = Signals::listen(|| before().is_some())?;
    let _screen = Screen::enter()?;
    let mut bytes = Vec::new();
    loop {
        let size = terminal_size::terminal_size_of(io::stderr());
        let (columns, rows) = size.map_or((80, 24), |(columns, rows)| (columns.0, rows.0));
        picker.resize(columns.into(), rows.into());
        draw(&picker).context("cannot write to the terminal")?;
        let input = match wait(signals, &mut bytes).context("cannot read from the terminal")? {
            Event::Keys => Input::Pending,
            Event::Silence => Input::Complete,
            Event::Resize => continue,
            Event::Stop => return Err(CommandError::interrupted()),
        };
        for key in take_keys(&mut bytes, input) {
            match picker.press(key) {
                Step::Continue => {}
                Step::Accept(chosen) => return Ok(Some(chosen)),
                Step::Cancel => return Ok(None),
            }
        }
    }
}

enum Event {
    Keys,
    /// The rest of a key did not come.
    Silence,
    Resize,
    /// A signal, or the terminal is gone.
    Stop,
}

/// Waits for keys, which are appended, or a signal.
fn wait(signals: &Signals, bytes: &mut Vec<u8>) -> io::Result<Event> {
    let stdin = io::stdin();
    loop {
        let mut sources = [
            PollFd::new(&stdin, PollFlags::IN),
            PollFd::new(&signals.pipe, PollFlags::IN),
        ];
        let patience = (!bytes.is_empty()).then_some(&REST_OF_KEY);
        match poll(&mut sources, patience) {
            Ok(0) => return Ok(Event::Silence),
            Err(Errno::INTR) => continue,
            other => other?,
        };
        let [keyboard, pipe] = sources.map(|source| source.revents());
        if pipe.contains(PollFlags::IN) {
            return Ok(match signals.next()? {
                Notice::Resize => Event::Resize,
                Notice::Stop => Event::Stop,
            });
        }
        if keyboard.is_empty() {
            continue;
        }
        let mut buffer = [0; 1_024];
        match rustix::io::read(&stdin, &mut buffer) {
            Ok(0) | Err(Errno::IO) => return Ok(Event::Stop),
            Ok(count) => {
                bytes.extend(buffer.iter().take(count));
                return Ok(Event::Keys);
            }
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn draw(picker: &Picker<'_>) -> io::Result<()> {
    let mut frame = BEGIN_FRAME.to_owned();
    for (row, line) in view::lines(picker).iter().enumerate() {
        let _ = write!(frame, "\u{1b}[{};1H\u{1b}[2K{line}", row + 1);
    }
    frame.push_str(END_FRAME);
    let mut out = io::stderr().lock();
    out.write_all(frame.as_bytes())?;
    out.flush()
}

/// The screen of a picker; the terminal is as before when it is dropped, or when something panics.
pub(super) struct Screen;

impl Screen {
    pub(super) fn enter() -> Result<Self> {
        static HOOK: Once = Once::new();
        // The message of a panic is written before anything is dropped, and would be lost with this screen.
        HOOK.call_once(|| {
            let others = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                restore();
                others(panic);
            }));
        });
        let modes = tcgetattr(io::stdin()).map_err(io::Error::from);
        let modes = modes.context("cannot read from the terminal")?;
        let mut raw = modes.clone();
        raw.make_raw();
        *before() = Some(modes);
        // From here on it is undone.
        let screen = Self;
        let entered = tcsetattr(io::stdin(), OptionalActions::Now, &raw).map_err(io::Error::from);
        entered.context("cannot use the terminal")?;
        let mut out = io::stderr().lock();
        let written = out.write_all(ENTER.as_bytes()).and_then(|()| out.flush());
        written.context("cannot write to the terminal")?;
        Ok(screen)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

fn before() -> MutexGuard<'static, Option<Termios>> {
    BEFORE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Undoes what `enter` did, once.
fn restore() {
    let Some(modes) = before().take() else {
        return;
    };
    // A terminal that is gone needs nothing.
    let mut out = io::stderr().lock();
    let _ = out.write_all(LEAVE.as_bytes());
    let _ = out.flush();
    let _ = tcsetattr(io::stdin(), OptionalActions::Drain, &modes);
}
