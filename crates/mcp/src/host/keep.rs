//! What a server said, on disk: lists as they were, files under their digests.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use prowess_config::{HttpAuth, Mcp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::verify::check;
use crate::digest::Digest;
use crate::limits::SKILL_BYTES;
use crate::wire::SkillFile;

/// The directory of one server, under the name that we gave it, and of whoever asks it.
///
/// It lies in the cache, where nobody looks for skills: what is in it counts only together with a list.
#[derive(Clone)]
pub(super) struct Keep {
    directory: PathBuf,
}

/// A list as it is kept.
#[derive(Serialize, Deserialize)]
pub(super) struct Kept {
    /// Seconds since 1970.
    fetched: u64,
    pub(super) entries: Vec<Value>,
}

const LIST: &str = "list.json";

impl Kept {
    pub(super) fn refreshed(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(self.fetched)
    }
}

impl Keep {
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
                parts.push("http".to_owned());
                parts.push(url.expose().to_owned());
                parts.extend(auth.as_ref().map(|auth| match auth {
                    HttpAuth::Bearer(token) => format!("bearer {}", token.expose()),
                    HttpAuth::Header { name, value } => format!("{name} {}", value.expose()),
                }));
            }
        }
        let name = Digest::of_parts(parts.iter().map(String::as_bytes)).hex();
        let name: String = name.chars().take(32).collect();
        Self {
            directory: cache.join("mcp").join(name),
        }
    }

    pub(super) fn list(&self) -> Option<Kept> {
        serde_json::from_slice(&fs::read(self.directory.join(LIST)).ok()?).ok()
    }

    /// Keeps a list, and drops the files that it does not mention. A cache that cannot be written is no failure.
    pub(super) fn save_list(&self, entries: &[Value], mentioned: &BTreeSet<Digest>) {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let kept = Kept {
            fetched: since.map_or(0, |since| since.as_secs()),
            entries: entries.to_vec(),
        };
        if let Ok(bytes) = serde_json::to_vec(&kept) {
            let _ = write(&self.directory, LIST, &bytes);
        }
        let names: BTreeSet<String> = mentioned.iter().map(Digest::hex).collect();
        for entry in fs::read_dir(&self.directory)
            .into_iter()
            .flatten()
            .flatten()
        {
            let name = entry.file_name();
            let is_file = name.len() == 64;
            if is_file && name.to_str().is_some_and(|name| !names.contains(name)) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// A file as it was verified before; verified again, for it lay on a disk.
    pub(super) fn file(&self, file: &SkillFile) -> Option<Vec<u8>> {
        let path = self.directory.join(file.digest.hex());
        let metadata = fs::symlink_metadata(&path).ok()?;
        if !metadata.is_file() || metadata.len() > SKILL_BYTES {
            return None;
        }
        let bytes = fs::read(path).ok()?;
        check(&bytes, file).is_ok().then_some(bytes)
    }

    /// Keeps a verified file.
    pub(super) fn save_file(&self, file: &SkillFile, bytes: &[u8]) {
        let _ = write(&self.directory, &file.digest.hex(), bytes);
    }
}

fn write(directory: &Path, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    fs::create_dir_all(directory)?;
    let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
    temporary.write_all(bytes)?;
    temporary.persist(directory.join(name))?;
    Ok(())
}
