//! Inputs that the grammars' scanners do not survive, found before they are given them.
//!
//! This is the first of two defences, and the weaker one: the other is that a parser runs in a worker that is jailed.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::language::CodeLanguage;
use crate::limits::{INDENTS, OPEN_BRACKETS, OPEN_SIGNS};

/// The largest character that the shell's scanner may classify by a table; beyond it reads outside of that.
const TABLE_END: char = '\u{ff}';

/// Whether a program is nested more deeply than a parser can bear.
pub(crate) fn is_too_deep(source: &str, language: CodeLanguage) -> bool {
    has_too_many_brackets(source) || language == CodeLanguage::Python && has_many_indents(source)
}

/// The bytes that a grammar is given: as long as the source, so that spans stay.
pub(crate) fn bearable(source: &str, language: CodeLanguage) -> Cow<'_, [u8]> {
    match language {
        CodeLanguage::Shell => without_wide_ranges(source),
        _ => Cow::Borrowed(source.as_bytes()),
    }
}

/// After `{`, digits, `..` and digits the shell's scanner asks a table about the next character, whatever its number.
fn without_wide_ranges(source: &str) -> Cow<'_, [u8]> {
    let mut bytes = Cow::Borrowed(source.as_bytes());
    for (open, _) in source.match_indices('{') {
        let mut at = after_digits(source, open + 1);
        replace_wide(source, at, &mut bytes);
        if source.get(at..).is_some_and(|rest| rest.starts_with("..")) {
            at = after_digits(source, at + 2);
            replace_wide(source, at, &mut bytes);
        }
    }
    bytes
}

/// The first place from `at` on that is no digit.
fn after_digits(source: &str, at: usize) -> usize {
    let rest = source.as_bytes().get(at..).unwrap_or_default();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    at + digits
}

fn replace_wide(source: &str, at: usize, bytes: &mut Cow<'_, [u8]>) {
    let next = source.get(at..).and_then(|rest| rest.chars().next());
    if let Some(wide) = next.filter(|next| *next > TABLE_END)
        && let Some(place) = bytes.to_mut().get_mut(at..at + wide.len_utf8())
    {
        place.fill(b'_');
    }
}

/// Whether lines begin with many different amounts of white space, counted as the scanner counts.
fn has_many_indents(source: &str) -> bool {
    let mut widths = BTreeSet::new();
    let mut width = 0_usize;
    let mut blank = Blank::SoFar;
    for byte in source.bytes() {
        match (byte, blank) {
            // A backslash continues the line, and its width, on the next one.
            (b'\n' | b'\r', Blank::Continued) => blank = Blank::SoFar,
            (b'\n' | b'\r' | b'\x0c', _) => (width, blank) = (0, Blank::SoFar),
            (_, Blank::No) => {}
            (b' ', _) => width += 1,
            (b'\t', _) => width += 8,
            (b'\\', _) => blank = Blank::Continued,
            _ => {
                blank = Blank::No;
                // It keeps sixteen bits of each.
                widths.insert(width & 0xffff);
                if widths.len() > INDENTS {
                    return true;
                }
            }
        }
    }
    false
}

/// What a line has been before a place in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blank {
    SoFar,
    /// Blank, with a backslash at the end.
    Continued,
    No,
}

/// Whether brackets, or signs that may be a level each, are nested more deeply than any program needs.
fn has_too_many_brackets(source: &str) -> bool {
    let mut open = 0_usize;
    // A stretch without an end, and the signs in it: `a = a = a`, `!!!!`.
    let (mut stretch, mut signs) = (0_usize, 0_usize);
    for byte in source.bytes() {
        stretch += 1;
        match byte {
            b';' | b',' | b')' | b']' | b'}' => (stretch, signs) = (0, 0),
            _ if byte.is_ascii_punctuation() => {
                signs += 1;
                // Encoded data has few of them.
                if signs > OPEN_SIGNS && signs * 5 > stretch {
                    return true;
                }
            }
            _ => {}
        }
        match byte {
            b'(' | b'[' | b'{' => {
                open += 1;
                if open > OPEN_BRACKETS {
                    return true;
                }
            }
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    false
}
