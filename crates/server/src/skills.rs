//! Skills and collections.

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use prowess_core::wire::{SkillBody, SkillEntry, SkillList};
use prowess_core::{Catalog, CollectionPath, Skill};
use serde::Deserialize;

use crate::answer::Payload;
use crate::app::{App, Part, part, visible};
use crate::error::{Code, Failure};
use crate::limits::{FOUND, QUERY_CHARS};

/// Which skills are wanted.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Wanted {
    collection: String,
    query: String,
    limit: Option<usize>,
}

pub(crate) async fn list(
    State(app): State<App>,
    wanted: Result<Query<Wanted>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let Query(wanted) = wanted
        .map_err(|error| Failure::new(Code::InvalidRequest, error.body_text().to_lowercase()))?;
    let catalog = app.skills().catalog();
    let query = wanted.query.trim();
    if query.is_empty() && wanted.collection.is_empty() && wanted.limit.is_none() {
        return Ok(app.lists().of(&catalog)?.skills.unless_known(&headers));
    }
    let within = collection(&wanted.collection)?;
    let is_wanted = |skill: &Skill<'_>| {
        let id = &skill.descriptor.id;
        within.as_ref().is_none_or(|within| id.is_within(within))
    };
    let skills: Vec<SkillEntry> = if query.is_empty() {
        let limit = wanted.limit.unwrap_or(usize::MAX);
        entries(catalog.skills().filter(is_wanted).take(limit))
    } else {
        let limit = wanted.limit.unwrap_or(FOUND);
        let found = search(&app, &catalog, query).await?;
        let found = found.iter().filter_map(|id| catalog.get(id));
        entries(found.filter(is_wanted).take(limit))
    };
    let list = SkillList {
        skills,
        collections: None,
    };
    Ok(Payload::json(&list)?.unless_known(&headers))
}

fn entries<'c>(skills: impl Iterator<Item = Skill<'c>>) -> Vec<SkillEntry> {
    skills.map(|skill| skill.descriptor.into()).collect()
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
    let document = app.skills().sources().load(&id).await?;
    let skill = catalog.get(id.as_str());
    let skill = skill.ok_or(prowess_core::SourceError::NotFound(id.clone()))?;
    let body = SkillBody::new(skill.descriptor, &document);
    Ok(Payload::json(&body)?.unless_known(&headers))
}

pub(crate) async fn collections(
    State(app): State<App>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let lists = app.lists().of(&app.skills().catalog())?;
    Ok(lists.collections.unless_known(&headers))
}
