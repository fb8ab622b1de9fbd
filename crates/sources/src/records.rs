//! Skills from wherever a program keeps them: rows, objects, answers.

use prowess_core::{MemorySource, Scope, SkillId};
use prowess_spec::quote;

/// A skill as a program may hold it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillRecord {
    /// Its id.
    pub id: String,
    /// What it does; used when the content has no frontmatter of its own.
    pub description: String,
    /// The text of its `SKILL.md`, or its instructions alone.
    pub content: Option<String>,
    /// Files beside it.
    pub files: Vec<(String, Vec<u8>)>,
}

/// A source from any number of records. A record that cannot be used is listed as invalid; the others load.
pub fn records(records: impl IntoIterator<Item = SkillRecord>, scope: Scope) -> MemorySource {
    let mut source = MemorySource::new(scope);
    for record in records {
        let text = match &record.content {
            None => String::new(),
            Some(content) if content.trim_start().starts_with("---") => content.clone(),
            Some(instructions) => with_frontmatter(&record, instructions),
        };
        if let Some(id) = source.add(&record.id, &text) {
            add_files(&mut source, &id, record.files);
        }
    }
    source
}

fn with_frontmatter(record: &SkillRecord, instructions: &str) -> String {
    let name = record.id.rsplit('/').next().unwrap_or_default();
    format!(
        "---\nname: {}\ndescription: {}\n---\n{instructions}",
        quote(name),
        quote(&record.description)
    )
}

fn add_files(source: &mut MemorySource, id: &SkillId, files: Vec<(String, Vec<u8>)>) {
    for (path, bytes) in files {
        if let Ok(path) = prowess_spec::SkillPath::parse(&path) {
            source.add_file(id, path, bytes);
        }
    }
}
