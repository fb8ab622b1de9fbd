//! Problems of a configuration file.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use prowess_spec::{PathProblem, Position, Span};

/// The problem; reads as the continuation of the key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The file is not TOML; the text is the parser's.
    #[error("{message}")]
    Syntax {
        /// The message of the parser.
        message: String,
    },
    /// No such key exists here.
    #[error("is not a known key")]
    UnknownKey {
        /// The suggested key.
        near: Option<&'static str>,
        /// Every key that exists here.
        known: Vec<&'static str>,
    },
    /// A value of another type.
    #[error("must be {expected}, found {found}")]
    WrongType {
        /// The expected type.
        expected: &'static str,
        /// The type that is there.
        found: &'static str,
    },
    /// A key that has to be there.
    #[error("is missing")]
    Missing,
    /// None of the keys of which there has to be one.
    #[error("requires one of {}", names(keys))]
    NoneOf {
        /// The keys.
        keys: &'static [&'static str],
    },
    /// Two keys that exclude each other.
    #[error("accepts only one of {}", names(keys))]
    MoreThanOne {
        /// The keys.
        keys: &'static [&'static str],
    },
    /// A key that means something only beside another.
    #[error("requires `{key}`")]
    OnlyWith {
        /// The other key.
        key: &'static str,
    },
    /// Not one of the words that the key takes.
    #[error("has the invalid value `{}`", text.escape_debug())]
    UnknownKeyword {
        /// The word.
        text: String,
        /// The suggested word.
        near: Option<&'static str>,
        /// The words that it takes.
        allowed: Vec<&'static str>,
    },
    /// A number outside its bounds.
    #[error("is out of range: expected {least} to {greatest}, found {value}")]
    OutOfRange {
        /// The number as it is written.
        value: String,
        /// The least that it may be.
        least: u32,
        /// The greatest that it may be.
        greatest: u32,
    },
    /// A share that is not one.
    #[error("is out of range: expected more than 0 and at most 1, found {value}")]
    Share {
        /// The number as it is written.
        value: String,
    },
    /// An environment variable that does not exist.
    #[error("uses the environment variable `{variable}`, which is not set")]
    Unset {
        /// The variable.
        variable: String,
    },
    /// An environment variable that is not text.
    #[error("uses the environment variable `{variable}`, which is not Unicode")]
    NotUnicode {
        /// The variable.
        variable: String,
    },
    /// A `${` that nothing closes.
    #[error("contains `${{` without `}}`")]
    OpenVariable,
    /// Something else than a name between `${` and `}`.
    #[error("contains an invalid variable name in `${{...}}`")]
    VariableName,
    /// A `~` without a home directory.
    #[error("starts with `~`, but the home directory is unknown")]
    NoHome,
    /// Not a URL.
    #[error("is not a valid URL: {0}")]
    Url(#[source] url::ParseError),
    /// A URL of a kind that the key does not take.
    #[error("must start with {allowed}")]
    Scheme {
        /// The allowed prefixes.
        allowed: &'static str,
    },
    /// A path that is not one inside the repository.
    #[error("{0}")]
    Path(PathProblem),
    /// Not a range of versions; the text is the parser's.
    #[error("is not a valid version range: {message}")]
    Version {
        /// The message of the parser.
        message: String,
    },
    /// Text that breaks a rule of its key.
    #[error("{rule}")]
    Unfit {
        /// The violated rule.
        rule: &'static str,
        /// The suggestion.
        help: &'static str,
    },
}

impl ProblemKind {
    /// The suggested fix.
    pub fn help(&self) -> Option<String> {
        let one_of = |near: Option<&str>, all: &[&str]| match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("one of: {}", all.join(", ")),
        };
        Some(match self {
            Self::UnknownKey { near, known } => one_of(*near, known),
            Self::UnknownKeyword { near, allowed, .. } => one_of(*near, allowed),
            Self::WrongType { expected, .. } => format!("write {expected}"),
            Self::Missing => "add it".to_owned(),
            Self::MoreThanOne { .. } => "keep one and remove the others".to_owned(),
            Self::OnlyWith { key } => format!("add `{key}`, or remove this key"),
            Self::Unset { variable } | Self::NotUnicode { variable } => {
                format!("set `{variable}`, or write `$${{{variable}}}` for the text itself")
            }
            Self::OpenVariable | Self::VariableName => {
                "write `${NAME}` for a variable, or `$${` for the text `${`".to_owned()
            }
            Self::NoHome => "write an absolute path".to_owned(),
            Self::Path(_) => "name a directory inside the repository".to_owned(),
            Self::Version { .. } => "write a range such as `^1.2` or `>=1.5, <3`".to_owned(),
            Self::Url(_) => "write a URL such as `https://example.com/skills`".to_owned(),
            Self::Unfit { help, .. } => (*help).to_owned(),
            Self::Syntax { .. }
            | Self::NoneOf { .. }
            | Self::OutOfRange { .. }
            | Self::Share { .. }
            | Self::Scheme { .. } => return None,
        })
    }

    /// Whether it is about the shape of a file (its keys, their types, which of them go together)
    /// rather than about a value.
    pub const fn is_shape(&self) -> bool {
        matches!(
            self,
            Self::Syntax { .. }
                | Self::UnknownKey { .. }
                | Self::WrongType { .. }
                | Self::Missing
                | Self::NoneOf { .. }
                | Self::MoreThanOne { .. }
                | Self::OnlyWith { .. }
                | Self::UnknownKeyword { .. }
        )
    }
}

fn names(keys: &[&str]) -> String {
    let quoted: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    quoted.join(", ")
}

/// A file as it may be shown: secrets are blotted out, byte for byte.
#[derive(PartialEq, Eq)]
pub(crate) struct SourceFile {
    pub(crate) path: Arc<Path>,
    pub(crate) text: String,
}

/// Something wrong at a place in a file.
#[derive(Clone, PartialEq, Eq)]
pub struct Problem {
    pub(crate) file: Arc<SourceFile>,
    pub(crate) span: Span,
    pub(crate) position: Position,
    pub(crate) key: String,
    pub(crate) kind: ProblemKind,
}

impl Problem {
    /// Which file.
    pub fn file(&self) -> &Path {
        &self.file.path
    }

    /// The text of the file, with `*` for every byte that may be secret.
    pub fn source(&self) -> &str {
        &self.file.text
    }

    /// Where in the text.
    pub const fn span(&self) -> Span {
        self.span
    }

    /// Line and column where it begins.
    pub const fn position(&self) -> Position {
        self.position
    }

    /// The dotted key that it is about; empty for a file that is not TOML.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The kind of problem, for programs.
    pub const fn kind(&self) -> &ProblemKind {
        &self.kind
    }

    /// The message, for users.
    pub fn message(&self) -> String {
        if self.key.is_empty() {
            self.kind.to_string()
        } else {
            format!("`{}` {}", self.key, self.kind)
        }
    }

    /// The suggested fix.
    pub fn help(&self) -> Option<String> {
        self.kind.help()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { line, column, .. } = self.position;
        let path = self.file.path.display();
        write!(f, "{path}:{line}:{column}: {}", self.message())
    }
}

impl fmt::Debug for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Problem")
            .field("file", &self.file.path)
            .field("span", &self.span)
            .field("key", &self.key)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

impl std::error::Error for Problem {}
