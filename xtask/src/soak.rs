//! `cargo xtask soak`: the random tests that the test command runs for seconds, for as long as one likes.

use anyhow::Result;
use clap::ValueEnum;

use crate::run::run;
use crate::workspace::Workspace;

/// What to run, and how much of it.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Which one
    name: Soak,
    /// Rounds; in one of those of `durability`, a command is killed once on average
    #[arg(long, default_value_t = 22_000)]
    rounds: u64,
    /// Repeat the rounds of a run, which printed this
    #[arg(long)]
    seed: Option<u64>,
}

/// The random tests.
#[derive(Clone, Copy, ValueEnum)]
enum Soak {
    /// Commands that change installed skills: killed, on full disks, beside editors and other commands
    Durability,
    /// Ctrl-C at random moments of turns and commands
    Interrupts,
}

/// Runs one of them, built as for users.
pub(crate) fn soak(workspace: &Workspace, arguments: &Arguments) -> Result<()> {
    let (binary, test, rounds) = match arguments.name {
        Soak::Durability => ("packages", "soak::", "PROWESS_SOAK"),
        Soak::Interrupts => ("durability", "interrupts::", "PROWESS_INTERRUPTS"),
    };
    let mut cargo = workspace.cargo();
    cargo
        .args(["test", "--release", "--locked", "--package", "prowess-cli"])
        .args(["--test", binary, "--", test, "--nocapture"])
        .env(rounds, arguments.rounds.to_string());
    if let Some(seed) = arguments.seed {
        cargo.env("PROWESS_SEED", seed.to_string());
    }
    run(&mut cargo)
}
