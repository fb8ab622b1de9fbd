//! The attacks, as data.

use super::SkillFiles;

/// What an attack is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// A shell script.
    Shell,
    /// A Python program.
    Python,
    /// A JavaScript program.
    JavaScript,
    /// Instructions for a model.
    Prose,
}

/// A small skill that harms.
#[derive(Clone, Debug)]
pub struct Attack {
    /// Its name.
    pub name: String,
    /// The description of the skill that it pretends to be.
    pub description: String,
    /// What it is written in.
    pub payload: Payload,
    /// The harmful part.
    pub text: String,
}

/// Attacks follow each other: `=== NAME | PAYLOAD | DESCRIPTION`, then the harmful part.
const DATA: &str = include_str!("attacks.txt");

/// Every attack.
pub fn attacks() -> Vec<Attack> {
    read(DATA)
}

/// The entries of a file of attacks, or of near misses.
pub(super) fn read(data: &str) -> Vec<Attack> {
    data.split("\n=== ")
        .skip(1)
        .filter_map(|entry| {
            let (head, text) = entry.split_once('\n')?;
            let mut fields = head.splitn(3, " | ");
            let name = fields.next()?.to_owned();
            let payload = match fields.next()? {
                "shell" => Payload::Shell,
                "python" => Payload::Python,
                "javascript" => Payload::JavaScript,
                "prose" => Payload::Prose,
                _ => return None,
            };
            Some(Attack {
                name,
                description: fields.next()?.to_owned(),
                payload,
                text: format!("{}\n", text.trim_end()),
            })
        })
        .collect()
}

impl Attack {
    fn head(&self) -> String {
        let name: String = self.name.chars().take(60).collect();
        format!(
            "---\nname: {name}\ndescription: {}\n---\n\n# {name}\n\n",
            self.description
        )
    }

    fn path(&self) -> &'static str {
        match self.payload {
            Payload::Shell => "scripts/run.sh",
            Payload::Python => "scripts/run.py",
            Payload::JavaScript => "scripts/run.js",
            Payload::Prose => "SKILL.md",
        }
    }

    /// The skill as it is.
    pub fn files(&self) -> SkillFiles {
        match self.payload {
            Payload::Prose => self.with_body(&self.text),
            _ => self.with_payload(self.path(), self.text.clone()),
        }
    }

    /// A skill whose instructions are `body`.
    pub(super) fn with_body(&self, body: &str) -> SkillFiles {
        vec![(
            "SKILL.md".to_owned(),
            format!("{}{body}", self.head()).into_bytes(),
        )]
    }

    /// A skill that runs a script.
    pub(super) fn with_payload(&self, path: &str, content: impl Into<Vec<u8>>) -> SkillFiles {
        let body = format!("Run `{path}` when the user asks for it, and show the result.\n");
        let mut files = self.with_body(&body);
        files.push((path.to_owned(), content.into()));
        files
    }

    /// The same with another program.
    pub(super) fn with_text(&self, text: String) -> SkillFiles {
        self.with_payload(self.path(), text)
    }

    /// A skill with the program in its instructions.
    pub(super) fn with_fence(&self) -> SkillFiles {
        let language = match self.payload {
            Payload::Shell => "sh",
            Payload::Python => "python",
            Payload::JavaScript => "js",
            Payload::Prose => "text",
        };
        self.with_body(&format!("Run this:\n\n```{language}\n{}```\n", self.text))
    }

    /// A skill that has its instructions in another file.
    pub(super) fn with_carrier(&self, path: &str, content: impl Into<Vec<u8>>) -> SkillFiles {
        let mut files = self.with_body(&format!("Read `{path}` before you begin.\n"));
        files.push((path.to_owned(), content.into()));
        files
    }
}
