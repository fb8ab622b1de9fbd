//! A manifest, typed.

use semver::{Version, VersionReq};
use serde::Serialize;

use super::keywords::{Backend, Mode, Permission, Platform, RuleSeverity, SkillType};
use crate::name::SkillName;
use crate::path::SkillPath;
use crate::span::Span;
use crate::value::Mapping;

/// A `SKILL.yaml`: what a skill does besides instructing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Manifest {
    /// The skill's name.
    pub name: SkillName,
    /// Its version.
    pub version: Version,
    /// The description.
    pub description: String,
    /// Its types.
    pub types: Vec<SkillType>,
    /// Its author.
    pub author: Option<String>,
    /// Its licence.
    pub license: Option<String>,
    /// Where to read more.
    pub homepage: Option<String>,
    /// When it becomes active by itself.
    pub triggers: Triggers,
    /// The permissions of its code.
    pub permissions: Vec<Permission>,
    /// The skills that it needs.
    pub dependencies: Vec<Dependency>,
    /// The backend of its code.
    pub implementation: Option<Implementation>,
    /// Its contribution to the system prompt.
    pub prompt: Prompt,
    /// Tools that it declares without code registering them.
    pub tools: Vec<Tool>,
    /// Its contribution to an audit.
    pub security_rules: SecurityRules,
    /// Its contribution to a wiki.
    pub wiki: Vec<WikiSection>,
    /// Where it works.
    pub compatibility: Compatibility,
}

/// Conditions, any of which activates a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Triggers {
    /// Glob patterns of project files.
    pub files: Vec<String>,
    /// Words of a message.
    pub keywords: Vec<String>,
    /// Ways in which the host is used.
    pub modes: Vec<Mode>,
    /// Programming languages of the project.
    pub languages: Vec<String>,
}

/// Another skill that a skill needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Dependency {
    /// The other skill's name.
    pub name: SkillName,
    /// The versions that will do.
    pub version: VersionReq,
    /// Whether the skill works without it.
    pub optional: bool,
    /// Where it is declared.
    #[serde(skip)]
    pub span: Span,
}

/// The backend that runs the code of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Implementation {
    /// The kind of runner.
    pub backend: Backend,
    /// The file that it starts with.
    pub entrypoint: Option<SkillPath>,
    /// The command that starts a process, program first.
    pub command: Vec<String>,
}

/// Additions to the system prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Prompt {
    /// A file with the text.
    pub system_prompt_file: Option<SkillPath>,
    /// Files that go along.
    pub context_files: Vec<SkillPath>,
    /// How many tokens they may take together.
    pub max_context_tokens: Option<usize>,
}

/// A declared tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tool {
    /// The tool's name.
    pub name: String,
    /// The description.
    pub description: String,
    /// The JSON schema of its input.
    pub input_schema: Option<InputSchema>,
}

/// The path of the JSON schema of the tool input.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum InputSchema {
    /// In the manifest.
    Inline(Mapping),
    /// In a file of the skill.
    File(SkillPath),
}

/// Additions to an audit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SecurityRules {
    /// Patterns to look for.
    pub rules: Vec<SecurityRule>,
    /// Scanners that the code registers.
    pub scanners: Vec<String>,
}

/// A pattern to look for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SecurityRule {
    /// Its name.
    pub id: String,
    /// The regular expression.
    pub pattern: String,
    /// How bad a match is.
    pub severity: RuleSeverity,
    /// The message.
    pub message: String,
    /// Glob patterns of the files to look in; none means all.
    pub files: Vec<String>,
}

/// A section for a wiki.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WikiSection {
    /// Its title.
    pub title: String,
    /// The file with its text.
    pub file: SkillPath,
}

/// Where a skill works.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Compatibility {
    /// Versions of Prowess.
    pub prowess: Option<VersionReq>,
    /// Operating systems; none means all.
    pub platforms: Vec<Platform>,
}
