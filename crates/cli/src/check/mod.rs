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
use rayon::prelude::*;

use crate::cli::{CheckArguments, Format, Global};
use crate::exit::Exit;
use crate::progress::Progress;
use crate::terminal;
use file::Fixes;
use report::{Report, SkillReport};

pub(crate) fn run(arguments: &CheckArguments, global: &Global) -> Result<Exit> {
    if let Some(code) = &arguments.explain {
        return explain::run(code);
    }
    let mut report = check(arguments);
    if arguments.fix {
        let written = fix::run(&report, arguments.yes)?;
        if written {
            report = check(arguments);
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

fn check(arguments: &CheckArguments) -> Report {
    let start = Instant::now();
    let found = find::skills(&arguments.paths);
    let mut problems = found.problems;
    let fixes = if arguments.fix {
        Fixes::Wanted
    } else {
        Fixes::Unwanted
    };
    let progress = Progress::new(found.directories.len(), "skills");
    let outcomes: Vec<Result<SkillReport, report::Problem>> = found
        .directories
        .par_iter()
        .map(|directory| {
            let outcome = file::check(directory, fixes);
            progress.step();
            outcome
        })
        .collect();
    progress.finish();
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
