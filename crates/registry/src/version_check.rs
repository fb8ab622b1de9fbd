//! Whether bytes are those of the version they are offered as.
//!
//! A signature says who made bytes, not which version they are: a registry could serve old signed bytes under a new number.
//! So the number must be in what was signed: in the skill, or else in the signed comment.

use prowess_spec::SkillName;
use semver::Version;

use crate::signature::{SignatureError, signer, verify};
use crate::tree::PackageTree;

/// Why bytes are not those of a version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VersionMismatch {
    /// The skill states another version.
    #[error("the skill says version {stated}, not {offered}")]
    Other {
        /// The version in the skill.
        stated: Version,
        /// The version that was asked for or sent.
        offered: Version,
    },
    /// Neither the skill nor its signature says which version it is.
    #[error(
        "its signature is not of version {offered}: state the version in the skill, or sign with the comment `{comment}`"
    )]
    NotSigned {
        /// The version that was asked for or sent.
        offered: Version,
        /// The comment that names it.
        comment: String,
    },
    /// The signature is of other bytes.
    #[error("invalid signature: {0}")]
    Signature(#[from] SignatureError),
}

/// Verifies that a package is the version it is offered as, by what its author wrote and signed.
pub(crate) fn verify_version(
    name: &SkillName,
    offered: &Version,
    tree: &PackageTree,
    bytes: &[u8],
    signature: Option<&str>,
) -> Result<(), VersionMismatch> {
    let offered = offered.clone();
    match (tree.package_version(), signature) {
        (Some(stated), _) if stated == offered => Ok(()),
        (Some(stated), _) => Err(VersionMismatch::Other { stated, offered }),
        (None, None) => Ok(()),
        (None, Some(signature)) => {
            let comment = verify(bytes, signature, &signer(signature)?)?;
            let expected = signed_comment(name, &offered);
            // `minisign` writes `timestamp:1700000000	file:NAME	hashed`.
            let mut words = comment.split_whitespace();
            if words.any(|word| word.strip_prefix("file:").unwrap_or(word) == expected) {
                return Ok(());
            }
            Err(VersionMismatch::NotSigned {
                offered,
                comment: expected,
            })
        }
    }
}

/// The comment that is signed with a package: the name of its file.
pub fn signed_comment(name: &SkillName, version: &Version) -> String {
    format!("{name}-{version}.tar.gz")
}

#[cfg(test)]
mod tests {
    use prowess_spec::SkillPath;

    use super::*;
    use crate::signature::{KeyPair, sign};
    use crate::tree::PackageFile;

    fn tree(version: &str) -> PackageTree {
        let text = format!("---\nname: pdf\ndescription: d\n{version}---\n");
        let file = PackageFile {
            bytes: text.into_bytes(),
            executable: false,
        };
        PackageTree::new([(SkillPath::parse("SKILL.md").unwrap(), file)]).unwrap()
    }

    #[test]
    fn q33_the_version_is_in_what_was_signed() {
        let pair = KeyPair::generate(None).unwrap();
        let name = SkillName::parse("pdf").unwrap();
        let check = |stated: &str, comment: Option<&str>| {
            let bytes = b"package";
            let sign = |comment| sign(bytes, &pair.secret, None, comment).unwrap();
            let signature = comment.map(sign);
            let offered = Version::new(1, 2, 0);
            verify_version(&name, &offered, &tree(stated), bytes, signature.as_deref())
        };
        let stated = |version: &str| format!("metadata:\n  version: \"{version}\"\n");
        for (version, comment) in [
            (stated("1.2.0"), None),
            (stated("1.2"), Some("anything")),
            (String::new(), None),
            (String::new(), Some("pdf-1.2.0.tar.gz")),
            (
                String::new(),
                Some("timestamp:17 file:pdf-1.2.0.tar.gz hashed"),
            ),
        ] {
            assert_eq!(check(&version, comment), Ok(()), "{version} {comment:?}");
        }
        for comment in [None, Some("pdf-1.2.0.tar.gz")] {
            let found = check(&stated("1.1.0"), comment);
            assert!(
                matches!(found, Err(VersionMismatch::Other { .. })),
                "{found:?}"
            );
        }
        for comment in ["pdf-1.1.0.tar.gz", "xpdf-1.2.0.tar.gz", "1.2.0", ""] {
            // A version that is none says nothing.
            for version in [String::new(), stated("newest")] {
                let found = check(&version, Some(comment));
                let refused = matches!(found, Err(VersionMismatch::NotSigned { .. }));
                assert!(refused, "{comment}: {found:?}");
            }
        }
    }
}
