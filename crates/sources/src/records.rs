//! Skills that an application keeps in its own way: a table, a document store, a list.

use prowess_core::{MemorySource, Scope, SkillId};
use prowess_spec::{SkillPath, quote};

/// A skill as an application has it: with text, or with the bytes of an archive that holds it.
#[derive(Clone, Debug, Default)]
pub struct SkillRecord {
    /// Its id.
    pub id: String,
    /// The description; used if the content has no frontmatter.
    pub description: String,
    /// The text of its `SKILL.md`, or its instructions alone.
    pub content: Option<String>,
    /// An archive with its `SKILL.md` and its files, at the root or in one directory.
    pub data: Option<Vec<u8>>,
    /// Further keys and values; those of the frontmatter come first.
    pub metadata: Vec<(String, String)>,
    /// Files beside the text.
    pub files: Vec<(String, Vec<u8>)>,
}

/// A source from any number of records. A record that cannot be used is listed as invalid; the others load.
pub fn records(records: impl IntoIterator<Item = SkillRecord>, scope: Scope) -> MemorySource {
    let mut source = MemorySource::new(scope);
    for record in records {
        add_record(&mut source, record);
    }
    source
}

/// Adds a record, or why it cannot be used. Returns how many bytes of it the source holds, unpacked.
pub(crate) fn add_record(source: &mut MemorySource, mut record: SkillRecord) -> usize {
    if let Some(data) = record.data.take()
        && let Err(reason) = unpack_into(&mut record, data)
    {
        source.reject(&record.id, &reason);
        return record.id.len();
    }
    let text = match record.content.take() {
        None => {
            source.reject(&record.id, "the record has no text and no archive");
            return record.id.len();
        }
        Some(content) if has_frontmatter(&content) => content,
        Some(instructions) => with_frontmatter(&record, instructions),
    };
    let files: usize = record.files.iter().map(|(_, bytes)| bytes.len()).sum();
    let metadata = record.metadata.iter().map(|(k, v)| k.len() + v.len());
    let held = record.id.len() + text.len() + files + metadata.sum::<usize>();
    if let Some(id) = source.add_owned(&record.id, text) {
        source.add_metadata(&id, record.metadata);
        add_files(source, &id, record.files);
    }
    held
}

fn has_frontmatter(content: &str) -> bool {
    let content = content.trim_start_matches('\u{feff}').trim_start();
    content.starts_with("---")
}

/// Instructions below a frontmatter; in place, because they may be large.
fn with_frontmatter(record: &SkillRecord, mut instructions: String) -> String {
    let name = record.id.rsplit('/').next().unwrap_or_default();
    let frontmatter = format!(
        "---\nname: {}\ndescription: {}\n---\n",
        quote(name),
        quote(&record.description)
    );
    instructions.insert_str(0, &frontmatter);
    instructions
}

fn add_files(source: &mut MemorySource, id: &SkillId, files: Vec<(String, Vec<u8>)>) {
    for (path, bytes) in files {
        if let Ok(path) = SkillPath::parse(&path) {
            source.add_file(id, path, bytes);
        }
    }
}

/// Sets the text and the files of a record to those of the archive in `data`.
#[cfg(feature = "archive")]
fn unpack_into(record: &mut SkillRecord, data: Vec<u8>) -> Result<(), String> {
    let unpacked = crate::archive::unpack_skill(data)?;
    record.content = Some(unpacked.text);
    record.files.extend(unpacked.files);
    Ok(())
}

#[cfg(not(feature = "archive"))]
fn unpack_into(_: &mut SkillRecord, _: Vec<u8>) -> Result<(), String> {
    Err("this build reads no archives; hint: build with the feature `archive`".to_owned())
}
