//! What the documentation says about a code, with examples.

use crate::levels::Levels;

/// What the documentation says about a code.
#[derive(Debug)]
pub struct CodeInfo {
    /// Its stable name, in kebab case.
    pub id: &'static str,
    /// Its severities.
    pub levels: Levels,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// Why it matters and what to do.
    pub explanation: &'static str,
    /// A skill that has it.
    pub bad: Example,
    /// The same skill, fixed.
    pub good: Example,
}

/// A small skill folder that a test can lay out.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The folder's name.
    pub directory: &'static str,
    /// The name of the file that matters.
    pub name: &'static str,
    /// What stands in it.
    pub content: Content,
    /// Files beside it: path and content.
    pub others: &'static [(&'static str, Content)],
}

impl Example {
    /// All files: path and content.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, Content)> {
        std::iter::once((self.name, self.content)).chain(self.others.iter().copied())
    }
}

/// The content of an example file.
#[derive(Clone, Copy, Debug)]
pub enum Content {
    /// As written.
    Text(&'static str),
    /// Bytes that are not text.
    Bytes(&'static [u8]),
    /// Too long to write out: `before`, then `unit` so many times, then `after`.
    Repeated {
        /// What comes first.
        before: &'static str,
        /// What is repeated.
        unit: &'static str,
        /// How often.
        times: usize,
        /// What comes last.
        after: &'static str,
    },
}

impl Content {
    /// The bytes of the file.
    pub fn bytes(&self) -> Vec<u8> {
        match *self {
            Self::Text(text) => text.as_bytes().to_vec(),
            Self::Bytes(bytes) => bytes.to_vec(),
            Self::Repeated {
                before,
                unit,
                times,
                after,
            } => [before, &unit.repeat(times), after].concat().into_bytes(),
        }
    }
}

impl Content {
    /// The file as a document shows it: long repetitions are said, not shown.
    pub fn excerpt(&self) -> String {
        match *self {
            Self::Text(text) => text.to_owned(),
            Self::Bytes(bytes) => bytes.escape_ascii().to_string().replace("\\n", "\n"),
            Self::Repeated {
                before,
                unit,
                times,
                after,
            } => format!(
                "{before}{} (repeated {times} times){after}",
                unit.trim_end()
            ),
        }
    }
}
