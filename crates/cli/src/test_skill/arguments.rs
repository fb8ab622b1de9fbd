//! The arguments of `test`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::code_skills::PathOrigin;
use crate::completer::skill_ids;

const HELP: &str = "\
A skill has its cases in tests/*.toml:
  [[case]]
  name = \"greets by name\"
  tool = \"hello\"
  input = { name = \"Ada\" }
  expect = \"Hello, Ada!\"

Examples:
  prowess test                       test every skill below this directory
  prowess test skills/csv-tools      test one skill
  prowess test csv-tools.tar.gz      test the skills of an archive
  prowess test --case greets         run the cases with this text in the name
  prowess test --watch               run again when a file changes
  prowess test --format junit        print a report for CI

Each case runs as in `prowess run`, in a project of its own that has only the files of the case. A \
path that you name approves its skills for this run, with that project and nothing else. In a \
terminal, the command asks about more, such as the network or commands, and about skills of a path \
that you did not name; without one, use --approve-skills. `prowess trust --work-on SKILL` stores the \
answer for a day.

Exit codes:
  0  every skill is valid and every case passes
  1  a case could not run, or a test file is invalid
  2  invalid arguments
  3  a skill is invalid or a case fails";

/// Arguments of `test`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct TestArguments {
    /// Skill, directory of skills, or archive [default: .]
    path: Option<PathBuf>,
    /// Run only the cases whose name contains TEXT
    #[arg(long = "case", value_name = "TEXT")]
    pub(super) only: Option<String>,
    /// Run again when a file of the skills changes, until Ctrl-C
    #[arg(long, conflicts_with_all = ["json", "format"])]
    pub(super) watch: bool,
    /// Skills to approve for this run only (comma-separated)
    #[arg(long, value_name = "ID", value_delimiter = ',', add = skill_ids())]
    pub(super) approve_skills: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = TestFormat::Human)]
    format: TestFormat,
    /// Print JSON; same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl TestArguments {
    pub(super) fn path(&self) -> &Path {
        self.path.as_deref().unwrap_or(Path::new("."))
    }

    pub(super) fn origin(&self) -> PathOrigin {
        match self.path {
            Some(_) => PathOrigin::User,
            None => PathOrigin::Default,
        }
    }

    pub(super) fn format(&self) -> TestFormat {
        if self.json {
            TestFormat::Json
        } else {
            self.format
        }
    }
}

/// Output format of `test`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum TestFormat {
    /// A line for each case
    Human,
    /// One JSON document
    Json,
    /// XML in the format of `JUnit`, for CI
    Junit,
}
