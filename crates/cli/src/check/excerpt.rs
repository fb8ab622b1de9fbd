//! The few lines of a file that a finding is about.

use prowess_spec::Position;

/// Source lines that are shown for one finding.
const LINES: usize = 4;
/// Bytes of source that are shown for one finding, before and after its start.
const BYTES: usize = 2_000;

/// The lines under a finding, and the finding's place in them.
#[derive(Clone)]
pub(crate) struct Excerpt {
    pub(crate) text: String,
    /// Where the finding begins and ends in the text.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The lines of `bytes` from `from` to `to`, within bounds.
pub(crate) fn excerpt(bytes: &[u8], from: Position, to: Position) -> Excerpt {
    let start = from.byte;
    let before = bytes
        .get(start.saturating_sub(BYTES)..start)
        .unwrap_or_default();
    let on_line = before
        .iter()
        .rev()
        .take_while(|byte| **byte != b'\n')
        .count();
    let first = start - on_line;
    let window = bytes
        .get(first..bytes.len().min(start + BYTES))
        .unwrap_or_default();
    let lines = to.line.saturating_sub(from.line).min(LINES - 1) + 1;
    let length = window
        .split_inclusive(|byte| *byte == b'\n')
        .take(lines)
        .map(<[u8]>::len)
        .sum();
    let text = String::from_utf8_lossy(window.get(..length).unwrap_or_default());
    let text = visible(text.trim_end_matches(['\n', '\r']));
    let boundary = |offset: usize| text.floor_char_boundary(offset.min(text.len()));
    let start = boundary(on_line);
    let end = boundary(to.byte - first).max(start);
    Excerpt { text, start, end }
}

/// `text` without the control characters that the renderer lets through, each byte in its place.
fn visible(text: &str) -> String {
    let is_c1 = |c: char| ('\u{80}'..='\u{9f}').contains(&c);
    text.chars()
        .map(|c| if is_c1(c) { '\u{b7}' } else { c })
        .collect()
}
