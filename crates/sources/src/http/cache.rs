//! Responses of a server on disk, for when it cannot be reached.

use std::path::Path;
use std::time::SystemTime;

use prowess_config::{Http, HttpAuth};
use prowess_core::SkillId;
use prowess_net::{CacheDirectory, now, short_digest, time_of};
use serde::{Deserialize, Serialize};

use super::client::Found;

/// The cached responses of one server. Another token may see other skills, so it has another directory.
pub(super) struct HttpCache(CacheDirectory);

/// What is cached. A skill may be called `list`.
pub(super) enum CacheKey<'n> {
    List,
    Skill(&'n SkillId),
}

/// A response in the cache.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct CachedResponse {
    pub(super) etag: Option<String>,
    /// Seconds since 1970.
    fetched: u64,
    pub(super) body: String,
    /// The response of a second request, for collections.
    #[serde(default)]
    pub(super) collections: String,
}

impl CachedResponse {
    pub(super) fn new(found: Found, collections: String) -> Self {
        Self {
            etag: found.etag,
            fetched: now(),
            body: String::from_utf8_lossy(&found.bytes).into_owned(),
            collections,
        }
    }

    pub(super) fn refreshed(&self) -> SystemTime {
        time_of(self.fetched)
    }

    pub(super) fn refreshed_now(&self) -> Self {
        Self {
            fetched: now(),
            ..self.clone()
        }
    }
}

impl CacheKey<'_> {
    fn file(&self) -> String {
        match self {
            CacheKey::List => short_digest(["list"]),
            CacheKey::Skill(id) => short_digest(["skill", id.as_str()]),
        }
    }
}

impl HttpCache {
    pub(super) fn new(cache: &Path, options: &Http) -> Self {
        let url = options.url.expose().trim_end_matches('/');
        let (name, value) = options
            .auth
            .as_ref()
            .map_or_else(Default::default, HttpAuth::header);
        Self(CacheDirectory::new(cache, "http", [url, name, &value]))
    }

    pub(super) fn load(&self, key: &CacheKey<'_>) -> Option<CachedResponse> {
        self.0.load(&key.file())
    }

    pub(super) fn save(&self, key: &CacheKey<'_>, response: &CachedResponse) {
        self.0.save(&key.file(), response);
    }

    pub(super) fn remove(&self, key: &CacheKey<'_>) {
        self.0.remove(&key.file());
    }
}
