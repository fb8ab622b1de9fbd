//! `cargo bench -p prowess-sandbox --bench start`: from `spawn` to the exit of a program that does nothing, in each way
//! to isolate it, beside a plain start of the same program. One line of JSON, medians in milliseconds.
//!
//! The launcher is the smallest one. `PROWESS_BENCH_LAUNCHER="/usr/bin/prowess sandbox-init"` adds a real one.
#![cfg(test)]

use std::path::Path;
use std::process;
use std::time::{Duration, Instant};

use prowess_sandbox::{Command, Confinement, Isolation, Launcher, Network, Requirement, Sandbox};
use serde_json::{Map, Value, json};

const ROUNDS: usize = 100;
const PROGRAM: &str = "/bin/true";

fn median(times: Vec<Duration>) -> Value {
    json!((prowess_testing::median(times).as_secs_f64() * 1_000_000.0).round() / 1_000.0)
}

fn plain() -> Duration {
    let start = Instant::now();
    let status = process::Command::new(PROGRAM)
        .env_clear()
        .stdin(process::Stdio::piped())
        .stdout(process::Stdio::piped())
        .stderr(process::Stdio::piped())
        .status()
        .unwrap();
    assert!(status.success());
    start.elapsed()
}

fn jailed(sandbox: &Sandbox, confinement: &Confinement) -> Duration {
    let start = Instant::now();
    let mut child = sandbox.spawn(&Command::new(PROGRAM), confinement).unwrap();
    assert!(child.wait().unwrap().success());
    start.elapsed()
}

/// The launcher to compare with, if one is configured.
fn baseline_launcher() -> Option<Launcher> {
    let line = std::env::var("PROWESS_BENCH_LAUNCHER").ok()?;
    let mut words = line.split_whitespace();
    let mut launcher = Launcher::new(words.next()?);
    launcher.arguments = words.map(Into::into).collect();
    Some(launcher)
}

fn main() {
    let light = Path::new(env!("CARGO_BIN_EXE_prowess-sandbox-init"));
    let none = Confinement::default();
    let network = Confinement {
        network: Network::Host,
        ..Confinement::default()
    };
    let mut ways = vec![
        (
            "namespaces",
            Launcher::new(light),
            Requirement::Only(Isolation::Namespaces),
            &none,
        ),
        (
            "namespaces_with_network",
            Launcher::new(light),
            Requirement::Only(Isolation::Namespaces),
            &network,
        ),
        (
            "bubblewrap",
            Launcher::new(light),
            Requirement::Only(Isolation::Bubblewrap),
            &none,
        ),
        (
            "no_jail",
            Launcher::new(light),
            Requirement::ExplicitlyNone,
            &none,
        ),
    ];
    if let Some(launcher) = baseline_launcher() {
        let requirement = Requirement::Only(Isolation::Namespaces);
        ways.push(("namespaces_given_launcher", launcher, requirement, &none));
    }
    let sandboxes: Vec<_> = ways
        .drain(..)
        .map(|(name, launcher, requirement, confinement)| {
            (name, Sandbox::new(launcher, requirement), confinement)
        })
        .filter(|(_, sandbox, confinement)| {
            sandbox.spawn(&Command::new(PROGRAM), confinement).is_ok()
        })
        .collect();
    let mut times = vec![Vec::new(); sandboxes.len()];
    let mut plain_times = Vec::new();
    // In turns, so that whatever else the machine does hits all of them alike.
    for _ in 0..ROUNDS {
        plain_times.push(plain());
        for ((_, sandbox, confinement), times) in sandboxes.iter().zip(&mut times) {
            times.push(jailed(sandbox, confinement));
        }
    }
    let mut line = Map::new();
    line.insert("plain".to_owned(), median(plain_times));
    for ((name, ..), times) in sandboxes.into_iter().zip(times) {
        line.insert(name.to_owned(), median(times));
    }
    println!("{}", Value::Object(line));
}
