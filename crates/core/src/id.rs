//! The one identifier of a skill, and the collections that its parts form.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::str::FromStr;

use prowess_spec::SkillName;
use serde::{Deserialize, Deserializer, Serialize};

/// Characters of a label.
const LABEL_CHARS: usize = 64;

/// `{collection/path/}{name}`: the same everywhere, from the API to a `/reference`. A skill of a server whose id belongs
/// to another skill has the server's label in front: `company:pdf`.
///
/// ```
/// use prowess_core::SkillId;
///
/// let id: SkillId = "extraction/medical/diagnosis".parse().unwrap();
/// assert_eq!(id.name(), "diagnosis");
/// assert_eq!(id.collection().unwrap().as_str(), "extraction/medical");
/// assert!("Extraction/x".parse::<SkillId>().is_err());
///
/// let id: SkillId = "company:extraction/email".parse().unwrap();
/// assert_eq!((id.label(), id.name()), (Some("company"), "email"));
/// assert_eq!(id.bare().as_str(), "extraction/email");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct SkillId(Box<str>);

/// The path of a collection: names separated by `/`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct CollectionPath(Box<str>);

/// Why a text is not an id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid skill id `{text}`: expected names of lower-case letters, digits and hyphens, separated by `/`"
)]
pub struct InvalidId {
    /// The text.
    pub text: String,
}

impl SkillId {
    /// The id of `name` in `collection`.
    pub fn new(collection: Option<&CollectionPath>, name: &SkillName) -> Self {
        match collection {
            Some(collection) => Self(format!("{collection}/{name}").into()),
            None => Self(name.as_str().into()),
        }
    }

    /// The id of a skill of the server `server`, when its bare id belongs to another skill. Characters that a label
    /// cannot have become hyphens.
    pub(crate) fn labelled(&self, server: &str) -> Self {
        let fits = |c| if is_of_label(c) { c } else { '-' };
        let label: String = server.chars().map(fits).take(LABEL_CHARS).collect();
        let label = if label.is_empty() { "server" } else { &label };
        Self(format!("{label}:{}", self.bare()).into())
    }

    /// The label of the server, for a skill whose bare id belongs to another one.
    pub fn label(&self) -> Option<&str> {
        let (label, _) = self.0.split_once(':')?;
        Some(label)
    }

    /// The id by which the skill's source knows it: without a label.
    pub fn bare(&self) -> Cow<'_, Self> {
        match self.0.split_once(':') {
            Some((_, bare)) => Cow::Owned(Self(bare.into())),
            None => Cow::Borrowed(self),
        }
    }

    /// The last part.
    pub fn name(&self) -> &str {
        self.0.rsplit(['/', ':']).next().unwrap_or(&self.0)
    }

    /// Everything before the last part.
    pub fn collection(&self) -> Option<CollectionPath> {
        let collection = self.collection_text()?;
        Some(CollectionPath(collection.into()))
    }

    /// The same as text, without an allocation.
    pub(crate) fn collection_text(&self) -> Option<&str> {
        let (collection, _) = self.0.rsplit_once('/')?;
        Some(collection)
    }

    /// Whether the skill lies in `collection` or below it.
    pub fn is_within(&self, collection: &CollectionPath) -> bool {
        let rest = self.0.strip_prefix(collection.as_str());
        rest.is_some_and(|rest| rest.starts_with('/'))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl CollectionPath {
    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last part.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The collection that holds this one.
    pub fn parent(&self) -> Option<Self> {
        let (parent, _) = self.0.rsplit_once('/')?;
        Some(Self(parent.into()))
    }

    /// The collection and everything that holds it, innermost first.
    pub fn ancestors(&self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self.clone()), Self::parent)
    }

    /// A path from directory names: each becomes the nearest valid name.
    pub fn from_directories<'d>(names: impl IntoIterator<Item = &'d str>) -> Option<Self> {
        let parts: Vec<String> = names
            .into_iter()
            .filter_map(|name| SkillName::slug(name).map(|name| name.to_string()))
            .collect();
        (!parts.is_empty()).then(|| Self(parts.join("/").into()))
    }
}

fn is_of_label(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

fn is_path(text: &str) -> bool {
    let is_name = |part: &str| SkillName::parse(part).is_ok_and(|name| name.as_str() == part);
    let is_label =
        |label: &str| (1..=LABEL_CHARS).contains(&label.len()) && label.chars().all(is_of_label);
    let path = match text.split_once(':') {
        Some((label, path)) if is_label(label) => path,
        _ => text,
    };
    path.split('/').all(is_name)
}

impl FromStr for SkillId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        if is_path(text) {
            Ok(Self(text.into()))
        } else {
            let text = text.to_owned();
            Err(InvalidId { text })
        }
    }
}

impl FromStr for CollectionPath {
    type Err = InvalidId;

    /// A trailing `/` is accepted.
    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let path = text.strip_suffix('/').unwrap_or(text);
        if is_path(path) {
            Ok(Self(path.into()))
        } else {
            let text = text.to_owned();
            Err(InvalidId { text })
        }
    }
}

impl fmt::Display for SkillId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for CollectionPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Borrow<str> for SkillId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for SkillId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Option<SkillId> {
        text.parse().ok()
    }

    #[test]
    fn ids_are_parsed_or_refused() {
        for text in ["a", "a/b", "a/b/c", "技能/навык", "x1-y2", "My_1.x:a/b"] {
            assert_eq!(id(text).map(|id| id.to_string()).as_deref(), Some(text));
        }
        for text in [
            "", "/", "a/", "/a", "a//b", "A", "a_b", "a b", "a\"b", "../a", "a/..", "-a", " a",
            ":a", "x:", "x:/a", "x:y:a", "a/x:b", "x y:a", "é:a",
        ] {
            assert_eq!(id(text), None, "{text:?}");
        }
    }

    #[test]
    fn every_label_makes_an_id() {
        let long = "x".repeat(LABEL_CHARS + 1);
        for server in ["company", "", "a:b/c", "Ünï \"x\"\n", &long] {
            let labelled = id("extract/a").unwrap().labelled(server);
            assert_eq!(id(labelled.as_str()).as_ref(), Some(&labelled), "{server}");
            assert_eq!(labelled.bare().as_str(), "extract/a");
            assert_eq!(labelled.labelled(server), labelled);
        }
    }

    #[test]
    fn collections_hold_whole_segments() {
        let collection: CollectionPath = "extract/".parse().unwrap();
        assert!(id("extract/a").unwrap().is_within(&collection));
        assert!(id("extract/a/b").unwrap().is_within(&collection));
        assert!(!id("extraction/a").unwrap().is_within(&collection));
        assert!(!id("extract").unwrap().is_within(&collection));
    }

    #[test]
    fn directories_become_collections() {
        let path = CollectionPath::from_directories(["Data Science", "v2"]);
        assert_eq!(path.unwrap().as_str(), "data-science/v2");
        assert_eq!(CollectionPath::from_directories([]), None);
    }
}
