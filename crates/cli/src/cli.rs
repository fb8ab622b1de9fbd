//! The arguments of every command.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// The skills engine for AI agents.
#[derive(Parser)]
#[command(name = "prowess", version, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options that every command takes.
#[derive(Args)]
pub(crate) struct Global {
    /// Run as if started in DIR
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,

    /// Print only what matters: no warnings, no summary
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Check skills as a compiler would
    #[command(after_long_help = CHECK_HELP)]
    Check(CheckArguments),
}

const CHECK_HELP: &str = "\
Examples:
  prowess check                      every skill below this directory
  prowess check skills/pdf           one skill
  prowess check --fix                mend what can be mended, after asking
  prowess check --fix --yes          the same without asking
  prowess check --explain unquoted-colon
  prowess check --format github      annotations for a pull request

Exit codes:
  0  every skill is valid (there may be warnings)
  1  something could not be read
  2  the command line makes no sense
  3  a skill is invalid";

/// Arguments of `check`.
#[derive(Args)]
pub(crate) struct CheckArguments {
    /// Skills, or directories to search for them
    #[arg(default_value = ".")]
    pub(crate) paths: Vec<PathBuf>,

    /// How to print what was found
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,

    /// Print JSON; the same as `--format json`
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,

    /// Mend what needs no guessing: quotes, tabs, spelling of keys, line endings
    #[arg(long, conflicts_with_all = ["json", "format"])]
    pub(crate) fix: bool,

    /// Write fixes without asking
    #[arg(short, long, requires = "fix")]
    pub(crate) yes: bool,

    /// Explain a diagnostic code and exit
    #[arg(long, value_name = "CODE", exclusive = true)]
    pub(crate) explain: Option<String>,
}

impl CheckArguments {
    pub(crate) fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

/// How `check` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Source lines with carets, for people
    Human,
    /// One JSON document
    Json,
    /// Annotations for GitHub Actions
    Github,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}
