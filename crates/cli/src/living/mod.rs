//! Skills with code, as every command that runs some gets them.

mod approve;
mod auditors;
mod explicit;
mod jails;
mod open;
mod store;
mod tell;

pub(crate) use approve::Terminal;
pub(crate) use auditors::auditors;
pub(crate) use explicit::id_of;
pub(crate) use jails::{launcher, scripts_unattended};
pub(crate) use open::{Company, Living, Prepared, open, prepare};
pub(crate) use store::open as open_store;

use std::time::Duration;

use anyhow::{Context, Result};

/// How long what still runs may take to end.
const ENDING: Duration = Duration::from_millis(500);

/// Runs a future to its end; Ctrl-C ends it early, and whatever it started with it.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    with_threads(async {
        tokio::select! {
            done = work => done,
            _ = tokio::signal::ctrl_c() => Err(Interrupted.into()),
        }
    })
}

/// Runs a future to its end, which is its own to say.
pub(crate) fn with_threads<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start threads")?;
    let done = runtime.block_on(work);
    // Programs that run for a skill end with what waits for them. Whoever still reads from a terminal is not waited for.
    runtime.shutdown_timeout(ENDING);
    done
}

/// Somebody pressed Ctrl-C.
#[derive(Debug)]
struct Interrupted;

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Interrupted {}
