//! An archive that is one skill, as a database column has it.

use std::io::Cursor;

use prowess_archive::{EntryKind, Limits, walk};
use prowess_spec::is_skill_file;

/// Bytes that the archive of one record may unpack to.
const ARCHIVE_BYTES: u64 = 16 * 1024 * 1024;

/// The one skill of an archive.
pub(crate) struct UnpackedSkill {
    pub(crate) text: String,
    pub(crate) files: Vec<(String, Vec<u8>)>,
}

/// Unpacks the one skill in `data`.
pub(crate) fn unpack_skill(data: Vec<u8>) -> Result<UnpackedSkill, String> {
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
    let mut unpacked = UnpackedSkill {
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
