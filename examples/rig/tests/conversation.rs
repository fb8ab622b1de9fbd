//! Tools that are called at once share one conversation.

use prowess::{Skills, directory};
use prowess_example_rig::Conversation;
use serde_json::json;

#[tokio::test]
async fn tools_at_once_activate_skills_of_one_conversation() {
    let place = directory(concat!(env!("CARGO_MANIFEST_DIR"), "/../skills"));
    let skills = Skills::builder().source("here", place).build();
    let conversation = Conversation::new(&skills.await.unwrap());
    let tools = conversation.tools();
    let load = tools.iter().find(|tool| tool.name() == "load_skill");
    let load = load.unwrap();
    let (first, second, third) = tokio::join!(
        load.execute(json!({"id": "log-triage"})),
        load.execute(json!({"id": "sql-review"})),
        load.execute(json!({"id": "no-such-skill"})),
    );
    first.unwrap();
    second.unwrap();
    let error = third.unwrap_err();
    assert!(error.message().contains("skill-not-found"), "{error:?}");
    assert_eq!(
        conversation.preamble().matches("active=\"true\"").count(),
        2
    );
    let turn = conversation.turn("/log-triage why?").await;
    assert_eq!(turn.content(), "why?");
}
