//! Paths as commands take them: a skill, its file, a directory of skills, or an archive of one or many.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use prowess_archive::{Format, Limits, unpack};
use prowess_sources::open_without_waiting;
use prowess_spec::limits::FILE_BYTES;
use prowess_spec::{Context as SkillContext, MANIFEST_FILE, SKILL_FILE, is_skill_file, parse};
use tempfile::TempDir;

use crate::error::{CommandError, Context, Result};

/// What lies at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathKind {
    /// A directory; for the file of a skill, the one that holds it.
    Directory(PathBuf),
    /// An archive.
    Archive,
    /// Another file.
    Other,
}

/// What lies at a path, by its name.
pub(crate) fn kind(path: &Path) -> io::Result<PathKind> {
    if fs::metadata(path)?.is_dir() {
        return Ok(PathKind::Directory(path.to_owned()));
    }
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.unwrap_or_default();
    if is_skill_file(name) || name == MANIFEST_FILE {
        let parent = path.parent().filter(|it| !it.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        return Ok(PathKind::Directory(parent.to_owned()));
    }
    Ok(match Format::of_name(name) {
        Some(_) => PathKind::Archive,
        None => PathKind::Other,
    })
}

/// What to pass instead of a file that is none of these.
pub(crate) const EXPECTED: &str =
    "pass a directory, a file named SKILL.md, or an archive (.zip, .tar.gz, .skill)";

/// A directory to look at, which may be that of an unpacked archive.
pub(crate) struct Target {
    pub(crate) directory: PathBuf,
    /// The archive, and where it is unpacked while this value exists.
    unpacked: Option<(PathBuf, TempDir)>,
}

impl Target {
    /// The directory of a path; an archive is unpacked.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let unreadable = || format!("cannot read {}", path.display());
        match kind(path).with_context(unreadable)? {
            PathKind::Directory(directory) => Ok(Self {
                directory,
                unpacked: None,
            }),
            PathKind::Archive => Self::unpack(path).with_context(unreadable),
            PathKind::Other => Err(CommandError::failure(format!(
                "{} is not a skill",
                path.display()
            ))
            .hint(EXPECTED)),
        }
    }

    fn unpack(archive: &Path) -> Result<Self> {
        let place = tempfile::tempdir()?;
        let directory = place.path().join("skill");
        let file = open_without_waiting(archive)?;
        unpack(file, &directory, &Limits::default())
            .map_err(|error| CommandError::failure(error.to_string()))?;
        let directory = named_after_skill(directory)?;
        Ok(Self {
            directory,
            unpacked: Some((archive.to_owned(), place)),
        })
    }

    /// A path below the directory, as a person would name it.
    pub(crate) fn shown(&self, path: &str) -> String {
        let inside = Path::new(path).strip_prefix(&self.directory);
        match (&self.unpacked, inside) {
            (Some((archive, _)), Ok(inside)) if inside.as_os_str().is_empty() => {
                archive.display().to_string()
            }
            (Some((archive, _)), Ok(inside)) => archive.join(inside).display().to_string(),
            _ => path.to_owned(),
        }
    }
}

/// An archive of one skill has no directory with its name: it may be called anything.
fn named_after_skill(directory: PathBuf) -> io::Result<PathBuf> {
    let Ok(bytes) = fs::read(directory.join(SKILL_FILE)) else {
        return Ok(directory);
    };
    let skill = parse(
        bytes.get(..FILE_BYTES).unwrap_or(&bytes),
        &SkillContext::default(),
    )
    .skill;
    let Some(skill) = skill else {
        return Ok(directory);
    };
    let named = directory.with_file_name(skill.name.to_string());
    fs::rename(&directory, &named)?;
    Ok(named)
}
