//! The languages that are parsed.

/// A language that is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeLanguage {
    /// Python 3, and what of Python 2 the grammar tolerates.
    Python,
    /// JavaScript, with or without JSX.
    JavaScript,
    /// Without JSX.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// bash, and what of sh and zsh its grammar accepts.
    Shell,
    /// Windows PowerShell and its successor.
    PowerShell,
}

impl CodeLanguage {
    /// Every language, in the order of their numbers on the wire.
    pub const ALL: [Self; 6] = [
        Self::Python,
        Self::JavaScript,
        Self::TypeScript,
        Self::Tsx,
        Self::Shell,
        Self::PowerShell,
    ];
}
