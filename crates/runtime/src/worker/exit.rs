//! How a worker exited.

use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError};

use prowess_sdk::limit_of;
use tokio::io::AsyncReadExt;
use tokio::process::ChildStderr;

use crate::limits::STDERR_BYTES;

/// How a worker exited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WorkerExit {
    pub(super) reason: String,
    /// Whether it exited unexpectedly, without reaching a limit.
    pub(super) crashed: bool,
}

/// Describes the exit of a worker.
pub(super) fn describe_exit(
    verdict: Option<String>,
    status: Option<ExitStatus>,
    last_output: &str,
) -> WorkerExit {
    if let Some(reason) = verdict {
        return WorkerExit {
            reason,
            crashed: false,
        };
    }
    if let Some(limit) = limit_of(last_output, status.and_then(signal)) {
        return WorkerExit {
            reason: format!("stopped: it reached {limit}"),
            crashed: false,
        };
    }
    let how = match status {
        Some(status) => format!("the worker exited ({status})"),
        None => "the worker exited".to_owned(),
    };
    let last = last_output
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty());
    WorkerExit {
        reason: match last {
            Some(line) => format!("{how}: {}", shortened(line)),
            None => how,
        },
        crashed: true,
    }
}

fn shortened(line: &str) -> String {
    line.trim().chars().take(300).collect()
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}

/// Stores the end of the standard error.
pub(super) async fn keep_tail(mut stderr: ChildStderr, kept: Arc<Mutex<Vec<u8>>>) {
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(buffer.get(..read).unwrap_or_default());
        let excess = kept.len().saturating_sub(STDERR_BYTES);
        kept.drain(..excess);
    }
}
