//! What a server said, on disk: its list, and files under their digests.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use prowess_config::{HttpAuth, Mcp};
use prowess_net::{CacheDirectory, now, time_of};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::verify::check;
use crate::digest::Digest;
use crate::limits::SKILL_BYTES;
use crate::wire::SkillFile;

/// The cached files of one server, under its name in the configuration and for its credentials.
///
/// No source searches the cache for skills: a file counts only together with a list.
#[derive(Clone)]
pub(super) struct McpCache(CacheDirectory);

/// A list in the cache.
#[derive(Serialize, Deserialize)]
pub(super) struct CachedList {
    /// Seconds since 1970.
    fetched: u64,
    pub(super) entries: Vec<Value>,
}

const LIST: &str = "list.json";

impl CachedList {
    pub(super) fn refreshed(&self) -> SystemTime {
        time_of(self.fetched)
    }
}

impl McpCache {
    pub(super) fn new(cache: &Path, label: &str, mcp: &Mcp) -> Self {
        let mut parts = vec![label.to_owned()];
        match mcp {
            Mcp::Command {
                command,
                env,
                directory,
            } => {
                parts.push("command".to_owned());
                parts.extend(directory.iter().map(|it| it.display().to_string()));
                parts.extend(command.iter().map(|part| part.expose().to_owned()));
                for (name, value) in env {
                    parts.push(format!("{name}={}", value.expose()));
                }
            }
            Mcp::Http { url, auth } => {
                parts.extend(["http".to_owned(), url.expose().to_owned()]);
                if let Some((name, value)) = auth.as_ref().map(HttpAuth::header) {
                    parts.extend([name.to_owned(), value]);
                }
            }
        }
        let identity = parts.iter().map(String::as_str);
        Self(CacheDirectory::new(cache, "mcp", identity))
    }

    pub(super) fn list(&self) -> Option<CachedList> {
        self.0.load(LIST)
    }

    /// Saves a list, and removes the files that it does not mention.
    pub(super) fn save_list(&self, entries: &[Value], mentioned: &BTreeSet<Digest>) {
        let list = CachedList {
            fetched: now(),
            entries: entries.to_vec(),
        };
        self.0.save(LIST, &list);
        let mentioned: BTreeSet<String> = mentioned.iter().map(Digest::hex).collect();
        for name in self.0.names() {
            if name.len() == 64 && !mentioned.contains(&name) {
                self.0.remove(&name);
            }
        }
    }

    /// A file, verified again, because other programs can write to the disk.
    pub(super) fn file(&self, file: &SkillFile) -> Option<Vec<u8>> {
        let path = self.0.file(&file.digest.hex());
        let metadata = fs::symlink_metadata(&path).ok()?;
        if !metadata.is_file() || metadata.len() > SKILL_BYTES {
            return None;
        }
        let bytes = fs::read(path).ok()?;
        check(&bytes, file).is_ok().then_some(bytes)
    }

    /// Saves a verified file.
    pub(super) fn save_file(&self, file: &SkillFile, bytes: &[u8]) {
        self.0.write(&file.digest.hex(), bytes);
    }
}
