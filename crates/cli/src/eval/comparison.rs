//! Compares a benchmark with an earlier one.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use prowess_agent::eval::{Benchmark, Figure};

use super::print::{columns, one_line};
use crate::error::{Context, Result};
use crate::table;

/// Reads an earlier benchmark.
pub(super) fn read(path: &Path) -> Result<Benchmark> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_slice(&bytes)
        .with_context(|| format!("{} is not a benchmark.json", path.display()))
}

/// The figures with the skill, then and now.
pub(super) fn render(before: &Benchmark, now: &Benchmark) -> String {
    let mut rows = Vec::new();
    let mut row = |name: &str, figure: Figure, then: Option<f64>, now: f64| {
        let difference = then.map(|then| figure.show_difference(now - then));
        rows.push(vec![
            one_line(name),
            then.map_or_else(|| "-".to_owned(), |then| figure.show(then)),
            figure.show(now),
            difference.unwrap_or_else(|| "new".to_owned()),
        ]);
    };
    let (evals, then) = (now.by_eval(), before.by_eval());
    for (id, summary) in &evals {
        let earlier = then.iter().find(|(other, _)| other == id);
        let earlier = earlier.map(|(_, it)| it.with_skill.pass_rate.mean);
        let current = summary.with_skill.pass_rate.mean;
        row(id, Figure::PassRate, earlier, current);
    }
    if !evals.is_empty() {
        for figure in Figure::ALL {
            let of = |benchmark: &Benchmark| figure.of(&benchmark.run_summary.with_skill).mean;
            let earlier = (!then.is_empty()).then(|| of(before));
            let name = format!("all: {}", now.run_summary.name_of(figure));
            row(&name, figure, earlier, of(now));
        }
    }
    if let Some(summary) = now.trigger_summary {
        let earlier = before.trigger_summary.map(|it| it.accuracy);
        row(
            "triggers: correct",
            Figure::PassRate,
            earlier,
            summary.accuracy,
        );
    }
    let titles = columns(["WITH THE SKILL", "BEFORE", "NOW", "DIFFERENCE"]);
    let mut text = table::render(&titles, &rows);
    let gone = then.iter().map(|(id, _)| *id);
    let gone = gone.filter(|id| !evals.iter().any(|(other, _)| other == id));
    let gone: Vec<String> = gone.map(one_line).collect();
    if !gone.is_empty() && !evals.is_empty() {
        let _ = writeln!(text, "not run this time: {}", gone.join(", "));
    }
    text
}

/// Why the two should not be compared.
pub(super) fn warnings(before: &Benchmark, now: &Benchmark) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut differ = |what: &str, then: &str, now: &str| {
        if then != now {
            warnings.push(format!("warning: {what} changed: {then} before, {now} now"));
        }
    };
    differ("the skill", &before.skill_name, &now.skill_name);
    differ("the model", &before.model, &now.model);
    let judge = |benchmark: &Benchmark| benchmark.judge.clone().unwrap_or_else(|| "none".into());
    differ("the judge", &judge(before), &judge(now));
    let counted = |benchmark: &Benchmark| {
        if benchmark.run_summary.is_estimated() {
            "estimated"
        } else {
            "counted"
        }
    };
    if !before.runs.is_empty() && !now.runs.is_empty() && counted(before) != counted(now) {
        let (then, now) = (counted(before), counted(now));
        warnings.push(format!(
            "warning: token counts changed: {then} before, {now} now"
        ));
    }
    if before.partial {
        warnings.push("warning: the earlier benchmark was stopped early".to_owned());
    }
    warnings
}
