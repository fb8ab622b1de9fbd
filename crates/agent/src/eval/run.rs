//! Running evals, one after the other.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use prowess_core::SkillId;

use super::benchmark::{Benchmark, Configuration, Graded, Run, TriggerRun};
use super::cost::Cost;
use super::grade::Graders;
use super::silence::silence;
use super::suite::{Eval, Suite};
use super::summary::share;
use super::used::{Used, is_used};
use crate::agent::Agent;
use crate::cancel::Cancel;
use crate::error::AgentError;
use crate::wire::AgentEvent;
use crate::wire::Ending;

/// Stored bytes of an answer.
const ANSWER_BYTES: usize = 16 * 1024;
/// Characters of a message that progress shows.
const SHOWN_CHARS: usize = 40;

/// The subject, the number of runs, and the graders.
pub struct Contest {
    /// The skill.
    pub skill: SkillId,
    /// An agent that has it.
    pub with: Agent,
    /// The same agent without it.
    pub without: Agent,
    /// How often each prompt is tried.
    pub runs: usize,
    /// The graders.
    pub graders: Graders,
    /// The time, as it is to stand in the report.
    pub timestamp: String,
}

/// How far evals are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Runs that are done.
    pub done: usize,
    /// The total number of runs.
    pub of: usize,
    /// The finished run.
    pub what: String,
}

/// Runs all cases, each once before any twice. If stopped, returns the results so far.
///
/// If the first request fails, nothing is measured, and the error has the reason.
pub async fn run(
    contest: &Contest,
    suite: &Suite,
    progress: &(dyn Fn(Progress) + Send + Sync),
    cancel: &Cancel,
) -> Result<Benchmark, AgentError> {
    let judge = contest.graders.judge.as_ref();
    let mut measured = Measured {
        of: suite.chats(contest.runs),
        benchmark: Benchmark {
            skill_name: contest.skill.to_string(),
            model: contest.with.provider().name().to_owned(),
            judge: judge.map(|it| it.name().to_owned()),
            timestamp: contest.timestamp.clone(),
            runs_per_configuration: contest.runs,
            triggers: suite.triggers.iter().map(TriggerRun::of).collect(),
            ..Benchmark::default()
        },
        done: 0,
        progress,
    };
    let all = measured.measure(contest, suite, cancel).await?;
    let mut benchmark = measured.benchmark;
    benchmark.partial = all.is_none();
    // As in the suite: with the skill, then without it.
    let place = |run: &Run| suite.evals.iter().position(|eval| eval.id == run.eval_id);
    benchmark.runs.sort_by_key(|run| {
        let without = run.configuration == Configuration::WithoutSkill;
        (place(run), without, run.run_number)
    });
    benchmark.triggers.retain(|trigger| trigger.runs > 0);
    benchmark.sum_up();
    Ok(benchmark)
}

/// The results so far.
struct Measured<'p> {
    benchmark: Benchmark,
    done: usize,
    of: usize,
    progress: &'p (dyn Fn(Progress) + Send + Sync),
}

impl Measured<'_> {
    /// Runs all cases; `None` if it was cancelled.
    async fn measure(
        &mut self,
        contest: &Contest,
        suite: &Suite,
        cancel: &Cancel,
    ) -> Result<Option<()>, AgentError> {
        for number in 1..=contest.runs {
            for eval in &suite.evals {
                for configuration in [Configuration::WithSkill, Configuration::WithoutSkill] {
                    let chat = Chat {
                        contest,
                        eval,
                        configuration,
                        number,
                    };
                    let Some(done) = chat.run(cancel).await else {
                        return Ok(None);
                    };
                    self.first(done.failure)?;
                    for note in done.notes {
                        self.note(note);
                    }
                    let percent = done.run.pass_rate * 100.0;
                    self.benchmark.runs.push(done.run);
                    self.report_progress(format!("eval {}: {percent:.0}%", eval.id));
                }
            }
            for (index, trigger) in suite.triggers.iter().enumerate() {
                let Some(used) = is_used(contest, &trigger.query, cancel).await else {
                    return Ok(None);
                };
                let failure = match &used {
                    Ok(Used::Yes | Used::No) => None,
                    Ok(Used::NotAnswered(why)) => Some((*why).to_owned()),
                    Err(error) => Some(error.to_string()),
                };
                let triggered = matches!(used, Ok(Used::Yes));
                self.first(used.err())?;
                if let Some(slot) = self.benchmark.triggers.get_mut(index) {
                    slot.runs += 1;
                    slot.triggered += usize::from(triggered);
                    slot.errors += usize::from(failure.is_some());
                }
                if let Some(reason) = failure {
                    self.note(format!("no answer to a query: {reason}"));
                }
                let shown: String = trigger.query.chars().take(SHOWN_CHARS).collect();
                self.report_progress(format!("query `{shown}`"));
            }
        }
        Ok(Some(()))
    }

    /// A failure counts, unless no run succeeded.
    fn first(&self, failure: Option<AgentError>) -> Result<(), AgentError> {
        match failure {
            Some(error) if self.done == 0 => Err(error),
            _ => Ok(()),
        }
    }

    fn note(&mut self, note: String) {
        if !self.benchmark.notes.contains(&note) {
            self.benchmark.notes.push(note);
        }
    }

    fn report_progress(&mut self, what: String) {
        self.done += 1;
        (self.progress)(Progress {
            done: self.done,
            of: self.of,
            what,
        });
    }
}

/// A chat to run.
struct Chat<'c> {
    contest: &'c Contest,
    eval: &'c Eval,
    configuration: Configuration,
    number: usize,
}

/// A chat that was had.
struct Done {
    run: Run,
    /// The reason that the model did not answer.
    failure: Option<AgentError>,
    notes: Vec<String>,
}

impl Chat<'_> {
    /// Runs the chat; `None` if it was cancelled.
    async fn run(&self, cancel: &Cancel) -> Option<Done> {
        let (agent, references) = match self.configuration {
            Configuration::WithSkill => (
                &self.contest.with,
                std::slice::from_ref(&self.contest.skill),
            ),
            Configuration::WithoutSkill => (&self.contest.without, &[][..]),
        };
        let prompt = message(self.eval);
        let watch = Watch::default();
        let began = Instant::now();
        let mut chat = agent.chat();
        let listener = |event| watch.record(event);
        let turned = chat.turn(&prompt, references, &listener, cancel).await;
        let time_seconds = began.elapsed().as_secs_f64();
        afresh(agent).await;
        let (mut answer, cost, error, silent, failure) = match turned {
            Ok(report) if report.ending == Ending::Cancelled => return None,
            Ok(report) => {
                let (cost, silent) = (Cost::of(&report), silence(&report));
                let error = report.failure.map(|error| error.to_string());
                (report.text, cost, error, silent, None)
            }
            Err(error) => {
                let reason = Some(error.to_string());
                (String::new(), Cost::default(), reason, None, Some(error))
            }
        };
        // Instructions that the model did not get were not measured.
        let error = error.or_else(|| watch.not_loaded());
        let error = error.or_else(|| silent.map(str::to_owned));
        let mut notes = watch.notes();
        let expectations = match error {
            None => {
                let graded = self.grade(&answer, &mut notes, cancel);
                cancel.unless(graded).await?
            }
            Some(_) => self.nothing_holds(),
        };
        let passed = expectations.iter().filter(|graded| graded.passed).count();
        answer.truncate(answer.floor_char_boundary(ANSWER_BYTES));
        Some(Done {
            run: Run {
                eval_id: self.eval.id.clone(),
                configuration: self.configuration,
                run_number: self.number,
                pass_rate: share(passed, expectations.len()),
                time_seconds,
                tokens: cost.tokens,
                tokens_estimated: cost.estimated,
                tool_calls: watch.calls.into_inner(),
                expectations,
                error,
                answer,
            },
            failure,
            notes,
        })
    }

    async fn grade(&self, answer: &str, notes: &mut Vec<String>, cancel: &Cancel) -> Vec<Graded> {
        let mut graded = Vec::new();
        for expectation in &self.eval.expectations {
            let graders = &self.contest.graders;
            let skill = &self.contest.skill;
            let looked = graders
                .grade(skill, self.eval, expectation, answer, cancel)
                .await;
            let trouble = looked.trouble.into_iter();
            notes.extend(trouble.map(|it| format!("eval {}: {it}", self.eval.id)));
            graded.push(looked.graded);
        }
        graded
    }

    /// No answer is not a good one, whatever it does not contain.
    fn nothing_holds(&self) -> Vec<Graded> {
        let expectations = self.eval.expectations.iter();
        let failed = expectations.map(|it| Graded {
            text: it.words(),
            passed: false,
            evidence: "no answer".to_owned(),
        });
        failed.collect()
    }
}

/// Notable events of a chat.
#[derive(Default)]
struct Watch {
    calls: AtomicUsize,
    failed: Mutex<Vec<(SkillId, String, Failed)>>,
}

#[derive(PartialEq, Eq)]
enum Failed {
    Load,
    Activation,
}

impl Watch {
    fn record(&self, event: AgentEvent) {
        let failed = match event {
            AgentEvent::ToolStarted { .. } => {
                self.calls.fetch_add(1, Ordering::Relaxed);
                return;
            }
            AgentEvent::SkillFailed { id, reason } => (id, reason, Failed::Load),
            AgentEvent::ActivationFailed { id, reason } => (id, reason, Failed::Activation),
            _ => return,
        };
        let mut all = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(failed);
    }

    fn not_loaded(&self) -> Option<String> {
        let all = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, reason, _) = all.iter().find(|(_, _, how)| *how == Failed::Load)?;
        Some(format!("cannot load the skill: {reason}"))
    }

    fn notes(&self) -> Vec<String> {
        let all = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = all.iter().filter(|(_, _, how)| *how == Failed::Activation);
        let note = |(id, reason, _): &(SkillId, String, Failed)| {
            format!("cannot run the code of `{id}`: {reason}")
        };
        failed.map(note).collect()
    }
}

/// The prompt, followed by its files.
fn message(eval: &Eval) -> String {
    let mut message = eval.prompt.clone();
    for file in &eval.files {
        let (name, text) = (&file.path, &file.text);
        let _ = write!(message, "\n\n<file name=\"{name}\">\n{text}\n</file>");
    }
    message
}

/// Each chat starts without the activations of the one before.
pub(super) async fn afresh(agent: &Agent) {
    if let Some(code_skills) = &agent.inner.code_skills {
        code_skills.runtime.shut_down().await;
    }
}
