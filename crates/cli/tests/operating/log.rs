//! `RUST_LOG` and `--log`.

use serde_json::Value;

use crate::server::{Server, body, status};
use crate::support::{Run, TestProject};

fn run(project: &TestProject, arguments: &[&str], log: &str) -> Run {
    let mut command = project.command(arguments);
    Run::of(command.env("RUST_LOG", log).output().unwrap())
}

fn project() -> TestProject {
    let project = TestProject::new();
    project.skill(".agents/skills/a");
    project
}

#[test]
fn op1_rust_log_works_for_every_command() {
    let project = project();
    let plain = project.run(&["list", "--quiet"]);
    assert_eq!(plain.stderr, "");
    let logged = run(&project, &["list", "--quiet"], "debug");
    assert_eq!(logged.stdout, plain.stdout);
    let line = "DEBUG prowess_core::composite: source was read";
    assert!(logged.stderr.contains(line), "{}", logged.stderr);
    for arguments in [
        &["check"][..],
        &["search", "a"],
        &["show", "a"],
        &["prompt"],
        &["doctor"],
        &["config", "check"],
        &["chat", "-p", "hello", "--no-save"],
    ] {
        let plain = project.run(arguments);
        let logged = run(&project, arguments, "trace");
        assert_eq!(logged.code, plain.code, "{arguments:?}");
        assert!(!plain.stderr.contains(" prowess_"), "{}", plain.stderr);
    }
    let chat = run(&project, &["chat", "-p", "hello", "--no-save"], "info");
    assert!(chat.stderr.contains("model answered"), "{}", chat.stderr);
    assert!(!chat.stderr.contains("hello"), "{}", chat.stderr);
    let none = run(&project, &["list", "--quiet"], "");
    assert_eq!(none.stderr, "");
    let off = run(&project, &["list", "--quiet"], "off");
    assert_eq!(off.stderr, "");
}

#[test]
fn op2_other_crates_report_only_if_they_are_named() {
    let project = project();
    let all = run(&project, &["chat", "-p", "hello"], "trace");
    assert!(all.stderr.contains("migrated the store"), "{}", all.stderr);
    for line in all.stderr.lines().filter(|line| line.starts_with("20")) {
        let target = line.split(' ').nth(2).unwrap();
        assert!(target.starts_with("prowess"), "{line}");
    }
    // Named, but what they report below a warning has contents.
    let named = run(&project, &["chat", "-p", "hello"], "sqlx=trace");
    assert!(!named.stderr.contains("SELECT"), "{}", named.stderr);
}

#[test]
fn op3_invalid_rust_log_is_a_warning() {
    let project = project();
    let run = run(&project, &["list", "--quiet"], "prowess=loud");
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.contains('a'));
    assert_eq!(
        run.stderr,
        "warning: ignored RUST_LOG: expected `LEVEL` or `TARGET=LEVEL`, separated by commas; \
         levels are off, error, warn, info, debug and trace\n"
    );
}

const SERVE: [&str; 4] = ["serve", "--json", "--bind", "127.0.0.1:0"];

#[test]
fn op4_requests_are_logged_without_query_and_token() {
    let project = project();
    let ask = |server: &Server| {
        let head = "GET /api/skills/a?query=hunter2 HTTP/1.1\r\nX-Request-Id: r1";
        assert_eq!(server.status(head), 200);
        let head = "GET /api/catalog HTTP/1.1\r\nAuthorization: Bearer hunter2";
        assert_eq!(server.status(head), 401);
        assert_eq!(server.status("GET /nothing HTTP/1.1"), 404);
    };
    let server = Server::start(&mut project.command(&[&SERVE[..], &["--log=json"]].concat()));
    ask(&server);
    let first: Value = serde_json::from_str(&server.wait_for("/api/skills/a")).unwrap();
    let keys: Vec<&str> = first
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let expected = "time level target client method path status error bytes duration_ms request_id";
    assert_eq!(keys.join(" "), expected);
    assert_eq!(first["request_id"], "r1");
    assert_eq!(first["client"], "127.0.0.1");
    assert_eq!(
        (&first["method"], &first["status"]),
        (&"GET".into(), &200.into())
    );
    assert!(first["error"].is_null() && first["bytes"].as_u64().unwrap() > 0);
    assert!(first["duration_ms"].as_f64().unwrap() > 0.0);
    let second: Value = serde_json::from_str(&server.wait_for("/nothing")).unwrap();
    assert_eq!(second["error"], "not-found");
    let rest = server.stop().join("\n");
    assert!(
        !format!("{first}{second}{rest}").contains("hunter2"),
        "{rest}"
    );

    let server = Server::start(&mut project.command(&[&SERVE[..], &["--log"]].concat()));
    ask(&server);
    let line = server.wait_for("/api/skills/a");
    let parts = [
        "Z INFO prowess::request: client=127.0.0.1 method=GET path=/api/skills/a status=200 bytes=",
        " request_id=r1",
    ];
    assert!(parts.iter().all(|part| line.contains(part)), "{line}");
    assert!(server.wait_for("/nothing").contains(" error=not-found "));

    let server = Server::start(&mut project.command(&SERVE));
    ask(&server);
    assert!(
        !server
            .stop()
            .iter()
            .any(|line| line.contains("/api/skills"))
    );
}

#[test]
fn op5_reports_of_a_request_have_its_id() {
    let project = project();
    let mut command = project.command(&[&SERVE[..], &["--log=json"]].concat());
    let server = Server::start(command.env("RUST_LOG", "debug"));
    let head = |path: &str, id: &str| {
        format!("POST {path} HTTP/1.1\r\nContent-Type: application/json\r\nX-Request-Id: {id}")
    };
    let created = server.ask(&head("/api/sessions", "r1"), "{}");
    assert_eq!(status(&created), 201, "{created}");
    let session: Value = serde_json::from_str(body(&created)).unwrap();
    let path = format!("/api/sessions/{}/call", session["id"].as_str().unwrap());
    let call = r#"{"tool": "load_skill", "arguments": {"id": "a"}}"#;
    assert_eq!(status(&server.ask(&head(&path, "r2"), call)), 200);
    let line: Value = serde_json::from_str(&server.wait_for("tool was called")).unwrap();
    assert_eq!(
        (&line["request_id"], &line["tool"]),
        (&"r2".into(), &"load_skill".into())
    );
    // A name that is not a tool may be anything.
    let unknown = r#"{"tool": "hunter2"}"#;
    server.ask(&head(&path, "r3"), unknown);
    let line = server.wait_for("tool was called");
    assert!(
        line.contains("\"tool\":null") && !line.contains("hunter2"),
        "{line}"
    );
}
