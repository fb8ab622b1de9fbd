//! Parses responses. Nothing is trusted: ids and paths are parsed, texts are limited, and a bad entry does not affect
//! the others.

use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};

use prowess_core::wire::{SkillBody, SkillEntry};
use prowess_core::{
    CollectionPath, Descriptor, Document, FileEntry, Scope, SkillId, Snapshot, SourceError,
    document as parse_document,
};
use prowess_spec::limits::DESCRIPTION_CHARS;
use prowess_spec::{SkillPath, quote};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::client::unavailable;

#[derive(Deserialize)]
struct RawList {
    skills: Vec<Value>,
    #[serde(default)]
    collections: Value,
}

#[derive(Default, Deserialize)]
struct RawCollections {
    #[serde(default)]
    collections: Value,
}

#[derive(Deserialize)]
struct RawCollection {
    path: String,
    #[serde(default)]
    description: String,
}

#[derive(Deserialize)]
struct RawFiles {
    files: Vec<RawFile>,
}

#[derive(Deserialize)]
struct RawFile {
    path: String,
    #[serde(default)]
    size: u64,
}

fn json<T: DeserializeOwned>(bytes: &[u8], content_type: Option<&str>) -> Result<T, SourceError> {
    serde_json::from_slice(bytes).map_err(|error| {
        let kind = content_type.unwrap_or_default();
        unavailable(if kind.starts_with("text/html") {
            "malformed response: expected JSON, got HTML; check that the URL is the root of a skills API".to_owned()
        } else {
            format!("malformed response: {error}")
        })
    })
}

/// Whether a list contains its collections.
pub(super) fn has_collections(bytes: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Probe {
        collections: Option<serde::de::IgnoredAny>,
    }
    serde_json::from_slice::<Probe>(bytes).is_ok_and(|probe| probe.collections.is_some())
}

pub(super) fn list(
    bytes: &[u8],
    content_type: Option<&str>,
    collections: &str,
) -> Result<Snapshot, SourceError> {
    let raw: RawList = json(bytes, content_type)?;
    let mut snapshot = Snapshot::default();
    for (position, value) in raw.skills.into_iter().enumerate() {
        let name = value.get("id").and_then(Value::as_str).map(str::to_owned);
        let shown = name.unwrap_or_else(|| format!("number {position}"));
        let entry = serde_json::from_value(value).map_err(|error| error.to_string());
        match entry.and_then(descriptor) {
            Ok(mut descriptor) => {
                if let Some(short) = shortened(&descriptor.description) {
                    descriptor.description = short;
                    let warning = format!("the description of `{}` is truncated", descriptor.id);
                    snapshot.warnings.push(warning);
                }
                snapshot.skills.push(descriptor);
            }
            Err(reason) => snapshot.warnings.push(dropped(&shown, &reason)),
        }
    }
    snapshot.skills.sort_by(|a, b| a.id.cmp(&b.id));
    snapshot.skills.dedup_by(|later, first| {
        let same = later.id == first.id;
        if same {
            let warning = dropped(later.id.as_str(), "listed twice");
            snapshot.warnings.push(warning);
        }
        same
    });
    let more: RawCollections = serde_json::from_str(collections).unwrap_or_default();
    for collection in [raw.collections, more.collections] {
        snapshot.collections.extend(described(collection));
    }
    Ok(snapshot)
}

/// Collections with their descriptions; malformed ones are ignored.
fn described(collections: Value) -> impl Iterator<Item = (CollectionPath, String)> {
    let collections = match collections {
        Value::Array(collections) => collections,
        _ => Vec::new(),
    };
    collections.into_iter().filter_map(|value| {
        let collection: RawCollection = serde_json::from_value(value).ok()?;
        let description = one_line(&collection.description);
        let path = collection.path.parse().ok()?;
        (!description.is_empty()).then_some((path, description))
    })
}

fn dropped(entry: &str, reason: &str) -> String {
    let entry: String = entry.chars().take(100).collect();
    let reason: String = reason.chars().take(200).collect();
    format!("ignored skill `{}`: {reason}", entry.escape_debug())
}

/// The part of a description that is let in, where that is not all of it.
fn shortened(description: &str) -> Option<Box<str>> {
    let (end, _) = description.char_indices().nth(DESCRIPTION_CHARS)?;
    description.get(..end).map(Into::into)
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(DESCRIPTION_CHARS).collect()
}

fn descriptor(entry: SkillEntry) -> Result<Descriptor, String> {
    let id: Option<SkillId> = entry.id.parse().ok();
    // Labels are given here, not by a server.
    let id = id.filter(|id| id.label().is_none());
    let id = id.ok_or_else(|| "invalid id".to_owned())?;
    if entry.name != id.name() {
        return Err(format!("name mismatch: `{}`", entry.name.escape_debug()));
    }
    let description = entry.description.trim();
    if description.is_empty() {
        return Err("missing description".to_owned());
    }
    let stamp = entry.stamp.as_deref();
    let stamp = stamp.and_then(|text| u64::from_str_radix(text, 16).ok());
    // A server without change stamps: hash the visible metadata.
    let stamp = stamp.unwrap_or_else(|| {
        let mut hasher = DefaultHasher::new();
        (&entry.id, &entry.description, &entry.metadata).hash(&mut hasher);
        hasher.finish()
    });
    let metadata = entry.metadata.into_iter();
    Ok(Descriptor {
        id,
        description: description.into(),
        // For us the content always comes from a third party.
        scope: Scope::Remote,
        invocation: entry.invocation,
        argument_hint: entry.argument_hint.map(Into::into),
        requires_capabilities: entry
            .requires_capabilities
            .into_iter()
            .map(Into::into)
            .collect(),
        metadata: metadata
            .map(|(key, value)| (key.into(), value.into()))
            .collect(),
        body_bytes: entry.body_bytes,
        stamp,
    })
}

/// The document of a skill. A server that sends no frontmatter gets one made of what it does send.
pub(super) fn document(
    id: &SkillId,
    bytes: &[u8],
    content_type: Option<&str>,
) -> Result<Document, SourceError> {
    let answer: SkillBody = json(bytes, content_type)?;
    if answer.entry.id != id.as_str() {
        let other = answer.entry.id.escape_debug();
        return Err(unavailable(format!(
            "malformed response: expected skill `{id}`, got `{other}`"
        )));
    }
    let frontmatter = answer.frontmatter;
    let frontmatter = frontmatter.unwrap_or_else(|| frontmatter_of(&answer.entry));
    let text = format!("---\n{}\n---\n{}", frontmatter.trim_end(), answer.body);
    parse_document(id, text.as_bytes(), None)
}

fn frontmatter_of(entry: &SkillEntry) -> String {
    let (name, description) = (quote(&entry.name), quote(&entry.description));
    let mut text = format!("name: {name}\ndescription: {description}\n");
    if !entry.metadata.is_empty() {
        text.push_str("metadata:\n");
    }
    for (key, value) in &entry.metadata {
        let _ = writeln!(text, "  {}: {}", quote(key), quote(value));
    }
    text
}

pub(super) fn files(
    bytes: &[u8],
    content_type: Option<&str>,
) -> Result<Vec<FileEntry>, SourceError> {
    let raw: RawFiles = json(bytes, content_type)?;
    let entry = |file: RawFile| {
        let path = SkillPath::parse(&file.path).ok()?;
        let size = file.size;
        Some(FileEntry { path, size })
    };
    let mut files: Vec<FileEntry> = raw.files.into_iter().filter_map(entry).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}
