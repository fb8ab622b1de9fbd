//! The source itself: opening an archive, and seeing that another took its place.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use prowess_archive::{Archive, EntryKind, Limits};
use prowess_core::{
    Descriptor, Document, FileEntry, FilePart, Invalid, Scope, SkillId, Snapshot, Source,
    SourceError, document,
};
use prowess_spec::limits::FILE_BYTES;
use prowess_spec::{
    Profile, SkillName, SkillPath, choose_skill_file, head_with_diagnostics, is_skill_file,
    is_valid,
};

use super::index::{describe, file_name, skill_directories};
use super::opened::{Opened, Reader, Stamp, joined};
use crate::background;
use crate::collection::{COLLECTION_BYTES, COLLECTION_FILE, Root, collection_of, parent};
use crate::filesystem::Strictness;
use crate::open::open_without_waiting;

/// A source over a zip, tar.gz or tar archive, with one skill or many.
///
/// The whole archive is verified before anything of it is used, under the limits of [`prowess_archive`]; later reads
/// use the verified file. If another file replaces it, it is verified again.
pub struct ArchiveSource {
    inner: Arc<Inner>,
}

struct Inner {
    input: ArchiveInput,
    scope: Scope,
    strictness: Strictness,
    opened: Mutex<Option<Arc<Opened>>>,
}

enum ArchiveInput {
    File(PathBuf),
    Bytes(Arc<[u8]>),
}

impl ArchiveSource {
    /// The skills in an archive file. Nothing is touched yet.
    pub fn new(path: impl Into<PathBuf>, scope: Scope, strictness: Strictness) -> Self {
        Self::of(ArchiveInput::File(path.into()), scope, strictness)
    }

    /// The skills in the bytes of an archive.
    pub fn from_bytes(bytes: impl Into<Arc<[u8]>>, scope: Scope, strictness: Strictness) -> Self {
        Self::of(ArchiveInput::Bytes(bytes.into()), scope, strictness)
    }

    fn of(input: ArchiveInput, scope: Scope, strictness: Strictness) -> Self {
        Self {
            inner: Arc::new(Inner {
                input,
                scope,
                strictness,
                opened: Mutex::default(),
            }),
        }
    }

    async fn with<T: Send + 'static>(
        &self,
        id: &SkillId,
        work: impl FnOnce(&SkillId, &Opened, &str, &str) -> Result<T, SourceError> + Send + 'static,
    ) -> Result<T, SourceError> {
        let inner = Arc::clone(&self.inner);
        let id = id.clone();
        background::run(move || {
            let last = inner.last().clone();
            let opened = match last {
                Some(opened) => opened,
                None => inner.open()?,
            };
            let (directory, file) = opened
                .skills
                .get(&id)
                .ok_or_else(|| SourceError::NotFound(id.clone()))?;
            work(&id, &opened, directory, file)
        })
        .await?
    }
}

impl Inner {
    fn last(&self) -> MutexGuard<'_, Option<Arc<Opened>>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The archive as it is now, verified.
    fn open(&self) -> Result<Arc<Opened>, SourceError> {
        let (reader, stamp) = match &self.input {
            ArchiveInput::Bytes(bytes) => {
                if let Some(opened) = self.last().clone() {
                    return Ok(opened);
                }
                (Reader::Bytes(Cursor::new(Arc::clone(bytes))), None)
            }
            ArchiveInput::File(path) => {
                let metadata = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
                let stamp = Some(Stamp {
                    modified: metadata.modified().ok(),
                    length: metadata.len(),
                });
                if let Some(opened) = self.last().clone()
                    && opened.stamp == stamp
                {
                    return Ok(opened);
                }
                let file = open_file(path).map_err(|error| unreadable(path, &error))?;
                (Reader::File(file), stamp)
            }
        };
        let opened = Arc::new(self.verify(reader, stamp)?);
        *self.last() = Some(Arc::clone(&opened));
        Ok(opened)
    }

    fn verify(&self, reader: Reader, stamp: Option<Stamp>) -> Result<Opened, SourceError> {
        let mut texts = BTreeMap::new();
        let archive = Archive::open(reader, &Limits::default(), |entry, content| {
            let limit = match (&entry.kind, file_name(entry)) {
                (EntryKind::File(_), name) if is_skill_file(name) => FILE_BYTES as u64 + 1,
                (EntryKind::File(_), COLLECTION_FILE) => COLLECTION_BYTES,
                _ => return Ok(()),
            };
            let mut bytes = Vec::new();
            content.take(limit).read_to_end(&mut bytes)?;
            texts.insert(entry.path.to_string(), bytes);
            Ok(())
        })
        .map_err(|error| {
            SourceError::Unavailable(format!("cannot read {}: {error}", self.name()))
        })?;
        let mut opened = Opened {
            stamp,
            snapshot: Arc::default(),
            skills: BTreeMap::new(),
            archive: Mutex::new(archive),
        };
        let mut snapshot = Snapshot::default();
        for (directory, names) in skill_directories(&texts) {
            self.take(
                &directory,
                &names,
                &texts,
                &mut snapshot,
                &mut opened.skills,
            );
        }
        for (path, bytes) in &texts {
            describe(path, bytes, &mut snapshot);
        }
        snapshot.skills.sort_by(|a, b| a.id.cmp(&b.id));
        let directories = opened.skills.values();
        snapshot.directories = directories.map(|(path, _)| path.as_str().into()).collect();
        opened.snapshot = Arc::new(snapshot);
        Ok(opened)
    }

    fn take(
        &self,
        directory: &str,
        names: &[&str],
        texts: &BTreeMap<String, Vec<u8>>,
        snapshot: &mut Snapshot,
        skills: &mut BTreeMap<SkillId, (String, String)>,
    ) {
        let Some((name, _)) = choose_skill_file(names) else {
            return;
        };
        let path = joined(directory, name);
        let bytes = texts.get(&path).map(Vec::as_slice).unwrap_or_default();
        // At the root of an archive the name is not compared with a directory.
        let own_name = directory.rsplit('/').next().filter(|part| !part.is_empty());
        let (head, diagnostics) = head_with_diagnostics(bytes, own_name);
        let taken =
            self.strictness == Strictness::Tolerant || is_valid(&diagnostics, Profile::Check);
        let head = head.filter(|_| taken);
        let parsed = head.and_then(|head| Some((SkillName::parse(&head.name).ok()?, head)));
        let Some((skill_name, head)) = parsed else {
            return snapshot.invalid.push(Invalid::new(path, diagnostics));
        };
        let collection = collection_of(parent(directory), Root::Repository);
        let id = SkillId::new(collection.as_ref(), &skill_name);
        if skills.contains_key(&id) {
            let warning = format!("{path} is ignored: duplicate skill `{id}`");
            return snapshot.warnings.push(warning);
        }
        let stamp = hash(bytes);
        let length = bytes.len() as u64;
        let descriptor = Descriptor::new(id.clone(), &head, self.scope, length, stamp);
        snapshot.skills.push(descriptor);
        skills.insert(id, (directory.to_owned(), name.to_owned()));
    }

    fn name(&self) -> String {
        match &self.input {
            ArchiveInput::File(path) => name_of(path),
            ArchiveInput::Bytes(_) => "the archive".to_owned(),
        }
    }
}

fn hash(bytes: &[u8]) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

fn open_file(path: &Path) -> io::Result<File> {
    let file = open_without_waiting(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("not a file"))
    }
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

fn unreadable(path: &Path, error: &io::Error) -> SourceError {
    SourceError::Unavailable(match error.kind() {
        io::ErrorKind::NotFound => format!("file not found: {}", name_of(path)),
        _ => format!("cannot read {}: {error}", name_of(path)),
    })
}

#[async_trait]
impl Source for ArchiveSource {
    async fn snapshot(&self) -> Result<Arc<Snapshot>, SourceError> {
        let inner = Arc::clone(&self.inner);
        let opened = background::run(move || inner.open()).await??;
        Ok(Arc::clone(&opened.snapshot))
    }

    async fn load(&self, id: &SkillId) -> Result<Document, SourceError> {
        let load = |id: &SkillId, opened: &Opened, directory: &str, file: &str| {
            let path = SkillPath::parse(file).map_err(|_| SourceError::NotFound(id.clone()))?;
            let part = opened.read(id, directory, &path, 0, FILE_BYTES + 1)?;
            document(id, &part.bytes, None)
        };
        self.with(id, load).await
    }

    async fn files(&self, id: &SkillId) -> Result<Vec<FileEntry>, SourceError> {
        let files = |_: &SkillId, opened: &Opened, directory: &str, file: &str| {
            Ok(opened.files(directory, file))
        };
        self.with(id, files).await
    }

    async fn read(
        &self,
        id: &SkillId,
        path: &SkillPath,
        offset: u64,
        limit: usize,
    ) -> Result<FilePart, SourceError> {
        let path = path.clone();
        let read = move |id: &SkillId, opened: &Opened, directory: &str, _: &str| {
            opened.read(id, directory, &path, offset, limit)
        };
        self.with(id, read).await
    }

    fn directories(&self) -> Vec<PathBuf> {
        match &self.inner.input {
            ArchiveInput::File(path) => path.parent().map(Path::to_owned).into_iter().collect(),
            ArchiveInput::Bytes(_) => Vec::new(),
        }
    }
}
