//! What was received of an answer before genai has a whole event: when, and what the provider counted.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use genai::chat::RawFrameRef;
use serde_json::Value;
use tokio::time::{Instant, sleep_until};

use super::types::Usage;

/// The progress of an answer. Clones share it.
#[derive(Clone)]
pub(super) struct StreamProgress(Arc<Mutex<State>>);

struct State {
    last: Instant,
    begun: bool,
    usage: Option<Usage>,
}

impl StreamProgress {
    /// The request is sent now.
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(State {
            last: Instant::now(),
            begun: false,
            usage: None,
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A part arrived, which may be a comment that only keeps the connection open.
    pub(super) fn arrived(&self, frame: &RawFrameRef<'_>) {
        let mut state = self.state();
        state.last = Instant::now();
        if frame.event == Some("message_start") {
            state.usage = counted(frame.data);
        }
    }

    /// A part of the answer itself arrived. Before it, models that think may be silent for long.
    pub(super) fn begin(&self) {
        self.state().begun = true;
    }

    /// Tokens that the provider counted at the start of an answer.
    pub(super) fn take_usage(&self) -> Option<Usage> {
        self.state().usage.take()
    }

    /// Waits until nothing arrived for too long; whether the answer had begun.
    pub(super) async fn silence(&self, first: Duration, between: Duration) -> bool {
        loop {
            let (last, begun) = {
                let state = self.state();
                (state.last, state.begun)
            };
            sleep_until(last + if begun { between } else { first }).await;
            if self.state().last == last {
                return begun;
            }
        }
    }
}

/// The usage in the first event of Anthropic; other providers count at the end.
fn counted(data: &str) -> Option<Usage> {
    let event: Value = serde_json::from_str(data).ok()?;
    let usage = event.pointer("/message/usage")?;
    let count = |name: &str| usage.get(name).and_then(Value::as_u64).unwrap_or_default();
    let cached = count("cache_read_input_tokens");
    Some(Usage {
        input: count("input_tokens") + count("cache_creation_input_tokens") + cached,
        cached,
        output: 0,
    })
}
