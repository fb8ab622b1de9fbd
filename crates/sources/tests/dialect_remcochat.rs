//! `RemcoChat`: names in JSON, two tools with dots in their names, activated names in the prompt.
#![cfg(test)]

mod support;

use pollster::block_on;
use prowess_core::{Dialect, Skills};
use serde_json::json;
use support::{Place, call};

#[test]
fn di2_metadata_activation_and_resources() {
    let place = Place::reports();
    let skills = place.skills(Dialect::REMCOCHAT);
    let session = skills.session();
    let prompt = session.prompt().text;
    let (instructions, catalog) = prompt.split_once("\n\n").unwrap();
    assert_eq!(instructions, Dialect::REMCOCHAT.instructions);
    assert_eq!(
        catalog,
        r#"{"available_skills":[{"name":"csv","description":"Summarise CSV files"},{"name":"pdf-report","description":"Generate \"PDF\" reports"}]}"#
    );
    let prompt = skills.resume([support::id("csv")]).prompt().text;
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
    assert_eq!(
        long["notice"],
        "the body is truncated: 10 bytes are missing"
    );
}

#[test]
fn the_first_directory_wins_and_the_collision_is_on_record() {
    let place = Place::new();
    place
        .described("first/pdf", "First")
        .described("second/pdf", "Second");
    let builder = Skills::builder()
        .source("first", place.source("first"))
        .source("second", place.source("second"));
    let skills = block_on(builder.dialect(Dialect::REMCOCHAT).build()).unwrap();
    let catalog = skills.catalog();
    assert_eq!(
        &*catalog.get("pdf").unwrap().descriptor.description,
        "First"
    );
    let shadowed = catalog.shadowed().next().unwrap();
    assert_eq!(
        (&**shadowed.winner.source, &**shadowed.loser.source),
        ("first", "second")
    );
}

#[test]
fn a_message_that_begins_with_a_name_is_explicit() {
    let place = Place::reports();
    let skills = place.skills(Dialect::REMCOCHAT);
    let session = skills.session();
    let turn = block_on(session.turn("/csv total the second column"));
    assert_eq!(turn.text, "total the second column");
    assert!(turn.blocks[0].text.contains("Body of csv."));
    let unknown = block_on(session.turn("/etc/passwd please"));
    assert_eq!(unknown.text, "/etc/passwd please");
    assert_eq!(serde_json::to_value(&session).unwrap(), json!(["csv"]));
}

#[test]
fn no_tools_and_no_prompt_without_skills() {
    let skills = Place::new().skills(Dialect::REMCOCHAT);
    let session = skills.session();
    assert!(session.tools().is_empty());
    assert_eq!(session.prompt().text, "");
}
