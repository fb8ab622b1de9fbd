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

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::sync::Notify;

/// How long what still runs may take to end.
const ENDING: Duration = Duration::from_millis(500);

/// What to type where nobody was there to approve a skill.
pub(crate) fn approval_hint(name: &str) -> String {
    format!("run it in a terminal to be asked, or add `--approve-skills {name}` if you trust it")
}

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
    let told = Arc::new(Notify::new());
    runtime.spawn(end_when_told(Arc::clone(&told)));
    let done = runtime.block_on(async {
        tokio::select! {
            done = work => done,
            () = told.notified() => Err(Interrupted.into()),
        }
    });
    // Programs that run for a skill end with what waits for them. Whoever still reads from a terminal is not waited for.
    runtime.shutdown_timeout(ENDING);
    done
}

/// Waits until the system wants the program to end, and has it end: orderly, or at once if that takes too long, as it
/// does while somebody types.
#[cfg(unix)]
async fn end_when_told(told: Arc<Notify>) {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return;
    };
    // Whoever started us so that the end of the terminal is not ours gets what they want.
    let hangup = (!is_hangup_ignored()).then(|| signal(SignalKind::hangup()));
    match hangup {
        Some(Ok(mut hangup)) => tokio::select! {
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        },
        _ => {
            terminate.recv().await;
        }
    }
    told.notify_one();
    tokio::time::sleep(ENDING * 2).await;
    std::process::exit(1);
}

#[cfg(not(unix))]
async fn end_when_told(_: Arc<Notify>) {}

/// Whether SIGHUP is ignored, as `nohup` has it. What cannot be found out is taken to be so.
#[cfg(unix)]
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_none_or(|mask| mask & 1 == 1)
}

/// Somebody pressed Ctrl-C, or the system wants the program to end.
#[derive(Debug)]
struct Interrupted;

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Interrupted {}
