//! Name and description alone, for discovery.

use std::borrow::Cow;

use serde::Serialize;

use crate::diagnostic::Diagnostic;
use crate::fields::{self, Skill};
use crate::frame;
use crate::frontmatter::{self, Repair};
use crate::name::is_ascii_name;
use crate::plain;
use crate::skill::text;
use crate::span::Span;
use crate::tree::{Collection, Refusal, Sink};
use crate::value::{Resolved, Style, resolve};

/// The two fields that discovery needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Head<'s> {
    /// The name under which the skill loads.
    pub name: Cow<'s, str>,
    /// Its description.
    pub description: Cow<'s, str>,
}

/// Name and description, from as much of the file as holds the frontmatter.
///
/// Equal to what [`parse`](crate::parse) finds in a UTF-8 file, and many times as fast for the way most
/// files are written. The body is not looked at.
///
/// ```
/// let head = prowess_spec::head(b"---\nname: pdf\ndescription: Reads PDFs\n---\n", None).unwrap();
/// assert_eq!((&*head.name, &*head.description), ("pdf", "Reads PDFs"));
/// ```
pub fn head<'s>(bytes: &'s [u8], directory: Option<&str>) -> Option<Head<'s>> {
    plain_head(bytes).or_else(|| {
        let skill = frontmatter_only(bytes, directory, &mut Vec::new())?;
        Some(Head {
            name: Cow::Owned(skill.name.to_string()),
            description: Cow::Owned(skill.description),
        })
    })
}

fn frontmatter_only(
    bytes: &[u8],
    directory: Option<&str>,
    out: &mut Vec<Diagnostic>,
) -> Option<Skill> {
    let frame = frame::split(bytes, out)?;
    let file = text(bytes.get(..frame.frontmatter.end)?).ok()?;
    let mapping = frontmatter::read(file, frame.frontmatter, Repair::Allowed, out)?;
    fields::skill(file, frame, mapping, directory, out)
}

/// Answers where the file is standard, its frontmatter plain and its name a valid ASCII one.
fn plain_head(bytes: &[u8]) -> Option<Head<'_>> {
    let frame = frame::split_standard(bytes)?;
    let text = bytes.get(frame.frontmatter.start..frame.frontmatter.end)?;
    let mut sink = HeadSink::default();
    plain::scan(std::str::from_utf8(text).ok()?, 0, &mut sink).ok()?;
    let name = sink.name?;
    let description = trimmed(sink.description?)?;
    is_ascii_name(&name).then_some(Head { name, description })
}

fn trimmed(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    let trimmed = match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    };
    (!trimmed.is_empty()).then_some(trimmed)
}

/// Keeps the first `name` and `description` of the outermost mapping.
#[derive(Default)]
struct HeadSink<'s> {
    depth: usize,
    /// The key whose value comes next.
    key: Option<Key>,
    name: Option<Cow<'s, str>>,
    description: Option<Cow<'s, str>>,
    seen: [bool; 2],
}

#[derive(Clone, Copy)]
enum Key {
    Name,
    Description,
    Other,
}

impl<'s> Sink<'s> for HeadSink<'s> {
    fn scalar(&mut self, text: Cow<'s, str>, style: Style, _: Span) -> Result<(), Refusal> {
        if self.depth != 1 {
            return Ok(());
        }
        let Some(key) = self.key.take() else {
            self.key = Some(match text.as_ref() {
                "name" => Key::Name,
                "description" => Key::Description,
                _ => Key::Other,
            });
            return Ok(());
        };
        let [name_seen, description_seen] = &mut self.seen;
        let (slot, seen) = match key {
            Key::Name => (&mut self.name, name_seen),
            Key::Description => (&mut self.description, description_seen),
            Key::Other => return Ok(()),
        };
        let first = !std::mem::replace(seen, true);
        if first && resolve(&text, style) != Resolved::Null {
            *slot = Some(text);
        }
        Ok(())
    }

    fn open(&mut self, _: Collection, _: usize) -> Result<(), Refusal> {
        self.depth += 1;
        Ok(())
    }

    fn close(&mut self, _: Option<usize>) -> Result<(), Refusal> {
        self.depth -= 1;
        if self.depth == 1
            && let Some(Key::Name | Key::Description) = self.key.take()
        {
            // A list or mapping where text belongs: not for the fast path, whatever comes later.
            self.seen = [true, true];
        }
        Ok(())
    }
}
