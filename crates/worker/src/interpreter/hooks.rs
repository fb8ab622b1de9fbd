//! The handlers of one phase, one after the other.
//!
//! Each sees the changes of those before it. Where a failure decides (a tool call, the activation) the first one ends
//! the phase; elsewhere the others still run.

use prowess_sdk::Phase;
use prowess_sdk::wire::{Failure, HookResult};
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};
use starlark::values::dict::DictRef;
use starlark::values::{Heap, Value};

use crate::error::{WorkerError, shape};
use crate::interpreter::from_json::Members;
use crate::interpreter::to_json::{Bound, to_json};
use crate::limits::OUTPUT_BYTES;

const MODIFIED: Bound = Bound {
    what: "result of a hook",
    bytes: OUTPUT_BYTES,
};

/// The combined result of the handlers so far.
pub(super) struct Chain {
    phase: Phase,
    result: HookResult,
    /// The changed members, as the next handler is to see them.
    changes: Vec<(String, Box<RawValue>)>,
    failures: Vec<Failure>,
}

/// Whether the next handler runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Further {
    Yes,
    No,
}

/// The result of one handler.
#[derive(Default)]
pub(super) struct Wish {
    modified: Vec<(String, Box<RawValue>)>,
    cancel: bool,
    reason: Option<String>,
}

impl Chain {
    pub(super) fn new(phase: Phase) -> Self {
        Self {
            phase,
            result: HookResult::default(),
            changes: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// The data with all changes so far; `None` without changes.
    pub(super) fn data(&self, original: &RawValue) -> Option<Box<RawValue>> {
        if self.changes.is_empty() {
            return None;
        }
        let members: Result<Members<'_>, _> = serde_json::from_str(original.get());
        let Members(members) = members.unwrap_or(Members(Vec::new()));
        let changed = |name: &str| self.changes.iter().find(|(key, _)| key == name);
        let mut text = String::from("{");
        let mut add = |name: &str, value: &RawValue| {
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(&Json::from(name).to_string());
            text.push(':');
            text.push_str(value.get());
        };
        for (name, value) in &members {
            add(name, changed(name).map_or(value, |(_, value)| value));
        }
        for (name, value) in &self.changes {
            if !members.iter().any(|(key, _)| key == name) {
                add(name, value);
            }
        }
        text.push('}');
        RawValue::from_string(text).ok()
    }

    /// Whether something hangs on each handler, so that a failure is an answer.
    fn decides(&self) -> bool {
        matches!(self.phase, Phase::BeforeToolCall | Phase::Activate)
    }

    /// Merges the result of a handler.
    pub(super) fn add(&mut self, outcome: Result<Wish, Failure>) -> Further {
        let wish = match outcome {
            Ok(wish) => wish,
            Err(failure) => {
                self.failures.push(failure);
                return if self.decides() {
                    Further::No
                } else {
                    Further::Yes
                };
            }
        };
        for (name, value) in wish.modified {
            self.changes.retain(|(key, _)| *key != name);
            self.changes.push((name, value));
        }
        if wish.reason.is_some() {
            self.result.reason = wish.reason;
        }
        self.result.cancel |= wish.cancel;
        if wish.cancel && self.phase == Phase::BeforeToolCall {
            return Further::No;
        }
        Further::Yes
    }

    /// The combined result, and errors that it does not contain.
    pub(super) fn finish(mut self) -> Result<(Option<HookResult>, Vec<Failure>), Failure> {
        let unchanged = self.changes.is_empty() && self.result == HookResult::default();
        if (self.decides() || unchanged)
            && let Some(first) = self.failures.first()
        {
            let messages: Vec<_> = self.failures.iter().map(|one| &*one.message).collect();
            return Err(Failure {
                code: first.code,
                message: messages.join("\n"),
            });
        }
        if unchanged {
            return Ok((None, self.failures));
        }
        if !self.changes.is_empty() {
            let mut modified = Map::new();
            for (name, value) in self.changes {
                // It was written by us a moment ago.
                let value = serde_json::from_str(value.get()).unwrap_or_default();
                modified.insert(name, value);
            }
            self.result.modified = Some(modified);
        }
        Ok((Some(self.result), self.failures))
    }
}

/// Reads what a handler returned.
pub(super) fn wish<'v>(value: Value<'v>, heap: Heap<'v>) -> Result<Wish, WorkerError> {
    let mut wish = Wish::default();
    if value.is_none() {
        return Ok(wish);
    }
    let kind = |value: Value<'v>| format!("a value of type `{}`", value.get_type());
    let wrong = |found: String| {
        shape(
            "result of a hook",
            "None or a hook_result(modified=..., cancel=..., reason=...)",
            found,
        )
    };
    let dict = DictRef::from_value(value).ok_or_else(|| wrong(kind(value)))?;
    for (key, member) in dict.iter() {
        match key.unpack_str() {
            Some("modified" | "reason") if member.is_none() => {}
            Some("modified") => wish.modified = modified(member, heap)?,
            Some("cancel") => {
                let cancel = member.unpack_bool();
                wish.cancel =
                    cancel.ok_or_else(|| shape("`cancel`", "True or False", kind(member)))?;
            }
            Some("reason") => {
                let reason = member.unpack_str();
                let reason = reason.ok_or_else(|| shape("`reason`", "a string", kind(member)))?;
                wish.reason = Some(reason.to_owned());
            }
            _ => return Err(wrong(format!("a dict with the key {}", key.to_repr()))),
        }
    }
    Ok(wish)
}

fn modified<'v>(
    value: Value<'v>,
    heap: Heap<'v>,
) -> Result<Vec<(String, Box<RawValue>)>, WorkerError> {
    if DictRef::from_value(value).is_none() {
        let found = format!("a value of type `{}`", value.get_type());
        return Err(shape("`modified`", "a dict", found));
    }
    let text = to_json(value, heap, MODIFIED)?;
    let Members(members) = serde_json::from_str(&text)?;
    let owned = |(name, value): (std::borrow::Cow<'_, str>, &RawValue)| {
        (name.into_owned(), value.to_owned())
    };
    Ok(members.into_iter().map(owned).collect())
}
