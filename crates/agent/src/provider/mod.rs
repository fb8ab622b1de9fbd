//! Language models of any provider.

mod catalogue;
mod convert;
mod demo;
mod error;
mod failure;
mod genai;
mod progress;
mod types;

use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::Stream;
use prowess_core::ToolUse;

pub use catalogue::{ModelChoice, Timeouts, known_window};
pub use demo::DemoProvider;
pub use error::ProviderError;
pub use genai::GenaiProvider;
pub use types::{Delta, Message, Request, StopReason, ToolCall, ToolReply, Usage};

/// A response as a stream of deltas.
pub type ResponseStream = Pin<Box<dyn Stream<Item = Result<Delta, ProviderError>> + Send>>;

/// A language model.
///
/// A whole answer ends with [`Delta::Stop`]; one that ends without it broke off.
#[async_trait]
pub trait Provider: Send + Sync {
    /// The display name.
    fn name(&self) -> &str;

    /// Whether it can call tools.
    fn tool_use(&self) -> ToolUse {
        ToolUse::Available
    }

    /// Whether a summary that it writes is worth having.
    fn summarises(&self) -> bool {
        true
    }

    /// Requests an answer. An error before the first token can be the result or the first item.
    async fn answer(&self, request: Arc<Request>) -> Result<ResponseStream, ProviderError>;
}
