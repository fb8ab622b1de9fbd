//! The results of `check`.

use std::time::Duration;

use super::excerpt::{Excerpt, excerpt};
use prowess_spec::manifest::{self, Manifest};
use prowess_spec::{Code, Diagnostic, LineIndex, Position, Profile, Severity, is_valid};

/// Everything, in the order in which it is printed.
pub(crate) struct Report {
    pub(crate) skills: Vec<SkillReport>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) elapsed: Duration,
}

/// A path that could not be looked at.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) path: String,
    pub(crate) message: String,
    pub(crate) hint: Option<&'static str>,
}

/// One skill's folder.
pub(crate) struct SkillReport {
    /// The folder, as the user wrote the way to it.
    pub(crate) path: String,
    pub(crate) name: Option<String>,
    pub(crate) valid: bool,
    /// Irrelevant diagnostics are dropped.
    pub(crate) least: Severity,
    pub(crate) findings: Vec<Finding>,
    pub(crate) files: Vec<FileReport>,
    /// The manifest with its file, for the check of dependencies.
    pub(crate) manifest: Option<(Manifest, Vec<u8>)>,
}

/// A file of a skill.
pub(crate) struct FileReport {
    pub(crate) path: String,
    /// The changes of the fixes, if requested.
    pub(crate) change: Option<Change>,
}

/// A file before and after the fixes.
pub(crate) struct Change {
    pub(crate) before: Vec<u8>,
    pub(crate) after: String,
}

/// A diagnostic in its file, as `check` sees it.
#[derive(Clone)]
pub(crate) struct Finding {
    /// Index into the skill's files.
    pub(crate) file: usize,
    pub(crate) code: Code,
    pub(crate) severity: Severity,
    pub(crate) start: Position,
    pub(crate) end: Position,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) fixable: bool,
    pub(crate) excerpt: Excerpt,
}

/// How much was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) skills: usize,
    pub(crate) invalid: usize,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    pub(crate) fixable: usize,
}

impl SkillReport {
    /// Adds `diagnostics` about the file at index `file`.
    pub(crate) fn add(&mut self, file: usize, bytes: &[u8], diagnostics: Vec<Diagnostic>) {
        self.valid &= is_valid(&diagnostics, Profile::Check);
        let mut lines = None;
        for found in diagnostics {
            let severity = found.severity(Profile::Check);
            let Some(severity) = severity.filter(|severity| *severity >= self.least) else {
                continue;
            };
            let lines = lines.get_or_insert_with(|| LineIndex::new(bytes));
            let start = lines.position(found.span.start);
            let end = lines.position(found.span.end);
            self.findings.push(Finding {
                file,
                code: found.code,
                severity,
                start,
                end,
                message: found.message,
                help: found.help,
                fixable: !found.fix.is_empty(),
                excerpt: excerpt(bytes, start, end),
            });
        }
    }

    pub(crate) fn file(&self, finding: &Finding) -> Option<&FileReport> {
        self.files.get(finding.file)
    }
}

impl Report {
    pub(crate) fn counts(&self) -> Counts {
        let mut counts = Counts {
            skills: self.skills.len(),
            invalid: self.skills.iter().filter(|skill| !skill.valid).count(),
            ..Counts::default()
        };
        for finding in self.skills.iter().flat_map(|skill| &skill.findings) {
            match finding.severity {
                Severity::Error => counts.errors += 1,
                Severity::Warning => counts.warnings += 1,
            }
            counts.fixable += usize::from(finding.fixable);
        }
        counts
    }
}

/// Looks at the dependencies among all skills.
pub(crate) fn check_dependencies(skills: &mut [SkillReport]) {
    let mut manifests = Vec::new();
    let mut owners = Vec::new();
    for (index, skill) in skills.iter().enumerate() {
        if let Some((manifest, _)) = &skill.manifest {
            manifests.push(manifest);
            owners.push(index);
        }
    }
    let found = manifest::check_dependencies(&manifests);
    for (index, diagnostic) in found {
        let skill = owners.get(index).and_then(|index| skills.get_mut(*index));
        if let Some(skill) = skill
            && let Some((_, bytes)) = &skill.manifest
        {
            let bytes = bytes.clone();
            let file = skill.files.len().saturating_sub(1);
            skill.add(file, &bytes, vec![diagnostic]);
        }
    }
}
