//! Meerkat: ids with collections, a summary above a threshold, browsing and loading.
#![cfg(test)]

mod support;

use pollster::block_on;
use prowess_core::{Dialect, Event, Prompt, Skills};
use support::{Place, call};

#[test]
fn di1_a_small_catalog_is_flat() {
    let place = Place::reports();
    let skills = place.skills(Dialect::MEERKAT);
    let names: Vec<String> = skills
        .session()
        .tools()
        .into_iter()
        .map(|tool| tool.name)
        .collect();
    assert_eq!(names, ["browse_skills", "load_skill"]);
    let prompt = skills.session().prompt().text;
    assert!(prompt.starts_with(
        "<available_skills>\n  <skill id=\"csv\">\n    <description>Summarise CSV files"
    ));
    assert_eq!(call(&skills, "browse_skills", "{}")["type"], "listing");
}

#[test]
fn di1_a_large_catalog_has_collections() {
    let place = Place::new();
    for number in 0..13 {
        place.skill(&format!("extraction/number-{number}"));
    }
    place
        .skill("root-level")
        .write("extraction/COLLECTION.md", "Entity extraction\n");
    let skills = place.skills(Dialect::MEERKAT);
    let Prompt {
        text: prompt,
        report,
    } = skills.session().prompt();
    assert!(prompt.starts_with("<available_skills mode=\"collections\">\n  <collection path=\"extraction\" count=\"13\">Entity extraction</collection>\n  <skill id=\"root-level\">"), "{prompt}");
    assert!(prompt.contains("browse_skills") && prompt.contains("load_skill"));
    assert_eq!(report.total, 14);
}

#[test]
fn a_source_of_a_program_and_a_preloaded_skill() {
    let place = Place::reports();
    let builder = Skills::builder()
        .source("mine", place.source(""))
        .dialect(Dialect::MEERKAT);
    let skills = block_on(builder.preload(["csv"]).build()).unwrap();
    let session = skills.session();
    assert_eq!(session.active(), [support::id("csv")]);
    let turn = block_on(session.turn("/pdf-report quarterly"));
    assert_eq!(turn.text, "quarterly");
    assert!(
        turn.content()
            .starts_with("<skill id=\"pdf-report\">\nBody of pdf-report.")
    );
    let turn = block_on(session.turn("/pdf-reports now"));
    assert_eq!(turn.text, "/pdf-reports now");
    assert!(
        matches!(&turn.events[..], [Event::Unresolved { nearest, .. }] if nearest == &["pdf-report"])
    );
}

#[test]
fn missing_host_capabilities_are_reported() {
    let place = Place::new();
    place.write(
        "shelly/SKILL.md",
        "---\nname: shelly\ndescription: d\nrequires-capabilities: [shell, browser]\n---\n",
    );
    let skills = place.skills(Dialect::MEERKAT);
    assert!(skills.session().tools().is_empty());
    let answer = call(&skills, "load_skill", r#"{"id": "shelly"}"#);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("shell, browser"), "{answer}");
}
