//! The rows of the contract that are about Starlark, against the real worker.
#![cfg(test)]

mod support;

use std::fs;
use std::time::{Duration, Instant};

use prowess_sdk::{Limit, Phase};
use serde_json::{Value, json};
use support::{Reply, Worker};

#[test]
fn st1_results_become_text() {
    let table = [
        ("'text'", "text"),
        ("''", ""),
        ("'ä\\n\"'", "ä\n\""),
        ("42", "42"),
        ("-7", "-7"),
        ("1 << 100", "1267650600228229401496703205376"),
        ("3.14", "3.14"),
        ("3.0", "3.0"),
        ("None", ""),
        ("True", "true"),
        ("False", "false"),
        ("{}", "{}"),
        ("[]", "[]"),
        (
            "{'b': 1, 'a': [None, True, 'x']}",
            r#"{"b":1,"a":[null,true,"x"]}"#,
        ),
        ("(1, 'two')", r#"[1,"two"]"#),
        ("struct(z = 1, a = {})", r#"{"z":1,"a":{}}"#),
        ("range(3)", "[0,1,2]"),
        ("{'k': 1 << 70}", r#"{"k":1180591620717411303424}"#),
    ];
    for (source, expected) in table {
        let source = format!("register_tool('t', 'd', lambda input: {source})");
        assert_eq!(
            Worker::with(&source).tool("t", &json!({})),
            expected,
            "{source}"
        );
    }
}

#[test]
fn st1_results_without_a_text_are_errors() {
    let table = [
        ("len", "cannot convert a value of type `function` to JSON"),
        ("[len]", "cannot convert a value of type `function` to JSON"),
        (
            "{1: 2}",
            "invalid dict key of type `int`: JSON keys are strings",
        ),
        ("float('nan')", "cannot convert NaN to JSON"),
        ("[float('inf')]", "cannot convert inf to JSON"),
    ];
    for (source, expected) in table {
        let source = format!("register_tool('t', 'd', lambda input: {source})");
        assert_eq!(
            Worker::with(&source).failing("t", &json!({})),
            expected,
            "{source}"
        );
    }
}

#[test]
fn st2_input_arrives_as_values() {
    let source = r#"
def kinds(input):
    return [type(value) + " " + repr(value) for value in input]
register_tool("kinds", "d", kinds)
register_tool("whole", "d", lambda input: type(input))
"#;
    let mut worker = Worker::with(source);
    let input = r#"[3.0, 3.14, null, true, "x", {"a": [1, {"b": 2.0}]}, 1e2, 18446744073709551616, -0.0, 1e300]"#;
    let params = format!(r#"{{"name":"kinds","input":{input}}}"#);
    worker.send_line(format!(
        r#"{{"jsonrpc":"2.0","id":"k","method":"tool/execute","params":{params}}}"#
    ));
    let answer = worker.read().unwrap();
    let kinds: Value = serde_json::from_str(answer["result"]["content"].as_str().unwrap()).unwrap();
    assert_eq!(
        kinds,
        json!([
            "int 3",
            "float 3.14",
            "NoneType None",
            "bool True",
            "string \"x\"",
            "dict {\"a\": [1, {\"b\": 2}]}",
            "int 100",
            "int 18446744073709551616",
            "int 0",
            "float 1e+300",
        ])
    );
    assert_eq!(worker.tool("whole", &Value::Null), "NoneType");
    assert_eq!(worker.tool("whole", &json!({})), "dict");
}

#[test]
fn st3_failures_say_where() {
    let skill = r#"load("lib/deep.star", "deep")
def own(input):
    fail("no", input["why"])
def outer(input):
    values = []
    for step in range(3):
        values.append(inner(step))
    return values
def inner(step):
    rest = 2 - step
    if True:
        step = 10 // rest
    return step
def far(input):
    result = deep(input)
    return result
register_tool("own", "d", own)
register_tool("outer", "d", outer)
register_tool("far", "d", far)
register_tool("host", "d", lambda input: read_file(input["path"]))
"#;
    let deep = r#"
def deep(input):
    total = 0
    for name in ["a", "b"]:
        total = total + input[name]
    return total
"#;
    let mut worker = Worker::start();
    worker.initialize(&[("skill.star", skill), ("lib/deep.star", deep)]);
    let why = json!({"why": "way"});
    assert_eq!(worker.failing("own", &why), "no way\n  at skill.star:3:5");
    assert_eq!(
        worker.failing("outer", &json!({})),
        "Floor division by zero: 10 // 0\n  at skill.star:12:16\n  at skill.star:7:23"
    );
    assert_eq!(
        worker.failing("far", &json!({"a": 1})),
        "Key `\"b\"` was not found\n  at lib/deep.star:5:25\n  at skill.star:15:14"
    );
    let params = json!({"name": "host", "input": {"path": "/etc/passwd"}});
    let deny = |_: &str, _: &Value| Err((-32001, "`file:read` is not approved"));
    let answer = worker.ask_with("tool/execute", &params, deny);
    let expected = "`file:read` is not approved\n  at skill.star:20:42";
    assert_eq!(
        answer["result"],
        json!({"content": expected, "is_error": true})
    );
    assert_eq!(worker.end().code, Some(0));
}

#[test]
fn st4_exec_returns_what_the_program_did() {
    let source = r#"
def run(input):
    done = exec("sh", "-c", "exit 3", stdin = "in")
    return [done["stdout"], done["stderr"], done["exit_code"] + 1]
register_tool("run", "d", run)
"#;
    let mut worker = Worker::with(source);
    let host = |_: &str, _: &Value| Ok(json!({"stdout": "o", "stderr": "e", "exit_code": 3}));
    let answer = worker.ask_with("tool/execute", &json!({"name": "run"}), host);
    assert_eq!(answer["result"]["content"], json!(r#"["o","e",4]"#));
    let params = json!({"command": ["sh", "-c", "exit 3"], "stdin": "in"});
    assert_eq!(worker.questions, [("host/exec".to_owned(), params)]);
}

/// What became of a worker that went too far.
enum Expected {
    /// It answered with an error that says this, and works on.
    Lives(&'static [&'static str]),
    /// It was ended by one of these.
    Dies(&'static [Limit]),
    /// One or the other, by how the interpreter was compiled.
    Either(&'static [&'static str], &'static [Limit]),
}

fn resident_bytes() -> u64 {
    let sizes = fs::read_to_string("/proc/self/statm").unwrap();
    sizes.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

/// Runs a body, and looks at what is left of the worker. A new one works in any case.
fn too_far(body: &str, expected: &Expected) {
    let source = format!(
        "def far(input):\n    {body}\nregister_tool('far', 'd', far)\nregister_tool('near', 'd', lambda input: 'fine')\n"
    );
    let before = resident_bytes();
    let began = Instant::now();
    let mut worker = Worker::with(&source);
    worker.send("tool/execute", &json!({"name": "far", "input": 1}));
    let answer = worker.read_answer(|_, _| Ok(Value::Null));
    let took = began.elapsed();
    match (&answer, expected) {
        (Some(answer), Expected::Lives(words) | Expected::Either(words, _)) => {
            assert_eq!(answer["error"]["code"], json!(-32002), "{body}: {answer}");
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(
                words.iter().any(|words| message.contains(words)),
                "{body}: {message}"
            );
            assert_eq!(worker.tool("near", &json!({})), "fine");
            assert_eq!(worker.end().code, Some(0), "{body}");
        }
        (None, Expected::Dies(limits) | Expected::Either(_, limits)) => {
            let end = worker.end();
            let limit = end.limit();
            assert!(
                limits.iter().any(|one| limit == Some(*one)),
                "{body}: {end:?}"
            );
        }
        (answer, _) => panic!("{body}: {answer:?}"),
    }
    // The limits are 5 s inside and 7 s outside, of processor time; the test shares its processors.
    assert!(took < Duration::from_secs(40), "{body}: {took:?}");
    assert!(
        resident_bytes().saturating_sub(before) < 64 * 1024 * 1024,
        "{body}"
    );
    assert_eq!(Worker::with(&source).tool("near", &json!({})), "fine");
}

const TIME: &[&str] = &["5 s of CPU time", "100000000 loop iterations"];

#[test]
fn st5_endless_loop() {
    too_far(
        "for i in range(2000000000):\n        pass",
        &Expected::Lives(TIME),
    );
}

#[test]
fn st5_endless_recursion() {
    let nested = &["reached the limit of 1000 nested calls\n  at skill.star:2:12"];
    too_far("return far(input)", &Expected::Lives(nested));
}

#[test]
fn st5_long_string() {
    too_far(
        "return len('a' * (2000000000 * input))",
        &Expected::Dies(&[Limit::Memory]),
    );
}

#[test]
fn st5_long_list() {
    too_far(
        "return len([0] * (300000000 * input))",
        &Expected::Dies(&[Limit::Memory]),
    );
}

#[test]
fn st5_long_string_that_the_interpreter_computes_ahead() {
    let mut worker = Worker::start();
    let source = "def far(input):\n    return 'a' * 2000000000\n";
    let params = json!({
        "protocol": 1, "name": "test", "version": "1.0.0", "permissions": [],
        "code": {"entrypoint": "skill.star", "files": {"skill.star": source}},
    });
    worker.send("initialize", &params);
    assert_eq!(worker.read(), None);
    assert_eq!(worker.end().limit(), Some(Limit::Memory));
}

#[test]
fn st5_doubled_string() {
    let body =
        "text = 'x'\n    for i in range(60):\n        text = text + text\n    return len(text)";
    too_far(body, &Expected::Dies(&[Limit::Memory]));
}

#[test]
fn st5_repeated_squaring() {
    let body =
        "number = 3\n    for i in range(60):\n        number = number * number\n    return 1";
    too_far(body, &Expected::Dies(&[Limit::Processor, Limit::Memory]));
}

#[test]
fn st5_nested_parentheses() {
    let deep = format!("x = {}1{}\n", "(".repeat(100_000), ")".repeat(100_000));
    let mut worker = Worker::start();
    let answer = worker.initialize(&[("skill.star", &deep)]);
    let message = "skill.star:1:205: brackets are nested deeper than the limit of 200";
    assert_eq!(answer["error"], json!({"code": -32002, "message": message}));
    let answer = worker.initialize(&[("skill.star", "x = 1\n")]);
    assert!(answer.get("result").is_some(), "{answer}");
}

#[test]
fn st5_nesting_without_brackets() {
    for deep in [
        "not ".repeat(100_000),
        "-".repeat(100_000),
        "1 + ".repeat(100_000),
    ] {
        let source = format!("def f(x):\n    return {deep}1\n");
        let mut worker = Worker::start();
        let params = json!({
            "protocol": 1, "name": "test", "version": "1.0.0", "permissions": [],
            "code": {"entrypoint": "skill.star", "files": {"skill.star": source}},
        });
        worker.send("initialize", &params);
        // Whether the stack holds it depends on how the interpreter was compiled.
        match worker.read_answer(|_, _| Ok(Value::Null)) {
            Some(answer) => assert!(answer.get("result").is_some(), "{answer}"),
            None => assert_eq!(worker.end().limit(), Some(Limit::Stack)),
        }
    }
}

#[test]
fn st5_text_of_a_nested_list() {
    let body =
        "deep = []\n    for i in range(200000):\n        deep = [deep]\n    return str(deep)";
    let long = &["the result is larger than the limit of 262144 bytes"];
    too_far(body, &Expected::Either(long, &[Limit::Stack]));
}

#[test]
fn st5_a_nested_list() {
    let body = "deep = []\n    for i in range(1000):\n        deep = [deep]\n    return deep";
    let deep = &["the value is nested deeper than the limit of 100"];
    too_far(body, &Expected::Lives(deep));
    let body = "own = []\n    own.append(own)\n    return own";
    too_far(body, &Expected::Lives(deep));
}

#[test]
fn st5_much_output() {
    let long = &["the result is larger than the limit of 262144 bytes"];
    // Four times the limit: making more takes an unoptimised worker seconds, which are another limit.
    too_far("return 'a' * (1024 * 1024 * input)", &Expected::Lives(long));
    let body =
        "wide = ['x']\n    for i in range(60):\n        wide = [wide, wide]\n    return wide";
    too_far(body, &Expected::Lives(long));
}

#[test]
fn st5_many_values() {
    let body =
        "kept = []\n    for i in range(2000000000):\n        kept.append('x' * 1000 + str(i))";
    too_far(
        body,
        &Expected::Lives(&["bytes of values", "bytes of memory"]),
    );
}

#[test]
fn st5_growing_dict() {
    let body = "kept = {}\n    for i in range(2000000000):\n        kept[i] = i";
    let words = &[
        "bytes of memory",
        "5 s of CPU time",
        "100000000 loop iterations",
    ];
    too_far(body, &Expected::Lives(words));
}

#[test]
fn st5_much_log_is_cut() {
    let mut worker =
        Worker::with("register_tool('t', 'd', lambda input: log('ä' * (4 * 1024 * 1024)))");
    worker.tool("t", &json!({}));
    let message = worker.questions[0].1["message"].as_str().unwrap();
    assert!(message.len() < 9_000 && message.ends_with("ä [cut: 8388608 bytes]"));
}

const HOOKS: &str = r#"
def first(data):
    return hook_result(modified = {"content": data["content"] + "1"})
def second(data):
    return {"modified": {"extra": data["content"] + "2"}}
def third(data):
    return None
for handler in [first, second, third]:
    register_hook("OnAfterToolResult", handler)

register_hook("OnBeforeToolCall", lambda data: hook_result({"input": {"x": 2}}))
register_hook("OnBeforeToolCall", lambda data: hook_result(cancel = data["input"]["x"] == 2, reason = "two"))
register_hook("OnBeforeToolCall", lambda data: fail("not reached"))

register_hook("OnAfterResponse", lambda data: None)
register_hook("OnAfterResponse", lambda data: fail("broken"))

register_hook("OnConversationStart", lambda data: fail("broken"))
register_hook("OnConversationStart", lambda data: hook_result({"user_message": data["user_message"] + "!"}))

register_hook("OnDeactivate", lambda data: {"content": 1})
"#;

fn hook(worker: &mut Worker, phase: &str, data: &Value) -> Value {
    worker.ask("hook/handle", &json!({"phase": phase, "data": data}))
}

#[test]
fn st6_hooks_chain_and_nothing_changes_nothing() {
    let mut worker = Worker::with(HOOKS);
    let answer = hook(
        &mut worker,
        "OnAfterToolResult",
        &json!({"content": "0", "is_error": false}),
    );
    assert_eq!(
        answer["result"],
        json!({"modified": {"content": "01", "extra": "012"}})
    );
    let answer = hook(
        &mut worker,
        "OnBeforeToolCall",
        &json!({"tool": "t", "input": {"x": 1}}),
    );
    let expected = json!({"modified": {"input": {"x": 2}}, "cancel": true, "reason": "two"});
    assert_eq!(answer["result"], expected);
    let answer = hook(&mut worker, "OnBeforePromptBuild", &json!({}));
    assert_eq!(answer.get("result"), Some(&Value::Null), "{answer}");

    // Nothing else came of it: the failure is the answer.
    let answer = hook(&mut worker, "OnAfterResponse", &json!({"response": "r"}));
    let message = "broken\n  at skill.star:16:47";
    assert_eq!(answer["error"], json!({"code": -32000, "message": message}));
    // Another handler changed something: the failure goes to the log.
    let answer = hook(
        &mut worker,
        "OnConversationStart",
        &json!({"user_message": "hi"}),
    );
    assert_eq!(
        answer["result"],
        json!({"modified": {"user_message": "hi!"}})
    );
    let (method, said) = &worker.questions[0];
    assert_eq!(method, "host/log");
    assert_eq!(
        said["message"],
        "OnConversationStart: broken\n  at skill.star:18:51"
    );

    let answer = hook(&mut worker, "OnDeactivate", &json!({}));
    let message = "invalid result of a hook: expected None or a hook_result(modified=..., cancel=..., reason=...), got a dict with the key \"content\"";
    assert_eq!(answer["error"]["message"], message);
}

#[test]
fn st6_one_none_is_no_change() {
    let mut worker = Worker::with("register_hook('OnActivate', lambda data: None)");
    let answer = hook(&mut worker, "OnActivate", &json!({"skill": "x"}));
    assert_eq!(answer.get("result"), Some(&Value::Null), "{answer}");
}

#[test]
fn st7_what_is_denied_at_top_level_fails_the_activation() {
    let mut worker = Worker::start();
    let source = "x = 1\ny = env('HOME')\n";
    let deny = |_: &str, _: &Value| Err((-32001, "`env:read` is not approved"));
    let answer = worker.initialize_with(&[("skill.star", source)], deny);
    let message = "`env:read` is not approved\n  at skill.star:2:5";
    assert_eq!(answer["error"], json!({"code": -32001, "message": message}));
    assert_eq!(
        worker.questions,
        [("host/env".to_owned(), json!({"name": "HOME"}))]
    );
}

#[test]
fn st8_trivial_calls_are_quick() {
    let mut worker = Worker::with("register_tool('t', 'd', lambda input: 'fine')");
    let mut times: Vec<_> = (0..1_000)
        .map(|_| {
            let began = Instant::now();
            assert_eq!(worker.tool("t", &json!({"a": 1})), "fine");
            began.elapsed()
        })
        .collect();
    times.sort();
    // Without optimisation nothing is promised; `examples/round_trip.rs` measures.
    let most = Duration::from_micros(if cfg!(debug_assertions) { 3_000 } else { 100 });
    assert!(times[500] < most, "{:?}", times[500]);
}

#[test]
fn hk10_unknown_phase_names_the_nine() {
    let mut worker = Worker::start();
    let answer = worker.initialize(&[("skill.star", "register_hook('OnLunch', len)")]);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("unknown phase `OnLunch`; expected one of: "),
        "{message}"
    );
    assert!(message.ends_with("\n  at skill.star:1:1"), "{message}");
    assert!(
        Phase::ALL
            .iter()
            .all(|phase| message.contains(phase.name()))
    );
}

#[test]
fn registrations_are_checked() {
    let table = [
        (
            "register_tool('a', 'd', len)\nregister_tool('a', 'd', len)",
            "duplicate tool `a`\n  at skill.star:2:1",
        ),
        (
            "register_workflow('a', len)\nregister_workflow('a', len)",
            "duplicate workflow `a`\n  at skill.star:2:1",
        ),
        (
            "register_scanner('a', len)\nregister_scanner('a', len)",
            "duplicate scanner `a`\n  at skill.star:2:1",
        ),
        (
            "register_tool('', 'd', len)",
            "missing name of a tool\n  at skill.star:1:1",
        ),
        (
            "register_tool('a', 'd', 'len')",
            "invalid handler: expected a function, got `string`\n  at skill.star:1:1",
        ),
        (
            "register_hook('OnActivate', None)",
            "invalid handler: expected a function, got `NoneType`\n  at skill.star:1:1",
        ),
        (
            "register_tool('a', 'd', len, input_schema = [])",
            "invalid input schema: expected a dict, got a value of type `list`\n  at skill.star:1:1",
        ),
        ("def f(x):\n    return x +\n", "at skill.star:2:15"),
        (
            "load('none.star', 'x')",
            "the skill has no file `none.star`; it has a.star, b.star, c.star, skill.star\n  at skill.star:1:1",
        ),
        (
            "load('../x.star', 'x')",
            "the skill has no file `../x.star`",
        ),
        (
            "load('/etc/passwd', 'x')",
            "the skill has no file `/etc/passwd`",
        ),
        (
            "load('a.star', 'a')",
            "cyclic load: skill.star -> a.star -> b.star -> a.star\n  at b.star:1:1",
        ),
        (
            "load('c.star', 'c')\n",
            "Floor division by zero: 1 // 0\n  at c.star:2:9",
        ),
        ("load('c.star', '_x')\n", "at "),
        ("x = undefined_name", "at skill.star:1:5"),
    ];
    for (source, expected) in table {
        let files = [
            ("skill.star", source),
            ("a.star", "load('b.star', 'b')\na = 1"),
            ("b.star", "load('a.star', 'a')\nb = 1"),
            ("c.star", "zero = 0\nc = 1 + 1 // zero\n"),
        ];
        let answer = Worker::start().initialize(&files);
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(expected), "{source}\n{message}");
        assert_eq!(answer["error"]["code"], json!(-32000), "{message}");
    }
}

#[test]
fn registrations_are_reported() {
    let skill = r#"
load("./lib.star", "add_all", shared = "handler")
register_tool("first", "The first", shared, input_schema = {"type": "object", "required": ["x"], "maximum": 1 << 70})
add_all()
register_hook("OnActivate", shared)
register_hook("OnActivate", shared)
register_scanner("s", shared)
"#;
    let lib = r#"
def handler(input):
    return ["handled", input]
def add_all():
    register_tool("second", "", lambda input: handler(input))
register_workflow("from-lib", handler)
"#;
    let mut worker = Worker::start();
    let answer = worker.initialize(&[("skill.star", skill), ("lib.star", lib)]);
    let schema: Value = serde_json::from_str(
        r#"{"type": "object", "required": ["x"], "maximum": 1180591620717411303424}"#,
    )
    .unwrap();
    assert_eq!(
        answer["result"],
        json!({
            "tools": [
                {"name": "first", "description": "The first", "input_schema": schema},
                {"name": "second", "description": "", "input_schema": {"type": "object"}},
            ],
            "hooks": ["OnActivate"], "workflows": ["from-lib"], "scanners": ["s"],
        })
    );
    for name in ["first", "second"] {
        assert_eq!(worker.tool(name, &json!(1)), r#"["handled",1]"#);
    }
    let answer = worker.ask(
        "workflow/run",
        &json!({"name": "from-lib", "input": {"a": 1}}),
    );
    assert_eq!(answer["result"]["content"], r#"["handled",{"a":1}]"#);
    for (method, kind) in [("tool/execute", "tool"), ("workflow/run", "workflow")] {
        let answer = worker.ask(method, &json!({"name": "none"}));
        let message = format!("unknown {kind} `none`");
        assert_eq!(answer["error"], json!({"code": -32602, "message": message}));
    }
}

#[test]
fn handlers_cannot_register_or_store() {
    let source = r#"
seen = []
def late(input):
    register_tool("x", "d", late)
def keep(input):
    seen.append(input)
register_tool("late", "d", late)
register_tool("keep", "d", keep)
"#;
    let mut worker = Worker::with(source);
    assert_eq!(
        worker.failing("late", &json!({})),
        "`register_tool` can only be called at load time, not in a handler\n  at skill.star:4:5"
    );
    assert_eq!(
        worker.failing("keep", &json!({})),
        "Immutable\n  at skill.star:6:5"
    );
}

#[test]
fn scanners_return_findings() {
    let source = r#"
def scan(files):
    found = []
    for file in files:
        for at, line in enumerate(file["text"].splitlines()):
            if "bad" in line:
                found.append({"rule": "r", "severity": "high", "file": file["path"], "line": at + 1, "message": line})
    return found
register_scanner("scan", scan)
register_scanner("none", lambda files: None)
register_scanner("text", lambda files: "x")
register_scanner("bare", lambda files: [{"rule": "r"}])
register_scanner("worse", lambda files: [{"rule": "r", "severity": "worse", "file": "f", "message": "m"}])
register_scanner("line", lambda files: [{"rule": "r", "severity": "low", "file": "f", "message": "m", "line": 0}])
register_scanner("two", lambda files: [{"rule": "r", "severity": "low", "file": "f", "message": "m"}, 2])
"#;
    let mut worker = Worker::with(source);
    let files = json!([{"path": "a", "text": "good\nbad\n"}, {"path": "b", "text": ""}]);
    let mut scan = |name: &str| worker.ask("scanner/run", &json!({"name": name, "files": files}));
    let finding =
        json!({"rule": "r", "severity": "high", "file": "a", "line": 2, "message": "bad"});
    assert_eq!(scan("scan")["result"], json!({"findings": [finding]}));
    assert_eq!(scan("none")["result"], json!({"findings": []}));
    let table = [
        (
            "text",
            "invalid result of a scanner: expected a list of dicts with rule, severity, file, message and optionally line, got a value of type `string`",
        ),
        (
            "bare",
            "invalid `severity` of finding 0: expected a string, got absent",
        ),
        (
            "worse",
            "invalid `severity` of finding 0: expected critical, high, medium, low or info, got `worse`",
        ),
        (
            "line",
            "invalid `line` of finding 0: expected a positive integer, got 0",
        ),
        (
            "two",
            "invalid finding 1: expected a dict with rule, severity, file, message and optionally line, got a value of type `int`",
        ),
    ];
    for (name, expected) in table {
        assert_eq!(
            scan(name)["error"],
            json!({"code": -32000, "message": expected})
        );
    }
}

/// Answers each question with something of the agreed shape.
#[expect(clippy::unnecessary_wraps, reason = "it is a host")]
fn friendly(method: &str, _: &Value) -> Reply {
    Ok(match method {
        "host/read_file" | "host/complete" | "host/git_diff" => json!({"content": "text"}),
        "host/list_dir" => json!({"entries": [{"name": "a", "is_dir": true, "size": 0}]}),
        "host/search_files" => json!({"files": ["a.rs"]}),
        "host/exec" => json!({"stdout": "", "stderr": "", "exit_code": 0}),
        "host/env" => json!({"value": null}),
        "host/fetch" => json!({"status": 200, "headers": {}, "body": "b"}),
        "host/git_log" => json!({"commits": [{"hash": "h"}]}),
        "host/git_status" => json!({"files": [{"path": "p", "status": "M"}]}),
        "host/git_commit" => json!({"hash": "h"}),
        "host/invoke_skill" => json!({"content": "other", "is_error": false}),
        _ => Value::Null,
    })
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn every_function_calls_the_host() {
    let table = [
        (
            "log('a', 1, [2])",
            "host/log",
            json!({"message": "a 1 [2]"}),
            "null",
        ),
        (
            "print('a', 1)",
            "host/log",
            json!({"message": "a 1"}),
            "null",
        ),
        (
            "read_file('p')",
            "host/read_file",
            json!({"path": "p"}),
            r#""text""#,
        ),
        (
            "write_file('p', content = 'c')",
            "host/write_file",
            json!({"path": "p", "content": "c"}),
            "null",
        ),
        (
            "list_dir()",
            "host/list_dir",
            json!({"path": "."}),
            r#"[{"name":"a","is_dir":true,"size":0}]"#,
        ),
        (
            "search_files('*.rs')",
            "host/search_files",
            json!({"pattern": "*.rs"}),
            r#"["a.rs"]"#,
        ),
        (
            "exec('ls', '-l')",
            "host/exec",
            json!({"command": ["ls", "-l"]}),
            r#"{"stdout":"","stderr":"","exit_code":0}"#,
        ),
        ("env('X')", "host/env", json!({"name": "X"}), "null"),
        (
            "set_env('X', 'y')",
            "host/set_env",
            json!({"name": "X", "value": "y"}),
            "null",
        ),
        (
            "llm_complete('q', system = 's', max_tokens = 5)",
            "host/complete",
            json!({"prompt": "q", "system": "s", "max_tokens": 5}),
            r#""text""#,
        ),
        (
            "llm_complete('q')",
            "host/complete",
            json!({"prompt": "q"}),
            r#""text""#,
        ),
        (
            "fetch('http://x', method = 'POST', headers = {'A': 'b'}, body = 'c')",
            "host/fetch",
            json!({"url": "http://x", "method": "POST", "headers": {"A": "b"}, "body": "c"}),
            r#"{"status":200,"headers":{},"body":"b"}"#,
        ),
        (
            "git_diff('HEAD', 'src')",
            "host/git_diff",
            json!({"args": ["HEAD", "src"]}),
            r#""text""#,
        ),
        (
            "git_log(limit = 3)",
            "host/git_log",
            json!({"limit": 3, "args": []}),
            r#"[{"hash":"h"}]"#,
        ),
        (
            "git_log('main')",
            "host/git_log",
            json!({"limit": 10, "args": ["main"]}),
            r#"[{"hash":"h"}]"#,
        ),
        (
            "git_status()",
            "host/git_status",
            json!({}),
            r#"[{"path":"p","status":"M"}]"#,
        ),
        (
            "git_add('a', 'b')",
            "host/git_add",
            json!({"paths": ["a", "b"]}),
            "null",
        ),
        (
            "git_commit('m')",
            "host/git_commit",
            json!({"message": "m"}),
            r#""h""#,
        ),
        (
            "invoke_skill('s', 't', {'x': 1})",
            "host/invoke_skill",
            json!({"skill": "s", "name": "t", "input": {"x": 1}}),
            r#""other""#,
        ),
    ];
    for (source, method, params, expected) in table {
        let skill = format!("register_tool('t', 'd', lambda input: [{source}])");
        let mut worker = Worker::with(&skill);
        let answer = worker.ask_with("tool/execute", &json!({"name": "t"}), friendly);
        let content = answer["result"]["content"].as_str().unwrap();
        // The host of this test sorts keys, so it is values that are compared.
        let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(value(content), json!([value(expected)]), "{source}");
        assert_eq!(worker.questions, [(method.to_owned(), params)], "{source}");
    }
}

#[test]
fn functions_without_host_calls() {
    let table = [
        ("project_root()", r#""/project""#),
        ("skill_dir()", r#""/skill""#),
        (
            "json.encode({'b': [1, None], 'a': 1.5})",
            r#""{\"b\":[1,null],\"a\":1.5}""#,
        ),
        (
            "json.decode('{\"b\": 2.0, \"a\": [123456789012345678901234567890]}')",
            r#"{"b":2,"a":[123456789012345678901234567890]}"#,
        ),
        ("hook_result()", r#"{"cancel":false}"#),
        (
            "hook_result({'a': 1}, cancel = True, reason = 'r')",
            r#"{"modified":{"a":1},"cancel":true,"reason":"r"}"#,
        ),
        ("sorted(set([2, 1]))", "[1,2]"),
        (
            "map(lambda x: x + 1, filter(lambda x: x > 1, [1, 2]))",
            "[3]",
        ),
        ("f'{input}'", r#""None""#),
    ];
    for (source, expected) in table {
        let skill = format!("register_tool('t', 'd', lambda input: [{source}])");
        let content = Worker::with(&skill).tool("t", &Value::Null);
        assert_eq!(content, format!("[{expected}]"), "{source}");
    }
    let table = [
        (
            "json.decode('{')",
            "invalid JSON: EOF while parsing an object",
        ),
        ("json.decode('1e999')", "the number 1e999 is out of range"),
        (
            "json.encode(len)",
            "cannot convert a value of type `function` to JSON",
        ),
        (
            "exec()",
            "invalid command: expected a program and its arguments, got empty",
        ),
        (
            "git_log(limit = -1)",
            "invalid `limit`: expected 0 or more, got -1",
        ),
        (
            "read_file('p')",
            "malformed response from the host: missing `content`",
        ),
        (
            "invoke_skill('s', 't')",
            "malformed response from the host: missing `content`",
        ),
    ];
    for (source, expected) in table {
        let skill = format!("register_tool('t', 'd', lambda input: {source})");
        let content = Worker::with(&skill).failing("t", &Value::Null);
        assert!(content.starts_with(expected), "{source}: {content}");
        assert!(
            content.contains("\n  at skill.star:1:39"),
            "{source}: {content}"
        );
    }
}

#[test]
fn another_skill_that_fails_is_a_failure() {
    let mut worker = Worker::with("register_tool('t', 'd', lambda input: invoke_skill('s', 'u'))");
    let host = |_: &str, _: &Value| Ok(json!({"content": "broken", "is_error": true}));
    let answer = worker.ask_with("tool/execute", &json!({"name": "t"}), host);
    let expected = "`u` of the skill `s` failed: broken\n  at skill.star:1:39";
    assert_eq!(
        answer["result"],
        json!({"content": expected, "is_error": true})
    );
}

#[test]
fn annotations_are_read_and_not_enforced() {
    let source = "def f(input: str, *, more: list[int] = []) -> int:\n    return input\nregister_tool('t', 'd', f)";
    assert_eq!(Worker::with(source).tool("t", &json!(["x"])), r#"["x"]"#);
}
