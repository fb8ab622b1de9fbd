//! Checking one skill's folder.

use std::fs;
use std::io;
use std::path::Path;

use prowess_spec::{
    Context, Diagnostic, MANIFEST_FILE, Severity, Skill, SkillPath, advise, choose_skill_file, fix,
    manifest, parse,
};

use super::find::SkillDirectory;
use super::read;
use super::report::{Change, FileReport, Problem, SkillReport};

/// Whether to compute the fixed file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fixes {
    Wanted,
    Unwanted,
}

pub(crate) fn check(
    directory: SkillDirectory,
    fixes: Fixes,
    least: Severity,
) -> Result<SkillReport, Problem> {
    let own_name = directory.path.file_name().and_then(|name| name.to_str());
    let resolved = if own_name.is_none() {
        resolved_name(&directory.path)
    } else {
        None
    };
    let exists = |path: &str| {
        SkillPath::parse(path).is_ok_and(|path| directory.path.join(path.as_str()).exists())
    };
    let context = Context {
        directory: own_name.or(resolved.as_deref()),
        exists: Some(&exists),
    };
    let mut report = SkillReport {
        path: shown(&directory.path),
        name: None,
        valid: true,
        least,
        findings: Vec::new(),
        files: Vec::new(),
        manifest: None,
    };
    let mut skill = None;
    let spellings: Vec<&str> = directory.skill_files.iter().map(String::as_str).collect();
    if let Some((file, about_name)) = choose_skill_file(&spellings) {
        let path = directory.path.join(file);
        let bytes = match directory.standard {
            Some(file) => read::regular(file),
            None => read::open(&directory.path, file).and_then(read::regular),
        };
        let bytes = bytes.map_err(|error| unreadable(&path, &error))?;
        skill = check_skill(&path, bytes, about_name, &context, fixes, &mut report);
    }
    if directory.has_manifest {
        check_manifest(&directory.path, skill.as_ref(), &context, &mut report)?;
    }
    let from_manifest = report
        .manifest
        .as_ref()
        .map(|(manifest, _)| manifest.name.to_string());
    report.name = skill.map(|skill| skill.name.to_string()).or(from_manifest);
    Ok(report)
}

fn check_skill(
    path: &Path,
    bytes: Vec<u8>,
    about_name: Vec<Diagnostic>,
    context: &Context<'_>,
    fixes: Fixes,
    report: &mut SkillReport,
) -> Option<Skill> {
    let parsed = parse(&bytes, context);
    let advice = advise(&bytes, &parsed);
    let skill = parsed.skill;
    let mut diagnostics: Vec<_> = about_name.into_iter().chain(parsed.diagnostics).collect();
    diagnostics.extend(advice);
    let text = std::str::from_utf8(&bytes)
        .ok()
        .filter(|_| fixes == Fixes::Wanted);
    let after = text
        .and_then(|text| fix(text, context))
        .map(|fixed| fixed.text);
    add(report, path, &bytes, diagnostics);
    if let (Some(after), Some(file)) = (after, report.files.last_mut()) {
        let before = bytes;
        file.change = Some(Change { before, after });
    }
    skill
}

fn check_manifest(
    directory: &Path,
    skill: Option<&Skill>,
    context: &Context<'_>,
    report: &mut SkillReport,
) -> Result<(), Problem> {
    let path = &directory.join(MANIFEST_FILE);
    let bytes = read::open(directory, MANIFEST_FILE).and_then(read::regular);
    let bytes = bytes.map_err(|error| unreadable(path, &error))?;
    let parsed = manifest::parse(&bytes, context, skill);
    add(report, path, &bytes, parsed.diagnostics);
    report.manifest = parsed.manifest.map(|manifest| (manifest, bytes));
    Ok(())
}

fn add(report: &mut SkillReport, path: &Path, bytes: &[u8], diagnostics: Vec<Diagnostic>) {
    report.files.push(FileReport {
        path: shown(path),
        change: None,
    });
    report.add(report.files.len() - 1, bytes, diagnostics);
}

/// The name of a directory that is called `.` or `..`, or not in UTF-8.
fn resolved_name(path: &Path) -> Option<String> {
    let path = fs::canonicalize(path).ok()?;
    Some(path.file_name()?.to_string_lossy().into_owned())
}

/// The path as it is printed.
fn shown(path: &Path) -> String {
    let path = path.strip_prefix(".").unwrap_or(path).display().to_string();
    // A name with a line break could forge a line of the report.
    if path.contains(['\n', '\r']) {
        path.escape_debug().to_string()
    } else {
        path
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Problem {
    Problem {
        path: shown(path),
        message: format!("cannot read {}: {error}", shown(path)),
        hint: None,
    }
}
