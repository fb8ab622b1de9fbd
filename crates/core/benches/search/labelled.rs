//! Skills, and tasks with the skill that a person would choose.

use std::collections::{HashMap, HashSet};

use prowess_core::IndexedSkill;

/// A skill to be found.
#[derive(Clone)]
pub(crate) struct Skill {
    pub(crate) id: String,
    pub(crate) description: String,
    pub(crate) keywords: Vec<String>,
    pub(crate) body: String,
}

impl Skill {
    pub(crate) fn indexed(&self) -> IndexedSkill<'_> {
        IndexedSkill {
            id: &self.id,
            description: &self.description,
            keywords: self.keywords.iter().map(String::as_str).collect(),
            body: Some(&self.body),
            stamp: 1,
            ..IndexedSkill::default()
        }
    }

    fn name(&self) -> &str {
        self.id.rsplit('/').next().unwrap_or_default()
    }
}

/// Weights are learned on one half and shown on the other. No skill is the answer in both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Half {
    Tune,
    Test,
}

/// What a user says, what a model would search for, and the skills that are right.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) half: Half,
    /// Names: translations and variants of one skill are as good as each other.
    pub(crate) skills: Vec<String>,
    pub(crate) user: String,
    /// One as a model writes it when it is only told "what to look for", one when it is asked for technical terms.
    pub(crate) queries: [String; 2],
}

impl Task {
    pub(crate) fn is_right(&self, id: &str) -> bool {
        let name = id.rsplit('/').next().unwrap_or_default();
        self.skills.iter().any(|skill| skill == name)
    }
}

/// The labelled tasks, checked against the skills.
pub(crate) fn tasks(skills: &[Skill]) -> Vec<Task> {
    let tasks: Vec<Task> = include_str!("tasks.jsonl").lines().map(task).collect();
    let names: HashSet<&str> = skills.iter().map(Skill::name).collect();
    let mut halves: HashMap<&str, Half> = HashMap::new();
    for task in &tasks {
        for name in &task.skills {
            assert!(names.contains(name.as_str()), "unknown skill {name}");
            let half = *halves.entry(name).or_insert(task.half);
            assert_eq!(half, task.half, "{name} is in both halves");
        }
    }
    tasks
}

fn task(line: &str) -> Task {
    let value: serde_json::Value = serde_json::from_str(line).expect(line);
    let text = |value: &serde_json::Value| value.as_str().expect(line).to_owned();
    Task {
        half: match value["half"].as_str() {
            Some("tune") => Half::Tune,
            Some("test") => Half::Test,
            _ => panic!("{line}"),
        },
        skills: value["skills"]
            .as_array()
            .expect(line)
            .iter()
            .map(text)
            .collect(),
        user: text(&value["user"]),
        queries: [text(&value["queries"][0]), text(&value["queries"][1])],
    }
}
