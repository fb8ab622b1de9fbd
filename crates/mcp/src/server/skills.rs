//! `skills/list` and `skills/get`.

use std::sync::Arc;

use prowess_spec::{SKILL_FILE, SkillPath};
use rmcp::ErrorData;
use serde_json::{Map, Value, json};

use super::digest_cache::Listing;
use super::page::page;
use super::shared::SkillsServer;
use super::skill_digests::SkillDigests;
use crate::uri::candidates;
use crate::wire::OMITTED;

impl SkillsServer {
    pub(crate) async fn listing(&self) -> Arc<Listing> {
        self.inner.digest_cache.listing(self.skills()).await
    }

    /// The answer to `skills/list`.
    pub(crate) async fn list_skills(&self, cursor: Option<&str>) -> Result<Value, ErrorData> {
        self.page_of_skills(&*self.listing().await, cursor)
    }

    /// The same as JSON; a page that was sent before is not written again.
    pub(crate) async fn written_skills(
        &self,
        cursor: Option<&str>,
    ) -> Result<Arc<[u8]>, ErrorData> {
        let listing = self.listing().await;
        listing.written(cursor, || {
            let page = self.page_of_skills(&listing, cursor)?;
            Ok(page.to_string().into_bytes().into())
        })
    }

    fn page_of_skills(&self, listing: &Listing, cursor: Option<&str>) -> Result<Value, ErrorData> {
        let page = page(&listing.skills, listing.version, cursor, |skill| {
            skill.weight
        })?;
        let entries = page.items.iter().map(|skill| skill.entry.clone());
        let mut result = self.complete("skills", Value::Array(entries.collect()));
        if let Some(next) = page.next {
            result.insert("nextCursor".to_owned(), next.into());
        }
        if !listing.omitted.is_empty() && cursor.is_none() {
            let omitted = listing.omitted.iter();
            let omitted = omitted.map(|(id, reason)| json!({"id": id, "reason": reason}));
            let omitted: Vec<Value> = omitted.collect();
            result.insert("_meta".to_owned(), json!({OMITTED: omitted}));
        }
        Ok(Value::Object(result))
    }

    /// The response to `skills/get`, read again, because the current state is requested.
    pub(crate) async fn get_skill(&self, uri: &str) -> Result<Value, ErrorData> {
        let unknown = || {
            let message = format!("skill not found: `{}`", shown(uri));
            ErrorData::invalid_params(message, None)
        };
        let is_skill = |path: Option<&str>| path == Some(SKILL_FILE);
        let mut candidates = candidates(uri).into_iter();
        let candidate = candidates.find(|it| is_skill(it.path.as_ref().map(SkillPath::as_str)));
        let candidate = candidate.ok_or_else(unknown)?;
        let cache = &self.inner.digest_cache;
        let skill = cache.get_uncached(self.skills(), &candidate.id).await;
        let skill = skill.ok_or_else(unknown)?.map_err(|problem| {
            let message = format!("cannot serve `{}`: {problem}", candidate.id);
            ErrorData::invalid_params(message, None)
        })?;
        Ok(Value::Object(self.complete("skill", skill.entry.clone())))
    }

    /// A result with its validity and scope.
    pub(crate) fn complete(&self, key: &str, value: Value) -> Map<String, Value> {
        Map::from_iter([
            ("resultType".to_owned(), "complete".into()),
            (key.to_owned(), value),
            ("ttlMs".to_owned(), self.ttl().into()),
            ("cacheScope".to_owned(), "private".into()),
        ])
    }

    /// The skill that `uri` leads into, and the path inside it.
    pub(crate) async fn find(
        &self,
        uri: &str,
        has: impl Fn(&SkillDigests, Option<&str>) -> bool,
    ) -> Option<(Arc<SkillDigests>, String)> {
        for candidate in candidates(uri) {
            let path = candidate.path.as_ref().map(SkillPath::as_str);
            if let Some(Ok(skill)) = self
                .inner
                .digest_cache
                .get(self.skills(), &candidate.id)
                .await
                && has(&skill, path)
            {
                return Some((skill, path.unwrap_or_default().to_owned()));
            }
        }
        None
    }
}

/// An address as it may stand in an error: short, and on one line.
pub(crate) fn shown(uri: &str) -> String {
    let start: String = uri.chars().take(200).collect();
    start.escape_debug().to_string()
}
