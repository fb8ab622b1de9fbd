//! Watching with the crate `notify`.

use std::io;
use std::path::{Path, PathBuf};

use notify_debouncer_full::notify::{self, RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{DebounceEventResult, Debouncer, RecommendedCache, new_debouncer};

use super::{QUIET, WatchError, existing};

pub(super) type Watching = Debouncer<RecommendedWatcher, RecommendedCache>;

pub(super) fn watch(
    directories: Vec<PathBuf>,
    changed: impl Fn() + Send + 'static,
) -> Result<Watching, WatchError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |reason: notify::Error| WatchError {
            path,
            reason: io::Error::other(reason),
        }
    };
    let handler = move |events: DebounceEventResult| {
        let reading = |kind: notify::EventKind| matches!(kind, notify::EventKind::Access(_));
        // An overflow is an error: something unknown changed.
        let is_change = events.map_or(true, |events| {
            events.iter().any(|event| !reading(event.kind))
        });
        if is_change {
            changed();
        }
    };
    let mut debouncer = new_debouncer(QUIET, None, handler).map_err(failed(Path::new(".")))?;
    for directory in &directories {
        let existing = existing(directory);
        let mode = if existing == directory {
            RecursiveMode::Recursive
        } else {
            RecursiveMode::NonRecursive
        };
        debouncer.watch(existing, mode).map_err(failed(existing))?;
    }
    Ok(debouncer)
}
