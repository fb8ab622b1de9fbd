//! Code skills for the commands that run them.

mod approve;
mod approve_write;
mod arguments;
mod auditors;
mod event_lines;
mod explicit;
mod jails;
mod open;
mod over;
mod over_path;
mod store;

pub(crate) use approve::{TerminalApprover, approval_text, command_text, skill_details};
pub(crate) use approve_write::write_text;
pub(crate) use arguments::CodeSkillArguments;
pub(crate) use auditors::auditors;
pub(crate) use explicit::id_of;
pub(crate) use jails::{base_rules, launcher, parsers, scripts_unattended};
pub(crate) use open::{HostServices, OpenedRuntime, ResolvedSkills, open, resolve};
pub(crate) use over::{resolve_over, runtime_over};
pub(crate) use over_path::{TestBench, resolve_path};
pub(crate) use store::{
    StoreNeed, backend as store_backend, exists as store_exists, open as open_store,
    open_existing as open_existing_store, open_to_read as open_store_to_read,
    open_to_serve as open_store_to_serve,
};

use std::sync::Arc;
use std::time::Duration;

use prowess_runtime::{ActivationError, NamedFilesError, ScriptError};
use tokio::runtime::Runtime;
use tokio::sync::Notify;

use crate::error::{CommandError, Context, Result, message_of};

/// Time for running tasks to finish at shutdown.
const SHUTDOWN_TIME: Duration = Duration::from_millis(500);

/// Returns the hint for a skill that needs approval.
pub(crate) fn approval_hint(name: &str) -> String {
    format!("run it in a terminal to approve it, or add `--approve-skills {name}` if you trust it")
}

/// Runs a future on a new async runtime; Ctrl-C cancels it.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    block_on_runtime(runtime()?, work)
}

/// The same on a runtime that has started work before.
pub(crate) fn block_on_runtime<T>(
    runtime: Runtime,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    with_threads_of(runtime, async {
        tokio::select! {
            done = work => done,
            _ = tokio::signal::ctrl_c() => Err(CommandError::interrupted()),
        }
    })
}

/// A new async runtime. Signals end the process as usual until [`block_on_runtime`] is called.
pub(crate) fn runtime() -> Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start the async runtime")
}

/// Runs a future that handles Ctrl-C itself; SIGTERM and SIGHUP cancel it.
pub(crate) fn with_threads<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    with_threads_of(runtime()?, work)
}

fn with_threads_of<T>(runtime: Runtime, work: impl Future<Output = Result<T>>) -> Result<T> {
    let stop = Arc::new(Notify::new());
    runtime.spawn(stop_on_signal(Arc::clone(&stop)));
    let done = runtime.block_on(async {
        tokio::select! {
            done = work => done,
            () = stop.notified() => Err(CommandError::interrupted()),
        }
    });
    // Dropped futures end the programs of skills. A blocking read from the terminal is not awaited.
    runtime.shutdown_timeout(SHUTDOWN_TIME);
    done
}

/// Stops the program on SIGTERM or SIGHUP: gracefully, or by exiting if that takes too long, as during a blocking read.
#[cfg(unix)]
async fn stop_on_signal(stop: Arc<Notify>) {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return;
    };
    // `nohup` keeps a program running after its terminal closes.
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
    stop.notify_one();
    tokio::time::sleep(SHUTDOWN_TIME * 2).await;
    std::process::exit(1);
}

#[cfg(not(unix))]
async fn stop_on_signal(_: Arc<Notify>) {}

/// Whether SIGHUP is ignored, as under `nohup`; also if that cannot be determined.
#[cfg(unix)]
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_none_or(|mask| mask & 1 == 1)
}

impl From<ActivationError> for CommandError {
    fn from(error: ActivationError) -> Self {
        match &error {
            ActivationError::Undecided { approval_name, .. } => {
                Self::permission(error.to_string()).hint(approval_hint(approval_name))
            }
            ActivationError::Denied { .. } => Self::permission(error.to_string()),
            _ => Self::failure(message_of(&error)),
        }
    }
}

impl From<NamedFilesError> for CommandError {
    fn from(error: NamedFilesError) -> Self {
        Self::failure(message_of(&error))
    }
}

impl From<ScriptError> for CommandError {
    fn from(error: ScriptError) -> Self {
        match &error {
            ScriptError::Off => Self::permission(error.to_string()),
            ScriptError::NotApproved(_, _, _, approval_name) => {
                Self::permission(error.to_string()).hint(approval_hint(approval_name))
            }
            _ => Self::failure(message_of(&error)),
        }
    }
}
