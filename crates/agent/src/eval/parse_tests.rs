use serde_json::json;

use super::*;

#[test]
fn complete_suite_is_parsed() {
    let evals = json!({"skill_name": "s", "evals": [
        {"id": 7, "prompt": "p", "expected_output": "e", "files": ["evals\\a.txt"], "expectations": [
            "a sentence", {"contains": "x"}, {"not_contains": "y"}, {"regex": "z+"},
            {"json_path": "$.a", "equals": 1.5}, {"json_path": "$.b", "equals": null},
            {"script": "evals/c.sh"}, {"judge": "j"}, {"text": "t"},
        ]},
        {"id": "named", "prompt": "p", "assertions": [{"contains": "x"}], "difficulty": "high"},
        {"id": null, "prompt": "p", "expected_output": "e", "files": []},
    ]});
    let triggers =
        json!([{"query": "q", "should_trigger": true}, {"prompt": "r", "should_trigger": false}]);
    let suite = Suite::parse(Some(&evals.to_string()), Some(&triggers.to_string())).unwrap();
    let ids: Vec<&str> = suite.evals.iter().map(|eval| eval.id.as_str()).collect();
    assert_eq!(ids, ["7", "named", "3"]);
    assert_eq!(suite.skill_name.as_deref(), Some("s"));
    let first = &suite.evals[0];
    assert_eq!(first.expectations.len(), 9);
    assert_eq!(first.files[0].path.as_str(), "evals/a.txt");
    assert!(
        matches!(&first.expectations[5], Expectation::JsonPath { equals: Some(value), .. } if value.is_null())
    );
    assert!(
        matches!(&suite.evals[2].expectations[0], Expectation::Judge(text) if text.ends_with(": e"))
    );
    assert_eq!(suite.triggers.len(), 2);
    assert!(!suite.triggers[1].should_trigger);
    assert_eq!((suite.judged(), suite.scripts().count()), (4, 1));
    assert_eq!(suite.chats(3), 24);
}

#[test]
fn windows_line_endings_are_accepted() {
    let text = "\u{feff}[\r\n  {\"prompt\": \"p\", \"expectations\": [\"x\"]}\r\n]\r\n";
    assert_eq!(Suite::parse(Some(text), None).unwrap().evals.len(), 1);
}

#[track_caller]
fn check(evals: &str, expected: &str) {
    let error = Suite::parse(Some(evals), None).unwrap_err().to_string();
    assert_eq!(error, format!("evals/evals.json{expected}"));
}

#[test]
fn malformed_files_are_rejected() {
    check("{", ":1:1: invalid JSON: EOF while parsing an object");
    check(
        "[\r\n  {\"prompt\": \"x\",}\r\n]",
        ":2:18: invalid JSON: trailing comma",
    );
    check("{}", ": the whole file: missing list `evals`");
    check("7", ": the whole file: expected an object, found a number");
    check(
        r#"{"eval": []}"#,
        ": the whole file: unknown key `eval`; did you mean `evals`?",
    );
    check(
        r#"{"evals": {}}"#,
        ": evals: expected a list, found an object",
    );
    check(
        r#"{"skill_name": 1, "evals": []}"#,
        ": skill_name: expected text, found a number",
    );
}

#[test]
fn invalid_evals_are_rejected() {
    check(
        r#"[{"expectations": ["x"]}]"#,
        ": evals[0]: `prompt` is missing",
    );
    check(r#"["x"]"#, ": evals[0]: expected an object, found text");
    check(
        r#"[{"prompt": " ", "expectations": ["x"]}]"#,
        ": evals[0].prompt: is empty",
    );
    check(
        r#"[{"prompt": 1, "expectations": ["x"]}]"#,
        ": evals[0].prompt: expected text, found a number",
    );
    check(
        r#"[{"prompt": "x"}]"#,
        ": evals[0]: no expectations; add `expectations` or `expected_output`",
    );
    check(
        r#"[{"prompt": "x", "expected_output": "y", "asertions": []}]"#,
        ": evals[0]: unknown key `asertions`; did you mean `assertions`?",
    );
    check(
        r#"[{"prompt": "x", "expectations": "y"}]"#,
        ": evals[0].expectations: expected a list, found text",
    );
    check(
        r#"[{"prompt": "x", "expectations": ["y"], "files": ["../secret"]}]"#,
        ": evals[0].files[0]: `../secret` contains `..`",
    );
    check(
        r#"[{"prompt": "x", "expectations": ["y"], "files": "a"}]"#,
        ": evals[0].files: expected a list, found text",
    );
    check(
        r#"[{"id": true, "prompt": "x", "expectations": ["y"]}]"#,
        ": evals[0].id: expected a number or text, found true or false",
    );
    check(
        r#"[{"prompt": "x", "expectations": ["y"]}, {"id": "1", "prompt": "x", "expectations": ["y"]}]"#,
        ": evals[1]: duplicate id `1`: also used by evals[0]",
    );
}

#[test]
fn invalid_expectations_are_rejected() {
    let one = |expectation: &str, expected: &str| {
        check(
            &format!(r#"[{{"prompt": "x", "expectations": ["fine", {expectation}]}}]"#),
            &format!(": evals[0].expectations[1]{expected}"),
        );
    };
    one(
        r#"{"contain": "y"}"#,
        ": unknown grader `contain`; did you mean `contains`?",
    );
    one(
        r#"{"like": "y"}"#,
        ": unknown grader `like`; expected one of: contains, not_contains, regex, json_path, script, judge, text",
    );
    one("{}", ": missing grader");
    one(
        "4",
        ": expected a sentence or an object with a grader, found a number",
    );
    one(
        r#"{"contains": "y", "regex": "z"}"#,
        ": two graders, `contains` and `regex`; write two expectations",
    );
    one(
        r#"{"contains": ["y"]}"#,
        ".contains: expected text, found a list",
    );
    one(r#"{"contains": ""}"#, ".contains: is empty");
    one(
        r#"{"contains": "y", "equals": 1}"#,
        ": `equals` requires `json_path`, found `contains`",
    );
    one(
        r#"{"regex": "(y"}"#,
        ".regex: invalid regular expression `(y`: unclosed group",
    );
    one(
        r#"{"json_path": "$..y"}"#,
        ".json_path: invalid path `$..y`: missing name after a dot",
    );
    one(
        r#"{"script": "/bin/true"}"#,
        ".script: `/bin/true` is absolute",
    );
}

#[test]
fn invalid_triggers_are_rejected() {
    let check = |text: &str, expected: &str| {
        let error = Suite::parse(None, Some(text)).unwrap_err().to_string();
        assert_eq!(error, format!("evals/triggers.json: {expected}"));
    };
    check(
        r#"[{"query": "x"}]"#,
        "triggers[0]: `should_trigger` is missing",
    );
    check(
        r#"[{"query": "x", "should_triger": true}]"#,
        "triggers[0]: unknown key `should_triger`; did you mean `should_trigger`?",
    );
    check(
        r#"[{"query": "x", "should_trigger": "yes"}]"#,
        "triggers[0].should_trigger: expected true or false, found text",
    );
    check(
        r#"[{"should_trigger": true}]"#,
        "triggers[0]: `query` is missing",
    );
    check(
        r#"[{"query": "x", "should_trigger": true}, {"query": "x", "should_trigger": false}]"#,
        "triggers[1]: duplicate `query`: also in triggers[0]",
    );
}
