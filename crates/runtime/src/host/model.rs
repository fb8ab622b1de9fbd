//! The model that skills can call.

use async_trait::async_trait;

/// A model for single completions.
#[async_trait]
pub trait Model: Send + Sync {
    /// Completes a prompt.
    async fn complete(
        &self,
        prompt: &str,
        system: Option<&str>,
        max_tokens: Option<u32>,
    ) -> Result<String, String>;
}
