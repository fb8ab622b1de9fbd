//! `prowess check`: a compiler's answer about skills.

mod explain;
mod file;
mod find;
mod fix;
mod github;
mod human;
mod json;
mod report;
mod sarif;
mod wire;

use std::time::Instant;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use crate::cli::{CheckArguments, Format, Global};
use crate::exit::Exit;
use crate::terminal;
use file::Fixes;
use report::{Report, SkillReport};

pub(crate) fn run(arguments: &CheckArguments, global: &Global) -> Result<Exit> {
    if let Some(code) = &arguments.explain {
        return explain::run(code);
    }
    let progress = progress();
    let mut report = check(arguments, &progress);
    progress.finish_and_clear();
    if arguments.fix {
        let written = fix::run(&report, arguments.yes)?;
        if written {
            report = check(arguments, &ProgressBar::hidden());
        }
    }
    if global.quiet {
        report.drop_warnings();
    }
    match arguments.format() {
        Format::Human => human::print(&report, global.quiet)?,
        Format::Json => terminal::print(&json::render(&report)?)?,
        Format::Github => terminal::print(&github::render(&report))?,
        Format::Sarif => terminal::print(&sarif::render(&report)?)?,
    }
    Ok(exit(&report))
}

fn exit(report: &Report) -> Exit {
    if !report.problems.is_empty() {
        Exit::Failure
    } else if report.skills.iter().any(|skill| !skill.valid) {
        Exit::Findings
    } else {
        Exit::Success
    }
}

fn check(arguments: &CheckArguments, progress: &ProgressBar) -> Report {
    let start = Instant::now();
    let found = find::skills(&arguments.paths);
    let mut problems = found.problems;
    let fixes = if arguments.fix {
        Fixes::Wanted
    } else {
        Fixes::Unwanted
    };
    progress.set_length(found.directories.len() as u64);
    let outcomes: Vec<Result<SkillReport, report::Problem>> = found
        .directories
        .par_iter()
        .map(|directory| {
            let outcome = file::check(directory, fixes);
            progress.inc(1);
            outcome
        })
        .collect();
    let mut skills = Vec::with_capacity(outcomes.len());
    for outcome in outcomes {
        match outcome {
            Ok(skill) => skills.push(skill),
            Err(problem) => problems.push(problem),
        }
    }
    report::check_dependencies(&mut skills);
    Report {
        skills,
        problems,
        elapsed: start.elapsed(),
    }
}

/// A bar that appears only for somebody who is kept waiting.
fn progress() -> ProgressBar {
    if !terminal::shows_progress() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} skills, {elapsed}") {
        bar.set_style(style);
    }
    bar
}
