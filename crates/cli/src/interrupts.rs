//! Ctrl-C and the signals that stop a program: one listener for the process, made before the work that it may interrupt.
//!
//! A listener that is made where it is awaited misses what arrives before, between two rounds of a loop and after. Here one
//! thread counts signals for good, and an [`Interrupts`] has a place in that count.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tokio::sync::watch;

use crate::error::{CommandError, Context, Result};

/// Signals since the process listens.
#[derive(Clone, Copy, Debug, Default)]
struct Received {
    interrupts: u64,
    stops: u64,
}

/// How many [`Interrupts`] exist. Without one, a signal does what the system would do.
static IN_CHARGE: AtomicUsize = AtomicUsize::new(0);

/// The signals from the moment at which this was made. Its owner decides what they do.
#[derive(Debug)]
pub(crate) struct Interrupts {
    received: watch::Receiver<Received>,
    seen: Received,
}

impl Interrupts {
    /// Listens from now on.
    pub(crate) fn listen() -> Result<Self> {
        static LISTENER: OnceLock<io::Result<watch::Sender<Received>>> = OnceLock::new();
        // Before anything is counted for this: what arrives from here on is new.
        let counted = LISTENER.get().and_then(|listener| listener.as_ref().ok());
        let seen = counted.map_or_else(Received::default, |sender| *sender.borrow());
        // First: a signal that arrives in between is counted instead of ending the process.
        IN_CHARGE.fetch_add(1, Ordering::SeqCst);
        match LISTENER.get_or_init(start) {
            Ok(sender) => Ok(Self {
                received: sender.subscribe(),
                seen,
            }),
            Err(error) => {
                IN_CHARGE.fetch_sub(1, Ordering::SeqCst);
                Err(io::Error::from(error.kind())).context("cannot listen for signals")
            }
        }
    }

    /// Waits for the next Ctrl-C. It is counted when this is done: a future that is dropped before loses nothing.
    pub(crate) async fn interrupted(&mut self) {
        let seen = self.seen.interrupts;
        self.until(|received| received.interrupts > seen).await;
        self.seen.interrupts += 1;
    }

    /// Waits for the next SIGTERM or SIGHUP.
    pub(crate) async fn stopped(&mut self) {
        let seen = self.seen.stops;
        self.until(|received| received.stops > seen).await;
        self.seen.stops += 1;
    }

    /// Waits for the next of either.
    pub(crate) async fn either(&mut self) {
        let mut other = self.clone();
        tokio::select! {
            () = self.interrupted() => {}
            () = other.stopped() => self.seen.stops = other.seen.stops,
        }
    }

    /// The output of `work`, unless Ctrl-C arrives before or meanwhile.
    pub(crate) async fn unless<T>(&mut self, work: impl Future<Output = T>) -> Result<T> {
        tokio::select! {
            biased;
            () = self.interrupted() => Err(CommandError::interrupted()),
            done = work => Ok(done),
        }
    }

    /// Ignores what arrived up to now: only later signals count.
    pub(crate) fn forget(&mut self) {
        self.seen.interrupts = self.received.borrow().interrupts;
    }

    async fn until(&mut self, arrived: impl FnMut(&Received) -> bool) {
        if self.received.wait_for(arrived).await.is_err() {
            // Nothing listens any more, so nothing arrives.
            std::future::pending::<()>().await;
        }
    }
}

impl Clone for Interrupts {
    fn clone(&self) -> Self {
        IN_CHARGE.fetch_add(1, Ordering::SeqCst);
        Self {
            received: self.received.clone(),
            seen: self.seen,
        }
    }
}

impl Drop for Interrupts {
    fn drop(&mut self) {
        IN_CHARGE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A signal that the listener knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Interrupt,
    #[cfg(unix)]
    Terminate,
    #[cfg(unix)]
    Hangup,
}

impl Kind {
    /// The exit code of a program that the signal ends.
    fn exit_code(self) -> i32 {
        match self {
            Self::Interrupt => 130,
            #[cfg(unix)]
            Self::Terminate => 143,
            #[cfg(unix)]
            Self::Hangup => 129,
        }
    }
}

/// Starts the thread that counts. When this returns, no signal ends the process any more but through it.
fn start() -> io::Result<watch::Sender<Received>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let guard = runtime.enter();
    let mut signals = Signals::register()?;
    drop(guard);
    let sender = watch::Sender::new(Received::default());
    let counting = sender.clone();
    let count = move || {
        runtime.block_on(async move {
            loop {
                let kind = signals.next().await;
                if IN_CHARGE.load(Ordering::SeqCst) == 0 {
                    std::process::exit(kind.exit_code());
                }
                counting.send_modify(|received| match kind {
                    Kind::Interrupt => received.interrupts += 1,
                    #[cfg(unix)]
                    Kind::Terminate | Kind::Hangup => received.stops += 1,
                });
            }
        });
    };
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(count)?;
    Ok(sender)
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    fn register() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        // `nohup` keeps a program running after its terminal closes.
        let hangup = !is_hangup_ignored();
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: hangup.then(|| signal(SignalKind::hangup())).transpose()?,
        })
    }

    async fn next(&mut self) -> Kind {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => {
                    hangup.recv().await;
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => Kind::Interrupt,
            _ = self.terminate.recv() => Kind::Terminate,
            () = hangup => Kind::Hangup,
        }
    }
}

/// Whether SIGHUP is ignored, as under `nohup`; also if that cannot be determined.
#[cfg(unix)]
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_none_or(|mask| mask & 1 == 1)
}

#[cfg(not(unix))]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(not(unix))]
impl Signals {
    fn register() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    async fn next(&mut self) -> Kind {
        self.0.recv().await;
        Kind::Interrupt
    }
}
