//! Conversations that survive a restart.

use async_trait::async_trait;

use crate::id::SkillId;
use crate::session::Session;
use crate::skills::Skills;

/// Keeps which skills are active in each conversation: ids, never bodies.
#[async_trait]
pub trait SessionStore: Send + Sync {
    /// The ids that were saved last; none if nothing was.
    async fn load(&self, conversation: &str) -> Result<Option<Vec<SkillId>>, SessionStoreError>;

    /// Replaces the saved state of a conversation.
    async fn save(&self, conversation: &str, active: &[SkillId]) -> Result<(), SessionStoreError>;
}

/// Errors of saving or loading a conversation.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} conversation `{conversation}`: {reason}")]
pub struct SessionStoreError {
    /// `load` or `save`.
    pub action: &'static str,
    /// The conversation.
    pub conversation: String,
    /// Why.
    pub reason: String,
}

impl Skills {
    /// A conversation as `store` knows it, or a new one.
    pub async fn session_from(
        &self,
        store: &dyn SessionStore,
        conversation: &str,
    ) -> Result<Session, SessionStoreError> {
        let saved = store.load(conversation).await?;
        Ok(saved.map_or_else(|| self.session(), |active| self.resume(active)))
    }
}

impl Session {
    /// Keeps the conversation in `store`.
    pub async fn save_to(
        &self,
        store: &dyn SessionStore,
        conversation: &str,
    ) -> Result<(), SessionStoreError> {
        store.save(conversation, &self.active()).await
    }
}
