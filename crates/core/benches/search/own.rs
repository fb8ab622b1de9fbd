//! Our own 187 skills, with tasks that are misspelt, unfinished or about the body alone.

use prowess_core::SearchIndex;

use super::labelled::{self, Half, Skill};

/// What makes a task hard.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// Asked in the words of a user.
    Plain,
    /// Asked by someone who does not know the words of the trade.
    Hard,
    /// Shares words with the body of the expected skill only.
    Body,
    /// A name, misspelt.
    Typo,
    /// Broken off in the middle of a word.
    Typed,
}

/// What a user says and which skill is meant.
pub(crate) struct Task {
    pub(crate) half: Half,
    pub(crate) kind: Kind,
    pub(crate) expected: Vec<&'static str>,
    pub(crate) query: &'static str,
}

pub(crate) fn skills() -> Vec<Skill> {
    include_str!("skills.txt")
        .trim()
        .split("\n\n")
        .map(skill)
        .collect()
}

fn skill(record: &str) -> Skill {
    let mut lines = record.lines().peekable();
    let id = lines.next().unwrap().to_owned();
    let description = lines.next().unwrap().to_owned();
    let listed = lines.next_if(|line| line.starts_with("keywords: "));
    let listed = listed.and_then(|line| line.strip_prefix("keywords: "));
    let keywords = listed.map_or_else(Vec::new, |listed| {
        listed.split(", ").map(str::to_owned).collect()
    });
    Skill {
        id,
        description,
        keywords,
        body: lines.collect::<Vec<_>>().join("\n"),
    }
}

pub(crate) fn tasks() -> Vec<Task> {
    include_str!("own_tasks.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(task)
        .collect()
}

fn task(line: &'static str) -> Task {
    let [half, kind, expected, query] = line.splitn(4, '|').map(str::trim).collect::<Vec<_>>()[..]
    else {
        panic!("four columns: {line}");
    };
    Task {
        half: match half {
            "tune" => Half::Tune,
            "test" => Half::Test,
            _ => panic!("{line}"),
        },
        kind: match kind {
            "plain" => Kind::Plain,
            "hard" => Kind::Hard,
            "body" => Kind::Body,
            "typo" => Kind::Typo,
            "typed" => Kind::Typed,
            _ => panic!("{line}"),
        },
        expected: expected.split(',').map(str::trim).collect(),
        query,
    }
}

/// The tasks as the ranker learns from them: in a small catalog the words of bodies count more.
pub(crate) fn examples() -> Vec<labelled::Task> {
    let example = |task: Task| {
        let names = task.expected.iter().filter_map(|id| id.rsplit('/').next());
        labelled::Task {
            half: task.half,
            skills: names.map(str::to_owned).collect(),
            user: task.query.to_owned(),
            queries: Default::default(),
        }
    };
    tasks().into_iter().map(example).collect()
}

/// How often the right skill is found among our own, by what makes a task hard.
pub(crate) fn report(skills: &[Skill]) -> SearchIndex {
    let index = SearchIndex::empty()
        .update(skills.iter().map(Skill::indexed))
        .0;
    let tasks = tasks();
    println!(
        "| our own {} skills | tasks | hit@1 | hit@5 |\n|---|---|---|---|",
        skills.len()
    );
    for (label, kind) in [
        ("in the words of a user", Kind::Plain),
        (
            "by someone who does not know the words of the trade",
            Kind::Hard,
        ),
        ("words of the body alone", Kind::Body),
        ("a name, misspelt", Kind::Typo),
        ("broken off in the middle of a word", Kind::Typed),
    ] {
        let tasks: Vec<_> = tasks.iter().filter(|task| task.kind == kind).collect();
        let within = |depth| {
            let found = tasks.iter().filter(|task| {
                let hits = index.search(task.query, depth);
                hits.iter().any(|hit| task.expected.contains(&hit.id))
            });
            found.count() as f64 / tasks.len() as f64 * 100.0
        };
        println!(
            "| {label} | {} | {:.0}% | {:.0}% |",
            tasks.len(),
            within(1),
            within(5)
        );
    }
    println!();
    index
}
