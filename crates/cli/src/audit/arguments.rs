//! The arguments of `audit`.

use clap::{Args, ValueEnum};
use prowess_scan::Severity;

use crate::code_skills::CodeSkillArguments;
use crate::completer::skill_ids;

const HELP: &str = "\
Examples:
  prowess audit skills/pdf         audit the skills of a directory
  prowess audit pdf-forms          audit a skill by its id
  prowess audit . --format sarif   print SARIF for code scanning
  prowess audit --explain control-file
                                   print what a rule looks for

Verdicts:
  clean       all code and text was read, and no finding is worse than low
  unverified  nothing was found, but code or data could not be read
  suspicious  something needs a look (medium)
  dangerous   something harms (high or critical)

Exit codes:
  0  all code was read and no finding reaches --fail-on
  1  a target could not be audited
  2  invalid arguments
  3  a finding reaches --fail-on, or code could not be read (unverified)

Skills of type security-rule add their rules. Their code runs only if it is already approved; \
`audit` never asks.

To accept a finding, add `RULE@DIGEST` to `[audit] allow` in your own prowess.toml; the digest is in \
`--json`. It counts until a byte of the skill changes.

A skill without findings can still be harmful: review its code and every file that could not be \
read.";

/// Arguments of `audit`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct AuditArguments {
    /// Skills, `SKILL.md` files, archives, directories with skills, or ids of skills
    #[arg(
        required_unless_present_any = ["explain", "self_test"],
        value_name = "PATH|ID",
        add = skill_ids()
    )]
    pub(super) targets: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = AuditFormat::Human)]
    format: AuditFormat,
    /// Print JSON; same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Lowest severity that makes the command exit with 3
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = FailOn::Medium)]
    pub(super) fail_on: FailOn,
    /// Print what a rule looks for, with examples; `all` prints every rule
    #[arg(long, value_name = "RULE", conflicts_with_all = ["targets", "self_test"])]
    pub(super) explain: Option<String>,
    /// Audit attacks that this program brings, each hidden in many ways, and print what it misses
    #[arg(long, conflicts_with = "targets")]
    pub(super) self_test: bool,
    #[command(flatten)]
    pub(super) code_skills: CodeSkillArguments,
}

impl AuditArguments {
    pub(super) fn format(&self) -> AuditFormat {
        if self.json {
            AuditFormat::Json
        } else {
            self.format
        }
    }
}

/// Output format of `audit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum AuditFormat {
    /// Source lines with carets
    Human,
    /// One JSON document
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

/// Severity, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    /// Critical only
    Critical,
    /// High or critical
    High,
    /// Medium or higher
    Medium,
    /// Low or higher
    Low,
    /// Every finding
    Info,
}

impl FailOn {
    pub(super) fn severity(self) -> Severity {
        match self {
            Self::Critical => Severity::Critical,
            Self::High => Severity::High,
            Self::Medium => Severity::Medium,
            Self::Low => Severity::Low,
            Self::Info => Severity::Info,
        }
    }
}
