//! What evals came to.

use serde::{Deserialize, Serialize};

/// Everything that was measured: `benchmark.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Benchmark {
    /// The skill.
    pub skill_name: String,
    /// The model.
    pub model: String,
    /// When, as whoever ran it writes times.
    pub timestamp: String,
    /// How often each was run.
    pub runs_per_configuration: usize,
    /// Each run of a prompt.
    pub runs: Vec<Run>,
    /// All runs with the skill, all without it, and the difference.
    pub run_summary: Summary,
    /// Each message, and how often the skill was used for it.
    pub triggers: Vec<TriggerRun>,
    /// All of them together; nothing if there are none.
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
    /// Tools that were called.
    pub tool_calls: usize,
    /// Each thing that was expected.
    pub expectations: Vec<Graded>,
    /// Why there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
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
    /// What the skill changes.
    pub delta: Delta,
}

/// What was measured in one configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spreads {
    /// What held.
    pub pass_rate: Spread,
    /// How long it took.
    pub time_seconds: Spread,
    /// What it cost.
    pub tokens: Spread,
}

/// A number that was measured several times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// In the middle.
    pub mean: f64,
    /// How far from it.
    pub stddev: f64,
    /// The least.
    pub min: f64,
    /// The most.
    pub max: f64,
}

/// What a skill changes.
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
    /// Runs that failed.
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

impl Spread {
    /// What numbers have in common.
    pub fn of(numbers: &[f64]) -> Self {
        if numbers.is_empty() {
            return Self::default();
        }
        let count = share(numbers.len(), 1);
        let mean = numbers.iter().sum::<f64>() / count;
        let squares = numbers
            .iter()
            .map(|number| (number - mean).powi(2))
            .sum::<f64>();
        Self {
            mean,
            stddev: (squares / count).sqrt(),
            min: numbers.iter().copied().fold(f64::INFINITY, f64::min),
            max: numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// A share of a whole; nothing of nothing is nothing.
#[allow(clippy::cast_precision_loss, reason = "counts of runs are small")]
pub(super) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

impl Benchmark {
    /// Adds up what was measured.
    pub(super) fn sum_up(&mut self) {
        let spreads = |configuration: Configuration| {
            let runs = self
                .runs
                .iter()
                .filter(|run| run.configuration == configuration);
            let take =
                |number: fn(&Run) -> f64| Spread::of(&runs.clone().map(number).collect::<Vec<_>>());
            #[allow(clippy::cast_precision_loss, reason = "nobody pays for so many tokens")]
            let tokens = |run: &Run| run.tokens as f64;
            Spreads {
                pass_rate: take(|run| run.pass_rate),
                time_seconds: take(|run| run.time_seconds),
                tokens: take(tokens),
            }
        };
        let (with, without) = (
            spreads(Configuration::WithSkill),
            spreads(Configuration::WithoutSkill),
        );
        self.run_summary.delta = Delta {
            pass_rate: with.pass_rate.mean - without.pass_rate.mean,
            time_seconds: with.time_seconds.mean - without.time_seconds.mean,
            tokens: with.tokens.mean - without.tokens.mean,
        };
        self.run_summary.with_skill = with;
        self.run_summary.without_skill = without;
        let counted = |should: bool| {
            let runs = self
                .triggers
                .iter()
                .filter(move |run| run.should_trigger == should);
            runs.fold((0, 0), |(used, all), run| {
                (used + run.triggered, all + run.runs)
            })
        };
        let ((used, all), (wrong, others)) = (counted(true), counted(false));
        self.trigger_summary = (all + others > 0).then(|| TriggerSummary {
            trigger_rate: share(used, all),
            false_trigger_rate: share(wrong, others),
            accuracy: share(used + others - wrong, all + others),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads() {
        let spread = Spread::of(&[1.0, 2.0, 3.0]);
        assert!((spread.mean - 2.0).abs() < 1e-9 && (spread.stddev - 0.816).abs() < 1e-3);
        assert!((spread.min - 1.0).abs() < 1e-9 && (spread.max - 3.0).abs() < 1e-9);
        assert_eq!(Spread::of(&[]), Spread::default());
    }

    #[test]
    fn triggers_are_counted_by_what_should_be() {
        let run = |should_trigger, triggered| TriggerRun {
            query: String::new(),
            should_trigger,
            triggered,
            runs: 4,
            errors: 0,
        };
        let mut benchmark = Benchmark {
            triggers: vec![run(true, 3), run(true, 4), run(false, 1)],
            ..Benchmark::default()
        };
        benchmark.sum_up();
        let summary = benchmark.trigger_summary.unwrap();
        assert!((summary.trigger_rate - 0.875).abs() < 1e-9);
        assert!((summary.false_trigger_rate - 0.25).abs() < 1e-9);
        assert!((summary.accuracy - 10.0 / 12.0).abs() < 1e-9);
        // It survives being written and read.
        let text = serde_json::to_string(&benchmark).unwrap();
        let read: Benchmark = serde_json::from_str(&text).unwrap();
        assert_eq!(read.triggers, benchmark.triggers);
    }
}
