//! Skills from an archive that a client sends.

use std::collections::BTreeMap;
use std::io::Cursor;

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::response::Response;
use prowess_archive::{Limits, fold, plugin_files, walk};
use prowess_core::{Contents, Scope, SkillId, Source as _, WriteError};
use prowess_sources::{ArchiveSource, Strictness};
use prowess_spec::{Profile, is_skill_file};
use serde::{Deserialize, Serialize};

use crate::answer::json_response;
use crate::app::{App, Parameters, parameters};
use crate::body::body_error;
use crate::check::valid;
use crate::error::{Code, Failure};
use crate::limits::{IMPORT_BYTES, IMPORT_FILES, IMPORT_SKILL_BYTES};
use crate::writing::{part_of_plugin, writable_path};

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct ImportParameters {
    /// The collection that the skills become part of.
    collection: Option<String>,
}

#[derive(Default, Serialize)]
struct Imported {
    created: Vec<SkillId>,
    refused: Vec<RefusedSkill>,
}

#[derive(Serialize)]
struct RefusedSkill {
    id: String,
    reason: String,
}

/// Creates every skill of an archive. Each appears whole or not at all, and one that is refused does not stop the others.
pub(crate) async fn import(
    State(app): State<App>,
    query: Parameters<ImportParameters>,
    bytes: Result<Bytes, BytesRejection>,
) -> Result<Response, Failure> {
    let collection = parameters(query)?.collection.filter(|it| !it.is_empty());
    let bytes = bytes.map_err(|error| body_error(&error, IMPORT_BYTES))?;
    let archive = ArchiveSource::from_bytes(&*bytes, Scope::User, Strictness::Tolerant);
    let snapshot = archive.snapshot().await.map_err(|error| {
        let message = format!("cannot read the archive: {error}");
        Failure::new(Code::InvalidPackage, message)
    })?;
    let mut imported = Imported::default();
    for invalid in &snapshot.invalid {
        imported.refused.push(RefusedSkill {
            id: invalid.path.clone(),
            reason: invalid.reason().to_owned(),
        });
    }
    if snapshot.skills.is_empty() && imported.refused.is_empty() {
        let message = "no skill in the archive: expected a directory with a SKILL.md";
        return Err(Failure::new(Code::InvalidPackage, message));
    }
    let listing = Listing::read(&bytes).map_err(|error| {
        let message = format!("cannot read the archive: {error}");
        Failure::new(Code::InvalidPackage, message)
    })?;
    let _writing = app.writing().await?;
    for (skill, directory) in snapshot.skills.iter().zip(&snapshot.directories) {
        let id = match &collection {
            Some(collection) => format!("{collection}/{}", skill.id),
            None => skill.id.to_string(),
        };
        let plugin = listing.plugin_files(directory);
        if !plugin.is_empty() {
            let reason = part_of_plugin(&plugin.join("`, `"));
            imported.refused.push(RefusedSkill { id, reason });
            continue;
        }
        match create(&app, &archive, &skill.id, &id).await {
            Ok(id) => imported.created.push(id),
            Err(reason) => imported.refused.push(RefusedSkill { id, reason }),
        }
    }
    let catalog = app.skills().refresh().await;
    for id in imported
        .created
        .extract_if(.., |id| catalog.get(id.as_str()).is_none())
    {
        imported.refused.push(RefusedSkill {
            id: id.to_string(),
            reason: "created, but the configuration of the server excludes it".to_owned(),
        });
    }
    json_response(&imported)
}

/// Every name in an archive, hidden ones too, with the content of what may be the manifest of a plugin.
#[derive(Default)]
struct Listing(BTreeMap<String, Option<Vec<u8>>>);

impl Listing {
    fn read(bytes: &[u8]) -> Result<Self, prowess_archive::Error> {
        let mut listing = Self::default();
        walk(Cursor::new(bytes), &Limits::default(), |entry, content| {
            let path = entry.path.as_str();
            let name = path.rsplit('/').next().unwrap_or(path);
            let mut manifest = None;
            if fold(name) == "plugin.json" {
                content.read_to_end(manifest.insert(Vec::new()))?;
            }
            listing.0.insert(path.to_owned(), manifest);
            Ok(())
        })?;
        Ok(listing)
    }

    /// The files of a skill in `directory` that make a plugin of it.
    fn plugin_files(&self, directory: &str) -> Vec<&str> {
        let prefix = match directory {
            "" | "." => String::new(),
            directory => format!("{directory}/"),
        };
        let inside = self.0.keys().filter_map(|path| path.strip_prefix(&prefix));
        let read = |path: &str| self.0.get(&format!("{prefix}{path}"))?.clone();
        plugin_files(inside, read).into_iter().collect()
    }
}

/// Creates one skill; the error is a sentence for the user.
async fn create(
    app: &App,
    archive: &ArchiveSource,
    source: &SkillId,
    id: &str,
) -> Result<SkillId, String> {
    let id: SkillId = id.parse().map_err(|error| format!("{error}"))?;
    if let Some(existing) = app.skills().catalog().get(id.as_str()) {
        return Err(format!("it exists in {}", existing.source));
    }
    let contents = archive.contents(source, IMPORT_FILES, IMPORT_SKILL_BYTES);
    let files = match contents.await.map_err(|error| error.to_string())? {
        Contents::Whole(files) => files,
        Contents::TooLarge { .. } => return Err("it has too many files or bytes".to_owned()),
    };
    for (path, bytes) in &files {
        writable_path(path.as_str()).map_err(|failure| failure.message().to_owned())?;
        if is_skill_file(path.as_str()) {
            let checked = valid(bytes, id.name(), Profile::Check);
            checked.map_err(|failure| failure.message().to_owned())?;
        }
    }
    let writer = app.options().new_skills.as_deref();
    let writer = writer.and_then(|it| app.skills().sources().writer_in(it));
    let writer = writer.ok_or("this server has no directory for new skills")?;
    let directory = app.options().new_skills.as_deref();
    let _watched = directory.and_then(|directory| app.options().writing(directory));
    let made = writer.create(&id, files).await;
    made.map(|()| id).map_err(|error| match error {
        WriteError::Exists(_) => "it exists".to_owned(),
        other => other.to_string(),
    })
}
