//! Search learns from what was loaded in a project.
#![cfg(test)]

use std::sync::Arc;

use pollster::block_on;
use prowess_agent::SearchHistory;
use prowess_core::{MemorySource, Scope, Skills};
use prowess_store::Store;
use serde_json::{Value, json};

fn skills() -> Skills {
    let mut source = MemorySource::new(Scope::Project);
    for name in ["deploy-a", "deploy-b", "deploy-c"] {
        let text = format!(
            "---\nname: {name}\ndescription: Deploys the shop to production\n---\nBody of {name}.\n"
        );
        source.add(name, &text);
    }
    block_on(Skills::builder().source("memory", source).build()).unwrap()
}

fn first(skills: &Skills, query: &str) -> String {
    let found = block_on(skills.find(&[query], |_| true));
    found[0].id.to_string()
}

fn load(skills: &Skills, message: &str, queries: &Value, id: &str) {
    let session = skills.session();
    block_on(session.turn(message));
    for (tool, arguments) in [
        ("browse_skills", json!({"queries": queries})),
        ("load_skill", json!({"id": id})),
    ] {
        let outcome = block_on(session.call(tool, &arguments));
        assert!(!outcome.result.is_error, "{:?}", outcome.result);
    }
}

#[test]
fn se5_a_skill_that_was_loaded_for_a_similar_query_comes_first_in_that_project() {
    let store = block_on(Store::memory()).unwrap();
    let here = skills();
    here.set_signals(vec![Arc::new(SearchHistory::new(store.clone(), "/shop"))]);
    assert_eq!(first(&here, "deploy the shop"), "deploy-a");
    load(
        &here,
        "please deploy",
        &json!(["deploy the shop to production"]),
        "deploy-c",
    );
    let found = block_on(here.find(&["deploy shop production"], |_| true));
    assert_eq!(found[0].id.as_str(), "deploy-c");
    assert!(
        found[0]
            .features
            .iter()
            .any(|feature| feature.name == "use" && feature.adds > 0.0)
    );
    // Another question and another project know nothing of it.
    assert_eq!(first(&here, "shop"), "deploy-a");
    let there = skills();
    there.set_signals(vec![Arc::new(SearchHistory::new(store.clone(), "/other"))]);
    assert_eq!(first(&there, "deploy shop production"), "deploy-a");
    // Without the signal nothing is read or noted.
    let off = skills();
    load(
        &off,
        "please deploy",
        &json!(["deploy the shop"]),
        "deploy-b",
    );
    assert_eq!(first(&off, "deploy shop production"), "deploy-a");
    let uses = block_on(store.search_uses("/shop")).unwrap();
    assert!(uses.iter().all(|it| it.skill == "deploy-c") && uses.len() == 2);
}
