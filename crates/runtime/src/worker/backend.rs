//! A worker that is restarted after a crash.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use prowess_core::SkillId;
use prowess_sdk::wire::{Initialize, Registration, Request};
use serde_json::Value;
use tokio::sync::Mutex;

use super::connection::CallError;
use super::exit::WorkerExit;
use super::running::RunningWorker;
use crate::backend::{Backend, BackendError};
use crate::event::RuntimeEvent;
use crate::host::SkillHost;
use crate::limits::{BACKOFF, CALL_TIME, CRASH_WINDOW, CRASHES, HOOK_TIME, START_TIME, STOP_TIME};
use crate::process::WorkerStarter;

/// What happens to a worker after a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnTimeout {
    /// It is stopped, because it handles one call at a time.
    Stop,
    /// It continues; its response is ignored.
    Continue,
}

/// The code of a skill in a worker.
pub struct WorkerBackend {
    starter: Box<dyn WorkerStarter>,
    initialize: Initialize,
    host: Arc<SkillHost>,
    on_timeout: OnTimeout,
    registration: Registration,
    call_time: Duration,
    /// Serialises calls of a worker that handles one at a time.
    turn: Mutex<()>,
    state: Mutex<State>,
}

struct State {
    live: Option<Arc<RunningWorker>>,
    crashes: Vec<Instant>,
    last: String,
    unloaded: bool,
}

impl WorkerBackend {
    /// Starts the worker and reads what it registers.
    pub async fn start(
        starter: Box<dyn WorkerStarter>,
        initialize: Initialize,
        host: Arc<SkillHost>,
        on_timeout: OnTimeout,
        call_time: Option<Duration>,
    ) -> Result<Self, BackendError> {
        let (live, registration) = start_worker(&*starter, &initialize, &host).await?;
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

    /// The running worker; restarts it if it exited, unless it crashed too often.
    async fn live(&self) -> Result<Arc<RunningWorker>, BackendError> {
        let mut state = self.state.lock().await;
        if state.unloaded {
            return Err(BackendError::Ended("the skill is not active".to_owned()));
        }
        if let Some(live) = &state.live {
            match live.exit_after_stop().await {
                None => return Ok(Arc::clone(live)),
                Some(exit) => self.record_exit(&mut state, exit),
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
                tokio::time::sleep(BACKOFF * factor).await;
            }
            let initialize = Initialize {
                permissions: self.host.gate().granted(),
                ..self.initialize.clone()
            };
            match start_worker(&*self.starter, &initialize, &self.host).await {
                Ok((_, registration)) if registration != self.registration => {
                    return Err(BackendError::Malformed(
                        "its contributions changed after a restart".to_owned(),
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

    fn record_exit(&self, state: &mut State, exit: WorkerExit) {
        state.live = None;
        // Not the reason: it may have output of the skill.
        tracing::warn!(skill = %self.skill(), crashed = exit.crashed, "worker ended");
        if exit.crashed {
            state.crashes.push(Instant::now());
        }
        self.host.emit(RuntimeEvent::WorkerEnded {
            skill: self.skill().clone(),
            reason: exit.reason.clone(),
        });
        state.last = exit.reason;
    }

    fn time_for(&self, request: &Request) -> Duration {
        match request {
            Request::HandleHook { .. } => HOOK_TIME.min(self.call_time),
            _ => self.call_time,
        }
    }
}

async fn start_worker(
    starter: &dyn WorkerStarter,
    initialize: &Initialize,
    host: &Arc<SkillHost>,
) -> Result<(RunningWorker, Registration), BackendError> {
    let began = Instant::now();
    let spawned = starter
        .start()
        .map_err(|error| BackendError::Start(error.to_string()))?;
    let live = RunningWorker::new(spawned, Arc::clone(host))
        .map_err(|error| BackendError::Start(error.to_string()))?;
    let request = Request::Initialize(Box::new(initialize.clone()));
    let answer = match live.call(&request, START_TIME, 0).await {
        Ok(answer) => answer,
        Err(CallError::Failed(failure)) => return Err(BackendError::Failed(failure.message)),
        Err(CallError::TimedOut) => return Err(BackendError::TimedOut(START_TIME.as_secs())),
        Err(CallError::Exited(exit)) => return Err(BackendError::Ended(exit.reason)),
    };
    let registration = serde_json::from_value(answer)
        .map_err(|error| BackendError::Malformed(error.to_string()))?;
    let duration_ms = began.elapsed().as_secs_f64() * 1e3;
    tracing::info!(skill = %host.gate().skill(), duration_ms, "worker started");
    Ok((live, registration))
}

/// Stops a worker when the future of its call is dropped.
struct StopOnDrop<'a> {
    live: Option<&'a RunningWorker>,
}

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(live) = self.live {
            live.stop("cancelled");
        }
    }
}

#[async_trait]
impl Backend for WorkerBackend {
    fn registration(&self) -> &Registration {
        &self.registration
    }

    async fn call(&self, request: Request, depth: usize) -> Result<Value, BackendError> {
        // Waiting for the turn is not part of the time limit. A nested call cannot wait for its own caller.
        let _turn = match (self.on_timeout, depth) {
            (OnTimeout::Stop, 0) => Some(self.turn.lock().await),
            _ => None,
        };
        let live = self.live().await?;
        let time = self.time_for(&request);
        let mut guard = StopOnDrop {
            live: (self.on_timeout == OnTimeout::Stop).then_some(&*live),
        };
        let answer = live.call(&request, time, depth).await;
        guard.live = None;
        match answer {
            Ok(answer) => Ok(answer),
            Err(CallError::Failed(failure)) => Err(BackendError::Failed(failure.message)),
            Err(CallError::Exited(exit)) => Err(BackendError::Ended(exit.reason)),
            Err(CallError::TimedOut) => {
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
        tracing::info!(skill = %self.skill(), "worker stops");
        // Only the exit of the worker matters, not its response.
        let asked = live.call(&Request::Shutdown, STOP_TIME, 0).await;
        let in_time = match asked {
            Err(CallError::TimedOut) => Duration::ZERO,
            _ => STOP_TIME,
        };
        live.finish(in_time).await.map_err(|()| {
            BackendError::Ended(format!(
                "did not exit within {} s and was killed",
                STOP_TIME.as_secs()
            ))
        })
    }
}
