//! `resources/directory/read`.

use std::collections::BTreeMap;

use prowess_spec::SkillPath;
use rmcp::ErrorData;
use rmcp::model::Resource;
use serde_json::{Map, Value};

use super::page::page;
use super::resources::resource;
use super::shared::SkillsServer;
use super::skill_digests::{FileDigest, SkillDigests};
use super::skills::shown;
use crate::uri;

/// The media type of a directory.
const DIRECTORY: &str = "inode/directory";
/// About how many bytes a child takes.
const CHILD_BYTES: usize = 300;

/// The direct contents of a directory.
enum Child<'s> {
    Directory(String),
    File(&'s SkillPath, &'s FileDigest),
}

impl SkillsServer {
    pub(crate) async fn read_directory(
        &self,
        uri: &str,
        cursor: Option<&str>,
    ) -> Result<Value, ErrorData> {
        let has = |skill: &SkillDigests, path: Option<&str>| {
            !children(skill, path.unwrap_or_default()).is_empty()
        };
        let (skill, path) = self.find(uri, has).await.ok_or_else(|| {
            let message = format!("directory not found: `{}`", shown(uri));
            ErrorData::invalid_params(message, None)
        })?;
        let children: Vec<(&str, Child<'_>)> = children(&skill, &path).into_iter().collect();
        let page = page(&children, skill.digest.short(), cursor, |_| CHILD_BYTES)?;
        let described = page.items.iter().map(|(name, child)| match child {
            Child::File(path, file) => resource(&skill, path, file),
            Child::Directory(path) => {
                Resource::new(uri::below(&skill.id, path), *name).with_mime_type(DIRECTORY)
            }
        });
        let described = described.map(|child| serde_json::to_value(child).unwrap_or_default());
        let mut result = Map::from_iter([
            ("resultType".to_owned(), "complete".into()),
            ("resources".to_owned(), Value::Array(described.collect())),
        ]);
        if let Some(next) = page.next {
            result.insert("nextCursor".to_owned(), next.into());
        }
        Ok(Value::Object(result))
    }
}

/// The direct contents of the directory at `path`, by name; the skill directory itself has no path.
fn children<'s>(skill: &'s SkillDigests, path: &str) -> BTreeMap<&'s str, Child<'s>> {
    let mut children = BTreeMap::new();
    for (file_path, file) in &skill.files {
        let below = match path {
            "" => Some(file_path.as_str()),
            path => file_path
                .as_str()
                .strip_prefix(path)
                .and_then(|rest| rest.strip_prefix('/')),
        };
        let Some(below) = below else {
            continue;
        };
        match below.split_once('/') {
            None => {
                children.insert(below, Child::File(file_path, file));
            }
            Some((name, _)) => {
                let directory = match path {
                    "" => name.to_owned(),
                    path => format!("{path}/{name}"),
                };
                children.entry(name).or_insert(Child::Directory(directory));
            }
        }
    }
    children
}
