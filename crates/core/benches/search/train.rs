//! Learns the weights of the features from the tuning half, and measures each feature.
//!
//! A linear function is fitted so that the right skill beats the others: logistic regression over pairs of a right and a
//! wrong candidate, by gradient descent in a fixed order, so that the same tasks give the same weights.

use std::fmt::Write as _;

use prowess_core::SearchIndex;

use super::labelled::{Half, Task};
use super::quality::{Asked, DEPTH, Figures};

/// Candidates of a query.
const CANDIDATES: usize = 100;
/// Passes over all queries.
const PASSES: usize = 400;
/// Words of a query that is long.
const LONG: f32 = 10.0;
/// Prefers small weights.
const DECAY: f32 = 0.002;

/// For each feature: its weight, and what a long query adds.
pub(crate) type Weights = Vec<[f32; 2]>;

/// The candidates of one query.
pub(crate) struct Query {
    asked: Asked,
    length: f32,
    candidates: Vec<Candidate>,
}

struct Candidate {
    id: String,
    is_right: bool,
    features: Vec<f32>,
}

/// Every query of every task with its candidates.
pub(crate) struct Examples {
    names: Vec<&'static str>,
    tasks: Vec<(Half, Vec<Query>)>,
    /// Further queries to learn from.
    more: Vec<Query>,
}

impl Examples {
    /// `more` has another index and its tasks, of which only the users' words are learned from.
    pub(crate) fn new(index: &SearchIndex, tasks: &[Task], more: (&SearchIndex, &[Task])) -> Self {
        let mut names = Vec::new();
        let mut query = |index: &SearchIndex, task: &Task, asked: Asked, text: &str| {
            let (hits, words) = index.explain_all(text, CANDIDATES);
            let candidates = hits.iter().map(|hit| {
                if names.is_empty() {
                    names = hit.features.iter().map(|it| it.name).collect();
                }
                Candidate {
                    id: hit.id.to_owned(),
                    is_right: task.is_right(hit.id),
                    features: hit
                        .features
                        .iter()
                        .take(names.len())
                        .map(|it| it.value)
                        .collect(),
                }
            });
            Query {
                asked,
                candidates: candidates.collect(),
                length: (words as f32).min(LONG) / LONG,
            }
        };
        let tasks = tasks.iter().map(|task| {
            let queries = Asked::ALL[..3]
                .iter()
                .map(|asked| query(index, task, *asked, asked.queries(task)[0]));
            (task.half, queries.collect())
        });
        let tasks = tasks.collect();
        let tuning = more.1.iter().filter(|task| task.half == Half::Tune);
        let more = tuning.map(|task| query(more.0, task, Asked::User, &task.user));
        let more = more.collect();
        Self { names, tasks, more }
    }

    /// The weights that order the tuning half best, without some of the features.
    pub(crate) fn learn(&self, without: &[usize]) -> Weights {
        let count = self.names.len();
        let mut weights = vec![[0.0_f32; 2]; count];
        let tuning: Vec<&Query> = self
            .tasks
            .iter()
            .filter(|(half, _)| *half == Half::Tune)
            .flat_map(|(_, queries)| queries)
            .chain(&self.more)
            .filter(|query| query.candidates.iter().any(|it| it.is_right))
            .collect();
        for pass in 0..PASSES {
            let rate = 0.5 / (1.0 + pass as f32 / 40.0);
            let mut step = vec![[0.0_f32; 2]; count];
            for query in &tuning {
                gradient(query, &weights, &mut step);
            }
            for (feature, (weight, step)) in weights.iter_mut().zip(&step).enumerate() {
                for (weight, step) in weight.iter_mut().zip(step) {
                    *weight += rate * (step / tuning.len() as f32 * 10.0 - DECAY * *weight);
                    if without.contains(&feature) {
                        *weight = 0.0;
                    }
                    // Too few tasks are about deprecated skills to learn that nobody wants them.
                    if self.names[feature] == "deprecated" {
                        *weight = -0.5;
                    }
                }
            }
        }
        weights
    }

    pub(crate) fn figures(&self, half: Half, asked: Asked, weights: &Weights) -> Figures {
        let mut result = Figures::default();
        let mut count = 0.0;
        for (_, queries) in self.tasks.iter().filter(|(other, _)| *other == half) {
            let query = queries.iter().find(|query| query.asked == asked).unwrap();
            count += 1.0;
            let mut scored: Vec<(f32, &Candidate)> = query
                .candidates
                .iter()
                .map(|it| (score(it, query.length, weights), it))
                .collect();
            scored.sort_by(|left, right| {
                right
                    .0
                    .total_cmp(&left.0)
                    .then_with(|| left.1.id.cmp(&right.1.id))
            });
            let Some(position) = scored.iter().take(DEPTH).position(|(_, it)| it.is_right) else {
                continue;
            };
            result.add(position);
        }
        result.divide(count);
        result
    }

    /// How much worse the held-out half gets without each feature.
    pub(crate) fn report_features(&self) {
        let half = Half::Test;
        let mean = |weights: &Weights| {
            let all = Asked::ALL[..3]
                .iter()
                .map(|asked| self.figures(half, *asked, weights));
            all.collect::<Vec<_>>()
        };
        let print = |label: &str, all: &[Figures]| {
            let hits = all.iter().map(|it| format!("{:.1}%", it.hits[0] * 100.0));
            let mrr: f64 = all.iter().map(|it| it.reciprocal).sum::<f64>() / all.len() as f64;
            println!(
                "| {label} | {} | {mrr:.3} |",
                hits.collect::<Vec<_>>().join(" | ")
            );
        };
        println!(
            "| held-out half, learned anew | hit@1 user | hit@1 plain | hit@1 technical | mean MRR |"
        );
        println!("|---|---|---|---|---|");
        print("all features", &mean(&self.learn(&[])));
        for (feature, name) in self.names.iter().enumerate() {
            print(&format!("without {name}"), &mean(&self.learn(&[feature])));
        }
        let all_but_bm25: Vec<usize> = (2..self.names.len()).collect();
        print("BM25 alone", &mean(&self.learn(&all_but_bm25)));
        println!();
    }

    /// The weights as the engine includes them.
    pub(crate) fn source(&self, weights: &Weights) -> String {
        let mut text = "// Written by `cargo xtask bench search --train`.\n[\n".to_owned();
        for (name, [short, long]) in self.names.iter().zip(weights) {
            writeln!(text, "    [{short:.3}, {long:.3}], // {name}").unwrap();
        }
        text + "]\n"
    }
}

fn score(candidate: &Candidate, length: f32, weights: &Weights) -> f32 {
    let values = candidate.features.iter().zip(weights);
    values
        .map(|(value, [short, long])| value * (short + length * long))
        .sum()
}

/// Pushes the best right candidate above the wrong ones; those near the top count most.
fn gradient(query: &Query, weights: &Weights, step: &mut [[f32; 2]]) {
    let mut scored: Vec<(f32, &Candidate)> = query
        .candidates
        .iter()
        .map(|it| (score(it, query.length, weights), it))
        .collect();
    scored.sort_by(|left, right| right.0.total_cmp(&left.0));
    let right = scored.iter().find(|(_, it)| it.is_right).unwrap();
    let mut total = 0.0;
    let mut pushes = Vec::new();
    for (rank, wrong) in scored.iter().filter(|(_, it)| !it.is_right).enumerate() {
        let push = 1.0 / (1.0 + (right.0 - wrong.0).exp()) / (1.0 + rank as f32 / 2.0);
        pushes.push((push, wrong.1));
        total += 1.0 / (1.0 + rank as f32 / 2.0);
    }
    for (push, wrong) in pushes {
        let share = push / total.max(1.0);
        for ((step, good), bad) in step.iter_mut().zip(&right.1.features).zip(&wrong.features) {
            let difference = share * (good - bad);
            step[0] += difference;
            step[1] += difference * query.length;
        }
    }
}
