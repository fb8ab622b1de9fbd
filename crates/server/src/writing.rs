//! Creating, changing and removing skills and their files.
//!
//! A change names the state that it is based on, by `If-Match` and the `ETag` of a response, so no change is lost.

use std::path::Path;

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use prowess_core::wire::{FileList, SkillBody};
use prowess_core::{Catalog, SkillId, SkillWriter, SourceError, WriteError};
use prowess_registry::plugin_files_with;
use prowess_sandbox::is_protected;
use prowess_spec::{MANIFEST_FILE, Profile, SKILL_FILE, SkillPath, is_hidden, is_skill_file};
use prowess_trust::Writing;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::{Payload, etag, is_known, is_match};
use crate::app::{App, Part, part, visible};
use crate::body::{JsonBody, body_error};
use crate::check::{valid, valid_manifest};
use crate::error::{Code, Failure};
use crate::files::skill_path;
use crate::limits::{DIRECTORIES, FILE_BYTES, WHOLE_FILE};
use crate::skills::body_of;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewSkill {
    id: SkillId,
    /// The whole `SKILL.md`.
    content: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangedSkill {
    /// The whole `SKILL.md`.
    content: String,
}

/// A skill that was written, and what `check` says about it.
#[derive(Serialize)]
struct WrittenSkill {
    #[serde(flatten)]
    skill: SkillBody,
    diagnostics: Vec<Value>,
}

pub(crate) async fn create(
    State(app): State<App>,
    JsonBody(new): JsonBody<NewSkill>,
) -> Result<Response, Failure> {
    let NewSkill { id, content } = new;
    let diagnostics = valid(content.as_bytes(), id.name(), Profile::Check)?;
    let _writing = app.writing().await?;
    if let Some(existing) = app.skills().catalog().get(id.as_str()) {
        let message = format!("the skill `{id}` exists in {}", existing.source);
        return Err(Failure::new(Code::SkillExists, message));
    }
    let writer = app.options().new_skills.as_deref();
    let writer = writer.and_then(|it| app.skills().sources().writer_in(it));
    let writer = writer.ok_or_else(|| {
        let message = "this server has no directory for new skills";
        Failure::new(Code::NotWritable, message)
    })?;
    let bytes = content.into_bytes();
    let files = vec![(own_file()?, bytes.clone())];
    let directory = app.options().new_skills.as_deref();
    let _watched = directory.and_then(|directory| app.options().writing(directory));
    let made = writer.create(&id, files).await;
    made.map_err(|error| cannot("create", &id, &error))?;
    let catalog = app.skills().refresh().await;
    if catalog.get(id.as_str()).is_none() {
        // The configuration leaves it out, or a built-in skill has the id.
        writer
            .remove(&id, &own_file()?, bytes, Vec::new())
            .await
            .ok();
        let message = format!("cannot create `{id}`: the configuration of the server excludes it");
        return Err(Failure::new(Code::NotWritable, message));
    }
    let mut response = written(&app, &catalog, &id, diagnostics).await?;
    *response.status_mut() = StatusCode::CREATED;
    let location = format!("/api/skills/{}", id.as_str().replace('/', "%2F"));
    if let Ok(location) = HeaderValue::try_from(location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

pub(crate) async fn update(
    State(app): State<App>,
    id: Part<String>,
    headers: HeaderMap,
    JsonBody(changed): JsonBody<ChangedSkill>,
) -> Result<Response, Failure> {
    let id = visible(&app.skills().catalog(), &part(id)?)?;
    let diagnostics = valid(changed.content.as_bytes(), id.name(), Profile::Load)?;
    let _writing = app.writing().await?;
    let (catalog, path, before) = unchanged(&app, &id, &headers).await?;
    let bytes = Some(changed.content.into_bytes());
    let writer = writer(&app, &catalog, &id)?;
    let _watched = watched(&app, &catalog, &id);
    let done = writer.write(&id, &path, Some(before), bytes).await;
    done.map_err(|error| cannot("change", &id, &error))?;
    let catalog = app.skills().refresh().await;
    written(&app, &catalog, &id, diagnostics).await
}

pub(crate) async fn remove(
    State(app): State<App>,
    id: Part<String>,
    headers: HeaderMap,
) -> Result<StatusCode, Failure> {
    let id = visible(&app.skills().catalog(), &part(id)?)?;
    let _writing = app.writing().await?;
    let files = app.skills().sources().files(&id).await?;
    let (catalog, path, before) = if files.is_empty() {
        unchanged(&app, &id, &headers).await?
    } else {
        // All files go, so all of them have to be known.
        let list = Payload::json(&FileList {
            files: files.clone(),
        })?;
        require(&headers, Some(&list.etag)).map_err(|failure| {
            failure.hint(&format!(
                "the skill has files besides {SKILL_FILE}: send the `ETag` of `/api/skills/{{id}}/files`"
            ))
        })?;
        let catalog = app.skills().refresh().await;
        let (path, bytes) = own(&app, &id).await?;
        (catalog, path, bytes)
    };
    let files = files.into_iter().map(|file| (file.path, file.size));
    let _watched = watched(&app, &catalog, &id);
    let done = writer(&app, &catalog, &id)?.remove(&id, &path, before, files.collect());
    done.await.map_err(|error| cannot("remove", &id, &error))?;
    app.skills().refresh().await;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn put_file(
    State(app): State<App>,
    names: Part<(String, String)>,
    headers: HeaderMap,
    bytes: Result<Bytes, BytesRejection>,
) -> Result<Response, Failure> {
    let bytes = bytes.map_err(|error| body_error(&error, FILE_BYTES))?;
    let (id, path) = part(names)?;
    let id = visible(&app.skills().catalog(), &id)?;
    let path = writable_path(&path)?;
    refuse_plugin(&app, &id, &path, &bytes)?;
    if is_skill_file(path.as_str()) {
        valid(&bytes, id.name(), Profile::Load)?;
    } else if path.as_str() == MANIFEST_FILE {
        valid_manifest(&bytes, id.name())?;
    }
    let status = change_file(&app, &id, &path, &headers, Some(bytes.to_vec())).await?;
    Ok((status, [(header::ETAG, etag(&bytes))]).into_response())
}

pub(crate) async fn remove_file(
    State(app): State<App>,
    names: Part<(String, String)>,
    headers: HeaderMap,
) -> Result<StatusCode, Failure> {
    let (id, path) = part(names)?;
    let id = visible(&app.skills().catalog(), &id)?;
    let path = writable_path(&path)?;
    if is_skill_file(path.as_str()) {
        let message = format!("`{path}` is the skill itself: remove the skill");
        return Err(Failure::new(Code::NotWritable, message));
    }
    change_file(&app, &id, &path, &headers, None).await
}

/// Refuses a file that makes a plugin of a skill, or belongs to one: agents start what it names.
fn refuse_plugin(app: &App, id: &SkillId, path: &SkillPath, bytes: &[u8]) -> Result<(), Failure> {
    let sources = app.skills().sources();
    let Some(directory) = sources.location(&app.skills().catalog(), id) else {
        return Ok(());
    };
    let new = [(path.as_str(), bytes)];
    let found = plugin_files_with(Path::new(&directory), &new);
    if found.iter().any(|found| found == path.as_str()) {
        return Err(Failure::new(
            Code::NotWritable,
            part_of_plugin(path.as_str()),
        ));
    }
    Ok(())
}

/// Why a file of a skill is not written.
pub(crate) fn part_of_plugin(path: &str) -> String {
    format!("`{path}` is part of a plugin, which agents would run: a skill cannot have it")
}

/// A path that clients may write. Other programs trust and run some files wherever they find them.
pub(crate) fn writable_path(path: &str) -> Result<SkillPath, Failure> {
    let path = skill_path(path)?;
    if path.as_str().split('/').count() > DIRECTORIES + 1 {
        let message = format!("nested too deep: at most {DIRECTORIES} directories");
        return Err(Failure::new(Code::InvalidPath, message));
    }
    if path.as_str().contains(is_hidden) {
        let shown = path.as_str().escape_debug();
        let message = format!("invalid path: `{shown}` has characters that are not visible");
        return Err(Failure::new(Code::InvalidPath, message));
    }
    // Hidden files are not served, either.
    let is_hidden = path.as_str().split('/').any(|name| name.starts_with('.'));
    if is_hidden || is_protected(Path::new(path.as_str())) {
        let message = format!("`{path}` is protected: change it on disk");
        return Err(Failure::new(Code::NotWritable, message));
    }
    Ok(path)
}

/// Writes a file under the conditions of the request; returns the status of the response.
async fn change_file(
    app: &App,
    id: &SkillId,
    path: &SkillPath,
    headers: &HeaderMap,
    bytes: Option<Vec<u8>>,
) -> Result<StatusCode, Failure> {
    let _writing = app.writing().await?;
    let catalog = app.skills().catalog();
    let writer = writer(app, &catalog, id)?;
    let before = read(app, id, path).await?;
    if before.is_none() && bytes.is_none() {
        let missing = app.skills().sources().read(id, path, 0, 1).await;
        return Err(missing.map_or_else(Failure::from, |_| changed()));
    }
    require(headers, before.as_deref().map(etag).as_ref())?;
    let status = match (&before, &bytes) {
        (_, None) => StatusCode::NO_CONTENT,
        (None, Some(_)) => StatusCode::CREATED,
        (Some(_), Some(_)) => StatusCode::OK,
    };
    let _watched = watched(app, &catalog, id);
    let done = writer.write(id, path, before, bytes).await;
    done.map_err(|error| cannot("change", id, &error))?;
    app.skills().refresh().await;
    Ok(status)
}

/// The catalog and the file of a skill, if the skill is as the request expects.
async fn unchanged(
    app: &App,
    id: &SkillId,
    headers: &HeaderMap,
) -> Result<(std::sync::Arc<Catalog>, SkillPath, Vec<u8>), Failure> {
    // What is replaced is read before the comparison: a change in between is noticed when it is replaced.
    let catalog = app.skills().refresh().await;
    let (path, bytes) = own(app, id).await?;
    // The tag of the skill, or that of its file.
    if !(headers.contains_key(header::IF_MATCH) && is_match(headers, &etag(&bytes))) {
        let current = Payload::json(&body_of(app, &catalog, id).await?)?.etag;
        require(headers, Some(&current))?;
    }
    Ok((catalog, path, bytes))
}

/// The file of a skill with its instructions.
async fn own(app: &App, id: &SkillId) -> Result<(SkillPath, Vec<u8>), Failure> {
    for name in [SKILL_FILE, "skill.md", "Skill.md"] {
        let path = skill_path(name)?;
        if let Some(bytes) = read(app, id, &path).await? {
            return Ok((path, bytes));
        }
    }
    let message = format!("`{id}` has no {SKILL_FILE}: change its files");
    Err(Failure::new(Code::NotWritable, message))
}

/// The content of a file that can be replaced; `None` if there is no such file.
async fn read(app: &App, id: &SkillId, path: &SkillPath) -> Result<Option<Vec<u8>>, Failure> {
    let limit = usize::try_from(WHOLE_FILE).unwrap_or(usize::MAX);
    match app.skills().sources().read(id, path, 0, limit).await {
        Ok(part) if part.size > WHOLE_FILE => {
            let message = format!("`{path}` is too large to be changed over HTTP");
            Err(Failure::new(Code::NotWritable, message))
        }
        Ok(part) => Ok(Some(part.bytes)),
        Err(SourceError::FileNotFound { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Checks the conditions of a change. One without a condition is refused: it could undo the change of another client.
fn require(headers: &HeaderMap, current: Option<&HeaderValue>) -> Result<(), Failure> {
    let is_new = headers.contains_key(header::IF_NONE_MATCH);
    if !is_new && !headers.contains_key(header::IF_MATCH) {
        let message = "send `If-Match` with the `ETag` of the last response, or `If-None-Match: *` to create a file";
        return Err(Failure::new(Code::PreconditionRequired, message));
    }
    let refused = match current {
        Some(current) => is_known(headers, current) || !is_match(headers, current),
        None => headers.contains_key(header::IF_MATCH),
    };
    if refused && current.is_some() && is_new {
        let message = "it exists: send `If-Match` with its `ETag` to change it";
        return Err(Failure::new(Code::PreconditionFailed, message));
    }
    if refused { Err(changed()) } else { Ok(()) }
}

fn writer<'a>(
    app: &'a App,
    catalog: &Catalog,
    id: &SkillId,
) -> Result<&'a dyn SkillWriter, Failure> {
    app.skills().sources().writer(catalog, id).ok_or_else(|| {
        let source = catalog.get(id.as_str()).map_or("", |skill| skill.source);
        let message = format!("cannot change `{id}`: its source `{source}` is read-only");
        Failure::new(Code::NotWritable, message)
    })
}

/// To be kept while a skill is written.
fn watched(app: &App, catalog: &Catalog, id: &SkillId) -> Option<Writing> {
    let location = app.skills().sources().location(catalog, id)?;
    app.options().writing(Path::new(&location))
}

async fn written(
    app: &App,
    catalog: &Catalog,
    id: &SkillId,
    diagnostics: Vec<Value>,
) -> Result<Response, Failure> {
    let skill = body_of(app, catalog, id).await?;
    let etag = Payload::json(&skill)?.etag;
    let payload = Payload::json(&WrittenSkill { skill, diagnostics })?;
    let mut response = (payload.headers(), payload.bytes).into_response();
    response.headers_mut().insert(header::ETAG, etag);
    Ok(response)
}

fn own_file() -> Result<SkillPath, Failure> {
    skill_path(SKILL_FILE)
}

fn changed() -> Failure {
    let message = "it was changed by someone else: get it again and repeat the change";
    Failure::new(Code::PreconditionFailed, message)
}

fn cannot(action: &str, id: &SkillId, error: &WriteError) -> Failure {
    let message = format!("cannot {action} `{id}`: {error}");
    match error {
        WriteError::Changed => changed(),
        WriteError::Exists(_) => Failure::new(Code::SkillExists, message),
        WriteError::NotWritable(_) => Failure::new(Code::NotWritable, message),
        WriteError::Busy => Failure::new(Code::Busy, message),
        WriteError::Failed(_) => Failure::new(Code::Unavailable, message),
    }
}
