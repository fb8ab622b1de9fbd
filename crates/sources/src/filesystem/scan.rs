//! Finding every skill below a root, in parallel, reading only the head of each file.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use hashbrown::{DefaultHashBuilder, HashTable};
use prowess_core::{CollectionPath, Descriptor, Invalid, SkillId, Snapshot};
use prowess_spec::limits::FRONTMATTER_BYTES;
use prowess_spec::manifest::stand_in;
use prowess_spec::{
    Context, Head, MANIFEST_FILE, Profile, SKILL_FILE, SkillName, choose_skill_file, head,
    head_of_start, head_with_diagnostics, is_skill_file, is_valid,
};
use rayon::Scope;
use rayon::slice::ParallelSliceMut;

use super::{FilesystemOptions, Links, Strictness};
use crate::agents::in_project;
use crate::collection::{COLLECTION_BYTES, COLLECTION_FILE, collection_of, description, parent};
use crate::open::{OpenDirectory, changed, open_in};

/// Bytes that hold the frontmatter of nearly every file.
const FIRST_READ: usize = 4096;
/// Bytes in which a frontmatter within its bound must end.
const LAST_READ: usize = FRONTMATTER_BYTES + FIRST_READ;
/// Directories that one task looks at.
const CHUNK: usize = 64;
/// Why a directory is not searched.
const LEAVES: &str =
    "leaves the project; to use what it leads to, name that directory in `prowess.toml`";

/// The result of a scan, and the data to check whether it is current.
pub(super) struct Scan {
    snapshot: Arc<Snapshot>,
    /// For each skill of the snapshot, the identity of its file.
    stamps: Vec<Stamp>,
    /// The positions of skills, by directory; made for the next scan.
    by_directory: OnceLock<HashTable<u32>>,
    hasher: DefaultHashBuilder,
}

/// A skill that was found.
struct Found {
    descriptor: Descriptor,
    directory: Box<str>,
    stamp: Stamp,
}

/// The identity of a file that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Stamp {
    seconds: i64,
    nanoseconds: i64,
    length: u64,
}

impl Stamp {
    fn new((seconds, nanoseconds, length): (i64, i64, u64)) -> Self {
        Self {
            seconds,
            nanoseconds,
            length,
        }
    }

    /// The same as one number.
    fn number(self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

impl Scan {
    pub(super) fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// The directory of a skill, relative to the root. Among several of one id the first counts.
    pub(super) fn directory(&self, id: &SkillId) -> Option<&str> {
        let index = self.snapshot.skills.partition_point(|skill| skill.id < *id);
        let skill = self
            .snapshot
            .skills
            .get(index)
            .filter(|skill| skill.id == *id);
        skill
            .and_then(|_| self.snapshot.directories.get(index))
            .map(|directory| &**directory)
    }

    /// The skill in a directory: its index, and what its file looked like.
    fn known(&self, directory: &str) -> Option<(usize, Stamp)> {
        let directories = &self.snapshot.directories;
        let is_it = |index: &u32| {
            let known = directories.get(*index as usize);
            known.is_some_and(|known| &**known == directory)
        };
        let by_directory = self.by_directory.get_or_init(|| self.index());
        let index = by_directory.find(self.hasher.hash_one(directory), is_it)?;
        let index = *index as usize;
        Some((index, *self.stamps.get(index)?))
    }

    fn index(&self) -> HashTable<u32> {
        let directories = &self.snapshot.directories;
        let hash = |index: &u32| {
            let directory: Option<&Box<str>> = directories.get(*index as usize);
            self.hasher
                .hash_one(directory.map_or("", |directory| &**directory))
        };
        let count = directories.len();
        let mut by_directory = HashTable::with_capacity(count);
        for index in 0..u32::try_from(count).unwrap_or(u32::MAX) {
            by_directory.insert_unique(hash(&index), index, hash);
        }
        by_directory
    }
}

/// Scans `root`; where nothing changed since `previous`, that comes back.
pub(super) fn scan(
    root: &Path,
    options: &FilesystemOptions,
    previous: Option<&Arc<Scan>>,
) -> Arc<Scan> {
    let allowed = match &options.links {
        Links::Anywhere => None,
        Links::Below(directories) => {
            let real = directories.iter().map(fs::canonicalize);
            Some(real.filter_map(Result::ok).collect())
        }
    };
    let walk = Walk {
        root,
        directory: OpenDirectory::new(root),
        options,
        allowed,
        previous: previous.map(Arc::as_ref),
        visited: AtomicUsize::new(0),
        hidden: AtomicUsize::new(0),
        state: Mutex::default(),
    };
    match fs::metadata(root) {
        Ok(metadata) if metadata.is_dir() && !walk.may_lead_to(root) => {
            walk.warn(format!("{} is a link that {LEAVES}", name_of(root)));
        }
        Ok(metadata) if metadata.is_dir() => {
            rayon::scope(|scope| walk.visit_all(scope, &[String::new()], 0));
        }
        Ok(_) => walk.warn(format!("{} is not a directory", name_of(root))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if !options.awaited {
                walk.warn(format!("{} does not exist", name_of(root)));
            }
        }
        Err(error) => walk.warn(format!("cannot read {}: {}", name_of(root), error.kind())),
    }
    let hidden = walk.hidden.into_inner();
    let mut state = walk
        .state
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    state.hidden = hidden;
    if let Some(previous) = previous
        && state.is_same_as(previous)
    {
        return Arc::clone(previous);
    }
    Arc::new(state.finish(previous.map(Arc::as_ref)))
}

/// The last component of a path: messages can reach a model, which must not learn local paths.
fn name_of(path: &Path) -> String {
    path.file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}

struct Walk<'w> {
    root: &'w Path,
    directory: OpenDirectory<'w>,
    options: &'w FilesystemOptions,
    /// Where links may lead, without links on the way; none if anywhere.
    allowed: Option<Vec<PathBuf>>,
    previous: Option<&'w Scan>,
    visited: AtomicUsize,
    hidden: AtomicUsize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Skills whose file is as it was: indices into the previous scan.
    same: Vec<usize>,
    fresh: Vec<Found>,
    invalid: Vec<Invalid>,
    collections: BTreeMap<CollectionPath, String>,
    warnings: Vec<String>,
    hidden: usize,
}

impl State {
    fn is_same_as(&self, previous: &Scan) -> bool {
        self.fresh.is_empty()
            && self.same.len() == previous.stamps.len()
            && self.invalid.is_empty()
            && previous.snapshot.invalid.is_empty()
            && self.collections == previous.snapshot.collections
            && self.warnings == previous.snapshot.warnings
            && self.hidden == previous.snapshot.hidden
    }

    fn finish(mut self, previous: Option<&Scan>) -> Scan {
        if let Some(previous) = previous {
            let old = |index: &usize| {
                Some(Found {
                    descriptor: previous.snapshot.skills.get(*index)?.clone(),
                    directory: previous.snapshot.directories.get(*index)?.clone(),
                    stamp: *previous.stamps.get(*index)?,
                })
            };
            self.fresh.extend(self.same.iter().filter_map(old));
        }
        // Positions are sorted, because skills are large.
        let fresh = &self.fresh;
        let key = |at: usize| fresh.get(at).map(|it| (&it.descriptor.id, &it.directory));
        let mut order: Vec<usize> = (0..fresh.len()).collect();
        order.par_sort_unstable_by(|a, b| key(*a).cmp(&key(*b)));
        self.invalid.sort_by(|a, b| a.path.cmp(&b.path));
        self.warnings.sort();
        let count = order.len();
        let (mut skills, mut directories) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut stamps = Vec::with_capacity(count);
        let mut fresh: Vec<Option<Found>> = self.fresh.into_iter().map(Some).collect();
        for found in order.into_iter().filter_map(|at| fresh.get_mut(at)?.take()) {
            skills.push(found.descriptor);
            directories.push(found.directory);
            stamps.push(found.stamp);
        }
        Scan {
            snapshot: Arc::new(Snapshot {
                skills,
                directories,
                invalid: self.invalid,
                collections: self.collections,
                warnings: self.warnings,
                hidden: self.hidden,
            }),
            stamps,
            by_directory: OnceLock::new(),
            hasher: DefaultHashBuilder::default(),
        }
    }
}

impl Walk<'_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn warn(&self, warning: String) {
        let warnings = &mut self.lock().warnings;
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    /// Looks at directories of one depth.
    fn visit_all<'scope>(
        &'scope self,
        scope: &Scope<'scope>,
        directories: &[String],
        depth: usize,
    ) {
        let before = self.visited.fetch_add(directories.len(), Ordering::Relaxed);
        let limit = self.options.max_entries;
        // The root itself does not count.
        let room = (limit + 1).saturating_sub(before);
        if directories.len() > room {
            self.warn(format!("stopped: more than {limit} directories"));
        }
        let mut same = Vec::new();
        for directory in directories.iter().take(room) {
            match self.unchanged(directory) {
                Some(index) => same.push(index),
                None => self.visit(scope, directory, depth),
            }
        }
        self.lock().same.append(&mut same);
    }

    /// The skill of the previous scan that is still in a directory as it was.
    fn unchanged(&self, directory: &str) -> Option<usize> {
        let (index, stamp) = self.previous?.known(directory)?;
        let now = self.directory.changed(directory, SKILL_FILE).ok()?;
        (Stamp::new(now) == stamp).then_some(index)
    }

    /// Looks at a directory: a skill, or something with directories below it.
    fn visit<'scope>(&'scope self, scope: &Scope<'scope>, directory: &str, depth: usize) {
        match self.try_standard(directory) {
            Ok(true) => {}
            Ok(false) => match self.list(&self.root.join(directory), directory, depth) {
                Ok(below) => self.descend(scope, below, depth),
                Err(error) => self.warn(format!(
                    "cannot read {}: {}",
                    shown(directory),
                    error.kind()
                )),
            },
            Err(error) => self.invalid(&format!("{directory}/{SKILL_FILE}"), &error),
        }
    }

    fn descend<'scope>(&'scope self, scope: &Scope<'scope>, below: Vec<String>, depth: usize) {
        if below.is_empty() {
            return;
        }
        if depth >= self.options.max_depth {
            let limit = self.options.max_depth;
            return self.warn(format!(
                "directories nested more than {limit} deep are ignored"
            ));
        }
        let mut below = below.into_iter();
        loop {
            let chunk: Vec<String> = below.by_ref().take(CHUNK).collect();
            if chunk.is_empty() {
                break;
            }
            scope.spawn(move |scope| self.visit_all(scope, &chunk, depth + 1));
        }
    }

    fn invalid(&self, path: &str, error: &io::Error) {
        let is_link = || self.root.join(path).is_symlink();
        if error.kind() == io::ErrorKind::PermissionDenied && is_link() {
            self.warn(format!("{path} is a link that leaves the skill"));
        } else {
            self.warn(format!("cannot read {path}: {}", error.kind()));
        }
    }

    /// Takes the skill in a directory that has the standard's file; whether it has.
    fn try_standard(&self, directory: &str) -> io::Result<bool> {
        match self.directory.open_in(directory, SKILL_FILE) {
            Ok(file) => self.take(file, directory, SKILL_FILE).map(|()| true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The directories below one that has no `SKILL.md`; with another spelling it is a skill after all.
    fn list(&self, path: &Path, directory: &str, depth: usize) -> io::Result<Vec<String>> {
        let mut below = Vec::new();
        let mut spellings = Vec::new();
        let mut described = false;
        let mut manifest = false;
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                self.warn(format!("a file name in {} is not UTF-8", shown(directory)));
                continue;
            };
            if is_skill_file(&name) {
                spellings.push(name);
            } else if name == MANIFEST_FILE {
                manifest = true;
            } else if name == COLLECTION_FILE {
                described = true;
            } else if name.starts_with('.') {
                // Links could lead anywhere, or back here.
                if !entry.file_type()?.is_dir() {
                    continue;
                }
                let known: Vec<&str> = in_hidden(&name)
                    .filter(|below| is_real_directory(path, below))
                    .collect();
                if known.is_empty() {
                    self.hidden.fetch_add(1, Ordering::Relaxed);
                }
                below.extend(known.into_iter().map(|known| joined(directory, known)));
            } else if name != "node_modules" {
                let kind = entry.file_type()?;
                let link = kind.is_symlink() && depth == 0 && self.follows(&entry.path(), &name);
                if kind.is_dir() || link {
                    below.push(joined(directory, &name));
                }
            }
        }
        let names: Vec<&str> = spellings.iter().map(String::as_str).collect();
        if let Some((name, _)) = choose_skill_file(&names) {
            self.take(open_in(path, name)?, directory, name)?;
            return Ok(Vec::new());
        }
        if manifest {
            self.take_manifest(open_in(path, MANIFEST_FILE)?, directory)?;
            return Ok(Vec::new());
        }
        if described {
            self.describe(path, directory);
        }
        Ok(below)
    }

    /// Whether a link leads to a directory that may be searched and does not hold the root itself.
    fn follows(&self, link: &Path, name: &str) -> bool {
        let (Ok(target), Ok(root)) = (fs::canonicalize(link), fs::canonicalize(self.root)) else {
            return false;
        };
        if !target.is_dir() || root.starts_with(&target) {
            return false;
        }
        let may = self.may_lead_to(&target);
        if !may {
            self.warn(format!("{name} is a link that {LEAVES}"));
        }
        may
    }

    fn may_lead_to(&self, path: &Path) -> bool {
        let Some(allowed) = &self.allowed else {
            return true;
        };
        let real = fs::canonicalize(path);
        real.is_ok_and(|real| allowed.iter().any(|allowed| real.starts_with(allowed)))
    }

    fn describe(&self, path: &Path, directory: &str) {
        let Some(collection) = collection_of(directory, self.options.root) else {
            return;
        };
        let mut bytes = Vec::new();
        let read = open_in(path, COLLECTION_FILE)
            .and_then(|file| file.take(COLLECTION_BYTES).read_to_end(&mut bytes));
        if let (Ok(_), Some(line)) = (read, description(&bytes)) {
            self.lock().collections.insert(collection, line);
        }
    }

    /// Reads the head of a skill's file.
    fn take(&self, mut file: File, directory: &str, name: &str) -> io::Result<()> {
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        let mut buffer = [0; FIRST_READ];
        let length = file.read(&mut buffer)?;
        let first = buffer.get(..length).unwrap_or_default();
        let own_name = self.own_name(directory);
        let strict = self.options.strictness == Strictness::Strict;
        if !strict && let Some(head) = head_of_start(first, Some(&own_name)) {
            self.accept(&head, directory, &metadata);
            return Ok(());
        }
        // Longer than usual, or invalid: read on and report the diagnostics.
        let mut bytes = first.to_vec();
        if length == FIRST_READ {
            file.take((LAST_READ - length) as u64)
                .read_to_end(&mut bytes)?;
        }
        let (head, diagnostics) = head_with_diagnostics(&bytes, Some(&own_name));
        let valid = !strict || is_valid(&diagnostics, Profile::Check);
        if let Some(head) = head.filter(|_| valid) {
            self.accept(&head, directory, &metadata);
        } else {
            let invalid = Invalid::new(joined(directory, name), diagnostics);
            self.lock().invalid.push(invalid);
        }
        Ok(())
    }

    /// Reads the manifest of a skill that has nothing else.
    fn take_manifest(&self, file: File, directory: &str) -> io::Result<()> {
        let metadata = file.metadata()?;
        let mut bytes = Vec::new();
        file.take(FRONTMATTER_BYTES as u64 + 1)
            .read_to_end(&mut bytes)?;
        let own_name = self.own_name(directory);
        let context = Context {
            directory: Some(&own_name),
            ..Context::default()
        };
        match stand_in(&bytes, &context) {
            Ok(text) => {
                if let Some(head) = head(text.as_bytes(), Some(&own_name)) {
                    self.accept(&head, directory, &metadata);
                }
            }
            Err(diagnostics) => {
                let invalid = Invalid::new(joined(directory, MANIFEST_FILE), diagnostics);
                self.lock().invalid.push(invalid);
            }
        }
        Ok(())
    }

    /// The name that a skill in this directory should have.
    fn own_name<'d>(&self, directory: &'d str) -> Cow<'d, str> {
        let last_part = directory.rsplit('/').next().filter(|part| !part.is_empty());
        last_part.map_or_else(|| Cow::Owned(name_of(self.root)), Cow::Borrowed)
    }

    fn accept(&self, head: &Head<'_>, directory: &str, metadata: &Metadata) {
        let Ok(name) = SkillName::parse(&head.name) else {
            return;
        };
        let collection = collection_of(parent(directory), self.options.root);
        let id = SkillId::new(collection.as_ref(), &name);
        let stamp = Stamp::new(changed(metadata));
        let scope = self.options.scope;
        let descriptor = Descriptor::new(id, head, scope, metadata.len(), stamp.number());
        self.lock().fresh.push(Found {
            descriptor,
            directory: directory.into(),
            stamp,
        });
    }
}

/// Directories of agents in a hidden directory of that name.
fn in_hidden(name: &str) -> impl Iterator<Item = &'static str> {
    in_project().filter(move |path| path.split('/').next() == Some(name))
}

/// Whether `below` is a directory, and every part of the way to it is one.
fn is_real_directory(path: &Path, below: &str) -> bool {
    let mut path = path.to_owned();
    below.split('/').all(|part| {
        path.push(part);
        fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_dir())
    })
}

fn joined(directory: &str, name: &str) -> String {
    if directory.is_empty() {
        name.to_owned()
    } else {
        format!("{directory}/{name}")
    }
}

fn shown(directory: &str) -> &str {
    if directory.is_empty() {
        "the root"
    } else {
        directory
    }
}
