//! What goes wrong, over both wire formats: a clear error, or a clean continuation.

use std::time::Instant;

use prowess_agent::wire::{AgentEvent, ChatEntry, Cut};
use prowess_agent::{AgentError, Ending, GenaiProvider, ModelChoice, ProviderError};
use prowess_testing::model::{BOTH, KEY, Step, Wire, call};
use serde_json::json;

use crate::support::{chat, send};

fn status(code: u16) -> Step {
    Step::Status(
        code,
        vec![],
        json!({"error": {"message": "not now"}}).to_string(),
    )
}

#[tokio::test]
async fn a_429_then_success() {
    for wire in BOTH {
        let limited = Step::Status(
            429,
            vec![("retry-after-ms", "2")],
            r#"{"error":{"message":"slow down"}}"#.to_owned(),
        );
        let (model, mut chat) = chat(wire, [limited, status(503), Step::Say("ok")]).await;
        let (report, ear) = send(&mut chat, "hi").await;
        assert_eq!(report.unwrap().text, "ok");
        let seen = model.seen();
        assert_eq!(seen.len(), 3);
        assert_eq!(seen[0].body, seen[2].body);
        let retries: Vec<(u32, u64)> = ear
            .events()
            .iter()
            .filter_map(|event| match event {
                AgentEvent::Retry {
                    attempt,
                    of: 3,
                    wait_ms,
                    reason,
                } => {
                    assert!(
                        reason.contains("slow down") || reason.contains("not now"),
                        "{reason}"
                    );
                    Some((*attempt, *wait_ms))
                }
                _ => None,
            })
            .collect();
        assert_eq!(retries.len(), 2);
        assert_eq!(retries[0], (1, 2));
        assert_eq!(ear.text(), "ok");
    }
}

/// A provider that wants us to come back much later is taken at its word.
#[tokio::test]
async fn a_long_retry_after_is_not_waited_for() {
    for wire in BOTH {
        let limited = Step::Status(429, vec![("retry-after", "3600")], "{}".to_owned());
        let (model, mut chat) = chat(wire, [limited]).await;
        let began = Instant::now();
        let (report, _) = send(&mut chat, "hi").await;
        let AgentError::Provider(ProviderError::Status {
            status: 429,
            retry_after,
            ..
        }) = report.unwrap_err()
        else {
            panic!();
        };
        assert_eq!(retry_after.unwrap().as_secs(), 3600);
        assert!(began.elapsed().as_secs() < 60);
        assert_eq!(model.seen().len(), 1);
    }
}

/// 500 until given up: an error, and the chat is as it was.
#[tokio::test]
async fn a_500_is_retried_until_the_limit() {
    for wire in BOTH {
        let (model, mut chat) = chat(
            wire,
            [
                status(500),
                status(502),
                status(503),
                status(529),
                Step::Say("back"),
            ],
        )
        .await;
        let (report, ear) = send(&mut chat, "/haiku hi").await;
        let error = report.unwrap_err();
        assert!(
            error.to_string().contains("answered 529: not now"),
            "{error}"
        );
        assert_eq!(model.seen().len(), 4);
        assert!(ear.has(|event| matches!(event, AgentEvent::Failed { .. })));
        assert!(ear.has(|event| matches!(
            event,
            AgentEvent::Done {
                ending: Ending::Failed,
                ..
            }
        )));
        assert_eq!(chat.entries().count(), 0);
        assert!(chat.active().is_empty());
        let (report, _) = send(&mut chat, "/haiku hi").await;
        assert_eq!(report.unwrap().text, "back");
        assert_eq!(model.last().messages().len(), 1);
    }
}

#[tokio::test]
async fn a_wrong_model_is_named_and_not_asked_again() {
    for wire in BOTH {
        let missing = Step::Status(
            404,
            vec![],
            r#"{"error":{"message":"model: scripted-1"}}"#.to_owned(),
        );
        let (model, mut chat) = chat(wire, [missing]).await;
        let error = send(&mut chat, "hi").await.0.unwrap_err();
        assert!(
            error
                .to_string()
                .contains("does not know the model `scripted-1`"),
            "{error}"
        );
        assert_eq!(model.seen().len(), 1);
    }
}

#[tokio::test]
async fn a_refused_key_names_its_variable_and_not_itself() {
    for wire in BOTH {
        let body = json!({"error": {"message": format!("bad key {KEY}")}}).to_string();
        let (_, mut chat) = chat(wire, [Step::Status(401, vec![], body)]).await;
        let error = send(&mut chat, "hi").await.0.unwrap_err().to_string();
        let variable = match wire {
            Wire::OpenAi => "OPENAI_API_KEY",
            Wire::Anthropic => "ANTHROPIC_API_KEY",
        };
        assert!(
            error.contains(variable) && !error.contains(KEY) && error.contains("***"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn no_key_says_which_variable() {
    for (provider, own, variable) in [
        ("openai", None, "OPENAI_API_KEY"),
        ("anthropic", None, "ANTHROPIC_API_KEY"),
        ("gemini", None, "GEMINI_API_KEY"),
        ("anthropic", Some("MY_KEY"), "MY_KEY"),
    ] {
        let choice = ModelChoice {
            provider: provider.to_owned(),
            model: "m".to_owned(),
            api_key_env: own.map(str::to_owned),
            ..ModelChoice::default()
        };
        for blank in [None, Some("  ".to_owned())] {
            let error = GenaiProvider::new(&choice, &|_| blank.clone())
                .err()
                .unwrap();
            assert_eq!(
                error.to_string(),
                format!("missing key for `{provider}`: {variable} is not set")
            );
        }
        assert!(
            GenaiProvider::new(&choice, &|name| (name == variable).then(|| "k".to_owned())).is_ok()
        );
    }
}

/// In mid-stream: what came is kept and marked, no second request, and the chat goes on.
#[tokio::test]
async fn connection_lost_while_streaming() {
    for wire in BOTH {
        for step in [
            Step::Die("Once upon a"),
            Step::End("Once upon a"),
            Step::Report("Once upon a"),
        ] {
            let (model, mut chat) = chat(wire, [step, Step::Say("time")]).await;
            let (report, ear) = send(&mut chat, "tell").await;
            let report = report.unwrap();
            assert_eq!(
                (report.ending, report.text.as_str()),
                (Ending::Failed, "Once upon a")
            );
            assert!(report.failure.is_some());
            assert_eq!(model.seen().len(), 1);
            assert!(ear.has(|event| matches!(event, AgentEvent::Failed { .. })));
            assert!(matches!(
                chat.entries().last().unwrap(),
                ChatEntry::Model { text, cut: Some(Cut::BrokeOff), .. } if text == "Once upon a"
            ));
            let (report, _) = send(&mut chat, "go on").await;
            assert_eq!(report.unwrap().text, "time");
            let messages = model.last().messages();
            assert_eq!(messages.len(), 3);
            assert!(messages[1].1.contains("was interrupted"), "{messages:?}");
        }
    }
}

/// Before the first word it is no different from any other failure: asked again.
#[tokio::test]
async fn connection_lost_before_the_first_delta_is_retried() {
    for wire in BOTH {
        for step in [Step::Die(""), Step::End(""), Step::Report("")] {
            let (model, mut chat) = chat(wire, [step.clone(), Step::Say("ok")]).await;
            let (report, ear) = send(&mut chat, "hi").await;
            assert_eq!(report.unwrap().text, "ok", "{wire:?} {step:?}");
            assert_eq!(model.seen().len(), 2);
            assert_eq!(ear.text(), "ok");
        }
    }
}

/// The provider fails after tools were at work: their results stay, and the chat goes on.
#[tokio::test]
async fn a_failure_between_rounds_keeps_what_was_done() {
    for wire in BOTH {
        let steps = [
            call("load_skill", &json!({"id": "haiku"})),
            status(400),
            Step::Say("ok"),
        ];
        let (model, mut chat) = chat(wire, steps).await;
        let (report, _) = send(&mut chat, "hi").await;
        assert_eq!(report.unwrap().ending, Ending::Failed);
        assert_eq!(chat.active().len(), 1);
        send(&mut chat, "and?").await.0.unwrap();
        model.last().assert_whole();
        assert_eq!(model.last().results().len(), 1);
    }
}

#[tokio::test]
async fn unreachable_server_is_reported() {
    for provider in ["openai", "anthropic"] {
        let free = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        let choice = ModelChoice {
            provider: provider.to_owned(),
            model: "m".to_owned(),
            base_url: Some(format!("http://{free}/v1")),
            ..ModelChoice::default()
        };
        let provider = GenaiProvider::new(&choice, &|_| Some(KEY.to_owned())).unwrap();
        let agent = prowess_agent::Agent::builder(std::sync::Arc::new(provider))
            .options(crate::support::options());
        let mut chat = agent.build().await.unwrap().chat();
        let (report, ear) = send(&mut chat, "hi").await;
        let error = report.unwrap_err();
        assert!(
            matches!(
                &error,
                AgentError::Provider(ProviderError::Unreachable { .. })
            ),
            "{error}"
        );
        assert_eq!(
            ear.kinds().iter().filter(|kind| *kind == "retry").count(),
            3
        );
    }
}

#[tokio::test]
async fn invalid_arguments_are_a_result_for_the_model() {
    for wire in BOTH {
        let steps = [
            Step::Call(
                "",
                vec![
                    ("load_skill", "{\"id\": \"hai".to_owned()),
                    ("load_skill", "[1, 2]".to_owned()),
                    ("load_skill", "{\"id\": 7}".to_owned()),
                    ("load_skill", "{\"name\": \"haiku\"}".to_owned()),
                    ("load_skill", String::new()),
                ],
            ),
            Step::Say("sorry"),
        ];
        let (model, mut chat) = chat(wire, steps).await;
        let (report, ear) = send(&mut chat, "hi").await;
        assert_eq!(report.unwrap().text, "sorry");
        let seen = model.last();
        seen.assert_whole();
        let results = seen.results();
        assert_eq!(results.len(), 5);
        for result in &results {
            assert!(result.contains("invalid-arguments"), "{wire:?} {result}");
        }
        assert!(ear.events().iter().all(|event| !matches!(
            event,
            AgentEvent::ToolFinished {
                is_error: false,
                ..
            }
        )));
        assert!(chat.active().is_empty());
    }
}

#[tokio::test]
async fn an_unknown_tool_is_a_result_that_names_the_nearest() {
    for wire in BOTH {
        let (model, mut chat) = chat(
            wire,
            [
                call("load_skills", &json!({"id": "haiku"})),
                Step::Say("sorry"),
            ],
        )
        .await;
        send(&mut chat, "hi").await.0.unwrap();
        let result = &model.last().results()[0];
        assert!(
            result.contains("unknown-tool") && result.contains("\"load_skill\""),
            "{result}"
        );
    }
}

#[tokio::test]
async fn an_unknown_skill_is_a_result_that_names_the_nearest() {
    for wire in BOTH {
        let (model, mut chat) = chat(
            wire,
            [
                call("load_skill", &json!({"id": "haikus"})),
                Step::Say("sorry"),
            ],
        )
        .await;
        send(&mut chat, "hi").await.0.unwrap();
        let result = &model.last().results()[0];
        assert!(
            result.contains("skill-not-found") && result.contains("\"haiku\""),
            "{result}"
        );
        assert!(chat.active().is_empty());
    }
}

#[tokio::test]
async fn a_message_of_10_mb_is_refused_before_anything_is_sent() {
    for wire in BOTH {
        let (model, mut chat) = chat(wire, [Step::Say("ok")]).await;
        let (report, ear) = send(&mut chat, &"x".repeat(10_000_000)).await;
        let error = report.unwrap_err();
        assert!(
            matches!(
                error,
                AgentError::MessageTooLarge {
                    bytes: 10_000_000,
                    limit: 1_048_576
                }
            ),
            "{error}"
        );
        assert!(ear.events().is_empty() && model.seen().is_empty());
        assert!(matches!(
            send(&mut chat, " \n").await.0,
            Err(AgentError::EmptyMessage)
        ));
        send(&mut chat, "hi").await.0.unwrap();
    }
}

/// The model never stops calling: 25 rounds, then a clear end, and the chat goes on.
#[tokio::test]
async fn tool_rounds_are_limited() {
    for wire in BOTH {
        let browse = || call("browse_skills", &json!({}));
        let steps = std::iter::repeat_with(browse)
            .take(26)
            .chain([Step::Say("ok")]);
        let (model, mut chat) = chat(wire, steps).await;
        let (report, ear) = send(&mut chat, "hi").await;
        let report = report.unwrap();
        assert_eq!((report.ending, report.rounds), (Ending::TooManyRounds, 25));
        assert_eq!(model.seen().len(), 26);
        assert!(
            ear.notices()
                .contains(&"stopped after 25 rounds of tool calls".to_owned())
        );
        send(&mut chat, "enough").await.0.unwrap();
        model.last().assert_whole();
        assert_eq!(model.last().results().len(), 25);
    }
}

/// A key goes to the place that it is for: whoever sends us elsewhere is not followed.
#[tokio::test]
async fn redirects_are_not_followed() {
    for wire in BOTH {
        let (other, _) = chat(wire, [Step::Say("thanks for the key")]).await;
        let path = match wire {
            Wire::OpenAi => "chat/completions",
            Wire::Anthropic => "messages",
        };
        let elsewhere: &'static str = format!("{}/{path}", other.url).leak();
        let (_, mut chat) = chat(
            wire,
            [Step::Status(
                307,
                vec![("location", elsewhere)],
                String::new(),
            )],
        )
        .await;
        let error = send(&mut chat, "hi").await.0.unwrap_err();
        assert!(error.to_string().contains("answered 307"), "{error}");
        assert!(other.seen().is_empty());
    }
}
