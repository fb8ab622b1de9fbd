//! Signals while a picker is open.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

use crate::error::{Context, Result};

/// Time for a picker to end.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether a picker ended because of a signal: then the command ends too.
static IS_HEARD: AtomicBool = AtomicBool::new(false);

/// Something that a picker has to react to.
pub(super) enum Notice {
    Resize,
    Stop,
}

/// Notices, as a pipe that can be waited for together with the keyboard.
pub(super) struct Signals {
    pub(super) pipe: PipeReader,
}

impl Signals {
    /// Listens from now on. A signal that has been listened to is never again handled by the system, so the thread
    /// stays: without an open picker it does what the system would.
    pub(super) fn listen(is_open: fn() -> bool) -> Result<&'static Self> {
        static SIGNALS: OnceLock<io::Result<Signals>> = OnceLock::new();
        let signals = SIGNALS.get_or_init(|| {
            let (pipe, writer) = io::pipe()?;
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            // Before the thread starts: from here on no signal ends the process.
            let guard = runtime.enter();
            let mut listeners = Vec::new();
            for kind in [
                SignalKind::interrupt(),
                SignalKind::terminate(),
                SignalKind::hangup(),
                SignalKind::window_change(),
            ] {
                listeners.push((kind, signal(kind)?));
            }
            drop(guard);
            thread::spawn(move || runtime.block_on(forward(listeners, writer, is_open)));
            Ok(Self { pipe })
        });
        match signals {
            Ok(signals) => Ok(signals),
            Err(error) => Err(io::Error::from(error.kind())).context("cannot listen for signals"),
        }
    }

    /// The next notice, once the pipe is readable.
    pub(super) fn next(&self) -> io::Result<Notice> {
        let mut byte = [0];
        (&self.pipe).read_exact(&mut byte)?;
        if byte == [0] {
            return Ok(Notice::Resize);
        }
        IS_HEARD.store(true, Ordering::SeqCst);
        Ok(Notice::Stop)
    }
}

async fn forward(
    listeners: Vec<(SignalKind, tokio::signal::unix::Signal)>,
    writer: PipeWriter,
    is_open: fn() -> bool,
) {
    let mut tasks = tokio::task::JoinSet::new();
    for (kind, mut listener) in listeners {
        let Ok(mut writer) = writer.try_clone() else {
            return;
        };
        tasks.spawn(async move {
            while listener.recv().await.is_some() {
                let is_resize = kind == SignalKind::window_change();
                if is_open() {
                    let _ = writer.write_all(&[u8::from(!is_resize)]);
                }
                if is_resize {
                    continue;
                }
                if is_open() {
                    tokio::time::sleep(PATIENCE).await;
                }
                if !IS_HEARD.swap(false, Ordering::SeqCst) {
                    std::process::exit(128 + kind.as_raw_value());
                }
            }
        });
    }
    while tasks.join_next().await.is_some() {}
}
