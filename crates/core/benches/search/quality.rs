//! How often the right skill is found.

use super::labelled::{Half, Task};

/// Results that are looked at.
pub(crate) const DEPTH: usize = 50;

/// What is searched for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Asked {
    User,
    Plain,
    Technical,
    Both,
}

impl Asked {
    pub(crate) const ALL: [Self; 4] = [Self::User, Self::Plain, Self::Technical, Self::Both];

    pub(crate) fn queries(self, task: &Task) -> Vec<&str> {
        let [plain, technical] = &task.queries;
        match self {
            Self::User => vec![&task.user],
            Self::Plain => vec![plain],
            Self::Technical => vec![technical],
            Self::Both => vec![plain, technical],
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::User => "the user's own words",
            Self::Plain => "a model's query, told only \"what to look for\"",
            Self::Technical => "a model's query, asked for technical terms",
            Self::Both => "the last two, fused by rank",
        }
    }
}

/// A way to rank: queries in, ids out.
pub(crate) type Ranker<'a> = &'a dyn Fn(&[&str]) -> Vec<String>;

/// Shares of tasks whose skill is among the first 1, 5, 10 and 50, and the mean reciprocal rank.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    pub(crate) hits: [f64; 4],
    pub(crate) reciprocal: f64,
}

pub(crate) fn figures(tasks: &[Task], half: Half, asked: Asked, ranker: Ranker<'_>) -> Figures {
    let mut figures = Figures::default();
    let mut count = 0.0;
    for task in tasks.iter().filter(|task| task.half == half) {
        count += 1.0;
        let found = ranker(&asked.queries(task));
        let Some(position) = found.iter().position(|id| task.is_right(id)) else {
            continue;
        };
        figures.add(position);
    }
    figures.divide(count);
    figures
}

impl Figures {
    /// A task whose skill is at this position, from zero.
    pub(crate) fn add(&mut self, position: usize) {
        for (hits, depth) in self.hits.iter_mut().zip([1, 5, 10, DEPTH]) {
            *hits += f64::from(u8::from(position < depth));
        }
        self.reciprocal += 1.0 / (position + 1) as f64;
    }

    pub(crate) fn divide(&mut self, count: f64) {
        self.hits = self.hits.map(|hits| hits / count);
        self.reciprocal /= count;
    }
}

/// A table for each half.
pub(crate) fn report(title: &str, tasks: &[Task], half: Half, ranker: Ranker<'_>) {
    println!("| {title}, {half:?} half | hit@1 | hit@5 | hit@10 | hit@50 | MRR |");
    println!("|---|---|---|---|---|---|");
    for asked in Asked::ALL {
        row(asked.label(), figures(tasks, half, asked, ranker));
    }
    println!();
}

pub(crate) fn row(label: &str, figures: Figures) {
    let [one, five, ten, fifty] = figures.hits.map(|hits| format!("{:.0}%", hits * 100.0));
    println!(
        "| {label} | {one} | {five} | {ten} | {fifty} | {:.3} |",
        figures.reciprocal
    );
}
