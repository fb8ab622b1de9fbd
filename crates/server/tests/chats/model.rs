//! A model that says what a message wants.

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::{StreamExt, stream};
use prowess_agent::{
    Delta, Message, Provider, ProviderError, Request, ResponseStream, StopReason, ToolCall,
};
use serde_json::json;
use tokio::sync::Semaphore;

/// `say N` yields N words, `hold` waits until the test releases it, `think` reasons first, `load` calls a tool, and
/// `fail` fails.
#[derive(Clone, Default)]
pub(crate) struct WordModel {
    pub(crate) gate: Arc<Gate>,
}

/// Answers that hold wait here.
pub(crate) struct Gate(Semaphore);

impl Default for Gate {
    fn default() -> Self {
        Self(Semaphore::new(0))
    }
}

impl Gate {
    /// Lets one answer continue.
    pub(crate) fn release(&self) {
        self.0.add_permits(1);
    }

    async fn wait(&self) {
        self.0.acquire().await.unwrap().forget();
    }
}

#[async_trait]
impl Provider for WordModel {
    fn name(&self) -> &'static str {
        "words"
    }

    async fn answer(&self, request: Arc<Request>) -> Result<ResponseStream, ProviderError> {
        let asked = request.messages.iter().rev().find_map(|it| match &**it {
            Message::User(text) => Some(text.clone()),
            _ => None,
        });
        let asked = asked.unwrap_or_default();
        let asked = asked.lines().last().unwrap_or_default().to_owned();
        let has_result = matches!(
            request.messages.last().map(|it| &**it),
            Some(Message::Tools(_))
        );
        let text = |text: &str| Ok(Delta::Text(text.to_owned()));
        let stop = |reason| stream::iter([Ok(Delta::Stop(reason))]);
        if asked == "fail" {
            return Err(ProviderError::Unreachable {
                provider: "nowhere".to_owned(),
                reason: "it is down".to_owned(),
            });
        }
        if asked == "load" && !has_result {
            let call = ToolCall {
                id: "c1".to_owned(),
                tool: "load_skill".to_owned(),
                arguments: json!({"id": "haiku"}),
            };
            let calls = stream::iter([text("Loading. "), Ok(Delta::Call(call))]);
            return Ok(Box::pin(calls.chain(stop(StopReason::Tools))));
        }
        let (said, holds) = match asked.strip_suffix("hold") {
            Some(said) => (said.trim(), true),
            None => (asked.as_str(), false),
        };
        let number = said.strip_prefix("say ").and_then(|it| it.parse().ok());
        let words: Vec<_> = (0..number.unwrap_or(3_usize))
            .map(|word| text(&format!("w{word} ")))
            .collect();
        let words = stream::iter(words);
        let end = stop(StopReason::Complete);
        if asked == "think" {
            let thought = stream::iter([Ok(Delta::Reasoning("hm".to_owned()))]);
            return Ok(Box::pin(thought.chain(words).chain(end)));
        }
        if holds {
            let gate = Arc::clone(&self.gate);
            let held = stream::once(async move {
                gate.wait().await;
                Ok(Delta::Text("released".to_owned()))
            });
            return Ok(Box::pin(words.chain(held).chain(end)));
        }
        Ok(Box::pin(words.chain(end)))
    }
}
