//! `prowess.lock`: TOML with one block for each skill, sorted by name, so that changes of two people rarely meet.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use prowess_archive::plugin_files;
use prowess_policy::ContentDigest;
use prowess_spec::{SkillName, SkillPath};
use serde::Deserialize;

/// The version of the format.
const VERSION: u32 = 1;

/// What a project has installed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockFile {
    /// By name.
    pub skills: BTreeMap<SkillName, LockedSkill>,
}

/// A skill that is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedSkill {
    /// Where it comes from: a [`crate::PackageReference`].
    pub source: String,
    /// The commit or version; none for a directory or an archive.
    pub resolved: Option<String>,
    /// The public key that signed it.
    pub signed_by: Option<String>,
    /// The digest of all files that are installed.
    pub digest: ContentDigest,
    /// The digest of all files at the source; `None` if all of them are installed.
    pub source_digest: Option<ContentDigest>,
    /// The digest of each file.
    pub files: BTreeMap<SkillPath, ContentDigest>,
}

/// Why a lock file cannot be used. It is never written over then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LockError {
    /// It is of a newer version of Prowess.
    #[error("version {0} of the lock file is not supported: update Prowess")]
    Newer(u32),
    /// Git left conflict markers in it.
    #[error("line {0}: a merge conflict: keep the blocks of both sides, then run `prowess sync`")]
    Conflict(usize),
    /// There is nothing in it.
    #[error("it is empty: restore it, or delete it if nothing is installed")]
    Empty,
    /// It is no TOML, or has other fields.
    #[error("{0}")]
    Malformed(String),
    /// A value is invalid.
    #[error("skill `{skill}`: {reason}")]
    Value {
        /// The skill.
        skill: String,
        /// What is wrong.
        reason: String,
    },
}

impl LockedSkill {
    /// The digest of all files at the source, installed or not: another one means another version.
    pub fn source_digest(&self) -> ContentDigest {
        self.source_digest.unwrap_or(self.digest)
    }

    /// Whether files of a plugin are stated as installed, as versions did that knew nothing of plugins.
    pub fn has_plugin_files(&self) -> bool {
        let paths = self.files.keys().map(SkillPath::as_str);
        !plugin_files(paths, |_| None).is_empty()
    }
}

#[derive(Deserialize)]
struct VersionOnly {
    version: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u32,
    #[serde(default, rename = "skill")]
    skills: Vec<Block>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Block {
    name: String,
    source: String,
    resolved: Option<String>,
    signed_by: Option<String>,
    digest: String,
    source_digest: Option<String>,
    files: BTreeMap<String, String>,
}

impl LockFile {
    /// Reads a lock file.
    pub fn parse(text: &str) -> Result<Self, LockError> {
        let is_marker = |line: &str| {
            ["<<<<<<<", "=======", ">>>>>>>", "|||||||"]
                .iter()
                .any(|it| line.starts_with(it))
        };
        if let Some(index) = text.lines().position(is_marker) {
            return Err(LockError::Conflict(index + 1));
        }
        if text.trim().is_empty() {
            return Err(LockError::Empty);
        }
        let document: Result<Document, _> = toml::from_str(text);
        let version = match &document {
            Ok(document) => Some(document.version),
            // A newer version may have anything else in it.
            Err(_) => toml::from_str(text).ok().map(|it: VersionOnly| it.version),
        };
        if let Some(version) = version.filter(|it| *it != VERSION) {
            return Err(LockError::Newer(version));
        }
        let document = document.map_err(|error| LockError::Malformed(error.to_string()))?;
        let mut skills = BTreeMap::new();
        for block in document.skills {
            let (name, skill) = block.read()?;
            if let Some(before) = skills.insert(name.clone(), skill) {
                return Err(LockError::Value {
                    skill: name.to_string(),
                    reason: format!("it is there twice, also from {}", before.source),
                });
            }
        }
        Ok(Self { skills })
    }

    /// The text of the file.
    pub fn render(&self) -> String {
        let mut out = String::from(
            "# Written by `prowess`. Commit it: `prowess sync --frozen` installs exactly this.\n",
        );
        let _ = writeln!(out, "version = {VERSION}");
        for (name, skill) in &self.skills {
            // A first and a last line that no other block has: git then keeps blocks whole when two people add one.
            let _ = write!(
                out,
                "\n[[skill]] # {name}\nname = {}\nsource = {}\n",
                quoted(name.as_str()),
                quoted(&skill.source)
            );
            if let Some(resolved) = &skill.resolved {
                let _ = writeln!(out, "resolved = {}", quoted(resolved));
            }
            if let Some(key) = &skill.signed_by {
                let _ = writeln!(out, "signed_by = {}", quoted(key));
            }
            let _ = writeln!(out, "digest = \"{}\"", skill.digest);
            if let Some(digest) = &skill.source_digest {
                let _ = writeln!(out, "source_digest = \"{digest}\"");
            }
            out.push_str("\n[skill.files]\n");
            for (path, digest) in &skill.files {
                let _ = writeln!(out, "{} = \"{digest}\"", quoted(path.as_str()));
            }
            let _ = writeln!(out, "# end of {name}");
        }
        out
    }
}

impl Block {
    fn read(self) -> Result<(SkillName, LockedSkill), LockError> {
        let invalid = |reason: String| LockError::Value {
            skill: self.name.chars().take(100).collect(),
            reason,
        };
        let digest = |text: &str| {
            let digest = text.parse::<ContentDigest>();
            digest.map_err(|error| invalid(error.to_string()))
        };
        let name = SkillName::parse(&self.name);
        let name = name.map_err(|_| invalid("the name is invalid".to_owned()))?;
        let mut files = BTreeMap::new();
        for (path, text) in &self.files {
            let path = SkillPath::parse(path).map_err(|problem| {
                invalid(format!("the path `{}` {problem}", path.escape_debug()))
            })?;
            files.insert(path, digest(text)?);
        }
        let skill = LockedSkill {
            digest: digest(&self.digest)?,
            source_digest: self.source_digest.as_deref().map(digest).transpose()?,
            source: self.source,
            resolved: self.resolved,
            signed_by: self.signed_by,
            files,
        };
        Ok((name, skill))
    }
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(byte: u8) -> ContentDigest {
        ContentDigest([byte; 32])
    }

    fn lock() -> LockFile {
        let skill = |source: &str, resolved: Option<&str>| LockedSkill {
            source: source.to_owned(),
            resolved: resolved.map(str::to_owned),
            signed_by: resolved.map(|it| format!("RW{it}")),
            digest: digest(1),
            source_digest: resolved.map(|_| digest(4)),
            files: [
                (SkillPath::parse("SKILL.md").unwrap(), digest(2)),
                (
                    SkillPath::parse("references/é \"a\".md").unwrap(),
                    digest(3),
                ),
            ]
            .into(),
        };
        LockFile {
            skills: [
                (
                    SkillName::parse("pdf").unwrap(),
                    skill("https://host/o/r.git", Some("0a1b")),
                ),
                (
                    SkillName::parse("csv").unwrap(),
                    skill("./skills/csv", None),
                ),
            ]
            .into(),
        }
    }

    #[test]
    fn q50_a_path_with_control_characters_is_refused_and_escaped() {
        let text = lock().render().replace("SKILL.md", "a\\nforged");
        let error = LockFile::parse(&text).unwrap_err().to_string();
        assert!(error.contains("`a\\nforged`"), "{error}");
        assert!(!error.contains(char::is_control), "{error}");
    }

    #[test]
    fn what_is_written_is_read_again() {
        let text = lock().render();
        assert_eq!(LockFile::parse(&text).unwrap(), lock());
        assert_eq!(LockFile::parse(&text).unwrap().render(), text);
        let windows = text.replace('\n', "\r\n");
        assert_eq!(LockFile::parse(&windows).unwrap(), lock());
        let csv = text.find("\"csv\"").unwrap();
        assert!(csv < text.find("\"pdf\"").unwrap(), "{text}");
        assert_eq!(
            LockFile::parse("version = 1\n").unwrap(),
            LockFile::default()
        );
    }

    #[test]
    fn other_files_are_refused() {
        let check = |text: &str, expected: &str| {
            let refused = LockFile::parse(text).unwrap_err().to_string();
            assert!(refused.contains(expected), "{refused}");
        };
        check("", "it is empty");
        check("other = 1", "version");
        check("version = 2\nanything = true\n", "update Prowess");
        check("version = 1\n<<<<<<< HEAD\n", "line 2: a merge conflict");
        check("version = 1\nother = 1\n", "unknown field `other`");
        let text = lock().render();
        let good = digest(1).to_string();
        check(&text.replacen(&good, "sha256:12", 1), "invalid digest");
        let other = digest(4).to_string();
        check(&text.replace(&other, "sha256:"), "invalid digest");
        check(
            &text.replace("\"SKILL.md\"", "\"../SKILL.md\""),
            "the path `../SKILL.md`",
        );
        check(
            &text.replace("\"csv\"", "\"../csv\""),
            "the name is invalid",
        );
        check(&text.replace("\"csv\"", "\"pdf\""), "it is there twice");
        check(
            &text.replace("version = 1", "version = \"1\""),
            "invalid type",
        );
    }
}
