//! Older messages make room; the instructions of active skills stay.

use prowess_agent::wire::{AgentEvent, ChatEntry};
use prowess_agent::{AgentOptions, Compaction};
use prowess_testing::model::{BOTH, ScriptedModel, Step, call};
use serde_json::json;

use crate::support::{agent_of, id, options, send};

fn small(compaction: Compaction) -> AgentOptions {
    AgentOptions {
        context_window: 4_000,
        compaction,
        ..options()
    }
}

const FILLER: &str = "Some words that take a little room. ";

async fn fill(model: &ScriptedModel, options: AgentOptions) -> prowess_agent::Chat {
    let agent = agent_of(model)
        .await
        .options(options)
        .build()
        .await
        .unwrap();
    let mut chat = agent.chat();
    send(&mut chat, "/haiku at-first").await.0.unwrap();
    for _ in 0..2 {
        send(&mut chat, &FILLER.repeat(120)).await.0.unwrap();
    }
    chat
}

/// T9: dropped oldest first, said so, and the block of the active skill is put back, once.
#[tokio::test]
async fn t9_dropped_with_pinned_blocks() {
    for wire in BOTH {
        let steps = ["one", "two", "three", "four", "five"].map(Step::Say);
        let model = ScriptedModel::start(wire, steps);
        let mut chat = fill(&model, small(Compaction::Drop)).await;
        let (report, ear) = send(&mut chat, &FILLER.repeat(120)).await;
        report.unwrap();
        let event = ear
            .events()
            .into_iter()
            .find(|event| matches!(event, AgentEvent::Compacted { .. }));
        let Some(AgentEvent::Compacted {
            messages,
            tokens_before,
            tokens_after,
            summarised,
            pinned,
            ..
        }) = event
        else {
            panic!("{:?}", ear.kinds());
        };
        assert!(messages >= 2 && tokens_after < tokens_before && !summarised);
        assert_eq!(pinned, [id("haiku")]);
        let seen = model.last();
        seen.assert_whole();
        let text = seen.body.to_string();
        assert_eq!(text.matches("Five, seven").count(), 1);
        assert!(text.contains("Mention at-first."), "{text}");
        assert_eq!(text.matches("at-first").count(), 1, "{text}");
        assert!(
            seen.messages()[0]
                .1
                .starts_with("[Earlier messages were removed")
        );
        assert!(
            chat.entries()
                .any(|entry| matches!(entry, ChatEntry::Compacted { .. }))
        );
        // The whole conversation is still known, only not sent.
        assert!(chat.entries().any(
            |entry| matches!(entry, ChatEntry::User { text, .. } if text == "/haiku at-first")
        ));
        send(&mut chat, "short").await.0.unwrap();
        assert_eq!(
            model.last().body.to_string().matches("Five, seven").count(),
            1
        );
    }
}

#[tokio::test]
async fn model_summarizes_removed_messages() {
    for wire in BOTH {
        let steps = ["one", "two", "three", "SUMMARY: they began.", "four"].map(Step::Say);
        let model = ScriptedModel::start(wire, steps);
        let mut chat = fill(&model, small(Compaction::Summarise)).await;
        let (report, ear) = send(&mut chat, &FILLER.repeat(120)).await;
        let report = report.unwrap();
        assert_eq!(report.text, "four");
        // The fourth request and the fifth: a summary costs, too.
        assert_eq!(report.tokens.provider.input, 400 + 500);
        assert_eq!(ear.text(), "four");
        let asked = &model.seen()[3];
        assert!(asked.system().starts_with("You summarize") && asked.tools().is_empty());
        assert!(asked.messages()[0].1.contains("User: /haiku at-first"));
        assert!(!asked.body.to_string().contains("Five, seven"));
        let first = &model.last().messages()[0].1;
        assert!(
            first.contains("SUMMARY: they began.") && first.contains("Five, seven"),
            "{first}"
        );
        assert!(ear.has(|event| matches!(
            event,
            AgentEvent::Compacted {
                summarised: true,
                ..
            }
        )));
    }
}

/// A model that cannot sum up is no reason to fail.
#[tokio::test]
async fn failed_summary_is_skipped() {
    for wire in BOTH {
        let broken = Step::Status(400, vec![], "{}".to_owned());
        let steps = [
            Step::Say("one"),
            Step::Say("two"),
            Step::Say("three"),
            broken,
            Step::Say("four"),
        ];
        let model = ScriptedModel::start(wire, steps);
        let mut chat = fill(&model, small(Compaction::Summarise)).await;
        let (report, ear) = send(&mut chat, &FILLER.repeat(120)).await;
        assert_eq!(report.unwrap().text, "four");
        assert!(ear.has(|event| matches!(
            event,
            AgentEvent::Compacted {
                summarised: false,
                ..
            }
        )));
    }
}

/// Within one turn, results that the model has seen make room for new ones.
#[tokio::test]
async fn results_of_one_long_turn() {
    for wire in BOTH {
        let read = |offset: usize| {
            call(
                "read_skill_file",
                &json!({"id": "haiku", "path": "references/big.md", "offset": offset, "limit": 5_000}),
            )
        };
        let steps = (0..4)
            .map(|index| read(index * 5_000))
            .chain([Step::Say("done")]);
        let model = ScriptedModel::start(wire, steps);
        let agent = agent_of(&model)
            .await
            .options(small(Compaction::Drop))
            .build()
            .await
            .unwrap();
        let mut chat = agent.chat();
        let (report, ear) = send(&mut chat, "read it all").await;
        assert_eq!(report.unwrap().text, "done");
        let seen = model.last();
        seen.assert_whole();
        assert!(seen.results()[0].contains("removed") && seen.results()[3].contains("line"));
        assert!(
            ear.has(|event| matches!(event, AgentEvent::Compacted { results, .. } if *results > 0))
        );
    }
}

/// A model that takes less than anybody said: older messages go, and the turn goes on.
#[tokio::test]
async fn too_much_for_the_model() {
    for wire in BOTH {
        let refusal =
            json!({"error": {"message": "prompt is too long: 210000 tokens > 200000 maximum"}});
        let refused = || Step::Status(400, Vec::new(), refusal.to_string());
        let steps = [
            Step::Say("one"),
            Step::Say("two"),
            Step::Say("three"),
            refused(),
            Step::Say("four"),
            refused(),
            refused(),
        ];
        let model = ScriptedModel::start(wire, steps);
        let options = AgentOptions {
            compaction: Compaction::Drop,
            ..options()
        };
        let mut chat = fill(&model, options).await;
        let (report, ear) = send(&mut chat, "last").await;
        assert_eq!(report.unwrap().text, "four");
        assert!(ear.has(|event| matches!(event, AgentEvent::Compacted { .. })));
        let text = model.last().body.to_string();
        assert!(
            !text.contains("/haiku") && text.contains("Mention at-first."),
            "{text}"
        );
        // Still too much: then it fails, and says why.
        let (report, _) = send(&mut chat, "again").await;
        let error = report.unwrap_err().to_string();
        assert!(error.contains("prompt is too long"), "{error}");
    }
}
