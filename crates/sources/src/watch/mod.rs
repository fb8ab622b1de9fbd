//! Noticing that skills changed.

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod system;
#[cfg(not(target_os = "linux"))]
#[path = "other.rs"]
mod system;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use prowess_core::{Catalog, Skills};

/// How long things must be quiet before they are looked at.
const QUIET: Duration = Duration::from_millis(150);

/// The watch ends when this is dropped.
pub struct Watch {
    _watching: system::Watching,
}

/// Why watching could not begin.
#[derive(Debug, thiserror::Error)]
#[error("cannot watch {}: {reason}", path.display())]
pub struct WatchError {
    /// The directory.
    pub path: PathBuf,
    /// Why.
    #[source]
    pub reason: io::Error,
}

/// Refreshes `skills` whenever a directory of its sources changes, and passes on the new catalog. It can equal the old
/// one: a file beside a `SKILL.md` may have changed.
///
/// A directory that does not exist yet is waited for in the nearest one above it that does.
pub fn watch(
    skills: &Skills,
    on_change: impl Fn(Arc<Catalog>) + Send + 'static,
) -> Result<Watch, WatchError> {
    let directories = skills.sources().directories();
    let skills = skills.clone();
    let changed = move || on_change(pollster::block_on(skills.refresh()));
    Ok(Watch {
        _watching: system::watch(directories, changed)?,
    })
}

/// Where to watch for a directory: itself, or the nearest above it that exists.
fn existing(directory: &std::path::Path) -> &std::path::Path {
    directory
        .ancestors()
        .find(|path| path.is_dir())
        .unwrap_or(directory)
}
