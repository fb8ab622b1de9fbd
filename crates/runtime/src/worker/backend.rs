//! A worker that is started again when it ended.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use prowess_core::SkillId;
use prowess_sdk::wire::{Initialize, Registration, Request};
use serde_json::Value;
use tokio::sync::Mutex;

use super::live::{Ended, Live, Unanswered};
use crate::backend::{Backend, BackendError};
use crate::event::RuntimeEvent;
use crate::host::SkillHost;
use crate::limits::{
    BACKOFF_FIRST, BACKOFF_LAST, CALL_TIME, CRASH_WINDOW, CRASHES, HOOK_TIME, START_TIME, STOP_TIME,
};
use crate::process::Start;

/// What becomes of a worker that took too long to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnTimeout {
    /// It is ended: it does one thing at a time, and would do nothing else.
    Stop,
    /// It goes on; its answer is not waited for.
    Continue,
}

/// A skill's code in a worker.
pub struct WorkerBackend {
    starter: Box<dyn Start>,
    initialize: Initialize,
    host: Arc<SkillHost>,
    on_timeout: OnTimeout,
    registration: Registration,
    call_time: Duration,
    /// Held by whoever a worker that does one thing at a time works for.
    turn: Mutex<()>,
    state: Mutex<State>,
}

struct State {
    live: Option<Arc<Live>>,
    crashes: Vec<Instant>,
    last: String,
    unloaded: bool,
}

impl WorkerBackend {
    /// Starts the worker, and hears what it contributes.
    pub async fn start(
        starter: Box<dyn Start>,
        initialize: Initialize,
        host: Arc<SkillHost>,
        on_timeout: OnTimeout,
        call_time: Option<Duration>,
    ) -> Result<Self, BackendError> {
        let (live, registration) = begin(&*starter, &initialize, &host).await?;
        Ok(Self {
            starter,
            initialize,
            host,
            on_timeout,
            registration,
            call_time: call_time.unwrap_or(CALL_TIME),
            turn: Mutex::new(()),
            state: Mutex::new(State {
                live: Some(Arc::new(live)),
                crashes: Vec::new(),
                last: String::new(),
                unloaded: false,
            }),
        })
    }

    fn skill(&self) -> &SkillId {
        self.host.gate().skill()
    }

    /// The running worker; one that ended is started again, unless it did so too often.
    async fn live(&self) -> Result<Arc<Live>, BackendError> {
        let mut state = self.state.lock().await;
        if state.unloaded {
            return Err(BackendError::Ended("the skill is not active".to_owned()));
        }
        if let Some(live) = &state.live {
            match live.settled().await {
                None => return Ok(Arc::clone(live)),
                Some(ended) => self.bury(&mut state, ended),
            }
        }
        loop {
            state.crashes.retain(|at| at.elapsed() < CRASH_WINDOW);
            if state.crashes.len() >= CRASHES {
                return Err(BackendError::CrashLoop(CRASHES, state.last.clone()));
            }
            if let Some(doublings) = state.crashes.len().checked_sub(1) {
                let doublings = u32::try_from(doublings).unwrap_or(u32::MAX);
                let factor = 2_u32.saturating_pow(doublings);
                tokio::time::sleep((BACKOFF_FIRST * factor).min(BACKOFF_LAST)).await;
            }
            let initialize = Initialize {
                permissions: self.host.gate().granted(),
                ..self.initialize.clone()
            };
            match begin(&*self.starter, &initialize, &self.host).await {
                Ok((_, registration)) if registration != self.registration => {
                    return Err(BackendError::Nonsense(
                        "after a restart it contributes something else than before".to_owned(),
                    ));
                }
                Ok((live, _)) => {
                    let live = Arc::new(live);
                    state.live = Some(Arc::clone(&live));
                    return Ok(live);
                }
                Err(error) => {
                    state.crashes.push(Instant::now());
                    state.last = error.to_string();
                }
            }
        }
    }

    fn bury(&self, state: &mut State, ended: Ended) {
        state.live = None;
        if ended.crashed {
            state.crashes.push(Instant::now());
        }
        self.host.emit(RuntimeEvent::WorkerEnded {
            skill: self.skill().clone(),
            reason: ended.reason.clone(),
        });
        state.last = ended.reason;
    }

    fn time_for(&self, request: &Request) -> Duration {
        match request {
            Request::HandleHook { .. } => HOOK_TIME.min(self.call_time),
            _ => self.call_time,
        }
    }
}

async fn begin(
    starter: &dyn Start,
    initialize: &Initialize,
    host: &Arc<SkillHost>,
) -> Result<(Live, Registration), BackendError> {
    let spawned = starter
        .start()
        .map_err(|error| BackendError::Start(error.to_string()))?;
    let live = Live::new(spawned, Arc::clone(host))
        .map_err(|error| BackendError::Start(error.to_string()))?;
    let request = Request::Initialize(Box::new(initialize.clone()));
    let answer = match live.call(&request, START_TIME, 0).await {
        Ok(answer) => answer,
        Err(Unanswered::Failed(failure)) => return Err(BackendError::Failed(failure.message)),
        Err(Unanswered::TimedOut) => return Err(BackendError::TimedOut(START_TIME.as_secs())),
        Err(Unanswered::Ended(ended)) => return Err(BackendError::Ended(ended.reason)),
    };
    let registration = serde_json::from_value(answer)
        .map_err(|error| BackendError::Nonsense(error.to_string()))?;
    Ok((live, registration))
}

/// Ends a worker whose answer nobody waits for any more, if it can do nothing else before it answered.
struct StopUnlessDone<'a> {
    live: Option<&'a Live>,
}

impl Drop for StopUnlessDone<'_> {
    fn drop(&mut self) {
        if let Some(live) = self.live {
            live.stop("it was cancelled");
        }
    }
}

#[async_trait]
impl Backend for WorkerBackend {
    fn registration(&self) -> &Registration {
        &self.registration
    }

    async fn call(&self, request: Request, depth: usize) -> Result<Value, BackendError> {
        // Waiting for one's turn is not the worker's time. What is called from within a call cannot wait for it.
        let _turn = match (self.on_timeout, depth) {
            (OnTimeout::Stop, 0) => Some(self.turn.lock().await),
            _ => None,
        };
        let live = self.live().await?;
        let time = self.time_for(&request);
        let mut guard = StopUnlessDone {
            live: (self.on_timeout == OnTimeout::Stop).then_some(&*live),
        };
        let answer = live.call(&request, time, depth).await;
        guard.live = None;
        match answer {
            Ok(answer) => Ok(answer),
            Err(Unanswered::Failed(failure)) => Err(BackendError::Failed(failure.message)),
            Err(Unanswered::Ended(ended)) => Err(BackendError::Ended(ended.reason)),
            Err(Unanswered::TimedOut) => {
                let error = BackendError::TimedOut(time.as_secs());
                if self.on_timeout == OnTimeout::Stop {
                    live.stop(&error.to_string());
                }
                Err(error)
            }
        }
    }

    async fn unload(&self) -> Result<(), BackendError> {
        let live = {
            let mut state = self.state.lock().await;
            state.unloaded = true;
            state.live.take()
        };
        let Some(live) = live else {
            return Ok(());
        };
        // Its answer says nothing that its end does not.
        let asked = live.call(&Request::Shutdown, STOP_TIME, 0).await;
        let in_time = match asked {
            Err(Unanswered::TimedOut) => Duration::ZERO,
            _ => STOP_TIME,
        };
        live.finish(in_time).await.map_err(|()| {
            BackendError::Ended(format!(
                "it did not end within {} seconds and was stopped",
                STOP_TIME.as_secs()
            ))
        })
    }
}
