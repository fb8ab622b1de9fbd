//! Native plugins, over pipes: what they can do, and what becomes of the worker when they misbehave.
#![cfg(test)]
#![cfg(target_os = "linux")]

#[path = "fixtures/driver.rs"]
mod driver;
mod support;

use std::fs;
use std::path::{Path, PathBuf};

use driver::{Worker, compiled, fixtures, sample};
use prowess_sdk::{Limit, limit_of};
use serde_json::{Value, json};

const SIGABRT: i32 = 6;
const SIGKILL: i32 = 9;
const SIGSEGV: i32 = 11;

fn output(content: &str) -> Value {
    json!({"content": content, "is_error": false})
}

fn message(answer: &Value) -> &str {
    answer["error"]["message"].as_str().expect("an error")
}

#[test]
fn pl1_registrations_of_a_plugin_are_reported() {
    let mut worker = Worker::start(sample());
    let told = worker.initialize(&[])["result"].clone();
    let echo =
        json!({"name": "echo", "description": "Echoes.", "input_schema": {"type": "object"}});
    assert_eq!(told["tools"][0], echo);
    let hooks = json!(["OnBeforeToolCall", "OnAfterResponse", "OnDeactivate"]);
    assert_eq!(told["hooks"], hooks);
    assert_eq!(told["workflows"], json!(["everything", "panic"]));
    assert_eq!(told["scanners"], json!(["todo", "panic"]));
}

#[test]
fn tools_answer_and_remember() {
    let mut worker = Worker::sample();
    for (input, content) in [
        (json!("text"), "text"),
        (json!({"a": [1, null]}), r#"{"a":[1,null]}"#),
        (json!(7), "7"),
    ] {
        let answer = worker.tool("echo", &input);
        assert_eq!(answer["result"], output(content));
    }
    for count in ["1", "2", "3"] {
        assert_eq!(worker.tool("count", &json!({}))["result"], output(count));
    }
    let places = r#"["sample","1.0.0","/skill","/project"]"#;
    assert_eq!(worker.tool("places", &json!({}))["result"], output(places));
    let wrong = worker.tool("read", &json!({}));
    assert_eq!(
        wrong["result"],
        json!({"content": "invalid input: invalid type: map, expected a string", "is_error": true})
    );
    let unknown = worker.tool("none", &json!({}));
    assert_eq!(
        unknown["error"],
        json!({"code": -32602, "message": "unknown tool `none`"})
    );
}

#[test]
fn handlers_and_scanners_answer() {
    let mut worker = Worker::sample();
    for (tool, expected) in [
        ("rm", json!({"cancel": true, "reason": "not here"})),
        ("ls", json!({"modified": {"input": {"path": "."}}})),
        ("cat", Value::Null),
    ] {
        let data = json!({"tool": tool, "input": {}});
        let params = json!({"phase": "OnBeforeToolCall", "data": data});
        let answer = worker.ask("hook/handle", &params);
        assert_eq!(answer.get("result"), Some(&expected));
    }
    let files = json!([{"path": "a.md", "text": "one\nTODO two"}, {"path": "b.md", "text": ""}]);
    let answer = worker.ask("scanner/run", &json!({"name": "todo", "files": files}));
    let finding = json!({
        "rule": "todo", "severity": "low", "file": "a.md", "line": 2, "message": "unfinished",
    });
    assert_eq!(answer["result"], json!({"findings": [finding]}));
}

#[test]
fn every_host_call_is_available() {
    let mut worker = Worker::sample();
    let answer = worker.ask_with(
        "workflow/run",
        &json!({"name": "everything"}),
        |method, _| {
            Ok(match method {
                "host/read_file" | "host/complete" | "host/git_diff" => json!({"content": "c"}),
                "host/list_dir" => json!({"entries": []}),
                "host/search_files" | "host/git_status" => json!({"files": []}),
                "host/exec" => json!({"stdout": "", "stderr": "", "exit_code": 0}),
                "host/env" => json!({"value": null}),
                "host/fetch" => json!({"status": 200, "headers": {}, "body": ""}),
                "host/git_log" => json!({"commits": []}),
                "host/git_commit" => json!({"hash": "h"}),
                "host/invoke_skill" => output("c"),
                _ => Value::Null,
            })
        },
    );
    assert_eq!(answer["result"], output("16"));
    assert_eq!(worker.questions.len(), 16);
    let asked = |path: &str| json!({"path": path});
    assert_eq!(
        worker.questions[1],
        ("host/read_file".to_owned(), asked("a"))
    );
}

#[test]
fn refused_host_calls_are_reported_to_the_model() {
    let mut worker = Worker::sample();
    let params = json!({"name": "read", "input": "secret"});
    let answer = worker.ask_with("tool/execute", &params, |_, _| {
        Err((-32001, "not-declared"))
    });
    let refused = json!({"content": "not-declared", "is_error": true});
    assert_eq!(answer["result"], refused);
}

#[test]
fn calls_are_answered_while_others_wait() {
    let mut worker = Worker::sample();
    let read = json!({"name": "read", "input": "p"});
    let first = worker.send("tool/execute", &read);
    let question = worker.read().unwrap();
    assert_eq!(question["method"], "host/read_file");
    assert_eq!(
        worker.tool("echo", &json!("second"))["result"],
        output("second")
    );
    let failed = worker.tool("panic", &json!({}));
    assert_eq!(message(&failed), "the tool `panic` panicked: 99 bottles");
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"content": "first"}});
    worker.send_line(&answer);
    let answer = worker.read().unwrap();
    assert_eq!(
        (&answer["id"], &answer["result"]),
        (&json!(first), &output("first"))
    );
}

#[test]
fn pl3_a_panic_is_a_failure_of_that_call() {
    let mut worker = Worker::sample();
    let hook = json!({"phase": "OnAfterResponse", "data": {"response": "r"}});
    let table = [
        (
            "tool/execute",
            json!({"name": "panic"}),
            "the tool `panic` panicked: 99 bottles",
        ),
        (
            "tool/execute",
            json!({"name": "panic_any"}),
            "the tool `panic_any` panicked",
        ),
        (
            "workflow/run",
            json!({"name": "panic"}),
            "the workflow `panic` panicked: lost",
        ),
        (
            "hook/handle",
            hook,
            "the handler of OnAfterResponse panicked: speechless",
        ),
        (
            "scanner/run",
            json!({"name": "panic", "files": []}),
            "the scanner `panic` panicked: blind",
        ),
    ];
    for (method, params, expected) in table {
        let answer = worker.ask(method, &params);
        assert_eq!(
            answer["error"],
            json!({"code": -32000, "message": expected})
        );
        assert_eq!(
            worker.tool("echo", &json!("still here"))["result"],
            output("still here")
        );
    }
    let end = worker.end();
    assert_eq!((end.code, end.signal), (Some(0), None));
    assert!(end.stderr.contains("99 bottles"), "{}", end.stderr);
}

#[test]
fn pl3_an_activation_that_fails_says_why_and_can_be_tried_again() {
    let mut worker = Worker::start(sample());
    let panicked = "the plugin's `activate` panicked: no luck";
    let table: [(&[&str], &str); 4] = [
        (&["panic-in-activate"], panicked),
        (&["panic-in-drop", "panic-in-activate"], panicked),
        (&["fail-in-activate"], "no licence"),
        (&["panic-in-drop", "fail-in-activate"], "no licence"),
    ];
    for (permissions, expected) in table {
        assert_eq!(message(&worker.initialize(permissions)), expected);
    }
    for (name, version) in [("sample", "1.0.1"), ("simple", "1.0.0")] {
        let answer = worker.initialize_as(name, version, &[]);
        let expected = format!(
            "version mismatch: the skill is `{name}` {version}, the plugin was built as `sample` 1.0.0"
        );
        assert_eq!(message(&answer), expected);
    }
    assert!(worker.initialize(&[]).get("result").is_some());
}

#[test]
fn host_can_be_called_during_activation() {
    let mut worker = Worker::start(sample());
    let params = json!({
        "protocol": 1, "name": "sample", "version": "1.0.0", "permissions": ["ask-in-activate"],
    });
    let answer = worker.ask_with("initialize", &params, |method, _| match method {
        "host/read_file" => Ok(json!({"content": "text"})),
        _ => Ok(Value::Null),
    });
    assert!(answer.get("result").is_some(), "{answer}");
    assert_eq!(worker.questions[1].1, json!({"message": "text"}));
}

#[test]
fn plugin_is_deactivated_once() {
    let mut worker = Worker::sample();
    worker.tool("count", &json!({}));
    let params = json!({"phase": "OnDeactivate", "data": {"skill": "sample"}});
    let answer = worker.ask("hook/handle", &params);
    assert_eq!(answer.get("result"), Some(&Value::Null), "{answer}");
    let told = ("host/log".to_owned(), json!({"message": "1 calls"}));
    assert_eq!(worker.questions, [told]);
    worker.ask("shutdown", &Value::Null);
    let end = worker.end();
    assert_eq!((end.code, end.stderr.as_str()), (Some(0), ""));

    let mut worker = Worker::sample();
    worker.ask("shutdown", &Value::Null);
    let end = worker.end();
    let untold = "nobody hears: the host closed the connection\n";
    assert_eq!((end.code, end.stderr.as_str()), (Some(0), untold));
}

#[test]
fn panic_during_unload_is_survived() {
    let mut worker = Worker::start(sample());
    worker.initialize(&["panic-in-drop"]);
    let end = worker.end();
    assert_eq!((end.code, end.signal), (Some(0), None), "{end:?}");
    assert!(
        end.stderr
            .ends_with("dropping the plugin panicked: not yet\n"),
        "{end:?}"
    );
}

#[test]
fn output_of_a_plugin_does_not_reach_the_protocol() {
    let mut worker = Worker::sample();
    assert_eq!(worker.tool("print", &json!({}))["result"], output("0"));
    assert_eq!(
        worker.end().stderr.lines().next(),
        Some("{\"jsonrpc\": noise")
    );
}

#[test]
fn too_long_messages_are_rejected() {
    let mut worker = Worker::sample();
    let answer = worker.tool("long", &json!({}));
    assert_eq!(answer["error"]["code"], -32002);
    assert_eq!(worker.tool("echo", &json!("x"))["result"], output("x"));
}

#[test]
fn pl4_process_exit_ends_the_worker() {
    let end = Worker::sample().last_tool("abort", &json!({}));
    assert_eq!(end.signal, Some(SIGABRT));
    assert_eq!(limit_of(&end.stderr, end.signal), None);
    assert!(end.stderr.contains("this is the end"));

    let end = Worker::sample().last_tool("exit", &json!({}));
    assert_eq!((end.code, end.signal), (Some(3), None));

    let end = Worker::sample().last_tool("overflow", &json!({}));
    assert_eq!(
        limit_of(&end.stderr, end.signal),
        Some(Limit::Stack),
        "{end:?}"
    );

    let end = Worker::sample().last_tool("allocate", &json!(1_u64 << 60));
    assert_eq!(
        limit_of(&end.stderr, end.signal),
        Some(Limit::Memory),
        "{end:?}"
    );
}

#[test]
fn a_plugin_that_never_answers_can_be_stopped() {
    let mut worker = Worker::sample();
    worker.send("tool/execute", &json!({"name": "loop"}));
    assert_eq!(worker.kill().signal, Some(SIGKILL));
}

fn shout() -> PathBuf {
    let source = fs::read_to_string(fixtures().join("shout.c")).unwrap();
    let source = format!("#define _GNU_SOURCE\n{source}");
    compiled("shout", &source)
}

#[test]
fn a_plugin_in_c_needs_nothing_of_ours_but_the_header() {
    let mut worker = Worker::start(&shout());
    let told = worker.initialize_as("shout", "0.1.0", &[]);
    assert_eq!(told["result"]["tools"][0]["name"], "shout");
    let answer = worker.tool("shout", &json!({"text": "hear, hear"}));
    assert_eq!(answer["result"], output("HEAR, HEAR"));
    let params = json!({"name": "readme"});
    let answer = worker.ask_with("tool/execute", &params, |method, params| {
        assert_eq!(
            (method, params),
            ("host/read_file", &json!({"path": "README.md"}))
        );
        Ok(json!({"content": "# \"Title\"\n"}))
    });
    assert_eq!(answer["result"], output("# \"Title\"\n"));
    let answer = worker.ask_with("tool/execute", &params, |_, _| Err((-32001, "no")));
    assert_eq!(answer["result"], json!({"content": "no", "is_error": true}));
    let params = json!({"phase": "OnBeforeToolCall", "data": {"tool": "shout"}});
    let answer = worker.ask("hook/handle", &params);
    assert_eq!(
        answer["result"],
        json!({"cancel": true, "reason": "too loud"})
    );
    worker.ask("shutdown", &Value::Null);
    let end = worker.end();
    assert_eq!(end.code, Some(0));
    let late =
        r#"at the end: {"error":{"code":-32000,"message":"the host closed the connection"}}"#;
    assert_eq!(end.stderr.trim_end(), late);
}

#[test]
fn pl4_a_plugin_in_c_that_misbehaves_harms_itself() {
    let library = shout();
    let mut worker = Worker::start(&library);
    worker.initialize_as("shout", "0.1.0", &[]);
    let answer = worker.tool("thread", &json!({}));
    let refused = "the host can only be called on the thread of a call";
    assert_eq!(
        answer["result"],
        json!({"content": refused, "is_error": true})
    );
    let answer = worker.tool("nothing", &json!({}));
    assert_eq!(
        message(&answer),
        "the plugin returned no response to `tool/execute`"
    );
    let answer = worker.tool("nonsense", &json!({}));
    let expected = "malformed response of the plugin to `tool/execute`: ";
    assert!(message(&answer).starts_with(expected), "{answer}");
    assert_eq!(
        worker.tool("print", &json!({}))["result"],
        output("printed")
    );
    assert_eq!(worker.last_tool("crash", &json!({})).signal, Some(SIGSEGV));
}

/// What is said of a file that is no plugin.
fn refusal(path: &Path) -> String {
    let mut worker = Worker::start(path);
    let answer = worker.initialize(&[]);
    assert_eq!(answer["error"]["code"], -32000, "{answer}");
    // It lives, and says the same again.
    assert_eq!(message(&worker.initialize(&[])), message(&answer));
    assert_eq!(worker.end().code, Some(0));
    message(&answer).replace(&path.display().to_string(), "PATH")
}

#[test]
fn pl2_invalid_libraries_are_rejected_with_a_reason() {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("refused");
    fs::create_dir_all(&place).unwrap();
    let file = |name: &str, content: &[u8]| {
        let path = place.join(name);
        fs::write(&path, content).unwrap();
        path
    };
    let not = "`PATH` is not a shared library";
    assert_eq!(
        refusal(&file("text.so", b"#!/bin/sh\necho this is no library\n")),
        not
    );
    assert_eq!(refusal(&file("short.so", b"\x7fELF")), not);
    assert_eq!(refusal(&file("empty.so", b"")), "`PATH` is empty");
    assert_eq!(
        refusal(&place.join("missing.so")),
        "cannot read `PATH`: No such file or directory (os error 2)"
    );
    assert_eq!(
        refusal(&place),
        "cannot read `PATH`: Is a directory (os error 21)"
    );

    let library = fs::read(shout()).unwrap();
    let cut = refusal(&file("cut.so", &library[..100]));
    assert!(cut.starts_with("cannot load `PATH`: "), "{cut}");
    let mut foreign = library;
    foreign[18..20].copy_from_slice(&[243, 0]);
    let foreign = refusal(&file("foreign.so", &foreign));
    assert!(
        foreign.starts_with("`PATH` was built for riscv64 (64 bits)"),
        "{foreign}"
    );
}

#[test]
fn pl2_incompatible_libraries_are_rejected() {
    let no_symbol = |symbol: &str| {
        format!("`PATH` is not a Prowess plugin: missing symbol `{symbol}`; use `export_plugin!`")
    };
    let version = "const unsigned prowess_plugin_abi = 1;";
    let call = "void prowess_plugin_call(void) {}";
    let table = [
        ("none", "int other;".to_owned(), no_symbol("prowess_plugin_abi")),
        ("no-call", version.to_owned(), no_symbol("prowess_plugin_call")),
        ("no-free", format!("{version}{call}"), no_symbol("prowess_plugin_free")),
        (
            "version",
            // Whatever it would do when it is called, it is not called.
            "#include <stdlib.h>\nconst unsigned prowess_plugin_abi = 7; void prowess_plugin_call(void) { abort(); }"
                .to_owned(),
            "`PATH` was built for plugin interface 7, but this Prowess supports 1; rebuild it with the current SDK"
                .to_owned(),
        ),
    ];
    for (name, source, expected) in table {
        assert_eq!(refusal(&compiled(name, &source)), expected);
    }
    let source = format!("{version} void gone(void); void prowess_plugin_call(void) {{ gone(); }}");
    let unresolved = refusal(&compiled("unresolved", &source));
    let expected = "cannot load `PATH`: PATH: undefined symbol: gone";
    assert_eq!(unresolved, expected);
}
