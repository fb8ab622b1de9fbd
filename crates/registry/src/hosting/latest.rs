//! Which version is the latest.

use std::str::FromStr;

use semver::Version;

/// A version of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VersionSpec {
    /// The latest one.
    Latest,
    /// Exactly this one, also if it was yanked.
    Exact(Version),
}

/// A text that is not a version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid version `{}`: expected one such as 1.2.0 or 1.2.0-beta.1, without build metadata", .0.escape_debug())]
pub struct InvalidVersion(String);

impl FromStr for VersionSpec {
    type Err = InvalidVersion;

    fn from_str(text: &str) -> Result<Self, InvalidVersion> {
        if text == "latest" {
            return Ok(Self::Latest);
        }
        let version = Version::parse(text).ok();
        // Versions that differ only in build metadata are the same version.
        let version = version.filter(|it| it.build.is_empty() && text.len() <= 64);
        version
            .map(Self::Exact)
            .ok_or_else(|| InvalidVersion(text.chars().take(100).collect()))
    }
}

/// The highest release, or else the highest pre-release.
pub(super) fn choose_latest(versions: &[String]) -> Option<&String> {
    let read = |text: &'_ &String| Version::parse(text).ok();
    let versions = versions.iter().filter_map(|it| Some((read(&it)?, it)));
    let latest =
        versions.max_by(|(a, _), (b, _)| (a.pre.is_empty(), a).cmp(&(b.pre.is_empty(), b)));
    latest.map(|(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rg3_latest_is_the_highest_release_or_pre_release() {
        let check = |versions: &[&str], expected: Option<&str>| {
            let versions: Vec<String> = versions.iter().map(ToString::to_string).collect();
            assert_eq!(choose_latest(&versions).map(String::as_str), expected);
        };
        check(&[], None);
        check(&["1.9.0", "1.10.0", "1.2.0"], Some("1.10.0"));
        check(&["1.0.0", "2.0.0-beta.1"], Some("1.0.0"));
        check(
            &["2.0.0-beta.1", "2.0.0-beta.2", "1.0.0-rc.1"],
            Some("2.0.0-beta.2"),
        );
    }

    #[test]
    fn versions_without_build_metadata_are_read() {
        let read = |text: &str| text.parse::<VersionSpec>();
        assert_eq!(read("latest"), Ok(VersionSpec::Latest));
        assert!(matches!(read("1.2.0-beta.1"), Ok(VersionSpec::Exact(_))));
        for text in ["", "1", "1.2", "v1.2.0", "1.2.0+5", "01.2.0", "1.2.0 "] {
            assert!(read(text).is_err(), "{text:?}");
        }
    }
}
