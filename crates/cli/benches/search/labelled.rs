//! Skills and tasks with the answer a person would give.

use prowess_core::IndexedSkill;

/// A skill as `skills.txt` has it: id, description, perhaps keywords, body.
#[derive(Clone)]
pub(crate) struct Skill {
    pub(crate) id: String,
    pub(crate) description: String,
    pub(crate) keywords: Vec<String>,
    pub(crate) body: String,
}

impl Skill {
    pub(crate) fn indexed(&self, body: Body) -> IndexedSkill<'_> {
        IndexedSkill {
            id: &self.id,
            description: &self.description,
            keywords: self.keywords.iter().map(String::as_str).collect(),
            body: Some(match body {
                Body::Shown => &self.body,
                Body::Hidden => "",
            }),
            stamp: 1,
        }
    }
}

/// Whether the index sees bodies.
#[derive(Clone, Copy)]
pub(crate) enum Body {
    Shown,
    Hidden,
}

/// Which half a task belongs to: weights are chosen on one and judged on the other.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Split {
    Tune,
    Test,
}

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
    pub(crate) split: Split,
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
    include_str!("tasks.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(task)
        .collect()
}

fn task(line: &'static str) -> Task {
    let [split, kind, expected, query] = line.splitn(4, '|').map(str::trim).collect::<Vec<_>>()[..]
    else {
        panic!("four columns: {line}");
    };
    Task {
        split: match split {
            "tune" => Split::Tune,
            "test" => Split::Test,
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
