//! `prowess audit`: security findings of skills.

mod arguments;
mod collect;
mod human;
mod sarif;
mod skill_scanners;

use prowess_core::{SkillId, Skills};
use prowess_runtime::Runtime;
use prowess_scan::{File, Report, Rules, Verdict};
use prowess_spec::{Context, parse};
use serde::Serialize;
use serde_json::Value;

use crate::arguments::Global;
use crate::error::Result;
use crate::exit::Exit;
use crate::{code_skills, terminal};
use arguments::AuditFormat;

pub(crate) use arguments::AuditArguments;

/// A skill with its files, as far as they can be read.
pub(crate) struct AuditedSkill {
    /// How a person names it: a path, or an id.
    pub(crate) name: String,
    /// Every file, by its path in the skill.
    pub(crate) files: Vec<(String, Vec<u8>)>,
    /// Unreadable files, and why.
    pub(crate) unreadable: Vec<(String, String)>,
    /// The findings.
    pub(crate) report: Report,
}

impl AuditedSkill {
    /// Whether something that may be code could not be read.
    pub(crate) fn has_unread_code(&self) -> bool {
        !self.unreadable.is_empty() || self.report.unread_code().next().is_some()
    }

    /// The verdict of the audit.
    pub(crate) fn verdict(&self) -> Verdict {
        match self.report.verdict() {
            Verdict::Clean if self.has_unread_code() => Verdict::Unverified,
            verdict => verdict,
        }
    }
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    skills: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    skill: &'a str,
    verdict: Verdict,
    files: usize,
    #[serde(flatten)]
    report: &'a Report,
    unreadable: Vec<Unreadable<'a>>,
}

#[derive(Serialize)]
struct Unreadable<'a> {
    file: &'a str,
    reason: &'a str,
}

pub(crate) fn run(arguments: &AuditArguments, global: &Global) -> Result<Exit> {
    let mut audited = Vec::new();
    for target in &arguments.targets {
        audited.extend(collect::skills(
            target,
            &arguments.code_skills.sources,
            global,
        )?);
    }
    code_skills::block_on(scan_all(arguments, global, &mut audited))?;
    match arguments.format() {
        AuditFormat::Human => human::print(&audited, global.quiet)?,
        AuditFormat::Json => terminal::print_json(&document(&audited))?,
        AuditFormat::Sarif => terminal::print(&sarif::render(&audited))?,
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
    audited.report = scan(&Rules::base(), &audited.files);
    Ok(serde_json::to_value(row(&audited)).unwrap_or_default())
}

async fn scan_all(
    arguments: &AuditArguments,
    global: &Global,
    audited: &mut [AuditedSkill],
) -> Result<()> {
    let auditors = code_skills::auditors(&arguments.code_skills, global).await?;
    let added = auditors.iter().flat_map(Runtime::security_rules);
    let rules = added.fold(Rules::base(), Rules::with);
    for skill in audited {
        skill.report = scan(&rules, &skill.files);
        if let Some(runtime) = &auditors {
            skill_scanners::add(runtime, &skill.files, &mut skill.report).await;
        }
    }
    if let Some(runtime) = auditors {
        runtime.shut_down().await;
    }
    Ok(())
}

fn scan(rules: &Rules, files: &[(String, Vec<u8>)]) -> Report {
    let is_skill = |(path, _): &&(String, Vec<u8>)| prowess_spec::is_skill_file(path);
    let skill = files
        .iter()
        .find(is_skill)
        .and_then(|(_, bytes)| parse(bytes, &Context::default()).skill);
    let files = files.iter().map(|(path, bytes)| File { path, bytes });
    rules.scan(files, skill.as_ref())
}

fn document(audited: &[AuditedSkill]) -> Document<'_> {
    Document {
        version: 1,
        skills: audited.iter().map(row).collect(),
    }
}

fn row(skill: &AuditedSkill) -> Row<'_> {
    let unreadable = skill.unreadable.iter();
    Row {
        skill: &skill.name,
        verdict: skill.verdict(),
        files: skill.files.len(),
        report: &skill.report,
        unreadable: unreadable
            .map(|(file, reason)| Unreadable { file, reason })
            .collect(),
    }
}
