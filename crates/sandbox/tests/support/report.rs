//! What happened, as Markdown.

use std::fmt::Write;

use prowess_sandbox::{Abilities, AbilityState, Isolation};

use super::attack::Attack;
use super::watched::Verdict;

/// One row for each attack.
pub(crate) fn rows(isolation: Isolation, results: &[(Attack, Verdict)]) -> String {
    let mut text =
        String::from("| attack | category | expected | what happened |\n|---|---|---|---|\n");
    for (attack, verdict) in results {
        let expected = if attack.open(isolation) {
            "not stopped"
        } else {
            "held"
        };
        let what = verdict.cell(120);
        let _ = writeln!(
            text,
            "| {} | {} | {expected} | {what} |",
            attack.title, attack.category
        );
    }
    text
}

/// What the machine can do, for the top of a report.
pub(crate) fn head(abilities: &Abilities) -> String {
    let mut text = format!(
        "Linux {}.\n\n| layer | here | |\n|---|---|---|\n",
        abilities.kernel
    );
    for (name, ability) in abilities.layers() {
        let state = match ability.state {
            AbilityState::Works => "yes",
            AbilityState::Missing => "no",
        };
        let _ = writeln!(text, "| {name} | {state} | {} |", ability.sentence);
    }
    text
}
