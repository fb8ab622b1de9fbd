//! What is found out about a package when it is published.

use std::io::Cursor;

use prowess_scan::{File, Rules};
use prowess_spec::manifest::{self, Keyword, Manifest};
use prowess_spec::{
    Context, Diagnostic, LineIndex, MANIFEST_FILE, Profile, SKILL_FILE, Severity, Skill, parse,
};
use semver::Version;
use serde::{Deserialize, Serialize};

use super::error::{HostingError, InvalidFile};
use crate::package_name::PackageName;
use crate::signature::{signer, verify};
use crate::tree::PackageTree;
use crate::version_check::verify_version;
use crate::wire::AuditVerdict;

/// Findings that are listed.
const FINDINGS: usize = 50;
/// Characters of one finding.
const FINDING_CHARS: usize = 300;
/// Bytes of the instructions that are searched.
const BODY_BYTES: usize = 64 * 1024;

/// What never changes about a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionFacts {
    /// What it is for.
    pub description: String,
    /// Bytes of the package.
    pub size: u64,
    /// Number of its files.
    pub files: u64,
    /// Its types.
    pub types: Vec<String>,
    /// The permissions that it wants.
    pub permissions: Vec<String>,
    /// Its licence.
    pub licence: Option<String>,
    /// Whether it has code that the host may run.
    pub has_code: bool,
    /// What `audit` said.
    pub verdict: AuditVerdict,
    /// Its findings, as lines.
    pub findings: Vec<String>,
    /// The public key of its signature.
    pub signed_by: Option<String>,
}

/// A package that may be published.
pub(super) struct InspectedPackage {
    pub(super) facts: VersionFacts,
    pub(super) manifest: String,
    pub(super) keywords: Vec<String>,
    pub(super) body: String,
}

impl InspectedPackage {
    /// Unpacks, checks and audits a package.
    pub(super) fn new(
        name: &PackageName,
        version: &Version,
        bytes: &[u8],
        signature: Option<&str>,
        rules: &Rules,
    ) -> Result<Self, HostingError> {
        if !bytes.starts_with(&[0x1f, 0x8b]) {
            let reason = "expected a .tar.gz archive, as `prowess pack` writes it";
            return Err(HostingError::NotAPackage(reason.to_owned()));
        }
        let signed_by = match signature {
            Some(signature) => {
                let key = signer(signature)?;
                verify(bytes, signature, &key)?;
                Some(key.to_string())
            }
            None => None,
        };
        let tree = PackageTree::read_archive(Cursor::new(bytes))?;
        let plugin_files = tree.plugin_files();
        if !plugin_files.is_empty() {
            return Err(HostingError::Plugin(plugin_files));
        }
        let checked = CheckedSkill::new(name, &tree)?;
        verify_version(name.skill(), version, &tree, bytes, signature)?;
        let files = tree.files().map(|(path, file)| File {
            path: path.as_str(),
            bytes: &file.bytes,
        });
        let report = rules.scan(files, checked.skill.as_ref());
        let verdict = report.verdict();
        let mut found = report.findings;
        found.sort_by_key(|it| it.severity);
        let findings = found.iter().take(FINDINGS).map(|it| {
            let (severity, line) = (it.severity.as_str(), it.start.line);
            let line = format!("{severity}: {}:{line}: {}", it.file, it.message);
            line.chars().take(FINDING_CHARS).collect()
        });
        let facts = VersionFacts {
            description: checked.description(),
            size: bytes.len() as u64,
            files: tree.files().len() as u64,
            types: checked.types(),
            permissions: checked.permissions(),
            licence: checked.skill.as_ref().and_then(|it| it.license.clone()),
            has_code: checked.has_code(),
            verdict,
            findings: findings.collect(),
            signed_by,
        };
        let manifest = tree.get(MANIFEST_FILE);
        let manifest = manifest.map(|it| plain(&String::from_utf8_lossy(&it.bytes)));
        Ok(Self {
            facts,
            manifest: manifest.unwrap_or_else(|| CheckedSkill::frontmatter(&tree)),
            keywords: checked.keywords(),
            body: checked.body,
        })
    }
}

/// The skill of a package, which `check` accepts.
struct CheckedSkill {
    skill: Option<Skill>,
    body: String,
    manifest: Option<Manifest>,
}

impl CheckedSkill {
    fn new(name: &PackageName, tree: &PackageTree) -> Result<Self, HostingError> {
        let exists = |path: &str| tree.get(path).is_some();
        let context = Context {
            directory: Some(name.skill().as_str()),
            exists: Some(&exists),
        };
        let mut files = Vec::new();
        let mut checked = Self {
            skill: None,
            body: String::new(),
            manifest: None,
        };
        if let Some(file) = tree.skill_file() {
            let parsed = parse(&file.bytes, &context);
            checked.skill = parsed.skill;
            checked.body = beginning(parsed.body);
            files.push((SKILL_FILE, &file.bytes, parsed.diagnostics));
        }
        if let Some(file) = tree.get(MANIFEST_FILE) {
            let parsed = manifest::parse(&file.bytes, &context, checked.skill.as_ref());
            checked.manifest = parsed.manifest;
            files.push((MANIFEST_FILE, &file.bytes, parsed.diagnostics));
        }
        let is_error = |it: &Diagnostic| it.severity(Profile::Check) == Some(Severity::Error);
        let first = files.iter().find_map(|(path, bytes, diagnostics)| {
            let error = diagnostics.iter().find(|it| is_error(it))?;
            let line = LineIndex::new(bytes).position(error.span.start).line;
            Some(format!("{path}:{line}: {}", error.message))
        });
        let found = checked.skill.as_ref().map(|it| it.name.clone());
        let found = found.or_else(|| checked.manifest.as_ref().map(|it| it.name.clone()));
        let problem = match (first, found) {
            (Some(first), _) => Some(first),
            (None, None) => Some(format!("no {SKILL_FILE} and no {MANIFEST_FILE}")),
            (None, Some(found)) if found != *name.skill() => Some(format!(
                "the skill is named `{found}`, but it was sent as `{name}`"
            )),
            (None, Some(_)) => None,
        };
        match problem {
            None => Ok(checked),
            Some(message) => Err(HostingError::InvalidSkill {
                message,
                files: files
                    .into_iter()
                    .map(|(path, bytes, diagnostics)| InvalidFile {
                        path,
                        bytes: bytes.clone(),
                        diagnostics,
                    })
                    .collect(),
            }),
        }
    }

    fn description(&self) -> String {
        let skill = self.skill.as_ref().map(|it| it.description.clone());
        let manifest = || self.manifest.as_ref().map(|it| it.description.clone());
        skill.or_else(manifest).unwrap_or_default()
    }

    fn types(&self) -> Vec<String> {
        let types = self.manifest.iter().flat_map(|it| &it.types);
        types.map(|it| it.as_str().to_owned()).collect()
    }

    fn permissions(&self) -> Vec<String> {
        let permissions = self.manifest.iter().flat_map(|it| &it.permissions);
        permissions.map(|it| it.as_str().to_owned()).collect()
    }

    fn has_code(&self) -> bool {
        self.manifest
            .as_ref()
            .is_some_and(|it| it.implementation.is_some())
    }

    /// Words of `metadata` that its author chose.
    fn keywords(&self) -> Vec<String> {
        let metadata = self.skill.iter().flat_map(|it| &it.metadata);
        let chosen = metadata
            .filter(|(key, _)| ["keywords", "tags", "topics", "category"].contains(&key.as_str()));
        let words = chosen.flat_map(|(_, words)| words.split([',', '\n']));
        let words = words.map(str::trim).filter(|it| !it.is_empty());
        words.map(str::to_owned).collect()
    }

    /// The frontmatter of the `SKILL.md` as it is written.
    fn frontmatter(tree: &PackageTree) -> String {
        let text = tree
            .skill_file()
            .map(|it| String::from_utf8_lossy(&it.bytes));
        let text = text.unwrap_or_default();
        let text = text.trim_start_matches('\u{feff}');
        let rest = text.strip_prefix("---").unwrap_or(text);
        let rest = rest
            .split_once("\n---")
            .map_or("", |(frontmatter, _)| frontmatter);
        plain(&format!("{}\n", rest.trim()))
    }
}

/// The part of the instructions that is searched.
fn beginning(body: &str) -> String {
    let mut end = body.len().min(BODY_BYTES);
    while !body.is_char_boundary(end) {
        end -= 1;
    }
    plain(body.get(..end).unwrap_or_default())
}

/// PostgreSQL stores no text with a zero.
fn plain(text: &str) -> String {
    text.replace('\0', "")
}
