//! The results of evals.

use serde::{Deserialize, Serialize};

/// Everything that was measured: `benchmark.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Benchmark {
    /// The skill.
    pub skill_name: String,
    /// The model.
    pub model: String,
    /// The model that judged; nothing if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// The time, as formatted by the caller.
    pub timestamp: String,
    /// How often each was to be run.
    pub runs_per_configuration: usize,
    /// The user stopped it before all runs were done.
    #[serde(default)]
    pub partial: bool,
    /// Notes for the reader of the figures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Each run of a prompt.
    pub runs: Vec<Run>,
    /// All runs with the skill, all without it, and the difference.
    pub run_summary: Summary,
    /// Each message, and how often the skill was used for it.
    pub triggers: Vec<TriggerRun>,
    /// All of them together; `None` without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger_summary: Option<TriggerSummary>,
}

/// With the skill, or without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Configuration {
    /// With it.
    WithSkill,
    /// Without it.
    WithoutSkill,
}

/// One run of a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The prompt's id.
    pub eval_id: String,
    /// With the skill, or without it.
    pub configuration: Configuration,
    /// Which run, from 1 on.
    pub run_number: usize,
    /// The share of what was expected that held.
    pub pass_rate: f64,
    /// How long it took.
    pub time_seconds: f64,
    /// Tokens that it cost, as the provider counts.
    pub tokens: u64,
    /// The provider did not count them all, so that they are an estimate.
    #[serde(default)]
    pub tokens_estimated: bool,
    /// Tools that were called.
    pub tool_calls: usize,
    /// Each thing that was expected.
    pub expectations: Vec<Graded>,
    /// The reason of a missing answer; then no expectation holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The answer, possibly truncated.
    #[serde(default)]
    pub answer: String,
}

/// Something that was expected, and whether it held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Graded {
    /// What, in words.
    pub text: String,
    /// Whether it held.
    pub passed: bool,
    /// Why.
    pub evidence: String,
}

/// With the skill, without it, and the difference.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// With it.
    pub with_skill: Spreads,
    /// Without it.
    pub without_skill: Spreads,
    /// The effect of the skill.
    pub delta: Delta,
}

/// The measurements of one configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spreads {
    /// The pass rate over all runs.
    pub pass_rate: Spread,
    /// How long it took, of the runs with an answer.
    pub time_seconds: Spread,
    /// The cost over the same runs.
    pub tokens: Spread,
    /// Runs without an answer.
    #[serde(default)]
    pub errors: usize,
    /// Runs with an answer whose tokens are an estimate.
    #[serde(default)]
    pub tokens_estimated: usize,
}

/// A number that was measured several times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// In the middle.
    pub mean: f64,
    /// How far from it, as a standard deviation of a sample; nothing of a single number.
    pub stddev: f64,
    /// The least.
    pub min: f64,
    /// The most.
    pub max: f64,
}

/// The effect of a skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Delta {
    /// More of what was expected holds.
    pub pass_rate: f64,
    /// It takes longer.
    pub time_seconds: f64,
    /// It costs more.
    pub tokens: f64,
}

/// A message, and how often the skill was used for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriggerRun {
    /// The message.
    pub query: String,
    /// Whether it should have been.
    pub should_trigger: bool,
    /// How often it was.
    pub triggered: usize,
    /// Out of how many times.
    pub runs: usize,
    /// Runs that failed; they are right in no case.
    pub errors: usize,
}

/// All messages together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TriggerSummary {
    /// How often the skill was used where it should be.
    pub trigger_rate: f64,
    /// How often it was used where it should not be.
    pub false_trigger_rate: f64,
    /// How often it was as it should be.
    pub accuracy: f64,
}
