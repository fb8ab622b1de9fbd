//! Each preset, as the design that asked for it describes it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests may panic"
)]

mod support;

use prowess_core::{Dialect, Place as Where, Session, ToolUse};
use serde_json::json;
use support::{Place, call};

fn place() -> Place {
    let place = Place::new();
    place
        .described("pdf-report", "Generate \"PDF\" reports")
        .described("csv", "Summarise CSV files")
        .write("csv/references/guide.md", "Guide.\n")
        .write("csv/references/deep/x.md", "Deep.\n")
        .write("csv/notes.md", "Notes.\n");
    place
}

#[test]
fn presets_are_found_by_name() {
    for dialect in Dialect::ALL {
        assert_eq!(Dialect::named(dialect.name), Some(dialect));
    }
    assert_eq!(Dialect::named("nope"), None);
}

#[test]
fn meerkat() {
    let place = place();
    let skills = place.skills(Dialect::MEERKAT);
    let names: Vec<String> = skills
        .tools(&Session::new())
        .into_iter()
        .map(|tool| tool.name)
        .collect();
    assert_eq!(names, ["browse_skills", "load_skill"]);
    let (prompt, _) = skills.system_prompt(&Session::new(), ToolUse::Available);
    assert!(prompt.starts_with(
        "<available_skills>\n  <skill id=\"csv\">\n    <description>Summarise CSV files"
    ));
    assert_eq!(call(&skills, "browse_skills", "{}")["type"], "listing");
}

#[test]
fn remcochat() {
    let place = place();
    let skills = place.skills(Dialect::REMCOCHAT);
    let mut session = Session::new();
    let (prompt, _) = skills.system_prompt(&session, ToolUse::Available);
    assert_eq!(
        prompt,
        r#"{"available_skills":[{"name":"csv","description":"Summarise CSV files"},{"name":"pdf-report","description":"Generate \"PDF\" reports"}]}"#
    );
    session.activate(&support::id("csv"));
    let (prompt, _) = skills.system_prompt(&session, ToolUse::Available);
    assert!(
        prompt.ends_with("\n{\"activated_skill_names\":[\"csv\"]}"),
        "{prompt}"
    );
    assert_eq!(
        call(&skills, "skills.activate", r#"{"name": "csv"}"#),
        json!({"name": "csv", "frontmatter": {"name": "csv", "description": "Summarise CSV files"}, "body": "Body of csv."})
    );
    assert_eq!(
        call(
            &skills,
            "skills_readResource",
            r#"{"name": "csv", "path": "references/guide.md"}"#
        ),
        json!({"name": "csv", "path": "references/guide.md", "content": "Guide.\n"})
    );
    let refused = call(
        &skills,
        "skills.readResource",
        r#"{"name": "csv", "path": "../x"}"#,
    );
    assert!(
        refused["error"].as_str().unwrap().contains("`..`"),
        "{refused}"
    );
    place.write(
        "csv/SKILL.md",
        format!(
            "---\nname: csv\ndescription: d\n---\n{}",
            "x".repeat(200_010)
        ),
    );
    let long = call(&skills, "skills.activate", r#"{"name": "csv"}"#);
    assert_eq!(long["body"].as_str().unwrap().len(), 200_000);
    assert_eq!(long["notice"], "the body was cut: 10 bytes are missing");
}

#[test]
fn vibe_tavern() {
    let place = place();
    let skills = place.skills(Dialect::VIBE_TAVERN);
    assert_eq!(
        skills.settings().dialect.place,
        Where::BeforeLastUserMessage
    );
    let (prompt, _) = skills.system_prompt(&Session::new(), ToolUse::Available);
    assert!(
        prompt.contains("  <skill name=\"csv\" description=\"Summarise CSV files\" />"),
        "{prompt}"
    );
    let list = call(&skills, "skills_list", "{}");
    assert_eq!(
        list["data"]["skills"][0],
        json!({"name": "csv", "description": "Summarise CSV files"})
    );
    let loaded = call(&skills, "skills_load", r#"{"name": "csv"}"#);
    assert_eq!(
        loaded,
        json!({
            "ok": true,
            "tool_name": "skills_load",
            "data": {"name": "csv", "body": "Body of csv.", "files": ["references/guide.md"]},
            "warnings": [],
            "errors": [],
        })
    );
    for (tool, arguments, code) in [
        ("skills_load", r#"{"name": "nope"}"#, "SKILL_NOT_FOUND"),
        ("skills_load", "{}", "ARGUMENT_ERROR"),
        (
            "skills_read_file",
            r#"{"name": "csv", "path": "notes.md"}"#,
            "INVALID_PATH",
        ),
        (
            "skills_read_file",
            r#"{"name": "csv", "path": "references/deep/x.md"}"#,
            "INVALID_PATH",
        ),
        (
            "skills_read_file",
            r#"{"name": "csv", "path": "/etc/passwd"}"#,
            "INVALID_PATH",
        ),
        (
            "skills_read_file",
            r#"{"name": "csv", "path": "references/none.md"}"#,
            "FILE_NOT_FOUND",
        ),
        (
            "skills_run_script",
            r#"{"name": "csv", "path": "scripts/x.sh"}"#,
            "NOT_IMPLEMENTED",
        ),
    ] {
        let answer = call(&skills, tool, arguments);
        assert_eq!(
            (&answer["ok"], &answer["errors"][0]["code"]),
            (&json!(false), &json!(code)),
            "{tool} {arguments}"
        );
    }
    place.write("csv/assets/big.txt", "x".repeat(200_001));
    let big = call(
        &skills,
        "skills_read_file",
        r#"{"name": "csv", "path": "assets/big.txt"}"#,
    );
    assert_eq!(big["errors"][0]["code"], "FILE_TOO_LARGE");
    place.write(
        "csv/SKILL.md",
        format!(
            "---\nname: csv\ndescription: d\n---\n{}",
            "x".repeat(200_010)
        ),
    );
    let long = call(&skills, "skills_load", r#"{"name": "csv"}"#);
    assert_eq!(
        (&long["ok"], &long["warnings"][0]["code"]),
        (&json!(true), &json!("CONTENT_TRUNCATED"))
    );
}

#[test]
fn ruby_llm() {
    let place = place();
    let skills = place.skills(Dialect::RUBY_LLM);
    let tools = skills.tools(&Session::new());
    assert_eq!((tools.len(), tools[0].name.as_str()), (1, "skill"));
    let location = place.path("csv").display().to_string();
    assert!(
        tools[0]
            .description
            .contains("    <name>csv</name>\n    <description>Summarise CSV files</description>")
    );
    assert!(
        tools[0]
            .description
            .contains(&format!("<location>{location}</location>")),
        "{}",
        tools[0].description
    );
    let loaded = call(&skills, "skill", r#"{"command": "csv"}"#);
    assert_eq!(
        loaded,
        json!({"success": true, "skill_name": "csv", "skill_path": location, "instructions": "Body of csv."})
    );
    let unknown = call(&skills, "skill", r#"{"command": "nope"}"#);
    assert_eq!(
        unknown,
        json!({"success": false, "error": "there is no skill `nope`; available: csv, pdf-report"})
    );
    let resource = call(
        &skills,
        "skill",
        r#"{"command": "csv", "resource": "references/guide.md"}"#,
    );
    assert_eq!(resource["content"], "Guide.\n");
}

#[test]
fn claude_code() {
    let place = place();
    let skills = place.skills(Dialect::CLAUDE_CODE);
    let tools = skills.tools(&Session::new());
    assert_eq!((tools.len(), tools[0].name.as_str()), (1, "Skill"));
    assert!(
        tools[0].description.contains("<name>csv</name>")
            && !tools[0].description.contains("<location>")
    );
    let loaded = call(&skills, "Skill", r#"{"command": "csv"}"#);
    let directory = place.path("csv").display().to_string();
    assert_eq!(
        loaded,
        json!(format!(
            "Base directory for this skill: {directory}\n\nBody of csv."
        ))
    );
}
