//! Code skills for the commands that run them.

mod approve;
mod approve_write;
mod arguments;
mod auditors;
mod event_lines;
mod explicit;
mod jails;
mod named_path;
mod open;
mod over;
mod over_path;
mod store;

pub(crate) use approve::{TerminalApprover, approval_text, command_text, meaning, skill_details};
pub(crate) use approve_write::write_text;
pub(crate) use arguments::CodeSkillArguments;
pub(crate) use auditors::auditors;
pub(crate) use explicit::id_of;
pub(crate) use jails::{base_rules, launcher, parsers, prepare_rules, scripts_unattended};
pub(crate) use named_path::{is_skill, split_path};
pub(crate) use open::{
    HostServices, OpenedRuntime, ResolvedSkills, open, open_path, project_files, resolve,
};
pub(crate) use over::{resolve_over, runtime_over};
pub(crate) use over_path::{PathOrigin, TestBench, resolve_path};
pub(crate) use store::{
    StoreNeed, backend as store_backend, directory as store_directory, exists as store_exists,
    open as open_store, open_existing as open_existing_store, open_to_read as open_store_to_read,
    open_to_serve as open_store_to_serve,
};

use std::time::Duration;

use prowess_runtime::{ActivationError, NamedFilesError, ScriptError};
use tokio::runtime::Runtime;

use crate::error::{CommandError, Context, Result, message_of};
use crate::interrupts::Interrupts;
use crate::unsaved;

/// Time for running tasks to finish at shutdown.
const SHUTDOWN_TIME: Duration = Duration::from_millis(500);

/// Returns the hint for a skill that needs approval.
pub(crate) fn approval_hint(name: &str) -> String {
    format!("run it in a terminal to approve it, or add `--approve-skills {name}` if you trust it")
}

/// Runs a future on a new async runtime; Ctrl-C cancels it.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let interrupts = Interrupts::listen()?;
    block_on_runtime(runtime()?, interrupts, work)
}

/// The same on a runtime that has started work before.
pub(crate) fn block_on_runtime<T>(
    runtime: Runtime,
    interrupts: Interrupts,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let mut interrupted = interrupts.clone();
    with_threads_of(runtime, interrupts, async {
        tokio::select! {
            biased;
            () = interrupted.interrupted() => Err(CommandError::interrupted()),
            done = work => done,
        }
    })
}

/// A new async runtime. Signals end the process as usual until [`Interrupts::listen`] is called.
pub(crate) fn runtime() -> Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start the async runtime")
}

/// Runs a future that handles Ctrl-C itself; SIGTERM and SIGHUP cancel it.
pub(crate) fn with_threads<T, F>(work: impl FnOnce(Interrupts) -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    let interrupts = Interrupts::listen()?;
    with_threads_of(runtime()?, interrupts.clone(), work(interrupts))
}

fn with_threads_of<T>(
    runtime: Runtime,
    mut interrupts: Interrupts,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    runtime.spawn(exit_when_stopped(interrupts.clone()));
    let done = runtime.block_on(async {
        tokio::select! {
            biased;
            () = interrupts.stopped() => Err(CommandError::interrupted()),
            done = work => done,
        }
    });
    // Dropped futures end the programs of skills. A blocking read from the terminal is not awaited.
    runtime.shutdown_timeout(SHUTDOWN_TIME);
    done
}

/// Exits after SIGTERM or SIGHUP if the program does not end by itself, as during a blocking read.
async fn exit_when_stopped(mut interrupts: Interrupts) {
    interrupts.stopped().await;
    tokio::time::sleep(SHUTDOWN_TIME * 2).await;
    unsaved::write_all();
    std::process::exit(1);
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
