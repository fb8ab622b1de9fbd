//! The connection to a worker: its input, and the calls that wait for a response.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use prowess_sdk::wire::{Failure, MAX_LINE, code};
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::sync::{Notify, oneshot};

use super::clock::Clock;
use super::exit::WorkerExit;
use crate::host::SkillHost;

/// The connection to a worker.
pub(super) struct WorkerConnection {
    pub(super) stdin: tokio::sync::Mutex<Option<ChildStdin>>,
    pub(super) pending: Mutex<Pending>,
    pub(super) stop: Notify,
    pub(super) stopped: Notify,
    pub(super) clock: Clock,
    pub(super) host: Arc<SkillHost>,
}

#[derive(Default)]
pub(super) struct Pending {
    pub(super) waiting: HashMap<u64, PendingCall>,
    pub(super) ended: Option<WorkerExit>,
    /// Why the host stops it.
    pub(super) verdict: Option<String>,
}

/// A call that waits for its response.
pub(super) struct PendingCall {
    pub(super) answer: oneshot::Sender<Result<Value, Failure>>,
    pub(super) depth: usize,
}

/// Why a call has no response.
pub(super) enum CallError {
    Failed(Failure),
    TimedOut,
    Exited(WorkerExit),
}

impl WorkerConnection {
    pub(super) fn lock(&self) -> std::sync::MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) async fn write(&self, message: &impl serde::Serialize) -> Result<(), CallError> {
        let failed = |message: String| {
            CallError::Failed(Failure {
                code: code::LIMIT,
                message,
            })
        };
        let mut line = serde_json::to_vec(message).map_err(|error| failed(error.to_string()))?;
        if line.len() > MAX_LINE {
            let size = line.len();
            return Err(failed(format!(
                "message too large: {size} bytes, at most {MAX_LINE}"
            )));
        }
        line.push(b'\n');
        let mut stdin = self.stdin.lock().await;
        let written = match stdin.as_mut() {
            Some(stdin) => stdin.write_all(&line).await,
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        // After a failure the reader sees the exit and fails the pending calls.
        drop(written);
        Ok(())
    }

    /// The largest depth among the pending calls.
    pub(super) fn depth(&self) -> usize {
        let deepest = self.lock().waiting.values().map(|one| one.depth).max();
        deepest.unwrap_or_default()
    }
}
