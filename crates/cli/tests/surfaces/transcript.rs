//! What comes out of a surface.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::scene::Surface;
use crate::support::TestProject;

/// What a model was shown and got, and what a program was told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transcript {
    /// The system prompt, or the instructions of a server.
    pub(crate) prompt: String,
    /// Names of tools, sorted.
    pub(crate) tools: Vec<String>,
    /// The messages of the user, as a model gets them.
    pub(crate) messages: Vec<String>,
    /// What calls returned.
    pub(crate) results: Vec<Value>,
    pub(crate) events: Events,
}

/// What a program was told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Events {
    /// What became of skills, under the names of the library.
    facts: Vec<String>,
    /// The names that these have here.
    names: BTreeSet<String>,
}

/// The facts of a session, and their names in chats.
const FACTS: [(&str, &str); 6] = [
    ("activated", "skill-loaded"),
    ("already-active", "skill-already-active"),
    ("unresolved", "skill-unresolved"),
    ("load-failed", "skill-failed"),
    ("access-denied", "access-denied"),
    ("tool-not-allowed", "tool-not-allowed"),
];

impl Events {
    /// The program could not even begin.
    pub(crate) fn refused(status: u16, problem: &Value) -> Self {
        Self {
            facts: vec![format!("refused {status} {}", problem["detail"])],
            names: BTreeSet::new(),
        }
    }

    /// Notes those that say what became of a skill.
    pub(crate) fn note(&mut self, events: &[Value]) {
        for event in events {
            let name = event["type"].as_str().unwrap();
            let fact = FACTS
                .iter()
                .find(|(ours, chats)| [ours, chats].contains(&&name));
            if let Some((fact, _)) = fact {
                let about = ["id", "reference", "tool"];
                let about = about.iter().find_map(|key| event[key].as_str());
                self.facts
                    .push(format!("{fact} {}", about.unwrap_or_default()));
                self.names.insert(name.to_owned());
            }
        }
    }
}

impl Transcript {
    /// Without what is another in every run.
    pub(crate) fn normalised(mut self, project: &TestProject) -> Self {
        let root = project.path("");
        let root = root.to_str().unwrap().trim_end_matches('/').to_owned();
        let real = std::fs::canonicalize(&root).unwrap();
        let real = real.to_str().unwrap().to_owned();
        let clean =
            |text: &mut String| *text = text.replace(&real, "$PROJECT").replace(&root, "$PROJECT");
        clean(&mut self.prompt);
        self.messages.iter_mut().for_each(clean);
        for result in &mut self.results {
            let mut text = result.to_string();
            clean(&mut text);
            *result = serde_json::from_str(&text).unwrap();
        }
        self.tools.sort();
        self
    }

    /// The fields in which a surface gives something else: the name, what the library gives, what the surface gives.
    pub(crate) fn differences(
        &self,
        other: &Self,
        surface: Surface,
    ) -> Vec<(&'static str, String, String)> {
        let mut differences = Vec::new();
        let mut compare = |field, ours: String, theirs: String| {
            if ours != theirs {
                differences.push((field, ours, theirs));
            }
        };
        // A host puts words of its own around the prompt.
        let has_prompt = other.prompt.contains(self.prompt.trim_end());
        if !has_prompt {
            compare("prompt", self.prompt.clone(), other.prompt.clone());
        }
        let lines = |list: &[String]| list.join("\n");
        // A host has tools of its own.
        let known = |name: &&String| {
            let provided = self.tools.iter().map(|name| name.replace('.', "_"));
            provided.chain(self.tools.clone()).any(|it| it == **name)
        };
        let shown: Vec<String> = other.tools.iter().filter(known).cloned().collect();
        compare("tools", lines(&self.tools), lines(&shown));
        if !surface.is_mcp() {
            compare("messages", lines(&self.messages), lines(&other.messages));
        }
        let results = |list: &[Value]| {
            let list: Vec<String> = list.iter().map(ToString::to_string).collect();
            list.join("\n")
        };
        compare("results", results(&self.results), results(&other.results));
        if !surface.is_mcp() {
            compare(
                "events",
                lines(&self.events.facts),
                lines(&other.events.facts),
            );
            let names = |events: &Events| format!("{:?}", events.names);
            compare("names", names(&self.events), names(&other.events));
        }
        differences
    }

    /// The fields that lack what is expected of every surface that has them.
    pub(crate) fn unmet(
        &self,
        expected: &BTreeMap<String, Vec<String>>,
        surface: Surface,
    ) -> Vec<(&'static str, String, String)> {
        let fields = [
            ("prompt", self.prompt.clone()),
            ("tools", self.tools.join("\n")),
            ("messages", self.messages.join("\n")),
            (
                "results",
                self.results.iter().map(ToString::to_string).collect(),
            ),
            ("events", self.events.facts.join("\n")),
        ];
        let is_had = |field: &str| !surface.is_mcp() || !["messages", "events"].contains(&field);
        let mut unmet = Vec::new();
        for (field, text) in fields.into_iter().filter(|(field, _)| is_had(field)) {
            let wanted = expected.get(field).into_iter().flatten();
            for wanted in wanted.filter(|wanted| !text.contains(wanted.as_str())) {
                unmet.push((field, wanted.clone(), text.clone()));
            }
        }
        unmet
    }
}

/// A result as text, which may be JSON.
pub(crate) fn result(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}
