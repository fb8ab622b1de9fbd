//! The API as a client sees it, byte by byte.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "tests may panic"
)]

#[path = "../support/mod.rs"]
mod support;

mod connections;
mod files;
mod safety;
mod skills;

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use prowess_core::{
    Document, FileEntry, FilePart, MemorySource, Scope, SkillId, Skills, Snapshot, Source,
    SourceError,
};
use prowess_server::{ApiOptions, Code, keep_fresh};
use prowess_sources::{FilesystemOptions, FilesystemSource};
use prowess_spec::SkillPath;
use serde_json::{Value, json};
use support::client::{Response, ask, get, send};
use support::ours::Ours;
use support::{id, path, skill, some_skills};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

async fn ours() -> Ours {
    Ours::over(some_skills()).await
}

fn ids(response: &Response) -> Vec<String> {
    assert_eq!(response.status, 200, "{}", response.text());
    let list = response.json();
    let skills = list["skills"].as_array().unwrap().iter();
    skills
        .map(|skill| skill["id"].as_str().unwrap().to_owned())
        .collect()
}

/// A directory with a skill that has a secret beside it and links that lead to it.
fn exposed() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let skills = directory.path().join("skills/tools/pdf");
    fs::create_dir_all(skills.join("references")).unwrap();
    fs::write(
        skills.join("SKILL.md"),
        skill("pdf", "Reads PDFs", "Read.\n"),
    )
    .unwrap();
    fs::write(skills.join("references/a.md"), "a").unwrap();
    fs::write(
        directory.path().join("skills/tools/COLLECTION.md"),
        "Things to use",
    )
    .unwrap();
    fs::write(directory.path().join("secret"), "s3cr3t").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("../../../secret", skills.join("link")).unwrap();
    directory
}

fn filesystem(directory: &tempfile::TempDir) -> FilesystemSource {
    let options = FilesystemOptions::new(Scope::Project);
    FilesystemSource::new(directory.path().join("skills"), options)
}
