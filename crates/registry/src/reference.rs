//! Where a package comes from, as users write it.
//!
//! | text | package |
//! |---|---|
//! | `./skills/pdf`, `../pdf`, `/opt/pdf`, `~/pdf`, `.` | a directory |
//! | `pdf.zip`, `./pdf.tar.gz`, `pdf.tgz`, `pdf.tar`, `pdf.skill` | an archive |
//! | `all.zip#skills/pdf` | a directory in an archive |
//! | `https://example.com/pdf.zip` | an archive on a server |
//! | `https://example.com` | a server with an index at `/.well-known/agent-skills/index.json` |
//! | `owner/repo`, `owner/repo/path@ref` | a git repository of the default host |
//! | `host/owner/repo/path@ref` | a git repository of that host |
//! | `https://host/owner/repo.git/path@ref`, `ssh://...`, `git@host:owner/repo.git`, `file:///...` | any git repository |
//! | `https://host/owner/repo#path@ref` | a directory of a repository whose URL has no `.git` |
//! | `https://github.com/owner/repo/tree/main/path` | the same, as a browser shows it |
//! | `pdf`, `pdf@1.2.0`, `pdf@^1`, `registry:acme/pdf@^1` | a package of a registry |
//! | `acme/pdf` | the same, if a registry claims `acme` as a namespace |
//! | `https://host/api/v1/skills/acme/pdf@^1` | a package of that registry |

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use prowess_config::{GitLocation, GitLocationError};
use prowess_spec::SkillPath;
use semver::{Version, VersionReq};
use url::Url;

use crate::package_name::PackageName;
use crate::registries::PACKAGES_PATH;

/// Where a package comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackageReference {
    /// A directory of this machine.
    Directory(PathBuf),
    /// An archive of this machine, and the directory of the skill in it.
    Archive(PathBuf, Option<SkillPath>),
    /// An archive on a server; the fragment is the directory of the skill in it.
    ArchiveUrl(Url),
    /// A server with an index of skills; the fragment is the name of one.
    Index(Url),
    /// A git repository.
    Git(GitPlace),
    /// A package of a registry.
    Registry {
        /// The URL of the registry, without a slash at its end; absent: those of the user's configuration.
        registry: Option<Url>,
        /// The name.
        name: PackageName,
        /// The versions that will do; any release if absent.
        versions: Option<VersionReq>,
    },
}

/// A place in a git repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitPlace {
    /// The repository; its URL has no password.
    pub repository: GitLocation,
    /// The directory in it.
    pub path: Option<SkillPath>,
    /// The branch, tag or commit.
    pub reference: Option<String>,
}

/// A text that says nothing about a package.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid package `{}`: {reason}", .text.escape_debug())]
pub struct ReferenceError {
    text: String,
    reason: &'static str,
}

const PASSWORD: &str =
    "a password in a URL would be stored in the lock file; use ssh for private repositories";
/// The endings of archives.
const ARCHIVES: [&str; 5] = [".zip", ".tar.gz", ".tgz", ".tar", ".skill"];

impl PackageReference {
    /// Reads a reference. `default_host` is the host of `owner/repo`.
    ///
    /// ```
    /// use prowess_registry::PackageReference;
    ///
    /// let read = |text| PackageReference::parse(text, "github.com").unwrap().to_string();
    /// assert_eq!(read("anthropics/skills/skills/pdf@main"), "https://github.com/anthropics/skills.git/skills/pdf@main");
    /// assert_eq!(read("./skills/pdf"), "./skills/pdf");
    /// assert_eq!(read("pdf@^1"), "pdf@^1");
    /// ```
    pub fn parse(text: &str, default_host: &str) -> Result<Self, ReferenceError> {
        Self::parse_with(text, default_host, |_| false)
    }

    /// Reads a reference. `owner/name` is a package of a registry where `is_namespace` says so of the owner.
    pub fn parse_with(
        text: &str,
        default_host: &str,
        is_namespace: impl Fn(&str) -> bool,
    ) -> Result<Self, ReferenceError> {
        let text = text.trim();
        let error = |reason| ReferenceError {
            text: text.chars().take(200).collect(),
            reason,
        };
        if text.is_empty() {
            return Err(error("it is empty"));
        }
        if text.contains(|c: char| c.is_control()) {
            return Err(error("it has a control character"));
        }
        if is_path(text) {
            return archive(text)
                .unwrap_or(Ok(Self::Directory(text.into())))
                .map_err(error);
        }
        if let Some(package) = text.strip_prefix("registry:") {
            return named(None, package).map_err(error);
        }
        if let Some((scheme, _)) = text.split_once("://") {
            return from_url(text, &scheme.to_ascii_lowercase()).map_err(error);
        }
        if let Some(location) = scp_like(text) {
            return location.map(Self::Git).map_err(error);
        }
        if let Some(archive) = archive(text) {
            return archive.map_err(error);
        }
        let (rest, reference) = split_reference(text).map_err(error)?;
        let parts: Vec<&str> = rest.split('/').collect();
        match parts.as_slice() {
            [_] => named(None, text).map_err(error),
            [owner, _] if is_namespace(owner) => named(None, text).map_err(error),
            [host, owner, repository, path @ ..] if host.contains('.') => {
                hosted(host, owner, repository, path, reference).map_err(error)
            }
            [owner, repository, path @ ..] => {
                hosted(default_host, owner, repository, path, reference).map_err(error)
            }
            [] => Err(error("it is empty")),
        }
    }
}

impl PackageReference {
    /// The package that a skill is in, whichever skill of it is meant.
    #[must_use]
    pub fn package(&self) -> Self {
        let mut package = self.clone();
        match &mut package {
            Self::Git(location) => location.path = None,
            Self::Archive(_, inside) => *inside = None,
            Self::ArchiveUrl(url) | Self::Index(url) => url.set_fragment(None),
            Self::Directory(_) | Self::Registry { .. } => {}
        }
        package
    }
}

/// Whether a text is written as a path.
fn is_path(text: &str) -> bool {
    let starts = ["./", "../", "/", "~/", ".\\", "..\\"];
    [".", ".."].contains(&text) || starts.iter().any(|it| text.starts_with(it))
}

fn is_archive(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ARCHIVES.iter().any(|it| text.ends_with(it))
}

/// `file.zip` or `file.zip#directory`.
fn archive(text: &str) -> Option<Result<PackageReference, &'static str>> {
    if is_archive(text) {
        return Some(Ok(PackageReference::Archive(text.into(), None)));
    }
    let (path, inside) = text.rsplit_once('#')?;
    is_archive(path).then(|| Ok(PackageReference::Archive(path.into(), directory(inside)?)))
}

/// `name[@range]`, with or without an owner.
fn named(registry: Option<Url>, text: &str) -> Result<PackageReference, &'static str> {
    let (name, versions) = match text.split_once('@') {
        Some((name, versions)) => (name, Some(versions)),
        None => (text, None),
    };
    let name = name.parse().map_err(
        |_| "expected a name of lower-case ASCII letters, digits and hyphens; write a directory as `./NAME`",
    )?;
    // A whole version is that one and no other.
    let exact = |it: &str| match Version::parse(it) {
        Ok(_) => format!("={it}"),
        Err(_) => it.to_owned(),
    };
    let versions = versions.map(|it| VersionReq::parse(&exact(it))).transpose();
    let versions = versions.map_err(|_| "expected a version such as `1.2.0` or `^1` after `@`")?;
    Ok(PackageReference::Registry {
        registry,
        name,
        versions,
    })
}

/// A package of a registry, as the lock file has it; `None` for any other URL.
fn of_registry(text: &str) -> Option<PackageReference> {
    let (base, package) = text.split_once(PACKAGES_PATH)?;
    let base = Url::parse(base).ok()?;
    let is_plain = base.query().is_none() && base.fragment().is_none() && base.has_host();
    let is_open = base.username().is_empty() && base.password().is_none();
    let is_web = ["https", "http"].contains(&base.scheme());
    (is_plain && is_open && is_web).then(|| named(Some(base), package).ok())?
}

fn hosted(
    host: &str,
    owner: &str,
    repository: &str,
    path: &[&str],
    reference: Option<String>,
) -> Result<PackageReference, &'static str> {
    let repository = repository.strip_suffix(".git").unwrap_or(repository);
    let is_plain = |part: &str| {
        let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        !part.is_empty() && !part.starts_with(['.', '-']) && part.chars().all(allowed)
    };
    let (name, port) = host.split_once(':').unwrap_or((host, "443"));
    let is_host = is_plain(name) && port.parse::<u16>().is_ok();
    if !is_host || ![owner, repository].into_iter().all(is_plain) {
        return Err("expected `owner/repo` or `host/owner/repo`");
    }
    Ok(PackageReference::Git(GitPlace {
        repository: repository_at(&format!("https://{host}/{owner}/{repository}.git"))?,
        path: directory(&path.join("/"))?,
        reference,
    }))
}

/// The directory in a repository; none for its root.
fn directory(path: &str) -> Result<Option<SkillPath>, &'static str> {
    let path = path.trim_matches('/');
    if path.is_empty() {
        return Ok(None);
    }
    let path = SkillPath::parse(path);
    path.map(Some)
        .map_err(|_| "the path in the repository is not one below its root")
}

fn from_url(text: &str, scheme: &str) -> Result<PackageReference, &'static str> {
    if ["ssh", "git", "file", "git+ssh", "git+https", "git+http"].contains(&scheme) {
        let plain = scheme.starts_with("git+").then(|| text.get("git+".len()..));
        let text = plain.flatten().unwrap_or(text);
        return git_url(text).map(PackageReference::Git);
    }
    if !["https", "http"].contains(&scheme) {
        return Err("unknown scheme: expected https, ssh, git or file");
    }
    if let Some(package) = of_registry(text) {
        return Ok(package);
    }
    let url = Url::parse(text).map_err(|_| "the URL is malformed")?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(PASSWORD);
    }
    if is_archive(url.path()) {
        return Ok(PackageReference::ArchiveUrl(url));
    }
    let path = url.path().trim_matches('/');
    if path.is_empty() {
        return Ok(PackageReference::Index(url));
    }
    if let Some(location) = shown_in_browser(&url)? {
        return Ok(PackageReference::Git(location));
    }
    git_url(text).map(PackageReference::Git)
}

/// The page of a directory: `/owner/repo/tree/REF/path`, or `/-/tree/` with more groups above.
fn shown_in_browser(url: &Url) -> Result<Option<GitPlace>, &'static str> {
    let path = url.path().trim_matches('/');
    let found = ["/-/tree/", "/tree/", "/blob/"]
        .iter()
        .find_map(|it| path.split_once(it));
    let Some((repository, rest)) = found else {
        return Ok(None);
    };
    let (reference, path) = rest.split_once('/').unwrap_or((rest, ""));
    let path = path.strip_suffix("SKILL.md").unwrap_or(path);
    let origin = url.origin().ascii_serialization();
    Ok(Some(GitPlace {
        repository: repository_at(&format!(
            "{origin}/{}.git",
            repository.trim_end_matches(".git")
        ))?,
        path: directory(path)?,
        reference: reference_name(reference)?,
    }))
}

/// A repository whose URL may be stored and shown.
fn repository_at(text: &str) -> Result<GitLocation, &'static str> {
    let location = GitLocation::parse(text).map_err(|error| match error {
        GitLocationError::Option => "a part of the URL could be taken for an option",
        GitLocationError::Scheme => "unknown scheme: expected https, ssh, git or file",
        GitLocationError::FileHost => "a `file` URL cannot have a host",
        _ => "the URL is malformed",
    })?;
    // The forms that are read here always are URLs.
    let url = Url::parse(&location.expose()).map_err(|_| "the URL is malformed")?;
    if url.password().is_some() {
        return Err(PASSWORD);
    }
    if url.path().len() < 2 || url.query().is_some() || url.fragment().is_some() {
        return Err("the URL names no repository");
    }
    Ok(location)
}

/// `URL[@ref]`, `URL.git/path[@ref]` or `URL#path[@ref]`.
fn git_url(text: &str) -> Result<GitPlace, &'static str> {
    let authority = text.find("://").map_or(0, |at| at + 3);
    let (head, tail) = text.split_at_checked(authority).unwrap_or(("", text));
    // The `@` of `git@host` is before the first `/`.
    let (host, place) = tail.split_once('/').unwrap_or((tail, ""));
    let (place, reference) = split_reference(place)?;
    let (repository, path) = match (place.split_once('#'), place.split_once(".git/")) {
        (Some((repository, path)), _) => (repository.to_owned(), path),
        (None, Some((repository, path))) => (format!("{repository}.git"), path),
        (None, None) => (place.to_owned(), ""),
    };
    if repository.is_empty() {
        return Err("the URL names no repository");
    }
    Ok(GitPlace {
        repository: repository_at(&format!("{head}{host}/{repository}"))?,
        path: directory(path)?,
        reference,
    })
}

/// `git@host:owner/repo.git[/path][@ref]`, as git writes it.
fn scp_like(text: &str) -> Option<Result<GitPlace, &'static str>> {
    let (user, rest) = text.split_once('@')?;
    let (host, place) = rest.split_once(':')?;
    if user.is_empty() || [user, host].iter().any(|it| it.contains('/')) {
        return None;
    }
    Some(git_url(&format!(
        "ssh://{user}@{host}/{}",
        place.trim_start_matches('/')
    )))
}

/// The text before the last `@`, and the branch, tag, commit or version after it.
fn split_reference(text: &str) -> Result<(&str, Option<String>), &'static str> {
    match text.rsplit_once('@') {
        Some((rest, reference)) => Ok((rest, reference_name(reference)?)),
        None => Ok((text, None)),
    }
}

/// A name that git takes for a reference and never for an option.
fn reference_name(name: &str) -> Result<Option<String>, &'static str> {
    let is_bad = name.is_empty()
        || name.starts_with('-')
        || name.contains("..")
        || name.contains(|c: char| c.is_whitespace() || "~:?[\\".contains(c));
    // A range of versions may have these.
    let is_range = VersionReq::parse(name).is_ok();
    if is_bad && !is_range {
        return Err("expected a branch, tag, commit or version after `@`");
    }
    Ok(Some(name.to_owned()))
}

impl fmt::Display for PackageReference {
    /// The form of the lock file: reading it again gives the same.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory(path) | Self::Archive(path, None) => write!(f, "{}", path.display()),
            Self::Archive(path, Some(inside)) => write!(f, "{}#{inside}", path.display()),
            Self::ArchiveUrl(url) | Self::Index(url) => write!(f, "{url}"),
            Self::Git(location) => write!(f, "{location}"),
            Self::Registry {
                registry,
                name,
                versions,
            } => {
                match registry {
                    Some(registry) => {
                        let base = registry.as_str().trim_end_matches('/');
                        write!(f, "{base}{PACKAGES_PATH}{name}")?;
                    }
                    // Without the word, it would be a repository.
                    None if name.owner().is_some() => write!(f, "registry:{name}")?,
                    None => write!(f, "{name}")?,
                }
                match versions {
                    Some(versions) => write!(f, "@{versions}"),
                    None => Ok(()),
                }
            }
        }
    }
}

impl fmt::Display for GitPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.repository.expose();
        f.write_str(&url)?;
        if let Some(path) = &self.path {
            // The first `#` of a reference ends the repository.
            let is_plain = url.strip_suffix(".git").is_some() && !path.as_str().contains('#');
            let separator = if is_plain { '/' } else { '#' };
            write!(f, "{separator}{path}")?;
        }
        match &self.reference {
            Some(reference) => write!(f, "@{reference}"),
            None => Ok(()),
        }
    }
}

impl FromStr for PackageReference {
    type Err = ReferenceError;

    /// Reads a reference that does not depend on a default host, such as those of a lock file.
    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        Self::parse(text, "github.com")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use prowess_testing::properties;

    use super::*;

    fn read(text: &str) -> Result<String, String> {
        match PackageReference::parse(text, "github.com") {
            Ok(read) => {
                let kind = match &read {
                    PackageReference::Directory(_) => "directory",
                    PackageReference::Archive(..) => "archive",
                    PackageReference::ArchiveUrl(_) => "archive-url",
                    PackageReference::Index(_) => "index",
                    PackageReference::Git(_) => "git",
                    PackageReference::Registry { .. } => "registry",
                };
                Ok(format!("{kind} {read}"))
            }
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn every_form_is_read() {
        for (text, expected) in [
            ("./dir", "directory ./dir"),
            (".", "directory ."),
            ("../a/b", "directory ../a/b"),
            ("~/skills/pdf", "directory ~/skills/pdf"),
            ("/opt/skills", "directory /opt/skills"),
            ("pdf.zip", "archive pdf.zip"),
            ("./PDF.TAR.GZ", "archive ./PDF.TAR.GZ"),
            ("build/pdf.skill", "archive build/pdf.skill"),
            ("all.zip#skills/pdf", "archive all.zip#skills/pdf"),
            ("./all.zip#skills/pdf", "archive ./all.zip#skills/pdf"),
            ("https://example.com/#pdf", "index https://example.com/#pdf"),
            (
                "https://example.com/a/pdf.tgz",
                "archive-url https://example.com/a/pdf.tgz",
            ),
            ("https://example.com", "index https://example.com/"),
            ("owner/repo", "git https://github.com/owner/repo.git"),
            (
                "owner/repo@v1.0",
                "git https://github.com/owner/repo.git@v1.0",
            ),
            (
                "owner/repo/skills/pdf@main",
                "git https://github.com/owner/repo.git/skills/pdf@main",
            ),
            (
                "gitlab.com/owner/repo",
                "git https://gitlab.com/owner/repo.git",
            ),
            (
                "https://host/group/sub/repo.git/skills/pdf@x",
                "git https://host/group/sub/repo.git/skills/pdf@x",
            ),
            ("https://host/owner/repo", "git https://host/owner/repo"),
            (
                "git@host:owner/repo.git",
                "git ssh://git@host/owner/repo.git",
            ),
            (
                "git@host:owner/repo.git/a@v2",
                "git ssh://git@host/owner/repo.git/a@v2",
            ),
            (
                "ssh://git@host:2222/o/r.git",
                "git ssh://git@host:2222/o/r.git",
            ),
            ("git+https://host/o/r.git", "git https://host/o/r.git"),
            ("https://host/o/r#a/b@v1", "git https://host/o/r#a/b@v1"),
            ("file:///srv/r.git/a", "git file:///srv/r.git/a"),
            (
                "https://github.com/owner/repo/tree/main/skills/pdf",
                "git https://github.com/owner/repo.git/skills/pdf@main",
            ),
            (
                "https://github.com/owner/repo/blob/main/pdf/SKILL.md",
                "git https://github.com/owner/repo.git/pdf@main",
            ),
            (
                "https://gitlab.com/a/b/c/-/tree/dev/pdf",
                "git https://gitlab.com/a/b/c.git/pdf@dev",
            ),
            ("pdf", "registry pdf"),
            ("pdf@1.2.0", "registry pdf@=1.2.0"),
            ("pdf@^1", "registry pdf@^1"),
            ("pdf@>=1.5, <3", "registry pdf@>=1.5, <3"),
            ("registry:pdf", "registry pdf"),
            ("registry:acme/pdf@~1.2", "registry registry:acme/pdf@~1.2"),
            (
                "https://host/api/v1/skills/acme/pdf",
                "registry https://host/api/v1/skills/acme/pdf",
            ),
            (
                "http://127.0.0.1:80/base/api/v1/skills/pdf@>=1.5, <3",
                "registry http://127.0.0.1/base/api/v1/skills/pdf@>=1.5, <3",
            ),
            (
                "https://host/api/v1/skills/pdf@1.2.0-beta.1",
                "registry https://host/api/v1/skills/pdf@=1.2.0-beta.1",
            ),
            // Not the name of a package.
            (
                "https://host/api/v1/skills/a/b/c",
                "git https://host/api/v1/skills/a/b/c",
            ),
        ] {
            assert_eq!(read(text), Ok(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_claimed_owner_is_a_namespace_and_not_a_repository() {
        let read = |text: &str| {
            let read = PackageReference::parse_with(text, "github.com", |owner| owner == "acme");
            read.unwrap().to_string()
        };
        assert_eq!(read("acme/pdf@^1"), "registry:acme/pdf@^1");
        assert_eq!(read("other/pdf"), "https://github.com/other/pdf.git");
        assert_eq!(read("acme/pdf/sub"), "https://github.com/acme/pdf.git/sub");
    }

    #[test]
    fn nonsense_is_refused_with_a_reason() {
        for text in [
            "",
            " ",
            "Pdf",
            "a b",
            "pdf@",
            "pdf@x y",
            "owner/repo/../x",
            "owner/repo@--upload-pack=x",
            "owner/repo@a..b",
            "-x/repo",
            "owner/.git",
            "ftp://host/x",
            "https://user:pw@host/o/r.git",
            "owner/\u{1b}[2J",
            "https://",
            "ssh://host",
            "registry:",
            "registry:Acme/pdf",
            "registry:a/b/c",
            "registry:acme/pdf@",
            "ｐｄｆ",
            "latest",
            "https://user@host/api/v1/skills/pdf",
        ] {
            let refused = read(text).unwrap_err();
            assert!(
                refused.starts_with("invalid package `"),
                "{text}: {refused}"
            );
        }
    }

    proptest! {
        #![proptest_config(properties(256))]

        /// What is written is read as the same, and no text is a panic.
        #[test]
        fn display_is_read_again(text in "[a-z./@:~^#-]{0,40}|(https|ssh|file)://[a-z./@#]{0,30}") {
            if let Ok(read) = PackageReference::parse(&text, "github.com") {
                let again: PackageReference = read.to_string().parse().unwrap();
                prop_assert_eq!(again, read);
            }
        }
    }
}
