//! One running worker: requests out, answers in, and its own questions in between.

use std::collections::HashMap;
use std::io;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use prowess_sdk::limit_of;
use prowess_sdk::wire::{Asked, Failure, HostCall, MAX_LINE, Message, Request, Version, code};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinSet;

use super::clock::Clock;
use super::lines::{self, Line};
use crate::host::SkillHost;
use crate::limits::{CALL_BYTES, CALLS_AT_ONCE, STDERR_BYTES, STRAY_BYTES};
use crate::process::{Handle, Spawned};

/// How long an ending worker may take to say why.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// How long an answer is looked for before it is waited for.
const SOON: Duration = Duration::from_micros(60);

/// A worker that was started. Dropping the last handle ends it.
pub(super) struct Live {
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
    waiting: HashMap<u64, Waiting>,
    ended: Option<Ended>,
    /// Why it is being ended, when it is we who end it.
    verdict: Option<String>,
}

struct Waiting {
    answer: oneshot::Sender<Result<Value, Failure>>,
    depth: usize,
}

/// How a worker ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ended {
    pub(super) reason: String,
    /// Whether it fell over without reaching a limit and without being asked to.
    pub(super) crashed: bool,
}

/// Why a request has no answer.
pub(super) enum Unanswered {
    Failed(Failure),
    TimedOut,
    Ended(Ended),
}

impl Live {
    pub(super) fn new(spawned: Spawned, host: Arc<SkillHost>) -> io::Result<Self> {
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

    pub(super) fn ended(&self) -> Option<Ended> {
        self.shared.lock().ended.clone()
    }

    /// Waits until it has ended, if it was told to; how it ended then.
    pub(super) async fn settled(&self) -> Option<Ended> {
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

    /// Asks, and waits for the answer no longer than `time`, not counting what the worker itself waits for.
    pub(super) async fn call(
        &self,
        request: &Request,
        time: Duration,
        depth: usize,
    ) -> Result<Value, Unanswered> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (answer, mut answered) = oneshot::channel();
        {
            let mut pending = self.shared.lock();
            if let Some(ended) = &pending.ended {
                return Err(Unanswered::Ended(ended.clone()));
            }
            if pending.waiting.is_empty() {
                self.shared.host.renew_log();
            }
            pending.waiting.insert(id, Waiting { answer, depth });
        }
        // Whoever loses interest does not leave the question behind.
        let _forget = Forget {
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
            // Most answers are there sooner than a thread that went to sleep would be awake again.
            while began.elapsed() < SOON {
                if let Ok(answer) = answered.try_recv() {
                    return answer.map_err(Unanswered::Failed);
                }
                tokio::task::yield_now().await;
            }
            match (&mut answered).await {
                Ok(answer) => answer.map_err(Unanswered::Failed),
                Err(_) => Err(Unanswered::Ended(self.last_word())),
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
            // It may have been waiting for us in the meantime.
            let own = time + self.shared.clock.waited().saturating_sub(waited_before);
            if began.elapsed() >= own {
                return Err(Unanswered::TimedOut);
            }
        }
    }

    fn last_word(&self) -> Ended {
        self.ended().unwrap_or_else(|| Ended {
            reason: "it ended".to_owned(),
            crashed: true,
        })
    }

    /// Ends the worker now; whoever waits for it hears why.
    pub(super) fn stop(&self, reason: &str) {
        self.shared
            .lock()
            .verdict
            .get_or_insert_with(|| reason.to_owned());
        self.shared.stop.notify_one();
    }

    /// Closes its input, which asks it to end, and waits until it has.
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
            .get_or_insert_with(|| "it was asked to end".to_owned());
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

impl Drop for Live {
    fn drop(&mut self) {
        self.stop("nobody needs it any more");
    }
}

struct Forget<'a> {
    shared: &'a Shared,
    id: u64,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.shared.lock().waiting.remove(&self.id);
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn write(&self, message: &impl serde::Serialize) -> Result<(), Unanswered> {
        let failed = |message: String| {
            Unanswered::Failed(Failure {
                code: code::LIMIT,
                message,
            })
        };
        let mut line = serde_json::to_vec(message).map_err(|error| failed(error.to_string()))?;
        if line.len() > MAX_LINE {
            let size = line.len();
            return Err(failed(format!(
                "{size} bytes are more than the {MAX_LINE} of a message"
            )));
        }
        line.push(b'\n');
        let mut stdin = self.stdin.lock().await;
        let written = match stdin.as_mut() {
            Some(stdin) => stdin.write_all(&line).await,
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        // Where that failed, the reader finds out how it ended, and tells whoever waits.
        drop(written);
        Ok(())
    }

    /// The depth of whatever the worker is busy with; the deepest if it is busy with several things.
    fn depth(&self) -> usize {
        let deepest = self.lock().waiting.values().map(|one| one.depth).max();
        deepest.unwrap_or_default()
    }
}

/// Reads what a worker says until it ends, then tells everybody who waits.
async fn watch(
    shared: Arc<Shared>,
    stdout: ChildStdout,
    stderr: ChildStderr,
    mut handle: Box<dyn Handle>,
) {
    let complaint = Arc::new(Mutex::new(Vec::new()));
    let listening = tokio::spawn(keep_tail(stderr, Arc::clone(&complaint)));
    let (fault, patience) = tokio::select! {
        fault = listen(&shared, stdout) => match fault {
            // Its output ended: it is about to end itself, or of no use.
            None => (None, LAST_WORDS),
            fault => (fault, Duration::ZERO),
        },
        () = shared.stop.notified() => (None, Duration::ZERO),
    };
    let status = tokio::task::spawn_blocking(move || handle.end(patience)).await;
    // Something that it left behind may hold the stream open.
    let _ = tokio::time::timeout(LAST_WORDS, listening).await;
    let complaint = std::mem::take(&mut *complaint.lock().unwrap_or_else(PoisonError::into_inner));
    let status = status.ok().and_then(Result::ok);
    {
        let mut pending = shared.lock();
        let verdict = fault.or_else(|| pending.verdict.clone());
        let complaint = String::from_utf8_lossy(&complaint);
        pending.ended = Some(judge(verdict, status, complaint.trim()));
        // Dropping the senders tells who waits.
        pending.waiting.clear();
    }
    shared.stdin.lock().await.take();
    shared.stopped.notify_waiters();
}

/// What to say of the end of a worker.
fn judge(verdict: Option<String>, status: Option<ExitStatus>, complaint: &str) -> Ended {
    if let Some(reason) = verdict {
        return Ended {
            reason,
            crashed: false,
        };
    }
    if let Some(limit) = limit_of(complaint, status.and_then(signal)) {
        return Ended {
            reason: format!("stopped: it reached {limit}"),
            crashed: false,
        };
    }
    let how = match status {
        Some(status) => format!("it ended by itself ({status})"),
        None => "it ended by itself".to_owned(),
    };
    let last = complaint.lines().rev().find(|line| !line.trim().is_empty());
    Ended {
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

/// Keeps the end of what a worker complains about.
async fn keep_tail(mut stderr: ChildStderr, kept: Arc<Mutex<Vec<u8>>>) {
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(buffer.get(..read).unwrap_or_default());
        let excess = kept.len().saturating_sub(STDERR_BYTES);
        kept.drain(..excess);
    }
}

/// Hears a worker out; what comes back is why it cannot be listened to any longer.
async fn listen(shared: &Arc<Shared>, stdout: ChildStdout) -> Option<String> {
    let mut reader = BufReader::with_capacity(16 * 1024, stdout);
    let mut line = Vec::new();
    let mut stray = 0;
    // What a worker asked for is of no use to anybody once it has ended: it ends with this.
    let mut asked = HostCalls::default();
    loop {
        // One that does not read its answers is not read either: it waits, not our memory.
        asked.make_room().await;
        match lines::next(&mut reader, &mut line, MAX_LINE).await {
            Line::End => return None,
            Line::TooLong => {
                return Some(format!(
                    "stopped: it wrote a line of more than {MAX_LINE} bytes"
                ));
            }
            Line::Whole => {}
        }
        let heard = match serde_json::from_slice::<Message>(&line) {
            Ok(message) => hear(shared, message, line.len(), &mut asked),
            Err(error) if line.trim_ascii_start().starts_with(b"{") => {
                return Some(format!(
                    "stopped: it wrote a line that is no message: {error}"
                ));
            }
            Err(_) => false,
        };
        if !heard {
            stray += line.len() + 1;
            if stray > STRAY_BYTES {
                return Some(format!(
                    "stopped: it wrote more than {STRAY_BYTES} bytes besides its answers"
                ));
            }
        }
    }
}

/// What a worker asked for and has not taken the answer to.
#[derive(Default)]
struct HostCalls {
    /// Each ends with the length of its question.
    tasks: JoinSet<usize>,
    bytes: usize,
}

impl HostCalls {
    /// Waits until one more may be asked.
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

/// Takes a message in; whether anybody had been waiting for it.
fn hear(shared: &Arc<Shared>, message: Message, bytes: usize, asked: &mut HostCalls) -> bool {
    let Some(method) = message.method else {
        let id = message.id.as_ref().and_then(Value::as_u64);
        let waiting = id.and_then(|id| shared.lock().waiting.remove(&id));
        let Some(waiting) = waiting else {
            // An answer that comes too late.
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
        // Nobody waits for an answer, so there is none.
        return false;
    };
    let depth = shared.depth();
    let shared = Arc::clone(shared);
    let call = HostCall::parse(&method, message.params);
    // The log makes nobody wait: the time is the worker's own.
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
        if let Err(Unanswered::Failed(failure)) = shared.write(&answer).await {
            let _ = shared.write(&Message::answer(id, Err(failure))).await;
        }
        bytes
    });
    true
}
