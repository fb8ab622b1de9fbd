//! What a tool found out, before a dialect gives it a shape.

use prowess_spec::Mapping;
use serde::Serialize;

use crate::catalog::Collection;
use crate::id::SkillId;

/// The outcome of a tool that did its work.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// What lies in a collection.
    Listing {
        /// The collection; empty for the root.
        path: String,
        /// Collections one level down.
        subcollections: Vec<Collection>,
        /// Skills at this level.
        skills: Vec<SkillSummary>,
        /// Where to go on.
        next: Option<String>,
    },
    /// What was found, best first.
    Search {
        /// What was looked for.
        query: String,
        /// The skills.
        skills: Vec<SkillSummary>,
        /// Where to go on.
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
        /// Everything that the frontmatter says.
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
        /// Where to go on, when that was not all.
        next_offset: Option<u64>,
        /// How long the whole file is.
        size: u64,
    },
    /// What a script printed.
    Script(ScriptOutput),
}

/// A skill in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkillSummary {
    /// Its id.
    pub id: SkillId,
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Where it comes from.
    pub source: String,
}

/// What a script left behind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScriptOutput {
    /// How it ended.
    pub exit_code: i32,
    /// What it printed.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
    /// Whether it printed more than is kept.
    pub truncated: bool,
    /// How long it took.
    pub duration_ms: u64,
}

/// What kind of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorCode {
    /// The arguments do not fit.
    InvalidArguments,
    /// There is no such tool.
    UnknownTool,
    /// There is no such skill.
    SkillNotFound,
    /// The skill cannot be used here.
    SkillUnavailable,
    /// The path is absolute or climbs out.
    InvalidPath,
    /// There is no such file.
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
    /// What kind.
    pub code: ErrorCode,
    /// What went wrong, for the model.
    pub message: String,
    /// Names that may have been meant, or what is there instead.
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
