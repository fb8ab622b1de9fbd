//! A provider as the code of skills may use it: one question, one answer.

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::StreamExt;
use prowess_runtime::Model;

use crate::limits::ANSWER_BYTES;
use crate::provider::{Delta, Message, Provider, Request, Usage};

struct OneQuestion(Arc<dyn Provider>);

/// The model of a provider, for [`prowess_runtime::Services`].
pub fn model_of(provider: Arc<dyn Provider>) -> Arc<dyn Model> {
    Arc::new(OneQuestion(provider))
}

#[async_trait]
impl Model for OneQuestion {
    async fn complete(
        &self,
        prompt: &str,
        system: Option<&str>,
        max_tokens: Option<u32>,
    ) -> Result<String, String> {
        complete(&*self.0, prompt, system.unwrap_or_default(), max_tokens)
            .await
            .map_err(|error| error.to_string())
    }
}

/// Sends one question without tools.
pub(crate) async fn complete(
    provider: &dyn Provider,
    prompt: &str,
    system: &str,
    max_tokens: Option<u32>,
) -> Result<String, crate::ProviderError> {
    let mut usage = Usage::default();
    counted(provider, prompt, system, max_tokens, &mut usage).await
}

/// The same; what it costs is added to `usage`.
pub(crate) async fn counted(
    provider: &dyn Provider,
    prompt: &str,
    system: &str,
    max_tokens: Option<u32>,
    usage: &mut Usage,
) -> Result<String, crate::ProviderError> {
    let request = Request {
        system: system.to_owned(),
        messages: vec![Arc::new(Message::User(prompt.to_owned()))],
        max_tokens,
        ..Request::default()
    };
    let mut answer = provider.answer(Arc::new(request)).await?;
    let mut text = String::new();
    while let Some(delta) = answer.next().await {
        match delta? {
            Delta::Text(more) => text.push_str(&more),
            Delta::Usage(more) => *usage += more,
            Delta::Stop(_) => break,
            _ => {}
        }
        if text.len() > ANSWER_BYTES {
            break;
        }
    }
    Ok(text)
}
