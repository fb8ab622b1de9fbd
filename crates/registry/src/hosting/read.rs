//! Searching and reading packages.

use std::io::Cursor;
use std::sync::Arc;

use jiff::Timestamp;
use prowess_policy::ContentDigest;
use prowess_store::VersionRecord;
use semver::Version;
use tokio::task::spawn_blocking;

use super::error::HostingError;
use super::index::IndexState;
use super::inspect::VersionFacts;
use super::latest::VersionSpec;
use super::registry::HostedRegistry;
use super::version_diff::{ComparedVersion, version_diff};
use crate::package_name::PackageName;
use crate::storage::StoredPackage;
use crate::tree::PackageTree;
use crate::wire::{FoundPackage, PackageInfo, SearchFilter, VersionDiff, VersionInfo, Yank};

/// A version whose bytes can be downloaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DownloadedVersion {
    /// The version.
    pub version: Version,
    /// The digest of its bytes.
    pub digest: ContentDigest,
    /// How many there are.
    pub size: u64,
}

/// A package of the listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingEntry {
    /// Its name.
    pub name: PackageName,
    /// Its latest version.
    pub version: String,
    /// What it is for.
    pub description: String,
    /// The digest of its bytes.
    pub digest: String,
}

impl HostedRegistry {
    /// Searches; returns a page of the results, and how many there are.
    pub async fn search(
        &self,
        query: String,
        filter: SearchFilter,
        offset: usize,
        limit: usize,
    ) -> Result<(Vec<FoundPackage>, usize), HostingError> {
        let state = self.0.index.current();
        let found = spawn_blocking(move || state.search(&query, &filter, offset, limit)).await;
        let (page, count) = found.unwrap_or_default();
        let names = page.iter().map(|(name, ..)| name.to_string()).collect();
        let downloads: std::collections::HashMap<String, i64> =
            self.0.store.downloads(names).await?.into_iter().collect();
        let results = page.into_iter().filter_map(|(name, package, score)| {
            let downloads = downloads.get(&name.to_string()).copied();
            Some(FoundPackage {
                version: package.version.parse().ok()?,
                description: package.facts.description.clone(),
                downloads: counted(downloads.unwrap_or_default()),
                published_at: time(package.published),
                score,
                name,
            })
        });
        Ok((results.collect(), count))
    }

    /// The number of the change that the index shows, and for each package its name, version, description and digest.
    pub fn listing(&self) -> (i64, impl Iterator<Item = ListingEntry> + use<>) {
        let state = self.0.index.current();
        let entries = entries(state.clone());
        (state.changes, entries)
    }

    /// A package with all versions.
    pub async fn package(&self, name: &PackageName) -> Result<PackageInfo, HostingError> {
        let text = name.to_string();
        let package = self.0.store.package(&text).await?;
        let package = package.ok_or_else(|| HostingError::UnknownPackage(name.clone()))?;
        let records = self.0.store.package_versions(&text).await?;
        let mut versions = Vec::new();
        for record in records {
            versions.push(version_info(name, record)?);
        }
        versions.sort_by(|a, b| b.version.cmp(&a.version));
        let latest: Option<Version> = package.latest.and_then(|it| it.parse().ok());
        let shown = versions
            .iter()
            .find(|it| Some(&it.version) == latest.as_ref());
        let shown = shown.or(versions.first());
        Ok(PackageInfo {
            name: name.clone(),
            description: shown.map(|it| it.description.clone()).unwrap_or_default(),
            latest,
            owners: self.0.store.owners(&name.ownership()).await?,
            downloads: counted(package.downloads),
            versions,
        })
    }

    /// The versions that are not yanked, newest first.
    pub async fn versions(&self, name: &PackageName) -> Result<Vec<Version>, HostingError> {
        let records = self.0.store.package_versions(&name.to_string()).await?;
        if records.is_empty() {
            return Err(HostingError::UnknownPackage(name.clone()));
        }
        let available = records.iter().filter(|it| it.yanked.is_none());
        let mut versions: Vec<Version> =
            available.filter_map(|it| it.version.parse().ok()).collect();
        versions.sort_by(|a, b| b.cmp(a));
        Ok(versions)
    }

    /// A version.
    pub async fn version(
        &self,
        name: &PackageName,
        spec: &VersionSpec,
    ) -> Result<VersionInfo, HostingError> {
        let record = self.record(name, spec).await?;
        version_info(name, record)
    }

    /// The manifest of a version.
    pub async fn manifest(
        &self,
        name: &PackageName,
        spec: &VersionSpec,
    ) -> Result<String, HostingError> {
        Ok(self.texts(name, spec).await?.0)
    }

    /// The signature of a version.
    pub async fn signature(
        &self,
        name: &PackageName,
        spec: &VersionSpec,
    ) -> Result<String, HostingError> {
        let (_, signature, version) = self.texts(name, spec).await?;
        signature.ok_or_else(|| HostingError::NotSigned {
            name: name.clone(),
            version,
        })
    }

    /// Which bytes a version has.
    pub async fn downloaded(
        &self,
        name: &PackageName,
        spec: &VersionSpec,
    ) -> Result<DownloadedVersion, HostingError> {
        let record = self.record(name, spec).await?;
        let digest = record.digest.parse();
        let info = version_info(name, record)?;
        let digest = digest.map_err(|_| damaged(name, &info.version, "its digest"))?;
        Ok(DownloadedVersion {
            version: info.version,
            digest,
            size: info.size,
        })
    }

    /// Opens the bytes of a version, or a range of them. What begins at the beginning counts as a download.
    pub async fn download(
        &self,
        name: &PackageName,
        version: &DownloadedVersion,
        range: Option<std::ops::Range<u64>>,
    ) -> Result<StoredPackage, HostingError> {
        let is_beginning = range.as_ref().is_none_or(|it| it.start == 0);
        let opened = self.0.storage.open_package(version.digest, range).await?;
        if is_beginning {
            let (name, version) = (name.to_string(), version.version.to_string());
            self.0.downloads.add(&name, &version, 1);
        }
        Ok(opened)
    }

    /// What changed in a version, beside another one or the one before it.
    pub async fn diff(
        &self,
        name: &PackageName,
        spec: &VersionSpec,
        from: Option<&Version>,
    ) -> Result<VersionDiff, HostingError> {
        let to = self.version(name, spec).await?;
        let from = if from.is_some() {
            from.cloned()
        } else {
            let records = self.0.store.package_versions(&name.to_string()).await?;
            let versions = records.iter().filter_map(|it| it.version.parse().ok());
            versions.filter(|it: &Version| *it < to.version).max()
        };
        let from = match from {
            Some(from) => Some(self.version(name, &VersionSpec::Exact(from)).await?),
            None => None,
        };
        let _permit = self.0.unpacking.acquire().await;
        let to = self.compared(name, to).await?;
        let from = match from {
            Some(from) => Some(self.compared(name, from).await?),
            None => None,
        };
        let diff = spawn_blocking(move || version_diff(from.as_ref(), &to)).await;
        diff.map_err(|error| damaged(name, &Version::new(0, 0, 0), &error.to_string()))
    }

    async fn compared(
        &self,
        name: &PackageName,
        info: VersionInfo,
    ) -> Result<ComparedVersion, HostingError> {
        let digest = info.digest.parse();
        let digest = digest.map_err(|_| damaged(name, &info.version, "its digest"))?;
        let bytes = self.0.storage.read(digest).await?;
        let tree = spawn_blocking(move || PackageTree::read_archive(Cursor::new(bytes))).await;
        let tree = tree.map_err(|error| damaged(name, &info.version, &error.to_string()))??;
        Ok(ComparedVersion {
            version: info.version.clone(),
            facts: facts_of(info),
            tree,
        })
    }

    async fn record(
        &self,
        name: &PackageName,
        spec: &VersionSpec,
    ) -> Result<VersionRecord, HostingError> {
        let version = self.chosen(name, spec).await?.to_string();
        let text = name.to_string();
        match self.0.store.package_version(&text, &version).await? {
            Some(record) => Ok(record),
            None => Err(self.unknown_version(name, &version).await?),
        }
    }

    async fn texts(
        &self,
        name: &PackageName,
        spec: &VersionSpec,
    ) -> Result<(String, Option<String>, Version), HostingError> {
        let version = self.chosen(name, spec).await?;
        let (text, wanted) = (name.to_string(), version.to_string());
        match self.0.store.package_texts(&text, &wanted).await? {
            Some((manifest, signature)) => Ok((manifest, signature, version)),
            None => Err(self.unknown_version(name, &wanted).await?),
        }
    }

    /// The version that is meant.
    async fn chosen(
        &self,
        name: &PackageName,
        spec: &VersionSpec,
    ) -> Result<Version, HostingError> {
        if let VersionSpec::Exact(version) = spec {
            return Ok(version.clone());
        }
        let package = self.0.store.package(&name.to_string()).await?;
        let package = package.ok_or_else(|| HostingError::UnknownPackage(name.clone()))?;
        let latest = package.latest.ok_or_else(|| HostingError::UnknownVersion {
            name: name.clone(),
            version: "latest".to_owned(),
        })?;
        latest
            .parse()
            .map_err(|error: semver::Error| HostingError::Damaged {
                name: name.clone(),
                version: latest.clone(),
                reason: error.to_string(),
            })
    }

    /// The error for a version that does not exist, of a package that may not exist either.
    pub(super) async fn unknown_version(
        &self,
        name: &PackageName,
        version: &str,
    ) -> Result<HostingError, HostingError> {
        let package = self.0.store.package(&name.to_string()).await?;
        Ok(match package {
            None => HostingError::UnknownPackage(name.clone()),
            Some(_) => HostingError::UnknownVersion {
                name: name.clone(),
                version: version.to_owned(),
            },
        })
    }
}

/// The packages of a state, without having all of them at once.
fn entries(state: Arc<IndexState>) -> impl Iterator<Item = ListingEntry> {
    let mut last: Option<PackageName> = None;
    std::iter::from_fn(move || {
        use std::ops::Bound::{Excluded, Unbounded};
        let from = last.as_ref().map_or(Unbounded, Excluded);
        let range = state.packages.range::<PackageName, _>((from, Unbounded));
        let (name, package) = range.into_iter().next()?;
        let name = PackageName::clone(name);
        last = Some(name.clone());
        Some(ListingEntry {
            name,
            version: package.version.clone(),
            description: package.facts.description.clone(),
            digest: package.digest.clone(),
        })
    })
}

fn facts_of(info: VersionInfo) -> VersionFacts {
    VersionFacts {
        description: info.description,
        size: info.size,
        files: info.files,
        types: info.types,
        permissions: info.permissions,
        licence: info.licence,
        has_code: info.has_code,
        verdict: info.verdict,
        findings: info.findings,
        signed_by: info.signed_by,
    }
}

fn counted(count: i64) -> u64 {
    u64::try_from(count).unwrap_or_default()
}

/// A time of the store, as RFC 3339.
fn time(milliseconds: i64) -> String {
    let time = Timestamp::from_millisecond(milliseconds);
    time.map(|it| it.to_string()).unwrap_or_default()
}

fn version_info(name: &PackageName, record: VersionRecord) -> Result<VersionInfo, HostingError> {
    let damaged = |reason: &str| HostingError::Damaged {
        name: name.clone(),
        version: record.version.clone(),
        reason: reason.to_owned(),
    };
    let facts: Result<VersionFacts, _> = serde_json::from_str(&record.facts);
    let facts = facts.map_err(|error| damaged(&error.to_string()))?;
    let version = Version::parse(&record.version);
    Ok(VersionInfo {
        version: version.map_err(|error| damaged(&error.to_string()))?,
        description: facts.description,
        digest: record.digest,
        size: facts.size,
        files: facts.files,
        published_at: time(record.published),
        published_by: record.published_by,
        types: facts.types,
        permissions: facts.permissions,
        licence: facts.licence,
        has_code: facts.has_code,
        verdict: facts.verdict,
        findings: facts.findings,
        signed_by: facts.signed_by,
        yanked: record.yanked.map(|(at, reason)| Yank {
            reason,
            at: time(at),
        }),
        downloads: counted(record.downloads),
    })
}

fn damaged(name: &PackageName, version: &Version, reason: &str) -> HostingError {
    HostingError::Damaged {
        name: name.clone(),
        version: version.to_string(),
        reason: reason.to_owned(),
    }
}
