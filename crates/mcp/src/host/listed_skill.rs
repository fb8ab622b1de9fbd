//! An entry of a server's list, after everything that can be checked without its files.

use std::collections::BTreeMap;

use prowess_core::{CollectionPath, Descriptor, Scope, SkillId};
use prowess_spec::{SKILL_FILE, SkillName, SkillPath};
use serde_json::{Map, Value};

use crate::digest::Digest;
use crate::limits::{SKILL_BYTES, SKILL_FILES};
use crate::uri::{exact, segments};
use crate::wire::{DIAGNOSTIC, Resources, SkillEntry, SkillFile};

/// A skill as its server lists it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ListedSkill {
    pub(super) descriptor: Descriptor,
    pub(super) uri: String,
    pub(super) frontmatter: Map<String, Value>,
    /// Every file by its path, `SKILL.md` among them.
    pub(super) files: BTreeMap<SkillPath, SkillFile>,
    /// The digest of the server's label, the address and all files: what an approval is about.
    pub(super) set: Digest,
}

/// Why an entry is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum EntryError {
    #[error("malformed entry: {0}")]
    Shape(String),
    #[error("invalid URI `{0}`: expected the URI of a `{SKILL_FILE}`")]
    Address(String),
    #[error("name mismatch: the URI ends with `{0}`, the frontmatter has another name")]
    Name(String),
    #[error("invalid frontmatter: {0}")]
    Frontmatter(String),
    #[error("missing digests of the files: {0}")]
    Dynamic(String),
    #[error("too many files: {0}, at most {SKILL_FILES} allowed")]
    Files(usize),
    #[error("too large: {0} bytes, at most {SKILL_BYTES} allowed")]
    Bytes(u64),
    #[error("`{0}` is outside the skill or listed twice")]
    File(String),
    #[error("missing `{SKILL_FILE}`")]
    Incomplete,
}

impl ListedSkill {
    /// Takes an entry of the server that we call `label`.
    pub(super) fn new(label: &str, entry: Value) -> Result<Self, EntryError> {
        let entry: SkillEntry =
            serde_json::from_value(entry).map_err(|error| EntryError::Shape(error.to_string()))?;
        let no_address = || EntryError::Address(entry.uri.escape_debug().take(200).collect());
        let root = entry
            .uri
            .strip_suffix(SKILL_FILE)
            .and_then(|root| root.strip_suffix('/'));
        let root = root.ok_or_else(no_address)?;
        let (_, path) = root.split_once("://").ok_or_else(no_address)?;
        let path = segments(path).ok_or_else(no_address)?;
        let (last, collection) = path.split_last().ok_or_else(no_address)?;
        let name = SkillName::parse(last).map_err(|_| no_address())?;
        if name.as_str() != last || entry.frontmatter.get("name") != Some(&Value::from(&**last)) {
            return Err(EntryError::Name(last.clone()));
        }
        let collection = collection.iter().map(String::as_str);
        let id = SkillId::new(CollectionPath::from_directories(collection).as_ref(), &name);
        let files = files(root, &entry)?;
        let own = exact(SKILL_FILE).and_then(|path| files.get(&path));
        let own = own.ok_or(EntryError::Incomplete)?;
        let set = set(label, &entry.uri, &files);
        let descriptor = descriptor(&id, &entry.frontmatter, own.size, set)?;
        Ok(Self {
            descriptor,
            frontmatter: entry.frontmatter,
            files,
            set,
            uri: entry.uri,
        })
    }
}

fn files(root: &str, entry: &SkillEntry) -> Result<BTreeMap<SkillPath, SkillFile>, EntryError> {
    let listed = match &entry.resources {
        Resources::Files(files) => files,
        Resources::Dynamic(_) => {
            let found = entry.meta.as_ref().and_then(|meta| meta.get(DIAGNOSTIC));
            let message = found
                .and_then(|found| found.get("message"))
                .and_then(Value::as_str);
            let message = message.unwrap_or("they are generated on request");
            return Err(EntryError::Dynamic(message.chars().take(300).collect()));
        }
    };
    if listed.len() > SKILL_FILES {
        return Err(EntryError::Files(listed.len()));
    }
    let bytes = listed
        .iter()
        .fold(0, |sum: u64, file| sum.saturating_add(file.size));
    if bytes > SKILL_BYTES {
        return Err(EntryError::Bytes(bytes));
    }
    let mut files = BTreeMap::new();
    for file in listed {
        let foreign = || EntryError::File(file.uri.escape_debug().take(200).collect());
        let path = file
            .uri
            .strip_prefix(root)
            .and_then(|rest| rest.strip_prefix('/'));
        let path = path.and_then(segments).ok_or_else(foreign)?;
        let path = exact(&path.join("/")).ok_or_else(foreign)?;
        if files.insert(path, file.clone()).is_some() {
            return Err(foreign());
        }
    }
    Ok(files)
}

fn set(label: &str, uri: &str, files: &BTreeMap<SkillPath, SkillFile>) -> Digest {
    let who = [label.as_bytes(), uri.as_bytes()];
    let files = files
        .iter()
        .flat_map(|(path, file)| [path.as_str().as_bytes(), file.digest.as_bytes().as_slice()]);
    Digest::of_parts(who.into_iter().chain(files))
}

/// The frontmatter as a skill: JSON is YAML too.
fn descriptor(
    id: &SkillId,
    frontmatter: &Map<String, Value>,
    size: u64,
    set: Digest,
) -> Result<Descriptor, EntryError> {
    let json = serde_json::to_string(frontmatter).unwrap_or_default();
    let text = format!("---\n{json}\n---\n");
    let (head, diagnostics) = prowess_spec::head_with_diagnostics(text.as_bytes(), Some(id.name()));
    let head = head.filter(|head| head.name == id.name()).ok_or_else(|| {
        let messages = diagnostics.iter().map(|found| found.message.as_str());
        EntryError::Frontmatter(messages.collect::<Vec<_>>().join("; "))
    })?;
    Ok(Descriptor::new(
        id.clone(),
        &head,
        Scope::Remote,
        size,
        set.short(),
    ))
}
