//! How long it takes over many skills, inside of one process.

use std::time::{Duration, Instant};

use prowess_core::{IndexBuilder, IndexedSkill, SearchIndex, SearchRequest};

use super::labelled::{Skill, Task};
use super::many::many;

/// Skills that are searched.
const SKILLS: usize = 25_000;
/// Each figure is the best of so many rounds.
const ROUNDS: usize = 3;
/// Searches at least, each of them counted.
const SAMPLES: usize = 2_000;

pub(crate) fn report(real: &[Skill], tasks: &[Task]) {
    let skills = many(real, SKILLS);
    let bytes: usize = skills.iter().map(|skill| skill.body.len()).sum();
    println!(
        "{SKILLS} skills, {} of them real and the others variations; {} KB in a body on average\n",
        real.len(),
        bytes / SKILLS / 1024
    );
    let mut sorted: Vec<&Skill> = skills.iter().collect();
    sorted.sort_by(|left, right| left.id.cmp(&right.id));
    let build = |threads: usize| {
        std::thread::scope(|scope| {
            let builder = |range| {
                let range: &[&Skill] = range;
                scope.spawn(move || {
                    let mut builder = IndexBuilder::default();
                    for skill in range {
                        assert!(builder.add(&skill.indexed()));
                    }
                    builder
                })
            };
            let ranges = sorted.chunks(SKILLS.div_ceil(threads));
            let builders: Vec<_> = ranges.map(builder).collect();
            let builders = builders.into_iter().map(|builder| builder.join().unwrap());
            let ids = sorted.iter().map(|skill| skill.id.as_str());
            SearchIndex::empty().extend(ids, builders).0
        })
    };
    let index = build(2);
    let (base, delta) = (index.base_bytes(), index.delta_bytes());
    let changed = |count: usize| {
        let mut skills: Vec<IndexedSkill<'_>> =
            sorted.iter().map(|skill| skill.indexed()).collect();
        skills
            .iter_mut()
            .step_by(SKILLS / count)
            .for_each(|skill| skill.stamp = 2);
        best(|| {
            let (updated, report) = index.update(skills.iter().cloned());
            assert!(report.changed >= count && report.added == 0);
            updated.delta_bytes()
        })
    };
    println!("| work | ms |\n|---|---|");
    for (name, time) in [
        ("build from nothing, one core", best(|| build(1))),
        ("build from nothing, two cores", best(|| build(2))),
        (
            "ask which of them changed",
            best(|| index.stale(sorted.iter().map(|skill| (skill.id.as_str(), 1)))),
        ),
        ("update and write, 1 changed", changed(1)),
        ("update and write, 10 changed", changed(10)),
        ("update and write, 100 changed", changed(100)),
        ("to bytes", best(|| index.base_bytes())),
        (
            "from bytes",
            best(|| SearchIndex::from_parts(base.clone(), Some(&delta)).unwrap()),
        ),
    ] {
        println!("| {name} | {:.1} |", time.as_secs_f64() * 1e3);
    }
    println!(
        "\n{} bytes on disk for each skill\n",
        (base.len() + delta.len()) / SKILLS
    );

    println!("| queries | searches | p50 ms | p99 ms | slowest ms |\n|---|---|---|---|---|");
    let user: Vec<Vec<&str>> = tasks.iter().map(|task| vec![task.user.as_str()]).collect();
    let technical: Vec<Vec<&str>> = tasks
        .iter()
        .map(|task| vec![task.queries[1].as_str()])
        .collect();
    let three: Vec<Vec<&str>> = tasks
        .iter()
        .map(|task| vec![task.user.as_str(), &task.queries[0], &task.queries[1]])
        .collect();
    let misspelt: Vec<String> = tasks
        .iter()
        .map(|task| misspell(&task.queries[0]))
        .collect();
    let misspelt: Vec<Vec<&str>> = misspelt.iter().map(|query| vec![query.as_str()]).collect();
    latency("users' words", &index, &user);
    latency("technical terms", &index, &technical);
    latency("three queries, fused", &index, &three);
    latency("every word misspelt", &index, &misspelt);
    println!();
}

fn latency(name: &str, index: &SearchIndex, queries: &[Vec<&str>]) {
    let mut times: Vec<_> = queries
        .iter()
        .cycle()
        .take(queries.len().max(SAMPLES))
        .map(|queries| {
            let start = Instant::now();
            let request = SearchRequest {
                queries,
                signals: &[],
            };
            std::hint::black_box(index.find(&request, |_| true));
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64() * 1e3;
    println!(
        "| {name} | {} | {:.2} | {:.2} | {:.2} |",
        times.len(),
        at(50),
        at(99),
        at(100)
    );
}

fn misspell(query: &str) -> String {
    let word = |word: &str| {
        let mut letters: Vec<_> = word.chars().collect();
        let middle = letters.len() / 2;
        if middle > 1 {
            letters.swap(middle - 1, middle);
        }
        letters.into_iter().collect()
    };
    query
        .split(' ')
        .map(word)
        .collect::<Vec<String>>()
        .join(" ")
}

fn best<T>(mut work: impl FnMut() -> T) -> Duration {
    let round = |_| {
        let start = Instant::now();
        let made = work();
        let time = start.elapsed();
        drop(made);
        time
    };
    (0..ROUNDS).map(round).min().unwrap_or_default()
}
