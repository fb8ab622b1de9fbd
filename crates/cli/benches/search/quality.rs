//! How often the right skill is found.

use std::collections::HashSet;

use prowess_core::SearchIndex;

use super::labelled::{Body, Kind, Skill, Split, Task};

/// Ranks for comparison are looked for among so many.
const DEPTH: usize = 50;

type Ranker<'a> = &'a dyn Fn(&str) -> Vec<String>;

pub(crate) fn report(skills: &[Skill], tasks: &[Task], verbose: bool) {
    println!("{} skills, {} tasks\n", skills.len(), tasks.len());
    check_labels(skills, tasks);
    let index = |body| {
        SearchIndex::empty()
            .update(skills.iter().map(|skill| skill.indexed(body)))
            .0
    };
    let (whole, head) = (index(Body::Shown), index(Body::Hidden));
    let search = |index: &SearchIndex, query: &str| {
        let hits = index.search(query, DEPTH);
        hits.iter().map(|hit| hit.id.to_owned()).collect::<Vec<_>>()
    };
    let with_body = |query: &str| search(&whole, query);
    let without_body = |query: &str| search(&head, query);
    let overlap = |query: &str| overlap(skills, query);
    let rankers: [(&str, Ranker<'_>); 3] = [
        ("search, with bodies", &with_body),
        ("search, bodies hidden", &without_body),
        ("baseline: words in common, name and description", &overlap),
    ];
    println!("| ranking | tasks | number | hit@1 | hit@5 | MRR |");
    println!("|---|---|---|---|---|---|");
    for (name, ranker) in rankers {
        row(
            name,
            "tune",
            ranker,
            tasks.iter().filter(|task| task.split == Split::Tune),
        );
        row(
            name,
            "test",
            ranker,
            tasks.iter().filter(|task| task.split == Split::Test),
        );
        row(name, "all", ranker, tasks.iter());
        for (kind, label) in [
            (Kind::Plain, "plain"),
            (Kind::Hard, "hard"),
            (Kind::Body, "body only"),
            (Kind::Typo, "typo"),
            (Kind::Typed, "typed"),
        ] {
            row(
                name,
                label,
                ranker,
                tasks.iter().filter(|task| task.kind == kind),
            );
        }
    }
    println!();
    if verbose {
        misses(tasks, &with_body);
    }
}

/// Expected skills exist, and tasks of the body share no word of four letters with anything else.
fn check_labels(skills: &[Skill], tasks: &[Task]) {
    for (task, expected) in tasks
        .iter()
        .flat_map(|task| task.expected.iter().map(move |id| (task, id)))
    {
        let skill = skills
            .iter()
            .find(|skill| skill.id == *expected)
            .expect(expected);
        if task.kind == Kind::Body {
            let head = format!(
                "{} {} {}",
                skill.id,
                skill.description,
                skill.keywords.join(" ")
            );
            let head: HashSet<_> = long_words(&head).collect();
            assert!(
                long_words(task.query).all(|word| !head.contains(&word)),
                "{}",
                task.query
            );
        }
    }
}

fn long_words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 3 && !["with", "from", "what"].contains(word))
        .map(str::to_lowercase)
}

fn row<'a>(name: &str, label: &str, ranker: Ranker<'_>, tasks: impl Iterator<Item = &'a Task>) {
    let ranks: Vec<_> = tasks.map(|task| rank(task, ranker)).collect();
    let number = ranks.len() as f64;
    let within = |limit| {
        ranks
            .iter()
            .flatten()
            .filter(|rank| **rank <= limit)
            .count() as f64
            / number
    };
    let reciprocal: f64 = ranks.iter().flatten().map(|rank| 1.0 / *rank as f64).sum();
    println!(
        "| {name} | {label} | {number} | {:.2} | {:.2} | {:.3} |",
        within(1),
        within(5),
        reciprocal / number
    );
}

/// From one; none when it is not found at all.
fn rank(task: &Task, ranker: Ranker<'_>) -> Option<usize> {
    let found = ranker(task.query);
    let position = found
        .iter()
        .position(|id| task.expected.contains(&id.as_str()))?;
    Some(position + 1)
}

/// What was not first among the tasks that weights may be chosen on.
fn misses(tasks: &[Task], ranker: Ranker<'_>) {
    println!("| query | expected | rank | first |\n|---|---|---|---|");
    for task in tasks.iter().filter(|task| task.split == Split::Tune) {
        let rank = rank(task, ranker);
        if rank != Some(1) {
            let first = ranker(task.query).into_iter().next().unwrap_or_default();
            println!(
                "| {} | {} | {rank:?} | {first} |",
                task.query,
                task.expected.join(", ")
            );
        }
    }
    println!();
}

/// Skills by how many words of the query occur anywhere in name and description.
fn overlap(skills: &[Skill], query: &str) -> Vec<String> {
    let query = query.to_lowercase();
    let words: Vec<_> = query
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 2)
        .collect();
    let mut found: Vec<_> = skills
        .iter()
        .map(|skill| {
            let text = format!("{} {}", skill.id, skill.description).to_lowercase();
            let count = words.iter().filter(|word| text.contains(**word)).count();
            (std::cmp::Reverse(count), skill.id.clone())
        })
        .filter(|(count, _)| count.0 > 0)
        .collect();
    found.sort();
    found.into_iter().take(DEPTH).map(|(_, id)| id).collect()
}
