//! The files of one skill, in memory.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::io::{self, Read, Seek};
use std::path::Path;

use prowess_archive::{EntryKind, Limits, Mode, fold, limits, plugin_files, walk};
use prowess_policy::ContentDigest;
use prowess_sources::{is_temporary, open_without_waiting};
use prowess_spec::{
    Context, MANIFEST_FILE, SKILL_FILE, SkillName, SkillPath, is_skill_file, manifest, parse,
};
use semver::Version;
use sha2::{Digest, Sha256};

/// The files of one skill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackageTree {
    files: BTreeMap<SkillPath, PackageFile>,
    bytes: u64,
}

/// A file of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageFile {
    /// The content.
    pub bytes: Vec<u8>,
    /// Whether it is a program.
    pub executable: bool,
}

/// Why the files of a skill cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// There are too many.
    #[error("more than {} files", limits::ENTRIES)]
    TooManyFiles,
    /// They are too large.
    #[error("larger than {} MiB", limits::TOTAL_BYTES / (1024 * 1024))]
    TooLarge,
    /// Two names are one file on some systems.
    #[error("`{0}` and `{1}` are the same file on systems that ignore case or Unicode form")]
    Clash(SkillPath, SkillPath),
    /// A name is that of a file and of a directory, as after a merge of a version that has the one with one that has the
    /// other.
    #[error("`{0}` is a file, and a directory with `{1}`: rename or remove one of them")]
    FileAndDirectory(SkillPath, SkillPath),
    /// A name cannot be stored.
    #[error("invalid file name `{}`", .0.escape_debug())]
    Name(String),
    /// A file cannot be read.
    #[error("cannot read `{path}`")]
    Read {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// The archive is invalid.
    #[error(transparent)]
    Archive(#[from] prowess_archive::Error),
}

/// A skill as it may be written where agents look for skills: without the files of a plugin, which some of them run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstallableTree(PackageTree);

impl InstallableTree {
    /// The files.
    pub fn files(&self) -> &PackageTree {
        &self.0
    }
}

impl From<PackageTree> for InstallableTree {
    fn from(tree: PackageTree) -> Self {
        tree.installable().0
    }
}

/// Files that belong to tools and not to a skill.
const LEFT_OUT: [&str; 4] = [".git", ".DS_Store", "__pycache__", "node_modules"];

impl PackageTree {
    /// Creates a tree from files.
    pub fn new(
        files: impl IntoIterator<Item = (SkillPath, PackageFile)>,
    ) -> Result<Self, TreeError> {
        let mut tree = Self::default();
        for (path, file) in files {
            tree.insert(path, file)?;
        }
        tree.check_names()?;
        Ok(tree)
    }

    fn insert(&mut self, path: SkillPath, file: PackageFile) -> Result<(), TreeError> {
        self.bytes += file.bytes.len() as u64;
        if self.bytes > limits::TOTAL_BYTES {
            return Err(TreeError::TooLarge);
        }
        if self.files.len() as u64 >= limits::ENTRIES {
            return Err(TreeError::TooManyFiles);
        }
        self.files.insert(path, file);
        Ok(())
    }

    /// No two paths may be one file anywhere.
    fn check_names(&self) -> Result<(), TreeError> {
        let mut seen: BTreeMap<String, &str> = BTreeMap::new();
        for path in self.files.keys() {
            let mut folded = String::new();
            let mut end = 0;
            for part in path.as_str().split('/') {
                end += part.len() + usize::from(end > 0);
                folded.push('/');
                folded.push_str(&fold(part));
                let written = path.as_str().get(..end).unwrap_or_default();
                if end < path.as_str().len()
                    && let Ok(file) = SkillPath::parse(written)
                    && self.files.contains_key(&file)
                {
                    return Err(TreeError::FileAndDirectory(file, path.clone()));
                }
                match seen.entry(folded.clone()) {
                    Entry::Vacant(new) => {
                        new.insert(written);
                    }
                    Entry::Occupied(before) if *before.get() == written => {}
                    Entry::Occupied(before) => {
                        let before = SkillPath::parse(before.get()).unwrap_or(path.clone());
                        return Err(TreeError::Clash(before, path.clone()));
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads a directory; returns what was left out, too. Links that stay inside are read as what they lead to.
    pub fn read_directory(directory: &Path) -> Result<(Self, Vec<String>), TreeError> {
        let mut reader = DirectoryReader {
            root: fs::canonicalize(directory).map_err(|it| unreadable("", it))?,
            tree: Self::default(),
            left_out: Vec::new(),
        };
        reader.directory(directory, "", 0)?;
        reader.tree.check_names()?;
        Ok((reader.tree, reader.left_out))
    }

    /// Reads an archive of one skill, whose files may be below one directory.
    pub fn read_archive(reader: impl Read + Seek) -> Result<Self, TreeError> {
        let mut tree = Self::default();
        let mut failed = None;
        walk(reader, &Limits::default(), |entry, content| {
            if let EntryKind::File(mode) = &entry.kind {
                let mut bytes = Vec::new();
                content.read_to_end(&mut bytes)?;
                let executable = *mode == Mode::Executable;
                let file = PackageFile { bytes, executable };
                if let Err(error) = tree.insert(entry.path.clone(), file) {
                    failed.get_or_insert(error);
                }
            }
            Ok(())
        })?;
        match failed {
            Some(error) => Err(error),
            None => Ok(tree.without_outer_directory()),
        }
    }

    /// An archive often has one directory around everything.
    fn without_outer_directory(self) -> Self {
        let first = self.files.keys().next();
        let outer = first.and_then(|it| it.as_str().split_once('/'));
        let Some(outer) = outer.map(|(outer, _)| format!("{outer}/")) else {
            return self;
        };
        let is_around = self.get(&format!("{outer}{SKILL_FILE}")).is_some();
        let inner = |path: &SkillPath| SkillPath::parse(path.as_str().strip_prefix(&outer)?).ok();
        if !is_around || self.files.keys().any(|it| inner(it).is_none()) {
            return self;
        }
        let bytes = self.bytes;
        let files = self.files.into_iter();
        let files = files.filter_map(|(path, file)| Some((inner(&path)?, file)));
        Self {
            files: files.collect(),
            bytes,
        }
    }

    /// The files, sorted by path.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (&SkillPath, &PackageFile)> {
        self.files.iter()
    }

    /// A file.
    pub fn get(&self, path: &str) -> Option<&PackageFile> {
        self.files.get(&SkillPath::parse(path).ok()?)
    }

    /// Those of its files that make a plugin of it.
    pub fn plugin_files(&self) -> Vec<SkillPath> {
        let paths = self.files.keys().map(SkillPath::as_str);
        let found = plugin_files(paths, |path| Some(self.get(path)?.bytes.clone()));
        let own = self.files.keys();
        own.filter(|path| found.contains(path.as_str()))
            .cloned()
            .collect()
    }

    /// The files that may be installed, and the names of the others.
    pub fn installable(mut self) -> (InstallableTree, Vec<SkillPath>) {
        let left_out = self.plugin_files();
        for path in &left_out {
            let file = self.files.remove(path);
            self.bytes -= file.map_or(0, |file| file.bytes.len() as u64);
        }
        (InstallableTree(self), left_out)
    }

    /// The size of all files.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The digest of each file.
    pub fn digests(&self) -> BTreeMap<SkillPath, ContentDigest> {
        let digest = |file: &PackageFile| ContentDigest(Sha256::digest(&file.bytes).into());
        let digests = self
            .files()
            .map(|(path, file)| (path.clone(), digest(file)));
        digests.collect()
    }

    /// The `SKILL.md`, however its case.
    pub fn skill_file(&self) -> Option<&PackageFile> {
        let file = self.files().find(|(path, _)| is_skill_file(path.as_str()));
        self.get(SKILL_FILE).or(file.map(|(_, file)| file))
    }

    /// The name in `SKILL.md`, or else in `SKILL.yaml`.
    pub fn name(&self) -> Option<SkillName> {
        let context = Context::default();
        let skill = self
            .skill_file()
            .and_then(|it| parse(&it.bytes, &context).skill);
        let manifest = || {
            let file = self.get(MANIFEST_FILE)?;
            Some(manifest::parse(&file.bytes, &context, None).manifest?.name)
        };
        skill.map(|skill| skill.name).or_else(manifest)
    }

    /// The version: that of `SKILL.yaml`, else of `metadata`, else of the field that some clients have.
    pub fn version(&self) -> Option<String> {
        let context = Context::default();
        let manifest = self.get(MANIFEST_FILE);
        let manifest = manifest.and_then(|it| manifest::parse(&it.bytes, &context, None).manifest);
        let skill = || {
            let skill = parse(&self.skill_file()?.bytes, &context).skill?;
            let stated = skill.metadata.into_iter().find(|(key, _)| key == "version");
            stated.map(|(_, version)| version).or(skill.client.version)
        };
        manifest.map(|it| it.version.to_string()).or_else(skill)
    }

    /// The same as a version of a registry: parts that are missing are 0, so `1.10` is `1.10.0`.
    pub fn package_version(&self) -> Option<Version> {
        let text = self.version()?;
        let padded = match text.bytes().filter(|it| *it == b'.').count() {
            0 => format!("{text}.0.0"),
            1 => format!("{text}.0"),
            _ => text,
        };
        Version::parse(&padded).ok()
    }

    /// The same skill under another name: the `name` in its `SKILL.md` and `SKILL.yaml` is replaced.
    #[must_use]
    pub fn renamed(mut self, name: &SkillName) -> Self {
        for (path, file) in &mut self.files {
            if is_skill_file(path.as_str()) || path.as_str() == MANIFEST_FILE {
                let before = file.bytes.len() as u64;
                rename(&mut file.bytes, name);
                self.bytes = self.bytes + file.bytes.len() as u64 - before;
            }
        }
        self
    }
}

/// Replaces the value of the first `name:` at the beginning of a line.
fn rename(bytes: &mut Vec<u8>, name: &SkillName) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let mut out = String::with_capacity(text.len());
    let mut done = false;
    for line in text.split_inclusive('\n') {
        if !done && line.starts_with("name:") {
            let ending = line.trim_end_matches(['\r', '\n']).len();
            out.push_str("name: ");
            out.push_str(name.as_str());
            out.push_str(line.get(ending..).unwrap_or_default());
            done = true;
        } else {
            out.push_str(line);
        }
    }
    *bytes = out.into_bytes();
}

/// The digest of a skill: that of the paths and digests of its files.
pub fn digest_of(files: &BTreeMap<SkillPath, ContentDigest>) -> ContentDigest {
    let mut hasher = Sha256::new();
    for (path, digest) in files {
        hasher.update((path.as_str().len() as u64).to_le_bytes());
        hasher.update(path.as_str());
        hasher.update(digest.0);
    }
    ContentDigest(hasher.finalize().into())
}

struct DirectoryReader {
    root: std::path::PathBuf,
    tree: PackageTree,
    left_out: Vec<String>,
}

impl DirectoryReader {
    fn directory(&mut self, directory: &Path, inside: &str, depth: usize) -> Result<(), TreeError> {
        let entries = fs::read_dir(directory).map_err(|it| unreadable(inside, it))?;
        for entry in entries {
            let entry = entry.map_err(|it| unreadable(inside, it))?;
            let name = entry.file_name();
            let name = name
                .to_str()
                .ok_or_else(|| TreeError::Name(name.to_string_lossy().into_owned()))?;
            let path = if inside.is_empty() {
                name.to_owned()
            } else {
                format!("{inside}/{name}")
            };
            if is_temporary(name) {
                continue;
            }
            if LEFT_OUT.contains(&name) {
                self.left_out.push(format!("{path}: not part of a skill"));
                continue;
            }
            let kind = entry.file_type().map_err(|it| unreadable(&path, it))?;
            let is_directory = if kind.is_symlink() {
                let Some(target) = self.target(&entry.path()) else {
                    self.left_out
                        .push(format!("{path}: a link that leaves the skill"));
                    continue;
                };
                target.is_dir()
            } else {
                kind.is_dir()
            };
            if is_directory && depth < limits::DEPTH {
                self.directory(&entry.path(), &path, depth + 1)?;
            } else if is_directory {
                self.left_out.push(format!("{path}: nested too deep"));
            } else {
                self.file(&entry.path(), &path)?;
            }
        }
        Ok(())
    }

    /// The file or directory that a link leads to, if it is inside.
    fn target(&self, link: &Path) -> Option<std::path::PathBuf> {
        let target = fs::canonicalize(link).ok()?;
        (target.starts_with(&self.root) && target != self.root).then_some(target)
    }

    fn file(&mut self, file: &Path, path: &str) -> Result<(), TreeError> {
        let inside = SkillPath::parse(path).ok().filter(|it| it.as_str() == path);
        let inside = inside.ok_or_else(|| TreeError::Name(path.to_owned()))?;
        let opened = open_without_waiting(file).map_err(|it| unreadable(path, it))?;
        let metadata = opened.metadata().map_err(|it| unreadable(path, it))?;
        if !metadata.is_file() {
            self.left_out.push(format!("{path}: not a regular file"));
            return Ok(());
        }
        if metadata.len() > limits::FILE_BYTES {
            return Err(TreeError::TooLarge);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
        let mut bounded = opened.take(limits::FILE_BYTES + 1);
        bounded
            .read_to_end(&mut bytes)
            .map_err(|it| unreadable(path, it))?;
        #[cfg(unix)]
        let executable =
            std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
        #[cfg(not(unix))]
        let executable = false;
        self.tree.insert(inside, PackageFile { bytes, executable })
    }
}

fn unreadable(path: &str, source: io::Error) -> TreeError {
    TreeError::Read {
        path: path.to_owned(),
        source,
    }
}
