//! `cargo xtask test`: the steps one after the other, up to the first that fails.

use std::time::Instant;

use anyhow::{Result, bail, ensure};
use clap::ValueEnum;

use crate::counts::Counts;
use crate::step::Step;
use crate::workspace::Workspace;

/// Which steps to run; all of them unless told otherwise.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Leave this step out (may be repeated)
    #[arg(long, value_name = "STEP")]
    skip: Vec<Step>,
    /// Run this step and no other (may be repeated)
    #[arg(long, value_name = "STEP")]
    only: Vec<Step>,
}

impl Arguments {
    fn selected(&self) -> Vec<Step> {
        Step::value_variants()
            .iter()
            .copied()
            .filter(|step| self.only.is_empty() || self.only.contains(step))
            .filter(|step| !self.skip.contains(step))
            .collect()
    }
}

/// Runs the selected steps and closes with the count of tests, if any step has run some.
pub(crate) fn test(workspace: &Workspace, arguments: &Arguments) -> Result<()> {
    let steps = arguments.selected();
    ensure!(!steps.is_empty(), "no step is left to run");

    let mut counts = Vec::new();
    let mut failed = None;
    for (index, step) in steps.iter().enumerate() {
        println!("[{}/{}] {}", index + 1, steps.len(), step.name());
        let start = Instant::now();
        let outcome = step.run(workspace, &mut counts);
        let seconds = start.elapsed().as_secs_f64();
        if let Err(error) = outcome {
            eprintln!("{error:#}");
            println!("{} failed after {seconds:.1} s", step.name());
            failed = Some(*step);
            break;
        }
        println!("{} done in {seconds:.1} s", step.name());
    }

    let total: Counts = counts.iter().copied().sum();
    if !counts.is_empty() {
        println!("{total}");
    }
    if failed.is_none() && total.none_ran() {
        failed = steps.iter().copied().find(|step| step.runs_tests());
        if failed.is_some() {
            eprintln!("not a single test ran");
        }
    }
    if let Some(step) = failed {
        let name = step.name();
        bail!("step {name} failed; run it alone with `cargo xtask test --only {name}`");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(skip: &[Step], only: &[Step], expected: &[Step]) {
        let arguments = Arguments {
            skip: skip.to_vec(),
            only: only.to_vec(),
        };
        assert_eq!(arguments.selected(), expected);
    }

    #[test]
    fn selection_keeps_the_order_of_the_steps() {
        check(&[], &[], Step::value_variants());
        check(&[], &[Step::Docs, Step::Lint], &[Step::Lint, Step::Docs]);
        check(&[Step::Lint], &[Step::Lint, Step::Docs], &[Step::Docs]);
        check(&[Step::Lint], &[Step::Lint], &[]);
    }
}
