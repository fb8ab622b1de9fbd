//! Noticing that skills changed.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify_debouncer_full::notify::{self, RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{DebounceEventResult, Debouncer, RecommendedCache, new_debouncer};
use prowess_core::{Catalog, Skills};

/// How long things must be quiet before they are looked at.
const QUIET: Duration = Duration::from_millis(150);

/// Watching goes on as long as this is kept.
pub struct Watch {
    _debouncer: Debouncer<RecommendedWatcher, RecommendedCache>,
}

/// Why watching could not begin.
#[derive(Debug, thiserror::Error)]
#[error("cannot watch {}: {reason}", path.display())]
pub struct WatchError {
    /// The directory.
    pub path: PathBuf,
    /// Why.
    pub reason: notify::Error,
}

/// Refreshes `skills` whenever something in a directory of its sources changes, and hands the new catalog
/// on.
///
/// A directory that does not exist yet is waited for in the nearest one above it that does.
pub fn watch(
    skills: &Skills,
    on_change: impl Fn(Arc<Catalog>) + Send + 'static,
) -> Result<Watch, WatchError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |reason| WatchError { path, reason }
    };
    let directories = skills.sources().directories();
    let skills = skills.clone();
    let handler = move |events: DebounceEventResult| {
        let reading = |kind: notify::EventKind| matches!(kind, notify::EventKind::Access(_));
        // An overflow comes as an error: something changed, and nobody knows what.
        let changed = events.map_or(true, |events| {
            events.iter().any(|event| !reading(event.kind))
        });
        if changed {
            // Also when the catalog is the same: a file beside a `SKILL.md` may have changed.
            on_change(pollster::block_on(skills.refresh()));
        }
    };
    let mut debouncer = new_debouncer(QUIET, None, handler).map_err(failed(Path::new(".")))?;
    for directory in &directories {
        let existing = directory
            .ancestors()
            .find(|path| path.is_dir())
            .unwrap_or(directory);
        let mode = if existing == directory {
            RecursiveMode::Recursive
        } else {
            RecursiveMode::NonRecursive
        };
        debouncer.watch(existing, mode).map_err(failed(existing))?;
    }
    Ok(Watch {
        _debouncer: debouncer,
    })
}
