//! What a run of `check` found.

use std::time::Duration;

use prowess_spec::manifest::{self, Manifest};
use prowess_spec::{Code, Diagnostic, Edit, LineIndex, Position, Profile, Severity, is_valid};

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
    pub(crate) findings: Vec<Finding>,
    pub(crate) files: Vec<FileReport>,
    pub(crate) manifest: Option<Manifest>,
}

/// A file that has findings, kept to draw its lines.
pub(crate) struct FileReport {
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
    /// The text with everything mended that can be.
    pub(crate) fixed: Option<String>,
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
    pub(crate) fix: Vec<Edit>,
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
    /// Adds what `diagnostics` say about the file at index `file`.
    pub(crate) fn add(&mut self, file: usize, diagnostics: Vec<Diagnostic>) {
        self.valid &= is_valid(&diagnostics, Profile::Check);
        let Some(bytes) = self.files.get(file).map(|file| file.bytes.as_slice()) else {
            return;
        };
        let mut lines = None;
        for found in diagnostics {
            let Some(severity) = found.severity(Profile::Check) else {
                continue;
            };
            let lines = lines.get_or_insert_with(|| LineIndex::new(bytes));
            self.findings.push(Finding {
                file,
                code: found.code,
                severity,
                start: lines.position(found.span.start),
                end: lines.position(found.span.end),
                message: found.message,
                help: found.help,
                fix: found.fix,
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
            counts.fixable += usize::from(!finding.fix.is_empty());
        }
        counts
    }

    pub(crate) fn drop_warnings(&mut self) {
        for skill in &mut self.skills {
            skill
                .findings
                .retain(|finding| finding.severity == Severity::Error);
        }
    }
}

/// Looks at the dependencies among all skills.
pub(crate) fn check_dependencies(skills: &mut [SkillReport]) {
    let with_manifest: Vec<usize> = (0..skills.len())
        .filter(|index| {
            skills
                .get(*index)
                .is_some_and(|skill| skill.manifest.is_some())
        })
        .collect();
    let manifests: Vec<Manifest> = skills
        .iter()
        .filter_map(|skill| skill.manifest.clone())
        .collect();
    let manifests: Vec<&Manifest> = manifests.iter().collect();
    for (index, found) in manifest::check_dependencies(&manifests) {
        let skill = with_manifest
            .get(index)
            .and_then(|index| skills.get_mut(*index));
        if let Some(skill) = skill {
            let file = skill.files.len().saturating_sub(1);
            skill.add(file, vec![found]);
        }
    }
}
