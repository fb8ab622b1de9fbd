//! What goes right, over both wire formats, with the bodies of the requests looked at.

use std::sync::Arc;

use prowess_agent::wire::{AgentEvent, By};
use prowess_agent::{
    Agent, AgentOptions, Cancel, DemoProvider, Ending, GenaiProvider, ModelChoice, model_of,
};
use prowess_core::{Dialect, ScriptOutput, ScriptRunner, SkillId, Skills, ToolError, ToolUse};
use prowess_spec::SkillPath;
use prowess_store::Store;
use prowess_testing::model::{BOTH, KEY, ScriptedModel, Step, Wire, call};
use serde_json::{Value, json};

use crate::support::{
    agent_of, builder, chat, choice, id, numbered, options, provider, send, send_with, skills,
};

const CATALOG: &str = "Extracts addresses from mail";

fn count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

/// The catalog once, no body yet, all tools with their schemas; then the body, in the result of the call.
#[tokio::test]
async fn implicit_activation() {
    for wire in BOTH {
        let steps = [
            call("load_skill", &json!({"id": "haiku"})),
            Step::Say("An old silent pond…"),
        ];
        let (model, mut chat) = chat(wire, steps).await;
        let (report, ear) = send(&mut chat, "write a value short").await;
        let report = report.unwrap();
        assert_eq!((report.ending, report.rounds), (Ending::Answered, 1));
        assert_eq!(report.text, "An old silent pond…");
        assert_eq!(ear.text(), report.text);
        assert_eq!(chat.active(), [id("haiku")]);

        let seen = model.seen();
        assert_eq!(seen.len(), 2);
        for request in &seen {
            request.assert_whole();
            assert_eq!(count(&request.body.to_string(), CATALOG), 1, "{wire:?}");
            assert_eq!(count(&request.system(), CATALOG), 1);
            assert!(request.system().starts_with("You are a test."));
            let tools = request.tools();
            let names: Vec<&str> = tools.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(names, ["browse_skills", "load_skill", "read_skill_file"]);
            let ids = &tools[1].1["properties"]["id"]["enum"];
            assert_eq!(*ids, json!(["extraction/email", "haiku", "long"]));
            assert_eq!(tools[1].1["required"], json!(["id"]));
        }
        assert_eq!(count(&seen[0].body.to_string(), "Five, seven"), 0);
        assert_eq!(
            seen[0].messages(),
            [("user".to_owned(), "write a value short".to_owned())]
        );
        let result: Value = serde_json::from_str(&seen[1].results()[0]).unwrap();
        assert!(
            result["content"]
                .as_str()
                .unwrap()
                .contains("Five, seven, five.")
        );
        assert_eq!(
            result["files"],
            json!(["references/big.md", "references/season.md"])
        );
        assert_eq!(count(&seen[1].body.to_string(), "Five, seven"), 1);

        assert!(ear.has(|event| matches!(event, AgentEvent::SkillLoaded { by: By::Model, .. })));
        assert!(ear.notices().contains(&"skill haiku loaded".to_owned()));
        let kinds = ear.kinds();
        assert_eq!(kinds.last().unwrap(), "done");
        let place = |kind: &str| kinds.iter().position(|it| it == kind).unwrap();
        assert!(
            place("tool-started") < place("tool-finished")
                && place("tool-finished") < place("text")
        );
    }
}

/// Numbers with fractions are all over the answers; this crate's tests run with `arbitrary_precision`.
#[tokio::test]
async fn usage_survives_arbitrary_precision() {
    let precise: Value = serde_json::from_str("1.50000000000000000000000001").unwrap();
    assert_eq!(
        precise.to_string(),
        "1.50000000000000000000000001",
        "the feature is off"
    );
    for wire in BOTH {
        let arguments = r#"{"id": "haiku", "arguments": "0.1"}"#.to_owned();
        let steps = [
            Step::Call("Let me see.", vec![("load_skill", arguments)]),
            Step::Say("Done."),
        ];
        let (model, mut chat) = chat(wire, steps).await;
        let (report, ear) = send(&mut chat, "hi").await;
        let tokens = report.unwrap().tokens;
        assert_eq!(
            (
                tokens.provider.input,
                tokens.provider.output,
                tokens.provider.cached
            ),
            (300, 14, 60),
            "{wire:?}"
        );
        assert_eq!(tokens.requests, 2);
        assert!(tokens.catalog > 20 && tokens.system > tokens.catalog && tokens.tools > 100);
        assert_eq!(tokens.skills.len(), 1);
        let haiku = &tokens.skills[0];
        assert!(
            haiku.catalog > 0 && haiku.instructions > 10 && haiku.files == 0,
            "{haiku:?}"
        );
        assert!(ear.has(|event| matches!(event, AgentEvent::Usage(told) if *told == tokens)));
        assert!(model.last().results()[0].contains("Mention 0.1."));
    }
}

/// T3: a slash with text injects the block; no tool is needed, and the skill is there in later turns.
#[tokio::test]
async fn t3_explicit_reference_with_text() {
    for wire in BOTH {
        let (model, mut chat) = chat(wire, [Step::Say("one"), Step::Say("two")]).await;
        let (report, ear) = send(&mut chat, "/haiku rain").await;
        assert_eq!(report.unwrap().rounds, 0);
        let messages = model.last().messages();
        assert_eq!(messages.len(), 1);
        let text = &messages[0].1;
        assert!(
            text.starts_with("<skill id=\"haiku\">") && text.ends_with("</skill>"),
            "{text}"
        );
        assert!(text.contains("Mention rain."));
        // T11: for people one line, for the model the block.
        assert_eq!(ear.notices(), ["skill haiku loaded"]);
        assert!(!ear.has(|event| {
            serde_json::to_string(event)
                .unwrap()
                .contains("Five, seven")
        }));
        assert!(ear.has(|event| matches!(
            event,
            AgentEvent::SkillLoaded {
                by: By::User,
                dropped_bytes: 0,
                ..
            }
        )));

        send(&mut chat, "and now?").await.0.unwrap();
        assert_eq!(count(&model.last().body.to_string(), "Five, seven"), 1);
        assert_eq!(chat.active(), [id("haiku")]);
    }
}

/// A reference alone activates, without a request; the next message takes the block along.
#[tokio::test]
async fn bare_reference_makes_no_request() {
    for wire in BOTH {
        let (model, mut chat) = chat(wire, [Step::Say("ok")]).await;
        let (report, ear) = send(&mut chat, "/haiku").await;
        let report = report.unwrap();
        assert_eq!(
            (report.ending, report.text.as_str()),
            (Ending::Activated, "")
        );
        assert_eq!(model.seen().len(), 0);
        assert_eq!(ear.kinds(), ["skill-loaded", "notice", "usage", "done"]);
        // T2: the second time it is there already.
        let (report, ear) = send(&mut chat, "/haiku").await;
        assert_eq!(report.unwrap().ending, Ending::Activated);
        assert_eq!(
            ear.kinds(),
            ["skill-already-active", "notice", "usage", "done"]
        );
        send(&mut chat, "go").await.0.unwrap();
        let seen = model.last();
        seen.assert_whole();
        assert_eq!(seen.messages().len(), 1);
        assert_eq!(count(&seen.messages()[0].1, "<skill id="), 1);
        assert!(seen.messages()[0].1.ends_with("\n\ngo"));
    }
}

#[tokio::test]
async fn unknown_reference_is_left_as_text() {
    for wire in BOTH {
        let (model, mut chat) = chat(wire, [Step::Say("ok")]).await;
        let (report, ear) = send(&mut chat, "/haikus write").await;
        assert_eq!(report.unwrap().ending, Ending::Answered);
        assert_eq!(model.last().messages()[0].1, "/haikus write");
        let near = vec!["haiku".to_owned()];
        assert!(ear.has(
            |event| matches!(event, AgentEvent::SkillUnresolved { nearest, .. } if *nearest == near)
        ));
        assert!(chat.active().is_empty());
    }
}

/// T1: what the program names first, then the slash, then the text.
#[tokio::test]
async fn t1_references_of_the_program_come_first() {
    for wire in BOTH {
        let (model, mut chat) = chat(wire, [Step::Say("ok")]).await;
        let given = [id("extraction/email"), id("nope")];
        let (report, ear) = send_with(&mut chat, "/haiku now", &given).await;
        report.unwrap();
        let text = &model.last().messages()[0].1;
        let email = text.find("<skill id=\"extraction/email\">").unwrap();
        let haiku = text.find("<skill id=\"haiku\">").unwrap();
        assert!(
            email < haiku && text.ends_with("Mention now.\n</skill>"),
            "{text}"
        );
        assert!(ear.has(|event| matches!(event, AgentEvent::SkillUnresolved { reference, .. } if reference == "nope")));
    }
}

/// T2: the model loads twice, in one answer and again later; it gets the block once.
#[tokio::test]
async fn t2_activated_twice_is_one_block() {
    for wire in BOTH {
        let load = || ("load_skill", r#"{"id":"haiku"}"#.to_owned());
        let steps = [
            Step::Call("", vec![load(), load()]),
            Step::Call("", vec![load()]),
            Step::Say("done"),
        ];
        let (model, mut chat) = chat(wire, steps).await;
        let (report, ear) = send(&mut chat, "hi").await;
        report.unwrap();
        let seen = model.last();
        seen.assert_whole();
        let results = seen.results();
        assert_eq!(results.len(), 3);
        assert_eq!(count(&seen.body.to_string(), "Five, seven"), 1);
        for later in &results[1..] {
            assert!(later.contains("\"already_active\":true"), "{later}");
        }
        assert_eq!(chat.active(), [id("haiku")]);
        assert_eq!(
            ear.kinds()
                .iter()
                .filter(|kind| *kind == "skill-already-active")
                .count(),
            2
        );
    }
}

#[tokio::test]
async fn large_skill_is_truncated_and_reported() {
    for wire in BOTH {
        let steps = [
            Step::Say("one"),
            call("load_skill", &json!({"id": "long"})),
            Step::Say("two"),
        ];
        let (model, mut chat) = chat(wire, steps).await;
        let (_, ear) = send(&mut chat, "/long go").await;
        let text = &model.last().messages()[0].1;
        assert!(
            text.contains("[truncated]") && text.len() < 33 * 1024,
            "{}",
            text.len()
        );
        assert!(
            ear.notices()
                .iter()
                .any(|notice| notice.contains("too long")),
            "{:?}",
            ear.notices()
        );
        assert!(ear.has(|event| matches!(event, AgentEvent::SkillLoaded { dropped_bytes, .. } if *dropped_bytes > 50_000)));

        let model = ScriptedModel::start(
            wire,
            [call("load_skill", &json!({"id": "long"})), Step::Say("two")],
        );
        let agent = agent_of(&model).await.build().await.unwrap();
        let (_, ear) = send(&mut agent.chat(), "hi").await;
        let result: Value = serde_json::from_str(&model.last().results()[0]).unwrap();
        assert_eq!(result["truncated"], true);
        assert!(ear.has(|event| matches!(
            event,
            AgentEvent::ToolFinished {
                truncated: true,
                ..
            }
        )));
    }
}

/// Files come in parts that fit, and say where the next one begins.
#[tokio::test]
async fn files_are_read_in_parts() {
    for wire in BOTH {
        let read = |more: Value| {
            let mut arguments = json!({"id": "haiku", "path": "references/big.md"});
            arguments
                .as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            ("read_skill_file", arguments.to_string())
        };
        let steps = [
            Step::Call(
                "",
                vec![
                    read(json!({})),
                    read(json!({"offset": 499_995})),
                    read(json!({"limit": 9_999_999})),
                ],
            ),
            Step::Say("done"),
        ];
        let (model, mut chat) = chat(wire, steps).await;
        let (report, ear) = send(&mut chat, "hi").await;
        let results = model.last().results();
        let first: Value = serde_json::from_str(&results[0]).unwrap();
        let content = first["content"].as_str().unwrap();
        assert_eq!(
            (&first["truncated"], &first["next_offset"]),
            (&json!(true), &json!(content.len()))
        );
        assert!((50_000..=64 * 1024).contains(&results[0].len()));
        let second: Value = serde_json::from_str(&results[1]).unwrap();
        assert_eq!(
            (&second["truncated"], &second["content"]),
            (&json!(false), &json!("line\n"))
        );
        assert_eq!(results[2], results[0]);
        let tokens = report.unwrap().tokens;
        assert!(tokens.skills[0].files > 30_000, "{tokens:?}");
        assert!(ear.has(|event| matches!(event, AgentEvent::ToolFinished { skill: Some(skill), .. } if skill.as_str() == "haiku")));
    }
}

/// The results of the calls of one answer stay in order.
#[tokio::test]
async fn parallel_calls_in_order() {
    for wire in BOTH {
        let calls = vec![
            (
                "read_skill_file",
                r#"{"id":"haiku","path":"references/season.md"}"#.to_owned(),
            ),
            ("browse_skills", r#"{"query":"mail"}"#.to_owned()),
            ("load_skill", r#"{"id":"haiku"}"#.to_owned()),
            ("load_skill", r#"{"id":"extraction/email"}"#.to_owned()),
        ];
        let (model, mut chat) =
            chat(wire, [Step::Call("All at once.", calls), Step::Say("done")]).await;
        let (report, _) = send(&mut chat, "hi").await;
        assert_eq!(report.unwrap().text, "done");
        let seen = model.last();
        seen.assert_whole();
        let results = seen.results();
        assert!(results[0].contains("MARKER-SEASON") && results[1].contains("extraction/email"));
        assert!(results[2].contains("Five, seven") && results[3].contains("at sign"));
        assert_eq!(chat.active(), [id("haiku"), id("extraction/email")]);
    }
}

/// T4: no tools in the request, no word about them in the prompt, and a reference works all the same.
#[tokio::test]
async fn t4_without_tools() {
    for wire in BOTH {
        let model = ScriptedModel::start(wire, [Step::Say("one"), Step::Say("two")]);
        let choice = ModelChoice {
            tool_use: ToolUse::Unavailable,
            ..choice(&model)
        };
        let provider = GenaiProvider::new(&choice, &|_| Some(KEY.to_owned())).unwrap();
        let agent = Agent::builder(Arc::new(provider))
            .skills(skills().await)
            .options(options());
        let mut chat = agent.build().await.unwrap().chat();
        send(&mut chat, "/haiku rain").await.0.unwrap();
        send(&mut chat, "again").await.0.unwrap();
        for seen in model.seen() {
            assert_eq!(seen.body.get("tools"), None);
            let system = seen.system();
            assert_eq!(count(&system, CATALOG), 1);
            assert!(
                !system.contains("load_skill") && !system.contains("browse_skills"),
                "{system}"
            );
            assert_eq!(count(&seen.body.to_string(), "Five, seven"), 1);
        }
    }
}

/// T5, T6: what is preloaded is in the prompt and active; what is missing fails the build and names what is near.
#[tokio::test]
async fn t5_t6_preload() {
    for wire in BOTH {
        let model = ScriptedModel::start(
            wire,
            [
                Step::Say("ok"),
                call("load_skill", &json!({"id": "haiku"})),
                Step::Say("ok"),
            ],
        );
        let agent = agent_of(&model)
            .await
            .preload(["haiku", "haiku"])
            .build()
            .await
            .unwrap();
        let mut chat = agent.chat();
        assert_eq!(chat.active(), [id("haiku")]);
        send(&mut chat, "hi").await.0.unwrap();
        assert_eq!(count(&model.last().system(), "Five, seven"), 1);
        send(&mut chat, "once more").await.0.unwrap();
        assert_eq!(count(&model.last().body.to_string(), "Five, seven"), 1);

        let none: [&str; 0] = [];
        assert!(agent_of(&model).await.preload(none).build().await.is_ok());
        let error = agent_of(&model)
            .await
            .preload(["haikus"])
            .build()
            .await
            .err()
            .unwrap();
        assert_eq!(
            error.to_string(),
            "cannot preload `haikus`: unknown skill; did you mean haiku?"
        );
    }
}

/// Names with dots become names that providers take, and come back; a catalog in another place is there once.
#[tokio::test]
async fn other_dialects() {
    for wire in BOTH {
        for (dialect, load, argument) in [
            (Dialect::REMCOCHAT, "skills_activate", "name"),
            (Dialect::VIBE_TAVERN, "skills_load", "name"),
            (Dialect::CLAUDE_CODE, "Skill", "command"),
            (Dialect::RUBY_LLM, "skill", "command"),
        ] {
            let model = ScriptedModel::start(
                wire,
                [call(load, &json!({argument: "haiku"})), Step::Say("ok")],
            );
            let skills = builder().dialect(dialect).build().await.unwrap();
            let agent = Agent::builder(provider(&model))
                .skills(skills)
                .options(options());
            let mut chat = agent.build().await.unwrap().chat();
            send(&mut chat, "hi").await.0.unwrap();
            for seen in model.seen() {
                assert_eq!(
                    count(&seen.body.to_string(), CATALOG),
                    1,
                    "{} {wire:?}",
                    dialect.name
                );
                seen.assert_whole();
            }
            assert!(
                model.last().results()[0].contains("Five, seven"),
                "{}",
                dialect.name
            );
            assert_eq!(chat.active(), [id("haiku")]);
        }
    }
}

#[tokio::test]
async fn an_answer_that_reaches_its_limit_says_so() {
    for wire in BOTH {
        let (_, mut chat) = chat(wire, [Step::Long("half a")]).await;
        let (report, _) = send(&mut chat, "hi").await;
        let report = report.unwrap();
        assert_eq!(
            (report.ending, report.text.as_str()),
            (Ending::Length, "half a")
        );
    }
}

#[tokio::test]
async fn keys_go_to_their_provider_only() {
    for wire in BOTH {
        let (model, mut chat) = chat(wire, [Step::Say("ok")]).await;
        send(&mut chat, "hi").await.0.unwrap();
        let request = model.last();
        let sent = match wire {
            Wire::OpenAi => request.header("authorization").unwrap(),
            Wire::Anthropic => request.header("x-api-key").unwrap(),
        };
        assert_eq!(sent.trim_start_matches("bearer "), KEY);
        assert!(!model.last().body.to_string().contains(KEY));
    }
    // A local model needs none, and gets none.
    let model = ScriptedModel::start(Wire::OpenAi, [Step::Say("ok")]);
    let provider = GenaiProvider::new(&choice(&model), &|_| None).unwrap();
    let agent = Agent::builder(Arc::new(provider)).skills(skills().await);
    let mut chat = agent.build().await.unwrap().chat();
    let (report, _) = send(&mut chat, "hi").await;
    assert_eq!(report.unwrap().text, "ok");
    assert!(model.last().header("authorization").is_none());
}

/// T10: many turns at once over one `Skills`, which is refreshed meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t10_many_turns_while_skills_are_refreshed() {
    let skills = skills().await;
    let provider = Arc::new(DemoProvider::new(skills.clone()));
    let agent = Agent::builder(provider).skills(skills.clone());
    let agent = agent.options(options()).build().await.unwrap();
    let turns: Vec<_> = (0..1_000)
        .map(|_| {
            let agent = agent.clone();
            tokio::spawn(async move {
                let mut chat = agent.chat();
                let report = chat
                    .turn("write a haiku", &[], &|_| (), &Cancel::new())
                    .await;
                report.unwrap().text
            })
        })
        .collect();
    let before = skills.catalog().generation();
    for _ in 0..100 {
        skills.refresh().await;
    }
    for turn in turns {
        assert!(turn.await.unwrap().contains("Five, seven, five."));
    }
    assert_eq!(skills.catalog().generation(), before + 100);
}

/// The code of skills asks the same model, one question at a time.
#[tokio::test]
async fn a_model_for_the_code_of_skills() {
    for wire in BOTH {
        let refused = Step::Status(400, vec![], "{}".to_owned());
        let model = ScriptedModel::start(wire, [Step::Say("forty-two"), refused]);
        let asked = model_of(provider(&model));
        let answer = asked
            .complete("what is it?", Some("Be brief."), Some(5))
            .await;
        assert_eq!(answer.unwrap(), "forty-two");
        let seen = model.last();
        assert_eq!(seen.system(), "Be brief.");
        assert_eq!(
            (&seen.body["max_tokens"], seen.tools().len()),
            (&json!(5), 0)
        );
        assert!(
            asked
                .complete("again", None, None)
                .await
                .unwrap_err()
                .contains("400")
        );
    }
}

/// Scripts that wait for each other.
struct Together(tokio::sync::Barrier);

#[async_trait::async_trait]
impl ScriptRunner for Together {
    async fn run(
        &self,
        _: &SkillId,
        path: &SkillPath,
        _: &[String],
    ) -> Result<ScriptOutput, ToolError> {
        self.0.wait().await;
        Ok(ScriptOutput {
            exit_code: 0,
            stdout: path.to_string(),
            stderr: String::new(),
            truncated: false,
            files: Vec::new(),
            duration_ms: 0,
        })
    }
}

/// Calls of one answer are at work together: one after the other, these would never end.
#[tokio::test]
async fn calls_of_one_response_run_concurrently() {
    for wire in BOTH {
        let script = |name: &str| {
            (
                "run_skill_script",
                json!({"id": "haiku", "path": name}).to_string(),
            )
        };
        let calls = vec![
            script("scripts/b.sh"),
            script("scripts/a.sh"),
            script("scripts/c.sh"),
        ];
        let model = ScriptedModel::start(wire, [Step::Call("", calls), Step::Say("done")]);
        let together = Together(tokio::sync::Barrier::new(3));
        let skills = builder().scripts(together).build().await.unwrap();
        let agent = Agent::builder(provider(&model))
            .skills(skills)
            .options(options());
        let mut chat = agent.build().await.unwrap().chat();
        let minute = std::time::Duration::from_mins(1);
        let turn = tokio::time::timeout(minute, send(&mut chat, "go")).await;
        assert_eq!(
            turn.expect("they wait for each other").0.unwrap().text,
            "done"
        );
        let results = model.last().results();
        for (result, name) in results.iter().zip(["b.sh", "a.sh", "c.sh"]) {
            assert!(result.contains(name), "{results:?}");
        }
    }
}

/// The system prompt and the tools of all requests are the same, and each conversation begins with the one before.
#[tokio::test]
async fn c15_requests_can_be_cached() {
    for wire in BOTH {
        let loads = ["haiku", "extraction/email", "long", "haiku", "long"];
        let mut steps = Vec::new();
        for turn in 0..20 {
            if let Some(id) = loads.get(turn / 4).filter(|_| turn % 4 == 0) {
                steps.push(call("load_skill", &json!({"id": id})));
            }
            steps.push(Step::Say("Done."));
        }
        let (model, mut chat) = chat(wire, steps).await;
        for turn in 0..20 {
            send(&mut chat, &format!("turn {turn}")).await.0.unwrap();
        }
        let seen = model.seen();
        assert_eq!(seen.len(), 25);
        for pair in seen.windows(2) {
            assert_eq!(pair[0].system(), pair[1].system());
            assert_eq!(pair[0].body["tools"], pair[1].body["tools"]);
            assert!(pair[1].messages().starts_with(&pair[0].messages()));
        }
        // Anthropic caches what is marked: the prompt, and the conversation so far.
        let marks = seen
            .iter()
            .map(|it| count(&it.body.to_string(), "cache_control"));
        let expected = if wire == Wire::Anthropic { 2 } else { 0 };
        assert!(marks.clone().all(|count| count == expected), "{wire:?}");
    }
}

/// Pinned skills come first in a catalog that cannot list all, then those that the project used last.
#[tokio::test]
async fn c18_pinned_and_used_skills_come_first() {
    let skills = Skills::builder()
        .source("memory", numbered(200))
        .catalog_chars(2_000);
    let skills = skills.build().await.unwrap();
    let store = Store::memory().await.unwrap();
    let begin = async |project: &str, steps: Vec<Step>| {
        let model = ScriptedModel::start(Wire::OpenAi, steps);
        let agent = Agent::builder(provider(&model)).skills(skills.clone());
        let agent = agent.store(store.clone()).options(AgentOptions {
            pinned: vec![id("skill-150")],
            project: Some(project.to_owned()),
            ..options()
        });
        let mut chat = agent.build().await.unwrap().chat();
        send(&mut chat, "hi").await.0.unwrap();
        let system = model.last().system();
        let listed = system.lines().filter(|line| line.contains("<skill "));
        listed.map(str::to_owned).collect::<Vec<String>>()
    };
    let load = call("load_skill", &json!({"id": "skill-177"}));
    let first = begin("/p", vec![load, Step::Say("ok")]).await;
    assert!(first[0].contains("skill-150") && first[1].contains("skill-000"));
    let second = begin("/p", vec![Step::Say("ok")]).await;
    assert!(second[0].contains("skill-150") && second[1].contains("skill-177"));
    let elsewhere = begin("/q", vec![Step::Say("ok")]).await;
    assert_eq!(elsewhere, first);
}
