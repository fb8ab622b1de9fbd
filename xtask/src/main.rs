//! The project's own commands, run as `cargo xtask COMMAND`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a tool for developers: the terminal is its only output"
)]

mod agents;
mod bench;
mod console;
mod contract;
mod counts;
mod deny;
mod fuzz;
mod generate;
mod http;
mod python;
mod reference;
mod report;
mod run;
mod soak;
mod step;
mod system;
mod test;
mod tools;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::workspace::Workspace;

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check everything: formatting, lints, licences, tests, documentation
    Test(test::Arguments),
    /// Run one of the benchmarks
    #[command(arg_required_else_help = true)]
    Bench(bench::Arguments),
    /// Fuzz the parsers, guided by coverage
    Fuzz(fuzz::Arguments),
    /// Disturb the program at random moments, for as long as you like
    #[command(arg_required_else_help = true)]
    Soak(soak::Arguments),
    /// Write the files that are made from the code
    Generate(generate::Arguments),
    /// Attack the sandbox, and write what came of it into docs/sandbox-report.md
    Report,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = Workspace::find().and_then(|workspace| match &arguments.command {
        Command::Test(arguments) => test::test(&workspace, arguments),
        Command::Bench(arguments) => bench::bench(&workspace, arguments),
        Command::Fuzz(arguments) => fuzz::fuzz(&workspace, arguments),
        Command::Soak(arguments) => soak::soak(&workspace, arguments),
        Command::Report => report::report(&workspace),
        Command::Generate(arguments) => generate::generate(&workspace, arguments.mode()),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
