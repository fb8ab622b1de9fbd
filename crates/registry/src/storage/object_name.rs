//! The names of objects.

use prowess_policy::ContentDigest;

use super::error::StorageError;
use super::limits::NAME_LENGTH;

/// Where packages are.
pub(super) const PACKAGES: &str = "packages/sha256";
/// Where objects are that are replaced.
const NAMED: &str = "named";

/// The name of an object: valid as a path of a file and as a key of a bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ObjectName(String);

impl ObjectName {
    /// The object of a package.
    pub(super) fn package(digest: ContentDigest) -> Self {
        let text = digest.to_string();
        let digits = text.strip_prefix("sha256:").unwrap_or(&text);
        // A directory with a million files is slow to list.
        let (first, rest) = digits.split_at_checked(2).unwrap_or((digits, ""));
        Self(format!("{PACKAGES}/{first}/{rest}"))
    }

    /// An object that is replaced.
    pub(super) fn named(name: &str) -> Result<Self, StorageError> {
        let is_word = |word: &str| {
            let mut bytes = word.bytes();
            bytes.next().is_some_and(|it| it.is_ascii_alphanumeric())
                && word
                    .bytes()
                    .all(|it| matches!(it, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-'))
        };
        if name.len() <= NAME_LENGTH && name.split('/').all(is_word) {
            Ok(Self(format!("{NAMED}/{name}")))
        } else {
            Err(StorageError::InvalidName(name.to_owned()))
        }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// The digest of the package with this name, if it is one.
    pub(super) fn digest_of(name: &str) -> Option<ContentDigest> {
        let rest = name.strip_prefix(PACKAGES)?.strip_prefix('/')?;
        let digest = format!("sha256:{}", rest.replacen('/', "", 1))
            .parse()
            .ok()?;
        // What has capital letters, or the slash at another place, is not ours.
        (Self::package(digest).as_str() == name).then_some(digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_of_a_package_has_its_digest() {
        let digest = ContentDigest([0xab; 32]);
        let name = ObjectName::package(digest);
        assert_eq!(
            name.as_str(),
            format!("packages/sha256/ab/{}", "ab".repeat(31))
        );
        assert_eq!(ObjectName::digest_of(name.as_str()), Some(digest));
        for other in [
            name.as_str().to_uppercase(),
            name.as_str().replace("/ab/", "/aba/"),
            format!("{}.bak", name.as_str()),
            "packages/sha256/ab".to_owned(),
        ] {
            assert_eq!(ObjectName::digest_of(&other), None, "{other}");
        }
    }

    #[test]
    fn names_stay_below_their_directory() {
        let long = "a".repeat(NAME_LENGTH + 1);
        for bad in [
            "", "/a", "a/", "a//b", "..", "a/../b", ".a", "A", "a b", "a\0", "ä", &long,
        ] {
            assert!(ObjectName::named(bad).is_err(), "{bad}");
        }
        let name = ObjectName::named("search/index-1.bin").unwrap();
        assert_eq!(name.as_str(), "named/search/index-1.bin");
    }
}
