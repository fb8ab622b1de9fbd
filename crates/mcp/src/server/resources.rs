//! `resources/list`, `resources/templates/list` and `resources/read`.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use prowess_core::{SourceError, media_type};
use prowess_spec::{SKILL_FILE, SkillPath};
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};
use serde_json::{Value, json};

use super::page::page;
use super::shared::SkillsServer;
use super::skill_digests::{FileDigest, SkillDigests, read_skill_file};
use super::skills::shown;
use crate::digest::Digest;
use crate::limits::SKILL_BYTES;
use crate::uri;

/// About how many bytes the description of a resource takes.
const RESOURCE_BYTES: usize = 300;

impl SkillsServer {
    pub(crate) async fn list_files(
        &self,
        cursor: Option<&str>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let listing = self.listing().await;
        let files: Vec<(&SkillDigests, &SkillPath, &FileDigest)> = listing
            .skills
            .iter()
            .flat_map(|skill| {
                let files = skill.files.iter();
                files.map(|(path, file)| (&**skill, path, file))
            })
            .collect();
        let page = page(&files, listing.version, cursor, |_| RESOURCE_BYTES)?;
        let resources = page
            .items
            .iter()
            .map(|(skill, path, file)| resource(skill, path, file));
        let mut result = ListResourcesResult::with_all_items(resources.collect());
        result.next_cursor = page.next;
        result.ttl_ms = Some(self.ttl());
        result.cache_scope = Some(CacheScope::Private);
        Ok(result)
    }

    pub(crate) fn templates(&self) -> ListResourceTemplatesResult {
        let template = ResourceTemplate::new("skill://{+id}/{+path}", "skill-file")
            .with_description("A file of a skill, by skill id and path.");
        let mut result = ListResourceTemplatesResult::with_all_items(vec![template]);
        result.ttl_ms = Some(self.ttl());
        result.cache_scope = Some(CacheScope::Private);
        result
    }

    pub(crate) async fn read_file(&self, uri: &str) -> Result<ReadResourceResult, ErrorData> {
        let has = |skill: &SkillDigests, path: Option<&str>| {
            path.and_then(uri::exact)
                .is_some_and(|path| skill.files.contains_key(&path))
        };
        let unknown = || {
            let message = format!("file not found: `{}`", shown(uri));
            ErrorData::resource_not_found(message, Some(json!({"uri": uri})))
        };
        let (skill, path) = self.find(uri, has).await.ok_or_else(unknown)?;
        let path = uri::exact(&path).ok_or_else(unknown)?;
        let known = skill.files.get(&path).copied().ok_or_else(unknown)?;
        let limit = usize::try_from(SKILL_BYTES).unwrap_or(usize::MAX);
        let part = if path.as_str() == SKILL_FILE {
            read_skill_file(self.skills(), &skill.id).await
        } else {
            let sources = self.skills().sources();
            sources.read(&skill.id, &path, 0, limit).await
        };
        let part = part.map_err(|error| {
            self.inner.digest_cache.forget(&skill.id);
            match error {
                SourceError::Unavailable(reason) => ErrorData::internal_error(reason, None),
                other => ErrorData::resource_not_found(other.to_string(), None),
            }
        })?;
        if Digest::of(&part.bytes) != known.digest {
            // The next request for the skill reads them again.
            self.inner.digest_cache.forget(&skill.id);
        }
        let media = media_type(path.as_str(), Some(&part.bytes));
        let contents = match String::from_utf8(part.bytes) {
            Ok(text) => ResourceContents::text(text, uri),
            Err(binary) => ResourceContents::blob(BASE64_STANDARD.encode(binary.as_bytes()), uri),
        };
        let mut result = ReadResourceResult::new(vec![contents.with_mime_type(media)]);
        result.ttl_ms = Some(self.ttl());
        result.cache_scope = Some(CacheScope::Private);
        Ok(result)
    }
}

/// A file as lists describe it.
pub(crate) fn resource(skill: &SkillDigests, path: &SkillPath, file: &FileDigest) -> Resource {
    let uri = uri::below(&skill.id, path.as_str());
    let resource = if path.as_str() == SKILL_FILE {
        let frontmatter = skill.entry.get("frontmatter");
        let description = frontmatter.and_then(|found| found.get("description"));
        let description = description.and_then(Value::as_str).unwrap_or_default();
        Resource::new(uri, skill.id.name()).with_description(description)
    } else {
        let name = path.as_str().rsplit('/').next().unwrap_or_default();
        Resource::new(uri, name)
    };
    resource
        .with_mime_type(file.media_type)
        .with_size(file.size)
}
