//! Adding up what was measured.

use super::benchmark::{
    Benchmark, Configuration, Delta, Run, Spread, Spreads, Summary, TriggerRun, TriggerSummary,
};
use super::figure::Figure;

impl Spread {
    /// Statistics of numbers.
    pub fn of(numbers: &[f64]) -> Self {
        if numbers.is_empty() {
            return Self::default();
        }
        let mean = numbers.iter().sum::<f64>() / whole(numbers.len());
        let squares: f64 = numbers.iter().map(|it| (it - mean).powi(2)).sum();
        Self {
            mean,
            stddev: (squares / whole(numbers.len() - 1).max(1.0)).sqrt(),
            min: numbers.iter().copied().fold(f64::INFINITY, f64::min),
            max: numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "counts of runs are small")]
fn whole(count: usize) -> f64 {
    count as f64
}

/// A share of a whole; nothing of nothing is nothing.
pub(super) fn share(part: usize, all: usize) -> f64 {
    whole(part) / whole(all).max(1.0)
}

impl Spreads {
    fn of(runs: &[&Run]) -> Self {
        let spread = |runs: &[&Run], number: fn(&Run) -> f64| {
            Spread::of(&runs.iter().map(|run| number(run)).collect::<Vec<_>>())
        };
        #[allow(
            clippy::cast_precision_loss,
            reason = "token counts stay far below this"
        )]
        let tokens = |run: &Run| run.tokens as f64;
        // A run without an answer costs nothing and takes as long as its failure, which is no measurement of a skill.
        let answered = runs.iter().filter(|run| run.error.is_none());
        let answered: Vec<&Run> = answered.copied().collect();
        Self {
            pass_rate: spread(runs, |run| run.pass_rate),
            time_seconds: spread(&answered, |run| run.time_seconds),
            tokens: spread(&answered, tokens),
            errors: runs.len() - answered.len(),
            tokens_estimated: answered.iter().filter(|run| run.tokens_estimated).count(),
        }
    }
}

impl Summary {
    /// The summary of runs.
    pub fn of(runs: &[&Run]) -> Self {
        let of = |which: Configuration| {
            let own = runs.iter().filter(|run| run.configuration == which);
            Spreads::of(&own.copied().collect::<Vec<_>>())
        };
        let with_skill = of(Configuration::WithSkill);
        let without_skill = of(Configuration::WithoutSkill);
        let delta = Delta {
            pass_rate: with_skill.pass_rate.mean - without_skill.pass_rate.mean,
            time_seconds: with_skill.time_seconds.mean - without_skill.time_seconds.mean,
            tokens: with_skill.tokens.mean - without_skill.tokens.mean,
        };
        Self {
            with_skill,
            without_skill,
            delta,
        }
    }

    /// The name of a figure.
    pub fn name_of(&self, figure: Figure) -> &'static str {
        if figure == Figure::Tokens && self.is_estimated() {
            return "estimated tokens";
        }
        figure.name()
    }

    /// Whether its tokens are, at least in part, an estimate.
    pub fn is_estimated(&self) -> bool {
        self.with_skill.tokens_estimated + self.without_skill.tokens_estimated > 0
    }
}

/// Notes about tokens that the provider did not count.
fn uncounted(runs: &[&Run]) -> Option<String> {
    let answered = runs.iter().filter(|run| run.error.is_none());
    let estimated = answered.clone().filter(|run| run.tokens_estimated).count();
    match (estimated, answered.count()) {
        (0, _) => None,
        (some, all) if some == all => {
            Some("token counts are estimated: the provider reports none".to_owned())
        }
        (some, all) => Some(format!(
            "token counts of {some} of {all} answers are estimated: the provider reports none"
        )),
    }
}

impl TriggerRun {
    /// Whether it was mostly as it should be.
    pub fn is_right(&self) -> bool {
        self.right() * 2 > self.runs
    }

    /// How often it was as it should be.
    fn right(&self) -> usize {
        if self.should_trigger {
            self.triggered
        } else {
            self.runs.saturating_sub(self.triggered + self.errors)
        }
    }
}

impl TriggerSummary {
    /// The summary of trigger queries; `None` without any.
    pub fn of(triggers: &[TriggerRun]) -> Option<Self> {
        let sum = |number: fn(&TriggerRun) -> usize, should: bool| -> usize {
            let runs = triggers.iter().filter(|run| run.should_trigger == should);
            runs.map(number).sum()
        };
        let (all, others) = (sum(|it| it.runs, true), sum(|it| it.runs, false));
        let right = sum(TriggerRun::right, true) + sum(TriggerRun::right, false);
        (all + others > 0).then(|| Self {
            trigger_rate: share(sum(|it| it.triggered, true), all),
            false_trigger_rate: share(sum(|it| it.triggered, false), others),
            accuracy: share(right, all + others),
        })
    }
}

impl Benchmark {
    /// Adds up what was measured.
    pub(super) fn sum_up(&mut self) {
        let runs: Vec<&Run> = self.runs.iter().collect();
        self.run_summary = Summary::of(&runs);
        self.notes.extend(uncounted(&runs));
        self.trigger_summary = TriggerSummary::of(&self.triggers);
    }

    /// The result of each eval, in the order of the suite.
    pub fn by_eval(&self) -> Vec<(&str, Summary)> {
        let mut ids: Vec<&str> = Vec::new();
        for run in &self.runs {
            if !ids.contains(&run.eval_id.as_str()) {
                ids.push(&run.eval_id);
            }
        }
        let of = |id: &str| {
            let own = self.runs.iter().filter(|run| run.eval_id == id);
            Summary::of(&own.collect::<Vec<_>>())
        };
        ids.into_iter().map(|id| (id, of(id))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-9
    }

    #[test]
    fn spreads() {
        let spread = Spread::of(&[1.0, 2.0, 3.0]);
        assert!(close(spread.mean, 2.0) && close(spread.stddev, 1.0));
        assert!(close(spread.min, 1.0) && close(spread.max, 3.0));
        assert_eq!(Spread::of(&[]), Spread::default());
        assert!(close(Spread::of(&[7.0]).stddev, 0.0));
    }

    fn run(configuration: Configuration, pass_rate: f64, tokens: u64, failed: bool) -> Run {
        Run {
            eval_id: "1".to_owned(),
            configuration,
            run_number: 1,
            pass_rate,
            time_seconds: 1.0,
            tokens,
            tokens_estimated: false,
            tool_calls: 0,
            expectations: Vec::new(),
            error: failed.then(|| "gone".to_owned()),
            answer: String::new(),
        }
    }

    #[test]
    fn failed_run_has_no_token_count() {
        let mut benchmark = Benchmark {
            runs: vec![
                run(Configuration::WithSkill, 1.0, 100, false),
                run(Configuration::WithSkill, 0.0, 0, true),
                run(Configuration::WithoutSkill, 0.25, 40, false),
            ],
            ..Benchmark::default()
        };
        benchmark.sum_up();
        let summary = &benchmark.run_summary;
        assert!(close(summary.with_skill.pass_rate.mean, 0.5));
        assert!(close(summary.with_skill.tokens.mean, 100.0));
        assert_eq!(summary.with_skill.errors, 1);
        assert!(close(summary.delta.pass_rate, 0.25) && close(summary.delta.tokens, 60.0));
        assert_eq!(benchmark.by_eval(), [("1", summary.clone())]);
    }

    #[test]
    fn estimates_are_marked() {
        let counted = run(Configuration::WithSkill, 1.0, 100, false);
        let estimated = Run {
            tokens_estimated: true,
            ..run(Configuration::WithoutSkill, 1.0, 90, false)
        };
        let failed = Run {
            error: Some("gone".to_owned()),
            ..estimated.clone()
        };
        let said = |runs: &[&Run]| {
            let summary = Summary::of(runs);
            (summary.name_of(Figure::Tokens), uncounted(runs))
        };
        assert_eq!(said(&[&counted, &failed]), ("tokens", None));
        let some = "token counts of 1 of 2 answers are estimated: the provider reports none";
        let some = Some(some.to_owned());
        assert_eq!(said(&[&counted, &estimated]), ("estimated tokens", some));
        let all = "token counts are estimated: the provider reports none".to_owned();
        assert_eq!(said(&[&estimated]), ("estimated tokens", Some(all)));
    }

    #[test]
    fn triggers_are_counted_by_what_should_be() {
        let run = |should_trigger, triggered, errors| TriggerRun {
            query: String::new(),
            should_trigger,
            triggered,
            runs: 4,
            errors,
        };
        let triggers = [run(true, 3, 0), run(true, 4, 0), run(false, 1, 0)];
        let summary = TriggerSummary::of(&triggers).unwrap();
        assert!(close(summary.trigger_rate, 0.875));
        assert!(close(summary.false_trigger_rate, 0.25));
        assert!(close(summary.accuracy, 10.0 / 12.0));
        // Without an answer, nothing is correct.
        let failed = [run(false, 0, 4), run(true, 2, 2)];
        assert!(close(TriggerSummary::of(&failed).unwrap().accuracy, 0.25));
        assert!(!failed[0].is_right());
        assert_eq!(TriggerSummary::of(&[]), None);
    }
}
