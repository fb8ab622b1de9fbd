//! The arguments of `create`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use prowess_spec::manifest::SkillType;

const HELP: &str = "\
Examples:
  prowess create release-notes                instructions only
  prowess create csv-tools --language python  a tool in Python
  prowess create house-style --type prompt,transform
  prowess create fast-search --backend plugin a native library in Rust";

/// Arguments of `create`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct CreateArguments {
    /// Name of the skill: lower-case letters, digits and single hyphens
    pub(crate) name: String,
    /// Types of contribution, comma-separated [default: tool, if the skill has code]
    #[arg(long = "type", value_enum, value_name = "TYPE", value_delimiter = ',')]
    pub(crate) types: Vec<TypeName>,
    /// Backend that runs the code [default: none; process with --language]
    #[arg(long, value_enum)]
    pub(crate) backend: Option<BackendName>,
    /// Language of a process [default: python]
    #[arg(long, value_enum)]
    pub(crate) language: Option<Language>,
    /// Parent directory [default: .agents/skills of the project, else the current directory]
    #[arg(long = "in", value_name = "DIR")]
    pub(crate) destination: Option<PathBuf>,
    /// Description: what the skill does and when to use it [default: a placeholder]
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Overwrite existing files
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Type, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TypeName {
    /// Tools that a model may call
    Tool,
    /// Text for the system prompt
    Prompt,
    /// Steps that run by name
    Workflow,
    /// Rules for `prowess audit`
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

/// Backend, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BackendName {
    /// Starlark; needs no interpreter
    Starlark,
    /// A program in any language
    Process,
    /// A native library
    Plugin,
}

/// Language of a process, as typed.
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
