//! The URLs of a registry. The name of a package may have a `/`, written as it is or as `%2F`, so they are read by hand.

use axum::http::Method;
use prowess_registry::{PackageName, VersionSpec};

use crate::error::{Code, Failure};
use crate::scope::Scope;

/// Searching.
pub(crate) const SEARCH: &str = "/api/v1/search";
/// The discovery index of the standard.
pub(crate) const INDEX: &str = "/.well-known/agent-skills/index.json";
/// Everything about a package.
pub(crate) const BELOW_SKILLS: &str = "/api/v1/skills/{*path}";
/// What they begin with.
const SKILLS: &str = "/api/v1/skills/";

/// What a URL below the packages is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PackagePath {
    pub(crate) name: PackageName,
    pub(crate) part: PackagePart,
}

/// The part of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PackagePart {
    Package,
    Versions,
    Owners,
    Owner(String),
    Version(VersionSpec),
    Manifest(VersionSpec),
    Download(VersionSpec),
    Signature(VersionSpec),
    Diff(VersionSpec),
    Unyank(VersionSpec),
}

impl PackagePart {
    /// The methods that it has, as the header `Allow` lists them.
    pub(super) fn methods(&self) -> &'static str {
        match self {
            Self::Package
            | Self::Versions
            | Self::Owners
            | Self::Manifest(_)
            | Self::Download(_)
            | Self::Signature(_)
            | Self::Diff(_) => "GET, HEAD",
            Self::Version(_) => "GET, HEAD, PUT, DELETE",
            Self::Owner(_) => "PUT, DELETE",
            Self::Unyank(_) => "PUT",
        }
    }
}

impl PackagePath {
    /// Reads what comes after `/api/v1/skills/`, decoded.
    pub(crate) fn parse(path: &str) -> Result<Self, Failure> {
        let not_found = || {
            let message = "not found; `/openapi.json` lists every request";
            Failure::new(Code::NotFound, message)
        };
        let parts: Vec<&str> = path.split('/').collect();
        // A name has no dot and is none of these words, so a version is never taken for one.
        let is_part =
            |text: &str| text.contains('.') || ["versions", "owners", "latest"].contains(&text);
        let (name, rest) = match parts.as_slice() {
            [name] => ((*name).to_owned(), &[][..]),
            [name, rest @ ..] if rest.first().is_some_and(|it| is_part(it)) => {
                ((*name).to_owned(), rest)
            }
            [owner, name, rest @ ..] => (format!("{owner}/{name}"), rest),
            [] => return Err(not_found()),
        };
        let name: PackageName =
            name.parse()
                .map_err(|error: prowess_registry::InvalidPackageName| {
                    Failure::new(Code::InvalidRequest, error.to_string())
                })?;
        let version = |text: &str| {
            let spec = text.parse::<VersionSpec>();
            spec.map_err(|error| Failure::new(Code::InvalidRequest, error.to_string()))
        };
        let part = match *rest {
            [] => PackagePart::Package,
            ["versions"] => PackagePart::Versions,
            ["owners"] => PackagePart::Owners,
            ["owners", owner] if !owner.is_empty() => PackagePart::Owner(owner.to_owned()),
            [spec] => PackagePart::Version(version(spec)?),
            [spec, "manifest"] => PackagePart::Manifest(version(spec)?),
            [spec, "download"] => PackagePart::Download(version(spec)?),
            [spec, "signature"] => PackagePart::Signature(version(spec)?),
            [spec, "diff"] => PackagePart::Diff(version(spec)?),
            [spec, "unyank"] => PackagePart::Unyank(version(spec)?),
            _ => return Err(not_found()),
        };
        Ok(Self { name, part })
    }

    /// The URL of the download of a version.
    pub(super) fn download(name: &PackageName, version: &str) -> String {
        format!("{SKILLS}{name}/{version}/download")
    }
}

/// The scope that a request to a registry needs; `None` for other URLs. The path is not decoded yet.
pub(crate) fn needed_scope(method: &Method, path: &str) -> Option<Scope> {
    if path == SEARCH || path == INDEX {
        return Some(Scope::Read);
    }
    let below = path.strip_prefix(SKILLS)?;
    Some(match *method {
        _ if method.is_safe() => Scope::Read,
        _ if below.contains("/owners/") => Scope::Publish,
        Method::PUT if !below.ends_with("/unyank") => Scope::Publish,
        _ => Scope::Yank,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str) -> Option<(String, PackagePart)> {
        let read = PackagePath::parse(path).ok()?;
        Some((read.name.to_string(), read.part))
    }

    #[test]
    fn names_with_and_without_an_owner_are_read() {
        let one = || VersionSpec::Exact("1.0.0".parse().unwrap());
        for (path, name, part) in [
            ("pdf", "pdf", PackagePart::Package),
            ("acme/pdf", "acme/pdf", PackagePart::Package),
            ("pdf/versions", "pdf", PackagePart::Versions),
            ("acme/pdf/versions", "acme/pdf", PackagePart::Versions),
            ("pdf/1.0.0", "pdf", PackagePart::Version(one())),
            (
                "acme/pdf/latest",
                "acme/pdf",
                PackagePart::Version(VersionSpec::Latest),
            ),
            (
                "pdf/latest/manifest",
                "pdf",
                PackagePart::Manifest(VersionSpec::Latest),
            ),
            (
                "acme/pdf/1.0.0/download",
                "acme/pdf",
                PackagePart::Download(one()),
            ),
            ("acme/pdf/1.0.0/diff", "acme/pdf", PackagePart::Diff(one())),
            (
                "acme/pdf/1.0.0/unyank",
                "acme/pdf",
                PackagePart::Unyank(one()),
            ),
            (
                "acme/pdf/1.0.0/signature",
                "acme/pdf",
                PackagePart::Signature(one()),
            ),
            ("pdf/owners", "pdf", PackagePart::Owners),
            (
                "acme/pdf/owners/bob",
                "acme/pdf",
                PackagePart::Owner("bob".into()),
            ),
        ] {
            assert_eq!(read(path), Some((name.to_owned(), part)), "{path}");
        }
        for path in [
            "",
            "/",
            "a/b/c",
            "pdf/1.0",
            "pdf/1.0.0/x",
            "PDF",
            "pdf/",
            "pdf/owners/",
            "../x/1.0.0",
            "pdf/1.0.0/download/x",
            "pdf/1.0.0+x",
        ] {
            assert_eq!(read(path), None, "{path}");
        }
    }

    /// Every URL of the document below the packages leads to a part of one.
    #[test]
    fn sv15_every_documented_url_is_read() {
        let document = crate::openapi();
        let paths = document["paths"].as_object().unwrap().keys();
        let below: Vec<&str> = paths.filter_map(|it| it.strip_prefix(SKILLS)).collect();
        assert_eq!(below.len(), 10);
        let mut parts: Vec<String> = Vec::new();
        for path in below {
            let path = path
                .replace("{name}", "acme/pdf")
                .replace("{version}", "1.0.0");
            let (name, part) = read(&path.replace("{owner}", "bob")).unwrap();
            assert_eq!(name, "acme/pdf");
            parts.push(format!("{part:?}"));
        }
        parts.sort();
        parts.dedup();
        assert_eq!(parts.len(), 10, "{parts:?}");
    }

    #[test]
    fn changes_need_their_scopes() {
        let check = |method: Method, path: &str, expected| {
            assert_eq!(needed_scope(&method, path), expected, "{method} {path}");
        };
        check(Method::GET, "/api/v1/search", Some(Scope::Read));
        check(
            Method::GET,
            "/api/v1/skills/pdf/1.0.0/download",
            Some(Scope::Read),
        );
        check(
            Method::PUT,
            "/api/v1/skills/pdf/1.0.0",
            Some(Scope::Publish),
        );
        check(
            Method::DELETE,
            "/api/v1/skills/pdf/1.0.0",
            Some(Scope::Yank),
        );
        check(
            Method::PUT,
            "/api/v1/skills/acme%2Fpdf/1.0.0/unyank",
            Some(Scope::Yank),
        );
        check(
            Method::DELETE,
            "/api/v1/skills/pdf/owners/bob",
            Some(Scope::Publish),
        );
        check(Method::PATCH, "/api/v1/skills/pdf", Some(Scope::Yank));
        check(Method::GET, "/api/skills/pdf", None);
    }
}
