//! A running worker: requests, responses, and its calls to the host.

use std::collections::HashMap;
use std::io;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use prowess_net::{Line, LineReader};
use prowess_sdk::limit_of;
use prowess_sdk::wire::{Asked, Failure, HostCall, MAX_LINE, Message, Request, Version, code};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinSet;

use super::clock::Clock;
use crate::host::SkillHost;
use crate::limits::{CALL_BYTES, CALLS_AT_ONCE, STDERR_BYTES, STRAY_BYTES};
use crate::process::{ProcessHandle, WorkerProcess};

/// Time for an exiting worker to write its last output.
const EXIT_TIME: Duration = Duration::from_millis(200);

/// Time of polling for a response before waiting for it.
const POLL_TIME: Duration = Duration::from_micros(60);

/// A running worker. Dropping it stops the process.
pub(super) struct RunningWorker {
    shared: Arc<Shared>,
    next: AtomicU64,
}

struct Shared {
    stdin: tokio::sync::Mutex<Option<ChildStdin>>,
    pending: Mutex<Pending>,
    stop: Notify,
    stopped: Notify,
    clock: Clock,
    host: Arc<SkillHost>,
}

#[derive(Default)]
struct Pending {
    waiting: HashMap<u64, PendingCall>,
    ended: Option<WorkerExit>,
    /// Why the host stops it.
    verdict: Option<String>,
}

struct PendingCall {
    answer: oneshot::Sender<Result<Value, Failure>>,
    depth: usize,
}

/// How a worker exited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WorkerExit {
    pub(super) reason: String,
    /// Whether it exited unexpectedly, without reaching a limit.
    pub(super) crashed: bool,
}

/// Why a call has no response.
pub(super) enum CallError {
    Failed(Failure),
    TimedOut,
    Exited(WorkerExit),
}

impl RunningWorker {
    pub(super) fn new(spawned: WorkerProcess, host: Arc<SkillHost>) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            stdin: tokio::sync::Mutex::new(Some(ChildStdin::from_std(spawned.stdin)?)),
            pending: Mutex::default(),
            stop: Notify::new(),
            stopped: Notify::new(),
            clock: Clock::default(),
            host,
        });
        let stdout = ChildStdout::from_std(spawned.stdout)?;
        let stderr = ChildStderr::from_std(spawned.stderr)?;
        let watched = watch(Arc::clone(&shared), stdout, stderr, spawned.handle);
        tokio::spawn(watched);
        Ok(Self {
            shared,
            next: AtomicU64::new(1),
        })
    }

    pub(super) fn ended(&self) -> Option<WorkerExit> {
        self.shared.lock().ended.clone()
    }

    /// How it exited; waits for the exit if the host is stopping it.
    pub(super) async fn exit_after_stop(&self) -> Option<WorkerExit> {
        let stopped = self.shared.stopped.notified();
        tokio::pin!(stopped);
        stopped.as_mut().enable();
        let (ended, told) = {
            let pending = self.shared.lock();
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
            let mut pending = self.shared.lock();
            if let Some(ended) = &pending.ended {
                return Err(CallError::Exited(ended.clone()));
            }
            if pending.waiting.is_empty() {
                self.shared.host.renew_log();
            }
            pending.waiting.insert(id, PendingCall { answer, depth });
        }
        // A dropped call removes its entry.
        let _remove = RemoveOnDrop {
            shared: &self.shared,
            id,
        };
        let asked = Asked {
            jsonrpc: Version::Two,
            id: id.into(),
            request,
        };
        let began = Instant::now();
        let waited_before = self.shared.clock.waited();
        let exchange = async {
            self.shared.write(&asked).await?;
            // Most responses arrive sooner than a sleeping thread wakes up.
            while began.elapsed() < POLL_TIME {
                if let Ok(answer) = answered.try_recv() {
                    return answer.map_err(CallError::Failed);
                }
                tokio::task::yield_now().await;
            }
            match (&mut answered).await {
                Ok(answer) => answer.map_err(CallError::Failed),
                Err(_) => Err(CallError::Exited(self.exit())),
            }
        };
        tokio::pin!(exchange);
        loop {
            let own = time + self.shared.clock.waited().saturating_sub(waited_before);
            let left = own.saturating_sub(began.elapsed());
            let left = left.max(Duration::from_millis(1));
            if let Ok(answer) = tokio::time::timeout(left, &mut exchange).await {
                return answer;
            }
            // The worker may have waited for the host meanwhile.
            let own = time + self.shared.clock.waited().saturating_sub(waited_before);
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
        self.shared
            .lock()
            .verdict
            .get_or_insert_with(|| reason.to_owned());
        self.shared.stop.notify_one();
    }

    /// Closes its input, which asks it to exit, and waits for that.
    pub(super) async fn finish(&self, time: Duration) -> Result<(), ()> {
        let stopped = self.shared.stopped.notified();
        tokio::pin!(stopped);
        stopped.as_mut().enable();
        if self.ended().is_some() {
            return Ok(());
        }
        self.shared
            .lock()
            .verdict
            .get_or_insert_with(|| "it was asked to exit".to_owned());
        let close = async {
            self.shared.stdin.lock().await.take();
            stopped.as_mut().await;
        };
        if tokio::time::timeout(time, close).await.is_ok() {
            return Ok(());
        }
        self.shared.stop.notify_one();
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
    shared: &'a Shared,
    id: u64,
}

impl Drop for RemoveOnDrop<'_> {
    fn drop(&mut self) {
        self.shared.lock().waiting.remove(&self.id);
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn write(&self, message: &impl serde::Serialize) -> Result<(), CallError> {
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
    fn depth(&self) -> usize {
        let deepest = self.lock().waiting.values().map(|one| one.depth).max();
        deepest.unwrap_or_default()
    }
}

/// Reads the messages of a worker until it exits, then fails the pending calls.
async fn watch(
    shared: Arc<Shared>,
    stdout: ChildStdout,
    stderr: ChildStderr,
    mut handle: Box<dyn ProcessHandle>,
) {
    let last_output = Arc::new(Mutex::new(Vec::new()));
    let listening = tokio::spawn(keep_tail(stderr, Arc::clone(&last_output)));
    let (fault, patience) = tokio::select! {
        fault = listen(&shared, stdout) => match fault {
            // Its output ended, so it is about to exit.
            None => (None, EXIT_TIME),
            fault => (fault, Duration::ZERO),
        },
        () = shared.stop.notified() => (None, Duration::ZERO),
    };
    let status = tokio::task::spawn_blocking(move || handle.end(patience)).await;
    // A child of the worker may hold the stream open.
    let _ = tokio::time::timeout(EXIT_TIME, listening).await;
    let last_output =
        std::mem::take(&mut *last_output.lock().unwrap_or_else(PoisonError::into_inner));
    let status = status.ok().and_then(Result::ok);
    {
        let mut pending = shared.lock();
        let verdict = fault.or_else(|| pending.verdict.clone());
        let last_output = String::from_utf8_lossy(&last_output);
        pending.ended = Some(describe_exit(verdict, status, last_output.trim()));
        // Dropping the senders fails the pending calls.
        pending.waiting.clear();
    }
    shared.stdin.lock().await.take();
    shared.stopped.notify_waiters();
}

/// Describes the exit of a worker.
fn describe_exit(
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
async fn keep_tail(mut stderr: ChildStderr, kept: Arc<Mutex<Vec<u8>>>) {
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(buffer.get(..read).unwrap_or_default());
        let excess = kept.len().saturating_sub(STDERR_BYTES);
        kept.drain(..excess);
    }
}

/// Reads messages until the output ends; returns why the worker must be stopped.
async fn listen(shared: &Arc<Shared>, stdout: ChildStdout) -> Option<String> {
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
            Ok(message) => handle(shared, message, line.len(), &mut asked),
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
fn handle(shared: &Arc<Shared>, message: Message, bytes: usize, asked: &mut HostCalls) -> bool {
    let Some(method) = message.method else {
        let id = message.id.as_ref().and_then(Value::as_u64);
        let waiting = id.and_then(|id| shared.lock().waiting.remove(&id));
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
    let depth = shared.depth();
    let shared = Arc::clone(shared);
    let call = HostCall::parse(&method, message.params);
    // A log call does not stop the clock of the worker.
    let waits = !matches!(call, Ok(HostCall::Log { .. }));
    if waits {
        shared.clock.begin();
    }
    asked.bytes += bytes;
    asked.tasks.spawn(async move {
        let outcome = match call {
            Ok(call) => shared.host.call(call, depth).await,
            Err(failure) => Err(failure),
        };
        if waits {
            shared.clock.end();
        }
        let answer = Message::answer(id.clone(), outcome);
        if let Err(CallError::Failed(failure)) = shared.write(&answer).await {
            let _ = shared.write(&Message::answer(id, Err(failure))).await;
        }
        bytes
    });
    true
}
