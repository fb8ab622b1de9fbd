//! Data that is cached between runs and can be deleted at any time.

use std::cell::RefCell;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use prowess_core::{SearchIndex, Skills};
use prowess_net::create_private;

use crate::environment;

/// The search index of one set of sources: a large file that seldom changes, and a small one with what changed since.
#[derive(Default)]
pub(crate) struct IndexCache {
    path: Option<PathBuf>,
    loading: RefCell<Option<JoinHandle<Option<SearchIndex>>>>,
    before: RefCell<Option<Arc<SearchIndex>>>,
}

impl IndexCache {
    /// The cache for sources of these names; without a cache directory nothing is cached. The index is read while the
    /// caller looks for skills.
    pub(crate) fn open<'a>(sources: impl Iterator<Item = &'a str>) -> Self {
        let mut hasher = DefaultHasher::new();
        for source in sources {
            source.hash(&mut hasher);
        }
        std::env::current_dir().ok().hash(&mut hasher);
        let name = format!("search-{:016x}", hasher.finish());
        let path = environment::cache_directory().map(|directory| directory.join(name));
        let loading = path.clone().map(|path| thread::spawn(move || read(&path)));
        Self {
            path,
            loading: RefCell::new(loading),
            before: RefCell::default(),
        }
    }

    /// Gives `skills` the cached index, if it is readable.
    pub(crate) fn load(&self, skills: &Skills) {
        let loading = self.loading.take().and_then(|it| it.join().ok());
        if let Some(index) = loading.flatten() {
            skills.set_search_index(index);
            *self.before.borrow_mut() = Some(skills.search_index());
        }
    }

    /// Stores the index if it changed. A cache that cannot be written is not an error.
    pub(crate) fn save(&self, skills: &Skills) {
        let index = skills.search_index();
        let Some(path) = &self.path else { return };
        let before = self.before.borrow();
        if before
            .as_ref()
            .is_some_and(|before| Arc::ptr_eq(before, &index))
        {
            return;
        }
        if !before
            .as_ref()
            .is_some_and(|before| index.has_base_of(before))
        {
            // Without its delta a new base is an older index, but a valid one.
            let _ = fs::remove_file(delta(path));
            let (postings, tables) = index.base_pieces();
            if write(path, &[&postings, &tables]).is_err() {
                return;
            }
        }
        let _ = write(&delta(path), &[&index.delta_bytes()]);
    }
}

/// Most of the file is read when a search needs it; other processes replace it, but do not write to it.
#[cfg(unix)]
fn read(path: &Path) -> Option<SearchIndex> {
    let base = fs::File::open(path).ok()?;
    let length = base.metadata().ok()?.len();
    let delta = fs::read(delta(path)).ok();
    SearchIndex::from_file(base, length, delta.as_deref())
}

#[cfg(not(unix))]
fn read(path: &Path) -> Option<SearchIndex> {
    let base = fs::read(path).ok()?;
    let delta = fs::read(delta(path)).ok();
    SearchIndex::from_parts(base, delta.as_deref())
}

fn delta(path: &Path) -> PathBuf {
    path.with_extension("delta")
}

fn write(path: &Path, pieces: &[&[u8]]) -> std::io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    create_private(directory)?;
    let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
    for piece in pieces {
        temporary.write_all(piece)?;
    }
    temporary.persist(path)?;
    Ok(())
}
