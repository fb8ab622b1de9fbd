//! Errors of the interpreter as text: what, where, and how it came there.

use std::fmt::Write;

use starlark::codemap::FileSpan;
use starlark::{Error, ErrorKind};

use crate::limits::TRACE_FRAMES;

/// The error, then one line for each position, innermost first.
pub(super) fn describe(error: &Error) -> String {
    let mut text = match error.kind() {
        // The interpreter adds a space before the message.
        ErrorKind::Fail(reason) => reason.to_string().trim_start().to_owned(),
        other => other.to_string(),
    };
    let frames = error.call_stack().frames.iter().rev();
    let spans = error
        .span()
        .into_iter()
        .chain(frames.filter_map(|frame| frame.location.as_ref()));
    let mut places: Vec<String> = spans.map(place).collect();
    // The call of something native is both where it failed and where it was called.
    places.dedup();
    for place in places.iter().take(TRACE_FRAMES) {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  at {place}");
    }
    if let more @ 1.. = places.len().saturating_sub(TRACE_FRAMES) {
        let _ = write!(text, "\n  and {more} more");
    }
    text
}

/// `file:line:column`, both from 1 on.
fn place(span: &FileSpan) -> String {
    let begin = span.resolve_span().begin;
    format!(
        "{}:{}:{}",
        span.filename(),
        begin.line + 1,
        begin.column + 1
    )
}
