//! The index of a server: `/.well-known/agent-skills/index.json`.

use std::io::Cursor;

use prowess_policy::ContentDigest;
use prowess_sources::RemoteOptions;
use prowess_spec::{SKILL_FILE, SkillName, SkillPath};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use url::Url;

use super::download::download;
use super::{ARCHIVE_BYTES, FetchError, FoundSkill};
use crate::tree::{PackageFile, PackageTree};

const PATH: &str = "/.well-known/agent-skills/index.json";
/// Bytes of an index.
const INDEX_BYTES: usize = 16 * 1024 * 1024;

/// The index of a server.
pub(super) struct Index {
    url: Url,
    entries: Vec<Entry>,
    /// The one that the reference names.
    only: Option<String>,
    remote: RemoteOptions,
}

#[derive(Deserialize)]
struct Document {
    skills: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(rename = "type")]
    kind: String,
    url: String,
    digest: String,
}

impl Index {
    pub(super) async fn fetch(url: &Url, remote: &RemoteOptions) -> Result<Self, FetchError> {
        let mut index = url.clone();
        index.set_fragment(None);
        index.set_path(PATH);
        let failed = |reason: String| FetchError::Server {
            url: index.to_string(),
            reason,
        };
        let bytes = download(&index, INDEX_BYTES, remote).await?;
        let bytes = bytes.ok_or_else(|| failed("no index of skills at this server".to_owned()))?;
        let document: Document = serde_json::from_slice(&bytes)
            .map_err(|error| failed(format!("malformed index: {error}")))?;
        Ok(Self {
            entries: document.skills,
            only: url.fragment().map(str::to_owned),
            remote: remote.clone(),
            url: index,
        })
    }

    pub(super) fn skills(&self) -> Vec<FoundSkill> {
        let wanted = |entry: &&Entry| {
            let named = self.only.as_ref().is_none_or(|only| *only == entry.name);
            named && SkillName::parse(&entry.name).is_ok()
        };
        let found = self.entries.iter().filter(wanted).map(|entry| FoundSkill {
            name: entry.name.clone(),
            description: Some(entry.description.clone()),
            directory: None,
            file: None,
        });
        found.collect()
    }

    /// The digest that the index states for a skill.
    pub(super) fn digest(&self, name: &str) -> Option<String> {
        let entry = self.entries.iter().find(|it| it.name == name);
        entry.map(|it| it.digest.clone())
    }

    /// Downloads a skill and compares its digest.
    pub(super) async fn tree(&self, name: &str) -> Result<PackageTree, FetchError> {
        let failed = |url: &str, reason: String| FetchError::Server {
            url: url.to_owned(),
            reason,
        };
        let entry = self.entries.iter().find(|it| it.name == name);
        let entry = entry.ok_or_else(|| failed(self.url.as_str(), format!("no skill `{name}`")))?;
        let url = self.url.join(&entry.url);
        let url = url.map_err(|error| failed(&entry.url, format!("invalid URL: {error}")))?;
        // The user named this server and no other.
        if url.origin() != self.url.origin() {
            let reason = "the index names another server; add that URL itself if you trust it";
            return Err(failed(url.as_str(), reason.to_owned()));
        }
        let bytes = download(&url, ARCHIVE_BYTES, &self.remote).await?;
        let bytes = bytes.ok_or_else(|| failed(url.as_str(), "not found".to_owned()))?;
        let found = ContentDigest(Sha256::digest(&bytes).into()).to_string();
        if !entry.digest.eq_ignore_ascii_case(&found) {
            return Err(FetchError::Digest {
                url: url.to_string(),
                found,
                expected: entry.digest.clone(),
            });
        }
        let unusable = |source| FetchError::Tree {
            name: name.to_owned(),
            source,
        };
        match entry.kind.as_str() {
            "archive" => PackageTree::read_archive(Cursor::new(bytes)).map_err(unusable),
            "skill-md" => {
                let path = SkillPath::parse(SKILL_FILE).into_iter();
                let executable = false;
                let files = path.map(|path| {
                    (
                        path,
                        PackageFile {
                            bytes: bytes.clone(),
                            executable,
                        },
                    )
                });
                PackageTree::new(files).map_err(unusable)
            }
            other => Err(failed(
                url.as_str(),
                format!("unknown type `{other}`; expected archive or skill-md"),
            )),
        }
    }
}
