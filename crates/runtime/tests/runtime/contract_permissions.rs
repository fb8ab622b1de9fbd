//! The permissions contract, with real skills: each test is named after its row.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use prowess_policy::TurnLimits;
use prowess_runtime::{ActivationState, ApprovalDecision, Approvals, PrivateHosts};
use prowess_spec::manifest::Permission;
use prowess_store::Store;
use serde_json::{Value, json};

use crate::place::{Place, Running, id, runs};

/// A tool for each thing that a skill may ask for.
const CALLS: &str = "
def tool(name, work):
    register_tool(name, '', lambda input: work(*input.get('args', [])))
tool('read', lambda path: read_file(path))
tool('write', lambda path, text: write_file(path, text))
tool('list', lambda path: list_dir(path))
tool('search', lambda pattern: search_files(pattern))
tool('run', lambda *command: exec(*command))
tool('env', lambda name: env(name))
tool('set_env', lambda name, value: set_env(name, value))
tool('ask', lambda prompt: llm_complete(prompt))
tool('fetch', lambda url: fetch(url)['body'])
tool('diff', lambda *args: git_diff(*args))
tool('log', lambda *args: git_log(*args))
tool('status', lambda: git_status())
tool('add', lambda *paths: git_add(*paths))
tool('commit', lambda message: git_commit(message))
tool('invoke', lambda skill, name: invoke_skill(skill, name))
";

fn permissions(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    format!("permissions: [{}]\n", quoted.join(", "))
}

async fn asked_for(words: &[&str], answer: ApprovalDecision) -> (Place, Running) {
    let place = Place::new();
    place.skill("a", "tool", &permissions(words), CALLS);
    let running = place.open_with(answer, |_| ()).await;
    (place, running)
}

fn args(words: &[&str]) -> Value {
    json!({"args": words})
}

#[tokio::test]
async fn p1_declared_and_approved() {
    for answer in [ApprovalDecision::Once, ApprovalDecision::Always] {
        let (place, running) = asked_for(&["file:read"], answer).await;
        place.write("project/x.txt", "content");
        let running = running.with(&["a"]).await;
        assert_eq!(
            running.call("read", args(&["x.txt"])).await,
            ("content".into(), false)
        );
    }
}

#[tokio::test]
async fn p2_what_is_not_declared_is_denied_whatever_is_approved() {
    let (place, running) = asked_for(&["file:read"], ApprovalDecision::Always).await;
    place.write("project/x.txt", "content");
    let all: &[Permission] = prowess_spec::manifest::Keyword::ALL;
    running.runtime.approvals().approve_any_content("a", all);
    let running = running.with(&["a"]).await;
    for (tool, words) in [
        ("write", &["x.txt", "new"][..]),
        ("run", &["true"]),
        ("env", &["PATH"]),
        ("set_env", &["A", "b"]),
        ("ask", &["?"]),
        ("fetch", &["http://127.0.0.1/"]),
        ("diff", &[]),
        ("log", &[]),
        ("status", &[]),
        ("add", &["x.txt"]),
        ("commit", &["m"]),
        ("invoke", &["a", "read"]),
    ] {
        let (text, is_error) = running.call(tool, args(words)).await;
        assert!(is_error && text.contains("not-declared"), "{tool}: {text}");
    }
    assert_eq!(
        fs::read_to_string(place.path("project/x.txt")).unwrap(),
        "content"
    );
    let told = running.told();
    let denied = told.iter().filter(|it| it["type"] == "denied").count();
    assert_eq!(denied, 12);
}

#[tokio::test]
async fn p6_another_skill_of_the_name_of_a_removed_one_is_not_approved() {
    let place = Place::new();
    let store = Store::open(prowess_store::StoreBackend::File(place.path("data/p.db")));
    let store = store.await.unwrap();
    let declared = permissions(&["file:read"]);
    place.skill("a", "tool", &declared, CALLS);
    let approvals = Approvals::load(store.clone(), Path::new("/p"))
        .await
        .unwrap();
    let first = place.open_with(ApprovalDecision::Always, |parts| {
        parts.approvals = approvals;
    });
    first.await.with(&["a"]).await;
    std::fs::remove_dir_all(place.path("skills/a")).unwrap();
    place.skill("a", "tool", &declared, "log('another skill')");
    let approvals = Approvals::load(store, Path::new("/p")).await.unwrap();
    let second = place.open_with(ApprovalDecision::Unavailable, |parts| {
        parts.approvals = approvals;
    });
    let second = second.await;
    let error = second.runtime.activate(&id("a")).await.unwrap_err();
    assert!(error.to_string().contains("not-approved"), "{error}");
    assert_eq!(second.approver.1.lock().unwrap().len(), 1);
    assert!(second.log().is_empty());
}

#[tokio::test]
async fn p3_changed_content_is_asked_about_again() {
    let place = Place::new();
    let store = Store::open(prowess_store::StoreBackend::File(place.path("data/p.db")));
    let store = store.await.unwrap();
    let kept = |store: Store| async move { Approvals::load(store, Path::new("/p")).await.unwrap() };
    place.skill("a", "tool", &permissions(&["file:read"]), CALLS);
    let approvals = kept(store.clone()).await;
    let first = place.open_with(ApprovalDecision::Always, |parts| {
        parts.approvals = approvals;
    });
    let first = first.await.with(&["a"]).await;
    assert_eq!(first.approver.1.lock().unwrap().len(), 1);
    // Another run, nobody to ask: what was said for always still counts.
    let approvals = kept(store.clone()).await;
    let second = place.open_with(ApprovalDecision::Unavailable, |parts| {
        parts.approvals = approvals;
    });
    let second = second.await.with(&["a"]).await;
    assert!(second.approver.1.lock().unwrap().is_empty());
    // One byte of it changes.
    place.write("skills/a/skill.star", format!("{CALLS}#"));
    let approvals = kept(store).await;
    let third = place
        .open_with(ApprovalDecision::Unavailable, |parts| {
            parts.approvals = approvals;
        })
        .await;
    let error = third
        .runtime
        .activate(&id("a"))
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("not-approved") && error.contains("file:read"),
        "{error}"
    );
    assert_eq!(third.runtime.state(&id("a")).0, ActivationState::Inactive);
}

#[tokio::test]
async fn p5_revoked_while_active() {
    let (place, running) = asked_for(&["file:read"], ApprovalDecision::Once).await;
    place.write("project/x.txt", "content");
    let running = running.with(&["a"]).await;
    assert!(!running.call("read", args(&["x.txt"])).await.1);
    let approvals = running.runtime.approvals();
    approvals
        .revoke("a", Some(Permission::FileRead.into()))
        .await
        .unwrap();
    let (text, is_error) = running.call("read", args(&["x.txt"])).await;
    assert!(is_error && text.contains("not-approved"), "{text}");
}

#[tokio::test]
async fn p7_undecided_without_an_approver() {
    let place = Place::new();
    place.skill("a", "tool", &permissions(&["file:read"]), CALLS);
    let fine = "register_tool('fine', '', lambda input: 'fine')";
    place.skill("b", "tool", "", fine);
    let running = place.open_with(ApprovalDecision::Unavailable, |_| ()).await;
    running.runtime.approvals().approve_any_content("b", &[]);
    assert!(running.runtime.activate(&id("a")).await.is_err());
    let (state, reason) = running.runtime.state(&id("a"));
    assert_eq!(state, ActivationState::Inactive);
    assert!(reason.contains("file:read"), "{reason}");
    // The others are not concerned.
    let running = running.with(&["b"]).await;
    assert_eq!(running.call("fine", json!({})).await.0, "fine");
}

#[tokio::test]
async fn p8_calls_per_turn_are_limited() {
    let place = Place::new();
    place.skill("a", "tool", &permissions(&["shell:exec"]), CALLS);
    let running = place.open_with(ApprovalDecision::Once, |parts| {
        parts.services.allowances.turn = TurnLimits {
            shell_execs: 2,
            ..TurnLimits::default()
        };
    });
    let running = running.await.with(&["a"]).await;
    for _ in 0..2 {
        assert!(!running.call("run", args(&["true"])).await.1);
    }
    let (text, is_error) = running.call("run", args(&["true"])).await;
    assert!(
        is_error && text.contains("rate-limited") && text.contains("2 times"),
        "{text}"
    );
    running.runtime.begin_turn().await;
    assert!(!running.call("run", args(&["true"])).await.1);
}

#[tokio::test]
async fn p9_paths_outside_the_project_are_denied() {
    let (place, running) = asked_for(&["file:read", "file:write"], ApprovalDecision::Once).await;
    place.write("secret.txt", "secret");
    place.write("project/inside.txt", "inside");
    place.write("project/.git/hooks/sample", "x");
    let link = |to: &str, from: &str| {
        std::os::unix::fs::symlink(to, place.path("project").join(from)).unwrap();
    };
    link("../secret.txt", "link");
    link("/etc/passwd", "absolute-link");
    link("..", "up");
    link("inside.txt", "good-link");
    link("../new.txt", "dangling");
    let running = running.with(&["a"]).await;
    let absolute = place.path("secret.txt").display().to_string();
    for path in [
        "../../etc/passwd",
        "../secret.txt",
        "/etc/passwd",
        "/proc/self/environ",
        &absolute,
        "link",
        "absolute-link",
        "up/secret.txt",
        "./x/../../secret.txt",
    ] {
        for (tool, words) in [("read", vec![path]), ("write", vec![path, "new"])] {
            let (text, is_error) = running.call(tool, args(&words)).await;
            assert!(is_error, "{tool} {path}: {text}");
            assert!(
                !text.contains("root:") && !text.contains("secret\n"),
                "{text}"
            );
        }
        let (text, is_error) = running.call("list", args(&[path])).await;
        assert!(is_error, "list {path}: {text}");
    }
    // What a later git command would run is not content.
    for path in [
        ".git/hooks/pre-commit",
        ".git/config",
        ".GIT/config",
        "sub/.git/config",
    ] {
        let (text, is_error) = running.call("write", args(&[path, "x"])).await;
        assert!(is_error && text.contains("is protected"), "{path}: {text}");
    }
    assert!(running.call("write", args(&["dangling", "x"])).await.1);
    assert!(!place.path("new.txt").exists());
    assert_eq!(
        fs::read_to_string(place.path("secret.txt")).unwrap(),
        "secret"
    );
    // And what is inside works, whichever way it is named.
    let inside = fs::canonicalize(place.path("project"))
        .unwrap()
        .join("inside.txt");
    for path in [
        "inside.txt",
        "./inside.txt",
        "good-link",
        &inside.display().to_string(),
    ] {
        assert_eq!(
            running.call("read", args(&[path])).await.0,
            "inside",
            "{path}"
        );
    }
    assert!(
        !running
            .call("write", args(&["new/dir/file.txt", "text"]))
            .await
            .1
    );
    assert_eq!(
        fs::read_to_string(place.path("project/new/dir/file.txt")).unwrap(),
        "text"
    );
}

#[tokio::test]
async fn p9_a_hard_link_is_not_written_through() {
    let (place, running) = asked_for(&["file:write"], ApprovalDecision::Once).await;
    place.write("outside.txt", "as it was");
    fs::hard_link(place.path("outside.txt"), place.path("project/hard")).unwrap();
    let running = running.with(&["a"]).await;
    assert!(!running.call("write", args(&["hard", "new"])).await.1);
    assert_eq!(
        fs::read_to_string(place.path("outside.txt")).unwrap(),
        "as it was"
    );
    assert_eq!(
        fs::read_to_string(place.path("project/hard")).unwrap(),
        "new"
    );
}

fn git(place: &Place, words: &[&str]) {
    prowess_testing::git(place.path("project"), words);
}

#[tokio::test]
async fn p10_git_takes_no_options() {
    let (place, running) = asked_for(&["git:read", "git:write"], ApprovalDecision::Once).await;
    git(&place, &["init", "--quiet"]);
    for (key, value) in [("user.name", "t"), ("user.email", "t@example.com")] {
        git(&place, &["config", key, value]);
    }
    // What a repository's own settings would start must not start.
    let trap = place.path("trap").display().to_string();
    for key in ["core.fsmonitor", "diff.external", "core.pager"] {
        git(&place, &["config", key, &format!("touch {trap}")]);
    }
    place.write(
        "project/.git/hooks/pre-commit",
        format!("#!/bin/sh\ntouch {trap}\n"),
    );
    let hook = place.path("project/.git/hooks/pre-commit");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(hook, executable).unwrap();
    place.write("project/a.txt", "one\n");
    let running = running.with(&["a"]).await;
    assert!(running.call("status", args(&[])).await.0.contains("a.txt"));
    assert!(!running.call("add", args(&["a.txt"])).await.1);
    let (text, is_error) = running.call("commit", args(&["first"])).await;
    assert!(!is_error, "{text}");
    place.write("project/a.txt", "two\n");
    assert!(running.call("diff", args(&[])).await.0.contains("+two"));
    assert!(
        running
            .call("diff", args(&["HEAD", "a.txt"]))
            .await
            .0
            .contains("+two")
    );
    assert!(
        running
            .call("log", args(&["HEAD"]))
            .await
            .0
            .contains("\"message\":\"first\"")
    );
    let output = place.path("x").display().to_string();
    for words in [
        vec![format!("--output={output}")],
        vec![
            "--no-index".to_owned(),
            "/etc/passwd".to_owned(),
            "/dev/null".to_owned(),
        ],
        vec!["-o".to_owned(), output.clone()],
        vec!["--ext-diff".to_owned()],
        vec!["/etc/passwd".to_owned(), "/etc/hostname".to_owned()],
        vec!["../skills".to_owned()],
        vec!["--".to_owned(), "a.txt".to_owned()],
    ] {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        for tool in ["diff", "log"] {
            let (text, is_error) = running.call(tool, args(&words)).await;
            assert!(is_error, "{tool} {words:?}: {text}");
        }
    }
    for words in [
        &["--all"][..],
        &["-A"],
        &["--pathspec-from-file=/etc/passwd"],
    ] {
        assert!(running.call("add", args(words)).await.1, "{words:?}");
    }
    assert!(!place.path("x").exists());
    assert!(!place.path("trap").exists(), "git started something");
}

async fn listener() -> (u16, Arc<std::sync::atomic::AtomicUsize>) {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let count = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&count);
    let hits = move || {
        let seen = Arc::clone(&seen);
        async move {
            seen.fetch_add(1, Ordering::Relaxed);
            "reached"
        }
    };
    let router = axum::Router::new()
        .route("/", axum::routing::get(hits))
        .route(
            "/away",
            axum::routing::get(|| async {
                (
                    axum::http::StatusCode::FOUND,
                    [("location", "http://127.0.0.2:1/")],
                )
            }),
        );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move { axum::serve(listener, router).await });
    (port, count)
}

#[tokio::test]
async fn p11_private_addresses_are_denied() {
    let place = Place::new();
    place.skill("a", "tool", &permissions(&["net:fetch"]), CALLS);
    let (port, count) = listener().await;
    let allowed = format!("localhost:{port}");
    let running = place.open_with(ApprovalDecision::Once, |parts| {
        parts.services.private_hosts = PrivateHosts(vec![allowed]);
        parts.services.allowances.turn.net_fetches = 100;
    });
    let running = running.await.with(&["a"]).await;
    for url in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://[::1]:{port}/"),
        format!("http://0.0.0.0:{port}/"),
        format!("http://0x7f.1:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        "http://169.254.169.254/latest/meta-data".to_owned(),
        "http://10.0.0.1/".to_owned(),
        "http://192.168.0.1/".to_owned(),
        "file:///etc/passwd".to_owned(),
        "ftp://example.com/".to_owned(),
        "http:///x".to_owned(),
    ] {
        let (text, is_error) = running.call("fetch", args(&[&url])).await;
        assert!(is_error && !text.contains("reached"), "{url}: {text}");
    }
    assert_eq!(count.load(std::sync::atomic::Ordering::Relaxed), 0);
    // A host that somebody named works; what it redirects to is looked at again.
    let (text, is_error) = running
        .call("fetch", args(&[&format!("http://localhost:{port}/")]))
        .await;
    assert_eq!((text.as_str(), is_error), ("reached", false));
    let away = format!("http://localhost:{port}/away");
    let (text, is_error) = running.call("fetch", args(&[&away])).await;
    assert!(is_error && text.contains("127.0.0.2"), "{text}");
}

#[tokio::test]
async fn p12_a_timed_out_program_is_killed_with_its_children() {
    let place = Place::new();
    place.skill("a", "tool", &permissions(&["shell:exec"]), CALLS);
    let running = place.open_with(ApprovalDecision::Once, |parts| {
        parts.services.allowances.exec_time = Duration::from_millis(300);
    });
    let running = running.await.with(&["a"]).await;
    let began = Instant::now();
    let script = "sleep 71.5 & setsid sleep 71.5 & wait";
    let (text, is_error) = running.call("run", args(&["sh", "-c", script])).await;
    assert!(
        is_error && text.contains("stopped with its children"),
        "{text}"
    );
    assert!(began.elapsed() < Duration::from_secs(5));
    assert!(!runs("sleep 71.5"), "a child is left");
}

#[tokio::test]
async fn programs_see_no_secrets_without_the_permission() {
    for (words, seen) in [
        (&["shell:exec"][..], false),
        (&["shell:exec", "env:read"], true),
    ] {
        let place = Place::new();
        place.skill("a", "tool", &permissions(words), CALLS);
        let running = place.open_with(ApprovalDecision::Once, |parts| {
            let variables = [
                ("PATH", std::env::var("PATH").unwrap()),
                ("TOKEN", "s3cret".into()),
                ("COLOUR", "blue".into()),
            ];
            let variables = variables.map(|(name, value)| (name.to_owned(), value));
            parts.services.environment = variables.into_iter().collect();
        });
        let running = running.await.with(&["a"]).await;
        let (text, _) = running.call("run", args(&["env"])).await;
        assert_eq!(text.contains("blue"), seen, "{text}");
        // In the sandbox there is no secret, not even for a skill that may read it elsewhere.
        assert!(!text.contains("s3cret"), "{text}");
    }
}

#[tokio::test]
async fn no_code_runs_before_it_was_approved() {
    // It asks for nothing, and would still speak to the model: that, too, is for somebody to allow.
    let place = Place::new();
    let code = "register_hook('OnAfterResponse', lambda data: {'modified': {'response': 'mine'}})";
    place.skill("a", "transform", "", code);
    let running = place.open_with(ApprovalDecision::Unavailable, |_| ()).await;
    let error = running
        .runtime
        .activate(&id("a"))
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("not-approved") && error.contains("run"),
        "{error}"
    );
    assert_eq!(running.runtime.after_response("yours").await, "yours");
    // A skill without code only instructs, as every other does.
    place.write("skills/b/prompt.md", "text");
    place.skill(
        "b",
        "prompt",
        "prompt: {system_prompt_file: prompt.md}\n",
        "",
    );
    running.runtime.skills().refresh().await;
    running.runtime.activate(&id("b")).await.unwrap();
}

#[tokio::test]
async fn program_ends_with_its_call() {
    let place = Place::new();
    place.skill("a", "tool", &permissions(&["shell:exec"]), CALLS);
    let running = place.open().await.with(&["a"]).await;
    let call = running.runtime.call_tool("run", args(&["sleep", "61.125"]));
    let mut call = Box::pin(call);
    let began = Instant::now();
    while !runs("sleep 61.125") {
        assert!(began.elapsed() < Duration::from_secs(10));
        let _ = tokio::time::timeout(Duration::from_millis(5), &mut call).await;
    }
    drop(call);
    while runs("sleep 61.125") {
        assert!(began.elapsed() < Duration::from_secs(10), "it is left");
        tokio::task::yield_now().await;
    }
}
