//! Claude Code: one tool, answered with text.
#![cfg(test)]

mod support;

use prowess_core::Dialect;
use serde_json::json;
use support::{Place, call};

#[test]
fn di5_the_base_directory_comes_first() {
    let place = Place::reports();
    let skills = place.skills(Dialect::CLAUDE_CODE);
    let tools = skills.session().tools();
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

#[test]
fn presets_are_found_by_name() {
    for dialect in Dialect::ALL {
        assert_eq!(Dialect::named(dialect.name), Some(dialect));
    }
    assert_eq!(Dialect::named("nope"), None);
}
