//! The result of a handler.

use serde_json::{Map, Value};

use crate::wire::HookResult;

/// New values for keys of the payload.
///
/// ```
/// use prowess_sdk::plugin::modified;
///
/// let result = modified([("response", "Good day.".into())]);
/// assert_eq!(result.modified.unwrap()["response"], "Good day.");
/// ```
pub fn modified<K: Into<String>>(values: impl IntoIterator<Item = (K, Value)>) -> HookResult {
    let pairs = values.into_iter().map(|(key, value)| (key.into(), value));
    HookResult {
        modified: Some(pairs.collect::<Map<_, _>>()),
        ..HookResult::default()
    }
}

/// Cancels the operation, with a reason. Only [`Phase::BeforeToolCall`](crate::Phase::BeforeToolCall) can be cancelled.
pub fn cancelled(reason: impl Into<String>) -> HookResult {
    HookResult {
        cancel: true,
        reason: Some(reason.into()),
        ..HookResult::default()
    }
}
