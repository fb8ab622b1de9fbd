//! Running evals, one after the other.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use prowess_core::SkillId;
use prowess_spec::SkillPath;

use super::benchmark::{Benchmark, Configuration, Run, TriggerRun, share};
use super::format::{Eval, Suite, Trigger};
use super::grade::Graders;
use crate::agent::Agent;
use crate::cancel::Cancel;
use crate::error::AgentError;
use crate::wire::{AgentEvent, By};

/// Bytes of a file that goes along with a prompt.
const FILE_BYTES: usize = 128 * 1024;

/// Who is measured, how often, and by whom.
pub struct Contest {
    /// The skill.
    pub skill: SkillId,
    /// An agent that has it.
    pub with: Agent,
    /// The same agent without it.
    pub without: Agent,
    /// How often each prompt is tried.
    pub runs: usize,
    /// Who decides.
    pub graders: Graders,
    /// The time, as it is to stand in the report.
    pub timestamp: String,
}

/// How far evals are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Runs that are done.
    pub done: usize,
    /// Runs that there are.
    pub of: usize,
    /// What was just done.
    pub what: String,
}

/// Runs everything. Stopped, it comes to what was done so far.
pub async fn run(
    contest: &Contest,
    suite: &Suite,
    progress: &(dyn Fn(Progress) + Send + Sync),
    cancel: &Cancel,
) -> Benchmark {
    let mut benchmark = Benchmark {
        skill_name: contest.skill.to_string(),
        model: contest.with.provider().name().to_owned(),
        timestamp: contest.timestamp.clone(),
        runs_per_configuration: contest.runs,
        ..Benchmark::default()
    };
    let of = contest.runs * (suite.evals.len() * 2 + suite.triggers.len());
    let mut done = 0;
    let mut tell = |what: String| {
        done += 1;
        progress(Progress { done, of, what });
    };
    for eval in &suite.evals {
        for configuration in [Configuration::WithSkill, Configuration::WithoutSkill] {
            for number in 1..=contest.runs {
                if cancel.is_cancelled() {
                    break;
                }
                let run = one(contest, eval, configuration, number, cancel).await;
                tell(format!("eval {}: {:.0}%", eval.id, run.pass_rate * 100.0));
                benchmark.runs.push(run);
            }
        }
    }
    for trigger in &suite.triggers {
        if cancel.is_cancelled() {
            break;
        }
        let run = triggered(contest, trigger, cancel, &mut tell).await;
        benchmark.triggers.push(run);
    }
    benchmark.sum_up();
    benchmark
}

async fn one(
    contest: &Contest,
    eval: &Eval,
    configuration: Configuration,
    run_number: usize,
    cancel: &Cancel,
) -> Run {
    let (agent, references) = match configuration {
        Configuration::WithSkill => (&contest.with, std::slice::from_ref(&contest.skill)),
        Configuration::WithoutSkill => (&contest.without, &[][..]),
    };
    let calls = AtomicUsize::new(0);
    let count = |event: AgentEvent| {
        if matches!(event, AgentEvent::ToolStarted { .. }) {
            calls.fetch_add(1, Ordering::Relaxed);
        }
    };
    let prompt = with_files(contest, eval).await;
    let began = Instant::now();
    let turned = async {
        agent
            .chat()
            .await?
            .turn(&prompt, references, &count, cancel)
            .await
    }
    .await;
    let time_seconds = began.elapsed().as_secs_f64();
    let (answer, tokens, error) = match turned {
        Ok(report) => {
            let tokens = report.tokens.provider.input + report.tokens.provider.output;
            (
                report.text,
                tokens,
                report.failure.map(|error| error.to_string()),
            )
        }
        Err(error) => (String::new(), 0, Some(error.to_string())),
    };
    let mut expectations = Vec::new();
    for expectation in &eval.expectations {
        let graders = &contest.graders;
        expectations.push(
            graders
                .grade(&contest.skill, eval, expectation, &answer)
                .await,
        );
    }
    if error.is_some() {
        // No answer is not a good one, whatever it does not contain.
        for graded in &mut expectations {
            graded.passed = false;
        }
    }
    let passed = expectations.iter().filter(|graded| graded.passed).count();
    Run {
        eval_id: eval.id.clone(),
        configuration,
        run_number,
        pass_rate: share(passed, expectations.len()),
        time_seconds,
        tokens,
        tool_calls: calls.into_inner(),
        expectations,
        error,
    }
}

/// The prompt, with its files behind it.
async fn with_files(contest: &Contest, eval: &Eval) -> String {
    let mut prompt = eval.prompt.clone();
    for name in &eval.files {
        let text = match SkillPath::parse(name) {
            Ok(path) => {
                let sources = contest.with.skills().sources();
                match sources.read(&contest.skill, &path, 0, FILE_BYTES).await {
                    Ok(part) => {
                        String::from_utf8(part.bytes).unwrap_or_else(|_| "(not text)".to_owned())
                    }
                    Err(error) => format!("({error})"),
                }
            }
            Err(problem) => format!("({problem})"),
        };
        let _ = write!(prompt, "\n\n<file name=\"{name}\">\n{text}\n</file>");
    }
    prompt
}

async fn triggered(
    contest: &Contest,
    trigger: &Trigger,
    cancel: &Cancel,
    tell: &mut impl FnMut(String),
) -> TriggerRun {
    let mut run = TriggerRun {
        query: trigger.query.clone(),
        should_trigger: trigger.should_trigger,
        triggered: 0,
        runs: 0,
        errors: 0,
    };
    for _ in 0..contest.runs {
        if cancel.is_cancelled() {
            break;
        }
        let outcome = is_used(contest, &trigger.query, cancel).await;
        match outcome {
            Ok(true) => run.triggered += 1,
            Ok(false) => {}
            Err(_) => run.errors += 1,
        }
        run.runs += 1;
        let shown: String = trigger.query.chars().take(40).collect();
        tell(format!("trigger `{shown}`"));
    }
    run
}

/// Whether the model loads the skill for a message. What it does with it is not waited for.
async fn is_used(contest: &Contest, query: &str, cancel: &Cancel) -> Result<bool, AgentError> {
    let enough = Cancel::new();
    let (seen, stop) = (AtomicUsize::new(0), enough.clone());
    let watch = |event: AgentEvent| {
        if matches!(&event, AgentEvent::SkillLoaded { id, by: By::Model, .. } if *id == contest.skill)
        {
            seen.fetch_add(1, Ordering::Relaxed);
            stop.cancel();
        }
    };
    let mut chat = contest.with.chat().await?;
    let turn = chat.turn(query, &[], &watch, &enough);
    tokio::select! {
        turned = turn => turned.map(|_| ())?,
        () = cancel.cancelled() => {}
    }
    Ok(seen.into_inner() > 0)
}
