//! The guest's loop, over pipes.
#![cfg(test)]

mod support;

use prowess_sdk::wire::MAX_LINE;
use prowess_worker::limits::NESTED_REQUESTS;
use serde_json::{Value, json};
use support::Worker;

const SKILL: &str = r#"
register_tool("echo", "d", lambda input: input)
register_tool("ask", "d", lambda input: read_file(input))
register_tool("long", "d", lambda input: "\u0001" * 250000)
register_tool("write", "d", lambda input: write_file("p", "x" * 2000000))
"#;

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().expect("an error")
}

#[test]
fn requests_out_of_order_are_rejected() {
    let mut worker = Worker::start();
    for method in ["tool/execute", "workflow/run", "hook/handle", "scanner/run"] {
        let answer = worker.ask(method, &json!({}));
        assert_eq!(code(&answer), -32600, "{answer}");
        assert_eq!(answer["error"]["message"], "the worker is not initialized");
    }
    assert!(
        worker
            .initialize(&[("skill.star", SKILL)])
            .get("result")
            .is_some()
    );
    let again = worker.initialize(&[("skill.star", SKILL)]);
    assert_eq!(code(&again), -32600);
    assert_eq!(worker.tool("echo", &json!("x")), "x");
    let answer = worker.ask("shutdown", &Value::Null);
    assert_eq!(answer.get("result"), Some(&Value::Null));
    assert_eq!(worker.read(), None);
    let end = worker.end();
    assert_eq!((end.code, end.stderr.as_str()), (Some(0), ""));
}

#[test]
fn idle_worker_exits_when_its_input_ends() {
    let end = Worker::start().end();
    assert_eq!((end.code, end.stderr.as_str()), (Some(0), ""));
    assert_eq!(Worker::with(SKILL).end().code, Some(0));
}

#[test]
fn malformed_requests_are_rejected_and_the_worker_continues() {
    let mut worker = Worker::with(SKILL);
    let table = [
        ("not json", -32700, Value::Null),
        ("", -32700, Value::Null),
        ("{", -32700, Value::Null),
        ("[]", -32600, Value::Null),
        ("7", -32600, Value::Null),
        (r#"{"id":1,"method":"tool/execute"}"#, -32600, Value::Null),
        (
            r#"{"jsonrpc":"1.0","id":1,"method":"tool/execute"}"#,
            -32600,
            Value::Null,
        ),
        (
            r#"{"jsonrpc":"2.0","method":"tool/execute","params":{"name":"echo"}}"#,
            -32600,
            Value::Null,
        ),
        (
            r#"{"jsonrpc":"2.0","id":{},"method":"tool/execute"}"#,
            -32600,
            Value::Null,
        ),
        (
            r#"{"jsonrpc":"2.0","id":"a","method":"tool/execute"}"#,
            -32602,
            json!("a"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":"b","method":"tool/execute","params":{"name":3}}"#,
            -32602,
            json!("b"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":"c","method":"tool/run","params":{}}"#,
            -32601,
            json!("c"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":"d","method":"hook/handle","params":{"phase":"OnLunch","data":{}}}"#,
            -32602,
            json!("d"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":"e","method":"tool/execute","params":{"name":"none"}}"#,
            -32602,
            json!("e"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":"f","method":"scanner/run","params":{"name":"none","files":[{}]}}"#,
            -32602,
            json!("f"),
        ),
    ];
    for (line, expected, id) in table {
        worker.send_line(line);
        let answer = worker.read().unwrap();
        assert_eq!(
            (code(&answer), &answer["id"]),
            (expected, &id),
            "{line}\n{answer}"
        );
    }
    // Answers that nobody waits for.
    worker.send_line(r#"{"jsonrpc":"2.0","id":"c1","result":{}}"#);
    assert_eq!(worker.tool("echo", &json!("x")), "x");
}

#[test]
fn another_protocol_is_refused() {
    let mut worker = Worker::start();
    let params = json!({"protocol": 2, "name": "n", "version": "1", "permissions": []});
    let answer = worker.ask("initialize", &params);
    let message = "unsupported protocol 2: expected 1";
    assert_eq!(answer["error"], json!({"code": -32602, "message": message}));
    let params = json!({"protocol": 1, "name": "n", "version": "1", "permissions": []});
    let answer = worker.ask("initialize", &params);
    assert_eq!(
        answer["error"],
        json!({"code": -32602, "message": "missing code"})
    );
    assert!(
        worker
            .initialize(&[("skill.star", SKILL)])
            .get("result")
            .is_some()
    );
}

#[test]
fn ids_come_back_as_they_were() {
    let mut worker = Worker::with(SKILL);
    for id in ["0", "-1", "18446744073709551616", r#""x\n""#, "1.50"] {
        let params = r#"{"name":"echo","input":"x"}"#;
        worker.send_line(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tool/execute","params":{params}}}"#
        ));
        let answer = worker.read().unwrap();
        assert_eq!(answer["id"].to_string(), id);
    }
}

/// The answer to one of the worker's questions.
fn answer_to(question: &Value, content: &str) -> String {
    json!({"jsonrpc": "2.0", "id": question["id"], "result": {"content": content}}).to_string()
}

#[test]
fn requests_are_handled_while_the_code_waits() {
    let mut worker = Worker::with(SKILL);
    let first = worker.send("tool/execute", &json!({"name": "ask", "input": "p"}));
    let question = worker.read().unwrap();
    assert_eq!(question["method"], "host/read_file");
    let second = worker.send("tool/execute", &json!({"name": "echo", "input": "second"}));
    let answer = worker.read().unwrap();
    assert_eq!(
        (&answer["id"], &answer["result"]["content"]),
        (&json!(second), &json!("second"))
    );
    worker.send_line("garbage");
    let refused = worker.read().unwrap();
    assert_eq!((code(&refused), &refused["id"]), (-32700, &Value::Null));
    let third = worker.send("tool/execute", &json!({"name": "ask", "input": "third"}));
    let inner = worker.read().unwrap();
    // The outer answer comes first, and one that nobody asked for: the inner request still gets its own.
    worker.send_line(answer_to(&question, "first"));
    worker.send_line(r#"{"jsonrpc":"2.0","id":"c99","result":{"content":"wrong"}}"#);
    worker.send_line(answer_to(&inner, "third"));
    let answer = worker.read().unwrap();
    assert_eq!(
        (&answer["id"], &answer["result"]["content"]),
        (&json!(third), &json!("third"))
    );
    let answer = worker.read().unwrap();
    assert_eq!(
        (&answer["id"], &answer["result"]["content"]),
        (&json!(first), &json!("first"))
    );
}

#[test]
fn requests_inside_of_each_other_are_bounded() {
    let mut worker = Worker::with(SKILL);
    let ask = json!({"name": "ask", "input": "p"});
    let questions: Vec<Value> = (0..NESTED_REQUESTS)
        .map(|_| {
            worker.send("tool/execute", &ask);
            worker.read().unwrap()
        })
        .collect();
    let one_more = worker.send("tool/execute", &ask);
    let refused = worker.read().unwrap();
    assert_eq!((code(&refused), &refused["id"]), (-32002, &json!(one_more)));
    for question in questions.iter().rev() {
        worker.send_line(answer_to(question, "x"));
        assert_eq!(worker.read().unwrap()["result"]["content"], "x");
    }
}

#[test]
fn closed_connection_ends_the_worker() {
    let mut worker = Worker::with(SKILL);
    worker.send("tool/execute", &json!({"name": "ask", "input": "p"}));
    assert_eq!(worker.read().unwrap()["method"], "host/read_file");
    assert_eq!(worker.end().code, Some(0));
}

#[test]
fn a_line_that_is_too_long_ends_the_worker() {
    let mut worker = Worker::with(SKILL);
    worker.send_line("x".repeat(MAX_LINE + 1));
    let answer = worker.read().unwrap();
    assert_eq!((code(&answer), &answer["id"]), (-32700, &Value::Null));
    assert_eq!(worker.read(), None);
    assert_eq!(worker.end().code, Some(1));
}

#[test]
fn the_longest_line_is_read() {
    let mut worker = Worker::with(SKILL);
    let request = |text: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tool/execute","params":{{"name":"echo","input":["{text}"]}}}}"#
        )
    };
    let most = request(&"x".repeat(MAX_LINE - request("").len()));
    assert_eq!(most.len(), MAX_LINE);
    worker.send_line(&most);
    // It is read, and too long to be handed back.
    assert_eq!(code(&worker.read().unwrap()), -32002);
}

#[test]
fn too_long_messages_are_not_sent() {
    let mut worker = Worker::with(SKILL);
    let answer = worker.ask("tool/execute", &json!({"name": "long"}));
    let message = "the response is larger than 1048576 bytes";
    assert_eq!(answer["error"], json!({"code": -32002, "message": message}));
    let message = "the call is larger than 1048576 bytes\n  at skill.star:5:43";
    assert_eq!(worker.failing("write", &json!({})), message);
    assert!(worker.questions.is_empty());
}
