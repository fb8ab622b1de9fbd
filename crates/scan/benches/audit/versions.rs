//! Two versions of one package: what a newer version adds.

use std::collections::BTreeSet;

use crate::rules::audit;

use super::packages::{npm, skills_in};

/// An older and a newer version of the same package.
const PAIR: (&str, &str) = ("oh-my-claude-sisyphus@4.4.4", "oh-my-claude-sisyphus@5.5.0");

pub(crate) fn run() {
    let (old, new) = PAIR;
    let findings = |package: &str| -> BTreeSet<(String, String)> {
        skills_in(package, &npm(package))
            .iter()
            .flat_map(|skill| {
                let inside = skill
                    .name
                    .strip_prefix(package)
                    .unwrap_or(&skill.name)
                    .to_owned();
                audit(&skill.files)
                    .findings
                    .into_iter()
                    .map(move |found| (inside.clone(), found.rule.as_str().to_owned()))
            })
            .collect()
    };
    let (before, after) = (findings(old), findings(new));
    let added = after.difference(&before).count();
    let gone = before.difference(&after).count();
    println!(
        "\n{old} to {new}: {} findings stay, {added} are new, {gone} are gone",
        after.len() - added
    );
}
