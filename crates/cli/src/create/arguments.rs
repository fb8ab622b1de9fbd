//! What can be said about a skill that does not exist yet.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use prowess_spec::manifest::SkillType;

const HELP: &str = "\
Examples:
  prowess create release-notes                              instructions only
  prowess create csv-tools --language python                a tool in Python
  prowess create house-style --type prompt,transform        a prompt, and code that changes answers
  prowess create fast-search --backend plugin               a native library in Rust";

/// Arguments of `create`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct CreateArguments {
    /// The skill's name: lower-case letters, digits and single hyphens
    pub(crate) name: String,
    /// What it contributes; `tool` if it has code and nothing is said (may be repeated)
    #[arg(long = "type", value_enum, value_name = "TYPE", value_delimiter = ',')]
    pub(crate) types: Vec<TypeName>,
    /// What runs its code
    #[arg(long, value_enum)]
    pub(crate) backend: Option<BackendName>,
    /// What a process is written in; python if nothing is said
    #[arg(long, value_enum)]
    pub(crate) language: Option<Language>,
    /// Where to put it; .agents/skills of the project, or here if there is no project
    #[arg(long = "in", value_name = "DIR")]
    pub(crate) destination: Option<PathBuf>,
    /// What it does, and when to use it
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Replace files that are there already
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A type, as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TypeName {
    /// Tools that a model may call
    Tool,
    /// Text for the system prompt
    Prompt,
    /// Steps that run by name
    Workflow,
    /// Scanners for an audit
    SecurityRule,
    /// Changes to a response
    Transform,
}

impl From<TypeName> for SkillType {
    fn from(name: TypeName) -> Self {
        match name {
            TypeName::Tool => Self::Tool,
            TypeName::Prompt => Self::Prompt,
            TypeName::Workflow => Self::Workflow,
            TypeName::SecurityRule => Self::SecurityRule,
            TypeName::Transform => Self::Transform,
        }
    }
}

/// A backend, as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BackendName {
    /// Starlark, which needs nothing installed
    Starlark,
    /// A program in any language
    Process,
    /// A native library
    Plugin,
}

/// What a program is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// Python 3
    Python,
    /// Node.js
    Node,
    /// A POSIX shell with jq
    Shell,
    /// Rust
    Rust,
}
