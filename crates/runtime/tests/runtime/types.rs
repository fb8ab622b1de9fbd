//! Each of the five types has an effect while a skill is active, and none afterwards.

use prowess_sdk::wire::ScannedFile;
use serde_json::json;

use crate::place::{Place, id};

#[tokio::test]
async fn tools_appear_and_disappear() {
    let place = Place::new();
    place.write(
        "skills/a/schema.json",
        r#"{"type": "object", "required": ["x"]}"#,
    );
    let declared = "
tools:
  - name: one
    description: from the manifest
    input_schema_file: schema.json
";
    let code = "
register_tool('one', 'from the code', lambda input: input['x'])
register_tool('two', 'from the code', lambda input: '2', {'type': 'object', 'properties': {}})
";
    place.skill("a", "tool", declared, code);
    let running = place.open().await.with(&["a"]).await;
    let tools = running.runtime.tools();
    assert_eq!(tools[0].description, "from the manifest");
    assert_eq!(tools[0].input_schema["required"], json!(["x"]));
    assert_eq!(tools[1].input_schema["properties"], json!({}));
    running.runtime.shut_down().await;
    assert!(running.runtime.tools().is_empty());
}

#[tokio::test]
async fn prompts_reach_the_prompt_within_their_budget() {
    let place = Place::new();
    place.write("skills/a/prompt.md", "Speak of aggregates.\n");
    place.write("skills/a/words.md", "a line of context\n".repeat(500));
    let more = "prompt: {system_prompt_file: prompt.md, context_files: [words.md], max_context_tokens: 100}\n";
    place.skill("a", "prompt", more, "");
    let running = place.open().await;
    assert!(running.runtime.prompt("", 1_000).await.0.is_empty());
    let running = running.with(&["a"]).await;
    let (fragments, report) = running.runtime.prompt("", 1_000).await;
    assert!(fragments[0].text.starts_with("Speak of aggregates."));
    assert!(report.tokens <= 100, "{report:?}");
    assert_eq!(report.cut[0].skill, Some(id("a")));
    running.runtime.deactivate(&id("a")).await;
    assert!(running.runtime.prompt("", 1_000).await.0.is_empty());
}

#[tokio::test]
async fn workflows_run_by_name() {
    let place = Place::new();
    let code = "
def greet(input):
    return 'hello ' + input.get('who', 'world')
register_workflow('greet', greet)
register_workflow('broken', lambda input: fail('no'))
";
    place.skill("a", "workflow", "", code);
    let running = place.open().await.with(&["a"]).await;
    let runtime = &running.runtime;
    let output = runtime
        .run_workflow(&id("a"), "greet", json!({"who": "you"}))
        .await
        .unwrap();
    assert_eq!(
        (output.content.as_str(), output.is_error),
        ("hello you", false)
    );
    let output = runtime
        .run_workflow(&id("a"), "broken", json!({}))
        .await
        .unwrap();
    assert!(output.is_error && output.content.contains("skill.star:"));
    let error = runtime
        .run_workflow(&id("a"), "gret", json!({}))
        .await
        .unwrap_err();
    assert_eq!(error.known, ["greet", "broken"]);
}

#[tokio::test]
async fn rules_and_scanners_look_at_files() {
    let place = Place::new();
    let rules = "
security_rules:
  rules:
    - id: no-telnet
      pattern: telnet
      severity: high
      message: use ssh
  scanners: [todo]
";
    let code = "
def scan(files):
    found = []
    for file in files:
        for at, line in enumerate(file['text'].split('\\n')):
            if 'TODO' in line:
                found.append({'rule': 'todo', 'severity': 'low', 'file': file['path'], 'line': at + 1, 'message': line})
    return found
register_scanner('todo', scan)
";
    place.skill("a", "security-rule", rules, code);
    let bad = "register_scanner('bad', lambda files: [{'rule': 1}])";
    place.skill("b", "security-rule", "", bad);
    place.skill(
        "c",
        "security-rule",
        "security_rules: {scanners: [nowhere]}\n",
        "x = 1",
    );
    let running = place.open().await.with(&["a", "b"]).await;
    assert_eq!(running.runtime.security_rules().len(), 1);
    let files = [ScannedFile {
        path: "x.md".to_owned(),
        text: "one\nTODO two\n".to_owned(),
    }];
    let (findings, problems) = running.runtime.scan(&files).await;
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].line, Some(2));
    assert_eq!(problems.len(), 1, "{problems:?}");
    let error = running
        .runtime
        .activate(&id("c"))
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("no code registers the scanner `nowhere`"),
        "{error}"
    );
}

#[tokio::test]
async fn transforms_need_their_type() {
    let place = Place::new();
    let code = "register_hook('OnAfterResponse', lambda data: hook_result(modified = {'response': data['response'].upper()}))";
    place.skill("a", "transform", "", code);
    place.skill("b", "tool", "", code);
    let running = place.open().await.with(&["a"]).await;
    assert_eq!(running.runtime.after_response("quiet").await, "QUIET");
    let error = running
        .runtime
        .activate(&id("b"))
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("`transform`"), "{error}");
    running.runtime.shut_down().await;
    assert_eq!(running.runtime.after_response("quiet").await, "quiet");
}

#[tokio::test]
async fn wiki_sections_are_returned() {
    let place = Place::new();
    place.write("skills/a/setup.md", "# Setup\n");
    place.skill(
        "a",
        "prompt",
        "wiki: {sections: [{title: Setup, file: setup.md}]}\n",
        "",
    );
    let running = place.open().await.with(&["a"]).await;
    let sections = running.runtime.wiki_sections();
    assert_eq!(sections[0].1.title, "Setup");
    assert_eq!(sections[0].2, "# Setup\n");
}

#[tokio::test]
async fn incompatible_skills_are_not_activated() {
    let place = Place::new();
    place.skill("a", "prompt", "compatibility: {prowess: \">=99\"}\n", "");
    place.skill("b", "prompt", "compatibility: {platforms: [windows]}\n", "");
    let running = place.open().await;
    for (name, reason) in [("a", "needs Prowess >=99"), ("b", "supports only windows")] {
        let error = running
            .runtime
            .activate(&id(name))
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains(reason), "{error}");
    }
}
