//! `prowess audit`: security findings of skills.

mod allowed;
mod arguments;
mod collect;
mod document;
mod explain;
mod human;
mod sarif;
mod self_test;
mod skill_scanners;

use std::io::ErrorKind;

use prowess_core::{SkillId, Skills};
use prowess_runtime::Runtime;
use prowess_scan::{File, Report, Rules, Verdict};
use prowess_spec::{Context, parse};
use rayon::prelude::*;
use serde_json::Value;

use crate::arguments::Global;
use crate::error::{CommandError, Result};
use crate::exit::Exit;
use crate::progress::Progress;
use crate::{code_skills, configuration, terminal};
use arguments::AuditFormat;
use collect::SkillLocation;

pub(crate) use allowed::AllowedFindings;
pub(crate) use arguments::AuditArguments;
pub use explain::rules_reference;

/// A skill with the report about it.
pub(crate) struct AuditedSkill {
    /// How a person names it: a path, or an id.
    pub(crate) name: String,
    /// The files, by their paths in the skill; after the audit only those with findings.
    pub(crate) files: Vec<(String, Vec<u8>)>,
    /// How many files there are.
    pub(crate) count: usize,
    /// Unreadable files, and why.
    pub(crate) unreadable: Vec<(String, String)>,
    /// The digest of all files.
    pub(crate) digest: String,
    /// The findings.
    pub(crate) report: Report,
    /// Findings that the user accepted.
    pub(crate) allowed: usize,
    /// Whether the user accepted what could not be read.
    pub(crate) unread_allowed: bool,
}

impl AuditedSkill {
    /// Whether something that may be code could not be read.
    pub(crate) fn has_unread_code(&self) -> bool {
        !self.unread_allowed
            && (!self.unreadable.is_empty() || self.report.unread_code().next().is_some())
    }

    /// The verdict of the audit.
    pub(crate) fn verdict(&self) -> Verdict {
        match self.report.verdict() {
            Verdict::Clean if self.has_unread_code() => Verdict::Unverified,
            Verdict::Unverified if self.unread_allowed => Verdict::Clean,
            verdict => verdict,
        }
    }

    fn scan(&mut self, rules: &Rules) {
        self.report = scan(rules, &self.files, &self.unreadable);
    }

    /// Leaves out what the user accepted, and the files that nothing was found in.
    fn settle(&mut self, allowed: &AllowedFindings) {
        let accepted = allowed.apply(&mut self.report, std::slice::from_ref(&self.digest));
        (self.allowed, self.unread_allowed) = (accepted.count, accepted.unread);
        let findings = &self.report.findings;
        self.files
            .retain(|(path, _)| findings.iter().any(|found| found.file == *path));
    }
}

pub(crate) fn run(arguments: &AuditArguments, global: &Global) -> Result<Exit> {
    if let Some(rule) = &arguments.explain {
        return explain::run(rule);
    }
    if arguments.self_test {
        return self_test::run(arguments.format());
    }
    let allowed = AllowedFindings::new(&configuration::load(global)?);
    let mut found = Vec::new();
    let mut failures = Vec::new();
    for target in &arguments.targets {
        match collect::skills(target, &arguments.code_skills.sources, global) {
            Ok(skills) => found.extend(skills),
            Err(error) => failures.push(error),
        }
    }
    // One wrong path does not hide what is in the others.
    if found.is_empty()
        && let Some(error) = failures.pop()
    {
        failures.iter().for_each(CommandError::print);
        return Err(error);
    }
    failures.iter().for_each(CommandError::print);
    let audited = code_skills::block_on(audit_all(arguments, global, found, &allowed))?;
    let printed = match arguments.format() {
        AuditFormat::Human => human::print(&audited, global.quiet),
        AuditFormat::Json => terminal::print_json(&document::document(&audited)),
        AuditFormat::Sarif => terminal::print(&sarif::render(&audited)),
    };
    // A reader that has seen enough does not change the result.
    match printed {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => return Err(error.into()),
        _ if !failures.is_empty() => return Ok(Exit::Failure),
        _ => {}
    }
    let limit = arguments.fail_on.severity();
    let worst = audited
        .iter()
        .filter_map(|skill| skill.report.worst())
        .min();
    Ok(match worst {
        // The worst comes first in the order of the type.
        Some(worst) if worst <= limit => Exit::Findings,
        // Unread code cannot be declared harmless.
        _ if audited.iter().any(AuditedSkill::has_unread_code) => Exit::Findings,
        _ => Exit::Success,
    })
}

/// The audit of a skill by the rules of this program, as `--json` prints it.
pub(crate) fn of_skill(skills: &Skills, id: &SkillId) -> Result<Value> {
    let mut audited = collect::by_id(skills, id)?;
    audited.scan(&code_skills::base_rules());
    Ok(serde_json::to_value(document::row(&audited)).unwrap_or_default())
}

async fn audit_all(
    arguments: &AuditArguments,
    global: &Global,
    found: Vec<SkillLocation>,
    allowed: &AllowedFindings,
) -> Result<Vec<AuditedSkill>> {
    let auditors = code_skills::auditors(&arguments.code_skills, global).await?;
    let added = auditors.iter().flat_map(Runtime::security_rules);
    let rules = added.fold(code_skills::base_rules(), Rules::with);
    let progress = Progress::new("skills");
    let audited = match auditors {
        Some(runtime) => {
            let mut audited = Vec::new();
            for location in found {
                let mut skill = location.read();
                skill.scan(&rules);
                skill_scanners::add(&runtime, &skill.files, &mut skill.report).await;
                skill.settle(allowed);
                audited.push(skill);
                progress.step();
            }
            runtime.shut_down().await;
            audited
        }
        None => found
            .into_par_iter()
            .map(|location| {
                let mut skill = location.read();
                skill.scan(&rules);
                skill.settle(allowed);
                progress.step();
                skill
            })
            .collect(),
    };
    progress.finish();
    Ok(audited)
}

fn scan(rules: &Rules, files: &[(String, Vec<u8>)], unread: &[(String, String)]) -> Report {
    let is_skill = |(path, _): &&(String, Vec<u8>)| prowess_spec::is_skill_file(path);
    let skill = files
        .iter()
        .find(is_skill)
        .and_then(|(_, bytes)| parse(bytes, &Context::default()).skill);
    let files = files.iter().map(|(path, bytes)| File { path, bytes });
    // The name of a link says something, too.
    let unread = unread.iter().map(|(path, _)| File { path, bytes: &[] });
    rules.scan(files.chain(unread), skill.as_ref())
}
