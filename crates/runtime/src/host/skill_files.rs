//! The files of a skill itself, for its code. They are the approved bytes, so reading them needs no permission.

use std::collections::BTreeMap;

use globset::GlobBuilder;
use prowess_spec::SkillPath;
use serde_json::{Value, json};

use super::files::FileError;
use crate::confined::SKILL;
use crate::content::SkillContent;
use crate::limits::FILE_BYTES;

/// The path within the skill, if a path or pattern begins with the skill's directory.
pub(super) fn below_skill(path: &str) -> Option<&str> {
    match path.strip_prefix(SKILL)? {
        "" => Some(""),
        rest => rest.strip_prefix('/'),
    }
}

/// Reads a text file of the skill.
pub(super) fn read(content: &SkillContent, below: &str) -> Result<String, FileError> {
    let path = SkillPath::parse(below).ok();
    let bytes = path.as_ref().and_then(|path| content.file(path));
    let bytes = bytes.ok_or_else(|| failed(below, "is not in the skill"))?;
    if bytes.len() > FILE_BYTES {
        let size = bytes.len();
        let reason = format!("is {size} bytes long; {FILE_BYTES} can be read");
        return Err(failed(below, &reason));
    }
    let text = std::str::from_utf8(bytes);
    let text = text.map_err(|_| failed(below, "is not UTF-8 text"))?;
    Ok(text.to_owned())
}

/// Lists a directory of the skill, sorted by name.
pub(super) fn list(content: &SkillContent, below: &str) -> Result<Vec<Value>, FileError> {
    let directory = below.trim_matches('/');
    let mut entries: BTreeMap<&str, (bool, usize)> = BTreeMap::new();
    for (path, bytes) in content.files() {
        let rest = match directory {
            "" => Some(path.as_str()),
            _ => (path.as_str().strip_prefix(directory)).and_then(|rest| rest.strip_prefix('/')),
        };
        match rest.map(|rest| {
            rest.split_once('/')
                .map_or((rest, false), |it| (it.0, true))
        }) {
            Some((name, true)) => entries.insert(name, (true, 0)),
            Some((name, false)) => entries.insert(name, (false, bytes.len())),
            None => None,
        };
    }
    if entries.is_empty() {
        return Err(failed(below, "is not a directory of the skill"));
    }
    let rows = entries.into_iter();
    Ok(rows
        .map(|(name, (is_dir, size))| json!({"name": name, "is_dir": is_dir, "size": size}))
        .collect())
}

/// Finds files of the skill by glob.
pub(super) fn search(content: &SkillContent, below: &str) -> Result<Vec<String>, FileError> {
    let glob = GlobBuilder::new(below).literal_separator(true).build();
    let glob = glob.map_err(|error| failed(below, &error.kind().to_string()))?;
    let matcher = glob.compile_matcher();
    let paths = content.files().map(|(path, _)| path.as_str());
    let found = paths.filter(|path| matcher.is_match(path));
    Ok(found.map(|path| format!("{SKILL}/{path}")).collect())
}

fn failed(below: &str, reason: &str) -> FileError {
    FileError::Failed {
        path: format!("{SKILL}/{below}"),
        reason: reason.to_owned(),
    }
}
