//! The page, from top to bottom.

use super::escape::escape;
use super::parts::{cards, charts, details, notes, summary, triggers};
use super::style::STYLE;
use crate::eval::Benchmark;

/// Marks a page as one of our reports.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"prowess eval\">";

/// No external content and no scripts, regardless of the content of skills and answers.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;\">";

/// The report as one HTML document, without anything from elsewhere.
pub fn html(benchmark: &Benchmark) -> String {
    let name = escape(&benchmark.skill_name);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">{POLICY}{GENERATOR}<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>Evals of {name}</title><style>{STYLE}</style></head><body>\n<h1>Evals of {name}</h1>\n{}",
        subtitle(benchmark)
    );
    page.push_str(&notes(benchmark));
    page.push_str(&cards(benchmark));
    page.push_str(&charts(benchmark));
    if !benchmark.runs.is_empty() {
        page.push_str(&summary(benchmark));
    }
    page.push_str(&triggers(benchmark));
    if !benchmark.runs.is_empty() {
        page.push_str(&details(benchmark));
    }
    page.push_str("</body></html>\n");
    page
}

fn subtitle(benchmark: &Benchmark) -> String {
    let runs = match benchmark.runs_per_configuration {
        1 => "1 run of each".to_owned(),
        runs => format!("{runs} runs of each"),
    };
    let judge = match &benchmark.judge {
        Some(judge) => format!("judged by {}", escape(judge)),
        None => "no judge".to_owned(),
    };
    format!(
        "<p class=\"soft\">{} &middot; {runs} &middot; {judge} &middot; {}</p>\n",
        escape(&benchmark.model),
        escape(&benchmark.timestamp),
    )
}
