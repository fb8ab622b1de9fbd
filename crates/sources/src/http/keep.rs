//! What a server said, on disk: it is there when the server is not.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use prowess_config::{Http, HttpAuth};
use prowess_core::SkillId;
use serde::{Deserialize, Serialize};

use super::client::Found;
use crate::digest::digest;

/// The directory of one server and one person: who asks with another token may see other skills.
pub(super) struct Keep {
    directory: PathBuf,
}

/// What is kept. A skill may be called `list`.
pub(super) enum Name<'n> {
    List,
    Skill(&'n SkillId),
}

/// An answer as it is kept.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) etag: Option<String>,
    /// Seconds since 1970.
    fetched: u64,
    pub(super) body: String,
    /// What a second request said about collections.
    #[serde(default)]
    pub(super) collections: String,
}

impl Kept {
    pub(super) fn new(found: Found, collections: String) -> Self {
        Self {
            etag: found.etag,
            fetched: now(),
            body: String::from_utf8_lossy(&found.bytes).into_owned(),
            collections,
        }
    }

    pub(super) fn refreshed(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(self.fetched)
    }

    pub(super) fn refreshed_now(&self) -> Self {
        Self {
            fetched: now(),
            ..self.clone()
        }
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

impl Keep {
    pub(super) fn new(cache: &Path, options: &Http) -> Self {
        let who = match &options.auth {
            None => String::new(),
            Some(HttpAuth::Bearer(token)) => format!("bearer {}", token.expose()),
            Some(HttpAuth::Header { name, value }) => format!("{name} {}", value.expose()),
        };
        let url = options.url.expose().trim_end_matches('/');
        Self {
            directory: cache.join("http").join(digest(&[url, &who])),
        }
    }

    fn file(&self, name: &Name<'_>) -> PathBuf {
        self.directory.join(match name {
            Name::List => digest(&["list"]),
            Name::Skill(id) => digest(&["skill", id.as_str()]),
        })
    }

    pub(super) fn load(&self, name: &Name<'_>) -> Option<Kept> {
        serde_json::from_slice(&fs::read(self.file(name)).ok()?).ok()
    }

    /// Keeps an answer. A cache that cannot be written is no failure.
    pub(super) fn save(&self, name: &Name<'_>, kept: &Kept) {
        let _ = write(&self.file(name), kept);
    }

    /// Forgets an answer.
    pub(super) fn remove(&self, name: &Name<'_>) {
        let _ = fs::remove_file(self.file(name));
    }
}

fn write(path: &Path, kept: &Kept) -> std::io::Result<()> {
    let directory = path.parent().unwrap_or(path);
    fs::create_dir_all(directory)?;
    let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
    temporary.write_all(&serde_json::to_vec(kept)?)?;
    temporary.persist(path)?;
    Ok(())
}
