//! The metadata of a base rule.

use crate::report::Severity;

/// A base rule with its documentation.
#[derive(Debug)]
pub struct Rule {
    /// Its stable name, in kebab case.
    pub id: &'static str,
    /// How bad a match is.
    pub severity: Severity,
    /// The message.
    pub message: &'static str,
    /// The suggestion.
    pub help: &'static str,
    /// Files in which it is found.
    pub bad: &'static [Sample],
    /// Files in which it is not.
    pub good: &'static [Sample],
    pub(crate) detector: Detector,
}

/// A small file that a test scans.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Its path.
    pub path: &'static str,
    /// The content.
    pub text: &'static str,
}

/// A text that a model reads.
pub(crate) const fn md(text: &'static str) -> Sample {
    Sample {
        path: "SKILL.md",
        text,
    }
}

/// A shell script.
pub(crate) const fn sh(text: &'static str) -> Sample {
    Sample {
        path: "scripts/run.sh",
        text,
    }
}

/// A Python script.
pub(crate) const fn py(text: &'static str) -> Sample {
    Sample {
        path: "scripts/run.py",
        text,
    }
}

/// A JavaScript file.
pub(crate) const fn js(text: &'static str) -> Sample {
    Sample {
        path: "scripts/run.js",
        text,
    }
}

/// A `PowerShell` script.
pub(crate) const fn ps(text: &'static str) -> Sample {
    Sample {
        path: "scripts/run.ps1",
        text,
    }
}

/// How a rule is found.
#[derive(Debug)]
pub(crate) enum Detector {
    /// By patterns over folded commands, anywhere in a skill.
    Commands(Patterns),
    /// By patterns over the text as it is written.
    Written(Patterns),
    /// By patterns over folded prose.
    Instructions(Patterns),
    /// By patterns over HTML comments.
    Comments(Patterns),
    /// By a function.
    Own,
}

/// Regular expressions, and words without which none of them can match.
#[derive(Debug)]
pub(crate) struct Patterns {
    /// A line without any of these is not looked at.
    pub(crate) anchors: &'static [&'static str],
    /// Any of them is a match; case does not matter, and `.` is a byte.
    pub(crate) any: &'static [&'static str],
    /// A second look at a match.
    pub(crate) grade: fn(Matched<'_>) -> Grade,
}

/// A match, and the text before it on the line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matched<'t> {
    pub(crate) before: &'t str,
    pub(crate) text: &'t str,
}

/// The result of a second check of a match.
///
/// It can depend on the commands, never on the text around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grade {
    Keep,
    As(Severity),
    Skip,
}

/// No second look.
pub(crate) fn keep(_: Matched<'_>) -> Grade {
    Grade::Keep
}
