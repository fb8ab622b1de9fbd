//! Where packages come from: directories, archives, servers and git repositories, behind one type.

mod download;
mod index;
mod release;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;
use pollster::block_on;
use prowess_archive::{Limits, unpack};
use prowess_core::{Scope, Source, SourceError};
use prowess_sources::{
    FilesystemOptions, FilesystemSource, GitCommit, Links, RemoteOptions, Root,
    open_without_waiting,
};
use prowess_spec::{SkillPath, head};
use prowess_trust::read_beneath;
use tempfile::TempDir;
use url::Url;

use crate::reference::{GitPlace, PackageReference};
use crate::tree::{PackageFile, PackageTree, TreeError};
use download::download;
use index::Index;
use release::RegistryPackage;
pub use release::download_package;

/// Why a package cannot be fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// A file or directory cannot be read.
    #[error("cannot read {}", .path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A server does not deliver.
    #[error("cannot fetch {url}: {reason}")]
    Server {
        /// The URL.
        url: String,
        /// Why.
        reason: String,
    },
    /// A server refuses a request.
    #[error("cannot fetch {url}: the server returned {status}")]
    Refused {
        /// The URL.
        url: String,
        /// Its answer.
        status: reqwest::StatusCode,
    },
    /// A repository does not deliver.
    #[error("cannot fetch {url}")]
    Git {
        /// The URL.
        url: String,
        /// Why.
        source: SourceError,
    },
    /// The archive is invalid.
    #[error("cannot unpack {name}")]
    Archive {
        /// The archive.
        name: String,
        /// Why.
        source: prowess_archive::Error,
    },
    /// The files of a skill cannot be used.
    #[error("cannot use {name}")]
    Tree {
        /// The skill.
        name: String,
        /// Why.
        source: TreeError,
    },
    /// What was downloaded is not what the index says.
    #[error(
        "{url} has the digest {found}, but its index says {expected}: it was changed on the way, or the index is old"
    )]
    Digest {
        /// The URL.
        url: String,
        /// The digest of what came.
        found: String,
        /// The stated digest.
        expected: String,
    },
    /// A package of a registry, which its client fetches.
    #[error("cannot fetch `{0}`: no registry is configured")]
    Registry(String),
    /// The network was ruled out.
    #[error("cannot fetch {0}: offline")]
    Offline(String),
    /// There is no cache directory.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A skill of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSkill {
    /// Its name, or that of its directory where the name was not read.
    pub name: String,
    /// Its description, if it was read.
    pub description: Option<String>,
    /// Its directory in the package; none for the package itself.
    pub directory: Option<SkillPath>,
    /// Its `SKILL.md` in a repository, where it was not read yet.
    file: Option<SkillPath>,
}

/// A package that was opened.
pub struct Package {
    reference: PackageReference,
    kind: Kind,
}

enum Kind {
    Directory(PathBuf),
    Archive(UnpackedArchive),
    Git(Box<GitCommit>),
    Index(Index),
    Registry(Box<RegistryPackage>),
}

struct UnpackedArchive {
    directory: TempDir,
    bytes: Vec<u8>,
    signature: Option<String>,
}

/// The name of the directory that an archive is unpacked to.
const ROOT: &str = "package";
/// Bytes of a signature.
const SIGNATURE_BYTES: usize = 4_096;
/// Bytes of an archive.
const ARCHIVE_BYTES: usize = 100 * 1024 * 1024;

impl Package {
    /// Opens a package. Relative paths are below `base`. Of a git repository only the list of files is fetched.
    pub fn open(
        reference: &PackageReference,
        base: &Path,
        remote: &RemoteOptions,
    ) -> Result<Self, FetchError> {
        let kind = match reference {
            PackageReference::Directory(path) => {
                let path = base.join(path);
                let metadata = fs::metadata(&path).map_err(|it| unreadable(&path, it))?;
                if !metadata.is_dir() {
                    let error = io::Error::other("not a directory, and not an archive by its name");
                    return Err(unreadable(&path, error));
                }
                Kind::Directory(path)
            }
            PackageReference::Archive(path, _) => {
                let path = base.join(path);
                let bytes = read_file(&path).map_err(|it| unreadable(&path, it))?;
                let signature = signature_beside(&path)?;
                Kind::Archive(UnpackedArchive::new(bytes, signature, reference)?)
            }
            PackageReference::ArchiveUrl(url) => {
                let mut plain = url.clone();
                plain.set_fragment(None);
                let bytes = block_on(download(&plain, ARCHIVE_BYTES, remote))?;
                let bytes = bytes.ok_or_else(|| FetchError::Server {
                    url: plain.to_string(),
                    reason: "not found".to_owned(),
                })?;
                let mut beside = plain.clone();
                beside.set_path(&format!("{}.minisig", plain.path()));
                let signature = block_on(signature(&beside, remote))?;
                Kind::Archive(UnpackedArchive::new(bytes, signature, reference)?)
            }
            PackageReference::Index(url) => Kind::Index(block_on(Index::fetch(url, remote))?),
            PackageReference::Git(location) => {
                let opened =
                    GitCommit::open(&location.repository, location.reference.as_deref(), remote);
                let commit =
                    opened.map_err(|source| git_failed(&location.repository.expose(), source))?;
                Kind::Git(Box::new(commit))
            }
            PackageReference::Registry { name, .. } => {
                return Err(FetchError::Registry(name.to_string()));
            }
        };
        Ok(Self {
            reference: reference.clone(),
            kind,
        })
    }

    /// The commit; of an index, the digest of the skill; of a registry, the version.
    pub fn resolved(&self, skill: &FoundSkill) -> Option<String> {
        match &self.kind {
            Kind::Git(commit) => Some(commit.id()),
            Kind::Index(index) => index.digest(&skill.name),
            Kind::Registry(package) => Some(package.version.version.to_string()),
            Kind::Directory(_) | Kind::Archive(_) => None,
        }
    }

    /// The same for a reference of the lock file.
    pub fn resolved_at(&self, reference: &PackageReference) -> Option<String> {
        let name = match reference {
            PackageReference::Index(url) => url.fragment().unwrap_or_default(),
            _ => "",
        };
        self.resolved(&FoundSkill {
            name: name.to_owned(),
            description: None,
            directory: None,
            file: None,
        })
    }

    /// The commit, for what only repositories have.
    pub fn commit(&self) -> Option<&GitCommit> {
        match &self.kind {
            Kind::Git(commit) => Some(commit),
            _ => None,
        }
    }

    /// The bytes of the archive, and the signature beside it.
    pub fn signed_bytes(&self) -> Option<(&[u8], &str)> {
        match &self.kind {
            Kind::Archive(archive) => Some((&archive.bytes, archive.signature.as_deref()?)),
            Kind::Registry(package) => Some((&package.bytes, package.signature.as_deref()?)),
            _ => None,
        }
    }

    /// The skills of the package. Names and descriptions of a repository are not read yet: see [`describe`](Self::describe).
    pub fn skills(&self) -> Result<Vec<FoundSkill>, FetchError> {
        match &self.kind {
            Kind::Directory(root) => in_directory(root, None),
            Kind::Archive(archive) => in_directory(&archive.root(), self.inside().as_ref()),
            Kind::Git(commit) => {
                let below = self.inside();
                let skills = commit.skills(below.as_ref());
                let skills = skills.map_err(|it| self.git_failed(it))?;
                let found = skills.into_iter().map(|skill| FoundSkill {
                    name: self.directory_name(skill.directory.as_ref()),
                    description: None,
                    directory: skill.directory,
                    file: Some(skill.file),
                });
                Ok(found.collect())
            }
            Kind::Index(index) => Ok(index.skills()),
            Kind::Registry(package) => Ok(vec![package.skill()]),
        }
    }

    /// Reads names and descriptions that were not read yet, all at once.
    pub fn describe(&self, skills: &mut [FoundSkill]) -> Result<(), FetchError> {
        let Kind::Git(commit) = &self.kind else {
            return Ok(());
        };
        let mut missing: Vec<(&mut FoundSkill, SkillPath)> = skills
            .iter_mut()
            .filter_map(|skill| {
                let file = skill.file.take()?;
                Some((skill, file))
            })
            .collect();
        let files: Vec<SkillPath> = missing.iter().map(|(_, file)| file.clone()).collect();
        let texts = commit.read(&files).map_err(|it| self.git_failed(it))?;
        for ((skill, _), text) in missing.iter_mut().zip(texts) {
            let text = text.unwrap_or_default();
            let head = head(&text, Some(&skill.name));
            skill.description = Some(String::new());
            if let Some(head) = head {
                let (name, description) = (head.name.into_owned(), head.description.into_owned());
                skill.name = name;
                skill.description = Some(description);
            }
        }
        Ok(())
    }

    /// Fetches the files of several skills of a repository together; then [`tree`](Self::tree) of each needs no request.
    pub fn prepare<'s>(
        &self,
        directories: impl IntoIterator<Item = Option<&'s SkillPath>>,
    ) -> Result<(), FetchError> {
        match &self.kind {
            Kind::Git(commit) => commit
                .prepare(directories)
                .map_err(|it| self.git_failed(it)),
            Kind::Directory(_) | Kind::Archive(_) | Kind::Index(_) | Kind::Registry(_) => Ok(()),
        }
    }

    /// The files of a skill, and what was left out.
    pub fn tree(&self, skill: &FoundSkill) -> Result<(PackageTree, Vec<String>), FetchError> {
        let unusable = |source| FetchError::Tree {
            name: skill.name.clone(),
            source,
        };
        let directory = skill.directory.as_ref();
        let below = |root: &Path| directory.map_or(root.to_owned(), |it| root.join(it.as_str()));
        match &self.kind {
            Kind::Directory(root) => PackageTree::read_directory(&below(root)).map_err(unusable),
            Kind::Archive(archive) => {
                PackageTree::read_directory(&below(&archive.root())).map_err(unusable)
            }
            Kind::Git(commit) => {
                let found = commit.files(directory).map_err(|it| self.git_failed(it))?;
                let files = found.files.into_iter().map(|file| {
                    let (bytes, executable) = (file.bytes, file.executable);
                    (file.path, PackageFile { bytes, executable })
                });
                let tree = PackageTree::new(files).map_err(unusable)?;
                Ok((tree, found.warnings))
            }
            Kind::Index(index) => {
                let tree = block_on(index.tree(&skill.name))?;
                Ok((tree, Vec::new()))
            }
            Kind::Registry(package) => Ok((package.tree.clone(), Vec::new())),
        }
    }

    /// The files of the skill that a reference of the lock file names.
    pub fn tree_at(
        &self,
        reference: &PackageReference,
    ) -> Result<(PackageTree, Vec<String>), FetchError> {
        let (name, directory) = match reference {
            PackageReference::Git(location) => (None, location.path.clone()),
            PackageReference::Archive(_, inside) => (None, inside.clone()),
            PackageReference::ArchiveUrl(url) => (None, fragment(url)),
            PackageReference::Index(url) => (url.fragment(), None),
            PackageReference::Directory(_) | PackageReference::Registry { .. } => (None, None),
        };
        self.tree(&FoundSkill {
            name: name.map_or_else(|| reference.to_string(), str::to_owned),
            description: None,
            directory,
            file: None,
        })
    }

    /// The reference of one skill, as the lock file has it. Paths are relative to `base` where they are below it.
    pub fn reference_of(&self, skill: &FoundSkill, base: &Path) -> PackageReference {
        let directory = skill.directory.clone();
        match &self.reference {
            PackageReference::Directory(path) => {
                let path = directory.map_or(path.clone(), |it| path.join(it.as_str()));
                PackageReference::Directory(relative_to(&path, base))
            }
            PackageReference::Archive(path, _) => {
                PackageReference::Archive(relative_to(path, base), directory)
            }
            PackageReference::ArchiveUrl(url) => {
                let mut url = url.clone();
                url.set_fragment(directory.as_ref().map(SkillPath::as_str));
                PackageReference::ArchiveUrl(url)
            }
            PackageReference::Index(url) => {
                let mut url = url.clone();
                url.set_fragment(Some(&skill.name));
                PackageReference::Index(url)
            }
            PackageReference::Git(location) => PackageReference::Git(GitPlace {
                path: directory,
                ..location.clone()
            }),
            other @ PackageReference::Registry { .. } => other.clone(),
        }
    }

    /// The directory of the package that the reference names.
    fn inside(&self) -> Option<SkillPath> {
        match &self.reference {
            PackageReference::Archive(_, inside) => inside.clone(),
            PackageReference::ArchiveUrl(url) => fragment(url),
            PackageReference::Git(location) => location.path.clone(),
            _ => None,
        }
    }

    /// The name of a directory; the package itself is named after its reference.
    fn directory_name(&self, directory: Option<&SkillPath>) -> String {
        let path = match (directory, &self.reference) {
            (Some(directory), _) => directory.as_str().to_owned(),
            (None, PackageReference::Git(location)) => location
                .repository
                .expose()
                .trim_end_matches(".git")
                .to_owned(),
            (None, other) => other.to_string(),
        };
        path.rsplit('/').next().unwrap_or_default().to_owned()
    }

    fn git_failed(&self, source: SourceError) -> FetchError {
        git_failed(&self.reference.to_string(), source)
    }
}

/// The directory in an archive that a URL names.
fn fragment(url: &Url) -> Option<SkillPath> {
    let decoded = percent_decode_str(url.fragment()?).decode_utf8();
    SkillPath::parse(&decoded.ok()?).ok()
}

/// The signature beside an archive. A server may refuse what it does not have; a signature that is required is missed later.
async fn signature(url: &Url, remote: &RemoteOptions) -> Result<Option<String>, FetchError> {
    match download(url, SIGNATURE_BYTES, remote).await {
        Ok(signature) => Ok(signature.and_then(|it| String::from_utf8(it).ok())),
        Err(FetchError::Refused { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

fn git_failed(url: &str, source: SourceError) -> FetchError {
    FetchError::Git {
        url: url.to_owned(),
        source,
    }
}

impl UnpackedArchive {
    fn new(
        bytes: Vec<u8>,
        signature: Option<String>,
        reference: &PackageReference,
    ) -> Result<Self, FetchError> {
        let directory = TempDir::new()?;
        let tree = directory.path().join(ROOT);
        let reader = io::Cursor::new(bytes.as_slice());
        unpack(reader, &tree, &Limits::default()).map_err(|source| FetchError::Archive {
            name: reference.to_string(),
            source,
        })?;
        Ok(Self {
            directory,
            bytes,
            signature,
        })
    }
}

impl UnpackedArchive {
    fn root(&self) -> PathBuf {
        self.directory.path().join(ROOT)
    }
}

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let file: File = open_without_waiting(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    io::Read::read_to_end(
        &mut io::Read::take(file, ARCHIVE_BYTES as u64 + 1),
        &mut bytes,
    )?;
    if bytes.len() > ARCHIVE_BYTES {
        return Err(io::Error::other("larger than 100 MiB"));
    }
    Ok(bytes)
}

/// The signature of an archive, from the file beside it. What is there and cannot be read is no missing signature.
fn signature_beside(archive: &Path) -> Result<Option<String>, FetchError> {
    let path = archive.with_added_extension("minisig");
    let directory = path.parent().unwrap_or(Path::new(""));
    let failed = |error| unreadable(&path, error);
    let bytes = read_beneath(directory, &path, SIGNATURE_BYTES as u64)
        .map_err(|refusal| failed(io::Error::other(refusal)))?;
    let text = bytes.map(String::from_utf8).transpose();
    text.map_err(|error| failed(io::Error::new(io::ErrorKind::InvalidData, error)))
}

/// The skills below a directory, by their heads.
pub(crate) fn in_directory(
    root: &Path,
    below: Option<&SkillPath>,
) -> Result<Vec<FoundSkill>, FetchError> {
    let options = FilesystemOptions {
        root: Root::Repository,
        links: Links::Below([root.to_owned()].into()),
        ..FilesystemOptions::new(Scope::Remote)
    };
    let source = FilesystemSource::new(root, options);
    let failed = |error: SourceError| unreadable(root, io::Error::other(error.to_string()));
    let snapshot = block_on(source.snapshot()).map_err(failed)?;
    let valid = snapshot.skills.iter().zip(&snapshot.directories);
    let valid = valid.map(|(skill, directory)| FoundSkill {
        name: skill.name().to_owned(),
        description: Some(skill.description.to_string()),
        directory: SkillPath::parse(directory).ok(),
        file: None,
    });
    // A skill that does not load can be looked at, and installed by force.
    let invalid = snapshot.invalid.iter().map(|invalid| {
        let directory = Path::new(&invalid.path).parent().unwrap_or(Path::new(""));
        let name = directory.file_name().unwrap_or_default();
        FoundSkill {
            name: name.to_string_lossy().into_owned(),
            description: Some(String::new()),
            directory: directory.to_str().and_then(|it| SkillPath::parse(it).ok()),
            file: None,
        }
    });
    let mut found: Vec<FoundSkill> = valid.chain(invalid).collect();
    if let Some(below) = below {
        let is_below = |skill: &FoundSkill| {
            let directory = skill.directory.as_ref().map_or("", SkillPath::as_str);
            let rest = directory.strip_prefix(below.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        found.retain(is_below);
    }
    found.sort_by(|a, b| a.directory.cmp(&b.directory));
    found.dedup_by(|a, b| a.directory == b.directory);
    Ok(found)
}

/// A path as the lock file has it: relative where it is below `base`.
fn relative_to(path: &Path, base: &Path) -> PathBuf {
    let real = fs::canonicalize(base.join(path)).unwrap_or_else(|_| base.join(path));
    let base = fs::canonicalize(base).unwrap_or_else(|_| base.to_owned());
    match real.strip_prefix(&base) {
        Ok(inside) => Path::new(".").join(inside),
        Err(_) => real,
    }
}

fn unreadable(path: &Path, source: io::Error) -> FetchError {
    FetchError::Read {
        path: path.to_owned(),
        source,
    }
}
