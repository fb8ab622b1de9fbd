//! Stopping a turn in each of its phases. Nothing dangles, and the chat goes on.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use prowess_agent::wire::{AgentEvent, ChatEntry, Cut};
use prowess_agent::{Agent, Cancel, Ending, Retry};
use prowess_core::{ScriptOutput, ScriptRunner, SkillId, ToolError};
use prowess_spec::SkillPath;
use prowess_testing::model::{BOTH, ScriptedModel, Step};
use serde_json::json;
use tokio::sync::Notify;

use crate::support::{Ear, agent_of, builder, chat, model_has, options, provider, send};

#[tokio::test]
async fn cancelled_before_the_first_request() {
    for wire in BOTH {
        let (model, mut chat) = chat(wire, [Step::Say("ok")]).await;
        let cancel = Cancel::new();
        cancel.cancel();
        let report = chat.turn("/haiku hi", &[], &|_| (), &cancel).await.unwrap();
        assert_eq!(report.ending, Ending::Cancelled);
        assert_eq!((model.seen().len(), chat.entries().count()), (0, 0));
        assert!(chat.active().is_empty());
        assert_eq!(send(&mut chat, "hi").await.0.unwrap().text, "ok");
    }
}

#[tokio::test]
async fn cancelled_before_the_first_delta() {
    for wire in BOTH {
        let (model, mut chat) = chat(wire, [Step::Hang(""), Step::Say("ok")]).await;
        let cancel = Cancel::new();
        let turn = chat.turn("hi", &[], &|_| (), &cancel);
        let stop = async {
            model_has(&model, 1).await;
            cancel.cancel();
        };
        let (report, ()) = tokio::join!(turn, stop);
        assert_eq!(report.unwrap().ending, Ending::Cancelled);
        assert_eq!(chat.entries().count(), 0);
        assert_eq!(send(&mut chat, "hi").await.0.unwrap().text, "ok");
        assert_eq!(model.last().messages().len(), 1);
    }
}

#[tokio::test]
async fn cancelled_while_streaming() {
    for wire in BOTH {
        let (model, mut chat) = chat(wire, [Step::Hang("Once upon"), Step::Say("ok")]).await;
        let cancel = Cancel::new();
        let ear = Ear::default();
        let (listener, heard, stop) = (ear.listener(), ear.clone(), cancel.clone());
        let tell = move |event: AgentEvent| {
            listener(event);
            if heard.text() == "Once upon" {
                stop.cancel();
            }
        };
        let report = chat.turn("tell", &[], &tell, &cancel).await.unwrap();
        assert_eq!(
            (report.ending, report.text.as_str()),
            (Ending::Cancelled, "Once upon")
        );
        assert!(matches!(
            chat.entries().last().unwrap(),
            ChatEntry::Model {
                cut: Some(Cut::Cancelled),
                ..
            }
        ));
        send(&mut chat, "go on").await.0.unwrap();
        let messages = model.last().messages();
        assert!(
            messages[1].1.starts_with("Once upon") && messages[1].1.contains("cancelled"),
            "{messages:?}"
        );
    }
}

#[tokio::test]
async fn cancelled_while_waiting_to_retry() {
    for wire in BOTH {
        let busy = Step::Status(503, vec![], "{}".to_owned());
        let model = ScriptedModel::start(wire, [busy, Step::Say("ok")]);
        let mut slow = options();
        slow.retry = Retry {
            times: 1,
            first: Duration::from_hours(1),
            last: Duration::from_hours(1),
        };
        let agent = agent_of(&model).await.options(slow).build().await.unwrap();
        let mut chat = agent.chat();
        let cancel = Cancel::new();
        let stop = cancel.clone();
        let tell = move |event: AgentEvent| {
            if matches!(event, AgentEvent::Retry { .. }) {
                stop.cancel();
            }
        };
        let report = chat.turn("hi", &[], &tell, &cancel).await.unwrap();
        assert_eq!(report.ending, Ending::Cancelled);
        assert_eq!(send(&mut chat, "hi").await.0.unwrap().text, "ok");
    }
}

/// Scripts that never end.
struct Endless(Arc<Notify>);

#[async_trait]
impl ScriptRunner for Endless {
    async fn run(
        &self,
        _: &SkillId,
        _: &SkillPath,
        _: &[String],
    ) -> Result<ScriptOutput, ToolError> {
        self.0.notify_one();
        std::future::pending().await
    }
}

/// Calls that were done keep their results, the others get one that says what happened.
#[tokio::test]
async fn cancelled_during_tool_calls() {
    for wire in BOTH {
        let calls = vec![
            ("load_skill", json!({"id": "haiku"}).to_string()),
            (
                "run_skill_script",
                json!({"id": "haiku", "path": "scripts/x.sh"}).to_string(),
            ),
        ];
        let model = ScriptedModel::start(wire, [Step::Call("Wait.", calls), Step::Say("ok")]);
        let started = Arc::new(Notify::new());
        let skills = builder()
            .scripts(Endless(Arc::clone(&started)))
            .build()
            .await
            .unwrap();
        let agent = Agent::builder(provider(&model))
            .skills(skills)
            .options(options());
        let mut chat = agent.build().await.unwrap().chat();
        let cancel = Cancel::new();
        let stop = async {
            started.notified().await;
            cancel.cancel();
        };
        let ear = Ear::default();
        let listener = ear.listener();
        let (report, ()) = tokio::join!(chat.turn("go", &[], &listener, &cancel), stop);
        assert_eq!(report.unwrap().ending, Ending::Cancelled);
        let count = |kind: &str| ear.kinds().iter().filter(|it| *it == kind).count();
        assert_eq!((count("tool-started"), count("tool-finished")), (2, 2));
        send(&mut chat, "and?").await.0.unwrap();
        let seen = model.last();
        seen.assert_whole();
        let results = seen.results();
        assert!(
            results[0].contains("Five, seven") || results[0].contains("cancelled"),
            "{results:?}"
        );
        assert!(results[1].contains("The user cancelled this call"));
    }
}

/// Somebody drops a turn in the middle and goes on with the chat: that turn never was.
#[tokio::test]
async fn dropped_turn_is_discarded() {
    for wire in BOTH {
        let script = json!({"id": "haiku", "path": "scripts/x.sh"}).to_string();
        let calls = vec![
            ("load_skill", json!({"id": "haiku"}).to_string()),
            ("run_skill_script", script),
        ];
        let model = ScriptedModel::start(wire, [Step::Call("Wait.", calls), Step::Say("ok")]);
        let started = Arc::new(Notify::new());
        let skills = builder()
            .scripts(Endless(Arc::clone(&started)))
            .build()
            .await
            .unwrap();
        let agent = Agent::builder(provider(&model))
            .skills(skills)
            .options(options());
        let mut chat = agent.build().await.unwrap().chat();
        let cancel = Cancel::new();
        tokio::select! {
            _ = chat.turn("lost", &[], &|_| (), &cancel) => panic!("it has no end"),
            () = started.notified() => {}
        }
        assert_eq!(send(&mut chat, "again").await.0.unwrap().text, "ok");
        let seen = model.last();
        seen.assert_whole();
        assert_eq!(seen.messages().len(), 1);
        assert!(chat.active().is_empty());
    }
}
