//! One request to the model, made again where that may help, and its answer as it comes.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::Value;

use crate::cancel::Cancel;
use crate::limits::{ANSWER_BYTES, CALLS_PER_ANSWER};
use crate::options::Retry;
use crate::provider::{
    Delta, Provider, ProviderError, Request, ResponseStream, StopReason, ToolCall, Usage,
};
use crate::random::jittered;
use crate::runtime_handle::EventSink;
use crate::wire::AgentEvent;

/// An answer, as much as came of it.
#[derive(Debug, Default)]
pub(crate) struct Answered {
    pub(crate) text: String,
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) state: Option<Value>,
    pub(crate) usage: Usage,
    /// Whether the request was sent, so that it may cost something.
    pub(crate) sent: bool,
    pub(crate) end: End,
}

/// How an answer ended.
#[derive(Debug, Default)]
pub(crate) enum End {
    /// As it should.
    Whole(StopReason),
    /// The user cancelled it.
    #[default]
    Cancelled,
    /// In the middle.
    Broken(ProviderError),
}

/// Sends the request to the model. An error means that no part of an answer was received.
pub(crate) async fn ask(
    provider: &dyn Provider,
    request: Request,
    retry: Retry,
    emit: &EventSink<'_>,
    cancel: &Cancel,
) -> Result<Answered, ProviderError> {
    let request = Arc::new(request);
    let mut attempt = 0;
    loop {
        let Some(begun) = cancel.unless(begin(provider, &request)).await else {
            return Ok(Answered {
                sent: true,
                ..Answered::default()
            });
        };
        let error = match begun {
            Ok(begun) => return Ok(listen(provider, begun, emit, cancel).await),
            Err(error) => error,
        };
        let Some(wait) = wait(&error, retry, attempt) else {
            return Err(error);
        };
        attempt += 1;
        emit(AgentEvent::Retry {
            attempt,
            of: retry.times,
            wait_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
            reason: error.to_string(),
        });
        if cancel.unless(tokio::time::sleep(wait)).await.is_none() {
            return Ok(Answered::default());
        }
    }
}

/// An answer that began.
struct Begun {
    /// The usage so far; it is no part of the answer yet.
    early: Usage,
    first: Option<Delta>,
    rest: ResponseStream,
}

async fn begin(provider: &dyn Provider, request: &Arc<Request>) -> Result<Begun, ProviderError> {
    let mut rest = provider.answer(Arc::clone(request)).await?;
    let mut early = Usage::default();
    loop {
        match rest.next().await.transpose()? {
            Some(Delta::EarlyUsage(usage)) => early = usage,
            first => return Ok(Begun { early, first, rest }),
        }
    }
}

/// How long to wait before a failed request is made again; nothing if it is not.
fn wait(error: &ProviderError, retry: Retry, attempt: u32) -> Option<Duration> {
    if attempt >= retry.times || !error.is_passing() {
        return None;
    }
    match error.retry_after() {
        // Retrying earlier than requested makes it worse.
        Some(asked) if asked > retry.last => None,
        Some(asked) => Some(asked),
        None => {
            let doubled = retry.first.saturating_mul(2_u32.saturating_pow(attempt));
            Some(jittered(doubled.min(retry.last)))
        }
    }
}

async fn listen(
    provider: &dyn Provider,
    begun: Begun,
    emit: &EventSink<'_>,
    cancel: &Cancel,
) -> Answered {
    let Begun {
        mut early,
        first,
        mut rest,
    } = begun;
    let mut answered = Answered {
        sent: true,
        usage: early,
        ..Answered::default()
    };
    let mut next = first.map(Ok);
    loop {
        let delta = match next.take() {
            Some(delta) => Some(delta),
            None => match cancel.unless(rest.next()).await {
                Some(delta) => delta,
                None => return answered,
            },
        };
        let broken = |reason: &str| {
            End::Broken(ProviderError::BrokeOff {
                provider: provider.name().to_owned(),
                reason: reason.to_owned(),
            })
        };
        match delta {
            Some(Ok(Delta::Text(delta))) => {
                answered.text.push_str(&delta);
                emit(AgentEvent::Text { delta });
            }
            Some(Ok(Delta::Reasoning(delta))) => emit(AgentEvent::Reasoning { delta }),
            Some(Ok(Delta::Call(call))) if answered.calls.len() < CALLS_PER_ANSWER => {
                answered.calls.push(call);
            }
            Some(Ok(Delta::Call(_))) => {
                answered.end = broken("too many tool calls in one answer");
                return answered;
            }
            Some(Ok(Delta::EarlyUsage(_))) => {}
            Some(Ok(Delta::Usage(usage))) => {
                answered.usage -= std::mem::take(&mut early);
                answered.usage += usage;
            }
            Some(Ok(Delta::State(state))) => answered.state = Some(state),
            Some(Ok(Delta::Stop(reason))) => {
                answered.end = End::Whole(reason);
                return answered;
            }
            Some(Err(error)) => {
                answered.end = End::Broken(error);
                return answered;
            }
            None => {
                answered.end = broken("the stream ended early");
                return answered;
            }
        }
        if answered.text.len() > ANSWER_BYTES {
            answered.end = broken("the answer is too long");
            return answered;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(status: u16, retry_after: Option<u64>) -> ProviderError {
        ProviderError::Status {
            provider: "p".to_owned(),
            status,
            reason: "r".to_owned(),
            retry_after: retry_after.map(Duration::from_secs),
        }
    }

    #[test]
    fn retry_delays_grow_and_end() {
        let retry = Retry::default();
        let mut last = Duration::ZERO;
        for attempt in 0..retry.times {
            let wait = wait(&status(503, None), retry, attempt).unwrap();
            let most = retry.first * 2_u32.pow(attempt);
            assert!(wait >= most / 2 && wait <= most, "{attempt}: {wait:?}");
            assert!(wait >= last / 2);
            last = wait;
        }
        assert_eq!(wait(&status(503, None), retry, retry.times), None);
        assert_eq!(wait(&status(400, None), retry, 0), None);
        assert_eq!(
            wait(&status(429, Some(3)), retry, 0),
            Some(Duration::from_secs(3))
        );
        assert_eq!(wait(&status(429, Some(3_600)), retry, 0), None);
    }
}
