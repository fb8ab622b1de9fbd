//! What a model gets under each dialect.

use std::fmt::Write;

use prowess_agent::wire::AgentEvent;
use prowess_core::{
    Dialect, MemorySource, Operation, Scope, Session, Shape, Skills, ToolSpec, provider_name,
};
use prowess_spec::SkillPath;
use prowess_testing::model::{ModelRequest, ScriptedModel, Step, Wire};
use serde_json::{Value, json};

use crate::support::{agent_with, id, numbered, send, source};

const FILE: &str = "references/big.md";

/// A skill of which everything is larger than one result of a chat, with characters of several bytes.
fn large() -> MemorySource {
    let mut source = MemorySource::new(Scope::Project);
    let text = format!(
        "---\nname: large\ndescription: Is large\n---\n{}",
        body(250_000)
    );
    let large = source.add("large", &text).unwrap();
    source.add_file(&large, SkillPath::parse(FILE).unwrap(), body(500_000));
    source
}

fn body(bytes: usize) -> String {
    "é \"quoted\" line\n".chars().cycle().take(bytes).collect()
}

async fn skills(source: MemorySource, dialect: Dialect) -> Skills {
    let builder = Skills::builder().source("memory", source);
    builder.dialect(dialect).build().await.unwrap()
}

fn spec(dialect: &Dialect, operation: Operation) -> Option<&'static ToolSpec> {
    dialect
        .tools
        .iter()
        .find(|tool| tool.operation == operation)
}

/// The tool that reads files, which may be the one that loads.
fn reader(dialect: &Dialect) -> Option<&'static ToolSpec> {
    let load = spec(dialect, Operation::Load).filter(|tool| tool.path.is_some());
    spec(dialect, Operation::Read).or(load)
}

fn load(dialect: &Dialect, name: &str) -> Step {
    let tool = spec(dialect, Operation::Load).unwrap();
    call(tool, &json!({ tool.id: name }))
}

fn read(tool: &ToolSpec, name: &str, path: &str) -> Step {
    call(tool, &json!({ tool.id: name, tool.path.unwrap(): path }))
}

fn call(tool: &ToolSpec, arguments: &Value) -> Step {
    let name: &'static str = provider_name(tool.name).leak();
    Step::Call("", vec![(name, arguments.to_string())])
}

/// Tools and messages, in the order in which the model gets them.
fn shown(request: &ModelRequest) -> String {
    let mut text = String::new();
    for tool in request.body["tools"].as_array().unwrap() {
        let function = &tool["function"];
        let parameters = function["parameters"]["properties"].as_object().unwrap();
        let names: Vec<&str> = parameters.keys().map(String::as_str).collect();
        let (name, description) = (&function["name"], &function["description"]);
        let (name, description) = (name.as_str().unwrap(), description.as_str().unwrap());
        let names = names.join(", ");
        writeln!(text, "== {name}({names})\n{description}").unwrap();
    }
    for message in request.body["messages"].as_array().unwrap() {
        let role = message["role"].as_str().unwrap();
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let function = &call["function"];
            let (name, arguments) = (&function["name"], &function["arguments"]);
            let (name, arguments) = (name.as_str().unwrap(), arguments.as_str().unwrap());
            writeln!(text, "== {role}\n{name} {arguments}").unwrap();
        }
        if let Some(content) = message["content"].as_str().filter(|it| !it.is_empty()) {
            writeln!(text, "== {role}\n{content}").unwrap();
        }
    }
    text
}

/// One scenario: the model loads a skill, reads a file of it and answers.
#[tokio::test]
async fn di7_requests_of_each_dialect() {
    for dialect in Dialect::ALL {
        let mut steps = vec![load(&dialect, "haiku")];
        steps.extend(reader(&dialect).map(|tool| read(tool, "haiku", "references/season.md")));
        steps.push(Step::Say("Rain."));
        let model = ScriptedModel::start(Wire::OpenAi, steps);
        let agent = agent_with(&model, skills(source(), dialect).await).await;
        let (turn, _) = send(&mut agent.chat(), "A haiku about rain").await;
        assert_eq!(turn.unwrap().text, "Rain.");
        insta::assert_snapshot!(dialect.name, shown(&model.last()));
    }
}

#[tokio::test]
async fn di8_two_hundred_skills_are_listed_and_all_are_found() {
    let builder = Skills::builder().source("memory", numbered(250));
    let builder = builder.dialect(Dialect::REMCOCHAT).catalog_chars(1_000_000);
    let session = builder.build().await.unwrap().session();
    let prompt = session.prompt();
    assert_eq!((prompt.report.shown, prompt.report.omitted), (200, 50));
    assert!(prompt.text.contains("Not listed here: 50 skills"));
    let found = session
        .call("skills.activate", &json!({"query": "task w249"}))
        .await;
    assert_eq!(found.result.content["skills"][0]["id"], "skill-249");
}

#[tokio::test]
async fn di9_every_byte_of_a_file_is_reached() {
    let expected = body(500_000);
    for dialect in Dialect::ALL {
        let Some(tool) = reader(&dialect) else {
            continue;
        };
        let session = skills(large(), dialect).await.session();
        let mut content = String::new();
        let mut offset = Some(0);
        while let Some(start) = offset {
            let arguments = json!({tool.id: "large", tool.path.unwrap(): FILE, "offset": start, "limit": 150_000});
            let result = session.call_within(tool.name, &arguments, 64 * 1024).await;
            let result = result.result;
            assert!(!result.is_error, "{:?}", result.content);
            assert!(result.content.to_string().len() <= 64 * 1024);
            let (part, next) = part(&dialect, &result.content);
            assert_eq!(next.is_some(), result.truncated);
            content += &part;
            offset = next;
        }
        assert!(content == expected, "{}", dialect.name);
    }
}

/// The text of a part, and where the next begins.
fn part(dialect: &Dialect, result: &Value) -> (String, Option<u64>) {
    let data = match dialect.shape {
        Shape::Envelope => &result["data"],
        _ => result,
    };
    let next = data["next_offset"].as_u64().or_else(|| {
        let words = data["notice"].as_str()?.rsplit(' ').next()?;
        words.parse().ok()
    });
    (data["content"].as_str().unwrap().to_owned(), next)
}

#[tokio::test]
async fn di10_long_lists_come_in_pages() {
    let session = skills(numbered(250), Dialect::VIBE_TAVERN).await.session();
    let list = async |arguments: Value| {
        let result = session.call("skills_list", &arguments).await.result;
        let data = result.content["data"].clone();
        let names = data["skills"].as_array().unwrap().iter();
        let names: Vec<String> = names.map(|it| it["name"].to_string()).collect();
        (names, data["next"].as_str().map(str::to_owned))
    };
    let (mut all, mut next) = list(json!({})).await;
    while let Some(cursor) = next {
        let (names, after) = list(json!({ "cursor": cursor })).await;
        all.extend(names);
        next = after;
    }
    assert_eq!(all.len(), 250);
    assert_eq!(
        list(json!({"query": "task w199"})).await.0[0],
        "\"skill-199\""
    );
}

/// Instructions and files that do not fit into a result are cut inside of it, and result and event say so.
#[tokio::test]
async fn t14_results_above_the_limit_of_a_chat() {
    for dialect in Dialect::ALL {
        let mut steps = vec![load(&dialect, "large")];
        steps.extend(reader(&dialect).map(|tool| read(tool, "large", FILE)));
        let calls = steps.len();
        steps.push(Step::Say("done"));
        let model = ScriptedModel::start(Wire::OpenAi, steps);
        let agent = agent_with(&model, skills(large(), dialect).await).await;
        let (turn, ear) = send(&mut agent.chat(), "go").await;
        turn.unwrap();
        let results = model.last().results();
        assert_eq!(results.len(), calls);
        for result in &results {
            assert!(result.len() <= 256 * 1024, "{}", dialect.name);
            let read = serde_json::from_str::<Value>(result);
            match dialect.shape {
                Shape::Text => assert!(result.contains("the body is truncated")),
                _ => assert!(is_marked(&read.unwrap()), "{}", dialect.name),
            }
        }
        let finished: Vec<(bool, bool)> = ear
            .events()
            .iter()
            .filter_map(|event| match event {
                AgentEvent::ToolFinished {
                    truncated,
                    is_error,
                    ..
                } => Some((*truncated, *is_error)),
                _ => None,
            })
            .collect();
        let too_large = dialect.shape == Shape::Envelope;
        let expected = [(true, false), (true, too_large)];
        assert_eq!(finished, expected[..calls], "{}", dialect.name);
    }
}

/// Whether a result says that something is missing.
fn is_marked(result: &Value) -> bool {
    result["truncated"] == true
        || result["notice"]
            .as_str()
            .is_some_and(|it| it.contains("missing"))
        || result["warnings"][0]["code"] == "CONTENT_TRUNCATED"
        || result["errors"][0]["code"] == "FILE_TOO_LARGE"
}

/// A body of 200,000 bytes and 200 skills: what a dialect states holds in a chat.
#[tokio::test]
async fn di11_limits_of_a_dialect_hold_in_chat() {
    for dialect in [Dialect::REMCOCHAT, Dialect::VIBE_TAVERN] {
        let mut source = MemorySource::new(Scope::Project);
        let body = "a line of forty characters, for a test.\n".repeat(5_000);
        let text = format!("---\nname: whole\ndescription: Is whole\n---\n{body}");
        let whole = source.add("whole", &text).unwrap();
        let file = SkillPath::parse("assets/whole.txt").unwrap();
        source.add_file(&whole, file, body.clone());
        let steps = [load(&dialect, "whole"), Step::Say("done")];
        let model = ScriptedModel::start(Wire::OpenAi, steps);
        let agent = agent_with(&model, skills(source, dialect).await).await;
        let (_, ear) = send(&mut agent.chat(), "go").await;
        let result: Value = serde_json::from_str(&model.last().results()[0]).unwrap();
        let data = match dialect.shape {
            Shape::Envelope => &result["data"],
            _ => &result,
        };
        assert_eq!(data["body"].as_str().unwrap().trim(), body.trim());
        assert!(ear.has(|event| matches!(
            event,
            AgentEvent::ToolFinished {
                truncated: false,
                ..
            }
        )));
    }
}

/// A session is what a chat and a program use alike.
#[tokio::test]
async fn a_session_without_a_limit_hands_out_whole_results() {
    let session: Session = skills(large(), Dialect::REMCOCHAT).await.session();
    let arguments = json!({"name": id("large"), "path": FILE});
    let result = session.call("skills.readResource", &arguments).await.result;
    assert_eq!(result.content["content"], body(500_000));
    assert!(!result.truncated);
}
