//! Checking everything that a source holds, as strictly as `prowess check` does.

use std::collections::BTreeSet;

use prowess_spec::limits::FILE_BYTES;
use prowess_spec::manifest::{self, Manifest};
use prowess_spec::{
    Context, Diagnostic, MANIFEST_FILE, Profile, SKILL_FILE, SkillPath, choose_skill_file,
    is_valid, parse,
};

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

/// The spellings of a skill's file that people use.
const SPELLINGS: [&str; 5] = [SKILL_FILE, "skill.md", "SKILL.MD", "Skill.md", "Skill.MD"];

/// Checks every skill of a source, with its manifest and their dependencies.
pub async fn validate_all(source: &dyn Source) -> Result<Validation, SourceError> {
    let snapshot = source.snapshot().await?;
    let mut validation = Validation {
        valid: Vec::new(),
        invalid: snapshot.invalid.clone(),
    };
    let mut checked = Vec::new();
    for (at, skill) in snapshot.skills.iter().enumerate() {
        let directory = snapshot.directories.get(at).map(|path| &**path);
        let directory = directory.filter(|path| !path.is_empty());
        let path = directory.unwrap_or(skill.id.as_str());
        checked.push(check(source, &skill.id, path).await?);
    }
    let with_manifest = |skill: &Checked| skill.manifest.is_some();
    let owners: Vec<usize> = (0..checked.len())
        .filter(|at| checked.get(*at).is_some_and(with_manifest))
        .collect();
    let manifests: Vec<&Manifest> = checked
        .iter()
        .filter_map(|skill| skill.manifest.as_ref())
        .collect();
    for (index, found) in manifest::check_dependencies(&manifests) {
        let owner = owners.get(index).and_then(|at| checked.get_mut(*at));
        if let Some(owner) = owner {
            owner.diagnostics.push(found);
        }
    }
    for (skill, checked) in snapshot.skills.iter().zip(checked) {
        if is_valid(&checked.diagnostics, Profile::Check) {
            validation.valid.push(skill.id.clone());
        } else {
            let path = format!("{}/{SKILL_FILE}", checked.path);
            let invalid = Invalid::new(path, checked.diagnostics);
            validation.invalid.push(invalid);
        }
    }
    Ok(validation)
}

struct Checked {
    path: String,
    diagnostics: Vec<Diagnostic>,
    manifest: Option<Manifest>,
}

async fn check(source: &dyn Source, id: &SkillId, path: &str) -> Result<Checked, SourceError> {
    let files = source.files(id).await?;
    let files: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let exists = |path: &str| {
        let below = |file: &&str| {
            file.strip_prefix(path)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        files.contains(path) || files.iter().any(below)
    };
    let context = Context {
        directory: path.rsplit('/').next(),
        exists: Some(&exists),
    };
    let mut diagnostics = Vec::new();
    let mut skill = None;
    let mut missing = None;
    for name in SPELLINGS {
        match read(source, id, name).await {
            Ok(bytes) => {
                let about_name = choose_skill_file(&[name]).map(|(_, found)| found);
                diagnostics.extend(about_name.into_iter().flatten());
                let parsed = parse(&bytes, &context);
                diagnostics.extend(parsed.diagnostics);
                skill = parsed.skill;
                missing = None;
                break;
            }
            Err(error) => missing = missing.or(Some(error)),
        }
    }
    let mut manifest = None;
    if files.contains(MANIFEST_FILE) {
        let bytes = read(source, id, MANIFEST_FILE).await?;
        let parsed = manifest::parse(&bytes, &context, skill.as_ref());
        diagnostics.extend(parsed.diagnostics);
        manifest = parsed.manifest;
    } else if let Some(error) = missing {
        return Err(error);
    }
    Ok(Checked {
        path: path.to_owned(),
        diagnostics,
        manifest,
    })
}

async fn read(source: &dyn Source, id: &SkillId, name: &str) -> Result<Vec<u8>, SourceError> {
    let path = SkillPath::parse(name).map_err(|_| SourceError::NotFound(id.clone()))?;
    let part = source.read(id, &path, 0, FILE_BYTES + 1).await?;
    Ok(part.bytes)
}
