//! What happened, as Markdown.

use std::fmt::Write;

use prowess_sandbox::{Abilities, Isolation, State};

use super::arena::Verdict;
use super::attack::Attack;

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
        let (word, detail) = match verdict {
            Verdict::Held(detail) => ("held", detail),
            Verdict::Escaped(detail) => ("**not stopped**", detail),
            Verdict::Traces(detail) => ("**left traces**", detail),
            Verdict::Unclear(detail) => ("**unclear**", detail),
        };
        let detail = detail.replace('|', "\\|").replace('\n', " ");
        let short: String = detail.chars().take(120).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {expected} | {word}: {short} |",
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
            State::Works => "yes",
            State::Missing => "no",
        };
        let _ = writeln!(text, "| {name} | {state} | {} |", ability.sentence);
    }
    text
}
