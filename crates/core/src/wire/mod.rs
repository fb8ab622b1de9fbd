//! Skills as they cross HTTP. Fields may be added; none is renamed or removed.
//!
//! | request | answer |
//! |---|---|
//! | `GET /skills` | [`SkillList`] |
//! | `GET /skills/{id}` | [`SkillBody`] |
//! | `GET /skills/{id}/files` | [`FileList`] |
//! | `GET /skills/{id}/files/{path}` | the bytes |
//! | `GET /skill-collections` | [`CollectionList`] |
//! | `GET /catalog` | [`CatalogBody`] |
//! | `GET /healthz` | [`HealthReport`] |
//!
//! The `/` of an id is written `%2F`. An error is a [`Problem`].

mod states;

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use crate::catalog::{Catalog, Collection, Health, SourceStatus};
use crate::descriptor::{Descriptor, Invocation, Scope};
use crate::source::{Document, FileEntry};

pub use states::{
    InvalidSkill, LabelledSkill, MAX_SKILLS, OmittedSkills, RESERVED_ID, RefusedSkill,
    ShadowedSkill, SkillPlace, SkillStates, UnavailableSkill,
};

/// Every skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SkillList {
    /// Sorted by id, or the best first when something was searched for.
    pub skills: Vec<SkillEntry>,
    /// The collections, so that a full listing needs one request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collections: Option<Vec<Collection>>,
    /// The `cursor` of the next page, if there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A skill without its instructions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillEntry {
    /// The id.
    pub id: String,
    /// The last part of the id.
    pub name: String,
    /// The description: what the skill does and when to use it.
    pub description: String,
    /// Whose skill it is, for the server. What a reader does not know, it need not know.
    #[serde(
        default,
        deserialize_with = "known_scope",
        skip_serializing_if = "Option::is_none"
    )]
    pub scope: Option<Scope>,
    /// The author's keys and values.
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
    /// Who can activate it.
    #[serde(default)]
    pub invocation: Invocation,
    /// The expected arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument_hint: Option<String>,
    /// The required capabilities of the host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires_capabilities: Vec<String>,
    /// About how many bytes the instructions take.
    #[serde(default)]
    pub body_bytes: u32,
    /// Changes whenever the skill's file does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<String>,
}

/// A skill with its instructions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillBody {
    /// The metadata without them.
    #[serde(flatten)]
    pub entry: SkillEntry,
    /// The instructions.
    pub body: String,
    /// The whole frontmatter, in its order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frontmatter: Option<String>,
}

/// The files beside the instructions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileList {
    /// Sorted by path.
    pub files: Vec<FileEntry>,
}

/// Every collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CollectionList {
    /// Sorted by path.
    pub collections: Vec<Collection>,
}

/// Skills that are not used, and the sources.
#[derive(Debug, Serialize)]
pub struct CatalogBody<'c> {
    /// The number of skills that are used.
    pub skills: usize,
    /// The other skills, and why they are not used.
    #[serde(flatten)]
    pub states: SkillStates<'c>,
    /// The sources, the most important first.
    pub sources: Vec<&'c SourceStatus>,
}

impl<'c> CatalogBody<'c> {
    /// Describes a catalog.
    pub fn new(catalog: &'c Catalog) -> Self {
        Self {
            skills: catalog.len(),
            states: SkillStates::of(catalog),
            sources: catalog.sources().collect(),
        }
    }
}

/// How a server is doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HealthReport {
    /// `healthy`, or `degraded` as soon as one source is not healthy.
    pub status: Health,
    /// The sources, the most important first; only for who may see the skills.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources: Option<Vec<SourceHealth>>,
}

/// How a source is doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceHealth {
    /// Its name.
    pub name: String,
    /// Its health.
    pub health: Health,
    /// Why it is not healthy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Time of the last response, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refreshed: Option<u64>,
    /// How many skills it holds, used or not.
    pub skills: usize,
}

/// Why a request was not answered: a problem of RFC 9457 with the media type [`Self::MEDIA_TYPE`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// A URI for the kind of error: `urn:prowess:problem:` and the code.
    #[serde(rename = "type")]
    pub kind: String,
    /// The code in words.
    pub title: String,
    /// The status of the response.
    pub status: u16,
    /// What is wrong with this request and what to do about it.
    pub detail: String,
    /// A stable word for programs.
    pub code: String,
    /// Problems of a skill that was sent, as `prowess check --json` has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<serde_json::Value>,
}

impl Problem {
    /// The media type of a problem.
    pub const MEDIA_TYPE: &str = "application/problem+json";

    /// Describes an error.
    pub fn new(code: &str, status: u16, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("urn:prowess:problem:{code}"),
            title: code.replace('-', " "),
            status,
            detail: detail.into(),
            code: code.to_owned(),
            diagnostics: Vec::new(),
        }
    }
}

impl From<&Descriptor> for SkillEntry {
    fn from(descriptor: &Descriptor) -> Self {
        let pairs = descriptor.metadata.iter();
        Self {
            id: descriptor.id.to_string(),
            name: descriptor.name().to_owned(),
            description: descriptor.description.to_string(),
            scope: Some(descriptor.scope),
            metadata: pairs
                .map(|(key, value)| (key.to_string(), value.to_string()))
                .collect(),
            invocation: descriptor.invocation,
            argument_hint: descriptor.argument_hint.as_deref().map(str::to_owned),
            requires_capabilities: descriptor
                .requires_capabilities
                .iter()
                .map(ToString::to_string)
                .collect(),
            body_bytes: descriptor.body_bytes,
            stamp: Some(format!("{:016x}", descriptor.stamp)),
        }
    }
}

impl From<&SourceStatus> for SourceHealth {
    fn from(status: &SourceStatus) -> Self {
        Self {
            name: status.name.to_string(),
            health: status.health,
            reason: status.reason.clone(),
            refreshed: status.refreshed,
            skills: status.skills,
        }
    }
}

fn known_scope<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Scope>, D::Error> {
    let value = serde_json::Value::deserialize(deserializer)?;
    Ok(Scope::deserialize(value).ok())
}

impl SkillBody {
    /// A skill as it crosses the wire.
    pub fn new(descriptor: &Descriptor, document: &Document) -> Self {
        Self {
            entry: descriptor.into(),
            body: document.body.clone(),
            frontmatter: Some(prowess_spec::render_frontmatter(
                &document.skill.frontmatter,
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json, to_value};

    use super::*;

    fn entry() -> SkillEntry {
        SkillEntry {
            id: "extraction/email".to_owned(),
            name: "email".to_owned(),
            description: "Extracts entities".to_owned(),
            scope: Some(Scope::Project),
            metadata: [("version".to_owned(), "1.0".to_owned())].into(),
            invocation: Invocation::UserOnly,
            argument_hint: Some("[file]".to_owned()),
            requires_capabilities: vec!["mail".to_owned()],
            body_bytes: 7,
            stamp: Some("00000000000000ff".to_owned()),
        }
    }

    fn entry_on_the_wire() -> Value {
        json!({
            "id": "extraction/email",
            "name": "email",
            "description": "Extracts entities",
            "scope": "project",
            "metadata": {"version": "1.0"},
            "invocation": "user-only",
            "argument_hint": "[file]",
            "requires_capabilities": ["mail"],
            "body_bytes": 7,
            "stamp": "00000000000000ff",
        })
    }

    fn check(value: impl Serialize, expected: &Value) {
        assert_eq!(&to_value(value).unwrap(), expected);
    }

    /// Others read this: a field may be added here, and none may be changed.
    #[test]
    fn responses_have_a_stable_format() {
        check(entry(), &entry_on_the_wire());

        let mut body = entry_on_the_wire();
        body["body"] = "Do it.\n".into();
        body["frontmatter"] = "name: email\n".into();
        let skill = SkillBody {
            entry: entry(),
            body: "Do it.\n".to_owned(),
            frontmatter: Some("name: email\n".to_owned()),
        };
        check(&skill, &body);
        assert_eq!(serde_json::from_value::<SkillBody>(body).unwrap(), skill);

        let collections = vec![Collection {
            path: "extraction".parse().unwrap(),
            description: "Takes things out".to_owned(),
            count: 1,
        }];
        let on_the_wire =
            json!([{"path": "extraction", "description": "Takes things out", "count": 1}]);
        check(
            CollectionList {
                collections: collections.clone(),
            },
            &json!({"collections": on_the_wire}),
        );
        let mut list = SkillList {
            skills: vec![entry()],
            collections: Some(collections),
            next: None,
        };
        check(
            &list,
            &json!({"skills": [entry_on_the_wire()], "collections": on_the_wire}),
        );
        list.collections = None;
        check(&list, &json!({"skills": [entry_on_the_wire()]}));

        let file = FileEntry {
            path: prowess_spec::SkillPath::parse("references/a.md").unwrap(),
            size: 3,
        };
        check(
            FileList { files: vec![file] },
            &json!({"files": [{"path": "references/a.md", "size": 3}]}),
        );

        check(
            Problem::new("skill-not-found", 404, "unknown skill `a`"),
            &json!({
                "type": "urn:prowess:problem:skill-not-found",
                "title": "skill not found",
                "status": 404,
                "detail": "unknown skill `a`",
                "code": "skill-not-found",
            }),
        );

        let source = SourceHealth {
            name: "company".to_owned(),
            health: Health::Degraded,
            reason: Some("offline".to_owned()),
            refreshed: Some(1),
            skills: 2,
        };
        let report = HealthReport {
            status: Health::Degraded,
            sources: Some(vec![source]),
        };
        check(
            report,
            &json!({"status": "degraded", "sources": [{
                "name": "company",
                "health": "degraded",
                "reason": "offline",
                "refreshed": 1,
                "skills": 2,
            }]}),
        );
    }

    #[test]
    fn unknown_and_missing_fields_are_accepted() {
        let least = json!({"id": "a", "name": "a", "description": "d"});
        let read: SkillEntry = serde_json::from_value(least).unwrap();
        let expected = SkillEntry {
            id: "a".to_owned(),
            name: "a".to_owned(),
            description: "d".to_owned(),
            scope: None,
            metadata: BTreeMap::new(),
            invocation: Invocation::Anyone,
            argument_hint: None,
            requires_capabilities: Vec::new(),
            body_bytes: 0,
            stamp: None,
        };
        assert_eq!(read, expected);
        let more = json!({"id": "a", "name": "a", "description": "d", "scope": "galaxy", "new": 1});
        assert_eq!(
            serde_json::from_value::<SkillEntry>(more).unwrap(),
            expected
        );
    }
}
