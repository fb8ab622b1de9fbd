//! From the text between the delimiters to a mapping: the fast way, the exact way, the tolerant way.

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Edit};
use crate::levels::Levels;
use crate::limits::{YAML_DEPTH, YAML_NODES, YAML_TEXT_BYTES};
use crate::offsets::Edited;
use crate::plain;
use crate::repair;
use crate::span::Span;
use crate::structure;
use crate::tree::{Duplicate, Refusal, TreeBuilder};
use crate::value::{Mapping, Node, Value};
use crate::yaml::{self, Document, Marker, Problem};

/// The kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DocumentKind {
    /// A `SKILL.md`: like other clients, we repair what does not parse.
    Frontmatter,
    /// A `SKILL.yaml`: it decides what code may do, and is not guessed at.
    Manifest,
}

/// Reads the mapping at `span` of `file`.
pub(crate) fn read(
    file: &str,
    span: Span,
    kind: DocumentKind,
    out: &mut Vec<Diagnostic>,
) -> Option<Mapping> {
    let text = span.slice(file);
    let mut builder = TreeBuilder::default();
    if plain::scan(text, span.start, &mut builder).is_ok()
        && let (Some(root), duplicates) = builder.finish()
        && (kind == DocumentKind::Manifest || !is_misstructured(text, Some(&root)))
    {
        out.extend(duplicates.iter().map(duplicate));
        return into_mapping(root, out);
    }
    let document = read_document(text, span.start, kind, out)?;
    accept(document, out)
}

/// Finds what to change in a text; spans are offsets in it.
type Repair = fn(&str) -> Vec<Diagnostic>;

/// Each sees the text that those before it left.
const REPAIRS: [Repair; 6] = [
    structure::conflicts,
    structure::list_of_one,
    structure::headings_as_keys,
    structure::unindented_text,
    repair::misread,
    repair::repairs,
];

/// Parses `text`, which starts at byte `base`; on failure repairs it if allowed, and parses it again.
fn read_document(
    text: &str,
    base: usize,
    kind: DocumentKind,
    out: &mut Vec<Diagnostic>,
) -> Option<Document> {
    let attempt = match kind {
        DocumentKind::Frontmatter => {
            let attempt = Attempt::new(text, base, &[repair::misread], Marker::Refused);
            let repaired = attempt
                .is_repairable()
                .then(|| Attempt::new(text, base, &REPAIRS, Marker::Refused));
            repaired
                .filter(|repaired| repaired.outcome.is_ok())
                .unwrap_or(attempt)
        }
        DocumentKind::Manifest => Attempt::new(text, base, &[], Marker::Allowed),
    };
    match attempt.outcome {
        Ok(document) => {
            out.extend(attempt.found);
            Some(document)
        }
        Err(problem) => {
            out.push(failure(text, base, problem));
            None
        }
    }
}

/// A text after some repairs, and how it was read.
struct Attempt {
    text: String,
    found: Vec<Diagnostic>,
    outcome: Result<Document, Problem>,
}

impl Attempt {
    /// Parses `text` without control characters and after `repairs`, and reports all of these.
    fn new(text: &str, base: usize, repairs: &[Repair], marker: Marker) -> Self {
        let mut found: Vec<Diagnostic> = control_characters(text).into_iter().collect();
        let mut edited = Edited::new(text, &fixes(&found));
        for repair in repairs {
            let repaired = repair(&edited.text);
            if !repaired.is_empty() {
                let repaired = repaired.into_iter();
                found.extend(repaired.map(|found| relocate(found, |at| edited.origin(at))));
                edited = Edited::new(text, &fixes(&found));
            }
        }
        let outcome = yaml::read(&edited.text, marker, |at| edited.origin(at) + base);
        let found = found.into_iter();
        Self {
            found: found.map(|found| relocate(found, |at| at + base)).collect(),
            text: edited.text,
            outcome,
        }
    }

    fn is_repairable(&self) -> bool {
        match &self.outcome {
            Ok(document) => is_misstructured(&self.text, document.root.as_ref()),
            Err(problem) => matches!(problem, Problem::Syntax { .. }),
        }
    }
}

/// Whether YAML reads the text, but not as the fields that its author meant.
fn is_misstructured(text: &str, root: Option<&Node>) -> bool {
    match root.map(|root| &root.value) {
        Some(Value::Mapping(mapping)) => {
            mapping.get("description").is_none() && !structure::headings_as_keys(text).is_empty()
        }
        Some(Value::Sequence(_)) => !structure::list_of_one(text).is_empty(),
        Some(Value::Scalar(_)) => false,
        None => !structure::headings_as_keys(text).is_empty(),
    }
}

fn fixes(diagnostics: &[Diagnostic]) -> Vec<Edit> {
    diagnostics
        .iter()
        .flat_map(|found| found.fix.clone())
        .collect()
}

fn relocate(mut diagnostic: Diagnostic, origin: impl Fn(usize) -> usize) -> Diagnostic {
    let moved = |span: Span| Span::new(origin(span.start), origin(span.end));
    diagnostic.span = moved(diagnostic.span);
    for edit in &mut diagnostic.fix {
        edit.span = moved(edit.span);
    }
    diagnostic
}

/// Turns what is odd about a document into diagnostics.
fn accept(document: Document, out: &mut Vec<Diagnostic>) -> Option<Mapping> {
    out.extend(document.duplicates.iter().map(duplicate));
    for span in document.aliases {
        out.push(
            Diagnostic::new(
                Code::YamlAlias,
                span,
                "a YAML alias, which some clients do not resolve",
            )
            .help("replace the alias with its value"),
        );
    }
    for span in document.core_tags {
        out.push(
            Diagnostic::new(
                Code::YamlTag,
                span,
                "a YAML tag, which other clients reject",
            )
            .help("remove the tag, and quote the value if it must be text")
            .levels(Levels::TOLERATED),
        );
    }
    let Some(mut root) = document.root else {
        return Some(Mapping::default());
    };
    remove_control_characters(&mut root, out);
    into_mapping(root, out)
}

fn into_mapping(root: Node, out: &mut Vec<Diagnostic>) -> Option<Mapping> {
    match root.value {
        Value::Mapping(mapping) => Some(mapping),
        other => {
            let message = format!("expected `key: value` lines, found {}", other.kind());
            out.push(
                Diagnostic::new(Code::NotAMapping, root.span, message)
                    .help("write each field as `key: value`, with a space after the colon"),
            );
            None
        }
    }
}

fn duplicate(duplicate: &Duplicate) -> Diagnostic {
    let message = format!("duplicate key `{}`; the first value is used", duplicate.key);
    Diagnostic::new(Code::DuplicateKey, duplicate.second, message).help("remove one of them")
}

/// The characters that no YAML file may hold, with the edits that remove them.
fn control_characters(text: &str) -> Option<Diagnostic> {
    // A carriage return counts unless it belongs to a line break.
    let stray = |at: usize, c: char| {
        c == '\r' && !text.get(at..).is_some_and(|rest| rest.starts_with("\r\n"))
    };
    let found = || {
        text.char_indices()
            .filter(|(at, c)| is_control(*c) || stray(*at, *c))
    };
    let (at, first) = found().next()?;
    let message = match found().count() {
        1 => format!("the control character U+{:04X}", u32::from(first)),
        count => format!(
            "{count} control characters, the first of them U+{:04X}",
            u32::from(first)
        ),
    };
    let edits = found().map(|(at, c)| Edit::new(Span::new(at, at + c.len_utf8()), ""));
    Some(
        Diagnostic::new(
            Code::ControlCharacter,
            Span::new(at, at + first.len_utf8()),
            message,
        )
        .help("remove them")
        .fix(edits.collect()),
    )
}

fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t')
}

/// Removes control characters produced by escapes.
fn remove_control_characters(node: &mut Node, out: &mut Vec<Diagnostic>) {
    match &mut node.value {
        Value::Scalar(scalar) => {
            if scalar.text.contains(is_control) {
                scalar.text.retain(|c| !is_control(c));
                let message = "an escape in this value produces a control character";
                out.push(
                    Diagnostic::new(Code::ControlCharacter, node.span, message)
                        .help("remove the escape"),
                );
            }
        }
        Value::Sequence(items) => {
            for item in items {
                remove_control_characters(item, out);
            }
        }
        Value::Mapping(mapping) => {
            for entry in &mut mapping.entries {
                entry.key.retain(|c| !is_control(c));
                remove_control_characters(&mut entry.value, out);
            }
        }
    }
}

fn failure(text: &str, base: usize, problem: Problem) -> Diagnostic {
    match problem {
        Problem::Tag { at, tag } => {
            Diagnostic::new(Code::YamlTag, at, format!("the tag `{tag}` is not allowed"))
                .help("remove the tag")
        }
        Problem::Refused { at, refusal } => refused(at, refusal),
        Problem::Syntax { at, message } => syntax(text, base, at, &message),
    }
}

fn refused(at: Span, refusal: Refusal) -> Diagnostic {
    let (code, message) = match refusal {
        Refusal::Key => {
            let message = "invalid YAML: a list or a mapping cannot be a key";
            (Code::InvalidYaml, message.to_owned())
        }
        Refusal::Depth => (
            Code::YamlTooDeep,
            format!("nested more than {YAML_DEPTH} levels deep"),
        ),
        Refusal::Nodes => (
            Code::YamlTooLarge,
            format!("more than {YAML_NODES} values, aliases counted each time"),
        ),
        Refusal::Text => (
            Code::YamlTooLarge,
            format!("more than {YAML_TEXT_BYTES} bytes of text, aliases counted each time"),
        ),
    };
    Diagnostic::new(code, at, message).help("simplify the frontmatter")
}

fn syntax(text: &str, base: usize, at: Span, message: &str) -> Diagnostic {
    if let Some(marker) = structure::first_conflict(text) {
        return Diagnostic::new(
            Code::MergeConflict,
            marker.shifted(base),
            "unresolved merge conflict",
        )
        .levels(Levels::FATAL)
        .help("keep one side and remove the markers");
    }
    // YAML joins a line without a colon to the next one and stumbles only there.
    if let Some(stray) = repair::stray_line(text).map(|span| span.shifted(base))
        && stray.start <= at.start
    {
        return Diagnostic::new(Code::InvalidYaml, stray, "this line is not `key: value`")
            .help("write a colon and a space after the key, or indent the line under its key");
    }
    Diagnostic::new(Code::InvalidYaml, at, format!("invalid YAML: {message}"))
        .help("quote values with special characters, and check the indentation")
}
