//! Skills that an application keeps in its own way: a table, a document store, a list.

use std::io::Cursor;

use prowess_archive::{EntryKind, Limits, walk};
use prowess_core::{MemorySource, Scope, SkillId};
use prowess_spec::{SkillPath, is_skill_file, quote};

/// Bytes that the archive of one record may unpack to.
const ARCHIVE_BYTES: u64 = 16 * 1024 * 1024;

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
    if let Some(data) = record.data.take() {
        match unpack(data) {
            Ok(Unpacked { text, files }) => {
                record.content = Some(text);
                record.files.extend(files);
            }
            Err(reason) => {
                source.reject(&record.id, &reason);
                return record.id.len();
            }
        }
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

struct Unpacked {
    text: String,
    files: Vec<(String, Vec<u8>)>,
}

/// The one skill of an archive.
fn unpack(data: Vec<u8>) -> Result<Unpacked, String> {
    let limits = Limits {
        total_bytes: ARCHIVE_BYTES,
        ..Limits::default()
    };
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let walked = walk(Cursor::new(data), &limits, |entry, content| {
        if matches!(entry.kind, EntryKind::File(_)) {
            let mut bytes = Vec::new();
            content.read_to_end(&mut bytes)?;
            files.push((entry.path.to_string(), bytes));
        }
        Ok(())
    });
    walked.map_err(|error| format!("invalid archive: {error}"))?;
    let found = files.iter().filter_map(|(path, _)| {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        (is_skill_file(name) && !directory.contains('/')).then(|| path.clone())
    });
    let skill_files: Vec<String> = found.collect();
    let path = match skill_files.as_slice() {
        [path] => path.clone(),
        [] => return Err("the archive has no SKILL.md".to_owned()),
        _ => return Err("the archive has more than one SKILL.md".to_owned()),
    };
    let prefix = path
        .rsplit_once('/')
        .map_or(String::new(), |(directory, _)| format!("{directory}/"));
    let mut unpacked = Unpacked {
        text: String::new(),
        files: Vec::new(),
    };
    for (name, bytes) in files {
        if name == path {
            unpacked.text = String::from_utf8_lossy(&bytes).into_owned();
        } else if let Some(inside) = name.strip_prefix(&prefix) {
            unpacked.files.push((inside.to_owned(), bytes));
        }
    }
    Ok(unpacked)
}
