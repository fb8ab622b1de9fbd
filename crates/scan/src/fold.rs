//! Text without the tricks that hide a match, and the way back to the original.
//!
//! Joins continued lines, drops invisible characters, maps look-alike letters to Latin, resolves escapes and removes
//! quotes inside words: `c""u\rl` becomes `curl`.

use prowess_spec::Span;

use crate::hidden::{is_invisible, lookalike};
use crate::segment::{Context, Language, Segments};

/// A folded text.
#[derive(Debug, Default)]
pub(crate) struct Folded {
    text: String,
    runs: Vec<Run>,
    /// The folded text of which this one was made, if not of the original.
    inner: Option<Box<Folded>>,
}

/// A piece of folded text and where it comes from; it ends where the next one begins.
#[derive(Clone, Copy, Debug)]
struct Run {
    folded: usize,
    original: usize,
    /// Bytes of the original, if the piece is not a copy.
    replaces: Option<usize>,
}

impl Folded {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether anything differs from the original.
    pub(crate) fn is_changed(&self) -> bool {
        self.runs.len() > 1 || self.runs.iter().any(|run| run.replaces.is_some())
    }

    /// The original range of a folded one.
    pub(crate) fn original(&self, start: usize, end: usize) -> Span {
        let span = self.source(start, end);
        match &self.inner {
            Some(inner) => inner.original(span.start, span.end),
            None => span,
        }
    }

    fn source(&self, start: usize, end: usize) -> Span {
        let first = self.original_of(start).0;
        let last = end.checked_sub(1).filter(|last| *last >= start);
        Span::new(
            first,
            last.map_or(first, |last| self.original_of(last).1)
                .max(first),
        )
    }

    /// Where a folded byte comes from: first byte and one past the last.
    fn original_of(&self, at: usize) -> (usize, usize) {
        let after = self.runs.partition_point(|run| run.folded <= at);
        match after.checked_sub(1).and_then(|index| self.runs.get(index)) {
            Some(run) => match run.replaces {
                Some(length) => (run.original, run.original + length),
                None => (
                    run.original + at - run.folded,
                    run.original + at - run.folded + 1,
                ),
            },
            None => (0, 0),
        }
    }

    fn copy(&mut self, text: &str, original: usize) {
        if text.is_empty() {
            return;
        }
        let folded = self.text.len();
        let continues = self.runs.last().is_some_and(|run| {
            run.replaces.is_none()
                && original >= run.original
                && original - run.original == folded - run.folded
        });
        if !continues {
            self.runs.push(Run {
                folded,
                original,
                replaces: None,
            });
        }
        self.text.push_str(text);
    }

    fn replace(&mut self, by: char, original: usize, length: usize) {
        let folded = self.text.len();
        if by.len_utf8() == length {
            return self.copy(by.encode_utf8(&mut [0; 4]), original);
        }
        self.runs.push(Run {
            folded,
            original,
            replaces: Some(length),
        });
        self.text.push(by);
    }

    fn ends_in_word(&self) -> bool {
        self.text
            .as_bytes()
            .last()
            .is_some_and(u8::is_ascii_alphanumeric)
    }
}

/// Folds commands inside string literals of any language: resolves escapes, then undoes shell tricks.
pub(crate) fn literal(source: &str) -> Folded {
    let unescaped = unescape(source);
    let whole = Segments::whole(Context::Prose);
    let mut folded = code(&unescaped.text, &whole);
    folded.inner = Some(Box::new(unescaped));
    folded
}

/// Replaces escapes, however many backslashes a string within a string put in front of them.
fn unescape(source: &str) -> Folded {
    let mut out = Folded::default();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', source.as_bytes().get(at..).unwrap_or_default()) {
        let start = at + found;
        out.copy(source.get(at..start).unwrap_or_default(), at);
        let rest = source.get(start..).unwrap_or_default();
        let after = rest.trim_start_matches('\\');
        let marks = rest.len() - after.len();
        let (by, length) = match after.as_bytes().first() {
            Some(b'n' | b'r') => (Some('\n'), 1),
            Some(b't') => (Some(' '), 1),
            Some(quote @ (b'"' | b'\'' | b'/' | b'`')) => (Some(char::from(*quote)), 1),
            _ => match escape(after) {
                Some((c, length)) => (Some(c), length),
                None => (None, 0),
            },
        };
        match by {
            Some(c) => out.replace(c, start, marks + length),
            None => out.copy(rest.get(..marks).unwrap_or_default(), start),
        }
        at = start + marks + length;
    }
    out.copy(source.get(at..).unwrap_or_default(), at);
    out
}

/// Folds commands: the whole file, since a command in prose is run as well.
pub(crate) fn code(source: &str, segments: &Segments) -> Folded {
    let mut folded = Folded::default();
    let starts: Vec<_> = segments.iter().collect();
    for (index, segment) in starts.iter().enumerate() {
        let end = starts
            .get(index + 1)
            .map_or(source.len(), |next| next.start);
        fold_code(source, segment.start..end, segment.context, &mut folded);
    }
    folded
}

fn fold_code(source: &str, range: std::ops::Range<usize>, context: Context, out: &mut Folded) {
    let is_code = matches!(context, Context::Code(_));
    let quoting = match context {
        Context::Code(language) => language,
        Context::Prose | Context::Comment => Language::Shell,
    };
    let bytes = source.as_bytes();
    let byte_at = |at: usize| bytes.get(at).copied().unwrap_or_default();
    let mut at = range.start;
    while at < range.end {
        let rest = bytes.get(at..range.end).unwrap_or_default();
        let plain = rest
            .iter()
            .position(|byte| is_special(*byte))
            .unwrap_or(rest.len());
        out.copy(source.get(at..at + plain).unwrap_or_default(), at);
        at += plain;
        if at >= range.end {
            break;
        }
        let rest = source.get(at..range.end).unwrap_or_default();
        let word_follows =
            |after: usize| byte_at(after).is_ascii_alphanumeric() && after < range.end;
        let length = match byte_at(at) {
            b'\\' => backslash(rest, at, quoting, out),
            b'\'' | b'"' => {
                let quotes = rest
                    .bytes()
                    .take_while(|byte| matches!(byte, b'\'' | b'"'))
                    .count();
                let gap = if is_code && quoting != Language::Shell {
                    concatenation(rest)
                } else {
                    0
                };
                if gap > 0 {
                    gap
                } else if out.ends_in_word()
                    && word_follows(at + quotes)
                    && quoting != Language::Other
                {
                    quotes
                } else {
                    out.copy(rest.get(..1).unwrap_or_default(), at);
                    1
                }
            }
            b'$' => dollar(rest, at, out),
            b'\n' => {
                let joins = joins_lines(source, at, range.end, is_code);
                out.copy(if joins { " " } else { "\n" }, at);
                1
            }
            b'`' | b'^' => {
                let end = line_break(rest.get(1..).unwrap_or_default());
                match end {
                    Some(length) if quoting == Language::Windows => {
                        out.replace(' ', at, 1 + length);
                        1 + length
                    }
                    _ => {
                        out.copy(rest.get(..1).unwrap_or_default(), at);
                        1
                    }
                }
            }
            _ => character(rest, at, out),
        };
        at += length.max(1);
    }
}

const fn is_special(byte: u8) -> bool {
    matches!(byte, b'\\' | b'\'' | b'"' | b'$' | b'\n' | b'`' | b'^') || byte >= 0x80
}

/// A backslash: a continued line, an escape, or an ornament in front of a letter.
fn backslash(rest: &str, at: usize, quoting: Language, out: &mut Folded) -> usize {
    let after = rest.get(1..).unwrap_or_default();
    if quoting != Language::Windows
        && let Some(length) = line_break(after)
    {
        // The shell takes both away; a blank on either side is what separates.
        if quoting != Language::Shell {
            out.replace(' ', at, 1 + length);
        }
        return 1 + length;
    }
    if let Some((c, length)) = escape(after) {
        out.replace(c, at, 1 + length);
        return 1 + length;
    }
    let letters = after.bytes().take_while(u8::is_ascii_lowercase).count();
    if quoting == Language::Shell && letters > 0 && (letters > 1 || out.ends_in_word()) {
        return 1;
    }
    out.copy("\\", at);
    1
}

/// The character of `x63`, `u0063`, `u{63}` or `143`, if it is a visible one of ASCII or a line break.
fn escape(after: &str) -> Option<(char, usize)> {
    let (digits, radix, length) = if let Some(rest) = after.strip_prefix("u{") {
        let close = rest.bytes().take(8).position(|byte| byte == b'}')?;
        (rest.get(..close)?, 16, close + 3)
    } else if after.starts_with('x') {
        (after.get(1..3)?, 16, 3)
    } else if after.starts_with('u') {
        (after.get(1..5)?, 16, 5)
    } else {
        (after.get(..3)?, 8, 3)
    };
    if digits.starts_with('+') {
        return None;
    }
    let value = u32::from_str_radix(digits, radix).ok()?;
    let c = char::from_u32(value).filter(|c| c.is_ascii_graphic() || matches!(c, ' ' | '\n'))?;
    Some((c, length))
}

/// `$IFS` is a blank, and `$@` inside a word is empty.
fn dollar(rest: &str, at: usize, out: &mut Folded) -> usize {
    for blank in ["${IFS}", "$IFS$9", "$IFS"] {
        if rest.starts_with(blank) {
            out.replace(' ', at, blank.len());
            return blank.len();
        }
    }
    for nothing in ["$@", "$*", "${@}", "${*}", "$()"] {
        if out.ends_in_word()
            && let Some(after) = rest.strip_prefix(nothing)
            && after.starts_with(|c: char| c.is_ascii_lowercase())
        {
            return nothing.len();
        }
    }
    out.copy("$", at);
    1
}

/// The length of `" + "` between two literals, or nothing.
fn concatenation(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let blanks = |from: usize| {
        let tail = bytes.get(from..).unwrap_or_default();
        from + tail
            .iter()
            .take(16)
            .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n'))
            .count()
    };
    let plus = blanks(1);
    if bytes.get(plus) != Some(&b'+') {
        return 0;
    }
    let quote = blanks(plus + 1);
    match bytes.get(quote) {
        Some(b'\'' | b'"') => quote + 1,
        _ => 0,
    }
}

/// Whether the command continues after the line break at `at`.
fn joins_lines(source: &str, at: usize, end: usize, is_code: bool) -> bool {
    let before = source.get(..at).unwrap_or_default();
    let before = before
        .get(before.ceil_char_boundary(at.saturating_sub(200))..)
        .unwrap_or_default();
    let before = before.trim_end_matches([' ', '\t', '\r']);
    let after = source.get(at + 1..end).unwrap_or_default();
    let after = after
        .get(..after.floor_char_boundary(200))
        .unwrap_or_default();
    let after = after.trim_start_matches([' ', '\t']);
    let pipes = (before.ends_with('|'), after.starts_with('|'));
    match pipes {
        // Rows of a table end and begin with it; a command does only one of both.
        (true, true) => is_code,
        (false, false) => before.ends_with("&&") || after.starts_with("&&"),
        _ => true,
    }
}

fn line_break(text: &str) -> Option<usize> {
    [("\r\n", 2), ("\n", 1)]
        .into_iter()
        .find(|(mark, _)| text.starts_with(mark))
        .map(|(_, length)| length)
}

/// A character beyond ASCII: dropped, mapped to Latin, or unchanged.
fn character(rest: &str, at: usize, out: &mut Folded) -> usize {
    let Some(c) = rest.chars().next() else {
        return 1;
    };
    let length = c.len_utf8();
    // A letter of a foreign word is unchanged; one next to a Latin letter is not part of such a word.
    let next = rest.get(length..).unwrap_or_default();
    let beside_latin = out.ends_in_word() || next.starts_with(|c: char| c.is_ascii_alphanumeric());
    match plain(c, beside_latin) {
        Some(Plain::Nothing) => {}
        Some(Plain::As(by)) => out.replace(by, at, length),
        None => out.copy(rest.get(..length).unwrap_or_default(), at),
    }
    length
}

enum Plain {
    Nothing,
    As(char),
}

fn plain(c: char, beside_latin: bool) -> Option<Plain> {
    if is_invisible(c) {
        return Some(Plain::Nothing);
    }
    let by = match c {
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        '\u{2010}'..='\u{2015}' => '-',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0)?,
        // Mathematical letters, thirteen consecutive alphabets.
        '\u{1d400}'..='\u{1d6a3}' => {
            let index = u8::try_from((u32::from(c) - 0x1d400) % 52).ok()?;
            char::from(if index < 26 {
                b'A' + index
            } else {
                b'a' + index - 26
            })
        }
        _ => lookalike(c).filter(|_| beside_latin)?,
    };
    Some(Plain::As(by))
}

/// How the lines of a file make sentences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    /// Paragraphs, but for blocks of code.
    Paragraphs,
    /// Values may go on in the next line.
    Data,
    /// Each line for itself, but for comments of several lines.
    Code,
}

/// Folds prose: paragraphs become lines, emphasis and hidden characters go.
pub(crate) fn prose(source: &str, segments: &Segments, lines: Lines) -> Folded {
    let mut folded = Folded::default();
    let bytes = source.as_bytes();
    let is_special = |byte: &u8| matches!(byte, b'\n' | b'*' | b'<') || *byte >= 0x80;
    let head = frontmatter(source);
    let mut at = 0;
    let mut line_start = 0;
    while at < bytes.len() {
        let rest = bytes.get(at..).unwrap_or_default();
        let plain = rest.iter().position(is_special).unwrap_or(rest.len());
        folded.copy(source.get(at..at + plain).unwrap_or_default(), at);
        at += plain;
        let rest = source.get(at..).unwrap_or_default();
        at += match bytes.get(at) {
            Some(b'\n') => {
                let next = rest
                    .get(1..rest.floor_char_boundary(200))
                    .unwrap_or_default();
                let line = source.get(line_start..at).unwrap_or_default();
                line_start = at + 1;
                let ends = match (lines, segments.context(at)) {
                    _ if at < head => begins_key(next),
                    (Lines::Paragraphs, Context::Prose | Context::Comment) => begins_block(next),
                    (Lines::Data, _) => begins_block(next) || begins_value(next),
                    _ => !(is_comment(line) && is_comment(next)),
                };
                if ends {
                    folded.copy("\n", at);
                    1
                } else {
                    // Indentation, and the mark of a comment that goes on, are not part of the sentence.
                    folded.copy(" ", at);
                    1 + next.len() - next.trim_start_matches([' ', '\t', '#', '/']).len()
                }
            }
            Some(b'*') => 1,
            Some(b'<') => {
                let length = tag(rest).filter(|_| lines != Lines::Code);
                folded.copy(if length.is_some() { "\n" } else { "<" }, at);
                length.unwrap_or(1)
            }
            Some(_) => character(rest, at, &mut folded),
            None => 0,
        };
    }
    folded
}

/// The length of a tag of HTML; an address in angle brackets is none.
fn tag(rest: &str) -> Option<usize> {
    let name = rest.get(1..)?.trim_start_matches('/');
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let window = rest.get(..rest.floor_char_boundary(1000))?;
    let end = window.find('>')?;
    let inside = window.get(1..end)?;
    let is_address = inside.starts_with("http") || inside.contains('@') && !inside.contains(' ');
    (!is_address && !inside.contains('<')).then_some(end + 1)
}

/// Where the frontmatter of a Markdown file ends.
fn frontmatter(source: &str) -> usize {
    source
        .strip_prefix("---")
        .and_then(|rest| rest.find("\n---"))
        .map_or(0, |end| end + 4)
}

/// Whether a line of the frontmatter is not the rest of a value.
fn begins_key(line: &str) -> bool {
    let line = line.split('\n').next().unwrap_or_default();
    line.starts_with("---")
        || line.trim_start().starts_with("- ")
        || line
            .split_once(':')
            .is_some_and(|(key, _)| !key.is_empty() && !key.trim_start().contains(' '))
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["#", "//", "--", "*", ";", "rem "]
        .iter()
        .any(|mark| line.starts_with(mark))
}

/// Whether a line of data is a value of its own.
fn begins_value(line: &str) -> bool {
    let line = line.split('\n').next().unwrap_or_default();
    line.contains([':', '=', '<', '{', '[', ','])
}

/// Whether a new paragraph, item, heading or row begins with this line.
fn begins_block(line: &str) -> bool {
    let line = line
        .split('\n')
        .next()
        .unwrap_or_default()
        .trim_start_matches([' ', '\t']);
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.trim_end().is_empty()
        || line.starts_with(['#', '|', '>', '`', '~', '<'])
        || ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
        || (number.len() < line.len() && number.starts_with(['.', ')']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(context: Context, source: &str, expected: &str) {
        let folded = code(source, &Segments::whole(context));
        assert_eq!(folded.text(), expected, "{source:?}");
    }

    #[test]
    fn shell_obfuscation_is_normalized() {
        let shell = Context::Code(Language::Shell);
        for source in [
            "c\"\"url x",
            "c'u'rl x",
            "cu\\rl x",
            "\\curl x",
            "curl${IFS}x",
            "curl$IFS$9x",
            "c$@url x",
            "cu\u{200b}rl x",
            "ｃurl x",
            "\u{441}url x",
            "\\x63url x",
            "\\143url x",
            "\\u0063url x",
            "cu\\\nrl x",
            "curl\u{a0}x",
        ] {
            check(shell, source, "curl x");
        }
        check(shell, "a |\n  b", "a |   b");
        check(shell, "a\n | b", "a  | b");
        check(shell, "it\nis", "it\nis");
        check(Context::Prose, "a |\n| b", "a |\n| b");
        check(Context::Code(Language::Windows), "a `\nb", "a  b");
        check(Context::Code(Language::Other), "'cu' + \"rl\"", "'curl\"");
        check(
            Context::Code(Language::Other),
            "[\\x00-\\x1f]\\n",
            "[\\x00-\\x1f]\\n",
        );
    }

    #[test]
    fn paragraphs_become_lines() {
        let source = "ignore\nall **previous**\n\n- instructions\n";
        let folded = prose(source, &Segments::markdown(source), Lines::Paragraphs);
        assert_eq!(folded.text(), "ignore all previous\n\n- instructions\n");
    }

    #[test]
    fn offsets_map_back_exactly() {
        let source = "a\u{200b}b \u{441}url é x\\x63";
        let folded = code(source, &Segments::whole(Context::Code(Language::Shell)));
        let at = folded.text().find("curl").unwrap();
        let span = folded.original(at, at + 4);
        assert_eq!(span.slice(source), "\u{441}url");
        let end = folded.text().len();
        assert_eq!(folded.original(end - 1, end).slice(source), "\\x63");
    }
}
