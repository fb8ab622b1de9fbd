//! The parts of the page.

use std::fmt::Write as _;

use super::chart::{Bar, Group, chart};
use super::escape::escape;
use crate::eval::summary::share;
use crate::eval::{Benchmark, Configuration, Figure, Run, Spreads, Summary, TriggerRun};

/// Notes for the reader.
pub(super) fn notes(benchmark: &Benchmark) -> String {
    let mut lines = Vec::new();
    if benchmark.partial {
        lines.push("The evaluation was stopped early: some runs are missing.".to_owned());
    }
    let Summary {
        with_skill,
        without_skill,
        ..
    } = &benchmark.run_summary;
    let of_messages: usize = benchmark.triggers.iter().map(|it| it.errors).sum();
    match with_skill.errors + without_skill.errors + of_messages {
        0 => {}
        1 => lines.push("1 run had no answer and counts as failed.".to_owned()),
        many => lines.push(format!("{many} runs had no answer and count as failed.")),
    }
    lines.extend(benchmark.notes.iter().map(|note| escape(note)));
    if lines.is_empty() {
        return String::new();
    }
    format!(
        "<div class=\"warn\"><p>{}</p></div>\n",
        lines.join("</p><p>")
    )
}

/// The figures that matter, large.
pub(super) fn cards(benchmark: &Benchmark) -> String {
    let card = |value: &str, what: &str, more: &str| {
        format!("<div><b>{value}</b>{what}<br><span class=\"soft\">{more}</span></div>")
    };
    let mut cards = String::new();
    let all = &benchmark.run_summary;
    for figure in Figure::ALL
        .into_iter()
        .filter(|_| !benchmark.runs.is_empty())
    {
        let with = figure.of(&all.with_skill).mean;
        let without = figure.of(&all.without_skill).mean;
        let more = format!(
            "{} without, {}",
            figure.show(without),
            figure.show_difference(with - without)
        );
        let what = format!("{} with the skill", all.name_of(figure));
        cards += &card(&figure.show(with), &what, &more);
    }
    if let Some(triggers) = benchmark.trigger_summary {
        let show = |value| Figure::PassRate.show(value);
        let more = format!(
            "used in {} of the positive cases, in {} of the negative cases",
            show(triggers.trigger_rate),
            show(triggers.false_trigger_rate)
        );
        cards += &card(&show(triggers.accuracy), "trigger accuracy", &more);
    }
    format!("<div class=\"cards\">{cards}</div>\n")
}

/// Every eval and every message as bars.
pub(super) fn charts(benchmark: &Benchmark) -> String {
    let mut charts = String::new();
    let evals = benchmark.by_eval();
    if !evals.is_empty() {
        for figure in Figure::ALL {
            let groups: Vec<Group> = evals.iter().map(|it| group(figure, it)).collect();
            let bars = groups.iter().flat_map(|group| &group.bars);
            let longest = bars.map(|bar| bar.value + bar.spread).fold(0.0, f64::max);
            let (title, whole) = match figure {
                Figure::PassRate => ("Pass rate", 1.0),
                Figure::Tokens if benchmark.run_summary.is_estimated() => {
                    ("Estimated tokens", longest)
                }
                Figure::Tokens => ("Tokens", longest),
                Figure::Time => ("Time", longest),
            };
            charts += &chart(title, &groups, whole);
        }
    }
    for (should, class, title) in [
        (true, "with", "Used in positive cases"),
        (false, "bad", "Used in negative cases"),
    ] {
        let runs = benchmark.triggers.iter();
        let runs = runs.filter(|run| run.should_trigger == should);
        let groups: Vec<Group> = runs.map(|run| used(run, class)).collect();
        if !groups.is_empty() {
            charts += &chart(title, &groups, 1.0);
        }
    }
    let key = if evals.is_empty() {
        ""
    } else {
        "<p class=\"key\"><span><i class=\"with\"></i>with the skill</span><span><i class=\"without\"></i>without it</span><span><i class=\"one\"></i>one standard deviation</span></p>\n"
    };
    format!("{key}<div class=\"charts\">\n{charts}</div>\n")
}

fn group(figure: Figure, (id, summary): &(&str, Summary)) -> Group {
    let bar = |class: &'static str, spreads: &Spreads| {
        let spread = figure.of(spreads);
        Bar {
            class,
            value: spread.mean,
            spread: spread.stddev,
            text: figure.show(spread.mean),
        }
    };
    Group {
        label: (*id).to_owned(),
        bars: vec![
            bar("with", &summary.with_skill),
            bar("without", &summary.without_skill),
        ],
    }
}

fn used(run: &TriggerRun, class: &'static str) -> Group {
    Group {
        label: run.query.clone(),
        bars: vec![Bar {
            class,
            value: share(run.triggered, run.runs),
            spread: 0.0,
            text: format!("{} of {}", run.triggered, run.runs),
        }],
    }
}

/// The figures of all evals together, and of each.
pub(super) fn summary(benchmark: &Benchmark) -> String {
    let mut rows = String::new();
    let mut row = |what: &str, figure: Figure, summary: &Summary| {
        let (with, without) = (
            figure.of(&summary.with_skill),
            figure.of(&summary.without_skill),
        );
        let _ = writeln!(
            rows,
            "<tr><th scope=\"row\">{what}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            figure.show_spread(with),
            figure.show_spread(without),
            figure.show_difference(with.mean - without.mean),
        );
    };
    for (id, summary) in benchmark.by_eval() {
        row(&escape(id), Figure::PassRate, &summary);
    }
    for figure in Figure::ALL {
        let name = format!("all: {}", benchmark.run_summary.name_of(figure));
        row(&name, figure, &benchmark.run_summary);
    }
    format!(
        "<h2>Figures</h2>\n<div class=\"wide\"><table><thead><tr><th></th><th class=\"n\">with the skill</th><th class=\"n\">without</th><th class=\"n\">difference</th></tr></thead><tbody>\n{rows}</tbody></table></div>\n"
    )
}

/// Each message, and how often the skill was used for it.
pub(super) fn triggers(benchmark: &Benchmark) -> String {
    if benchmark.triggers.is_empty() {
        return String::new();
    }
    let mut rows = String::new();
    for run in &benchmark.triggers {
        let class = if run.is_right() { "" } else { " class=\"bad\"" };
        let should = if run.should_trigger { "yes" } else { "no" };
        let errors = match run.errors {
            0 => String::new(),
            errors => format!(", {errors} without an answer"),
        };
        let _ = writeln!(
            rows,
            "<tr{class}><td>{}</td><td>{should}</td><td class=\"n\">{} of {}{errors}</td></tr>",
            escape(&run.query),
            run.triggered,
            run.runs,
        );
    }
    format!(
        "<h2>Messages</h2>\n<div class=\"wide\"><table><thead><tr><th>message</th><th>should use it</th><th class=\"n\">did</th></tr></thead><tbody>\n{rows}</tbody></table></div>\n"
    )
}

/// Each run, with its answer and what was found in it.
pub(super) fn details(benchmark: &Benchmark) -> String {
    let mut text = "<h2>Runs</h2>\n".to_owned();
    let mut last = None;
    for run in &benchmark.runs {
        if last != Some(&run.eval_id) {
            let _ = writeln!(text, "<h3>eval {}</h3>", escape(&run.eval_id));
            last = Some(&run.eval_id);
        }
        text += &detail(run);
    }
    text
}

fn detail(run: &Run) -> String {
    let which = match run.configuration {
        Configuration::WithSkill => "with",
        Configuration::WithoutSkill => "without",
    };
    let outcome = match run.error {
        Some(_) => "<span class=\"bad\">error</span>".to_owned(),
        None => Figure::PassRate.show(run.pass_rate),
    };
    let calls = match run.tool_calls {
        1 => "1 tool call".to_owned(),
        calls => format!("{calls} tool calls"),
    };
    let tokens = if run.tokens_estimated {
        "estimated tokens"
    } else {
        "tokens"
    };
    let mut text = format!(
        "<details><summary>{which} the skill, run {}: {outcome} <span class=\"soft\">{}, {} {tokens}, {calls}</span></summary>\n",
        run.run_number,
        Figure::Time.show(run.time_seconds),
        run.tokens,
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
        let why = match graded.evidence.as_str() {
            "" => String::new(),
            evidence => format!(" <span class=\"soft\">({})</span>", escape(evidence)),
        };
        let _ = writeln!(text, "<li{class}>{mark} {}{why}</li>", escape(&graded.text));
    }
    text.push_str("</ul>");
    if !run.answer.is_empty() {
        let _ = writeln!(text, "<pre>{}</pre>", escape(&run.answer));
    }
    text + "</details>\n"
}
