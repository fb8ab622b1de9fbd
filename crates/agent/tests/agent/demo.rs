//! The demo model goes through the same loop as any other.

use std::sync::Arc;

use prowess_agent::{Agent, DemoProvider, Ending};
use prowess_core::{Dialect, MemorySource, Scope, Skills};

use crate::support::{builder, id, options, send, skills};

async fn chat(skills: Skills) -> prowess_agent::Chat {
    let provider = Arc::new(DemoProvider::new(skills.clone()));
    let agent = Agent::builder(provider).skills(skills).options(options());
    agent.build().await.unwrap().chat()
}

#[tokio::test]
async fn demo_model_finds_loads_and_answers() {
    let mut chat = chat(skills().await).await;
    let (report, ear) = send(&mut chat, "please write a haiku").await;
    let report = report.unwrap();
    assert_eq!((report.ending, report.rounds), (Ending::Answered, 1));
    assert!(
        report.text.starts_with("This is the demo model"),
        "{}",
        report.text
    );
    assert!(report.text.contains("`haiku`") && report.text.contains("Five, seven, five."));
    assert_eq!(chat.active(), [id("haiku")]);
    assert!(ear.kinds().contains(&"skill-loaded".to_owned()));
    assert!(report.tokens.provider.input > 0);
    // The same question again: no second load.
    let (again, ear) = send(&mut chat, "please write a haiku").await;
    assert_eq!(again.unwrap().rounds, 0);
    assert_eq!(ear.text(), report.text);
    // Named: no load either.
    let (report, _) = send(&mut chat, "/extraction/email from this").await;
    assert!(report.unwrap().text.contains("at sign"));
    let (report, _) = send(&mut chat, "zzzz qqqq").await;
    assert!(report.unwrap().text.contains("No skill matches"));
}

#[tokio::test]
async fn demo_model_supports_every_dialect() {
    for dialect in Dialect::ALL {
        let skills = builder().dialect(dialect).build().await.unwrap();
        let mut chat = chat(skills).await;
        let (report, _) = send(&mut chat, "please write a haiku").await;
        let text = report.unwrap().text;
        assert!(
            text.contains("Five, seven, five."),
            "{}: {text}",
            dialect.name
        );
    }
}

/// A catalog that lists only some of the skills: the model searches before it loads.
#[tokio::test]
async fn demo_model_searches_with_queries_if_not_every_skill_is_listed() {
    for dialect in [Dialect::PROWESS, Dialect::VIBE_TAVERN] {
        let mut source = MemorySource::new(Scope::Project);
        for number in 0..300 {
            let text = format!(
                "---\nname: filler-{number}\ndescription: Does task {number}\n---\nBody.\n"
            );
            source.add(&format!("filler-{number}"), &text);
        }
        source.add(
            "zebra",
            "---\nname: zebra\ndescription: Draws stripes\n---\nPaint the horse.\n",
        );
        let builder = Skills::builder().source("memory", source).dialect(dialect);
        let skills = builder.catalog_chars(2_000).build().await.unwrap();
        let mut chat = chat(skills).await;
        let (report, _) = send(&mut chat, "can you draw some stripes for me").await;
        let report = report.unwrap();
        assert!(report.text.contains("Paint the horse."), "{}", report.text);
        assert_eq!(
            (report.rounds, chat.active()),
            (2, vec![id("zebra")]),
            "{}",
            dialect.name
        );
    }
}

#[tokio::test]
async fn no_skills_at_all() {
    let none = Skills::builder().build().await.unwrap();
    let mut chat = chat(none).await;
    let (report, _) = send(&mut chat, "hello").await;
    assert!(report.unwrap().text.contains("No skill matches"));
}
