//! One message on its way to the model.

use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::id::SkillId;

/// A request about skills, as serialized. An empty list equals none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkillParams {
    /// Skills to have from the beginning of a session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub preload_skills: Vec<SkillId>,
    /// Skills for this turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skill_references: Vec<SkillId>,
}

/// A message with its skills: what people see and what the model sees, apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// One line for people about each skill.
    pub notices: Vec<String>,
    /// The blocks of the skills that became active, for the model only.
    pub blocks: Vec<Block>,
    /// The message without its reference; empty if it is part of a block, as the arguments of its skill.
    pub text: String,
    /// The events.
    pub events: Vec<Event>,
    /// Whether a block holds the message.
    pub(crate) has_arguments: bool,
}

/// Instructions for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The skill.
    pub id: SkillId,
    /// The block, tags included.
    pub text: String,
}

impl Turn {
    /// The message to send: the blocks, then the message, separated by blank lines.
    pub fn content(&self) -> String {
        let blocks = self.blocks.iter().map(|block| block.text.as_str());
        let text = Some(self.text.as_str()).filter(|text| !text.is_empty());
        blocks.chain(text).collect::<Vec<_>>().join("\n\n")
    }

    /// Whether a request to the model is needed; a bare reference only activates.
    pub fn needs_model(&self) -> bool {
        self.has_arguments || !self.text.trim().is_empty()
    }
}
