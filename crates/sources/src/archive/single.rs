//! An archive that is one skill, as a database column has it.

use std::io::Cursor;

use prowess_archive::{EntryKind, Limits, walk};
use prowess_spec::is_skill_file;

use crate::records::SkillRecord;

/// Bytes that the archive of one record may unpack to.
const ARCHIVE_BYTES: u64 = 16 * 1024 * 1024;

/// Sets the text and the files of a record to those of the one skill in `data`.
pub(crate) fn unpack_into(record: &mut SkillRecord, data: Vec<u8>) -> Result<(), String> {
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
    for (name, bytes) in files {
        if name == path {
            record.content = Some(String::from_utf8_lossy(&bytes).into_owned());
        } else if let Some(inside) = name.strip_prefix(&prefix) {
            record.files.push((inside.to_owned(), bytes));
        }
    }
    Ok(())
}
