//! A small archive in memory.

use std::io::Cursor;

use crate::entry::EntryKind;
use crate::error::Error;
use crate::limits::Limits;
use crate::scan::walk;

/// Every file of an archive, by its path, in the order of the archive. `limits` bound the memory.
///
/// ```
/// use prowess_archive::{Limits, read_all};
///
/// assert!(read_all(b"not an archive", &Limits::default()).is_err());
/// ```
pub fn read_all(bytes: &[u8], limits: &Limits) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let mut files = Vec::new();
    walk(Cursor::new(bytes), limits, |entry, content| {
        if matches!(entry.kind, EntryKind::File(_)) {
            let mut bytes = Vec::new();
            content.read_to_end(&mut bytes)?;
            files.push((entry.path.to_string(), bytes));
        }
        Ok(())
    })?;
    Ok(files)
}
