//! Every attack of the sandbox's table, made by a skill: as a script, as a process skill and as a native plugin.
//!
//! With `PROWESS_SANDBOX_REPORT` set to a file, what happened is appended to it as Markdown.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod arena;
mod executors;
mod faults;
#[path = "../../../sandbox/tests/support/watched.rs"]
mod watched;

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use arena::{Arena, Attack, attacks};
use executors::Executor;
use watched::Verdict;

/// Bombs want the machine for themselves.
static TURN: Mutex<()> = Mutex::new(());

fn hold(executor: &dyn Executor) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut arena = Arena::new();
    let mut results: Vec<(Attack, Verdict)> = Vec::new();
    for attack in attacks() {
        if executor.leaves_out().iter().any(|(id, _)| *id == attack.id) {
            continue;
        }
        let verdict = arena.run(&attack, executor);
        if matches!(verdict, Verdict::Traces(_)) {
            // What one attack left must not be blamed on the next.
            arena = Arena::new();
        }
        results.push((attack, verdict));
    }
    assert!(results.len() >= 60, "{}", results.len());
    if let Ok(path) = std::env::var("PROWESS_SANDBOX_REPORT") {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .unwrap();
        file.write_all(report(executor, &results).as_bytes())
            .unwrap();
    }
    let bad: Vec<String> = results
        .iter()
        .filter(|(_, verdict)| !matches!(verdict, Verdict::Held(_)))
        .map(|(attack, verdict)| format!("{}: {verdict:?}", attack.id))
        .collect();
    assert!(
        bad.is_empty(),
        "{} of {}:\n{}",
        bad.len(),
        results.len(),
        bad.join("\n")
    );
}

fn report(executor: &dyn Executor, results: &[(Attack, Verdict)]) -> String {
    let mut text = format!(
        "## By {}\n\n| attack | category | what happened |\n|---|---|---|\n",
        executor.name()
    );
    for (attack, verdict) in results {
        let what = verdict.cell(100);
        let _ = writeln!(text, "| {} | {} | {what} |", attack.title, attack.category);
    }
    text.push('\n');
    text
}

#[test]
fn attacks_by_a_script() {
    hold(&executors::Script);
}

#[test]
fn attacks_by_a_process_skill() {
    hold(&executors::Process);
}

#[test]
fn attacks_by_a_plugin() {
    hold(&executors::Plugin::new());
}
