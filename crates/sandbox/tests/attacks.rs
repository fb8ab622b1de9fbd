//! Every attack of `attacks/attacks.toml`, done in a real jail: as whoever runs the tests, and as nobody.
//!
//! With `PROWESS_SANDBOX_REPORT` set to a file that everybody may write, what happened is appended to it as Markdown.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod support;

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use prowess_sandbox::{Isolation, SandboxError, abilities};
use support::arena::Arena;
use support::attack::{Attack, attacks};
use support::watched::Verdict;
use support::{again_as_nobody, launcher, report, superuser};

/// Bombs want the machine for themselves.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn run(isolation: Isolation, attacks: Vec<Attack>) -> Vec<(Attack, Verdict)> {
    let mut arena = Arena::new();
    attacks
        .into_iter()
        .map(|attack| {
            let verdict = arena.run(&attack, isolation);
            if matches!(verdict, Verdict::Traces(_)) {
                // What one attack left must not be blamed on the next.
                arena = Arena::new();
            }
            (attack, verdict)
        })
        .collect()
}

fn hold(isolation: Isolation) {
    let _turn = turn();
    let results = run(isolation, attacks());
    assert!(results.len() >= 60);
    if let Ok(path) = std::env::var("PROWESS_SANDBOX_REPORT") {
        let user = if superuser() {
            "the superuser"
        } else {
            "a user without privileges"
        };
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .unwrap();
        let head = report::head(&abilities(&launcher()));
        let rows = report::rows(isolation, &results);
        write!(
            file,
            "## Through {isolation}, as {user}\n\n{head}\n{rows}\n"
        )
        .unwrap();
    }
    let bad = |(attack, verdict): &&(Attack, Verdict)| match verdict {
        Verdict::Held(_) => false,
        Verdict::Escaped(_) => !attack.open(isolation),
        Verdict::Traces(_) | Verdict::Unclear(_) => true,
    };
    let bad: Vec<String> = results
        .iter()
        .filter(bad)
        .map(|(attack, verdict)| format!("{}: {verdict:?}", attack.id))
        .collect();
    assert!(
        bad.is_empty(),
        "{isolation}, {} of {}:\n{}",
        bad.len(),
        results.len(),
        bad.join("\n")
    );
}

#[test]
fn attacks_on_namespaces() {
    hold(Isolation::Namespaces);
}

#[test]
fn attacks_on_namespaces_as_nobody() {
    let _turn = turn();
    again_as_nobody("attacks_on_namespaces");
}

#[test]
fn attacks_on_bubblewrap() {
    if superuser() {
        // Not a way for them: see `linux/bubblewrap.rs`.
        let command = prowess_sandbox::Command::new("/bin/true");
        let refused =
            support::sandbox(Isolation::Bubblewrap).spawn(&command, &support::confinement());
        assert!(
            matches!(refused, Err(SandboxError::Unavailable { .. })),
            "{refused:?}"
        );
        return;
    }
    hold(Isolation::Bubblewrap);
}

#[test]
fn attacks_on_bubblewrap_as_nobody() {
    let _turn = turn();
    again_as_nobody("attacks_on_bubblewrap");
}

/// Attacks by their names, in each way that is open here.
fn hold_some(ids: &[&str]) {
    let _turn = turn();
    for isolation in support::ways() {
        let chosen: Vec<Attack> = attacks()
            .into_iter()
            .filter(|attack| ids.contains(&attack.id.as_str()))
            .collect();
        assert_eq!(chosen.len(), ids.len());
        for (attack, verdict) in run(isolation, chosen) {
            let held = matches!(verdict, Verdict::Held(_));
            assert!(held, "{isolation}, {}: {verdict:?}", attack.id);
        }
    }
}

#[test]
fn q20_protected_names_are_read_only_whether_they_are_there_or_not() {
    hold_some(&[
        "protected-there",
        "protected-absent",
        "protected-race",
        "skill-replaced",
    ]);
}

#[test]
fn q37_files_that_start_programs_are_read_only() {
    hold_some(&["starters-there", "starters-absent"]);
}

#[test]
fn q22_setuid_bits_and_attributes_are_refused() {
    hold_some(&["setuid-file", "setuid-left", "capability-file"]);
}

#[test]
fn q23_socket_pairs_reach_no_socket_of_the_host() {
    hold_some(&["unix-pair-connect", "unix-pair-connect-granted"]);
}

#[test]
fn q25_processes_are_bounded_together() {
    hold_some(&[
        "memory-together",
        "disk-together",
        "fill-project",
        "fork-bomb",
        "inodes",
    ]);
}

/// Attacks that are harmless to the machine, and that must succeed without a jail: a table of attacks that cannot
/// succeed proves nothing.
const REAL: &[&str] = &[
    "tcp",
    "urllib",
    "curl",
    "udp",
    "unix-socket",
    "unix-socket-project",
    "unix-datagram-project",
    "unix-pair-connect",
    "setuid-left",
    "capability-file",
    "protected-there",
    "protected-absent",
    "protected-race",
    "starters-there",
    "starters-absent",
    "unlisted-calls",
    "abstract-socket",
    "write-outside",
    "read-outside",
    "skill-write",
    "project-write",
    "project-metadata",
    "map-write",
    "fd-reopen",
    "dot-dot",
    "see-processes",
    "shared-memory",
    "system-v",
    "queue",
    "memory-program",
    "personality",
];

#[test]
fn attacks_succeed_without_a_sandbox() {
    let _turn = turn();
    let known = attacks();
    for id in REAL {
        let attack = known.iter().find(|attack| attack.id == *id).unwrap();
        let verdict = Arena::new().run(attack, Isolation::None);
        assert!(
            matches!(verdict, Verdict::Escaped(_) | Verdict::Traces(_)),
            "{id}: {verdict:?}"
        );
    }
}
