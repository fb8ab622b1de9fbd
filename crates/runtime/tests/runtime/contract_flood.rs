//! Q24: skills that write into the log without end. Memory is measured in a process of its own, so that no other
//! test counts.

use std::fs;
use std::process::Command;
use std::time::Duration;

use prowess_runtime::ApprovalDecision;
use serde_json::json;

use crate::place::{Place, Running};

const MEASURED: &str = "PROWESS_TEST_MEASURED";
/// What the host may need for the calls that a worker does not wait for, and for what it keeps of the log.
const GROWTH_KIB: usize = 16 * 1024;
/// What one call may write into the log, with the line that says that there was more.
const OUTPUT_BYTES: usize = 300 * 1024;

/// Runs the test again in a process of its own, unless this is that process.
fn is_measured(name: &str) -> bool {
    if std::env::var_os(MEASURED).is_some() {
        return true;
    }
    let done = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("contract_flood::{name}"), "--nocapture"])
        .env(MEASURED, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(text.contains("1 passed"), "{text}");
    false
}

/// The largest resident memory since `forget_peak`, in KiB.
fn peak() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.unwrap().trim().trim_end_matches(" kB");
    number.parse().unwrap()
}

fn forget_peak() {
    fs::write("/proc/self/clear_refs", "5").unwrap();
}

/// Calls a tool, and asserts that it was ended and left little behind.
async fn floods(running: &Running, tool: &str) {
    running.call("quiet", json!({})).await;
    forget_peak();
    let before = peak();
    let (text, is_error) = running.call(tool, json!({})).await;
    let growth = peak().saturating_sub(before);
    assert!(is_error, "{text}");
    // It was the flood that failed, not something before it.
    let lines = running.log();
    assert!(lines.len() > 10, "{text}: {lines:?}");
    assert!(growth <= GROWTH_KIB, "{tool}: {growth} KiB");
    let bytes: usize = lines.iter().map(String::len).sum();
    assert!(bytes <= OUTPUT_BYTES, "{bytes} bytes of log");
    assert!(lines.len() <= 1_100, "{} lines of log", lines.len());
}

/// A program with tools that ask the host without reading its answers. One that took too long goes on asking, so
/// each flood needs a program of its own.
async fn program() -> (Place, Running) {
    let place = Place::new();
    place.write(
        "skills/a/SKILL.yaml",
        "name: a\nversion: 1.0.0\ndescription: d\ntypes: [tool]\n\
         implementation: {backend: process, command: [python3, main.py]}\n",
    );
    place.write(
        "skills/a/main.py",
        r#"
import json, sys
def answer(request, result):
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "initialize":
        names = ["quiet", "many", "large", "denied"]
        answer(request, {"tools": [{"name": name, "description": "d"} for name in names]})
        continue
    tool = request.get("params", {}).get("name", "quiet")
    method, params, count = {
        "many": ("host/log", {"message": "x" * 100}, 600000),
        "large": ("host/log", {"message": "x" * 900000}, 1000),
        "denied": ("host/read_file", {"path": "x"}, 600000),
    }.get(tool, ("", {}, 0))
    for n in range(count):
        asked = {"jsonrpc": "2.0", "id": "q%d" % n, "method": method, "params": params}
        sys.stdout.write(json.dumps(asked) + "\n")
    answer(request, {"content": "done", "is_error": False})
"#,
    );
    let running = place.open_with(ApprovalDecision::Once, |parts| {
        parts.workers.call_time = Some(Duration::from_secs(2));
    });
    let running = running.await.with(&["a"]).await;
    (place, running)
}

#[tokio::test]
async fn q24_a_program_that_never_reads_is_held_back() {
    if !is_measured("q24_a_program_that_never_reads_is_held_back") {
        return;
    }
    for tool in ["many", "large"] {
        let (_place, running) = program().await;
        floods(&running, tool).await;
    }
}

#[tokio::test]
async fn q24_denial_events_are_bounded() {
    let (_place, running) = program().await;
    let (text, is_error) = running.call("denied", json!({})).await;
    assert!(is_error, "{text}");
    let denied = |event: &serde_json::Value| event["type"] == "denied";
    let count = running.told().iter().filter(|event| denied(event)).count();
    assert!((10..=1_100).contains(&count), "{count}");
}

#[tokio::test]
async fn q24_a_script_that_logs_without_end_is_ended() {
    if !is_measured("q24_a_script_that_logs_without_end_is_ended") {
        return;
    }
    let place = Place::new();
    let code = "
def endless(input):
    for x in range(1000000000):
        log('x' * 1000)
register_tool('endless', '', endless)
register_tool('quiet', '', lambda input: 'quiet')
def some(input):
    for x in range(100):
        log('line', x)
register_tool('some', '', some)
";
    place.skill("a", "tool", "", code);
    let running = place.open_with(ApprovalDecision::Once, |parts| {
        parts.workers.call_time = Some(Duration::from_secs(2));
    });
    let running = running.await.with(&["a"]).await;
    floods(&running, "endless").await;
    // The next call may write again.
    running.events.lock().unwrap().clear();
    let (text, is_error) = running.call("some", json!({})).await;
    assert!(!is_error, "{text}");
    assert_eq!(running.log().len(), 100);
}
