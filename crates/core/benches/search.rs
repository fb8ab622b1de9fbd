//! Search: whether the right skill is found, and how fast. Run by `cargo xtask bench search`.
//!
//! `--train` learns the weights of the ranker and writes them; `--features` and `--speed` run one part.
#![cfg(test)]
#![allow(
    clippy::string_slice,
    clippy::cast_precision_loss,
    reason = "figures are rounded"
)]

#[path = "search/labelled.rs"]
mod labelled;
#[path = "search/many.rs"]
mod many;
#[path = "search/own.rs"]
mod own;
#[path = "search/packages.rs"]
mod packages;
#[path = "search/quality.rs"]
mod quality;
#[path = "search/speed.rs"]
mod speed;
#[path = "search/train.rs"]
mod train;

use labelled::Half;
use prowess_core::{SearchIndex, SearchRequest};

fn main() {
    let flag = |name: &str| std::env::args().any(|argument| argument == name);
    let mut skills = own::skills();
    let small = own::report(&skills);
    skills.extend(packages::skills());
    let tasks = labelled::tasks(&skills);
    println!("{} skills, {} tasks\n", skills.len(), tasks.len());
    let index = SearchIndex::empty()
        .update(skills.iter().map(labelled::Skill::indexed))
        .0;
    let ranker = |queries: &[&str]| {
        let found = index.find(
            &SearchRequest {
                queries,
                signals: &[],
            },
            |_| true,
        );
        let found = found.iter().take(quality::DEPTH);
        found
            .map(|skill| skill.hit.id.to_owned())
            .collect::<Vec<_>>()
    };
    for half in [Half::Tune, Half::Test] {
        quality::report("search", &tasks, half, &ranker);
    }
    let own_tasks = own::examples();
    let examples = || train::Examples::new(&index, &tasks, (&small, &own_tasks));
    if flag("--train") {
        let examples = examples();
        let weights = examples.learn(&[]);
        for half in [Half::Tune, Half::Test] {
            println!("learned, {half:?}");
            for asked in &quality::Asked::ALL[..3] {
                quality::row(
                    &format!("{asked:?}"),
                    examples.figures(half, *asked, &weights),
                );
            }
        }
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/search/ranker.in");
        std::fs::write(file, examples.source(&weights)).unwrap();
    }
    // Without a wish, everything but learning.
    let everything = !["--train", "--features", "--speed"].into_iter().any(flag);
    if everything || flag("--speed") {
        speed::report(&skills, &tasks);
    }
    if everything || flag("--features") {
        examples().report_features();
    }
}
