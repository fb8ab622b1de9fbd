//! The arguments of `check`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

const HELP: &str = "\
Examples:
  prowess check                   check every skill below this directory
  prowess check skills/pdf        check one skill
  prowess check pdf.skill         check the skills of an archive
  prowess check --fix             show the fixes, ask and write them
  prowess check --fix --yes       write the fixes without asking
  prowess check --explain unquoted-colon
  prowess check --format github   print annotations for a pull request

Exit codes:
  0  every skill is valid, possibly with warnings
  1  a file or directory could not be read
  2  invalid arguments
  3  a skill is invalid";

/// Arguments of `check`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct CheckArguments {
    /// Skills, `SKILL.md` files, archives, or directories to search for skills
    #[arg(default_value = ".")]
    pub(super) paths: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Print JSON; same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Fix quotes, tabs, misspelled keys and line endings
    #[arg(long, conflicts_with_all = ["json", "format"])]
    pub(super) fix: bool,
    /// Write fixes without asking
    #[arg(short, long, requires = "fix")]
    pub(super) yes: bool,
    /// Explain a diagnostic code and exit
    #[arg(long, value_name = "CODE", exclusive = true)]
    pub(super) explain: Option<String>,
}

impl CheckArguments {
    pub(super) fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

/// Output format of `check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Source lines with carets
    Human,
    /// One JSON document
    Json,
    /// Annotations for GitHub Actions
    Github,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}
