//! `prowess pack`, from the arguments to the file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess_registry::{PackageTree, pack, package_digest};
use prowess_runtime::NoApprover;
use prowess_spec::{MANIFEST_FILE, is_skill_file};

use super::arguments::PackArguments;
use super::collect::{SkillFiles, collect};
use super::print::{self, Package};
use super::write::{Existing, write};
use super::{keys, print::print_json};
use crate::arguments::Global;
use crate::code_skills::PathOrigin;
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::target::{self, PathKind};
use crate::test_skill::{TestCounts, TestPlan, TestReport};
use crate::{code_skills, test_skill};

/// The version of a skill that states none.
const NO_VERSION: &str = "0.0.0";

pub(crate) fn run(arguments: &PackArguments, global: &Global) -> Result<Exit> {
    if let Some(path) = &arguments.generate_key {
        return keys::generate(path, arguments.json);
    }
    let skill = match prepare(&arguments.path, "pack", arguments.json, global)? {
        Preparation::Ready(skill) => skill,
        Preparation::Refused(exit) => return Ok(exit),
    };
    let PreparedSkill {
        name,
        contents,
        packed,
        counts,
    } = *skill;
    let version = version(&contents.tree)?;
    let file = format!("{name}-{version}.tar.gz");
    let output = arguments
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from(&file));
    let shown_name = output
        .file_name()
        .map(|it| it.to_string_lossy().into_owned());
    let shown_name = shown_name.context("cannot pack: --output is not a file")?;
    let key = arguments.sign.as_deref();
    let signed = key.map(|key| keys::sign_with(key, &packed, &shown_name));
    let signed = signed.transpose()?;
    let existing = if arguments.force {
        Existing::Replace
    } else {
        Existing::Keep
    };
    let written = if arguments.dry_run {
        None
    } else {
        Some(write(&output, &packed, signed.as_ref(), existing)?)
    };
    let package = Package {
        name: &name,
        version: &version,
        path: &output,
        bytes: packed.len(),
        digest: package_digest(&packed).to_string(),
        contents: &contents,
        key: signed.as_ref().map(|it| &it.key),
        written,
        tests_passed: counts.passed,
        tests_not_approved: counts.not_approved,
    };
    if arguments.json {
        print_json(&package)?;
    } else {
        print::print(&package, global.quiet)?;
    }
    Ok(Exit::Success)
}

/// A skill that was checked, tested and packed.
pub(super) struct PreparedSkill {
    pub(super) name: String,
    pub(super) contents: SkillFiles,
    /// The bytes of the package.
    pub(super) packed: Vec<u8>,
    pub(super) counts: TestCounts,
}

/// What became of a skill that is to be packed.
pub(super) enum Preparation {
    Ready(Box<PreparedSkill>),
    /// It has errors, which were printed.
    Refused(Exit),
}

/// Checks, tests and packs the skill of a directory. `verb` is what the user wants to do with it.
pub(super) fn prepare(path: &Path, verb: &str, json: bool, global: &Global) -> Result<Preparation> {
    let shown = path.display();
    let kind = target::kind(path).with_context(|| format!("cannot {verb} {shown}"))?;
    let PathKind::Directory(directory) = kind else {
        let message = format!("cannot {verb} {shown}: not a directory");
        return Err(CommandError::failure(message).hint("pass the directory of a skill"));
    };
    let report = code_skills::block_on(test(&directory, global))?;
    if let Some(exit) = refusal(&report, verb, json, global)? {
        return Ok(Preparation::Refused(exit));
    }
    let name = skill_name(&report, &directory)?;
    let contents = collect(&directory, &name)?;
    let packed = pack(&contents.tree)
        .map_err(|error| CommandError::failure(crate::error::message_of(&error)))?;
    Ok(Preparation::Ready(Box::new(PreparedSkill {
        name,
        contents,
        packed,
        counts: report.counts(),
    })))
}

/// Checks and tests the skill, without a question.
async fn test(directory: &Path, global: &Global) -> Result<TestReport> {
    let plan = TestPlan {
        path: directory,
        origin: PathOrigin::Default,
        only: None,
        approve_skills: &[],
        approver: Arc::new(NoApprover),
    };
    plan.run(global).await
}

/// Reports what stops the package. Code that is not approved does not.
fn refusal(report: &TestReport, verb: &str, json: bool, global: &Global) -> Result<Option<Exit>> {
    let counts = report.counts();
    let checked = crate::check::exit(&report.check);
    if checked == Exit::Success && counts.failed + counts.not_run == 0 {
        return Ok(None);
    }
    if json {
        let message = format!("cannot {verb}: the skill has errors or failing test cases");
        let hint = "run `prowess test` for details";
        return Err(CommandError::failure(message).hint(hint));
    }
    test_skill::print(report, global.quiet)?;
    crate::terminal::print_problem(&format!("cannot {verb}: fix these errors first"), None);
    Ok(Some(if counts.not_run > 0 {
        Exit::Failure
    } else {
        match checked {
            Exit::Success => Exit::Findings,
            exit => exit,
        }
    }))
}

/// The name of the one skill of the directory.
fn skill_name(report: &TestReport, directory: &Path) -> Result<String> {
    let is_here = |name: &str| is_skill_file(name) || name == MANIFEST_FILE;
    let mut entries = fs::read_dir(directory)?.flatten();
    let has_skill = entries.any(|entry| entry.file_name().to_str().is_some_and(is_here));
    match report.check.skills.as_slice() {
        [skill] if has_skill => skill
            .name
            .clone()
            .context("cannot pack: the skill has no name"),
        skills => {
            let count = skills.len();
            let message = format!("cannot pack {}: it is not a skill", directory.display());
            let hint = format!("pass the directory of one skill; {count} are below it");
            Err(CommandError::failure(message).hint(hint))
        }
    }
}

/// The version, as part of a file name.
fn version(tree: &PackageTree) -> Result<String> {
    let version = tree.version();
    let version = version.unwrap_or_else(|| NO_VERSION.to_owned());
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-+".contains(c);
    let is_number = version.starts_with(|c: char| c.is_ascii_alphanumeric());
    if version.len() > 64 || !is_number || !version.chars().all(is_plain) {
        let shown = version.escape_debug();
        let message = format!("cannot pack: invalid version `{shown}`: expected one such as 1.2.0");
        return Err(CommandError::failure(message));
    }
    Ok(version)
}
