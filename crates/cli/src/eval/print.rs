//! The results, for users.

use std::fmt::Write as _;

use prowess_agent::eval::{Benchmark, Figure, Suite, Summary};

use super::setup::EvalModels;
use crate::table::{self, Column, Width};
use crate::terminal;

/// Columns under titles, of which the first gives way.
pub(super) fn columns<const N: usize>(titles: [&'static str; N]) -> [Column; N] {
    let mut width = Width::Rest;
    titles.map(|title| Column {
        title,
        width: std::mem::replace(&mut width, Width::Content),
    })
}

/// The expected number of requests.
pub(super) fn estimate(suite: &Suite, runs: usize, models: &EvalModels) -> Vec<String> {
    let chats = suite.chats(runs);
    let (evals, messages) = (suite.evals.len(), suite.triggers.len());
    let of = match (evals, messages) {
        (evals, 0) => format!("{runs} × 2 × {}", counted(evals, "eval")),
        (0, messages) => format!("{runs} × {}", counted(messages, "message")),
        (evals, messages) => format!(
            "{runs} × (2 × {} + {})",
            counted(evals, "eval"),
            counted(messages, "message")
        ),
    };
    let mut line = format!(
        "{}: {of}; one or more requests each",
        counted(chats, "chat")
    );
    let judged = suite.judged() * runs * 2;
    if judged > 0 && models.has_judge() {
        let _ = write!(line, ", and {} to the judge", counted(judged, "request"));
    }
    let mut lines = vec![line];
    if models.is_demo() {
        lines.push(
            "the demo model does not reason: the results say nothing about the skill".to_owned(),
        );
    }
    if messages > 0 && !models.has_tools() {
        lines.push(
            "without tools a model cannot load skills: trigger results have little meaning"
                .to_owned(),
        );
    }
    if suite.judged() > 0 && !models.has_judge() {
        lines.push(format!(
            "{} for a judge, and the demo model cannot judge; choose a judge with --judge-provider",
            match suite.judged() {
                1 => "1 expectation is".to_owned(),
                many => format!("{many} expectations are"),
            }
        ));
    }
    lines
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}

/// Everything that was measured.
pub(super) fn results(benchmark: &Benchmark) -> String {
    let mut parts = Vec::new();
    if !benchmark.runs.is_empty() {
        parts.push(evals(benchmark));
    }
    if !benchmark.triggers.is_empty() {
        parts.push(messages(benchmark));
    }
    parts.join("\n")
}

fn evals(benchmark: &Benchmark) -> String {
    let row = |name: &str, figure: Figure, summary: &Summary| {
        let with = figure.of(&summary.with_skill);
        let without = figure.of(&summary.without_skill);
        vec![
            one_line(name),
            figure.show_spread(with),
            figure.show_spread(without),
            figure.show_difference(with.mean - without.mean),
        ]
    };
    let by_eval = benchmark.by_eval();
    let mut rows: Vec<Vec<String>> = by_eval
        .iter()
        .map(|(id, summary)| row(id, Figure::PassRate, summary))
        .collect();
    for figure in Figure::ALL {
        let all = &benchmark.run_summary;
        let name = format!("all: {}", all.name_of(figure));
        rows.push(row(&name, figure, all));
    }
    let titles = columns(["EVAL", "WITH THE SKILL", "WITHOUT", "DIFFERENCE"]);
    let mut text = table::render(&titles, &rows);
    let (with, without) = (
        benchmark.run_summary.with_skill.errors,
        benchmark.run_summary.without_skill.errors,
    );
    let first = benchmark.runs.iter().find_map(|run| run.error.as_ref());
    if let Some(first) = first {
        let _ = writeln!(
            text,
            "no answer (counted as failed): {with} with the skill, {without} without; {}",
            one_line(first)
        );
    }
    text
}

fn messages(benchmark: &Benchmark) -> String {
    let runs = benchmark.triggers.iter();
    let rows: Vec<Vec<String>> = runs
        .map(|run| {
            let should = if run.should_trigger { "yes" } else { "no" };
            let mut did = format!("{} of {}", run.triggered, run.runs);
            if run.errors > 0 {
                let _ = write!(did, ", {} without an answer", run.errors);
            }
            vec![one_line(&run.query), should.to_owned(), did]
        })
        .collect();
    let titles = columns(["MESSAGE", "SHOULD USE IT", "DID"]);
    let mut text = table::render(&titles, &rows);
    if let Some(summary) = benchmark.trigger_summary {
        let show = |value| Figure::PassRate.show(value);
        let _ = writeln!(
            text,
            "correct in {}: used in {} of the positive cases, in {} of the negative cases",
            show(summary.accuracy),
            show(summary.trigger_rate),
            show(summary.false_trigger_rate)
        );
    }
    text
}

/// A text in one line that a terminal does not obey.
pub(super) fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    terminal::printable(&line)
}
