//! Every file of a skill, hidden ones too: what is not listed is where things are hidden.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pollster::block_on;
use prowess_core::{Scope, SkillId, Skills, Source};
use prowess_scan::limits::{FILE_BYTES, FILES, TOTAL_BYTES};
use prowess_sources::{FilesystemOptions, FilesystemSource, open_without_waiting};
use prowess_spec::{SKILL_FILE, SkillPath};
use sha2::{Digest as _, Sha256};

use super::AuditedSkill;
use crate::arguments::{Global, SourceArguments};
use crate::error::{CommandError, Context, Result};
use crate::open;
use crate::target::Target;

/// Directories inside each other that are looked into.
const DEPTH: usize = 32;

/// A skill that is audited.
pub(super) enum SkillLocation {
    /// A directory, and how a person names it.
    Directory {
        path: PathBuf,
        name: String,
        /// An archive is unpacked as long as its target lives.
        _target: Option<Arc<Target>>,
    },
    /// One that is not on disk, read already.
    Read(AuditedSkill),
}

impl SkillLocation {
    /// Reads the files.
    pub(super) fn read(self) -> AuditedSkill {
        match self {
            Self::Directory { path, name, .. } => {
                let mut audited = directory_of(&path);
                audited.name = name;
                audited
            }
            Self::Read(audited) => audited,
        }
    }
}

/// The skills that a person means: those in a directory, or one by its id.
pub(super) fn skills(
    target: &str,
    sources: &SourceArguments,
    global: &Global,
) -> Result<Vec<SkillLocation>> {
    let path = Path::new(target);
    if path.exists() {
        return at_path(path);
    }
    if target.starts_with(['/', '.', '~']) || target.contains('\\') {
        let error = format!("cannot audit {target}: no such file or directory");
        return Err(CommandError::failure(error));
    }
    let skills = open::skills(sources, global)?;
    let neither = || format!("invalid target `{target}`: expected a path or a skill id");
    let id = open::parse_id(target).with_context(neither)?;
    let skill = by_id(&skills, &id).with_context(neither)?;
    Ok(vec![SkillLocation::Read(skill)])
}

fn at_path(path: &Path) -> Result<Vec<SkillLocation>> {
    let target = Arc::new(Target::open(path)?);
    let directories = in_directory(path, &target.directory)?;
    let location = |directory: String| SkillLocation::Directory {
        name: target.shown(directory.trim_end_matches('/')),
        path: PathBuf::from(directory),
        _target: Some(Arc::clone(&target)),
    };
    Ok(directories.into_iter().map(location).collect())
}

fn in_directory(named: &Path, path: &Path) -> Result<Vec<String>> {
    let source = FilesystemSource::new(path, FilesystemOptions::new(Scope::Project));
    let snapshot = block_on(source.snapshot())?;
    let located = snapshot
        .skills
        .iter()
        .filter_map(|skill| source.location(&skill.id));
    // A skill that does not load can still be harmful.
    let invalid = snapshot.invalid.iter().filter_map(|invalid| {
        let file = path.join(&invalid.path);
        Some(file.parent()?.display().to_string())
    });
    let mut directories: Vec<String> = located.chain(invalid).collect();
    directories.sort();
    if directories.is_empty() {
        let error = CommandError::failure(format!("no skill in {}", named.display()));
        return Err(error.hint("a skill is a directory with a file named SKILL.md"));
    }
    Ok(directories)
}

/// Everything below a directory.
fn directory_of(directory: &Path) -> AuditedSkill {
    let mut audited = empty(&directory.display().to_string());
    let mut budget = TOTAL_BYTES;
    walk(directory, "", 0, &mut budget, &mut audited);
    complete(audited)
}

/// Sorts the files and computes their digest.
fn complete(mut audited: AuditedSkill) -> AuditedSkill {
    audited.files.sort();
    audited.count = audited.files.len();
    let mut hasher = Sha256::new();
    for (path, bytes) in &audited.files {
        hasher.update((path.len() as u64).to_le_bytes());
        hasher.update(path);
        hasher.update(Sha256::digest(bytes));
    }
    let digest = hasher.finalize();
    audited.digest = digest.iter().fold("sha256:".to_owned(), |text, byte| {
        format!("{text}{byte:02x}")
    });
    audited
}

fn empty(name: &str) -> AuditedSkill {
    AuditedSkill {
        name: name.trim_end_matches('/').to_owned(),
        files: Vec::new(),
        count: 0,
        unreadable: Vec::new(),
        digest: String::new(),
        report: prowess_scan::Report::default(),
        allowed: 0,
        unread_allowed: false,
    }
}

fn walk(
    directory: &Path,
    inside: &str,
    depth: usize,
    budget: &mut usize,
    audited: &mut AuditedSkill,
) {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) => return unreadable(audited, inside, &error.kind().to_string()),
    };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if inside.is_empty() {
            name
        } else {
            format!("{inside}/{name}")
        };
        match entry.file_type() {
            Ok(kind) if kind.is_symlink() => unreadable(audited, &path, "a symbolic link"),
            Ok(kind) if kind.is_dir() && depth < DEPTH => {
                walk(&entry.path(), &path, depth + 1, budget, audited);
            }
            Ok(kind) if kind.is_dir() => unreadable(audited, &path, "nested too deep"),
            _ if audited.files.len() > FILES => {
                return unreadable(audited, &path, "too many files");
            }
            _ => match read(&entry.path()) {
                // Nothing of what would not be scanned is held in memory.
                Ok(bytes) if bytes.len() > *budget => {
                    unreadable(audited, &path, "too much in one skill");
                }
                Ok(bytes) => {
                    *budget -= bytes.len();
                    audited.files.push((path, bytes));
                }
                Err(error) => unreadable(audited, &path, &error.to_string()),
            },
        }
    }
}

fn unreadable(audited: &mut AuditedSkill, path: &str, reason: &str) {
    audited
        .unreadable
        .push((path.to_owned(), reason.to_owned()));
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let file = open_without_waiting(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(std::io::Error::other("not a file"));
    }
    if metadata.len() > FILE_BYTES as u64 {
        let size = metadata.len();
        return Err(std::io::Error::other(format!("too large ({size} bytes)")));
    }
    let mut bytes = Vec::new();
    file.take(FILE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A skill of the catalog, wherever it is.
pub(super) fn by_id(skills: &Skills, id: &SkillId) -> Result<AuditedSkill> {
    let catalog = skills.catalog();
    if let Some(directory) = skills.sources().location(&catalog, id) {
        let mut audited = directory_of(Path::new(&directory));
        audited.name = id.to_string();
        return Ok(audited);
    }
    let mut audited = empty(id.as_str());
    let mut paths = vec![SKILL_FILE.to_owned()];
    let listed = block_on(skills.sources().files(id))?;
    paths.extend(listed.into_iter().map(|file| file.path.to_string()));
    for path in paths {
        let Ok(inside) = SkillPath::parse(&path) else {
            continue;
        };
        match block_on(skills.sources().read(id, &inside, 0, FILE_BYTES + 1)) {
            Ok(part) => audited.files.push((path, part.bytes)),
            Err(error) => unreadable(&mut audited, &path, &error.to_string()),
        }
    }
    Ok(complete(audited))
}
