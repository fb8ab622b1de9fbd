//! Names of packages in a registry: `name`, or `owner/name`.

use std::fmt;
use std::str::FromStr;

use prowess_spec::SkillName;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Names that the URLs of a registry use for other things.
const RESERVED: [&str; 4] = ["latest", "versions", "owners", "search"];

/// The name of a package: lower-case ASCII letters, digits and hyphens, with or without an owner.
///
/// ```
/// use prowess_registry::PackageName;
///
/// let name: PackageName = "acme/pdf-forms".parse().unwrap();
/// assert_eq!((name.owner(), name.skill().as_str()), (Some("acme"), "pdf-forms"));
/// assert!("Acme/pdf".parse::<PackageName>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackageName {
    owner: Option<SkillName>,
    skill: SkillName,
}

/// A text that is not the name of a package.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid package name `{}`: expected `name` or `owner/name` of lower-case ASCII letters, digits and hyphens",
    .0.escape_debug()
)]
pub struct InvalidPackageName(String);

impl PackageName {
    /// A package without an owner; `None` for a skill whose name is not ASCII, or reserved.
    pub fn of_skill(skill: &SkillName) -> Option<Self> {
        skill.as_str().parse().ok()
    }

    /// The owner, which is a namespace of packages.
    pub fn owner(&self) -> Option<&str> {
        self.owner.as_ref().map(SkillName::as_str)
    }

    /// The name of the skill in the package.
    pub fn skill(&self) -> &SkillName {
        &self.skill
    }

    /// What people own: the namespace `owner/`, or the package itself if it has none.
    pub fn ownership(&self) -> String {
        match &self.owner {
            Some(owner) => format!("{owner}/"),
            None => self.skill.to_string(),
        }
    }
}

impl fmt::Display for PackageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.owner {
            Some(owner) => write!(f, "{owner}/{}", self.skill),
            None => write!(f, "{}", self.skill),
        }
    }
}

impl FromStr for PackageName {
    type Err = InvalidPackageName;

    fn from_str(text: &str) -> Result<Self, InvalidPackageName> {
        let invalid = || InvalidPackageName(text.chars().take(200).collect());
        let part = |part: &str| {
            let name = SkillName::parse(part).ok()?;
            // Without changes: a name with other letters is not another way to write this one.
            (part.is_ascii() && name.as_str() == part && !RESERVED.contains(&part)).then_some(name)
        };
        let (owner, skill) = match text.split_once('/') {
            Some((owner, skill)) => (Some(part(owner).ok_or_else(invalid)?), skill),
            None => (None, text),
        };
        let skill = part(skill).ok_or_else(invalid)?;
        Ok(Self { owner, skill })
    }
}

impl Serialize for PackageName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PackageName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for text in ["pdf", "pdf-forms", "acme/pdf", "a1/b2", "3d"] {
            let name: PackageName = text.parse().unwrap();
            assert_eq!(name.to_string(), text);
        }
        for text in [
            "",
            "/",
            "a/",
            "/b",
            "a/b/c",
            "A",
            "a b",
            "a_b",
            "-a",
            "a--b",
            "ä",
            "pdf\n",
            " pdf",
            "latest",
            "acme/versions",
            "..",
            "a/..",
            "1.0.0",
            "ｐｄｆ",
        ] {
            assert!(text.parse::<PackageName>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn owners_own_their_namespace() {
        let ownership = |text: &str| text.parse::<PackageName>().unwrap().ownership();
        assert_eq!(ownership("acme/pdf"), "acme/");
        assert_eq!(ownership("pdf"), "pdf");
    }
}
