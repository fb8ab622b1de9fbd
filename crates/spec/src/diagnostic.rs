//! What a parser has to say about a file.

use crate::code::Code;
use crate::levels::{Levels, Profile, Severity};
use crate::span::Span;

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
