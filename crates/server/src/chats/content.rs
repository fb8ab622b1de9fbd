//! What clients see of a chat.

use std::sync::Arc;

use prowess_agent::wire::ChatEntry;
use prowess_core::SkillId;

use super::event::Question;

/// The messages of a chat and its active skills.
#[derive(Clone, Default)]
pub(crate) struct Content {
    pub(crate) entries: Arc<Vec<ChatEntry>>,
    pub(crate) active: Vec<SkillId>,
}

impl Content {
    /// Messages without what only the provider understands.
    pub(crate) fn new(entries: impl Iterator<Item = ChatEntry>, active: Vec<SkillId>) -> Self {
        let entries = entries.map(|mut entry| {
            if let ChatEntry::Model { state, .. } = &mut entry {
                *state = None;
            }
            entry
        });
        Self {
            entries: Arc::new(entries.collect()),
            active,
        }
    }

    /// How many turns it has.
    pub(crate) fn turns(&self) -> u64 {
        let users = self.entries.iter();
        let users = users.filter(|it| matches!(it, ChatEntry::User { .. }));
        users.count() as u64
    }
}

/// What a client sees of a chat at one moment.
pub(crate) struct View {
    pub(crate) content: Content,
    pub(crate) state: &'static str,
    /// Whether the store has all of the content.
    pub(crate) is_saved: bool,
    pub(crate) turn: Option<u64>,
    pub(crate) questions: Vec<Question>,
    /// The event up to which the content is complete.
    pub(crate) last_event: u64,
}
