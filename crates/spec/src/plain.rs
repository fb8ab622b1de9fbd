//! A scanner for the YAML that most frontmatter is written in.
//!
//! It supports keys with plain, simply quoted or simple block values, one-line lists, and nested mappings and lists of
//! these. It either produces exactly the events of the YAML parser or returns `None`; a property test compares the two.

use std::borrow::Cow;

use crate::span::Span;
use crate::tree::{Collection, Refusal, Sink};
use crate::value::Style;

/// The scanner met something outside its subset; what was fed so far means nothing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NotPlain;

impl From<Refusal> for NotPlain {
    fn from(_: Refusal) -> Self {
        Self
    }
}

type Scan<T = ()> = Result<T, NotPlain>;

/// YAML limits a key on one line to 1,024 characters.
const LONGEST_KEY: usize = 1_000;
/// Nesting that the scanner follows; deeper frontmatter is not typical.
const DEPTH: usize = 8;

/// Feeds the mapping in `text`, which begins at byte `base` of its file.
pub(crate) fn scan<'s, S: Sink<'s>>(text: &'s str, base: usize, sink: &mut S) -> Scan {
    let mut scanner = Scanner {
        text,
        base,
        next: 0,
        sink,
    };
    let Some(first) = scanner.peek()? else {
        return Err(NotPlain);
    };
    if first.indent != 0 {
        return Err(NotPlain);
    }
    scanner.mapping(0, 0)?;
    if scanner.peek()?.is_some() {
        return Err(NotPlain);
    }
    Ok(())
}

struct Scanner<'s, 'k, S> {
    text: &'s str,
    base: usize,
    next: usize,
    sink: &'k mut S,
}

/// A line that holds something: its content without indentation and line break.
#[derive(Clone, Copy)]
struct Line<'s> {
    indent: usize,
    start: usize,
    content: &'s str,
    next: usize,
}

impl Line<'_> {
    fn is_item(&self) -> bool {
        self.content.starts_with("- ")
    }
}

impl<'s, S: Sink<'s>> Scanner<'s, '_, S> {
    /// The next line that is neither blank nor a comment.
    fn peek(&mut self) -> Scan<Option<Line<'s>>> {
        loop {
            let Some(line) = self.raw_line() else {
                return Ok(None);
            };
            match line.content.as_bytes().first() {
                None => self.next = line.next,
                Some(b'#') if is_printable(line.content) => self.next = line.next,
                Some(b'#' | b'\t') => return Err(NotPlain),
                Some(_) => return Ok(Some(line)),
            }
        }
    }

    fn raw_line(&self) -> Option<Line<'s>> {
        let rest = self.text.get(self.next..).filter(|rest| !rest.is_empty())?;
        let bytes = rest.as_bytes();
        let (length, step) = match memchr::memchr(b'\n', bytes) {
            Some(at) => (at, at + 1),
            None => (bytes.len(), bytes.len()),
        };
        let line = rest.get(..length)?;
        let line = line.strip_suffix('\r').unwrap_or(line);
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        Some(Line {
            indent,
            start: self.next + indent,
            content,
            next: self.next + step,
        })
    }

    fn span(&self, start: usize, length: usize) -> Span {
        Span::new(start, start + length).shifted(self.base)
    }

    fn mapping(&mut self, indent: usize, depth: usize) -> Scan {
        if depth > DEPTH {
            return Err(NotPlain);
        }
        let mut opened = false;
        while let Some(line) = self.peek()? {
            if line.indent < indent {
                break;
            }
            if line.indent > indent {
                return Err(NotPlain);
            }
            let key = key(line.content)?;
            if !opened {
                self.sink
                    .open(Collection::Mapping, self.base + line.start)?;
                opened = true;
            }
            let key_span = self.span(line.start, key.len());
            self.sink
                .scalar(Cow::Borrowed(key), Style::Plain, key_span)?;
            self.next = line.next;
            let after_colon = line.content.get(key.len() + 1..).ok_or(NotPlain)?;
            let value = after_colon.trim_start_matches(' ');
            let value_start = line.start + line.content.len() - value.len();
            if value.is_empty() {
                self.below(indent, depth, key_span.end)?;
            } else if value.len() == after_colon.len() {
                return Err(NotPlain);
            } else if value.starts_with(['|', '>']) {
                self.block_scalar(value, indent)?;
            } else {
                self.inline(value, value_start)?;
            }
        }
        if !opened {
            return Err(NotPlain);
        }
        Ok(self.sink.close(None)?)
    }

    /// The value of a key with nothing after its colon.
    fn below(&mut self, indent: usize, depth: usize, key_end: usize) -> Scan {
        match self.peek()? {
            Some(line) if line.is_item() && line.indent >= indent => self.sequence(line, indent),
            Some(line) if line.indent > indent => self.mapping(line.indent, depth + 1),
            _ => Ok(self
                .sink
                .scalar(Cow::Borrowed(""), Style::Plain, Span::at(key_end))?),
        }
    }

    fn sequence(&mut self, first: Line<'s>, parent_indent: usize) -> Scan {
        self.sink
            .open(Collection::Sequence, self.base + first.start)?;
        while let Some(line) = self.peek()? {
            if line.indent < first.indent {
                break;
            }
            if line.indent > first.indent {
                return Err(NotPlain);
            }
            if !line.is_item() {
                // A list may stand at the indentation of its key; then the next key ends it.
                if first.indent == parent_indent {
                    break;
                }
                return Err(NotPlain);
            }
            self.next = line.next;
            let width = dash_width(line.content);
            let value = line.content.get(width..).ok_or(NotPlain)?;
            self.inline(value, line.start + width)?;
        }
        Ok(self.sink.close(None)?)
    }

    /// A value on one line. A line that continues it is deeper than its parent, which the caller refuses.
    fn inline(&mut self, value: &'s str, start: usize) -> Scan {
        match value.as_bytes().first() {
            Some(b'[') => self.flow_sequence(value, start),
            _ => self.scalar(value, start, Context::Block),
        }
    }

    fn scalar(&mut self, value: &'s str, start: usize, context: Context) -> Scan {
        let value = value.trim_end_matches(' ');
        let span = self.span(start, value.len());
        let (text, style) = match value.as_bytes().first() {
            Some(quote @ (b'"' | b'\'')) => (quoted(value, *quote)?, Style::Quoted),
            _ => (plain(value, context)?, Style::Plain),
        };
        Ok(self.sink.scalar(Cow::Borrowed(text), style, span)?)
    }

    fn flow_sequence(&mut self, value: &'s str, start: usize) -> Scan {
        let value = value.trim_end_matches(' ');
        let inner = value
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        let inner = inner.ok_or(NotPlain)?;
        self.sink.open(Collection::Sequence, self.base + start)?;
        let mut at = start + 1;
        if !inner.trim_matches(' ').is_empty() {
            for item in inner.split(',') {
                let text = item.trim_start_matches(' ');
                self.scalar(text, at + item.len() - text.len(), Context::Flow)?;
                at += item.len() + 1;
            }
        }
        Ok(self.sink.close(Some(self.base + start + value.len()))?)
    }

    /// A `|` or `>` block whose lines all stand at one indentation, without blank lines between them.
    fn block_scalar(&mut self, header: &str, indent: usize) -> Scan {
        let (folded, strip) = match header.trim_end_matches(' ') {
            "|" => (false, false),
            "|-" => (false, true),
            ">" => (true, false),
            ">-" => (true, true),
            _ => return Err(NotPlain),
        };
        let first = self.raw_line().ok_or(NotPlain)?;
        if first.content.is_empty() || first.indent <= indent {
            return Err(NotPlain);
        }
        let mut text = String::new();
        let mut end = first.start;
        let mut blank_seen = false;
        while let Some(line) = self.raw_line() {
            if line.content.is_empty() {
                if line.indent > first.indent {
                    return Err(NotPlain);
                }
                blank_seen = true;
                self.next = line.next;
                continue;
            }
            if line.indent < first.indent {
                break;
            }
            let content = line.content;
            if blank_seen || line.indent > first.indent || content.ends_with([' ', '\t']) {
                return Err(NotPlain);
            }
            if content.starts_with('\t') || !is_printable(content) {
                return Err(NotPlain);
            }
            if !text.is_empty() {
                text.push(if folded { ' ' } else { '\n' });
            }
            text.push_str(content);
            end = line.start + content.len();
            self.next = line.next;
        }
        if !strip {
            text.push('\n');
        }
        let span = self.span(first.start, end - first.start);
        Ok(self.sink.scalar(Cow::Owned(text), Style::Quoted, span)?)
    }
}

/// The context of a scalar: brackets and commas are special inside a flow collection.
#[derive(Clone, Copy, PartialEq)]
enum Context {
    Block,
    Flow,
}

fn dash_width(content: &str) -> usize {
    let value = content.get(1..).unwrap_or_default();
    content.len() - value.trim_start_matches(' ').len()
}

fn key(content: &str) -> Scan<&str> {
    let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let length = content.bytes().take_while(|byte| is_key(byte)).count();
    let key = content.get(..length).ok_or(NotPlain)?;
    let colon = content.as_bytes().get(length) == Some(&b':');
    if !colon || key.is_empty() || key.len() > LONGEST_KEY || key.starts_with('-') {
        return Err(NotPlain);
    }
    Ok(key)
}

/// The content of a quoted scalar without escapes.
fn quoted(value: &str, quote: u8) -> Scan<&str> {
    let inner = value
        .get(1..value.len().saturating_sub(1))
        .ok_or(NotPlain)?;
    let closed = value.len() > 1 && value.as_bytes().last() == Some(&quote);
    let special = |byte: u8| byte == quote || byte == b'\\' || byte == b'\t';
    if !closed || inner.bytes().any(special) || !is_printable(inner) {
        return Err(NotPlain);
    }
    Ok(inner)
}

fn plain(value: &str, context: Context) -> Scan<&str> {
    let bytes = value.as_bytes();
    let first = *bytes.first().ok_or(NotPlain)?;
    if b"-?:,[]{}#&*!|>'\"%@`".contains(&first) || !is_printable(value) {
        return Err(NotPlain);
    }
    let mut previous = first;
    for byte in bytes.iter().copied() {
        match byte {
            b'\t' => return Err(NotPlain),
            b'#' if previous == b' ' => return Err(NotPlain),
            b' ' if previous == b':' => return Err(NotPlain),
            // Entities such as `&nbsp;` are worth a word to the author.
            b';' if value.contains("&nbsp;") => return Err(NotPlain),
            b':' | b'[' | b']' | b'{' | b'}' | b'"' | b'\'' if context == Context::Flow => {
                return Err(NotPlain);
            }
            _ => {}
        }
        previous = byte;
    }
    if previous == b':' {
        return Err(NotPlain);
    }
    Ok(value)
}

/// No control characters but tab, and none of the marks that YAML treats as line breaks or refuses.
fn is_printable(text: &str) -> bool {
    if text.is_ascii() {
        return text
            .bytes()
            .all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte));
    }
    text.chars().all(|c| {
        let refused = matches!(
            c,
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        );
        c == '\t' || !(c.is_control() || refused)
    })
}

/// Whether `text` can stand as a value without quotes, on one line.
pub(crate) fn is_plain(text: &str) -> bool {
    text.trim() == text && plain(text, Context::Block).is_ok()
}

#[cfg(test)]
#[path = "plain_tests.rs"]
mod tests;
