//! `RubyLLM::Skills`: one tool that lists, loads and reads, the catalog in its description, the last source wins.
#![cfg(test)]

mod support;

use pollster::block_on;
use prowess_core::{Dialect, Skills};
use serde_json::json;
use support::{Place, call};

#[test]
fn di4_one_tool_lists_loads_and_reads() {
    let place = Place::reports();
    let skills = place.skills(Dialect::RUBY_LLM);
    let tools = skills.session().tools();
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
        json!({"success": false, "error": "unknown skill `nope`; available: csv, pdf-report"})
    );
    let resource = call(
        &skills,
        "skill",
        r#"{"command": "csv", "resource": "references/guide.md"}"#,
    );
    assert_eq!(resource["content"], "Guide.\n");
}

#[test]
fn arguments_reach_the_instructions() {
    let place = Place::new();
    place.write(
        "write-poem/SKILL.md",
        "---\nname: write-poem\ndescription: d\n---\nWrite about $ARGUMENTS.\n",
    );
    let skills = place.skills(Dialect::RUBY_LLM);
    let arguments = r#"{"command": "write-poem", "arguments": "robots"}"#;
    let answer = call(&skills, "skill", arguments);
    assert_eq!(answer["instructions"], "Write about robots.");
}

#[test]
fn di4_the_last_source_wins() {
    let place = Place::new();
    place
        .described("first/pdf", "First")
        .described("second/pdf", "Second");
    let builder = Skills::builder()
        .source("first", place.source("first"))
        .source("second", place.source("second"));
    let skills = block_on(builder.dialect(Dialect::RUBY_LLM).build()).unwrap();
    let catalog = skills.catalog();
    assert_eq!(
        &*catalog.get("pdf").unwrap().descriptor.description,
        "Second"
    );
    let answer = call(&skills, "skill", r#"{"command": "pdf"}"#);
    assert_eq!(answer["instructions"], "Body of second/pdf.");
}
