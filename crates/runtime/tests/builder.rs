//! A runtime as an agent builder makes one.
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic")]

use std::fs;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use prowess_core::{Scope, SkillId, Skills};
use prowess_runtime::{ApprovalDecision, ApprovalRequest, Approver, Runtime};
use prowess_sources::{FilesystemOptions, FilesystemSource};
use serde_json::json;

struct Yes;

#[async_trait]
impl Approver for Yes {
    async fn ask(&self, _: ApprovalRequest<'_>) -> ApprovalDecision {
        ApprovalDecision::Once
    }
}

/// The example `launcher`, which cargo builds with the tests: it calls `run_if_worker`.
fn launcher() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let target = test.parent().and_then(Path::parent).unwrap();
    target.join("examples/launcher")
}

async fn skills(root: &Path) -> Skills {
    let skill = root.join("skills/shout");
    fs::create_dir_all(&skill).unwrap();
    fs::write(
        skill.join("SKILL.md"),
        "---\nname: shout\ndescription: Shouts\n---\n",
    )
    .unwrap();
    fs::write(
        skill.join("SKILL.yaml"),
        "name: shout\nversion: 1.0.0\ndescription: Shouts\ntypes: [tool]\n\
         permissions: [\"file:read\"]\nimplementation:\n  backend: starlark\n  entrypoint: run.star\n",
    )
    .unwrap();
    fs::write(
        skill.join("run.star"),
        "register_tool(\"shout\", \"Shouts a file.\", lambda input: read_file(input[\"path\"]).upper())\n",
    )
    .unwrap();
    fs::write(root.join("note.txt"), "quiet").unwrap();
    let options = FilesystemOptions::new(Scope::Project);
    let source = FilesystemSource::new(root.join("skills"), options);
    let skills = Skills::builder().source("mine", source);
    skills.capability("code").build().await.unwrap()
}

#[tokio::test]
async fn a_built_runtime_runs_code_after_approval() {
    let root = tempfile::tempdir().unwrap();
    let id: SkillId = "shout".parse().unwrap();
    let skills = skills(root.path()).await;
    let build = || {
        let builder = Runtime::builder(skills.clone()).worker_program(launcher());
        builder.project(root.path()).unwrap()
    };
    let refused = build().build().unwrap().activate(&id).await.unwrap_err();
    assert!(refused.to_string().contains("needs approval"), "{refused}");
    let runtime = build().approver(Yes).build().unwrap();
    runtime.activate(&id).await.unwrap();
    let result = runtime.call_tool("shout", json!({"path": "note.txt"}));
    assert_eq!(result.await.unwrap().content, "QUIET");
    runtime.shut_down().await;
}

#[tokio::test]
async fn a_missing_project_is_an_error() {
    let root = tempfile::tempdir().unwrap();
    let skills = skills(root.path()).await;
    let missing = Runtime::builder(skills).project(root.path().join("missing"));
    let error = missing.err().unwrap().to_string();
    assert!(error.starts_with("cannot open the project"), "{error}");
}
