//! Rows on their way into memory, and how much of them there may be.

use prowess_core::{MemorySource, Scope, SourceError};

use super::unavailable;
use crate::records::{SkillRecord, add_record};

/// Rows of a result.
pub(super) const ROWS: usize = 20_000;
/// Bytes of one value.
pub(super) const VALUE_BYTES: usize = 16 * 1024 * 1024;
/// Bytes of all values, archives unpacked.
const RESULT_BYTES: usize = 256 * 1024 * 1024;

/// Room for what is written above instructions without a frontmatter, so that they are not moved for it.
const FRONTMATTER_BYTES: usize = 2 * 1024;

/// Skills from the rows that were read so far.
pub(super) struct Rows {
    source: MemorySource,
    count: usize,
    bytes: usize,
}

/// One row, column by column.
#[derive(Default)]
pub(super) struct SkillRow {
    record: SkillRecord,
    name: Option<String>,
    bytes: usize,
}

impl Rows {
    pub(super) fn new() -> Self {
        Self {
            source: MemorySource::new(Scope::Remote),
            count: 0,
            bytes: 0,
        }
    }

    /// A copy of a value, if it is within the limit.
    pub(super) fn copy(&self, row: &mut SkillRow, bytes: &[u8]) -> Result<Vec<u8>, SourceError> {
        if bytes.len() > VALUE_BYTES {
            return Err(unavailable(too_large_value()));
        }
        row.bytes += bytes.len();
        self.check_total(row.bytes)?;
        let mut copy = Vec::with_capacity(bytes.len() + FRONTMATTER_BYTES);
        copy.extend_from_slice(bytes);
        Ok(copy)
    }

    pub(super) fn add(&mut self, mut row: SkillRow) -> Result<(), SourceError> {
        self.count += 1;
        if self.count > ROWS {
            return Err(unavailable(format!(
                "the query returns more than {ROWS} rows"
            )));
        }
        if row.record.id.is_empty() {
            row.record.id = row.name.unwrap_or_default();
        }
        self.bytes += add_record(&mut self.source, row.record);
        self.check_total(0)
    }

    pub(super) fn finish(self) -> MemorySource {
        self.source
    }

    fn check_total(&self, more: usize) -> Result<(), SourceError> {
        if self.bytes + more > RESULT_BYTES {
            return Err(unavailable("the query returns more than 256 MiB"));
        }
        Ok(())
    }
}

impl SkillRow {
    /// Whether a column holds an archive, not text.
    pub(super) fn is_archive(column: &str) -> bool {
        column.eq_ignore_ascii_case("data")
    }

    pub(super) fn set_archive(&mut self, bytes: Option<Vec<u8>>) {
        self.record.data = bytes;
    }

    pub(super) fn set_text(&mut self, column: &str, value: Option<String>) {
        match column.to_ascii_lowercase().as_str() {
            "id" => self.record.id = value.unwrap_or_default(),
            "name" => self.name = value,
            "description" => self.record.description = value.unwrap_or_default(),
            "content" => self.record.content = value,
            other => {
                let key = other.to_owned();
                self.record.metadata.extend(value.map(|value| (key, value)));
            }
        }
    }
}

pub(super) fn too_large_value() -> &'static str {
    "the query returns a value or row of more than 16 MiB"
}
