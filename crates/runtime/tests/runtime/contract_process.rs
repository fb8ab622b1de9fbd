//! The process protocol: each test is named after its row. The programs are Python, in a real jail.

use std::time::{Duration, Instant};

use prowess_runtime::{ActivationState, ApprovalDecision};
use serde_json::json;

use crate::place::{Place, Running, id};

/// The part of the protocol that every program here shares.
const PRELUDE: &str = r#"
import json, os, sys, time
def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()
def answer(request, result):
    send({"jsonrpc": "2.0", "id": request["id"], "result": result})
def refuse(request, code, message):
    send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}})
def requests():
    for line in sys.stdin:
        yield json.loads(line)
def tools(*names):
    return {"tools": [{"name": name, "description": "d"} for name in names]}
"#;

const ECHO: &str = r#"
for request in requests():
    method = request["method"]
    if method == "initialize":
        answer(request, tools("echo"))
    elif method == "tool/execute":
        answer(request, {"content": request["params"]["input"].get("message", ""), "is_error": False})
    elif method == "shutdown":
        answer(request, None)
        break
"#;

fn program(place: &Place, name: &str, permissions: &str, code: &str) {
    let manifest = format!(
        "name: {name}\nversion: 1.0.0\ndescription: d\ntypes: [tool, workflow]\n\
         implementation: {{backend: process, command: [python3, main.py]}}\n{permissions}"
    );
    place.write(&format!("skills/{name}/SKILL.yaml"), &manifest);
    place.write(
        &format!("skills/{name}/main.py"),
        format!("{PRELUDE}{code}"),
    );
}

async fn running(code: &str, call_time: u64) -> (Place, Running) {
    let place = Place::new();
    program(&place, "a", "", code);
    let running = place.open_with(ApprovalDecision::Once, |parts| {
        parts.workers.call_time = Some(Duration::from_secs(call_time));
    });
    let running = running.await.with(&["a"]).await;
    (place, running)
}

#[tokio::test]
async fn r1_what_is_started() {
    let place = Place::new();
    let manifest = |name: &str, implementation: &str| {
        let text = format!(
            "name: {name}\nversion: 1.0.0\ndescription: d\ntypes: [tool]\nimplementation: {{backend: process, {implementation}}}\n"
        );
        place.write(&format!("skills/{name}/SKILL.yaml"), &text);
    };
    manifest("entry", "entrypoint: bin/main");
    place.write(
        "skills/entry/bin/main",
        format!("#!/usr/bin/env python3\n{PRELUDE}{ECHO}"),
    );
    manifest("extension", "entrypoint: main.py");
    place.write(
        "skills/extension/main.py",
        format!("{PRELUDE}{}", ECHO.replace("echo", "echo2")),
    );
    manifest("own", "command: [\"./bin/run\", \"x\"]");
    place.write(
        "skills/own/bin/run",
        format!(
            "#!/usr/bin/python3\n{PRELUDE}{}",
            ECHO.replace("echo", "echo3")
        ),
    );
    manifest("text", "entrypoint: notes.txt");
    place.write("skills/text/notes.txt", "just text\n");
    manifest("gone", "command: [\"./bin/nothing\"]");
    manifest("foreign", "command: [no-such-interpreter, main.x]");
    let running = place
        .open()
        .await
        .with(&["entry", "extension", "own"])
        .await;
    for tool in ["echo", "echo2", "echo3"] {
        let called = running.call(tool, json!({"message": "hi"})).await;
        assert_eq!(called, ("hi".into(), false), "{tool}");
    }
    for (name, reason) in [
        ("text", "`notes.txt` is no program"),
        ("gone", "`bin/nothing` is not in the skill"),
        ("foreign", "`no-such-interpreter` is not installed"),
    ] {
        let error = running
            .runtime
            .activate(&id(name))
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains(reason), "{name}: {error}");
    }
}

#[tokio::test]
async fn r2_exit_before_the_first_message() {
    let place = Place::new();
    program(&place, "a", "", "sys.exit('no licence found')");
    let running = place.open().await;
    let error = running
        .runtime
        .activate(&id("a"))
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("no licence found"), "{error}");
    assert_eq!(running.runtime.state(&id("a")).0, ActivationState::Error);
}

#[tokio::test]
async fn r3_a_late_answer_is_dropped() {
    let code = r#"
first = None
for request in requests():
    if request["method"] == "initialize":
        answer(request, tools("t"))
    elif request["method"] == "tool/execute":
        if first is None:
            first = request
        else:
            answer(first, {"content": "late", "is_error": False})
            answer(request, {"content": "second", "is_error": False})
"#;
    let (_place, running) = running(code, 1).await;
    let (text, is_error) = running.call("t", json!({})).await;
    assert!(is_error && text.contains("timed out after 1 s"), "{text}");
    assert_eq!(running.call("t", json!({})).await, ("second".into(), false));
}

#[tokio::test]
async fn r4_stray_text_is_ignored_up_to_a_bound() {
    let code = r#"
print("hello from a library")
for request in requests():
    print("debug:", request["method"])
    if request["method"] == "initialize":
        answer(request, tools("t", "flood"))
    elif request["params"]["name"] == "flood":
        for _ in range(40):
            print("x" * 50000)
        answer(request, {"content": "never"})
    else:
        answer(request, {"content": "fine"})
"#;
    let (_place, running) = running(code, 10).await;
    assert_eq!(running.call("t", json!({})).await, ("fine".into(), false));
    let (text, is_error) = running.call("flood", json!({})).await;
    assert!(
        is_error && text.contains("of output besides messages"),
        "{text}"
    );
    assert_eq!(running.call("t", json!({})).await, ("fine".into(), false));
}

#[tokio::test]
async fn r5_lines_that_are_no_messages() {
    let code = r#"
for request in requests():
    if request["method"] == "initialize":
        answer(request, tools("t", "long", "broken", "deep"))
    elif request["params"]["name"] == "long":
        answer(request, {"content": "x" * 2000000})
    elif request["params"]["name"] == "broken":
        print('{"jsonrpc": "2.0", "id": 2, "result": ')
        sys.stdout.flush()
    elif request["params"]["name"] == "deep":
        print('{"jsonrpc": "2.0", "id": %d, "result": %s1%s}' % (request["id"], "[" * 100000, "]" * 100000))
        sys.stdout.flush()
    else:
        answer(request, {"content": "fine"})
"#;
    let (_place, running) = running(code, 10).await;
    for (tool, reason) in [
        ("long", "stopped: line of more than 1048576 bytes"),
        ("broken", "stopped: malformed message"),
        ("deep", "stopped: malformed message"),
    ] {
        let (text, is_error) = running.call(tool, json!({})).await;
        assert!(is_error && text.contains(reason), "{tool}: {text}");
        assert_eq!(
            running.call("t", json!({})).await,
            ("fine".into(), false),
            "after {tool}"
        );
    }
}

#[tokio::test]
async fn r6_killed_and_started_again_after_pauses_that_double() {
    let code = r#"
start, ready = time.monotonic_ns(), False
for request in requests():
    if request["method"] == "initialize":
        ready = True
        answer(request, tools("t", "die"))
    elif request["params"]["name"] == "die":
        os.kill(os.getpid(), 9)
    else:
        answer(request, {"content": f"{ready} {start}"})
"#;
    let (_place, running) = running(code, 10).await;
    let mut seen = vec![running.call("t", json!({})).await.0];
    for pause in [50, 100, 200, 400].map(Duration::from_millis) {
        let (text, is_error) = running.call("die", json!({})).await;
        assert!(is_error && text.contains("the worker exited"), "{text}");
        let asked = Instant::now();
        let (text, is_error) = running.call("t", json!({})).await;
        assert!(!is_error && text.starts_with("True "), "{text}");
        assert!(asked.elapsed() >= pause, "{:?}", asked.elapsed());
        assert!(!seen.contains(&text), "a process of its own");
        seen.push(text);
    }
    let events = running.told();
    let ended = events.iter().filter(|it| it["type"] == "worker-ended");
    assert_eq!(ended.count(), 4);
    assert_eq!(running.runtime.state(&id("a")).0, ActivationState::Active);
}

#[tokio::test]
async fn r7_five_crashes_end_in_an_error() {
    // The first start works; each one after it ends at once. The project remembers which it is.
    let code = r#"
seen = os.path.exists("/project/seen")
open("/project/seen", "w").close()
if seen:
    sys.exit("again")
for request in requests():
    if request["method"] == "initialize":
        answer(request, tools("t"))
    else:
        os.kill(os.getpid(), 9)
"#;
    let place = Place::new();
    program(&place, "a", "permissions: [\"file:write\"]\n", code);
    let running = place.open().await.with(&["a"]).await;
    assert!(running.call("t", json!({})).await.1);
    let (text, is_error) = running.call("t", json!({})).await;
    assert!(is_error && text.contains("crashed 5 times"), "{text}");
    assert_eq!(running.runtime.state(&id("a")).0, ActivationState::Error);
    assert!(running.runtime.tools().is_empty());
}

#[tokio::test]
async fn r8_a_hundred_calls_at_once() {
    let code = r#"
waiting = []
for request in requests():
    if request["method"] == "initialize":
        answer(request, tools("t"))
        continue
    waiting.append(request)
    if len(waiting) == 100:
        for one in reversed(waiting):
            answer(one, {"content": str(one["params"]["input"]["n"])})
        waiting = []
"#;
    let (_place, running) = running(code, 20).await;
    let calls: Vec<_> = (0..100)
        .map(|n| {
            let runtime = running.runtime.clone();
            tokio::spawn(async move { (n, runtime.call_tool("t", json!({"n": n})).await.unwrap()) })
        })
        .collect();
    for call in calls {
        let (n, result) = call.await.unwrap();
        assert_eq!(result.content, n.to_string());
    }
}

#[tokio::test]
async fn r9_shutdown_then_kill() {
    let polite = r#"
for request in requests():
    if request["method"] == "initialize":
        answer(request, tools("t"))
    elif request["method"] == "shutdown":
        open("/project/bye", "w").close()
        answer(request, None)
        break
"#;
    let stubborn = r#"
import signal, subprocess
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen(["sleep", "86.25"], start_new_session=True)
for request in requests():
    if request["method"] == "initialize":
        answer(request, tools("u"))
while True:
    time.sleep(1)
"#;
    let place = Place::new();
    program(&place, "polite", "permissions: [\"file:write\"]\n", polite);
    program(&place, "stubborn", "", stubborn);
    let running = place.open().await.with(&["polite", "stubborn"]).await;
    running.runtime.deactivate(&id("polite")).await;
    assert!(place.path("project/bye").exists());
    let began = Instant::now();
    running.runtime.deactivate(&id("stubborn")).await;
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(
        running.runtime.state(&id("stubborn")).0,
        ActivationState::Inactive
    );
    let left = std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        command.starts_with(b"sleep\x0086.25")
    });
    assert!(!left, "its child is left");
}

#[tokio::test]
async fn r10_sandbox_refusals() {
    let code = r#"
import socket, subprocess
def attempt(work):
    try:
        return "done: %r" % (work(),)
    except BaseException as error:
        return "refused: %s" % type(error).__name__
def connect():
    socket.create_connection(("127.0.0.1", int(port)), 1)
def forks():
    for _ in range(10000):
        subprocess.Popen(["sleep", "60"])
ATTEMPTS = {
    "network": lambda: connect(),
    "write": lambda: open("/skill/x", "w"),
    "outside": lambda: open("/etc/x", "w"),
    "home": lambda: os.listdir("/root") + os.listdir("/home"),
    "environment": lambda: os.environ["CANARY"],
    "forks": forks,
    "memory": lambda: len(bytearray(10 * 1024 ** 3)),
}
for request in requests():
    if request["method"] == "initialize":
        answer(request, tools("try"))
    else:
        port = request["params"]["input"].get("port", 1)
        answer(request, {"content": attempt(ATTEMPTS[request["params"]["input"]["what"]])})
"#;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let (_place, running) = running(code, 20).await;
    for what in [
        "network",
        "write",
        "outside",
        "home",
        "environment",
        "memory",
        "forks",
    ] {
        let (text, _) = running
            .call("try", json!({"what": what, "port": port}))
            .await;
        assert!(!text.starts_with("done"), "{what}: {text}");
    }
    assert!(listener.accept().is_err(), "somebody reached the network");
}

#[tokio::test]
async fn r12_results_of_the_wrong_shape() {
    let code = r#"
for request in requests():
    if request["method"] == "initialize":
        answer(request, {"tools": [{"name": "t", "description": ""}], "workflows": ["w"]})
    else:
        answer(request, request["params"]["input"]["answer"])
"#;
    let place = Place::new();
    program(&place, "a", "", code);
    let running = place.open().await.with(&["a"]).await;
    for answer in [
        json!({"text": "x"}),
        json!("x"),
        json!({}),
        json!({"content": 7}),
    ] {
        let input = json!({"answer": answer});
        let (text, is_error) = running.call("t", input.clone()).await;
        assert!(is_error && text.contains("malformed"), "{answer}: {text}");
        let run = running.runtime.run_workflow(&id("a"), "w", input).await;
        let output = run.unwrap();
        assert!(output.is_error, "{answer}: {output:?}");
    }
    let input = json!({"answer": {"content": "fine"}});
    assert_eq!(running.call("t", input).await, ("fine".to_owned(), false));
}

#[tokio::test]
async fn r11_host_calls_that_are_not_allowed() {
    let code = r#"
for request in requests():
    if request["method"] == "initialize":
        answer(request, tools("ask"))
        continue
    send({"jsonrpc": "2.0", "id": "c1", "method": "host/" + request["params"]["input"]["what"], "params": request["params"]["input"].get("params", {})})
    got = json.loads(sys.stdin.readline())
    assert got["id"] == "c1"
    answer(request, {"content": json.dumps(got.get("result", got.get("error")))})
"#;
    let place = Place::new();
    place.write("project/x.txt", "inside");
    program(&place, "a", "permissions: [\"file:read\"]\n", code);
    let running = place.open().await.with(&["a"]).await;
    let ask = |what: &str, params: serde_json::Value| {
        let runtime = running.runtime.clone();
        let input = json!({"what": what, "params": params});
        async move {
            let result = runtime.call_tool("ask", input).await.unwrap();
            serde_json::from_str::<serde_json::Value>(&result.content).unwrap()
        }
    };
    assert_eq!(
        ask("read_file", json!({"path": "x.txt"})).await,
        json!({"content": "inside"})
    );
    assert_eq!(
        ask("write_file", json!({"path": "x.txt", "content": "y"})).await["code"],
        -32001
    );
    assert_eq!(
        ask("exec", json!({"command": ["true"]})).await["code"],
        -32001
    );
    assert_eq!(
        ask("read_file", json!({"path": "../secret"})).await["code"],
        -32001
    );
    assert_eq!(ask("read_file", json!({})).await["code"], -32602);
    assert_eq!(ask("nonsense", json!({})).await["code"], -32601);
}

#[tokio::test]
async fn permissions_configure_the_sandbox() {
    let code = r#"
def see():
    seen = []
    for path in ["/project/x.txt"]:
        try:
            seen.append(open(path).read())
        except OSError as error:
            seen.append(type(error).__name__)
    try:
        open("/project/new.txt", "w").write("new")
        seen.append("wrote")
    except OSError as error:
        seen.append(type(error).__name__)
    return json.dumps(seen)
for request in requests():
    if request["method"] == "initialize":
        answer(request, tools("see"))
    else:
        answer(request, {"content": see()})
"#;
    for (permissions, expected) in [
        ("", json!(["FileNotFoundError", "FileNotFoundError"])),
        (
            "permissions: [\"file:read\"]\n",
            json!(["inside", "OSError"]),
        ),
        (
            "permissions: [\"file:write\"]\n",
            json!(["inside", "wrote"]),
        ),
    ] {
        let place = Place::new();
        place.write("project/x.txt", "inside");
        program(&place, "a", permissions, code);
        let running = place.open().await.with(&["a"]).await;
        let (text, _) = running.call("see", json!({})).await;
        let seen: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(seen, expected, "{permissions}");
    }
}

#[tokio::test]
async fn approved_content_is_what_runs() {
    // The file changes between being read and being started again: the old bytes run, until the skill is asked about.
    let code = r#"
for request in requests():
    if request["method"] == "initialize":
        answer(request, tools("t", "die"))
    elif request["params"]["name"] == "die":
        os.kill(os.getpid(), 9)
    else:
        answer(request, {"content": "old"})
"#;
    let (place, running) = running(code, 10).await;
    program(&place, "a", "", &code.replace("\"old\"", "\"new\""));
    running.call("die", json!({})).await;
    assert_eq!(running.call("t", json!({})).await.0, "old");
    running.runtime.begin_turn().await;
    assert!(running.runtime.active().is_empty());
}

#[tokio::test]
async fn incomplete_line_is_not_a_message() {
    let code = r#"
for request in requests():
    if request["method"] == "initialize":
        answer(request, tools("half", "slow", "reuse", "t"))
    elif request["params"]["name"] == "half":
        sys.stdout.write('{"jsonrpc": "2.0", "id"')
        sys.stdout.flush()
        os.kill(os.getpid(), 9)
    elif request["params"]["name"] == "slow":
        for letter in '{"jsonrpc": "2.0", "id": %d, "result": {"content": "slow"}}' % request["id"]:
            sys.stdout.write(letter)
            sys.stdout.flush()
        sys.stdout.write("\n")
        sys.stdout.flush()
    elif request["params"]["name"] == "reuse":
        answer(request, {"content": "first"})
        answer(request, {"content": "again"})
    else:
        answer(request, {"content": "fine"})
"#;
    let (_place, running) = running(code, 10).await;
    assert!(running.call("half", json!({})).await.1);
    assert_eq!(
        running.call("slow", json!({})).await,
        ("slow".into(), false)
    );
    assert_eq!(
        running.call("reuse", json!({})).await,
        ("first".into(), false)
    );
    assert_eq!(running.call("t", json!({})).await, ("fine".into(), false));
}
