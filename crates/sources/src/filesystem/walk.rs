//! Finding every skill below a root, in parallel, reading only the head of each file.
//!
//! What did not change since the previous scan is not read again: a file with the same stamp has the same head, and a
//! directory with the same stamp holds the same names. So a walk over a tree that is as it was asks for one stamp for each
//! skill and for each directory above them.

use std::borrow::Cow;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use prowess_core::{Descriptor, Invalid, SkillId};
use prowess_spec::limits::FRONTMATTER_BYTES;
use prowess_spec::manifest::stand_in;
use prowess_spec::{
    Context, Head, MANIFEST_FILE, Profile, SKILL_FILE, SkillName, choose_skill_file, head,
    head_of_start, head_with_diagnostics, is_skill_file, is_valid,
};
use rayon::Scope;

use super::scan::{Found, Listing, Scan, State};
use super::{FilesystemOptions, Links, Strictness};
use crate::agents::in_project;
use crate::collection::{COLLECTION_BYTES, COLLECTION_FILE, collection_of, description, parent};
use crate::open::{OpenDirectory, open_in};
use crate::stamp::Stamp;

/// Bytes that hold the frontmatter of nearly every file.
const FIRST_READ: usize = 4096;
/// Bytes in which a frontmatter within its bound must end.
const LAST_READ: usize = FRONTMATTER_BYTES + FIRST_READ;
/// Directories that one task looks at.
const CHUNK: usize = 64;
/// Why a directory is not searched.
pub(super) const LEAVES: &str =
    "leaves the project; to use what it leads to, name that directory in `prowess.toml`";

/// The last component of a path: messages can reach a model, which must not learn local paths.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}

/// Compares a descriptor with one of another scan.
type IsSame<'w> = dyn Fn(usize, &Descriptor) -> bool + Sync + 'w;

pub(super) struct Walk<'w> {
    pub(super) root: &'w Path,
    directory: OpenDirectory<'w>,
    pub(super) options: &'w FilesystemOptions,
    /// Where links may lead, without links on the way; none if anywhere.
    allowed: Option<Vec<PathBuf>>,
    previous: Option<&'w Scan>,
    /// Whether a skill is what the previous scan has at an index.
    is_same: &'w IsSame<'w>,
    start: SystemTime,
    grain: Duration,
    visited: AtomicUsize,
    hidden: AtomicUsize,
    state: Mutex<State>,
}

impl<'w> Walk<'w> {
    pub(super) fn new(
        root: &'w Path,
        options: &'w FilesystemOptions,
        previous: Option<&'w Scan>,
        is_same: &'w IsSame<'w>,
        grain: Duration,
    ) -> Self {
        let allowed = match &options.links {
            Links::Anywhere => None,
            Links::Below(directories) => {
                let real = directories.iter().map(fs::canonicalize);
                Some(real.filter_map(Result::ok).collect())
            }
        };
        Self {
            root,
            directory: OpenDirectory::new(root),
            options,
            allowed,
            previous,
            is_same,
            start: SystemTime::now(),
            grain,
            visited: AtomicUsize::new(0),
            hidden: AtomicUsize::new(0),
            state: Mutex::default(),
        }
    }

    pub(super) fn run(&self) {
        rayon::scope(|scope| self.visit_all(scope, "", &[Box::default()], 0));
    }

    pub(super) fn finish(self) -> State {
        let state = self.state.into_inner();
        State {
            hidden: self.hidden.into_inner(),
            ..state.unwrap_or_else(PoisonError::into_inner)
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn warn(&self, warning: String) {
        let warnings = &mut self.lock().warnings;
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    /// Looks at directories below one, at this depth.
    fn visit_all<'scope>(
        &'scope self,
        scope: &Scope<'scope>,
        parent: &str,
        names: &[Box<str>],
        depth: usize,
    ) {
        let before = self.visited.fetch_add(names.len(), Ordering::Relaxed);
        let limit = self.options.max_entries;
        // The root itself does not count.
        let room = (limit + 1).saturating_sub(before);
        if names.len() > room {
            self.warn(format!("stopped: more than {limit} directories"));
        }
        let mut same = Vec::new();
        let mut directory = String::new();
        for name in names.iter().take(room) {
            directory.clear();
            join(&mut directory, parent, name);
            match self.unchanged(&directory) {
                Some(skill) => same.push(skill),
                None => self.visit(scope, &directory, depth),
            }
        }
        self.lock().same.append(&mut same);
    }

    /// The skill of the previous scan that is still in a directory as it was.
    fn unchanged(&self, directory: &str) -> Option<(usize, Stamp)> {
        let (index, stamp) = self.previous?.known(directory)?;
        let now = self.directory.stamp(directory, SKILL_FILE).ok()?;
        (now == stamp).then_some((index, stamp))
    }

    /// Looks at a directory: a skill, or something with directories below it.
    fn visit<'scope>(&'scope self, scope: &Scope<'scope>, directory: &str, depth: usize) {
        if let Some(listing) = self.unchanged_listing(directory) {
            self.hidden
                .fetch_add(listing.hidden as usize, Ordering::Relaxed);
            return self.enter(scope, directory, &listing, depth);
        }
        match self.try_standard(directory) {
            Ok(true) => {}
            Ok(false) => match self.list(&self.root.join(directory), directory, depth) {
                Ok(Some(listing)) => self.enter(scope, directory, &Arc::new(listing), depth),
                Ok(None) => {}
                Err(error) => self.warn(format!(
                    "cannot read {}: {}",
                    shown(directory),
                    error.kind()
                )),
            },
            Err(error) => self.invalid(&format!("{directory}/{SKILL_FILE}"), &error),
        }
    }

    /// What the previous scan found in a directory, if it still holds the same names.
    fn unchanged_listing(&self, directory: &str) -> Option<Arc<Listing>> {
        let listing = self.previous?.listings.get(directory)?;
        let now = self.directory.stamp(directory, ".").ok()?;
        (now == listing.stamp).then(|| Arc::clone(listing))
    }

    /// Goes on below a directory that is no skill.
    fn enter<'scope>(
        &'scope self,
        scope: &Scope<'scope>,
        directory: &str,
        listing: &Arc<Listing>,
        depth: usize,
    ) {
        if listing.is_described {
            self.describe(&self.root.join(directory), directory);
        }
        if listing.is_plain {
            let listing = Arc::clone(listing);
            self.lock().listings.insert(directory.into(), listing);
        }
        self.descend(scope, directory, listing, depth);
    }

    fn descend<'scope>(
        &'scope self,
        scope: &Scope<'scope>,
        directory: &str,
        listing: &Arc<Listing>,
        depth: usize,
    ) {
        if listing.below.is_empty() {
            return;
        }
        if depth >= self.options.max_depth {
            let limit = self.options.max_depth;
            return self.warn(format!(
                "directories nested more than {limit} deep are ignored"
            ));
        }
        let directory: Arc<str> = directory.into();
        for start in (0..listing.below.len()).step_by(CHUNK) {
            let (directory, listing) = (Arc::clone(&directory), Arc::clone(listing));
            scope.spawn(move |scope| {
                let end = listing.below.len().min(start + CHUNK);
                let names = listing.below.get(start..end).unwrap_or_default();
                self.visit_all(scope, &directory, names, depth + 1);
            });
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

    /// The directories below one that has no `SKILL.md`; none if it is a skill after all, with another spelling.
    fn list(&self, path: &Path, directory: &str, depth: usize) -> io::Result<Option<Listing>> {
        // Before the names: a change while they are read makes a difference the next time.
        let stamp = self.directory.stamp(directory, ".").unwrap_or_default();
        let stamp = stamp.settled(self.start, self.grain);
        let mut listing = Listing {
            stamp,
            is_plain: cfg!(unix) && stamp != Stamp::default(),
            ..Listing::default()
        };
        let mut spellings = Vec::new();
        let mut manifest = false;
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                listing.is_plain = false;
                self.warn(format!("a file name in {} is not UTF-8", shown(directory)));
                continue;
            };
            if is_skill_file(&name) {
                spellings.push(name);
            } else if name == MANIFEST_FILE {
                manifest = true;
            } else if name == COLLECTION_FILE {
                listing.is_described = true;
            } else if name.starts_with('.') {
                // Links could lead anywhere, or back here.
                if !entry.file_type()?.is_dir() {
                    continue;
                }
                // Directories of agents are further down.
                listing.is_plain &= in_hidden(&name).next().is_none();
                let known: Vec<&str> = in_hidden(&name)
                    .filter(|below| is_real_directory(path, below))
                    .collect();
                if known.is_empty() {
                    listing.hidden += 1;
                }
                listing.below.extend(known.into_iter().map(Box::from));
            } else if name != "node_modules" {
                let kind = entry.file_type()?;
                let may_follow = kind.is_symlink() && depth == 0;
                // What a link leads to changes without the directory that it is in.
                listing.is_plain &= !may_follow;
                if kind.is_dir() || may_follow && self.follows(&entry.path(), &name) {
                    listing.below.push(name.into());
                }
            }
        }
        self.hidden
            .fetch_add(listing.hidden as usize, Ordering::Relaxed);
        let names: Vec<&str> = spellings.iter().map(String::as_str).collect();
        if let Some((name, _)) = choose_skill_file(&names) {
            self.take(open_in(path, name)?, directory, name)?;
            return Ok(None);
        }
        if manifest {
            self.take_manifest(open_in(path, MANIFEST_FILE)?, directory)?;
            return Ok(None);
        }
        Ok(Some(listing))
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

    pub(super) fn may_lead_to(&self, path: &Path) -> bool {
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
        let stamp = Stamp::new(metadata);
        let scope = self.options.scope;
        let descriptor = Descriptor::new(id, head, scope, metadata.len(), stamp.number());
        let stamp = stamp.settled(self.start, self.grain);
        // What is behind a link, has another spelling or changed recently is read each time.
        if let Some(index) = self.is_as_before(directory, &descriptor) {
            self.lock().same.push((index, stamp));
            return;
        }
        self.lock().fresh.push(Found {
            descriptor,
            directory: directory.into(),
            stamp,
        });
    }

    fn is_as_before(&self, directory: &str, now: &Descriptor) -> Option<usize> {
        let (index, _) = self.previous?.known(directory)?;
        (self.is_same)(index, now).then_some(index)
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
    let mut path = String::with_capacity(directory.len() + name.len() + 1);
    join(&mut path, directory, name);
    path
}

fn join(path: &mut String, directory: &str, name: &str) {
    path.push_str(directory);
    if !directory.is_empty() {
        path.push('/');
    }
    path.push_str(name);
}

fn shown(directory: &str) -> &str {
    if directory.is_empty() {
        "the root"
    } else {
        directory
    }
}
