//! The evals of a skill.

use prowess_spec::SkillPath;
use regex_automata::meta::Regex;
use serde_json::Value;

use super::path::JsonPath;

/// The evals of a skill.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suite {
    /// The skill that the file names.
    pub skill_name: Option<String>,
    /// Prompts, and what their answers must be like.
    pub evals: Vec<Eval>,
    /// Messages, and whether the skill should be used for them.
    pub triggers: Vec<Trigger>,
}

/// A prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct Eval {
    /// Its id, unique in the suite.
    pub id: String,
    /// The message of the user.
    pub prompt: String,
    /// A description of a good answer.
    pub expected_output: Option<String>,
    /// Files of the skill that go along.
    pub files: Vec<Attachment>,
    /// The expectations.
    pub expectations: Vec<Expectation>,
}

/// A file for a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Where it is in the skill.
    pub path: SkillPath,
    /// The text.
    pub text: String,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// The message of the user.
    pub query: String,
    /// Whether the skill should be used.
    pub should_trigger: bool,
}

/// An expectation about an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Expectation {
    /// It contains a text.
    Contains(String),
    /// It does not.
    NotContains(String),
    /// A pattern matches.
    Regex(Pattern),
    /// Its JSON has something at a place, perhaps a given value.
    JsonPath {
        /// The place.
        path: JsonPath,
        /// The value.
        equals: Option<Value>,
    },
    /// A script of the skill accepts it.
    Script(SkillPath),
    /// A model agrees with a sentence about it.
    Judge(String),
}

/// A regular expression that is one.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    pub(super) regex: Regex,
}

impl Pattern {
    /// Compiles it, or returns the reason in one line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let regex = Regex::new(text).map_err(|error| match error.syntax_error() {
            // The last line of a syntax error is what is wrong; those before it draw the place.
            Some(syntax) => {
                let words = syntax.to_string();
                let last = words.lines().last().unwrap_or_default();
                last.trim_start_matches("error: ").to_owned()
            }
            None => error.to_string(),
        })?;
        let text = text.to_owned();
        Ok(Self { text, regex })
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Expectation {
    /// In words, for a report.
    pub fn words(&self) -> String {
        match self {
            Self::Contains(text) => format!("contains `{text}`"),
            Self::NotContains(text) => format!("does not contain `{text}`"),
            Self::Regex(pattern) => format!("matches `{}`", pattern.as_str()),
            Self::JsonPath { path, equals: None } => format!("has `{path}`"),
            Self::JsonPath {
                path,
                equals: Some(value),
            } => format!("has {value} at `{path}`"),
            Self::Script(path) => format!("is accepted by `{path}`"),
            Self::Judge(sentence) => sentence.clone(),
        }
    }
}

impl Suite {
    /// Whether it has no cases.
    pub fn is_empty(&self) -> bool {
        self.evals.is_empty() && self.triggers.is_empty()
    }

    /// How many chats it takes to run everything so often.
    pub fn chats(&self, runs: usize) -> usize {
        runs * (self.evals.len() * 2 + self.triggers.len())
    }

    /// How many of its expectations are for a judge.
    pub fn judged(&self) -> usize {
        let is_judged = |it: &&Expectation| matches!(it, Expectation::Judge(_));
        self.expectations().filter(is_judged).count()
    }

    /// The scripts that look at answers.
    pub fn scripts(&self) -> impl Iterator<Item = &SkillPath> {
        self.expectations().filter_map(|it| match it {
            Expectation::Script(path) => Some(path),
            _ => None,
        })
    }

    fn expectations(&self) -> impl Iterator<Item = &Expectation> {
        self.evals.iter().flat_map(|eval| &eval.expectations)
    }
}
