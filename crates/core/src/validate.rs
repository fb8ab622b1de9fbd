//! Checking everything that a source holds, as strictly as `prowess check` does.

use std::collections::BTreeSet;

use prowess_spec::limits::FILE_BYTES;
use prowess_spec::{Context, Diagnostic, Profile, SKILL_FILE, SkillPath, parse};

use crate::id::SkillId;
use crate::source::{Invalid, Source, SourceError};

/// The validated content of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validation {
    /// Skills without an error, sorted.
    pub valid: Vec<SkillId>,
    /// The others, whether they load or not.
    pub invalid: Vec<Invalid>,
}

/// Checks every skill of a source.
pub async fn validate_all(source: &dyn Source) -> Result<Validation, SourceError> {
    let snapshot = source.snapshot().await?;
    let mut validation = Validation {
        valid: Vec::new(),
        invalid: snapshot.invalid.clone(),
    };
    for skill in &snapshot.skills {
        let diagnostics = check(source, &skill.id).await?;
        if prowess_spec::is_valid(&diagnostics, Profile::Check) {
            validation.valid.push(skill.id.clone());
        } else {
            let path = format!("{}/{SKILL_FILE}", skill.id);
            validation.invalid.push(Invalid::new(path, diagnostics));
        }
    }
    Ok(validation)
}

async fn check(source: &dyn Source, id: &SkillId) -> Result<Vec<Diagnostic>, SourceError> {
    let files = source.files(id).await?;
    let files: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let is_there = |path: &str| {
        let below = |file: &&str| {
            file.strip_prefix(path)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        files.contains(path) || files.iter().any(below)
    };
    let mut last = SourceError::NotFound(id.clone());
    for name in [SKILL_FILE, "skill.md"] {
        let Ok(path) = SkillPath::parse(name) else {
            continue;
        };
        match source.read(id, &path, 0, FILE_BYTES + 1).await {
            Ok(part) => {
                let context = Context {
                    directory: Some(id.name()),
                    exists: Some(&is_there),
                };
                return Ok(parse(&part.bytes, &context).diagnostics);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}
