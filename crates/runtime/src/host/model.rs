//! The model behind a conversation, as a skill's code may use it.

use async_trait::async_trait;

/// A model that answers one question at a time.
#[async_trait]
pub trait Model: Send + Sync {
    /// Answers a question; an error is a sentence.
    async fn complete(
        &self,
        prompt: &str,
        system: Option<&str>,
        max_tokens: Option<u32>,
    ) -> Result<String, String>;
}
