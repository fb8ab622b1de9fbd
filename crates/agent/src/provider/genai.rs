//! Any provider that the crate `genai` supports. The crate is used only in this directory.

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::{StreamExt, stream};
use genai::adapter::AdapterKind;
use genai::chat::{ChatOptions, ChatStream, ChatStreamEvent, StopReason as TheirReason, StreamEnd};
use genai::resolver::{AuthData, AuthResolver, Endpoint};
use genai::{Client, Headers, ModelIden, ModelSpec, ServiceTarget};
use prowess_core::ToolUse;
use prowess_net::client_builder;

use super::catalogue::{ModelChoice, Timeouts, adapter, address, key_variable};
use super::convert::{self, CacheMarks};
use super::error::ProviderError;
use super::failure::Whose;
use super::progress::StreamProgress;
use super::types::{Delta, Request, StopReason, Usage};
use super::{Provider, ResponseStream};
use crate::limits::CONNECT_TIME;

/// A model at some provider's, or on some machine of the user's.
pub struct GenaiProvider {
    client: Client,
    spec: ModelSpec,
    whose: Whose,
    name: String,
    tool_use: ToolUse,
    cache_marks: CacheMarks,
}

impl GenaiProvider {
    /// A model, with its key from `environment`, which looks a variable up.
    ///
    /// A place of the user's own may do without a key; a provider's usual place may not.
    pub fn new(
        choice: &ModelChoice,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ProviderError> {
        let kind = adapter(choice)?;
        let address = address(choice)?;
        let variable = key_variable(choice, kind);
        let key = variable.as_deref().and_then(environment);
        let key = key
            .map(|key| key.trim().to_owned())
            .filter(|key| !key.is_empty());
        let whose = Whose {
            provider: choice.provider.clone(),
            model: choice.model.clone(),
            variable: variable.clone().filter(|_| key.is_some()),
            key: key.clone(),
            host: address
                .as_deref()
                .and_then(host)
                .unwrap_or_else(|| choice.provider.clone()),
            timeouts: choice.timeouts,
        };
        let model = ModelIden::new(kind, choice.model.clone());
        let auth = match (key, &address, variable) {
            (Some(key), _, _) => AuthData::from_single(key),
            (None, Some(url), _) if is_like_openai(kind) => AuthData::RequestOverride {
                url: with_path(url, "chat/completions"),
                headers: Headers::default(),
            },
            (None, _, None) => AuthData::None,
            (None, _, Some(variable)) => {
                return Err(ProviderError::NoKey {
                    provider: choice.provider.clone(),
                    variable,
                });
            }
        };
        let server = address.as_deref().and_then(|url| url.parse().ok());
        let built = client_builder(server.as_ref())
            .connect_timeout(CONNECT_TIME)
            .tcp_nodelay(true)
            .build();
        let http = built.map_err(|error| ProviderError::Unreachable {
            provider: choice.provider.clone(),
            reason: error.to_string(),
        })?;
        let mut builder = Client::builder().with_reqwest(http);
        let spec = if let Some(url) = address {
            ModelSpec::Target(ServiceTarget {
                endpoint: Endpoint::from_owned(url),
                auth,
                model,
            })
        } else {
            // When asked for a key, genai must not read the environment itself.
            let resolver = AuthResolver::from_resolver_fn(
                move |_: ModelIden| -> Result<Option<AuthData>, genai::resolver::Error> {
                    Ok(Some(auth.clone()))
                },
            );
            builder = builder.with_auth_resolver(resolver);
            ModelSpec::Iden(model)
        };
        let client = builder.build().map_err(|error| whose.failed(&error))?;
        Ok(Self {
            client,
            spec,
            whose,
            name: format!("{}/{}", choice.provider, choice.model),
            tool_use: choice.tool_use,
            cache_marks: if kind == AdapterKind::Anthropic {
                CacheMarks::Needed
            } else {
                CacheMarks::Unknown
            },
        })
    }
}

/// Whether a server of that kind may do without a key.
fn is_like_openai(kind: AdapterKind) -> bool {
    kind == AdapterKind::OpenAI
}

/// The host of an address, with its port if it states one.
fn host(address: &str) -> Option<String> {
    let url = reqwest::Url::parse(address).ok()?;
    let host = url.host_str()?;
    Some(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

fn with_path(base: &str, path: &str) -> String {
    let joined = reqwest::Url::parse(base).and_then(|url| url.join(path));
    joined.map_or_else(|_| format!("{base}{path}"), |url| url.to_string())
}

#[async_trait]
impl Provider for GenaiProvider {
    fn name(&self) -> &str {
        &self.name
    }

    fn tool_use(&self) -> ToolUse {
        self.tool_use
    }

    async fn answer(&self, request: Arc<Request>) -> Result<ResponseStream, ProviderError> {
        let timeouts = self.whose.timeouts;
        let progress = StreamProgress::new();
        let mut options = ChatOptions::default()
            .with_capture_usage(true)
            .with_capture_tool_calls(true)
            .with_capture_reasoning_content(true)
            .with_stream_header_timeout(timeouts.first_byte)
            .with_raw_frame_fn({
                let progress = progress.clone();
                move |_, frame| progress.arrived(&frame)
            });
        options.max_tokens = request.max_tokens;
        options.temperature = request.temperature;
        let request = convert::request(&request, self.cache_marks);
        let started = self
            .client
            .exec_chat_stream(self.spec.clone(), request, Some(&options))
            .await;
        let started = started.map_err(|error| self.whose.failed(&error))?;
        Ok(deltas(started.stream, progress, self.whose.clone()))
    }
}

/// Their events as ours. Nothing comes after a failure.
fn deltas(events: ChatStream, progress: StreamProgress, whose: Whose) -> ResponseStream {
    let parts = stream::unfold(Some((events, progress, whose)), |state| async move {
        let (mut events, progress, whose) = state?;
        let Timeouts {
            first_byte,
            between_bytes,
        } = whose.timeouts;
        let event = tokio::select! {
            event = events.next() => event,
            begun = progress.silence(first_byte, between_bytes) => {
                return Some((vec![Err(whose.silent(begun))], None));
            }
        };
        let event = match event {
            None => {
                let reason = "the stream ended early".to_owned();
                let provider = whose.provider.clone();
                let error = ProviderError::BrokeOff { provider, reason };
                return Some((vec![Err(error)], None));
            }
            Some(Err(error)) => return Some((vec![Err(whose.failed(&error))], None)),
            Some(Ok(event)) => event,
        };
        let early = progress.take_usage().map(Delta::EarlyUsage);
        let mut parts: Vec<Result<Delta, ProviderError>> = early.into_iter().map(Ok).collect();
        match event {
            ChatStreamEvent::Chunk(chunk) if chunk.content.is_empty() => {
                return Some((parts, Some((events, progress, whose))));
            }
            ChatStreamEvent::Chunk(chunk) => parts.push(Ok(Delta::Text(chunk.content))),
            ChatStreamEvent::ReasoningChunk(chunk) => {
                parts.push(Ok(Delta::Reasoning(chunk.content)));
            }
            // A call's chunks hold its arguments so far; all of them are in the end.
            ChatStreamEvent::ToolCallChunk(_) | ChatStreamEvent::ThoughtSignatureChunk(_) => {}
            ChatStreamEvent::Start | ChatStreamEvent::Heartbeat => {
                return Some((parts, Some((events, progress, whose))));
            }
            ChatStreamEvent::End(end) => return Some((ended(&end), None)),
        }
        progress.begin();
        Some((parts, Some((events, progress, whose))))
    });
    Box::pin(parts.flat_map(stream::iter))
}

fn ended(end: &StreamEnd) -> Vec<Result<Delta, ProviderError>> {
    let mut deltas = Vec::new();
    let calls = end.captured_tool_calls().unwrap_or_default();
    let reasoning = end.captured_reasoning_content.as_deref();
    let state = convert::state(end.captured_content.as_ref(), reasoning, !calls.is_empty());
    deltas.extend(state.map(Delta::State));
    deltas.extend(
        calls
            .iter()
            .map(|theirs| Delta::Call(convert::call(theirs))),
    );
    if let Some(usage) = &end.captured_usage {
        let count = |tokens: Option<i32>| {
            tokens
                .and_then(|it| u64::try_from(it).ok())
                .unwrap_or_default()
        };
        let details = usage.prompt_tokens_details.as_ref();
        deltas.push(Delta::Usage(Usage {
            input: count(usage.prompt_tokens),
            cached: count(details.and_then(|details| details.cached_tokens)),
            output: count(usage.completion_tokens),
        }));
    }
    let reason = match &end.captured_stop_reason {
        Some(TheirReason::MaxTokens(_)) => StopReason::Length,
        Some(TheirReason::ContentFilter(_)) => StopReason::Filtered,
        _ if !calls.is_empty() => StopReason::Tools,
        _ => StopReason::Complete,
    };
    deltas.push(Delta::Stop(reason));
    deltas.into_iter().map(Ok).collect()
}
