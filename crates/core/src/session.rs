//! What a conversation remembers of skills: their ids, never their bodies.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::id::SkillId;

/// The skills of one conversation, in the order in which they became active.
///
/// It serialises to a list of ids. A copy is a fork: it starts with the same skills.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Session {
    active: Vec<SkillId>,
}

impl Session {
    /// A conversation without skills.
    pub fn new() -> Self {
        Self::default()
    }

    /// The active skills, oldest first.
    pub fn active(&self) -> &[SkillId] {
        &self.active
    }

    /// Whether a skill is active.
    pub fn is_active(&self, id: &SkillId) -> bool {
        self.active.contains(id)
    }

    /// Makes a skill active; whether it was not before.
    pub fn activate(&mut self, id: &SkillId) -> bool {
        let new = !self.is_active(id);
        if new {
            self.active.push(id.clone());
        }
        new
    }

    /// Forgets a skill.
    pub fn deactivate(&mut self, id: &SkillId) {
        self.active.retain(|active| active != id);
    }

    pub(crate) fn active_set(&self) -> BTreeSet<SkillId> {
        self.active.iter().cloned().collect()
    }
}
