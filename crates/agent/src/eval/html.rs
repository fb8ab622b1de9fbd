//! A report that needs nothing but a browser.

use std::fmt::Write as _;

use super::benchmark::{Benchmark, Configuration, Run, Spread, share};

/// Height of a bar, and of the gap below it.
const BAR: usize = 16;
/// Width of a bar for all of it.
const WIDTH: usize = 400;
/// Where bars begin.
const LEFT: usize = 160;

const STYLE: &str = ":root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--line:#d5dae0;--with:#1a7f5a;--without:#9aa4b1;--bad:#b3261e}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ee;--paper:#15181d;--line:#363c45;--with:#4cc38a;--without:#6b7684;--bad:#ff8a80}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%;margin:1rem 0}th,td{text-align:left;padding:.35rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}svg{max-width:100%;height:auto}svg text{fill:var(--ink);font:13px system-ui,sans-serif}
.with{fill:var(--with)}.without{fill:var(--without)}.bad{color:var(--bad)}details{margin:.5rem 0}summary{cursor:pointer}";

/// The report as one HTML document, without anything from elsewhere.
pub fn html(benchmark: &Benchmark) -> String {
    let name = escape(&benchmark.skill_name);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>Evals of {name}</title><style>{STYLE}</style></head><body>\n<h1>Evals of {name}</h1>\n<p>{} &middot; {} &middot; {} runs of each</p>\n",
        escape(&benchmark.model),
        escape(&benchmark.timestamp),
        benchmark.runs_per_configuration,
    );
    if !benchmark.runs.is_empty() {
        page.push_str(&summary(benchmark));
        page.push_str(&chart(benchmark));
        page.push_str(&details(benchmark));
    }
    page.push_str(&triggers(benchmark));
    page.push_str("</body></html>\n");
    page
}

fn summary(benchmark: &Benchmark) -> String {
    let all = &benchmark.run_summary;
    let row = |what: &str,
               with: Spread,
               without: Spread,
               delta: String,
               show: fn(f64) -> String| {
        format!(
            "<tr><th scope=\"row\">{what}</th><td class=\"n\">{} ± {}</td><td class=\"n\">{} ± {}</td><td class=\"n\">{delta}</td></tr>\n",
            show(with.mean),
            show(with.stddev),
            show(without.mean),
            show(without.stddev),
        )
    };
    let percent: fn(f64) -> String = |it| format!("{:.0}%", it * 100.0);
    let seconds: fn(f64) -> String = |it| format!("{it:.2} s");
    let tokens: fn(f64) -> String = |it| format!("{it:.0}");
    let (with, without, delta) = (&all.with_skill, &all.without_skill, &all.delta);
    let mut table = "<table><thead><tr><th></th><th class=\"n\">with the skill</th><th class=\"n\">without</th><th class=\"n\">difference</th></tr></thead><tbody>\n".to_owned();
    let points = format!("{:+.0} points", delta.pass_rate * 100.0);
    table += &row(
        "pass rate",
        with.pass_rate,
        without.pass_rate,
        points,
        percent,
    );
    let time = format!("{:+.2} s", delta.time_seconds);
    table += &row(
        "time",
        with.time_seconds,
        without.time_seconds,
        time,
        seconds,
    );
    table += &row(
        "tokens",
        with.tokens,
        without.tokens,
        format!("{:+.0}", delta.tokens),
        tokens,
    );
    table + "</tbody></table>\n"
}

/// The mean pass rate of each prompt, with the skill and without it, as bars.
fn chart(benchmark: &Benchmark) -> String {
    let mut ids: Vec<&str> = Vec::new();
    for run in &benchmark.runs {
        if !ids.contains(&run.eval_id.as_str()) {
            ids.push(&run.eval_id);
        }
    }
    let height = ids.len() * BAR * 3 + BAR;
    let mut svg = format!(
        "<svg role=\"img\" aria-label=\"Pass rate of each eval, with the skill and without it\" viewBox=\"0 0 {} {height}\" width=\"{}\" height=\"{height}\">\n",
        LEFT + WIDTH + 60,
        LEFT + WIDTH + 60,
    );
    for (index, id) in ids.iter().enumerate() {
        let top = index * BAR * 3 + BAR / 2;
        let label: String = id.chars().take(20).collect();
        let _ = writeln!(
            svg,
            "<text x=\"0\" y=\"{}\">{}</text>",
            top + BAR + 4,
            escape(&label)
        );
        let bars = [
            (Configuration::WithSkill, "with", 0),
            (Configuration::WithoutSkill, "without", BAR),
        ];
        for (configuration, class, below) in bars {
            let rate = mean(&benchmark.runs, id, configuration);
            let percent = format!("{:.0}%", rate * 100.0);
            let width = format!("{:.1}", rate * share(WIDTH, 1));
            let text = format!("{:.1}", share(LEFT + 6, 1) + rate * share(WIDTH, 1));
            let _ = writeln!(
                svg,
                "<rect class=\"{class}\" x=\"{LEFT}\" y=\"{}\" width=\"{width}\" height=\"{}\"/><text x=\"{text}\" y=\"{}\">{percent}</text>",
                top + below,
                BAR - 2,
                top + below + BAR - 4,
            );
        }
    }
    svg + "</svg>\n"
}

fn mean(runs: &[Run], id: &str, configuration: Configuration) -> f64 {
    let own = runs
        .iter()
        .filter(|run| run.eval_id == id && run.configuration == configuration);
    Spread::of(&own.map(|run| run.pass_rate).collect::<Vec<_>>()).mean
}

fn details(benchmark: &Benchmark) -> String {
    let mut text = String::new();
    for run in &benchmark.runs {
        let which = match run.configuration {
            Configuration::WithSkill => "with",
            Configuration::WithoutSkill => "without",
        };
        let _ = writeln!(
            text,
            "<details><summary>eval {}, run {}, {which} the skill: {:.0}%, {:.2} s, {} tokens, {} tool calls</summary>",
            escape(&run.eval_id),
            run.run_number,
            run.pass_rate * 100.0,
            run.time_seconds,
            run.tokens,
            run.tool_calls,
        );
        if let Some(error) = &run.error {
            let _ = writeln!(text, "<p class=\"bad\">{}</p>", escape(error));
        }
        text.push_str("<ul>");
        for graded in &run.expectations {
            let (mark, class) = if graded.passed {
                ("✓", "")
            } else {
                ("✗", " class=\"bad\"")
            };
            let why = if graded.evidence.is_empty() {
                String::new()
            } else {
                format!(" — {}", escape(&graded.evidence))
            };
            let _ = writeln!(text, "<li{class}>{mark} {}{why}</li>", escape(&graded.text));
        }
        text.push_str("</ul></details>\n");
    }
    text
}

fn triggers(benchmark: &Benchmark) -> String {
    let Some(summary) = benchmark.trigger_summary else {
        return String::new();
    };
    let mut text = format!(
        "<h2>Triggers</h2>\n<p>Used where it should be: {:.0}%. Used where it should not be: {:.0}%. Right: {:.0}%.</p>\n<table><thead><tr><th>message</th><th>should be used</th><th class=\"n\">was used</th></tr></thead><tbody>\n",
        summary.trigger_rate * 100.0,
        summary.false_trigger_rate * 100.0,
        summary.accuracy * 100.0,
    );
    for run in &benchmark.triggers {
        let right = (run.triggered * 2 > run.runs) == run.should_trigger;
        let class = if right { "" } else { " class=\"bad\"" };
        let should = if run.should_trigger { "yes" } else { "no" };
        let _ = writeln!(
            text,
            "<tr{class}><td>{}</td><td>{should}</td><td class=\"n\">{} of {}</td></tr>",
            escape(&run.query),
            run.triggered,
            run.runs,
        );
    }
    text + "</tbody></table>\n"
}

/// A text that a browser shows and never runs.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' => {}
            c => out.push(c),
        }
    }
    out
}
