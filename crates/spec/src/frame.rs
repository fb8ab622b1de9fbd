//! Finding the frontmatter: the two delimiters, and what may stand around them.

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Edit};
use crate::frame_end::{AssumedEnd, EndKind, assumed_end, starts_with_fields};
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

/// Whether a missing delimiter may be placed where the fields end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guess {
    /// The whole file is known, or at least as much as a frontmatter may hold.
    Allowed,
    /// Only a part of the file is known: the delimiter may follow.
    Refused,
}

/// Splits a file, tolerating and reporting what authors put around the delimiters.
pub(crate) fn split(bytes: &[u8], guess: Guess, out: &mut Vec<Diagnostic>) -> Option<Frame> {
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
    let fence = opening.and_then(|line| fence(bytes, line, end));
    if let Some(fence) = &fence {
        at = fence.inner.start;
        end = fence.inner.end;
        opening = skip_leading(bytes.get(..end)?, &mut at);
    }
    let inside = bytes.get(..end)?;
    let around = |out: &mut Vec<Diagnostic>| {
        out.extend(fence.as_ref().map(code_fence));
        out.extend((leading.start != leading.end).then(|| leading_content(bytes, leading)));
    };
    if guess == Guess::Allowed
        && let Some(line) = opening.filter(|line| !is_delimiter(bytes, *line))
        && let Some(frame) = without_opening(inside, line, out)
    {
        around(out);
        return Some(frame);
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
    around(out);
    let Some(closing) = find_closing(inside, opening.next) else {
        let frame = match guess {
            Guess::Allowed => without_closing(inside, opening, out),
            Guess::Refused => None,
        };
        if frame.is_none() {
            out.push(unclosed(inside, opening));
        }
        return frame;
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

/// The frame of a file that starts with fields, without a delimiter before them.
fn without_opening(bytes: &[u8], first: Line, out: &mut Vec<Diagnostic>) -> Option<Frame> {
    let text = searched(bytes, first.start);
    let end = Some(text)
        .filter(|text| starts_with_fields(text))
        .and_then(assumed_end)?;
    let line_break = line_break(bytes, first);
    out.push(
        Diagnostic::new(
            Code::MissingDelimiter,
            Span::new(first.start, first.end),
            "no `---` line before the fields",
        )
        .help("make `---` the first line of the file")
        .fix(vec![Edit::new(
            Span::at(first.start),
            format!("---{line_break}"),
        )]),
    );
    Some(frame_of(first.start, &end, line_break, bytes.len(), out))
}

/// The frame of a file whose closing delimiter is missing or malformed.
fn without_closing(bytes: &[u8], opening: Line, out: &mut Vec<Diagnostic>) -> Option<Frame> {
    let end = assumed_end(searched(bytes, opening.next))?;
    let line_break = line_break(bytes, opening);
    Some(frame_of(opening.next, &end, line_break, bytes.len(), out))
}

/// The text in which the end of a frontmatter is looked for: whole lines, within the bound.
fn searched(bytes: &[u8], start: usize) -> &str {
    let rest = bytes.get(start..).unwrap_or_default();
    let rest = match rest.get(..FRONTMATTER_BYTES) {
        Some(bounded) => memchr::memrchr(b'\n', bounded)
            .and_then(|last| bounded.get(..=last))
            .unwrap_or_default(),
        None => rest,
    };
    std::str::from_utf8(rest).unwrap_or_else(|error| {
        let valid = rest.get(..error.valid_up_to()).unwrap_or_default();
        std::str::from_utf8(valid).unwrap_or_default()
    })
}

fn line_break(bytes: &[u8], line: Line) -> &'static str {
    match bytes.get(line.end) {
        Some(b'\r') => "\r\n",
        _ => "\n",
    }
}

/// The frame of a frontmatter that starts at `start` and ends at `end`, relative to its start.
fn frame_of(
    start: usize,
    end: &AssumedEnd,
    line_break: &str,
    file_end: usize,
    out: &mut Vec<Diagnostic>,
) -> Frame {
    let line = end.line.shifted(start);
    let body = end.body + start;
    match end.kind {
        EndKind::Delimiter => {}
        EndKind::Malformed => {
            let after = if body < line.end { line_break } else { "" };
            let delimiter = Span::new(line.start, body.min(line.end));
            out.push(
                Diagnostic::new(
                    Code::MalformedDelimiter,
                    line,
                    "this line closes the frontmatter, but is not exactly `---`",
                )
                .help("write `---` alone on the line, without indentation")
                .fix(vec![Edit::new(delimiter, format!("---{after}"))]),
            );
        }
        EndKind::Missing => out.push(
            Diagnostic::new(
                Code::MissingDelimiter,
                line,
                "no `---` line after the fields; they end before this line",
            )
            .help("add a `---` line after the last field")
            .fix(vec![Edit::new(
                Span::at(end.end + start),
                format!("---{line_break}"),
            )]),
        ),
    }
    Frame {
        frontmatter: Span::new(start, end.end + start),
        body: Span::new(body, file_end.max(body)),
    }
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

fn code_fence(fence: &Fence) -> Diagnostic {
    Diagnostic::new(
        Code::CodeFence,
        fence.opening,
        "the file is wrapped in a code fence",
    )
    .help("remove the fence around the file")
    .fix(vec![
        Edit::new(fence.opening, ""),
        Edit::new(fence.closing, ""),
    ])
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
