//! Finding the frontmatter: the two delimiters, and what may stand around them.

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Edit};
use crate::limits::FRONTMATTER_BYTES;
use crate::span::{BYTE_ORDER_MARK, Span};

/// Where the parts of a `SKILL.md` lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Between the delimiter lines, last line break included.
    pub(crate) frontmatter: Span,
    /// After the closing delimiter line, without a surrounding fence.
    pub(crate) body: Span,
}

/// Splits a file that starts as the standard requires: an optional byte order mark, then the delimiter.
///
/// This is sufficient for the fast reader; everything else uses [`split`].
pub(crate) fn split_standard(bytes: &[u8]) -> Option<Frame> {
    let start = if bytes.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    };
    let opening = line_at(bytes, start)?;
    if !is_delimiter(bytes, opening) {
        return None;
    }
    let closing = find_closing(bytes, opening.next)?;
    Some(Frame {
        frontmatter: Span::new(opening.next, closing.start),
        body: Span::new(closing.next, bytes.len()),
    })
}

/// Splits a file, tolerating and reporting what other clients put before the first delimiter.
pub(crate) fn split(bytes: &[u8], out: &mut Vec<Diagnostic>) -> Option<Frame> {
    let mut at = 0;
    if bytes.starts_with(BYTE_ORDER_MARK) {
        at = BYTE_ORDER_MARK.len();
        let mark = Span::new(0, at);
        out.push(
            Diagnostic::new(Code::ByteOrderMark, mark, "byte order mark")
                .help("save it as UTF-8 without a byte order mark")
                .fix(vec![Edit::new(mark, "")]),
        );
    }
    let start = at;
    let mut end = bytes.len();
    let mut opening = skip_leading(bytes, &mut at);
    let leading = Span::new(start, opening.map_or(start, |line| line.start));
    if let Some(fence) = opening.and_then(|line| fence(bytes, line, end)) {
        at = fence.inner.start;
        end = fence.inner.end;
        opening = skip_leading(bytes.get(..end)?, &mut at);
        if opening.is_some_and(|line| is_delimiter(bytes, line)) {
            out.push(
                Diagnostic::new(
                    Code::CodeFence,
                    fence.opening,
                    "the file is wrapped in a code fence",
                )
                .help("remove the fence around the file")
                .fix(vec![
                    Edit::new(fence.opening, ""),
                    Edit::new(fence.closing, ""),
                ]),
            );
        }
    }
    let Some(opening) = opening.filter(|line| is_delimiter(bytes, *line)) else {
        let first = line_at(bytes, start).unwrap_or_default();
        out.push(
            Diagnostic::new(
                Code::MissingFrontmatter,
                Span::new(first.start, first.end),
                "the file does not start with a `---` line",
            )
            .help("start with `---`, then `name:` and `description:`, then another `---`"),
        );
        return None;
    };
    if leading.start != leading.end {
        out.push(leading_content(bytes, leading));
    }
    let inside = bytes.get(..end)?;
    let Some(closing) = find_closing(inside, opening.next) else {
        out.push(unclosed(inside, opening));
        return None;
    };
    if closing.start - opening.next > FRONTMATTER_BYTES {
        out.push(too_large(opening));
        return None;
    }
    Some(Frame {
        frontmatter: Span::new(opening.next, closing.start),
        body: Span::new(closing.next, end.max(closing.next)),
    })
}

/// A line without its break: `\n` or `\r\n`.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    start: usize,
    end: usize,
    next: usize,
}

fn line_at(bytes: &[u8], start: usize) -> Option<Line> {
    let rest = bytes.get(start..).filter(|rest| !rest.is_empty())?;
    let (length, step) = match memchr::memchr(b'\n', rest) {
        Some(at) => (at, at + 1),
        None => (rest.len(), rest.len()),
    };
    let line = rest.get(..length)?;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    Some(Line {
        start,
        end: start + line.len(),
        next: start + step,
    })
}

fn content(bytes: &[u8], line: Line) -> &[u8] {
    bytes.get(line.start..line.end).unwrap_or_default()
}

fn is_delimiter(bytes: &[u8], line: Line) -> bool {
    content(bytes, line)
        .strip_prefix(b"---")
        .is_some_and(|rest| rest.iter().all(|byte| matches!(byte, b' ' | b'\t')))
}

/// The closing line, if it comes within the bound and not much later.
fn find_closing(bytes: &[u8], from: usize) -> Option<Line> {
    let mut at = from;
    while let Some(line) = line_at(bytes, at) {
        if is_delimiter(bytes, line) {
            return Some(line);
        }
        at = line.next;
        if at - from > FRONTMATTER_BYTES {
            return None;
        }
    }
    None
}

/// Skips blank lines and HTML comments; the line that follows them.
fn skip_leading(bytes: &[u8], at: &mut usize) -> Option<Line> {
    loop {
        let line = line_at(bytes, *at)?;
        let text = content(bytes, line).trim_ascii();
        if text.is_empty() {
            *at = line.next;
        } else if text.starts_with(b"<!--") {
            let comment = bytes.get(line.start..)?;
            let end = memchr::memmem::find(comment, b"-->")? + 3;
            let last = line_at(bytes, line.start + end);
            *at = last.map_or(bytes.len(), |line| line.next);
            let rest = last.map_or(&b""[..], |line| content(bytes, line));
            if !rest.trim_ascii().is_empty() {
                return None;
            }
        } else {
            return Some(line);
        }
    }
}

struct Fence {
    opening: Span,
    closing: Span,
    inner: Span,
}

/// A fence whose opening line is `line` and whose closing line is the last of the file.
fn fence(bytes: &[u8], line: Line, end: usize) -> Option<Fence> {
    let text = content(bytes, line).trim_ascii_end();
    let ticks = text.iter().take_while(|byte| **byte == b'`').count();
    let info = text.get(ticks..)?;
    if ticks < 3 || info.contains(&b'`') {
        return None;
    }
    let trimmed = bytes.get(..end)?.trim_ascii_end();
    let last = memchr::memrchr(b'\n', trimmed)? + 1;
    let closing = trimmed.get(last..)?;
    let closes = closing.len() >= ticks && closing.iter().all(|byte| *byte == b'`');
    (closes && last >= line.next).then_some(Fence {
        opening: Span::new(line.start, line.next),
        closing: Span::new(last, end),
        inner: Span::new(line.next, last),
    })
}

fn leading_content(bytes: &[u8], leading: Span) -> Diagnostic {
    let text = bytes.get(leading.start..leading.end).unwrap_or_default();
    let diagnostic = Diagnostic::new(
        Code::LeadingContent,
        leading,
        "text before the opening `---`",
    )
    .help("make `---` the first line of the file");
    if text.trim_ascii().is_empty() {
        diagnostic.fix(vec![Edit::new(leading, "")])
    } else {
        // A comment can be important; the author must move it.
        diagnostic
    }
}

fn unclosed(bytes: &[u8], opening: Line) -> Diagnostic {
    if bytes.len() - opening.next > FRONTMATTER_BYTES {
        return too_large(opening);
    }
    Diagnostic::new(
        Code::UnclosedFrontmatter,
        Span::new(opening.start, opening.end),
        "this frontmatter has no closing `---` line",
    )
    .help("add a line of three hyphens, without indentation, after the last field")
}

fn too_large(opening: Line) -> Diagnostic {
    Diagnostic::new(
        Code::FrontmatterTooLarge,
        Span::new(opening.start, opening.end),
        format!("the frontmatter is larger than {FRONTMATTER_BYTES} bytes"),
    )
    .help("shorten the frontmatter: move text to the body or to a separate file")
}
