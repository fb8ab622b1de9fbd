//! The part of a file that discovery needs.

use std::borrow::Cow;

use serde::Serialize;

use crate::diagnostic::Diagnostic;
use crate::fields::{self, Skill};
use crate::frame::{self, Guess};
use crate::frontmatter::{self, DocumentKind};
use crate::name::is_ascii_name;
use crate::plain;
use crate::skill::text;
use crate::span::Span;
use crate::tree::{Collection, Refusal, Sink, TreeBuilder};
use crate::value::{Resolved, Style, resolve};

/// The fields that a catalog keeps of every skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Head<'s> {
    /// The name under which the skill loads.
    pub name: Cow<'s, str>,
    /// Its description.
    pub description: Cow<'s, str>,
    /// Further keys and values, as in [`Skill::metadata`].
    pub metadata: Vec<(Cow<'s, str>, Cow<'s, str>)>,
    /// The required capabilities of the host.
    pub requires_capabilities: Vec<Cow<'s, str>>,
    /// Only people may start the skill.
    pub disable_model_invocation: Option<bool>,
    /// People may start the skill by name.
    pub user_invocable: Option<bool>,
    /// The expected arguments.
    pub argument_hint: Option<Cow<'s, str>>,
    /// Where the body begins, in bytes.
    pub body_start: usize,
}

/// The head of a file, from as much of it as holds the frontmatter.
///
/// Equal to what [`parse`](crate::parse) finds in a UTF-8 file, and many times as fast for the way most
/// files are written. The body is not looked at.
///
/// ```
/// let head = prowess_spec::head(b"---\nname: pdf\ndescription: Reads PDFs\n---\n", None).unwrap();
/// assert_eq!((&*head.name, &*head.description), ("pdf", "Reads PDFs"));
/// ```
pub fn head<'s>(bytes: &'s [u8], directory: Option<&str>) -> Option<Head<'s>> {
    head_of(bytes, directory, Guess::Allowed)
}

/// The head of a file of which only the start is known, if the rest cannot change it.
///
/// A missing delimiter is not guessed at, because it may follow.
///
/// ```
/// let start = b"---\nname: pdf\ndescription: Reads PDFs\n\n# PDF\n";
/// assert!(prowess_spec::head(start, None).is_some());
/// assert!(prowess_spec::head_of_start(start, None).is_none());
/// ```
pub fn head_of_start<'s>(bytes: &'s [u8], directory: Option<&str>) -> Option<Head<'s>> {
    head_of(bytes, directory, Guess::Refused)
}

fn head_of<'s>(bytes: &'s [u8], directory: Option<&str>, guess: Guess) -> Option<Head<'s>> {
    plain_head(bytes).or_else(|| frontmatter_only(bytes, directory, guess, &mut Vec::new()))
}

/// The same as [`head`], with all diagnostics of the frontmatter.
pub fn head_with_diagnostics<'s>(
    bytes: &'s [u8],
    directory: Option<&str>,
) -> (Option<Head<'s>>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let head = frontmatter_only(bytes, directory, Guess::Allowed, &mut diagnostics);
    (head, diagnostics)
}

fn frontmatter_only<'s>(
    bytes: &'s [u8],
    directory: Option<&str>,
    guess: Guess,
    out: &mut Vec<Diagnostic>,
) -> Option<Head<'s>> {
    let frame = frame::split(bytes, guess, out)?;
    let file = match text(bytes.get(..frame.frontmatter.end)?) {
        Ok(file) => file,
        Err(diagnostic) => {
            out.push(*diagnostic);
            return None;
        }
    };
    let mapping = frontmatter::read(file, frame.frontmatter, DocumentKind::Frontmatter, out)?;
    let skill = fields::skill(file, frame, mapping, directory, out)?;
    Some(Head::from_skill(skill, frame.body.start))
}

impl Head<'_> {
    fn from_skill(skill: Skill, body_start: usize) -> Self {
        let owned = |(key, value)| (Cow::Owned(key), Cow::Owned(value));
        Self {
            name: Cow::Owned(skill.name.to_string()),
            description: Cow::Owned(skill.description),
            metadata: skill.metadata.into_iter().map(owned).collect(),
            requires_capabilities: skill
                .requires_capabilities
                .into_iter()
                .map(Cow::Owned)
                .collect(),
            disable_model_invocation: skill.client.disable_model_invocation,
            user_invocable: skill.client.user_invocable,
            argument_hint: skill.client.argument_hint.map(Cow::Owned),
            body_start,
        }
    }
}

/// Answers where the file is standard, its frontmatter plain and its name a valid ASCII one.
fn plain_head(bytes: &[u8]) -> Option<Head<'_>> {
    let frame = frame::split_standard(bytes)?;
    let text = bytes.get(frame.frontmatter.start..frame.frontmatter.end)?;
    let mut sink = HeadSink::default();
    plain::scan(std::str::from_utf8(text).ok()?, 0, &mut sink).ok()?;
    let mut head = sink.head;
    head.description = trimmed(head.description);
    head.body_start = frame.body.start;
    (is_ascii_name(&head.name) && !head.description.is_empty()).then_some(head)
}

fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}

/// Keeps what a head holds, of the outermost mapping and the one under `metadata`.
///
/// It returns `None` for everything that the full parser would report or change.
#[derive(Default)]
struct HeadSink<'s> {
    head: Head<'s>,
    depth: usize,
    /// The key whose value comes next, in the outermost mapping.
    key: Option<Key>,
    /// The key whose value comes next, under `metadata`.
    metadata_key: Option<Cow<'s, str>>,
    /// A list or mapping under `metadata`, which is represented as JSON.
    nested: Option<TreeBuilder>,
    seen: Vec<Key>,
}

#[derive(Clone, Copy, PartialEq)]
enum Key {
    Name,
    Description,
    Metadata,
    DisableModelInvocation,
    UserInvocable,
    ArgumentHint,
    /// Too many spellings: left to the full parser.
    RequiresCapabilities,
    Other,
}

impl Key {
    fn of(text: &str) -> Self {
        match text {
            "name" => Self::Name,
            "description" => Self::Description,
            "metadata" => Self::Metadata,
            "disable-model-invocation" => Self::DisableModelInvocation,
            "user-invocable" => Self::UserInvocable,
            "argument-hint" => Self::ArgumentHint,
            "requires-capabilities" => Self::RequiresCapabilities,
            _ if may_be_misspelt(text) => Self::RequiresCapabilities,
            _ => Self::Other,
        }
    }
}

/// Another spelling of a key that matters here, which the long way understands.
fn may_be_misspelt(text: &str) -> bool {
    KNOWN.iter().any(|known| letters(known).eq(letters(text)))
}

const KNOWN: [&str; 7] = [
    "name",
    "description",
    "metadata",
    "disable-model-invocation",
    "user-invocable",
    "argument-hint",
    "requires-capabilities",
];

fn letters(text: &str) -> impl Iterator<Item = u8> {
    let is_letter = |byte: &u8| !matches!(byte, b'-' | b'_' | b' ');
    text.bytes()
        .filter(is_letter)
        .map(|byte| byte.to_ascii_lowercase())
}

/// The scanner takes any refusal for something that it does not understand.
const GIVE_UP: Refusal = Refusal::Key;

impl<'s> Sink<'s> for HeadSink<'s> {
    fn scalar(&mut self, text: Cow<'s, str>, style: Style, span: Span) -> Result<(), Refusal> {
        match self.depth {
            1 => self.field(text, style),
            2 if self.key == Some(Key::Metadata) => self.metadata(text),
            _ => match &mut self.nested {
                Some(nested) => nested.scalar(text, style, span),
                None => Ok(()),
            },
        }
    }

    fn open(&mut self, kind: Collection, start: usize) -> Result<(), Refusal> {
        self.depth += 1;
        match (self.depth, self.key) {
            (1, _) | (_, Some(Key::Other)) => Ok(()),
            (2, Some(Key::Metadata)) if kind == Collection::Mapping => Ok(()),
            (3.., Some(Key::Metadata)) => self.nested.get_or_insert_default().open(kind, start),
            _ => Err(GIVE_UP),
        }
    }

    fn close(&mut self, end: Option<usize>) -> Result<(), Refusal> {
        self.depth -= 1;
        if let Some(nested) = &mut self.nested {
            nested.close(end)?;
        }
        match self.depth {
            1 => self.key = None,
            2 => {
                if let Some(nested) = self.nested.take() {
                    let (node, duplicates) = nested.finish();
                    let node = node.filter(|_| duplicates.is_empty()).ok_or(GIVE_UP)?;
                    self.metadata(Cow::Owned(node.to_json()))?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

impl<'s> HeadSink<'s> {
    fn field(&mut self, text: Cow<'s, str>, style: Style) -> Result<(), Refusal> {
        let Some(key) = self.key else {
            let key = Key::of(&text);
            if key != Key::Other && self.seen.contains(&key) {
                return Err(GIVE_UP);
            }
            self.seen.push(key);
            self.key = Some(key);
            return Ok(());
        };
        self.key = None;
        let meaning = resolve(&text, style);
        match (key, meaning) {
            (Key::Other, _) => {}
            (Key::DisableModelInvocation, Resolved::Bool(value)) => {
                self.head.disable_model_invocation = Some(value);
            }
            (Key::UserInvocable, Resolved::Bool(value)) => self.head.user_invocable = Some(value),
            (_, Resolved::Null) => return Err(GIVE_UP),
            (Key::Name, _) => self.head.name = text,
            (Key::Description, _) => self.head.description = text,
            (Key::ArgumentHint, _) => {
                let hint = trimmed(text);
                self.head.argument_hint = (!hint.is_empty()).then_some(hint);
            }
            _ => return Err(GIVE_UP),
        }
        Ok(())
    }

    fn metadata(&mut self, text: Cow<'s, str>) -> Result<(), Refusal> {
        match self.metadata_key.take() {
            None => {
                if self.head.metadata.iter().any(|(known, _)| *known == text) {
                    return Err(GIVE_UP);
                }
                self.metadata_key = Some(text);
            }
            Some(key) => self.head.metadata.push((key, text)),
        }
        Ok(())
    }
}
