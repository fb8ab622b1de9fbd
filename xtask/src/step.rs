//! The steps of `cargo xtask test`, in the order in which they run.

use std::env;
use std::io::{self, IsTerminal};
use std::process::Command;

use anyhow::{Result, ensure};
use clap::ValueEnum;

use crate::counts::Counts;
use crate::generate::{self, Mode};
use crate::run::{check, run, stream, succeeds};
use crate::workspace::Workspace;
use crate::{console, deny, python, tools};

/// One step; cheap ones come first, so that a slip shows early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Step {
    /// Install what the later steps need and do not find
    Tools,
    /// `cargo fmt --check`
    Format,
    /// Generated files are up to date
    Generated,
    /// The console is type-checked, and its bundle is what its sources make
    Console,
    /// `cargo clippy`, where a warning is an error
    Lint,
    /// Licences, doubled crates and origins, by cargo-deny
    Licences,
    /// Every target of every crate compiles
    Build,
    /// Unit and integration tests, by nextest where it is installed
    Tests,
    /// Examples in the documentation
    Doctests,
    /// The documentation builds without a warning
    Docs,
}

impl Step {
    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Format => "format",
            Self::Generated => "generated",
            Self::Console => "console",
            Self::Lint => "lint",
            Self::Licences => "licences",
            Self::Build => "build",
            Self::Tests => "tests",
            Self::Doctests => "doctests",
            Self::Docs => "docs",
        }
    }

    /// Whether the step runs tests, so that none at all means something is broken.
    pub(crate) fn runs_tests(self) -> bool {
        matches!(self, Self::Tests | Self::Doctests)
    }

    /// Runs the step; `counts` is added to even when tests fail.
    pub(crate) fn run(self, workspace: &Workspace, counts: &mut Vec<Counts>) -> Result<()> {
        let cargo = |words: &str| {
            let mut command = workspace.cargo();
            command.args(words.split(' '));
            python::export(workspace, &mut command);
            command
        };
        match self {
            Self::Tools => tools::ensure_for_tests(workspace),
            Self::Format => run(&mut cargo("fmt --all --check")),
            Self::Generated => generate::generate(workspace, Mode::Check),
            Self::Console => console::check(workspace),
            Self::Lint => run(&mut cargo(
                "clippy --workspace --all-features --all-targets --locked -- -D warnings",
            )),
            Self::Licences => {
                run(deny::command(workspace)
                    .args(["--locked", "check", "licenses", "bans", "sources"]))
            }
            Self::Build => run(&mut cargo(
                "build --workspace --all-features --all-targets --locked",
            )),
            Self::Tests if succeeds(&mut cargo("nextest --version")) => count(
                &mut cargo("nextest run --workspace --all-features --locked --no-fail-fast"),
                Counts::from_nextest,
                counts,
            ),
            Self::Tests => count(
                &mut cargo("test --workspace --all-features --locked --no-fail-fast --tests"),
                Counts::from_libtest,
                counts,
            ),
            Self::Doctests => count(
                &mut cargo("test --doc --workspace --all-features --locked --no-fail-fast"),
                Counts::from_libtest,
                counts,
            ),
            Self::Docs => run(cargo("doc --workspace --all-features --no-deps --locked")
                .env("RUSTDOCFLAGS", "-D warnings")),
        }
    }
}

/// Runs a test runner and keeps what its summaries say.
fn count(
    command: &mut Command,
    summary: fn(&str) -> Option<Counts>,
    counts: &mut Vec<Counts>,
) -> Result<()> {
    // The runner writes into our pipe and would drop its colours.
    if io::stdout().is_terminal() && env::var_os("CARGO_TERM_COLOR").is_none() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    let (status, found) = stream(command, summary)?;
    let silent = found.is_empty();
    counts.extend(found);
    check(command, status)?;
    ensure!(!silent, "the test runner printed no summary");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_command_line() {
        for step in Step::value_variants() {
            let value = step.to_possible_value().unwrap();
            assert_eq!(value.get_name(), step.name());
        }
    }
}
