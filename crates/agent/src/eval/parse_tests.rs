use serde_json::json;

use super::*;

#[test]
fn everything_that_may_be_there() {
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
fn as_windows_writes_it() {
    let text = "\u{feff}[\r\n  {\"prompt\": \"p\", \"expectations\": [\"x\"]}\r\n]\r\n";
    assert_eq!(Suite::parse(Some(text), None).unwrap().evals.len(), 1);
}

#[track_caller]
fn check(evals: &str, expected: &str) {
    let error = Suite::parse(Some(evals), None).unwrap_err().to_string();
    assert_eq!(error, format!("evals/evals.json{expected}"));
}

#[test]
fn what_is_wrong_with_the_file() {
    check("{", ":1:1: this is not JSON: EOF while parsing an object");
    check(
        "[\r\n  {\"prompt\": \"x\",}\r\n]",
        ":2:18: this is not JSON: trailing comma",
    );
    check("{}", ": the whole file: there is no list `evals`");
    check(
        "7",
        ": the whole file: should be an object, and is a number",
    );
    check(
        r#"{"eval": []}"#,
        ": the whole file: `eval` is no key; did you mean `evals`?",
    );
    check(
        r#"{"evals": {}}"#,
        ": evals: should be a list, and is an object",
    );
    check(
        r#"{"skill_name": 1, "evals": []}"#,
        ": skill_name: should be text, and is a number",
    );
}

#[test]
fn what_is_wrong_with_an_eval() {
    check(
        r#"[{"expectations": ["x"]}]"#,
        ": evals[0]: `prompt` is missing",
    );
    check(r#"["x"]"#, ": evals[0]: should be an object, and is text");
    check(
        r#"[{"prompt": " ", "expectations": ["x"]}]"#,
        ": evals[0].prompt: is empty",
    );
    check(
        r#"[{"prompt": 1, "expectations": ["x"]}]"#,
        ": evals[0].prompt: should be text, and is a number",
    );
    check(
        r#"[{"prompt": "x"}]"#,
        ": evals[0]: nothing is expected; add `expectations`, or at least `expected_output`",
    );
    check(
        r#"[{"prompt": "x", "expected_output": "y", "asertions": []}]"#,
        ": evals[0]: `asertions` is no key; did you mean `assertions`?",
    );
    check(
        r#"[{"prompt": "x", "expectations": "y"}]"#,
        ": evals[0].expectations: should be a list, and is text",
    );
    check(
        r#"[{"prompt": "x", "expectations": ["y"], "files": ["../secret"]}]"#,
        ": evals[0].files[0]: `../secret` has a `..`",
    );
    check(
        r#"[{"prompt": "x", "expectations": ["y"], "files": "a"}]"#,
        ": evals[0].files: should be a list, and is text",
    );
    check(
        r#"[{"id": true, "prompt": "x", "expectations": ["y"]}]"#,
        ": evals[0].id: should be a number or text, and is true or false",
    );
    check(
        r#"[{"prompt": "x", "expectations": ["y"]}, {"id": "1", "prompt": "x", "expectations": ["y"]}]"#,
        ": evals[1]: its id is `1`, and so is that of evals[0]",
    );
}

#[test]
fn what_is_wrong_with_an_expectation() {
    let one = |expectation: &str, expected: &str| {
        check(
            &format!(r#"[{{"prompt": "x", "expectations": ["fine", {expectation}]}}]"#),
            &format!(": evals[0].expectations[1]{expected}"),
        );
    };
    one(
        r#"{"contain": "y"}"#,
        ": `contain` is no grader; did you mean `contains`?",
    );
    one(
        r#"{"like": "y"}"#,
        ": `like` is no grader; there is contains, not_contains, regex, json_path, script, judge, text",
    );
    one("{}", ": names no grader");
    one(
        "4",
        ": should be a sentence or an object with a grader, and is a number",
    );
    one(
        r#"{"contains": "y", "regex": "z"}"#,
        ": names two graders, `contains` and `regex`; make them two expectations",
    );
    one(
        r#"{"contains": ["y"]}"#,
        ".contains: should be text, and is a list",
    );
    one(r#"{"contains": ""}"#, ".contains: is empty");
    one(
        r#"{"contains": "y", "equals": 1}"#,
        ": `equals` goes with `json_path`, not with `contains`",
    );
    one(
        r#"{"regex": "(y"}"#,
        ".regex: `(y` is no regular expression: unclosed group",
    );
    one(
        r#"{"json_path": "$..y"}"#,
        ".json_path: `$..y` is no path: a name is missing behind a dot",
    );
    one(
        r#"{"script": "/bin/true"}"#,
        ".script: `/bin/true` is absolute",
    );
}

#[test]
fn what_is_wrong_with_triggers() {
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
        "triggers[0]: `should_triger` is no key; did you mean `should_trigger`?",
    );
    check(
        r#"[{"query": "x", "should_trigger": "yes"}]"#,
        "triggers[0].should_trigger: should be true or false, and is text",
    );
    check(
        r#"[{"should_trigger": true}]"#,
        "triggers[0]: `query` is missing",
    );
    check(
        r#"[{"query": "x", "should_trigger": true}, {"query": "x", "should_trigger": false}]"#,
        "triggers[1]: triggers[0] has the same `query`",
    );
}
