//! Diagnostics of a parser.

use crate::code::Code;
use crate::levels::{Levels, Profile, Severity};
use crate::span::Span;

/// A replacement of bytes in the original file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The replaced span.
    pub span: Span,
    /// The replacement text.
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

/// A diagnostic at a position of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The code.
    pub code: Code,
    /// How much it matters; nearly always the code's own levels.
    pub levels: Levels,
    /// Where.
    pub span: Span,
    /// The message.
    pub message: String,
    /// The suggestion.
    pub help: Option<String>,
    /// Edits that fix it without guessing; empty if there are none.
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

    /// The same, with a suggestion.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same, with edits that fix it.
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
