//! Skills and collections.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use prowess_core::wire::{CatalogBody, SkillBody, SkillEntry, SkillList};
use prowess_core::{Catalog, CollectionPath, Skill, SkillId, SourceError};
use serde::Deserialize;

use crate::answer::Payload;
use crate::app::{App, Parameters, Part, parameters, part, visible};
use crate::error::{Code, Failure};
use crate::limits::{FOUND, QUERY_CHARS};

/// Which skills are wanted.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Wanted {
    collection: String,
    query: String,
    limit: Option<usize>,
    /// The `next` of the response before.
    cursor: Option<String>,
}

pub(crate) async fn list(
    State(app): State<App>,
    wanted: Parameters<Wanted>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let wanted = parameters(wanted)?;
    let catalog = app.skills().catalog();
    let query = wanted.query.trim();
    let whole = wanted.limit.is_none() && wanted.cursor.is_none();
    if query.is_empty() && wanted.collection.is_empty() && whole {
        return Ok(app.lists().of(&catalog)?.skills.unless_known(&headers));
    }
    let within = collection(&wanted.collection)?;
    let is_wanted = |skill: &Skill<'_>| {
        let id = &skill.descriptor.id;
        within.as_ref().is_none_or(|within| id.is_within(within))
    };
    let cursor = wanted.cursor.as_deref().unwrap_or_default();
    let list = if query.is_empty() {
        let limit = wanted.limit.unwrap_or(usize::MAX);
        let after = |skill: &Skill<'_>| skill.descriptor.id.as_str() > cursor;
        page(catalog.skills().filter(after).filter(is_wanted), limit)
    } else {
        let limit = wanted.limit.unwrap_or(FOUND);
        let found = search(&app, &catalog, query).await?;
        let before = found.iter().position(|id| id == cursor);
        let after = found.iter().skip(before.map_or(0, |index| index + 1));
        let found = after.filter_map(|id| catalog.get(id));
        page(found.filter(is_wanted), limit)
    };
    Ok(Payload::json(&list)?.unless_known(&headers))
}

/// The first skills, and where the next page begins.
fn page<'c>(mut skills: impl Iterator<Item = Skill<'c>>, limit: usize) -> SkillList {
    let first = skills.by_ref().take(limit);
    let first: Vec<SkillEntry> = first.map(|skill| skill.descriptor.into()).collect();
    let more = skills.next().is_some();
    SkillList {
        next: first.last().filter(|_| more).map(|it| it.id.clone()),
        skills: first,
        collections: None,
    }
}

fn collection(text: &str) -> Result<Option<CollectionPath>, Failure> {
    if text.is_empty() {
        return Ok(None);
    }
    let shown: String = text.chars().take(100).collect();
    let invalid = |_| {
        let message = format!("invalid collection path `{}`", shown.escape_debug());
        Failure::new(Code::InvalidRequest, message)
    };
    text.parse().map(Some).map_err(invalid)
}

async fn search(app: &App, catalog: &Catalog, query: &str) -> Result<Vec<String>, Failure> {
    if query.chars().count() > QUERY_CHARS {
        let message = format!("the query is too long: at most {QUERY_CHARS} characters allowed");
        return Err(Failure::new(Code::InvalidRequest, message));
    }
    // All of them: the selection happens later.
    let found = app.search(query.to_owned(), catalog.len()).await?;
    Ok(found.iter().map(ToString::to_string).collect())
}

pub(crate) async fn skill(
    State(app): State<App>,
    id: Part<String>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let catalog = app.skills().catalog();
    let id = visible(&catalog, &part(id)?)?;
    let body = body_of(&app, &catalog, &id).await?;
    Ok(Payload::json(&body)?.unless_known(&headers))
}

/// A skill with its instructions, as they are now.
pub(crate) async fn body_of(
    app: &App,
    catalog: &Catalog,
    id: &SkillId,
) -> Result<SkillBody, Failure> {
    let document = app.skills().sources().load(id).await?;
    let skill = catalog.get(id.as_str());
    let skill = skill.ok_or_else(|| SourceError::NotFound(id.clone()))?;
    Ok(SkillBody::new(skill.descriptor, &document))
}

pub(crate) async fn catalog(
    State(app): State<App>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let catalog = app.skills().catalog();
    Ok(Payload::json(&CatalogBody::new(&catalog))?.unless_known(&headers))
}

pub(crate) async fn collections(
    State(app): State<App>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let lists = app.lists().of(&app.skills().catalog())?;
    Ok(lists.collections.unless_known(&headers))
}
