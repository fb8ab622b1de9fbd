//! What a parser has to say about a file.

use serde::Serialize;

use crate::code::Code;
use crate::span::Span;

/// Which of the two readings of a diagnostic is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// Tolerant: what an agent uses to get at a skill.
    Load,
    /// Strict: what an author uses before others see the skill.
    Check,
}

/// How much a diagnostic matters under a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; the skill works.
    Warning,
    /// Load: the skill is skipped. Check: the skill is invalid.
    Error,
}

/// The severity under each profile; `None` means that the profile does not mention it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    /// Severity when loading.
    pub load: Option<Severity>,
    /// Severity when checking.
    pub check: Option<Severity>,
}

impl Levels {
    /// The skill cannot be had at all.
    pub const FATAL: Self = Self::new(Some(Severity::Error), Some(Severity::Error));
    /// Accepted or repaired when loading, invalid when checking.
    pub const TOLERATED: Self = Self::new(Some(Severity::Warning), Some(Severity::Error));
    /// A warning under both.
    pub const WARNING: Self = Self::new(Some(Severity::Warning), Some(Severity::Warning));
    /// Advice for authors.
    pub const ADVICE: Self = Self::new(None, Some(Severity::Warning));
    /// Invalid when checking, of no interest when loading.
    pub const STRICT: Self = Self::new(None, Some(Severity::Error));
    /// Of interest only when loading.
    pub const LOAD_ONLY: Self = Self::new(Some(Severity::Warning), None);

    const fn new(load: Option<Severity>, check: Option<Severity>) -> Self {
        Self { load, check }
    }

    /// The severity under `profile`.
    pub const fn under(self, profile: Profile) -> Option<Severity> {
        match profile {
            Profile::Load => self.load,
            Profile::Check => self.check,
        }
    }
}

/// A replacement of bytes in the original file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced.
    pub span: Span,
    /// What stands there instead.
    pub text: String,
}

impl Edit {
    /// Replaces `span` by `text`.
    pub fn new(span: Span, text: impl Into<String>) -> Self {
        Self {
            span,
            text: text.into(),
        }
    }
}

/// Something to say about a place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of thing.
    pub code: Code,
    /// How much it matters; nearly always the code's own levels.
    pub levels: Levels,
    /// Where.
    pub span: Span,
    /// What was seen.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// Edits that mend it without guessing; empty when there are none.
    pub fix: Vec<Edit>,
}

impl Diagnostic {
    /// A diagnostic with the levels of its code.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            levels: code.info().levels,
            span,
            message: message.into(),
            help: None,
            fix: Vec::new(),
        }
    }

    /// The same, saying what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same, with edits that mend it.
    #[must_use]
    pub fn fix(mut self, edits: Vec<Edit>) -> Self {
        self.fix = edits;
        self
    }

    /// The same, with levels that differ from the code's.
    #[must_use]
    pub const fn levels(mut self, levels: Levels) -> Self {
        self.levels = levels;
        self
    }

    /// The severity under `profile`, if the profile mentions it.
    pub const fn severity(&self, profile: Profile) -> Option<Severity> {
        self.levels.under(profile)
    }
}
