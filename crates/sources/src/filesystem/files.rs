//! The files of one skill, never anything outside it.

use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirEntry, File, Metadata, OpenOptions};
use prowess_core::{Contents, Document, FileEntry, FilePart, SkillId, SourceError, document};
use prowess_spec::limits::{FILE_BYTES, FRONTMATTER_BYTES};
use prowess_spec::manifest::stand_in;
use prowess_spec::{Context, MANIFEST_FILE, SKILL_FILE, SkillPath, choose_skill_file, nearest};

/// Files that a listing names at most.
pub(super) const MAX_FILES: usize = 2_000;
/// Directories that a listing descends at most.
pub(super) const MAX_DEPTH: usize = 16;

/// A handle from which only the skill can be reached; links that leave it are refused by the system.
fn open(id: &SkillId, directory: &Path) -> Result<Dir, SourceError> {
    Dir::open_ambient_dir(directory, ambient_authority())
        .map_err(|_| SourceError::NotFound(id.clone()))
}

pub(super) fn load(id: &SkillId, directory: &Path) -> Result<Document, SourceError> {
    let handle = open(id, directory)?;
    // Most skills have the usual name, and listing a directory costs more than reading a file.
    if let Ok((file, size)) = regular(&handle, SKILL_FILE) {
        return parse(id, directory, SKILL_FILE, file, size);
    }
    let names: Vec<String> = match handle.entries() {
        Ok(entries) => entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect(),
        Err(_) => Vec::new(),
    };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let Some((name, _)) = choose_skill_file(&names) else {
        let text = from_manifest(id, &handle)?;
        return document(id, text.as_bytes(), Some(directory.display().to_string()));
    };
    let (file, size) = regular(&handle, name).map_err(|reason| SourceError::Invalid {
        id: id.clone(),
        reason: format!("cannot read {name}: {reason}"),
    })?;
    parse(id, directory, name, file, size)
}

fn parse(
    id: &SkillId,
    directory: &Path,
    name: &str,
    file: File,
    size: u64,
) -> Result<Document, SourceError> {
    // One byte more, so that the end is found without a larger buffer.
    let size = usize::try_from(size).unwrap_or(FILE_BYTES).min(FILE_BYTES);
    let mut bytes = Vec::with_capacity(size + 1);
    let read = file.take(FILE_BYTES as u64).read_to_end(&mut bytes);
    read.map_err(|error| {
        SourceError::Unavailable(format!("cannot read {name} of `{id}`: {}", error.kind()))
    })?;
    document(id, &bytes, Some(directory.display().to_string()))
}

/// The text of a skill that consists of a manifest.
fn from_manifest(id: &SkillId, handle: &Dir) -> Result<String, SourceError> {
    let (file, _) =
        regular(handle, MANIFEST_FILE).map_err(|_| SourceError::NotFound(id.clone()))?;
    let mut bytes = Vec::new();
    let read = file
        .take(FRONTMATTER_BYTES as u64 + 1)
        .read_to_end(&mut bytes);
    read.map_err(|error| {
        SourceError::Unavailable(format!("{MANIFEST_FILE} of `{id}`: {}", error.kind()))
    })?;
    stand_in(&bytes, &Context::default()).map_err(|found| SourceError::Invalid {
        id: id.clone(),
        reason: found.first().map_or_else(String::new, |first| {
            format!("{MANIFEST_FILE}: {}", first.message)
        }),
    })
}

/// Opens without waiting, and only what is a file.
fn regular(handle: &Dir, path: &str) -> Result<(File, u64), &'static str> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = handle
        .open_with(path, &options)
        .map_err(|_| "cannot be opened")?;
    match file.metadata() {
        Ok(metadata) if metadata.is_file() => Ok((file, metadata.len())),
        _ => Err("not a regular file"),
    }
}

/// The whole skill, read beneath one handle. The size is that of the opened file.
pub(super) fn contents(
    id: &SkillId,
    directory: &Path,
    max_files: usize,
    max_bytes: u64,
) -> Result<Contents, SourceError> {
    #[cfg(target_os = "linux")]
    if let Some(files) = super::fast::contents(directory, max_files, max_bytes) {
        return Ok(Contents::Whole(files));
    }
    let handle = open(id, directory)?;
    let mut found = Vec::new();
    walk(&handle, &handle, "", 0, &mut |path, _| found.push(path));
    let (own, mut others): (Vec<SkillPath>, Vec<SkillPath>) = found
        .into_iter()
        .partition(|path| prowess_spec::is_skill_file(path.as_str()));
    let names: Vec<&str> = own.iter().map(SkillPath::as_str).collect();
    let chosen = choose_skill_file(&names).map(|(name, _)| name);
    let files = others.len() + 1;
    let mut left = max_bytes;
    let mut read = Vec::with_capacity(files);
    if let Ok(path) = SkillPath::parse(SKILL_FILE) {
        let bytes = match chosen {
            Some(name) => whole(id, &handle, name, &mut left)?,
            None => Some(from_manifest(id, &handle)?.into_bytes()),
        };
        read.extend(bytes.map(|bytes| (path, bytes)));
    }
    others.sort_unstable();
    if files <= max_files {
        for path in others {
            let Some(bytes) = whole(id, &handle, path.as_str(), &mut left)? else {
                break;
            };
            read.push((path, bytes));
        }
    }
    if read.len() == files {
        return Ok(Contents::Whole(read));
    }
    // The size matters only here.
    let mut bytes = 0;
    walk(&handle, &handle, "", 0, &mut |_, entry| {
        bytes += entry.metadata().map_or(0, |metadata| metadata.len());
    });
    Ok(Contents::TooLarge { files, bytes })
}

/// The bytes of a file, if they are within the remaining limit.
fn whole(
    id: &SkillId,
    handle: &Dir,
    path: &str,
    left: &mut u64,
) -> Result<Option<Vec<u8>>, SourceError> {
    let failed = |reason: &str| {
        SourceError::Unavailable(format!("cannot read `{path}` of `{id}`: {reason}"))
    };
    let (file, size) = regular(handle, path).map_err(failed)?;
    if size > *left {
        return Ok(None);
    }
    *left -= size;
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default() + 1);
    let read = file.take(size + 1).read_to_end(&mut bytes);
    read.map_err(|error| failed(&format!("{}", error.kind())))?;
    if bytes.len() as u64 == size {
        Ok(Some(bytes))
    } else {
        Err(failed("it changed during the read"))
    }
}

pub(super) fn list(id: &SkillId, directory: &Path) -> Result<Vec<FileEntry>, SourceError> {
    Ok(list_in(&open(id, directory)?))
}

/// The files of a skill below a handle, sorted.
pub(super) fn list_in(handle: &Dir) -> Vec<FileEntry> {
    let mut files = Vec::new();
    walk(handle, handle, "", 0, &mut |path, entry| {
        if !prowess_spec::is_skill_file(path.as_str())
            && let Ok(metadata) = size_of(handle, &path, entry)
        {
            let size = metadata.len();
            files.push(FileEntry { path, size });
        }
    });
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// The metadata of a file, possibly behind a link.
fn size_of(root: &Dir, path: &SkillPath, entry: &DirEntry) -> std::io::Result<Metadata> {
    match entry.file_type() {
        Ok(kind) if !kind.is_symlink() => entry.metadata(),
        _ => root.metadata(path.as_str()),
    }
}

/// Calls `take` with each file, in no order. The directory entry is sufficient for all files except links.
fn walk(
    root: &Dir,
    directory: &Dir,
    prefix: &str,
    depth: usize,
    take: &mut dyn FnMut(SkillPath, &DirEntry),
) {
    let mut taken = 0;
    walk_some(root, directory, prefix, depth, &mut taken, take);
}

fn walk_some(
    root: &Dir,
    directory: &Dir,
    prefix: &str,
    depth: usize,
    taken: &mut usize,
    take: &mut dyn FnMut(SkillPath, &DirEntry),
) {
    let Ok(entries) = directory.entries() else {
        return;
    };
    for entry in entries.flatten() {
        if *taken >= MAX_FILES {
            return;
        }
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        if name.starts_with('.') {
            continue;
        }
        let path = format!("{prefix}{name}");
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        // A link is resolved from the root, so that it cannot leave the skill.
        let is_file = kind.is_file()
            || (kind.is_symlink() && root.metadata(&path).is_ok_and(|found| found.is_file()));
        if is_file {
            if let Ok(path) = SkillPath::parse(&path) {
                *taken += 1;
                take(path, &entry);
            }
        } else if kind.is_dir()
            && depth < MAX_DEPTH
            && let Ok(below) = entry.open_dir()
        {
            walk_some(root, &below, &format!("{path}/"), depth + 1, taken, take);
        }
    }
}

pub(super) fn read(
    id: &SkillId,
    directory: &Path,
    path: &SkillPath,
    offset: u64,
    limit: usize,
) -> Result<FilePart, SourceError> {
    // What is not listed is not there: hidden files hold passwords of repositories and of environments.
    if path.as_str().split('/').any(|part| part.starts_with('.')) {
        return Err(missing(id, directory, path));
    }
    let handle = open(id, directory)?;
    let metadata = handle
        .metadata(path.as_str())
        .map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => missing(id, directory, path),
            _ => SourceError::AccessDenied {
                id: id.clone(),
                path: path.clone(),
            },
        })?;
    if metadata.is_dir() {
        return Err(not_a_file(id, &handle, path));
    }
    let denied = || SourceError::AccessDenied {
        id: id.clone(),
        path: path.clone(),
    };
    let (mut file, size) = regular(&handle, path.as_str()).map_err(|_| denied())?;
    let offset = offset.min(size);
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(offset))
        .and_then(|_| file.take(limit as u64).read_to_end(&mut bytes))
        .map_err(|error| {
            SourceError::Unavailable(format!("cannot read `{path}` of `{id}`: {}", error.kind()))
        })?;
    Ok(FilePart {
        bytes,
        offset,
        size,
    })
}

fn missing(id: &SkillId, directory: &Path, path: &SkillPath) -> SourceError {
    let files = list(id, directory).unwrap_or_default();
    let names = files.iter().map(|file| file.path.as_str());
    let nearest = nearest(path.as_str(), names).into_iter().map(str::to_owned);
    SourceError::FileNotFound {
        id: id.clone(),
        path: path.clone(),
        nearest: nearest.collect(),
    }
}

fn not_a_file(id: &SkillId, handle: &Dir, path: &SkillPath) -> SourceError {
    let mut entries: Vec<String> = match handle.read_dir(path.as_str()) {
        Ok(entries) => entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| !name.starts_with('.'))
            .take(MAX_FILES)
            .collect(),
        Err(_) => Vec::new(),
    };
    entries.sort();
    SourceError::NotAFile {
        id: id.clone(),
        path: path.clone(),
        entries,
    }
}
