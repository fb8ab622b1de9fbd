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

use std::path::PathBuf;
use std::time::Instant;

use prowess_spec::Severity;

use crate::arguments::Global;
use crate::error::Result;
use crate::exit::Exit;
use crate::progress::Progress;
use crate::target::{self, PathKind, Target};
use crate::terminal;
use arguments::Format;
use file::Fixes;
use find::SearchResults;
use report::{Problem, Report};

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

/// The paths to search, with archives unpacked.
#[derive(Default)]
struct UnpackedPaths {
    paths: Vec<PathBuf>,
    archives: Vec<Target>,
    problems: Vec<Problem>,
}

impl UnpackedPaths {
    /// Calls what was found in an archive by the name of the archive.
    fn name(self, found: &mut SearchResults) {
        for archive in &self.archives {
            for skill in &mut found.skills {
                skill.path = archive.shown(&skill.path);
                for file in &mut skill.files {
                    file.path = archive.shown(&file.path);
                }
            }
        }
        found.problems.extend(self.problems);
    }
}

fn unpack(paths: &[PathBuf], fixes: Fixes) -> UnpackedPaths {
    let mut unpacked = UnpackedPaths::default();
    for path in paths {
        if !matches!(target::kind(path), Ok(PathKind::Archive)) {
            unpacked.paths.push(path.clone());
            continue;
        }
        let problem = |message: String| Problem {
            path: path.display().to_string(),
            message,
            hint: None,
        };
        if fixes == Fixes::Wanted {
            let message = format!("cannot fix {}: unpack it first", path.display());
            unpacked.problems.push(problem(message));
            continue;
        }
        match Target::open(path) {
            Ok(target) => {
                unpacked.paths.push(target.directory.clone());
                unpacked.archives.push(target);
            }
            Err(error) => unpacked.problems.push(problem(error.message)),
        }
    }
    unpacked
}

fn check(arguments: &CheckArguments, least: Severity) -> Report {
    let start = Instant::now();
    let fixes = if arguments.fix {
        Fixes::Wanted
    } else {
        Fixes::Unwanted
    };
    let progress = Progress::new("skills");
    let unpacked = unpack(&arguments.paths, fixes);
    let mut found = find::skills(&unpacked.paths, &|directory| {
        let outcome = file::check(directory, fixes, least);
        progress.step();
        outcome
    });
    unpacked.name(&mut found);
    progress.finish();
    report::check_dependencies(&mut found.skills);
    Report {
        skills: found.skills,
        problems: found.problems,
        elapsed: start.elapsed(),
    }
}
