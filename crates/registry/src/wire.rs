//! What a registry and its clients say to each other, as JSON over HTTP.
//!
//! `{name}` is `pdf` or `acme/pdf`, also written `acme%2Fpdf`. An error is a [`prowess_core::wire::Problem`].
//!
//! | request | answer |
//! |---|---|
//! | `GET /api/v1/search?q=&limit=&offset=` | a list of [`FoundPackage`]; how many there are in `X-Total-Count`; the filters of [`SearchFilter`] are parameters |
//! | `GET /api/v1/skills/{name}` | [`PackageInfo`] |
//! | `GET /api/v1/skills/{name}/versions` | the versions as a list of texts, newest first, without yanked ones |
//! | `GET /api/v1/skills/{name}/owners` | the owners as a list of texts |
//! | `PUT`, `DELETE /api/v1/skills/{name}/owners/{owner}` | adds or removes an owner; 204 |
//! | `GET /api/v1/skills/{name}/{version}` | [`VersionInfo`]; `latest` is a version, too |
//! | `GET /api/v1/skills/{name}/{version}/manifest` | its `SKILL.yaml`, or else the frontmatter of its `SKILL.md` |
//! | `GET /api/v1/skills/{name}/{version}/download` | the package |
//! | `GET /api/v1/skills/{name}/{version}/signature` | the text of its signature |
//! | `GET /api/v1/skills/{name}/{version}/diff?from=` | [`VersionDiff`] to the version before, or to `from` |
//! | `PUT /api/v1/skills/{name}/{version}` | publishes the body; the signature is in the header [`SIGNATURE_HEADER`]; 201 or 200 with a [`PublishReceipt`] |
//! | `DELETE /api/v1/skills/{name}/{version}?reason=` | yanks it; 204 |
//! | `PUT /api/v1/skills/{name}/{version}/unyank` | takes that back; 204 |

use semver::Version;
use serde::{Deserialize, Serialize};

use crate::package_name::PackageName;

/// The header with the signature of a package that is published, as Base64 of the text.
pub const SIGNATURE_HEADER: &str = "x-prowess-signature";
/// The header with the number of all results.
pub const TOTAL_HEADER: &str = "x-total-count";
/// Bytes of a package.
pub const PACKAGE_BYTES: usize = 32 * 1024 * 1024;

/// A package that a search found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundPackage {
    /// Its name.
    pub name: PackageName,
    /// Its latest version.
    pub version: Version,
    /// What it is for.
    pub description: String,
    /// How often its versions were downloaded.
    pub downloads: u64,
    /// When the version was published: RFC 3339, in UTC.
    pub published_at: String,
    /// Higher is better; only good for comparison within one search.
    pub score: f32,
}

/// Which packages a search may find.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchFilter {
    /// Only those that want this permission.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission: Option<String>,
    /// Only those of this type, such as `tool`; `instruction` for skills without a manifest.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Only those with this licence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// Only those with code, or without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<bool>,
    /// Only those with this verdict of `audit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<AuditVerdict>,
    /// Only those of this owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
}

/// What `audit` said about a version when it was published.
pub use prowess_scan::Verdict as AuditVerdict;

/// A package with all versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackageInfo {
    /// Its name.
    pub name: PackageName,
    /// What its latest version is for.
    pub description: String,
    /// The highest release that is not yanked, or else the highest pre-release.
    pub latest: Option<Version>,
    /// Who may publish it: ids of tokens.
    pub owners: Vec<String>,
    /// How often its versions were downloaded.
    pub downloads: u64,
    /// The versions, newest first, also yanked ones.
    pub versions: Vec<VersionInfo>,
}

/// A version of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionInfo {
    /// The version.
    pub version: Version,
    /// What it is for.
    pub description: String,
    /// The digest of the package, `sha256:...`.
    pub digest: String,
    /// Bytes of the package.
    pub size: u64,
    /// Number of its files.
    pub files: u64,
    /// When it was published: RFC 3339, in UTC.
    pub published_at: String,
    /// The id of the token that it was published with.
    pub published_by: String,
    /// Its types; empty for instructions without a manifest.
    pub types: Vec<String>,
    /// The permissions that it wants.
    pub permissions: Vec<String>,
    /// Its licence.
    pub licence: Option<String>,
    /// Whether it has code that the host may run.
    pub has_code: bool,
    /// What `audit` said.
    pub verdict: AuditVerdict,
    /// Findings of `audit`, such as `high: SKILL.md:12: sends a secret to the network`.
    pub findings: Vec<String>,
    /// The public key of its signature.
    pub signed_by: Option<String>,
    /// Why it must not be used any more.
    pub yanked: Option<Yank>,
    /// How often it was downloaded.
    pub downloads: u64,
}

/// Why and when a version was yanked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Yank {
    /// The reason, which may be empty.
    pub reason: String,
    /// When: RFC 3339, in UTC.
    pub at: String,
}

/// The answer to a publish.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishReceipt {
    /// The package.
    pub name: PackageName,
    /// The version.
    pub version: Version,
    /// The digest of the package, `sha256:...`.
    pub digest: String,
    /// What its author should know, such as names that look alike.
    pub warnings: Vec<String>,
}

/// What changed between two versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionDiff {
    /// The older version; none if there is no version before.
    pub from: Option<Version>,
    /// The newer version.
    pub to: Version,
    /// The files that changed.
    pub files: Vec<FileDiff>,
    /// Permissions that only the newer one wants.
    pub permissions_added: Vec<String>,
    /// Permissions that only the older one wants.
    pub permissions_removed: Vec<String>,
}

/// A file that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDiff {
    /// Its path.
    pub path: String,
    /// How it changed.
    pub change: FileDiffKind,
    /// The changed lines as a unified diff, for text; none for other files and what is too long.
    pub text: Option<String>,
}

/// How a file changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileDiffKind {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It has other bytes.
    Changed,
}
