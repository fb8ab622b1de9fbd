//! `VibeTavern`: an envelope around every answer, files one level deep, a catalog before the last user message.
#![cfg(test)]

mod support;

use prowess_core::{CatalogPlacement, Dialect};
use serde_json::json;
use support::{Place, call};

#[test]
fn di3_metadata_in_the_prompt_the_rest_by_tools() {
    let place = Place::reports();
    let skills = place.skills(Dialect::VIBE_TAVERN);
    assert_eq!(
        skills.settings().dialect.catalog_placement,
        CatalogPlacement::BeforeLastUserMessage
    );
    let prompt = skills.session().prompt().text;
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
fn a_link_that_leaves_the_skill_is_refused() {
    let place = Place::reports();
    place
        .write("secret.txt", "secret")
        .link(place.path("secret.txt"), "csv/references/link.md");
    let skills = place.skills(Dialect::VIBE_TAVERN);
    let arguments = r#"{"name": "csv", "path": "references/link.md"}"#;
    let answer = call(&skills, "skills_read_file", arguments);
    assert_eq!(
        (&answer["ok"], &answer["data"]),
        (&json!(false), &json!(null))
    );
    assert_eq!(answer["errors"][0]["code"], "INVALID_PATH");
    assert!(!answer.to_string().contains("secret\""));
}
