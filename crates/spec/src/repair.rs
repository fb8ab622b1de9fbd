//! Reading YAML as its author meant it, where other clients do so too.
//!
//! A frontmatter that does not parse is split into its top-level entries. Each entry that does not parse on its own is
//! repaired line by line: tabs become spaces, and values that YAML would misread are quoted. Entries that parse are not
//! changed.

use std::ops::Range;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Edit};
use crate::entry::{
    BlockScalars, Line, entries, entry_field, entry_key, is_block_header, lines, value_offset,
};
use crate::field::Field;
use crate::quote::quote;
use crate::span::Span;
use crate::yaml::{self, Marker, Problem};

/// Longest value that a help line repeats.
const HELP_CHARS: usize = 160;

const ENTITY: &str = "&nbsp;";

/// Diagnostics whose fixes, applied together, may make `text` parse. Spans are offsets in `text`.
pub(crate) fn repairs(text: &str) -> Vec<Diagnostic> {
    entries(text)
        .into_iter()
        .filter(|entry| !parses(text.get(entry.clone()).unwrap_or_default()))
        .flat_map(|entry| repair_entry(text, entry, Aim::Syntax))
        .collect()
}

/// The same for what the YAML parser reads without complaint, but not as it was meant.
///
/// `&nbsp;` is a space to HTML and an anchor to YAML. A tab in front of a key is never indentation to YAML,
/// though parsers may let it pass. A `#` after a key starts a comment, and leaves the key without a value.
pub(crate) fn misread(text: &str) -> Vec<Diagnostic> {
    if !text.contains(ENTITY) && !text.contains(['\t', '#']) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for entry in entries(text) {
        let entry_text = text.get(entry.clone()).unwrap_or_default();
        if entry_text.contains(ENTITY) || entry_text.contains('\t') {
            found.extend(repair_entry(text, entry.clone(), Aim::Meaning));
        }
        found.extend(comment_as_value(text, entry));
    }
    found
}

/// The first line that is neither an entry, nor part of one, nor a comment.
pub(crate) fn stray_line(text: &str) -> Option<Span> {
    lines(text, 0..text.len())
        .find(|line| {
            let stray = line.text.starts_with(|c: char| c.is_alphanumeric());
            stray && entry_key(line.text).is_none()
        })
        .map(|line| line.span())
}

/// Whether `text` is YAML; a tag or a limit can still be an error, but a repair does not help then.
fn parses(text: &str) -> bool {
    let outcome = yaml::read(text, Marker::Refused, |offset| offset);
    !matches!(outcome, Err(Problem::Syntax { .. }))
}

/// The reason of a repair.
#[derive(Clone, Copy, PartialEq)]
enum Aim {
    /// The entry does not parse.
    Syntax,
    /// The entry parses, and a value does not mean what was meant.
    Meaning,
}

fn repair_entry(text: &str, entry: Range<usize>, aim: Aim) -> Vec<Diagnostic> {
    let entry_lines: Vec<Line<'_>> = lines(text, entry).collect();
    let mut found = Vec::new();
    let mut rest = entry_lines.as_slice();
    let mut blocks = BlockScalars::default();
    while let Some((line, after)) = rest.split_first() {
        rest = after;
        if blocks.contain(*line) {
            found.extend(tab_indentation(*line).filter(|_| aim == Aim::Syntax));
            continue;
        }
        if line.is_blank() {
            continue;
        }
        let is_key = value_offset(line.text).is_some();
        found.extend(tab_indentation(*line).filter(|_| aim == Aim::Syntax || is_key));
        let Some(value_at) = value_offset(line.text) else {
            continue;
        };
        let value = line.text.get(value_at..).unwrap_or_default();
        if is_block_header(value) || value.starts_with('#') {
            continue;
        }
        let deeper = |next: &&Line<'_>| next.is_blank() || next.indent() > line.indent();
        let continued = after.iter().take_while(deeper).count();
        let below = after.get(..continued).unwrap_or_default();
        let start = match value {
            "" => reserved_below(below),
            _ => Some(line.start + value_at),
        };
        let Some(start) = start else {
            continue;
        };
        let last = below.iter().rfind(|next| !next.is_blank());
        let region = Span::new(start, last.map_or(line.end(), Line::end));
        let quoting = quoting(text, *line, value_at, region, aim);
        // What looks like a key inside quotes is text.
        if quoting.is_some() || value.starts_with(['"', '\'']) {
            rest = after.get(continued..).unwrap_or_default();
        }
        found.extend(quoting);
    }
    found
}

/// Where a value starts that stands below its key, if its first character is reserved.
fn reserved_below(below: &[Line<'_>]) -> Option<usize> {
    let line = below.iter().find(|line| !line.is_blank())?;
    let value = line.text.get(line.indent()..)?;
    let reserved = value.starts_with(['*', '&', '@', '`', '%']);
    (reserved && value_offset(line.text).is_none()).then(|| line.start + line.indent())
}

/// A required field whose whole value follows a `#`, which makes it a comment.
fn comment_as_value(text: &str, entry: Range<usize>) -> Option<Diagnostic> {
    let mut lines = lines(text, entry);
    let line = lines.next()?;
    let field = entry_field(line.text)?;
    let value_at = value_offset(line.text)?;
    let value = line.text.get(value_at..)?;
    let meant = value.strip_prefix('#')?.trim_start_matches('#').trim();
    let only_comments = |line: Line<'_>| line.is_blank() || line.text.trim().starts_with('#');
    let required = matches!(field, Field::Name | Field::Description);
    if !required || meant.is_empty() || !lines.all(only_comments) {
        return None;
    }
    let key = line.text.get(..value_at)?.trim_end();
    let message = format!(
        "`#` starts a comment in YAML, so `{}` is empty",
        field.key()
    );
    let quoted = quote(meant);
    let help = format!(
        "write `{key} {}`; text with a `#` needs quotes",
        shorten(&quoted)
    );
    let span = Span::new(line.start + value_at, line.end());
    Some(
        Diagnostic::new(Code::UnquotedScalar, span, message)
            .help(help)
            .fix(vec![Edit::new(span, quoted)]),
    )
}

fn tab_indentation(line: Line<'_>) -> Option<Diagnostic> {
    let blanks = line.text.get(..line.indent())?;
    if !blanks.contains('\t') {
        return None;
    }
    let span = Span::new(line.start, line.start + blanks.len());
    Some(
        Diagnostic::new(Code::TabIndentation, span, "a tab is used as indentation")
            .help("indent with spaces")
            .fix(vec![Edit::new(span, blanks.replace('\t', "  "))]),
    )
}

/// Quotes the value in `region` if YAML cannot parse it.
fn quoting(
    text: &str,
    line: Line<'_>,
    value_at: usize,
    region: Span,
    aim: Aim,
) -> Option<Diagnostic> {
    let raw = region.slice(text);
    let first = raw.chars().next()?;
    let entity = raw.contains(ENTITY) && !matches!(first, '"' | '\'');
    if !entity && (aim == Aim::Meaning || parses(&format!("x: {raw}\n"))) {
        return None;
    }
    let several_lines = raw.contains('\n');
    let (code, message) = match first {
        '"' | '\'' => (Code::BadQuoting, "the quotes of this value do not match"),
        // An open bracket is a broken list; a closed one followed by text is text.
        '[' if several_lines || !raw.contains(']') => return None,
        '{' if several_lines || !raw.contains('}') => return None,
        c if "[]{}*&@`%,!|>?#-:".contains(c) => (
            Code::UnquotedScalar,
            "this value starts with a character that has a special meaning in YAML",
        ),
        _ if entity => (
            Code::UnquotedScalar,
            "`&nbsp;` in this value is an anchor in YAML",
        ),
        _ if raw.contains(": ") || raw.contains(":\n") || raw.ends_with(':') => (
            Code::UnquotedColon,
            "a colon in this value starts a second key in YAML",
        ),
        _ => return None,
    };
    let raw = if several_lines {
        raw
    } else {
        without_comment(raw, code)
    };
    let span = Span::new(region.start, region.start + raw.len());
    let meant = match code {
        Code::BadQuoting => meant_in_quotes(&fold(raw), first),
        _ => fold(raw),
    };
    let quoted = quote(&meant);
    let prefix = line.text.get(..value_at).unwrap_or_default().trim();
    Some(
        Diagnostic::new(code, span, message)
            .help(format!("write `{prefix} {}`", shorten(&quoted)))
            .fix(vec![Edit::new(span, quoted)]),
    )
}

/// A comment ends a plain value; inside broken quotes this is ambiguous, so it stays text.
fn without_comment(raw: &str, code: Code) -> &str {
    let end = if code == Code::BadQuoting {
        None
    } else {
        raw.find(" #")
    };
    raw.get(..end.unwrap_or(raw.len()))
        .unwrap_or(raw)
        .trim_end()
}

/// Lines joined as YAML folds them: a break is a space, a blank line a break.
fn fold(raw: &str) -> String {
    let mut folded = String::with_capacity(raw.len());
    let mut blank_lines = 0;
    for (index, line) in raw.lines().map(str::trim).enumerate() {
        if line.is_empty() {
            blank_lines += 1;
            continue;
        }
        if index > 0 {
            match blank_lines {
                0 => folded.push(' '),
                count => folded.push_str(&"\n".repeat(count)),
            }
        }
        blank_lines = 0;
        folded.push_str(line);
    }
    folded
}

/// The text that an author meant who wrote `raw`, which begins with `mark`.
fn meant_in_quotes(raw: &str, mark: char) -> String {
    let opened = raw.strip_prefix(mark).unwrap_or(raw);
    match opened.strip_suffix(mark) {
        Some(inside) if mark == '"' => unescape(inside),
        Some(inside) => inside.replace("''", "'"),
        None if opened.contains(mark) => raw.to_owned(),
        None => opened.to_owned(),
    }
}

/// Resolves the common escapes; an unknown one is text, except that `\'` is an apostrophe.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some(escaped @ ('"' | '\\' | '\'' | '/')) => plain.push(escaped),
            Some(other) => plain.extend(['\\', other]),
            None => plain.push('\\'),
        }
    }
    plain
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(HELP_CHARS) {
        Some((cut, _)) => format!("{}…", text.get(..cut).unwrap_or(text)),
        None => text.to_owned(),
    }
}

#[cfg(test)]
#[path = "repair_tests.rs"]
mod tests;
