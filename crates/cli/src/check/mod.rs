//! `prowess check`: a compiler's answer about skills.

mod arguments;
pub(crate) mod excerpt;
mod explain;
mod file;
mod find;
mod fix;
mod github;
mod human;
mod json;
mod read;
mod report;
pub(crate) mod sarif;
mod wire;

use std::time::Instant;

use prowess_spec::Severity;

use crate::arguments::Global;
use crate::error::Result;
use crate::exit::Exit;
use crate::progress::Progress;
use crate::terminal;
use arguments::Format;
use file::Fixes;
use report::Report;

pub(crate) use arguments::CheckArguments;

pub(crate) fn run(arguments: &CheckArguments, global: &Global) -> Result<Exit> {
    if let Some(code) = &arguments.explain {
        return explain::run(code);
    }
    let least = if global.quiet {
        Severity::Error
    } else {
        Severity::Warning
    };
    let mut report = check(arguments, least);
    if arguments.fix {
        let written = fix::run(&report, arguments.yes)?;
        if written {
            report = check(arguments, least);
        }
    }
    match arguments.format() {
        Format::Human => human::print(&report, global.quiet)?,
        Format::Json => terminal::print(&json::render(&report)?)?,
        Format::Github => terminal::print(&github::render(&report))?,
        Format::Sarif => terminal::print(&sarif::render(&report)?)?,
    }
    let exit = exit(&report);
    // The program ends here; taking a large report apart piece by piece would only keep people waiting.
    std::mem::forget(report);
    Ok(exit)
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

fn check(arguments: &CheckArguments, least: Severity) -> Report {
    let start = Instant::now();
    let fixes = if arguments.fix {
        Fixes::Wanted
    } else {
        Fixes::Unwanted
    };
    let progress = Progress::new("skills");
    let mut found = find::skills(&arguments.paths, &|directory| {
        let outcome = file::check(directory, fixes, least);
        progress.step();
        outcome
    });
    progress.finish();
    report::check_dependencies(&mut found.skills);
    Report {
        skills: found.skills,
        problems: found.problems,
        elapsed: start.elapsed(),
    }
}
