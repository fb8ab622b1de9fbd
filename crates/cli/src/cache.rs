//! Data that is cached between runs and can be deleted at any time.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess_core::{SearchIndex, Skills};

use crate::environment;

/// The search index of one set of sources.
pub(crate) struct IndexCache {
    path: Option<PathBuf>,
    before: std::cell::RefCell<Option<Arc<SearchIndex>>>,
}

impl IndexCache {
    /// The cache for the sources of `skills`; without a cache directory nothing is cached.
    pub(crate) fn new(skills: &Skills) -> Self {
        let mut hasher = DefaultHasher::new();
        for source in skills.catalog().sources() {
            source.name.hash(&mut hasher);
        }
        std::env::current_dir().ok().hash(&mut hasher);
        let name = format!("search-{:016x}", hasher.finish());
        Self {
            path: environment::cache_directory().map(|directory| directory.join(name)),
            before: std::cell::RefCell::default(),
        }
    }

    /// Loads the cached index, if it is readable.
    pub(crate) fn load(&self, skills: &Skills) {
        let bytes = self.path.as_ref().and_then(|path| fs::read(path).ok());
        if let Some(index) = bytes.and_then(|bytes| SearchIndex::from_bytes(&bytes)) {
            skills.set_search_index(index);
        }
        *self.before.borrow_mut() = Some(skills.search_index());
    }

    /// Stores the index if it changed. A cache that cannot be written is not an error.
    pub(crate) fn save(&self, skills: &Skills) {
        let index = skills.search_index();
        let changed = self
            .before
            .borrow()
            .as_ref()
            .is_none_or(|before| !Arc::ptr_eq(before, &index));
        if let Some(path) = self.path.as_deref().filter(|_| changed) {
            let _ = write(path, &index.to_bytes());
        }
    }
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
    temporary.write_all(bytes)?;
    temporary.persist(path)?;
    Ok(())
}
