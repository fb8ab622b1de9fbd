//! How long it takes over many skills.

use std::time::{Duration, Instant};

use prowess_core::{IndexedSkill, SearchIndex};

use super::labelled::{Body, Skill, Task};

/// Skills in the generated corpus.
const SKILLS: usize = 10_000;
/// Words that occur nowhere else, as names of products and people do in real texts.
const RARE_WORDS: usize = 20_000;
/// Each figure is the best of so many rounds.
const ROUNDS: usize = 7;
/// Searches at least, each of them counted.
const SAMPLES: usize = 5_000;

pub(crate) fn report(labelled: &[Skill], tasks: &[Task]) {
    let corpus = corpus(labelled);
    let words: usize = corpus
        .iter()
        .map(|skill| skill.body.split_whitespace().count())
        .sum();
    println!(
        "{SKILLS} generated skills, {} words in a body on average, one core\n",
        words / SKILLS
    );
    let indexed = || corpus.iter().map(|skill| skill.indexed(Body::Shown));
    let index = SearchIndex::empty().update(indexed()).0;
    let bytes = index.to_bytes();

    let build = best(|| SearchIndex::empty().update(indexed()));
    let stale = best(|| index.stale(corpus.iter().map(|skill| (skill.id.as_str(), 1))));
    let one = best(|| {
        let changed = indexed().enumerate().map(|(position, skill)| {
            let middle = position == SKILLS / 2;
            IndexedSkill {
                stamp: if middle { 2 } else { 1 },
                body: skill.body.filter(|_| middle),
                ..skill
            }
        });
        let (_, report) = index.update(changed);
        assert_eq!((report.changed, report.kept), (1, SKILLS - 1));
    });
    let store = best(|| index.to_bytes());
    let load = best(|| SearchIndex::from_bytes(&bytes).unwrap());
    println!("| work | ms |\n|---|---|");
    for (name, time) in [
        ("build from nothing", build),
        ("ask which of them changed", stale),
        ("update by difference, one changed", one),
        ("to bytes", store),
        ("from bytes", load),
    ] {
        println!("| {name} | {:.2} |", milliseconds(time));
    }
    println!(
        "\n{} bytes on disk, {} for each skill\n",
        bytes.len(),
        bytes.len() / SKILLS
    );

    println!("| queries | searches | p50 ms | p99 ms | slowest ms |\n|---|---|---|---|---|");
    let whole: Vec<_> = tasks.iter().map(|task| task.query.to_owned()).collect();
    latency("labelled tasks", &index, &whole);
    let typed = |query: &String| {
        (3..query.len())
            .filter_map(|end| query.get(..end).map(str::to_owned))
            .collect::<Vec<_>>()
    };
    let prefixes: Vec<_> = whole.iter().flat_map(typed).collect();
    latency("the same while being typed", &index, &prefixes);
    let misspelt: Vec<_> = whole.iter().map(|query| misspell(query)).collect();
    latency("the same with every word misspelt", &index, &misspelt);
}

fn latency(name: &str, index: &SearchIndex, queries: &[String]) {
    let mut times: Vec<_> = queries
        .iter()
        .cycle()
        .take(queries.len().max(SAMPLES))
        .map(|query| {
            let start = Instant::now();
            std::hint::black_box(index.search(query, 20));
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    let at = |percent: usize| milliseconds(times[(times.len() - 1) * percent / 100]);
    println!(
        "| {name} | {} | {:.3} | {:.3} | {:.3} |",
        times.len(),
        at(50),
        at(99),
        at(100)
    );
}

fn misspell(query: &str) -> String {
    query
        .split(' ')
        .map(|word| {
            let mut letters: Vec<_> = word.chars().collect();
            let middle = letters.len() / 2;
            if middle > 1 {
                letters.swap(middle - 1, middle);
            }
            letters.into_iter().collect()
        })
        .collect::<Vec<String>>()
        .join(" ")
}

/// Each skill is a labelled one under another name, with the bodies of some others and a few rare words.
fn corpus(labelled: &[Skill]) -> Vec<Skill> {
    let mut state = 5;
    let mut random = |below: usize| {
        state = (state * 6_364_136_223_846_793_005_u128 + 1_442_695_040_888_963_407) % (1 << 64);
        usize::try_from(state >> 33).unwrap() % below
    };
    (0..SKILLS)
        .map(|number| {
            let mut skill = labelled[number % labelled.len()].clone();
            skill.id = format!("{}-{}", skill.id, number / labelled.len());
            skill.description += " For ";
            skill.description += &rare(random(RARE_WORDS));
            for _ in 0..5 {
                skill.body += " ";
                skill.body += &labelled[random(labelled.len())].body;
            }
            for _ in 0..12 {
                skill.body += " ";
                skill.body += &rare(random(RARE_WORDS));
            }
            skill
        })
        .collect()
}

fn rare(mut number: usize) -> String {
    let syllables = [
        "ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "za", "dor", "fen",
    ];
    let mut word = String::new();
    while word.len() < 5 || number > 0 {
        word += syllables[number % syllables.len()];
        number /= syllables.len();
    }
    word
}

fn best<T>(mut work: impl FnMut() -> T) -> Duration {
    (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            let made = work();
            let time = start.elapsed();
            drop(made);
            time
        })
        .min()
        .unwrap_or_default()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
