//! Skills as they cross MCP: the types of the extension. None of it is ours to change.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::digest::Digest;

/// The name of the extension among a server's capabilities.
pub const EXTENSION: &str = "io.modelcontextprotocol/skills";
/// Lists skills.
pub const SKILLS_LIST: &str = "skills/list";
/// Describes one skill.
pub const SKILLS_GET: &str = "skills/get";
/// Lists a directory.
pub const DIRECTORY_READ: &str = "resources/directory/read";

/// Why an entry has no files, under this key of its `_meta`.
pub const DIAGNOSTIC: &str = "prowess/diagnostic";
/// The skills that a list leaves out, under this key of its `_meta`.
pub const OMITTED: &str = "prowess/omitted";

/// A skill with all its files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkillEntry {
    /// The address of its `SKILL.md`.
    pub uri: String,
    /// The whole frontmatter.
    pub frontmatter: Map<String, Value>,
    /// Its files.
    pub resources: Resources,
    /// Additional metadata.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

/// The files of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Resources {
    /// Each of them once, `SKILL.md` among them.
    Files(Vec<SkillFile>),
    /// They have no digests because they are generated on request.
    Dynamic(Dynamic),
}

/// The word that replaces files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dynamic {
    /// `dynamic`.
    Dynamic,
}

/// A file of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillFile {
    /// Its address.
    pub uri: String,
    /// The digest of its bytes.
    pub digest: Digest,
    /// The size in bytes.
    pub size: u64,
}

/// A page of skills, as a host reads it: a malformed entry does not invalidate the others.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillPage {
    /// The entries.
    pub skills: Vec<Value>,
    /// The cursor of the next page.
    #[serde(default)]
    pub next_cursor: Option<String>,
    /// How long the page counts, in milliseconds.
    #[serde(default)]
    pub ttl_ms: Option<u64>,
}

/// The parameters of `skills/get` and `resources/directory/read`.
#[derive(Clone, Debug, Deserialize)]
pub struct Wanted {
    /// The address.
    pub uri: String,
    /// The cursor of the next page.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// The parameters of `skills/list`.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct WantedPage {
    /// The cursor of the next page.
    #[serde(default)]
    pub cursor: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_value};

    use super::*;

    /// The format is defined by the extension.
    #[test]
    fn entries_have_a_stable_format() {
        let digest = Digest::of(b"abc");
        let entry = SkillEntry {
            uri: "skill://pdf/SKILL.md".to_owned(),
            frontmatter: Map::from_iter([("name".to_owned(), json!("pdf"))]),
            resources: Resources::Files(vec![SkillFile {
                uri: "skill://pdf/SKILL.md".to_owned(),
                digest,
                size: 3,
            }]),
            meta: None,
        };
        let shape = json!({
            "uri": "skill://pdf/SKILL.md",
            "frontmatter": {"name": "pdf"},
            "resources": [{"uri": "skill://pdf/SKILL.md", "digest": digest.to_string(), "size": 3}],
        });
        assert_eq!(to_value(&entry).unwrap(), shape);
        assert_eq!(from_value::<SkillEntry>(shape).unwrap(), entry);
    }

    #[test]
    fn files_are_listed_or_dynamic_and_nothing_else() {
        let entry = |resources: Value| {
            let value = json!({"uri": "u", "frontmatter": {}, "resources": resources});
            from_value::<SkillEntry>(value).map(|entry| entry.resources)
        };
        assert_eq!(entry(json!([])).unwrap(), Resources::Files(Vec::new()));
        assert_eq!(
            entry(json!("dynamic")).unwrap(),
            Resources::Dynamic(Dynamic::Dynamic)
        );
        for other in [
            json!("static"),
            json!(null),
            json!({}),
            json!([{"uri": "u"}]),
        ] {
            assert!(entry(other.clone()).is_err(), "{other}");
        }
        let missing = json!({"uri": "u", "frontmatter": {}});
        assert!(from_value::<SkillEntry>(missing).is_err());
    }
}
