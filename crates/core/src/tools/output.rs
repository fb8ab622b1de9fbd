//! The output of a tool, before a dialect formats it.

use prowess_spec::Mapping;
use serde::Serialize;

use crate::catalog::Collection;
use crate::id::SkillId;

/// The output of a successful tool call.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolOutput {
    /// The contents of a collection.
    Listing {
        /// The collection; empty for the root.
        path: String,
        /// Collections one level down.
        subcollections: Vec<Collection>,
        /// Skills at this level.
        skills: Vec<SkillSummary>,
        /// The cursor of the next page.
        next: Option<String>,
    },
    /// The results, best first.
    Search {
        /// The queries.
        queries: Vec<String>,
        /// The skills.
        skills: Vec<SkillSummary>,
        /// The cursor of the next page.
        next: Option<String>,
    },
    /// A skill's instructions.
    Skill {
        /// The skill.
        id: SkillId,
        /// The rendered block.
        block: String,
        /// The instructions as they were written, cut to the limit.
        body: String,
        /// Bytes that were cut off.
        dropped_bytes: usize,
        /// The whole frontmatter.
        frontmatter: Mapping,
        /// The skill's files.
        files: Vec<String>,
        /// Its directory.
        location: Option<String>,
    },
    /// Part of a file.
    File {
        /// The skill.
        id: SkillId,
        /// The file.
        path: String,
        /// The text.
        content: String,
        /// The next offset, if the file continues.
        next_offset: Option<u64>,
        /// Whether the call asked for a part, by `offset` or `limit`.
        part: bool,
        /// How long the whole file is.
        size: u64,
    },
    /// The output of a script.
    Script(ScriptOutput),
}

impl ToolOutput {
    /// Whether a part of the instructions, the file or the output is missing.
    pub fn is_truncated(&self) -> bool {
        match self {
            Self::Skill { dropped_bytes, .. } => *dropped_bytes > 0,
            Self::File { next_offset, .. } => next_offset.is_some(),
            Self::Script(output) => output.truncated,
            Self::Listing { .. } | Self::Search { .. } => false,
        }
    }
}

/// A skill in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkillSummary {
    /// Its id.
    pub id: SkillId,
    /// Its name.
    pub name: String,
    /// The description.
    pub description: String,
    /// Where it comes from.
    pub source: String,
    /// Near copies that are not listed: how many, and some of their ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similar: Option<String>,
}

/// The result of a script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScriptOutput {
    /// The exit code.
    pub exit_code: i32,
    /// The standard output.
    pub stdout: String,
    /// The standard error.
    pub stderr: String,
    /// Whether the output is truncated.
    pub truncated: bool,
    /// The files in its scratch directory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ScriptFile>,
    /// How long it took.
    pub duration_ms: u64,
}

/// A file that a script wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScriptFile {
    /// The path, relative to the scratch directory.
    pub path: String,
    /// The size.
    pub bytes: u64,
}

/// The kind of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorCode {
    /// The arguments do not fit.
    InvalidArguments,
    /// Unknown tool.
    UnknownTool,
    /// Unknown skill.
    SkillNotFound,
    /// The skill cannot be used here.
    SkillUnavailable,
    /// The path is absolute or climbs out.
    InvalidPath,
    /// Unknown file.
    FileNotFound,
    /// The path is a directory.
    NotAFile,
    /// The file is not text.
    BinaryFile,
    /// A link leads out of the skill.
    AccessDenied,
    /// Scripts are off, or this one was not approved.
    PermissionDenied,
    /// The active skills do not allow the tool.
    ToolNotAllowed,
    /// The source cannot be reached.
    Unavailable,
}

impl ErrorCode {
    /// The stable name, in kebab case.
    pub fn id(self) -> &'static str {
        match self {
            Self::InvalidArguments => "invalid-arguments",
            Self::UnknownTool => "unknown-tool",
            Self::SkillNotFound => "skill-not-found",
            Self::SkillUnavailable => "skill-unavailable",
            Self::InvalidPath => "invalid-path",
            Self::FileNotFound => "file-not-found",
            Self::NotAFile => "not-a-file",
            Self::BinaryFile => "binary-file",
            Self::AccessDenied => "access-denied",
            Self::PermissionDenied => "permission-denied",
            Self::ToolNotAllowed => "tool-not-allowed",
            Self::Unavailable => "unavailable",
        }
    }
}

/// Why a tool could not do its work. The text holds no absolute path and is short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolError {
    /// The code.
    pub code: ErrorCode,
    /// The message for the model.
    pub message: String,
    /// Similar names, or the available ones.
    pub suggestions: Vec<String>,
}

/// Longest text of an error, in characters.
const MESSAGE_CHARS: usize = 500;

impl ToolError {
    /// An error without suggestions.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let message: String = message.into().chars().take(MESSAGE_CHARS).collect();
        Self {
            code,
            message,
            suggestions: Vec::new(),
        }
    }

    /// The same, with suggestions.
    #[must_use]
    pub fn suggesting(mut self, suggestions: Vec<String>) -> Self {
        self.suggestions = suggestions;
        self
    }
}
