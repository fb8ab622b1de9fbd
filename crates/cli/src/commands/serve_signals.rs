//! When `serve` should stop.

use crate::error::Result;

/// The signals that ask the program to stop. Listens from the start on, so that a client can stop the server as soon as
/// it is ready.
#[cfg(unix)]
pub(super) struct StopSignals {
    interrupted: tokio::signal::unix::Signal,
    terminated: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl StopSignals {
    pub(super) fn listen() -> Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        use crate::error::Context as _;
        let listen = |kind| signal(kind).context("cannot listen for signals");
        Ok(Self {
            interrupted: listen(SignalKind::interrupt())?,
            terminated: listen(SignalKind::terminate())?,
        })
    }

    /// Waits for the next one.
    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupted.recv() => {}
            _ = self.terminated.recv() => {}
        }
    }
}

#[cfg(not(unix))]
pub(super) struct StopSignals;

#[cfg(not(unix))]
impl StopSignals {
    pub(super) fn listen() -> Result<Self> {
        Ok(Self)
    }

    pub(super) async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
