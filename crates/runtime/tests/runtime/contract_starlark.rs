//! The Starlark rows that need a host: limits, restarts, permissions.

use std::time::{Duration, Instant};

use prowess_runtime::{ActivationState, ApprovalDecision};
use serde_json::json;

use crate::place::{Place, id};

#[tokio::test]
async fn st3_failures_say_where() {
    let place = Place::new();
    let code = "
def broken(input):
    return 1 // input['by']
register_tool('broken', '', broken)
";
    place.skill("a", "tool", "", code);
    let running = place.open().await.with(&["a"]).await;
    let (text, is_error) = running.call("broken", json!({"by": 0})).await;
    assert!(is_error && text.contains("skill.star:3:"), "{text}");
    assert_eq!(
        running.call("broken", json!({"by": 1})).await,
        ("1".into(), false)
    );
}

#[tokio::test]
async fn st9_a_skill_reads_its_own_files() {
    let place = Place::new();
    let code = "
def letter(input):
    place = skill_dir()
    names = [it['name'] for it in list_dir(place + '/templates')]
    found = search_files(place + '/**/*.txt')
    return '%s %s %s' % (read_file(place + '/templates/letter.txt'), names, found)
register_tool('letter', '', letter)
register_tool('read', '', lambda input: read_file(input['path']))
";
    // No permission: these are the approved bytes.
    place.skill("a", "tool", "", code);
    place.write("skills/a/templates/letter.txt", "Dear you");
    place.write("skills/a/data.bin", b"\xff\xfe".as_slice());
    let running = place.open().await.with(&["a"]).await;
    assert_eq!(
        running.call("letter", json!({})).await,
        (
            "Dear you [\"letter.txt\"] [\"/skill/templates/letter.txt\"]".to_owned(),
            false
        )
    );
    for (path, expected) in [
        ("/skill/../project/x", "is not in the skill"),
        ("/skill/nothing.txt", "is not in the skill"),
        ("/skill/data.bin", "is not UTF-8 text"),
        ("/skillful/x", "not-declared"),
        ("README.md", "not-declared"),
    ] {
        let (text, is_error) = running.call("read", json!({"path": path})).await;
        assert!(is_error && text.contains(expected), "{path}: {text}");
    }
}

#[tokio::test]
async fn st4_programs() {
    let place = Place::new();
    let code = "register_tool('run', '', lambda input: exec('sh', '-c', 'echo out; echo err >&2; exit 3'))";
    place.skill("a", "tool", "permissions: [\"shell:exec\"]\n", code);
    let running = place.open().await.with(&["a"]).await;
    let (text, is_error) = running.call("run", json!({})).await;
    assert!(!is_error);
    let done: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        done,
        json!({"stdout": "out\n", "stderr": "err\n", "exit_code": 3})
    );
}

#[tokio::test]
async fn st5_limits_end_the_call_and_nothing_else() {
    let place = Place::new();
    let code = "
def endless(input):
    for x in range(1000000000):
        for y in range(1000000000):
            pass
def deep(n):
    return deep(n + 1) + 1
def squaring(input):
    x = 3
    for i in range(64):
        x = x * x
    return 'done'
def nested(input):
    x = []
    for i in range(200000):
        x = [x]
    return str(x)
def much(input):
    return 'a' * (input['n'] // 20)
register_tool('endless', '', endless)
register_tool('deep', '', lambda input: deep(0))
register_tool('long_text', '', lambda input: len('a' * input['n']))
register_tool('long_list', '', lambda input: len([0] * (input['n'] // 6)))
register_tool('squaring', '', squaring)
register_tool('nested', '', nested)
register_tool('much', '', much)
register_tool('fine', '', lambda input: 'fine')
";
    place.skill("a", "tool", "", code);
    let limit = Duration::from_secs(3);
    let running = place.open_with(ApprovalDecision::Once, |parts| {
        parts.workers.call_time = Some(limit);
    });
    let running = running.await.with(&["a"]).await;
    for tool in [
        "endless",
        "deep",
        "long_text",
        "long_list",
        "squaring",
        "nested",
        "much",
    ] {
        let began = Instant::now();
        // Not in the code itself, where it would be computed when the skill is loaded.
        let input = json!({"n": 2_000_000_000});
        let (text, is_error) = running.call(tool, input).await;
        assert!(is_error, "{tool}: {}", text.len());
        assert!(text.len() < 2_000, "{tool}: {} bytes", text.len());
        let names_a_limit = ["limit", "timed out", "too "]
            .iter()
            .any(|it| text.contains(it));
        assert!(names_a_limit, "{tool}: {text}");
        assert!(
            began.elapsed() < limit + Duration::from_secs(2),
            "{tool}: {:?}",
            began.elapsed()
        );
        assert_eq!(
            running.call("fine", json!({})).await,
            ("fine".into(), false),
            "after {tool}"
        );
    }
    assert_eq!(running.runtime.state(&id("a")).0, ActivationState::Active);
}

#[tokio::test]
async fn st5_sources_that_cannot_be_read() {
    let place = Place::new();
    let nested = format!("x = {}1{}\n", "(".repeat(100_000), ")".repeat(100_000));
    place.skill("deep", "tool", "", &nested);
    place.skill(
        "endless",
        "tool",
        "",
        "[x for y in range(1000000000) for x in range(1000000000)]",
    );
    let running = place.open().await;
    for name in ["deep", "endless"] {
        let error = running
            .runtime
            .activate(&id(name))
            .await
            .unwrap_err()
            .to_string();
        assert!(error.len() < 2_000, "{name}: {} bytes", error.len());
        assert_eq!(
            running.runtime.state(&id(name)).0,
            ActivationState::Error,
            "{name}: {error}"
        );
    }
}

#[tokio::test]
async fn st7_no_permission_at_the_top() {
    let place = Place::new();
    place.skill("a", "tool", "", "read_file('x')");
    let running = place.open().await;
    let error = running
        .runtime
        .activate(&id("a"))
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("not-declared") && error.contains("skill.star:1"),
        "{error}"
    );
}

#[tokio::test]
async fn st8_a_thousand_calls() {
    let place = Place::new();
    place.skill(
        "a",
        "tool",
        "",
        "register_tool('add', '', lambda input: input['n'] + 1)",
    );
    let running = place.open().await.with(&["a"]).await;
    for n in 0..1_000 {
        assert_eq!(
            running.call("add", json!({"n": n})).await.0,
            (n + 1).to_string()
        );
    }
    // At once, too: the worker does one after the other, and no answer goes astray.
    let calls = (0..100).map(|n| {
        let runtime = running.runtime.clone();
        tokio::spawn(async move { (n, runtime.call_tool("add", json!({"n": n})).await.unwrap()) })
    });
    for call in calls.collect::<Vec<_>>() {
        let (n, result) = call.await.unwrap();
        assert_eq!(result.content, (n + 1).to_string());
    }
}

#[tokio::test]
async fn a_cancelled_call_ends_its_worker_and_the_next_one_works() {
    let place = Place::new();
    let code = "
def endless(input):
    for x in range(1000000000):
        for y in range(1000000000):
            pass
register_tool('endless', '', endless)
register_tool('fine', '', lambda input: 'fine')
";
    place.skill("a", "tool", "", code);
    let running = place.open().await.with(&["a"]).await;
    let call = running.runtime.call_tool("endless", json!({}));
    assert!(
        tokio::time::timeout(Duration::from_millis(200), call)
            .await
            .is_err()
    );
    let began = Instant::now();
    assert_eq!(running.call("fine", json!({})).await.0, "fine");
    assert!(began.elapsed() < Duration::from_secs(3));
}

#[tokio::test]
async fn a_skill_cannot_do_what_its_worker_cannot() {
    // There is no way to a file, a program or the network but the host's; and code of other files of the skill loads.
    let place = Place::new();
    place.write("skills/a/lib/words.star", "WORD = 'loaded'\n");
    let code = "
load('lib/words.star', 'WORD')
register_tool('word', '', lambda input: WORD)
";
    place.skill("a", "tool", "", code);
    place.skill("b", "tool", "", "load('../a/lib/words.star', 'WORD')");
    place.skill("c", "tool", "", "open('/etc/passwd')");
    let running = place.open().await.with(&["a"]).await;
    assert_eq!(running.call("word", json!({})).await.0, "loaded");
    for name in ["b", "c"] {
        assert!(running.runtime.activate(&id(name)).await.is_err());
    }
}

#[tokio::test]
async fn the_worker_has_locked_itself_down() {
    let place = Place::new();
    place.skill(
        "a",
        "tool",
        "",
        "register_tool('fine', '', lambda input: 'fine')",
    );
    let running = place.open().await.with(&["a"]).await;
    assert_eq!(running.call("fine", json!({})).await.0, "fine");
    let own = std::process::id().to_string();
    let status = std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .find_map(|entry| {
            let status = std::fs::read_to_string(entry.path().join("status")).ok()?;
            let command = std::fs::read(entry.path().join("cmdline")).ok()?;
            let parent = status
                .lines()
                .find_map(|line| line.strip_prefix("PPid:\t"))?;
            (parent == own && command.ends_with(b"worker\0starlark\0")).then_some(status)
        });
    let status = status.unwrap();
    for line in ["Seccomp:\t2", "NoNewPrivs:\t1", "CapEff:\t0000000000000000"] {
        assert!(status.contains(line), "{line}: {status}");
    }
}
