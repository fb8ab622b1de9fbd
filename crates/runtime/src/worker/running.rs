//! A running worker.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use prowess_sdk::wire::{Asked, Request, Version};
use serde_json::Value;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::oneshot::error::TryRecvError;
use tokio::sync::{Notify, oneshot};

use super::clock::Clock;
use super::connection::{CallError, PendingCall, WorkerConnection};
use super::exit::{WorkerExit, describe_exit, keep_tail};
use super::messages::listen;
use crate::host::SkillHost;
use crate::process::{ProcessHandle, WorkerProcess};

/// Time for an exiting worker to write its last output.
const EXIT_TIME: Duration = Duration::from_millis(200);

/// Time of polling for a response before waiting for it.
const POLL_TIME: Duration = Duration::from_micros(60);

/// A running worker. Dropping it stops the process.
pub(super) struct RunningWorker {
    connection: Arc<WorkerConnection>,
    next: AtomicU64,
}

impl RunningWorker {
    pub(super) fn new(spawned: WorkerProcess, host: Arc<SkillHost>) -> io::Result<Self> {
        let connection = Arc::new(WorkerConnection {
            stdin: tokio::sync::Mutex::new(Some(ChildStdin::from_std(spawned.stdin)?)),
            pending: Mutex::default(),
            stop: Notify::new(),
            stopped: Notify::new(),
            clock: Clock::default(),
            host,
        });
        let stdout = ChildStdout::from_std(spawned.stdout)?;
        let stderr = ChildStderr::from_std(spawned.stderr)?;
        let watched = watch(Arc::clone(&connection), stdout, stderr, spawned.handle);
        tokio::spawn(watched);
        Ok(Self {
            connection,
            next: AtomicU64::new(1),
        })
    }

    pub(super) fn ended(&self) -> Option<WorkerExit> {
        self.connection.lock().ended.clone()
    }

    /// How it exited; waits for the exit if the host is stopping it.
    pub(super) async fn exit_after_stop(&self) -> Option<WorkerExit> {
        let stopped = self.connection.stopped.notified();
        tokio::pin!(stopped);
        stopped.as_mut().enable();
        let (ended, told) = {
            let pending = self.connection.lock();
            (pending.ended.clone(), pending.verdict.is_some())
        };
        if ended.is_none() && told {
            stopped.await;
            return self.ended();
        }
        ended
    }

    /// Sends a request and waits for the response. Time in which the worker waits for the host does not count.
    pub(super) async fn call(
        &self,
        request: &Request,
        time: Duration,
        depth: usize,
    ) -> Result<Value, CallError> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (answer, mut answered) = oneshot::channel();
        {
            let mut pending = self.connection.lock();
            if let Some(ended) = &pending.ended {
                return Err(CallError::Exited(ended.clone()));
            }
            if pending.waiting.is_empty() {
                self.connection.host.renew_log();
            }
            pending.waiting.insert(id, PendingCall { answer, depth });
        }
        // A dropped call removes its entry.
        let _remove = RemoveOnDrop {
            connection: &self.connection,
            id,
        };
        let asked = Asked {
            jsonrpc: Version::Two,
            id: id.into(),
            request,
        };
        let began = Instant::now();
        let waited_before = self.connection.clock.waited();
        let exchange = async {
            self.connection.write(&asked).await?;
            // Most responses arrive sooner than a sleeping thread wakes up.
            while began.elapsed() < POLL_TIME {
                match answered.try_recv() {
                    Ok(answer) => return answer.map_err(CallError::Failed),
                    // A receiver that reported this must not be awaited.
                    Err(TryRecvError::Closed) => return Err(CallError::Exited(self.exit())),
                    Err(TryRecvError::Empty) => tokio::task::yield_now().await,
                }
            }
            match (&mut answered).await {
                Ok(answer) => answer.map_err(CallError::Failed),
                Err(_) => Err(CallError::Exited(self.exit())),
            }
        };
        tokio::pin!(exchange);
        loop {
            let own = time + self.connection.clock.waited().saturating_sub(waited_before);
            let left = own.saturating_sub(began.elapsed());
            let left = left.max(Duration::from_millis(1));
            if let Ok(answer) = tokio::time::timeout(left, &mut exchange).await {
                return answer;
            }
            // The worker may have waited for the host meanwhile.
            let own = time + self.connection.clock.waited().saturating_sub(waited_before);
            if began.elapsed() >= own {
                return Err(CallError::TimedOut);
            }
        }
    }

    fn exit(&self) -> WorkerExit {
        self.ended().unwrap_or_else(|| WorkerExit {
            reason: "it exited".to_owned(),
            crashed: true,
        })
    }

    /// Stops the worker; pending calls fail with the reason.
    pub(super) fn stop(&self, reason: &str) {
        self.connection
            .lock()
            .verdict
            .get_or_insert_with(|| reason.to_owned());
        self.connection.stop.notify_one();
    }

    /// Closes its input, which asks it to exit, and waits for that.
    pub(super) async fn finish(&self, time: Duration) -> Result<(), ()> {
        let stopped = self.connection.stopped.notified();
        tokio::pin!(stopped);
        stopped.as_mut().enable();
        if self.ended().is_some() {
            return Ok(());
        }
        self.connection
            .lock()
            .verdict
            .get_or_insert_with(|| "it was asked to exit".to_owned());
        let close = async {
            self.connection.stdin.lock().await.take();
            stopped.as_mut().await;
        };
        if tokio::time::timeout(time, close).await.is_ok() {
            return Ok(());
        }
        self.connection.stop.notify_one();
        if self.ended().is_none() {
            stopped.await;
        }
        Err(())
    }
}

impl Drop for RunningWorker {
    fn drop(&mut self) {
        self.stop("no longer needed");
    }
}

struct RemoveOnDrop<'a> {
    connection: &'a WorkerConnection,
    id: u64,
}

impl Drop for RemoveOnDrop<'_> {
    fn drop(&mut self) {
        self.connection.lock().waiting.remove(&self.id);
    }
}

/// Reads the messages of a worker until it exits, then fails the pending calls.
async fn watch(
    connection: Arc<WorkerConnection>,
    stdout: ChildStdout,
    stderr: ChildStderr,
    mut handle: Box<dyn ProcessHandle>,
) {
    let last_output = Arc::new(Mutex::new(Vec::new()));
    let listening = tokio::spawn(keep_tail(stderr, Arc::clone(&last_output)));
    let (fault, patience) = tokio::select! {
        fault = listen(&connection, stdout) => match fault {
            // Its output ended, so it is about to exit.
            None => (None, EXIT_TIME),
            fault => (fault, Duration::ZERO),
        },
        () = connection.stop.notified() => (None, Duration::ZERO),
    };
    let status = tokio::task::spawn_blocking(move || handle.end(patience)).await;
    // A child of the worker may hold the stream open.
    let _ = tokio::time::timeout(EXIT_TIME, listening).await;
    let last_output =
        std::mem::take(&mut *last_output.lock().unwrap_or_else(PoisonError::into_inner));
    let status = status.ok().and_then(Result::ok);
    {
        let mut pending = connection.lock();
        let verdict = fault.or_else(|| pending.verdict.clone());
        let last_output = String::from_utf8_lossy(&last_output);
        pending.ended = Some(describe_exit(verdict, status, last_output.trim()));
        // Dropping the senders fails the pending calls.
        pending.waiting.clear();
    }
    connection.stdin.lock().await.take();
    connection.stopped.notify_waiters();
}
