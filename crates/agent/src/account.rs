//! The cost of a turn: as counted by the provider, and as estimated by part of the request.

use prowess_core::{LevelTokens, SkillId, Skills};
use prowess_spec::estimate_tokens;
use serde::{Deserialize, Serialize};

use crate::provider::Usage;

/// The cost of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnTokens {
    /// As the provider counts, all requests together.
    pub provider: Usage,
    /// An estimate of what the provider did not count: it never does, or the answer was cancelled.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub estimated: Usage,
    /// Requests that were answered.
    pub requests: usize,
    /// Estimated tokens of the last request's system prompt, the catalog among them.
    pub system: usize,
    /// Estimated tokens of the catalog: the cost of all skills before one is used.
    pub catalog: usize,
    /// Estimated tokens of the last request's tools.
    pub tools: usize,
    /// Estimated tokens of the last request's messages.
    pub messages: usize,
    /// The active skills, each level of disclosure by itself.
    pub skills: Vec<SkillTokens>,
}

impl TurnTokens {
    /// Estimates what the provider did not count of the last request.
    pub(crate) fn estimate(&mut self, counted: Usage, answer: &str) {
        let size = |tokens: usize| u64::try_from(tokens).unwrap_or(u64::MAX);
        if counted.input == 0 {
            self.estimated.input += size(self.system + self.tools + self.messages);
        }
        if counted.output == 0 {
            self.estimated.output += size(estimate_tokens(answer));
        }
    }
}

fn is_zero(usage: &Usage) -> bool {
    *usage == Usage::default()
}

/// The estimated cost of one skill, by level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillTokens {
    /// The skill.
    pub id: SkillId,
    /// Its line in the catalog.
    pub catalog: usize,
    /// Its instructions.
    pub instructions: usize,
    /// Its files that were read in this chat.
    pub files: usize,
}

/// The costs of the active skills.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    skills: Vec<SkillTokens>,
}

impl Ledger {
    /// The model got a skill's instructions.
    pub(crate) fn loaded(&mut self, skills: &Skills, id: &SkillId, bytes: usize) {
        let entry = self.entry(skills, id);
        entry.instructions = bytes.div_ceil(4);
    }

    /// The model got a skill's file, or part of it.
    pub(crate) fn read(&mut self, skills: &Skills, id: &SkillId, text: &str) {
        self.entry(skills, id).files += estimate_tokens(text);
    }

    pub(crate) fn skills(&self) -> &[SkillTokens] {
        &self.skills
    }

    fn entry(&mut self, skills: &Skills, id: &SkillId) -> &mut SkillTokens {
        let known = self.skills.iter().position(|entry| &entry.id == id);
        let position = known.unwrap_or_else(|| {
            let catalog = skills.catalog();
            let found = catalog.get(id.as_str());
            let levels: LevelTokens = found
                .map(|skill| skill.descriptor.tokens())
                .unwrap_or_default();
            self.skills.push(SkillTokens {
                id: id.clone(),
                catalog: levels.catalog,
                instructions: 0,
                files: 0,
            });
            self.skills.len() - 1
        });
        // It is there: it was found, or put there.
        #[allow(
            clippy::indexing_slicing,
            reason = "the position is valid in this list"
        )]
        &mut self.skills[position]
    }
}
