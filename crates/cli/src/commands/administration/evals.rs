//! Runs of evals, each a process of its own.

use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use prowess_agent::eval::Suite;
use prowess_core::{SkillId, Skills};
use prowess_server::{EvalRequest, HostError};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStderr};
use tokio::sync::Notify;

use super::program::{self, Hints, Program};
use crate::eval::ProgressLine;

/// Runs that are known; older ones are forgotten.
const KNOWN: usize = 100;
/// Runs at once.
const RUNNING: usize = 4;
/// Skills with evals that are listed.
const SUITES: usize = 1_000;

/// The files of a skill that are evals.
const FILES: [&str; 2] = ["evals/evals.json", "evals/triggers.json"];

pub(super) fn is_suite(path: &str) -> bool {
    FILES.contains(&path)
}

/// The skills of this machine with evals.
pub(super) async fn suites(skills: &Skills) -> Vec<Value> {
    let catalog = skills.catalog();
    let has_files = |id: &SkillId| {
        let location = skills.sources().location(&catalog, id);
        let location = location.map(std::path::PathBuf::from);
        location.is_some_and(|it| FILES.iter().any(|file| it.join(file).is_file()))
    };
    let ids = catalog.skills().map(|it| &it.descriptor.id);
    let ids: Vec<&SkillId> = ids.filter(|id| has_files(id)).take(SUITES).collect();
    let mut suites = Vec::with_capacity(ids.len());
    for id in ids {
        suites.push(match Suite::read(skills, id).await {
            Ok(suite) => {
                let (evals, triggers) = (suite.evals.len(), suite.triggers.len());
                json!({"skill": id, "evals": evals, "triggers": triggers, "problem": null})
            }
            Err(error) => {
                let problem = error.to_string();
                json!({"skill": id, "evals": 0, "triggers": 0, "problem": problem})
            }
        });
    }
    suites
}

/// The runs since the server was started.
#[derive(Default)]
pub(super) struct EvalRuns {
    runs: Mutex<Vec<Arc<EvalRun>>>,
    next: AtomicU64,
}

struct EvalRun {
    id: String,
    skill: String,
    started: u64,
    process: Option<Pid>,
    cancelled: Notify,
    state: Mutex<RunState>,
}

/// Whether a run is shown with its results, which can be large.
#[derive(Clone, Copy)]
enum Results {
    With,
    Without,
}

struct RunState {
    state: &'static str,
    done: u64,
    total: u64,
    finished: Option<u64>,
    reason: Option<String>,
    benchmark: Value,
}

impl EvalRun {
    fn state(&self) -> MutexGuard<'_, RunState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn to_json(&self, results: Results) -> Value {
        let state = self.state();
        let benchmark = match results {
            Results::With => state.benchmark.clone(),
            Results::Without => Value::Null,
        };
        json!({
            "id": self.id,
            "skill": self.skill,
            "state": state.state,
            "done": state.done,
            "total": state.total,
            "started": self.started,
            "finished": state.finished,
            "reason": state.reason,
            "benchmark": benchmark,
        })
    }

    /// Follows the process until it ends.
    async fn follow(&self, mut child: Child) {
        let lines = child.stderr.take().map(|it| BufReader::new(it).lines());
        let ended = tokio::select! {
            ended = async {
                // Both pipes are read, or the process would wait for us.
                let (answer, ()) = tokio::join!(program::answer(&mut child, Hints::Shown), self.count(lines));
                answer
            } => Some(ended),
            () = self.cancelled.notified() => None,
        };
        let mut state = self.state();
        state.finished = Some(now());
        match ended {
            Some(Ok(benchmark)) => {
                state.state = "done";
                state.done = state.total;
                state.benchmark = benchmark;
            }
            Some(Err(error)) => {
                state.state = "failed";
                state.reason = Some(error.to_string());
            }
            None => state.state = "cancelled",
        }
    }

    async fn count(&self, lines: Option<Lines<BufReader<ChildStderr>>>) {
        let Some(mut lines) = lines else {
            return;
        };
        while let Ok(Some(line)) = lines.next_line().await {
            if let Ok(progress) = serde_json::from_str::<ProgressLine>(&line) {
                let mut state = self.state();
                (state.done, state.total) = (progress.done, progress.total);
            }
        }
    }
}

impl EvalRuns {
    fn runs(&self) -> MutexGuard<'_, Vec<Arc<EvalRun>>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All runs, newest first, without their results.
    pub(super) fn list(&self) -> Vec<Value> {
        let runs = self.runs();
        let runs = runs.iter().rev();
        runs.map(|run| run.to_json(Results::Without)).collect()
    }

    pub(super) fn get(&self, id: &str) -> Result<Value, HostError> {
        Ok(self.find(id)?.to_json(Results::With))
    }

    fn find(&self, id: &str) -> Result<Arc<EvalRun>, HostError> {
        let runs = self.runs();
        let found = runs.iter().find(|it| it.id == id).cloned();
        found.ok_or_else(|| HostError::NotFound("unknown run of evals".to_owned()))
    }

    /// Ends the processes of all runs, because the server ends.
    pub(super) fn stop(&self) {
        for run in self.runs().iter() {
            let is_running = run.state().state == "running";
            if let Some(process) = run.process.filter(|_| is_running) {
                let _ = kill_process(process, Signal::KILL);
            }
        }
    }

    pub(super) fn cancel(&self, id: &str) -> Result<(), HostError> {
        self.find(id)?.cancelled.notify_one();
        Ok(())
    }

    pub(super) fn start(
        &self,
        program: &Program,
        wanted: &EvalRequest,
    ) -> Result<Value, HostError> {
        if !(1..=1000).contains(&wanted.runs) {
            let message = "`runs` must be between 1 and 1000";
            return Err(HostError::Invalid(message.to_owned()));
        }
        let mut runs = self.runs();
        let running = runs.iter().filter(|it| it.state().state == "running");
        if running.count() >= RUNNING {
            let message = format!("{RUNNING} runs are active: wait for one, or stop it");
            return Err(HostError::Unavailable(message));
        }
        let directory = tempfile::tempdir();
        let failed = |error: std::io::Error| HostError::Unavailable(error.to_string());
        let directory = directory.map_err(failed)?;
        let count = wanted.runs.to_string();
        let fixed = ["--json", "--progress-json", "--runs", &count];
        let mut command = program.command("eval", &fixed)?;
        command.args(program.sources());
        command.arg("--out").arg(directory.path());
        command.arg("--").arg(&wanted.skill);
        let child = command.stderr(Stdio::piped()).spawn().map_err(failed)?;
        let started = now();
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let run = Arc::new(EvalRun {
            id: format!("{started:x}-{number}"),
            skill: wanted.skill.clone(),
            started,
            process: child.id().and_then(|it| Pid::from_raw(it.cast_signed())),
            cancelled: Notify::new(),
            state: Mutex::new(RunState {
                state: "running",
                done: 0,
                total: 0,
                finished: None,
                reason: None,
                benchmark: Value::Null,
            }),
        });
        runs.push(Arc::clone(&run));
        let ended = runs.iter().position(|it| it.state().state != "running");
        if let Some(oldest) = ended.filter(|_| runs.len() > KNOWN) {
            runs.remove(oldest);
        }
        drop(runs);
        let answer = run.to_json(Results::Without);
        tokio::spawn(async move {
            run.follow(child).await;
            drop(directory);
        });
        Ok(answer)
    }
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |it| it.as_secs())
}
