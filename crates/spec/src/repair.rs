//! Reading YAML as its author meant it, where other clients do so too.
//!
//! A frontmatter that does not parse is split into its top-level entries. Each entry that does not parse on its own is
//! repaired line by line: tabs become spaces, and values that YAML would misread are quoted. Entries that parse are not
//! changed.

use std::ops::Range;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Edit};
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
/// though parsers may let it pass.
pub(crate) fn misread(text: &str) -> Vec<Diagnostic> {
    if !text.contains(ENTITY) && !text.contains('\t') {
        return Vec::new();
    }
    entries(text)
        .into_iter()
        .filter(|entry| {
            let entry = text.get(entry.clone()).unwrap_or_default();
            entry.contains(ENTITY) || entry.contains('\t')
        })
        .flat_map(|entry| repair_entry(text, entry, Aim::Meaning))
        .collect()
}

/// The first line that is neither an entry, nor part of one, nor a comment.
pub(crate) fn stray_line(text: &str) -> Option<Span> {
    lines(text, 0..text.len())
        .find(|line| {
            let stray = line.text.starts_with(|c: char| c.is_alphanumeric());
            stray && entry_key(line.text).is_none()
        })
        .map(|line| Span::new(line.start, line.end()))
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

#[derive(Clone, Copy)]
struct Line<'s> {
    start: usize,
    /// Without the line break.
    text: &'s str,
}

impl Line<'_> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }

    fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start_matches([' ', '\t']).len()
    }

    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

fn lines(text: &str, range: Range<usize>) -> impl Iterator<Item = Line<'_>> {
    let mut at = range.start;
    text.get(range)
        .unwrap_or_default()
        .split_inclusive('\n')
        .map(move |raw| {
            let start = at;
            at += raw.len();
            let text = raw.strip_suffix('\n').unwrap_or(raw);
            let text = text.strip_suffix('\r').unwrap_or(text);
            Line { start, text }
        })
}

/// The ranges of the top-level entries: each from a `key:` line to the next.
fn entries(text: &str) -> Vec<Range<usize>> {
    let starts: Vec<usize> = lines(text, 0..text.len())
        .filter(|line| entry_key(line.text).is_some())
        .map(|line| line.start)
        .collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts
        .iter()
        .copied()
        .zip(ends)
        .map(|(start, end)| start..end)
        .collect()
}

/// The length of the key when `line` begins with one and a colon.
fn entry_key(line: &str) -> Option<usize> {
    let key = line.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "_-. ".contains(c));
    let length = line.len() - key.len();
    let colon = key.strip_prefix(':')?;
    let separated = colon.is_empty() || colon.starts_with([' ', '\t']);
    (separated && line.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
        .then_some(length)
}

fn repair_entry(text: &str, entry: Range<usize>, aim: Aim) -> Vec<Diagnostic> {
    let entry_lines: Vec<Line<'_>> = lines(text, entry).collect();
    let mut found = Vec::new();
    let mut rest = entry_lines.as_slice();
    let mut block_indent = None;
    while let Some((line, after)) = rest.split_first() {
        rest = after;
        if block_indent.is_some_and(|indent| line.is_blank() || line.indent() > indent) {
            found.extend(tab_indentation(*line).filter(|_| aim == Aim::Syntax));
            continue;
        }
        block_indent = None;
        if line.is_blank() {
            continue;
        }
        let is_key = value_offset(line.text).is_some();
        found.extend(tab_indentation(*line).filter(|_| aim == Aim::Syntax || is_key));
        let Some(value_at) = value_offset(line.text) else {
            continue;
        };
        let value = line.text.get(value_at..).unwrap_or_default();
        if is_block_header(value) {
            block_indent = Some(line.indent());
            continue;
        }
        if value.is_empty() || value.starts_with('#') {
            continue;
        }
        let deeper = |next: &&Line<'_>| next.is_blank() || next.indent() > line.indent();
        let continued = after.iter().take_while(deeper).count();
        let last = after.iter().take(continued).rfind(|next| !next.is_blank());
        let region = Span::new(line.start + value_at, last.map_or(line.end(), Line::end));
        if let Some(diagnostic) = quoting(text, *line, value_at, region, aim) {
            found.push(diagnostic);
            rest = after.get(continued..).unwrap_or_default();
        }
    }
    found
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

/// Where the value begins in a line `key: value`, `- value` or `- key: value`.
fn value_offset(line: &str) -> Option<usize> {
    let content = line.trim_start_matches([' ', '\t']);
    let dashed = content.strip_prefix("- ").map(str::trim_start);
    let item = dashed.unwrap_or(content);
    let start = line.len() - item.len();
    match entry_key(item) {
        Some(key) => {
            let value = item.get(key + 1..)?;
            Some(line.len() - value.trim_start().len())
        }
        None => dashed.map(|_| start),
    }
}

fn is_block_header(value: &str) -> bool {
    value.strip_prefix(['|', '>']).is_some_and(|rest| {
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || "+-".contains(c));
        rest.is_empty() || rest.starts_with(" #") || rest.trim().is_empty()
    })
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
    let prefix = line.text.get(..value_at).unwrap_or_default().trim_start();
    Some(
        Diagnostic::new(code, span, message)
            .help(format!("write `{prefix}{}`", shorten(&quoted)))
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
mod tests {
    use super::*;
    use crate::offsets::apply_edits;

    fn check(text: &str, codes: &[Code], fixed: &str) {
        let found = repairs(text);
        let found_codes: Vec<Code> = found.iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!(found_codes, codes, "{text:?}");
        let edits: Vec<Edit> = found
            .into_iter()
            .flat_map(|diagnostic| diagnostic.fix)
            .collect();
        let result = apply_edits(text, &edits);
        assert_eq!(result, fixed, "{text:?}");
        assert!(parses(&result), "{result:?}");
    }

    #[test]
    fn valid_yaml_is_not_repaired() {
        check("a: b\nc: [d]\n", &[], "a: b\nc: [d]\n");
    }

    #[test]
    fn colons_are_quoted() {
        use Code::UnquotedColon;
        check(
            "d: Use when: asked\n",
            &[UnquotedColon],
            "d: \"Use when: asked\"\n",
        );
        check("d: ends with:\n", &[UnquotedColon], "d: \"ends with:\"\n");
        check(
            "d: one: two # why\n",
            &[UnquotedColon],
            "d: \"one: two\" # why\n",
        );
        check(
            "d: one\n  two: three\n",
            &[UnquotedColon],
            "d: \"one two: three\"\n",
        );
        check(
            "m:\n  a: b: c\n  d: e\n",
            &[UnquotedColon],
            "m:\n  a: \"b: c\"\n  d: e\n",
        );
        check(
            "m:\n  - b: c: d\n",
            &[UnquotedColon],
            "m:\n  - b: \"c: d\"\n",
        );
        check(
            "d: say \"x: y\" now: ok\r\n",
            &[UnquotedColon],
            "d: 'say \"x: y\" now: ok'\r\n",
        );
    }

    #[test]
    fn indicators_are_quoted() {
        use Code::UnquotedScalar;
        check(
            "d: **Bold** text\n",
            &[UnquotedScalar],
            "d: \"**Bold** text\"\n",
        );
        check(
            "d: [Beta] does: x\n",
            &[UnquotedScalar],
            "d: \"[Beta] does: x\"\n",
        );
        check(
            "d: @user\ne: `x`\n",
            &[UnquotedScalar; 2],
            "d: \"@user\"\ne: \"`x`\"\n",
        );
        check(
            "d: > not a block\n",
            &[UnquotedScalar],
            "d: \"> not a block\"\n",
        );
    }

    #[test]
    fn broken_quotes_are_repaired() {
        use Code::BadQuoting;
        check(r#"d: "it\'s""#, &[BadQuoting], r#"d: "it's""#);
        check("d: 'it's'\n", &[BadQuoting], "d: \"it's\"\n");
        check(
            "d: \"A\" and more\n",
            &[BadQuoting],
            "d: '\"A\" and more'\n",
        );
        check(
            "d: \"no end\ne: f\n",
            &[BadQuoting],
            "d: \"no end\"\ne: f\n",
        );
        check(r#"d: "a \d+ b""#, &[BadQuoting], r"d: 'a \d+ b'");
    }

    #[test]
    fn tabs_become_spaces_also_in_blocks() {
        use Code::TabIndentation;
        check("m:\n\ta: 1\n", &[TabIndentation], "m:\n  a: 1\n");
        check("d: |\n\ttext: x\n", &[TabIndentation], "d: |\n  text: x\n");
    }

    #[test]
    fn stray_lines_are_found() {
        assert_eq!(stray_line("name x\nd: e\n"), Some(Span::new(0, 6)));
        assert_eq!(stray_line("d: e\n  more\n# c\n- x\n"), None);
    }
}
