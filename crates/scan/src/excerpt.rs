//! Text that can be shown safely.

use std::fmt::Write as _;

use prowess_spec::Span;

use crate::hidden::is_invisible;
use crate::limits::EXCERPT_CHARS;

/// The text under `span`, shortened, on one line, with everything invisible written out.
pub(crate) fn excerpt(text: &str, span: Span) -> String {
    visible(span.slice(text).trim(), EXCERPT_CHARS)
}

/// At most `limit` characters of `text`; control and hidden characters become `<U+XXXX>`.
pub(crate) fn visible(text: &str, limit: usize) -> String {
    let mut shown = String::new();
    for (index, c) in text.chars().enumerate() {
        if index == limit {
            shown.push('…');
            break;
        }
        match c {
            '\n' | '\t' | '\r' => shown.push(' '),
            c if c.is_control() || is_invisible(c) => {
                // Writing to a string does not fail.
                let _ = write!(shown, "<U+{:04X}>", u32::from(c));
            }
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_written_out() {
        assert_eq!(visible("a\u{202e}b\u{1b}[1m", 99), "a<U+202E>b<U+001B>[1m");
        assert_eq!(visible("a\nb", 99), "a b");
        assert_eq!(visible("abcdef", 3), "abc…");
        assert_eq!(visible("\u{e0041}", 3), "<U+E0041>");
    }
}
