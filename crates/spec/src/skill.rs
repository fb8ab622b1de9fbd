//! A whole `SKILL.md`: from bytes to a typed skill and its diagnostics.

use crate::body;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Edit};
use crate::fields::{self, Skill};
use crate::frame::{self, Guess};
use crate::frontmatter::{self, DocumentKind};
use crate::levels::{Profile, Severity};
use crate::limits::{BODY_LINES, BODY_TOKENS, FILE_BYTES};
use crate::span::Span;

/// Context of the file besides its bytes.
#[derive(Clone, Copy, Default)]
pub struct Context<'a> {
    /// The name of the directory that holds the file; the skill's name should equal it.
    pub directory: Option<&'a str>,
    /// Answers whether a path inside the skill exists; without it, references are not checked.
    pub exists: Option<&'a dyn Fn(&str) -> bool>,
}

/// The outcome of parsing: always a value, never an error.
#[derive(Debug)]
pub struct Parsed<'s> {
    /// The skill, if it has a name and a description.
    pub skill: Option<Skill>,
    /// The text after the frontmatter, trimmed.
    pub body: &'s str,
    /// All diagnostics, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed<'_> {
    /// Whether the skill is valid under `profile`.
    pub fn is_valid(&self, profile: Profile) -> bool {
        is_valid(&self.diagnostics, profile)
    }
}

/// Whether nothing in `diagnostics` is an error under `profile`.
pub fn is_valid(diagnostics: &[Diagnostic], profile: Profile) -> bool {
    let is_error = |found: &Diagnostic| found.severity(profile) == Some(Severity::Error);
    !diagnostics.iter().any(is_error)
}

/// Parses a `SKILL.md`.
///
/// ```
/// use prowess_spec::{Context, Profile, parse};
///
/// let file = b"---\nname: pdf\ndescription: Use when: a PDF is given\n---\n# PDF\n";
/// let parsed = parse(file, &Context::default());
/// assert_eq!(parsed.skill.as_ref().unwrap().description, "Use when: a PDF is given");
/// assert!(parsed.is_valid(Profile::Load));
/// assert!(!parsed.is_valid(Profile::Check));
/// assert_eq!(parsed.diagnostics[0].code.id(), "unquoted-colon");
/// ```
pub fn parse<'s>(bytes: &'s [u8], context: &Context<'_>) -> Parsed<'s> {
    let mut diagnostics = Vec::new();
    let (skill, body) = parse_parts(bytes, context, &mut diagnostics);
    diagnostics.sort_by_key(|found| found.span);
    Parsed {
        skill,
        body,
        diagnostics,
    }
}

fn parse_parts<'s>(
    bytes: &'s [u8],
    context: &Context<'_>,
    out: &mut Vec<Diagnostic>,
) -> (Option<Skill>, &'s str) {
    if bytes.len() > FILE_BYTES {
        let message = format!(
            "the file is too large: {} bytes, at most {FILE_BYTES} allowed",
            bytes.len()
        );
        out.push(
            Diagnostic::new(Code::FileTooLarge, Span::at(0), message)
                .help("move long text to files that the body refers to"),
        );
    }
    let file = match text(bytes) {
        Ok(file) => file,
        Err(diagnostic) => {
            out.push(*diagnostic);
            return (None, "");
        }
    };
    out.extend(mixed_line_endings(file));
    let Some(frame) = frame::split(bytes, Guess::Allowed, out) else {
        return (None, "");
    };
    let skill = frontmatter::read(file, frame.frontmatter, DocumentKind::Frontmatter, out)
        .and_then(|mapping| fields::skill(file, frame, mapping, context.directory, out));
    let (body, offset) = trimmed(file, frame.body);
    check_body(body, offset, context, out);
    (skill, body)
}

/// The file as text, or the diagnostic with the position of the error.
pub(crate) fn text(bytes: &[u8]) -> Result<&str, Box<Diagnostic>> {
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let utf_16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
        let help = if utf_16 {
            "the file looks like UTF-16; save it as UTF-8"
        } else {
            "save the file as UTF-8"
        };
        let message = format!("the byte at offset {at} is not UTF-8");
        Box::new(Diagnostic::new(Code::NotUtf8, Span::new(at, at + 1), message).help(help))
    })
}

fn mixed_line_endings(file: &str) -> Option<Diagnostic> {
    let bytes = file.as_bytes();
    memchr::memchr(b'\r', bytes)?;
    let returns = memchr::memmem::find_iter(bytes, b"\r\n").count();
    let breaks = memchr::memchr_iter(b'\n', bytes).count();
    if returns == 0 || returns == breaks {
        return None;
    }
    let first = file.find("\r\n")?;
    let rest = Span::new(first, file.len());
    let message = format!("{returns} of {breaks} lines end in CR LF, the others in LF");
    Some(
        Diagnostic::new(Code::MixedLineEndings, Span::new(first, first + 1), message)
            .help("use one kind of line ending")
            .fix(vec![Edit::new(
                rest,
                rest.slice(file).replace("\r\n", "\n"),
            )]),
    )
}

fn trimmed(file: &str, span: Span) -> (&str, usize) {
    let whole = span.slice(file);
    let start = whole.trim_start();
    (start.trim_end(), span.start + whole.len() - start.len())
}

fn check_body(body: &str, offset: usize, context: &Context<'_>, out: &mut Vec<Diagnostic>) {
    let lines = memchr::memchr_iter(b'\n', body.as_bytes()).count() + usize::from(!body.is_empty());
    let tokens = body::estimate_tokens(body);
    if lines > BODY_LINES || tokens > BODY_TOKENS {
        let message = format!("the body has {lines} lines and about {tokens} tokens");
        let first_line = body.find('\n').unwrap_or(body.len());
        out.push(
            Diagnostic::new(Code::BodyTooLong, Span::new(offset, offset + first_line), message)
                .help(format!(
                    "keep it to {BODY_LINES} lines and {BODY_TOKENS} tokens; move details into `references/`"
                )),
        );
    }
    if let Some(exists) = context.exists {
        for reference in body::references(body) {
            if !exists(&reference.path) {
                let message = format!("`{}` is not a file of this skill", reference.path);
                out.push(
                    Diagnostic::new(
                        Code::MissingReference,
                        reference.span.shifted(offset),
                        message,
                    )
                    .help("add the file, or correct the path"),
                );
            }
        }
    }
}
