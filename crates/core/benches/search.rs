//! Search: whether the right skill is found, and how fast. Run by `cargo xtask bench search`.
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
use prowess_core::SearchIndex;

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
        fused(queries.iter().map(|query| {
            index
                .search(query, 50)
                .iter()
                .map(|hit| hit.id.to_owned())
                .collect()
        }))
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
    if flag("--speed") {
        speed::report(&skills, &tasks);
    }
    if flag("--features") {
        examples().report_features();
    }
}

fn fused(rankings: impl Iterator<Item = Vec<String>>) -> Vec<String> {
    let mut scores = std::collections::HashMap::<String, f64>::new();
    for ranking in rankings {
        for (position, id) in ranking.into_iter().enumerate() {
            *scores.entry(id).or_default() += 1.0 / (60 + position) as f64;
        }
    }
    let mut fused: Vec<_> = scores.into_iter().collect();
    fused.sort_by(|left, right| {
        right
            .1
            .total_cmp(&left.1)
            .then_with(|| left.0.cmp(&right.0))
    });
    fused.into_iter().map(|(id, _)| id).collect()
}
