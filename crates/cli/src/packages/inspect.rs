//! What a skill is before it is installed: `check`, `audit`, permissions, files and sizes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use prowess_policy::ContentDigest;
use prowess_registry::PackageTree;
use prowess_scan::{File, Finding, Report, Rules, Severity as AuditSeverity, Verdict};
use prowess_spec::manifest::{self, Keyword, Manifest};
use prowess_spec::{
    Context, Diagnostic, LineIndex, MANIFEST_FILE, Profile, SKILL_FILE, Severity, SkillName, parse,
};
use serde::Serialize;

use crate::audit::AllowedFindings;
use crate::severities::count_severities;
use crate::terminal;

/// Findings that are shown one by one.
const SHOWN: usize = 5;

/// What is known about a skill before it is installed.
#[derive(Serialize)]
pub(crate) struct Inspection {
    pub(super) version: Option<String>,
    pub(super) description: String,
    files: usize,
    bytes: u64,
    /// Whether agents can load it at all.
    loads: bool,
    errors: Vec<String>,
    warnings: usize,
    verdict: Verdict,
    findings: Vec<Finding>,
    /// The digest of what was looked at, where findings can be accepted for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    /// Links and other things in its directory that are no part of it, but that an agent sees.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<String>,
    /// Findings that the user accepted before, which are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    accepted: usize,
    pub(super) permissions: Vec<String>,
    /// How its code runs.
    code: Option<String>,
    pub(super) dependencies: Vec<String>,
    /// The digest of each file.
    #[serde(skip)]
    contents: BTreeMap<String, ContentDigest>,
    /// The largest files, with their sizes.
    #[serde(skip)]
    listing: Vec<(String, u64)>,
}

/// What it takes to install a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Consent {
    /// Nothing was found.
    None,
    /// A yes.
    Yes,
    /// A yes to what is most likely harmful or broken: `--yes` does not include it.
    Force,
}

impl Inspection {
    /// Looks at a skill that is to be installed as `name`, without the findings that the user accepted for content with
    /// one of these digests.
    pub(crate) fn new(
        name: &str,
        tree: &PackageTree,
        rules: &Rules,
        allowed: &AllowedFindings,
        digests: &[String],
    ) -> Self {
        let exists = |path: &str| tree.get(path).is_some();
        let context = Context {
            directory: Some(name),
            exists: Some(&exists),
        };
        let mut inspection = Self {
            version: tree.version(),
            description: String::new(),
            files: tree.files().len(),
            bytes: tree.bytes(),
            loads: false,
            errors: Vec::new(),
            warnings: 0,
            verdict: Verdict::Clean,
            findings: Vec::new(),
            digest: digests.first().cloned(),
            unread: Vec::new(),
            accepted: 0,
            permissions: Vec::new(),
            code: None,
            dependencies: Vec::new(),
            contents: tree
                .digests()
                .into_iter()
                .map(|(path, digest)| (path.to_string(), digest))
                .collect(),
            listing: Vec::new(),
        };
        let mut skill = None;
        if let Some(file) = tree.skill_file() {
            let parsed = parse(&file.bytes, &context);
            inspection.diagnose(SKILL_FILE, &file.bytes, &parsed.diagnostics);
            skill = parsed.skill;
        }
        let mut loads = skill.is_some();
        if let Some(file) = tree.get(MANIFEST_FILE) {
            let parsed = manifest::parse(&file.bytes, &context, skill.as_ref());
            inspection.diagnose(MANIFEST_FILE, &file.bytes, &parsed.diagnostics);
            if let Some(manifest) = &parsed.manifest {
                loads |= tree.skill_file().is_none();
                inspection.describe(manifest);
            }
        }
        inspection.loads = loads;
        inspection.dependencies = dependencies(tree);
        if let Some(skill) = &skill {
            inspection.description.clone_from(&skill.description);
        }
        let files = tree.files().map(|(path, file)| File {
            path: path.as_str(),
            bytes: &file.bytes,
        });
        let mut report: Report = rules.scan(files, skill.as_ref());
        let accepted = allowed.apply(&mut report, digests);
        inspection.accepted = accepted.count;
        inspection.verdict = match report.verdict() {
            Verdict::Unverified if accepted.unread => Verdict::Clean,
            verdict => verdict,
        };
        inspection.findings = report.findings;
        let sizes = tree.files();
        let sizes = sizes.map(|(path, file)| (path.to_string(), file.bytes.len() as u64));
        inspection.listing = sizes.collect();
        inspection
    }

    fn diagnose(&mut self, file: &str, bytes: &[u8], diagnostics: &[Diagnostic]) {
        let lines = LineIndex::new(bytes);
        for diagnostic in diagnostics {
            match diagnostic.severity(Profile::Check) {
                Some(Severity::Error) => {
                    let line = lines.position(diagnostic.span.start).line;
                    let message = &diagnostic.message;
                    self.errors.push(format!("{file}:{line}: {message}"));
                }
                Some(Severity::Warning) => self.warnings += 1,
                None => {}
            }
        }
    }

    fn describe(&mut self, manifest: &Manifest) {
        let permissions = manifest.permissions.iter().map(|it| it.as_str().to_owned());
        self.permissions = permissions.collect();
        let code = manifest.implementation.as_ref();
        self.code = code.map(|it| it.backend.as_str().to_owned());
    }

    /// The same with what is in its directory and was not read: it can be anything.
    pub(super) fn with_unread(mut self, unread: Vec<String>) -> Self {
        self.unread = unread;
        self
    }

    pub(super) fn has_unread(&self) -> bool {
        !self.unread.is_empty()
    }

    /// The options that accept what only `--force` accepts elsewhere; none for a skill that cannot be loaded.
    pub(super) fn allow_options(&self) -> Option<String> {
        let digest = self.digest.as_ref().filter(|_| self.loads)?;
        let found = self.findings.iter();
        let serious = found.filter(|found| found.severity <= AuditSeverity::High);
        let rules: BTreeSet<&str> = serious.map(|found| found.rule.as_str()).collect();
        let options = rules.iter().map(|rule| format!("--allow {rule}@{digest}"));
        let options = options.collect::<Vec<_>>().join(" ");
        (!options.is_empty()).then_some(options)
    }

    /// What it takes to install it.
    pub(super) fn consent(&self) -> Consent {
        let worst = self.findings.iter().map(|it| it.severity).min();
        // The worst comes first in the order of the type.
        if !self.loads || worst.is_some_and(|it| it <= AuditSeverity::High) {
            Consent::Force
        } else if self.verdict != Verdict::Clean
            || worst.is_some_and(|it| it < AuditSeverity::Info)
            || !self.errors.is_empty()
            || !self.permissions.is_empty()
            || self.code.is_some()
            || !self.unread.is_empty()
        {
            Consent::Yes
        } else {
            Consent::None
        }
    }

    /// Whether it wants or shows something that an earlier version did not. What is most likely harmful is the same only in a
    /// file with the same bytes: another host is another attack.
    pub(super) fn is_worse_than(&self, before: &Self) -> bool {
        let is_known = |finding: &Finding| {
            let mut known = before.findings.iter();
            let is_same =
                |other: &Finding| other.rule == finding.rule && other.severity == finding.severity;
            if finding.severity > AuditSeverity::High {
                return known.any(is_same);
            }
            let file = finding.file.as_str();
            let is_same_file = self.contents.contains_key(file)
                && self.contents.get(file) == before.contents.get(file);
            is_same_file
                && known.any(|other| {
                    is_same(other)
                        && other.file == finding.file
                        && other.start == finding.start
                        && other.evidence == finding.evidence
                })
        };
        let more = |permission: &String| !before.permissions.contains(permission);
        self.permissions.iter().any(more)
            || self.code.is_some() && self.code != before.code
            || !self.loads && before.loads
            || !self.findings.iter().all(is_known)
            || self.errors.len() > before.errors.len()
            || self.unread.iter().any(|path| !before.unread.contains(path))
            || self.verdict == Verdict::Unverified && before.verdict == Verdict::Clean
    }

    /// The lines about a skill where a yes is needed; none elsewhere.
    pub(super) fn lines_if(&self, needed: Consent, name: &SkillName) -> String {
        if needed == Consent::None {
            return String::new();
        }
        format!("{name}\n{}", self.lines())
    }

    /// The lines that a person reads before the answer.
    pub(crate) fn lines(&self) -> String {
        let mut out = String::new();
        if !self.description.is_empty() {
            let line: String = self.description.chars().take(160).collect();
            let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
            let _ = writeln!(out, "  {line}");
        }
        let mut listing: Vec<String> = self.listing.iter().take(SHOWN + 1).map(file).collect();
        if self.listing.len() > SHOWN + 1 {
            listing.truncate(SHOWN);
            listing.push(format!("{} more", self.listing.len() - SHOWN));
        }
        let files = plural(self.files, "file");
        let _ = writeln!(
            out,
            "  files        {files}, {}: {}",
            size(self.bytes),
            listing.join(", ")
        );
        let check = match (self.errors.len(), self.warnings) {
            (0, 0) => "no problems".to_owned(),
            (0, count) => plural(count, "warning"),
            (count, 0) => plural(count, "error"),
            (errors, warnings) => {
                format!(
                    "{}, {}",
                    plural(errors, "error"),
                    plural(warnings, "warning")
                )
            }
        };
        let _ = writeln!(out, "  check        {check}");
        for error in self.errors.iter().take(SHOWN) {
            let _ = writeln!(out, "               {}", terminal::one_line(error));
        }
        if self.errors.len() > SHOWN {
            let more = self.errors.len() - SHOWN;
            let _ = writeln!(out, "               ... and {more} more");
        }
        let severities: Vec<_> = self.findings.iter().map(|it| it.severity).collect();
        let audit = match (severities.len(), self.verdict) {
            (0, Verdict::Unverified) => "unverified: some code could not be read".to_owned(),
            (0, _) => "nothing found".to_owned(),
            (count, verdict) => {
                let severities = count_severities(&severities);
                format!("{verdict}: {} ({severities})", plural(count, "finding"))
            }
        };
        let accepted = match self.accepted {
            0 => String::new(),
            count => format!("; {} accepted", plural(count, "finding")),
        };
        let _ = writeln!(out, "  audit        {audit}{accepted}");
        let mut findings: Vec<&Finding> = self.findings.iter().collect();
        findings.sort_by_key(|it| it.severity);
        // What a yes is needed for is all shown.
        let serious = findings.partition_point(|found| found.severity <= AuditSeverity::Medium);
        let shown = serious.max(SHOWN);
        for finding in findings.iter().take(shown) {
            let (place, line) = (&finding.file, finding.start.line);
            let (severity, message) = (finding.severity.as_str(), &finding.message);
            let finding = format!("{severity}: {place}:{line}: {message}");
            let _ = writeln!(out, "               {}", terminal::one_line(&finding));
        }
        if findings.len() > shown {
            let more = findings.len() - shown;
            let _ = writeln!(out, "               ... and {more} more");
        }
        if !self.unread.is_empty() {
            let _ = writeln!(out, "  not read     {}", self.unread.join(", "));
        }
        let code = self.code.as_ref().map(|it| format!("run its code ({it})"));
        let wanted: Vec<String> = code.into_iter().chain(self.permissions.clone()).collect();
        if !wanted.is_empty() {
            let _ = writeln!(out, "  permissions  {}", wanted.join(", "));
        }
        if !self.dependencies.is_empty() {
            let _ = writeln!(out, "  needs        {}", self.dependencies.join(", "));
        }
        terminal::printable(&out)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The names of the skills that a skill needs.
pub(super) fn dependencies(tree: &PackageTree) -> Vec<String> {
    let manifest = tree.get(MANIFEST_FILE).and_then(|file| {
        let parsed = manifest::parse(&file.bytes, &Context::default(), None);
        parsed.manifest
    });
    let needed = manifest.into_iter().flat_map(|it| it.dependencies);
    let needed = needed.filter(|it| !it.optional);
    needed.map(|it| it.name.to_string()).collect()
}

fn file((path, bytes): &(String, u64)) -> String {
    format!("{} ({})", terminal::one_line(path), size(*bytes))
}

/// A size for people.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{}.{} kB", bytes / 1_000, bytes % 1_000 / 100),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

impl Consent {
    /// How to give it.
    pub(super) fn hint(self) -> &'static str {
        match self {
            Self::Force => "read what was found with `--dry-run`, then add `--force`",
            Self::None | Self::Yes => "read what was found with `--dry-run`, then add `--yes`",
        }
    }
}

/// More skills than this are summarised.
pub(super) const MANY: usize = 20;

/// One line for each skill, or one for all if they are many.
pub(super) fn marked(sign: &str, skills: &[String]) -> String {
    match skills.len() {
        count if count > MANY => format!("{sign} {}\n", plural(count, "skill")),
        _ => skills.iter().fold(String::new(), |mut lines, skill| {
            let _ = writeln!(lines, "{sign} {skill}");
            lines
        }),
    }
}

/// A count with its noun.
pub(super) fn plural(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}
