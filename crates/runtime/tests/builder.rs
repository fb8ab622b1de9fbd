//! A runtime as an agent builder makes one.
#![cfg(test)]

use async_trait::async_trait;
use prowess_core::{Scope, SkillId, Skills};
use prowess_runtime::{
    ApprovalDecision, ApprovalRequest, Approver, CodeSkill, CodeSkillError, ManifestProblem,
    Manifests, Runtime,
};
use prowess_sources::{FilesystemOptions, FilesystemSource};
use prowess_testing::{TestDirectory, example};
use serde_json::json;

struct Yes;

#[async_trait]
impl Approver for Yes {
    async fn ask(&self, _: ApprovalRequest<'_>) -> ApprovalDecision {
        ApprovalDecision::Once
    }
}

async fn skills(root: &TestDirectory) -> Skills {
    root.skill("skills/shout", "Shouts", "")
        .write(
            "skills/shout/SKILL.yaml",
            "name: shout\nversion: 1.0.0\ndescription: Shouts\ntypes: [tool]\n\
             permissions: [\"file:read\"]\nimplementation:\n  backend: starlark\n  entrypoint: run.star\n",
        )
        .write(
            "skills/shout/run.star",
            "register_tool(\"shout\", \"Shouts a file.\", lambda input: read_file(input[\"path\"]).upper())\n",
        )
        .write("note.txt", "quiet");
    let options = FilesystemOptions::new(Scope::Project);
    let source = FilesystemSource::new(root.path("skills"), options);
    let skills = Skills::builder().source("mine", source);
    skills.capability("code").build().await.unwrap()
}

#[tokio::test]
async fn a_built_runtime_runs_code_after_approval() {
    let root = TestDirectory::new();
    let id: SkillId = "shout".parse().unwrap();
    let skills = skills(&root).await;
    let launcher = example("prowess-runtime", "launcher");
    let build = || {
        let builder = Runtime::builder(skills.clone()).worker_program(launcher.clone());
        builder.project(root.root()).unwrap()
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
    let root = TestDirectory::new();
    let skills = skills(&root).await;
    let missing = Runtime::builder(skills).project(root.path("missing"));
    let error = missing.err().unwrap().to_string();
    assert!(error.starts_with("cannot open the project"), "{error}");
}

#[tokio::test]
async fn m15_skill_with_a_foreign_manifest_has_no_code() {
    let root = TestDirectory::new();
    root.skill("skills/pdf", "Reads PDFs", "")
        .write("skills/pdf/SKILL.yaml", "name: PDF\nicon: pdf.png\n");
    let options = FilesystemOptions::new(Scope::Project);
    let source = FilesystemSource::new(root.path("skills"), options);
    let skills = Skills::builder()
        .source("mine", source)
        .build()
        .await
        .unwrap();
    let id: SkillId = "pdf".parse().unwrap();
    let manifests = Manifests::read(&skills).await;
    assert!(manifests.get(&id).is_none());
    let [
        ManifestProblem {
            id: ignored,
            reason,
            ..
        },
    ] = manifests.problems()
    else {
        panic!("{:?}", manifests.problems());
    };
    assert_eq!(*ignored, id);
    assert_eq!(reason, "SKILL.yaml is not a manifest and is ignored");
    let error = CodeSkill::read(&skills, &id).await.unwrap_err();
    assert!(matches!(error, CodeSkillError::NoManifest(_)), "{error}");
}
