//! The conformance skill, driven through the loop over both wire formats.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use prowess_agent::wire::{AgentEvent, By};
use prowess_agent::{Agent, Ending};
use prowess_core::{ErrorCode, Scope, ScriptOutput, ScriptRunner, SkillId, Skills, ToolError};
use prowess_sources::{FilesystemOptions, FilesystemSource};
use prowess_spec::SkillPath;
use serde_json::{Value, json};

use crate::scripted::{BOTH, Scripted, Step, call};
use crate::support::{id, options, say};

const SKILL: &str = "skills-system-validation";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../skills")
}

/// STAND-IN: runs the file with `sh` and nothing around it. The sandboxed runner takes its place when it is there.
struct PlainShell;

#[async_trait]
impl ScriptRunner for PlainShell {
    async fn run(
        &self,
        skill: &SkillId,
        path: &SkillPath,
        args: &[String],
    ) -> Result<ScriptOutput, ToolError> {
        let file = root().join(skill.as_str()).join(path.as_str());
        let output = tokio::process::Command::new("/bin/sh")
            .arg(file)
            .args(args)
            .output()
            .await;
        let output =
            output.map_err(|error| ToolError::new(ErrorCode::Unavailable, error.to_string()))?;
        Ok(ScriptOutput {
            exit_code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            truncated: false,
            duration_ms: 0,
        })
    }
}

async fn skills() -> Skills {
    let source = FilesystemSource::new(root(), FilesystemOptions::new(Scope::Project));
    Skills::builder()
        .source("skills", source)
        .scripts(PlainShell)
        .build()
        .await
        .unwrap()
}

fn read(path: &str) -> (&'static str, String) {
    (
        "read_skill_file",
        json!({"id": SKILL, "path": path}).to_string(),
    )
}

/// Every step of the skill in one conversation.
#[tokio::test]
async fn the_conformance_skill_from_discovery_to_script() {
    let fixture: Value = serde_json::from_slice(
        &std::fs::read(root().join(SKILL).join("assets/fixture.json")).unwrap(),
    )
    .unwrap();
    let marker = |name: &str| fixture["markers"][name].as_str().unwrap().to_owned();
    for wire in BOTH {
        let refused = [
            "../SKILL.md",
            "/etc/passwd",
            "references/../../../../etc/passwd",
        ];
        assert_eq!(fixture["refused"], json!(refused));
        let steps = [
            call(
                "browse_skills",
                &json!({"query": "validate the skills system"}),
            ),
            call("load_skill", &json!({"id": SKILL})),
            Step::Call(
                "",
                vec![
                    read("references/REFERENCE.md"),
                    read("./assets/fixture.json"),
                ],
            ),
            Step::Call("", refused.map(read).to_vec()),
            call(
                "run_skill_script",
                &json!({"id": SKILL, "path": "scripts/echo.sh"}),
            ),
            Step::Say("VALIDATION: passed"),
        ];
        let model = Scripted::start(wire, steps).await;
        let agent = Agent::builder(model.provider())
            .skills(skills().await)
            .options(options());
        let mut chat = agent.build().await.unwrap().chat().await.unwrap();
        let (report, ear) = say(&mut chat, "Please validate the skills system.").await;
        let report = report.unwrap();
        assert_eq!(
            (report.ending, report.text.as_str()),
            (Ending::Answered, "VALIDATION: passed")
        );

        let seen = model.seen();
        for request in &seen {
            request.assert_whole();
            assert_eq!(
                request
                    .system()
                    .matches(&format!("<skill id=\"{SKILL}\""))
                    .count(),
                1
            );
            let names: Vec<String> = request.tools().into_iter().map(|(name, _)| name).collect();
            assert_eq!(
                names,
                [
                    "browse_skills",
                    "load_skill",
                    "read_skill_file",
                    "run_skill_script"
                ]
            );
        }
        // Discovery shows the description and nothing more; the body comes when it is loaded, files when they are read.
        assert!(seen[0].system().contains("paths that leave the skill"));
        let in_body =
            |number: usize, name: &str| seen[number].body.to_string().contains(&marker(name));
        assert!(!in_body(1, "body") && in_body(2, "body") && !in_body(2, "reference"));
        let results = seen.last().unwrap().results();
        let found: Value = serde_json::from_str(&results[0]).unwrap();
        assert_eq!(found["skills"][0]["id"], SKILL);
        let loaded: Value = serde_json::from_str(&results[1]).unwrap();
        assert_eq!(loaded["files"], fixture["files"]);
        assert_eq!(loaded["frontmatter"]["license"], "MIT OR Apache-2.0");
        assert!(results[2].contains(&format!("MARKER: {}", marker("reference"))));
        let given: Value = serde_json::from_str(&results[3]).unwrap();
        assert_eq!(given["path"], "assets/fixture.json");
        assert_eq!(
            serde_json::from_str::<Value>(given["content"].as_str().unwrap()).unwrap(),
            fixture
        );
        for result in &results[4..7] {
            let result: Value = serde_json::from_str(result).unwrap();
            assert_eq!(result["error"]["code"], "invalid-path", "{result}");
            assert!(!result.to_string().contains("root:"), "{result}");
        }
        let script: Value = serde_json::from_str(&results[7]).unwrap();
        assert_eq!(script["stdout"], format!("{}\n", marker("script")));
        assert_eq!(script["exit_code"], 0);
        assert!(ear.has(|event| matches!(
            event,
            AgentEvent::SkillLoaded {
                by: By::Model,
                dropped_bytes: 0,
                ..
            }
        )));
        assert_eq!(chat.active(), [id(SKILL)]);
    }
}

#[tokio::test]
async fn the_conformance_skill_by_reference() {
    for wire in BOTH {
        let model = Scripted::start(wire, [Step::Say("VALIDATION: passed")]).await;
        let agent = Agent::builder(model.provider())
            .skills(skills().await)
            .options(options());
        let mut chat = agent.build().await.unwrap().chat().await.unwrap();
        let (report, ear) = say(&mut chat, &format!("/{SKILL} run")).await;
        assert_eq!(report.unwrap().rounds, 0);
        let text = &model.last().messages()[0].1;
        assert!(text.starts_with(&format!("<skill id=\"{SKILL}\">")) && text.ends_with("\n\nrun"));
        assert!(text.contains("PROWESS-VALIDATION-BODY-7c1e"));
        assert_eq!(ear.notices(), [format!("skill {SKILL} loaded")]);
    }
}
