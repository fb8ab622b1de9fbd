//! Reads the messages of a worker: responses, and calls to the host.

use std::sync::Arc;

use prowess_net::{Line, LineReader};
use prowess_sdk::wire::{HostCall, MAX_LINE, Message};
use serde_json::Value;
use tokio::process::ChildStdout;
use tokio::task::JoinSet;

use super::connection::{CallError, WorkerConnection};
use crate::limits::{CALL_BYTES, CALLS_AT_ONCE, STRAY_BYTES};

/// Reads messages until the output ends; returns why the worker must be stopped.
pub(super) async fn listen(
    connection: &Arc<WorkerConnection>,
    stdout: ChildStdout,
) -> Option<String> {
    let mut lines = LineReader::new(stdout, MAX_LINE);
    let mut stray = 0;
    // Dropped with this function: calls of an exited worker are useless.
    let mut asked = HostCalls::default();
    loop {
        // A worker that does not read its responses has to wait, so that they do not fill the memory.
        asked.make_room().await;
        let line = match lines.next().await {
            None => return None,
            Some(Line::TooLong) => {
                return Some(format!("stopped: line of more than {MAX_LINE} bytes"));
            }
            Some(Line::Whole(line)) => line,
        };
        let expected = match serde_json::from_slice::<Message>(&line) {
            Ok(message) => handle(connection, message, line.len(), &mut asked),
            Err(error) if line.trim_ascii_start().starts_with(b"{") => {
                return Some(format!("stopped: malformed message: {error}"));
            }
            Err(_) => false,
        };
        if !expected {
            stray += line.len() + 1;
            if stray > STRAY_BYTES {
                return Some(format!(
                    "stopped: more than {STRAY_BYTES} bytes of output besides messages"
                ));
            }
        }
        lines.reuse(line);
    }
}

/// Calls of a worker whose responses are not written yet.
#[derive(Default)]
struct HostCalls {
    /// Each returns the length of its request.
    tasks: JoinSet<usize>,
    bytes: usize,
}

impl HostCalls {
    /// Waits until another call is allowed.
    async fn make_room(&mut self) {
        loop {
            while let Some(done) = self.tasks.try_join_next() {
                self.bytes = self.bytes.saturating_sub(done.unwrap_or_default());
            }
            if self.tasks.is_empty() {
                self.bytes = 0;
            }
            if self.tasks.len() < CALLS_AT_ONCE && self.bytes < CALL_BYTES {
                return;
            }
            if let Some(done) = self.tasks.join_next().await {
                self.bytes = self.bytes.saturating_sub(done.unwrap_or_default());
            }
        }
    }
}

/// Handles a message; returns whether it was expected.
fn handle(
    connection: &Arc<WorkerConnection>,
    message: Message,
    bytes: usize,
    asked: &mut HostCalls,
) -> bool {
    let Some(method) = message.method else {
        let id = message.id.as_ref().and_then(Value::as_u64);
        let waiting = id.and_then(|id| connection.lock().waiting.remove(&id));
        let Some(waiting) = waiting else {
            // A late response.
            return false;
        };
        let answer = match message.error {
            Some(failure) => Err(failure),
            None => Ok(message.result.unwrap_or_default()),
        };
        let _ = waiting.answer.send(answer);
        return true;
    };
    let Some(id) = message.id else {
        // A notification gets no response.
        return false;
    };
    let depth = connection.depth();
    let connection = Arc::clone(connection);
    let call = HostCall::parse(&method, message.params);
    // A log call does not stop the clock of the worker.
    let waits = !matches!(call, Ok(HostCall::Log { .. }));
    if waits {
        connection.clock.begin();
    }
    asked.bytes += bytes;
    asked.tasks.spawn(async move {
        let outcome = match call {
            Ok(call) => connection.host.call(call, depth).await,
            Err(failure) => Err(failure),
        };
        if waits {
            connection.clock.end();
        }
        let answer = Message::answer(id.clone(), outcome);
        if let Err(CallError::Failed(failure)) = connection.write(&answer).await {
            let _ = connection.write(&Message::answer(id, Err(failure))).await;
        }
        bytes
    });
    true
}
