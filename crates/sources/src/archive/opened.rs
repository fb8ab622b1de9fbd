//! An archive that was verified, and reading from it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use prowess_archive::{Archive, EntryKind};
use prowess_core::{FileEntry, FilePart, SkillId, Snapshot, SourceError};
use prowess_spec::{SkillPath, nearest};

/// An archive that was verified.
pub(super) struct Opened {
    pub(super) stamp: Option<Stamp>,
    pub(super) snapshot: Arc<Snapshot>,
    /// The directory of each skill, and the name of its file.
    pub(super) skills: BTreeMap<SkillId, (String, String)>,
    pub(super) archive: Mutex<Archive<Reader>>,
}

/// The identity of a verified file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) modified: Option<SystemTime>,
    pub(super) length: u64,
}

/// Where the bytes of an archive come from.
pub(super) enum Reader {
    File(File),
    Bytes(Cursor<Arc<[u8]>>),
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(buffer),
            Self::Bytes(bytes) => bytes.read(buffer),
        }
    }
}

impl Seek for Reader {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        match self {
            Self::File(file) => file.seek(position),
            Self::Bytes(bytes) => bytes.seek(position),
        }
    }
}

impl Opened {
    fn archive(&self) -> MutexGuard<'_, Archive<Reader>> {
        self.archive.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The files of a skill by their paths inside it; links that leave it and hidden files are left out.
    pub(super) fn files(&self, directory: &str, skill_file: &str) -> Vec<FileEntry> {
        let archive = self.archive();
        let mut files = Vec::new();
        for member in archive.members() {
            let Some(inside) = inside(directory, member.entry.path.as_str()) else {
                continue;
            };
            let hidden = inside.split('/').any(|part| part.starts_with('.'));
            if hidden || inside == skill_file {
                continue;
            }
            let target = archive.resolve(&member.entry.path);
            let stays = target
                .as_ref()
                .is_some_and(|path| is_below(directory, path));
            let size = match &member.entry.kind {
                EntryKind::Directory => continue,
                EntryKind::File(_) | EntryKind::HardLink(_) => member.size,
                EntryKind::Symlink(_) => match target.as_ref().and_then(|path| archive.get(path)) {
                    Some(target) if !matches!(target.entry.kind, EntryKind::Directory) => {
                        target.size
                    }
                    _ => continue,
                },
            };
            if let (true, Ok(path)) = (stays, SkillPath::parse(inside)) {
                files.push(FileEntry { path, size });
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files
    }

    pub(super) fn read(
        &self,
        id: &SkillId,
        directory: &str,
        path: &SkillPath,
        offset: u64,
        limit: usize,
    ) -> Result<FilePart, SourceError> {
        let broken = |error: prowess_archive::Error| {
            SourceError::Unavailable(format!("invalid archive: {error}"))
        };
        let whole = joined(directory, path.as_str());
        let whole = SkillPath::parse(&whole).map_err(|_| SourceError::NotFound(id.clone()))?;
        let mut archive = self.archive();
        let Some(target) = archive.resolve(&whole) else {
            drop(archive);
            return Err(self.missing(id, directory, path));
        };
        if !is_below(directory, &target) {
            return Err(SourceError::AccessDenied {
                id: id.clone(),
                path: path.clone(),
            });
        }
        let size = match archive.get(&target) {
            Some(member) if !matches!(member.entry.kind, EntryKind::Directory) => member.size,
            _ => {
                let entries = entries(&archive, &target);
                return Err(SourceError::NotAFile {
                    id: id.clone(),
                    path: path.clone(),
                    entries,
                });
            }
        };
        let bytes = archive.read(&target, offset, limit).map_err(broken)?;
        Ok(FilePart {
            bytes,
            offset: offset.min(size),
            size,
        })
    }

    fn missing(&self, id: &SkillId, directory: &str, path: &SkillPath) -> SourceError {
        let files = self.files(directory, "");
        let names = files.iter().map(|file| file.path.as_str());
        let nearest = nearest(path.as_str(), names).into_iter();
        SourceError::FileNotFound {
            id: id.clone(),
            path: path.clone(),
            nearest: nearest.map(str::to_owned).collect(),
        }
    }
}

/// The names directly in a directory.
fn entries(archive: &Archive<Reader>, directory: &SkillPath) -> Vec<String> {
    let names = archive.members().filter_map(|member| {
        let inside = inside(directory.as_str(), member.entry.path.as_str())?;
        inside.split('/').next().map(str::to_owned)
    });
    let names: BTreeSet<String> = names.collect();
    names.into_iter().collect()
}

/// A path as seen from a directory that holds it.
fn inside<'p>(directory: &str, path: &'p str) -> Option<&'p str> {
    if directory.is_empty() {
        return Some(path);
    }
    path.strip_prefix(directory)?.strip_prefix('/')
}

fn is_below(directory: &str, path: &SkillPath) -> bool {
    inside(directory, path.as_str()).is_some()
}

/// The path of a name in a directory.
pub(super) fn joined(directory: &str, name: &str) -> String {
    if directory.is_empty() {
        name.to_owned()
    } else {
        format!("{directory}/{name}")
    }
}
