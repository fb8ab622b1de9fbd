//! The API as a client sees it, byte by byte.
#![cfg(test)]

#[path = "../support/mod.rs"]
mod support;

mod access;
mod bad_input;
mod connections;
mod files;
mod operating;
mod safety;
mod sessions;
mod shutdown;
mod skills;
mod writing;

use std::sync::Arc;
use std::time::Duration;

use prowess_core::{
    Document, FileEntry, FilePart, MemorySource, Scope, SkillId, Skills, Snapshot, Source,
    SourceError,
};
use prowess_server::{ApiOptions, Code, keep_fresh};
use prowess_sources::{FilesystemOptions, FilesystemSource};
use prowess_spec::SkillPath;
use prowess_testing::TestDirectory;
use serde_json::{Value, json};
use support::client::{Response, ask, ask_with, get, send};
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
fn exposed() -> TestDirectory {
    let directory = TestDirectory::new();
    directory
        .skill("skills/tools/pdf", "Reads PDFs", "Read.\n")
        .write("skills/tools/pdf/references/a.md", "a")
        .write("skills/tools/COLLECTION.md", "Things to use")
        .write("secret", "s3cr3t");
    #[cfg(unix)]
    directory.link("../../../secret", "skills/tools/pdf/link");
    directory
}

fn filesystem(directory: &TestDirectory) -> FilesystemSource {
    let options = FilesystemOptions::new(Scope::Project);
    FilesystemSource::new(directory.path("skills"), options)
}
