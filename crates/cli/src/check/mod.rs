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

use std::path::{Path, PathBuf};
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
use report::Problem;

pub(crate) use arguments::CheckArguments;
pub(crate) use human::print;
pub(crate) use report::Report;
pub(crate) use wire::Document;

pub(crate) fn run(arguments: &CheckArguments, global: &Global) -> Result<Exit> {
    if let Some(code) = &arguments.explain {
        return explain::run(code);
    }
    let least = if global.quiet {
        Severity::Error
    } else {
        Severity::Warning
    };
    let fixes = if arguments.fix {
        Fixes::Wanted
    } else {
        Fixes::Unwanted
    };
    let mut report = check(&arguments.paths, fixes, least);
    if arguments.fix {
        let written = fix::run(&report, arguments.yes)?;
        if written {
            report = check(&arguments.paths, fixes, least);
        }
    }
    match arguments.format() {
        Format::Human => print(&report, global.quiet)?,
        Format::Json => terminal::print(&json::render(&report)?)?,
        Format::Github => terminal::print(&github::render(&report))?,
        Format::Sarif => terminal::print(&sarif::render(&report)?)?,
    }
    let exit = exit(&report);
    // The program ends here; taking a large report apart piece by piece would only keep people waiting.
    std::mem::forget(report);
    Ok(exit)
}

/// Checks the skills of a path, without fixes.
pub(crate) fn check_path(path: &Path, quiet: bool) -> Report {
    let least = if quiet {
        Severity::Error
    } else {
        Severity::Warning
    };
    check(&[path.to_owned()], Fixes::Unwanted, least)
}

pub(crate) fn exit(report: &Report) -> Exit {
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

fn check(paths: &[PathBuf], fixes: Fixes, least: Severity) -> Report {
    let start = Instant::now();
    let progress = Progress::new("skills");
    let unpacked = unpack(paths, fixes);
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
