//! What no client should send, and every server gets.
#![cfg(test)]

mod support;

use std::process::Stdio;
use std::time::Duration;

use prowess_mcp::{HttpOptions, serve_stdio};
use serde_json::json;
use support::http::{post, serve};
use support::{Raw, Revision, example, meta, server, write_skills};
use tokio::io::AsyncWriteExt;

/// A request before the greeting is refused, and the greeting still works.
#[tokio::test]
async fn requests_before_initialisation() {
    let mut client = Raw::silent(&server().await);
    for method in ["tools/list", "skills/list", "resources/read", "nope"] {
        assert_eq!(client.error(method, json!({})).await, -32602, "{method}");
    }
    assert!(client.ask("ping", json!({})).await["error"].is_null());
    let greeting = client.greet(Revision::Greeted("2025-06-18")).await;
    assert_eq!(greeting["protocolVersion"], "2025-06-18");
    assert_eq!(client.all_skills().await.len(), 3);
}

/// What is no request at all is passed over until the greeting.
#[tokio::test]
async fn other_messages_before_initialisation() {
    let mut client = Raw::silent(&server().await);
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    client
        .send(&json!({"jsonrpc": "2.0", "method": "nope"}))
        .await;
    client
        .send(&json!({"jsonrpc": "2.0", "id": 9, "result": {}}))
        .await;
    client.greet(Revision::Greeted("2025-11-25")).await;
    assert_eq!(client.all_skills().await.len(), 3);
}

#[tokio::test]
async fn unknown_methods() {
    for revision in [Revision::Stateless, Revision::Greeted("2025-11-25")] {
        let mut client = Raw::connect(&server().await, revision).await;
        for method in [
            "nope",
            "skills/delete",
            "resources/directory",
            "",
            "logging/setLevel",
        ] {
            assert_eq!(
                client.error(method, json!({"level": "info"})).await,
                -32601,
                "{method}"
            );
        }
        client
            .send(&json!({"jsonrpc": "2.0", "method": "notifications/nope"}))
            .await;
        assert_eq!(client.all_skills().await.len(), 3);
    }
}

#[tokio::test]
async fn an_unknown_revision_is_refused_with_the_known_ones() {
    let mut client = Raw::silent(&server().await);
    let mut meta = meta();
    meta["io.modelcontextprotocol/protocolVersion"] = json!("1999-01-01");
    let answer = client.ask("skills/list", json!({"_meta": meta})).await;
    assert!(
        answer["error"]["data"].to_string().contains("2026-07-28"),
        "{answer}"
    );
    assert_eq!(
        client.greet(Revision::Greeted("1999-01-01")).await["protocolVersion"],
        "2025-11-25"
    );
}

#[tokio::test]
async fn bad_cursors() {
    let mut client = Raw::connect(&server().await, Revision::Stateless).await;
    for method in ["skills/list", "resources/list", "prompts/list"] {
        for cursor in [
            "",
            "x",
            "0",
            "-1",
            "0000000000000000-0",
            "ffffffffffffffffff-1",
            "\u{0}",
        ] {
            let params = json!({"cursor": cursor});
            assert_eq!(
                client.error(method, params).await,
                -32602,
                "{method} {cursor:?}"
            );
        }
    }
    for cursor in [json!(1), json!([]), json!({})] {
        assert_eq!(
            client.error("skills/list", json!({"cursor": cursor})).await,
            -32602
        );
    }
}

#[tokio::test]
async fn bad_parameters() {
    let mut client = Raw::connect(&server().await, Revision::Stateless).await;
    for method in ["skills/get", "resources/directory/read"] {
        for uri in [
            json!(null),
            json!(1),
            json!(["skill://pdf"]),
            json!("\u{0}"),
        ] {
            assert_eq!(
                client.error(method, json!({"uri": uri})).await,
                -32602,
                "{method} {uri}"
            );
        }
    }
    let long = format!("skill://{}/SKILL.md", "a/".repeat(50_000));
    let answer = client.ask("skills/get", json!({"uri": long})).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert!(answer.to_string().len() < 1_000);
    let call = json!({"name": "load_skill", "arguments": {"nope": 1}});
    assert_eq!(client.result("tools/call", call).await["isError"], true);
    assert_eq!(client.all_skills().await.len(), 3);
}

#[tokio::test]
async fn malformed_json_is_rejected() {
    let mut client = Raw::connect(&server().await, Revision::Greeted("2025-11-25")).await;
    for line in [
        &b"hello"[..],
        b"{",
        b"\xff\xfe",
        b"",
        b"\r",
        b"{\"jsonrpc\":\"2.0\",\"id\":5",
    ] {
        client.send_line(line).await;
    }
    assert_eq!(client.all_skills().await.len(), 3);
    client.send_line(b"[]").await;
    client.send_line(b"{\"id\": 7}").await;
    assert_eq!(client.all_skills().await.len(), 3);
    assert!(
        client
            .notifications
            .iter()
            .all(|message| message["error"]["code"] == -32600)
    );
}

/// A line of 100 MB, sent to a real process: it stays, and stays small.
#[tokio::test]
async fn a_line_of_a_hundred_megabytes() {
    let directory = tempfile::tempdir().unwrap();
    write_skills(directory.path());
    let mut child = tokio::process::Command::new(example())
        .arg(directory.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..100 {
        stdin.write_all(&piece).await.unwrap();
    }
    stdin.write_all(b"\n").await.unwrap();
    let mut client = Raw::new(child.stdout.take().unwrap(), stdin);
    client.greet(Revision::Greeted("2025-11-25")).await;
    assert_eq!(client.notifications[0]["error"]["code"], -32600);
    assert_eq!(client.all_skills().await.len(), 2);
    #[cfg(target_os = "linux")]
    {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", child.id().unwrap())).unwrap();
        let peak = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .unwrap();
        let kilobytes: u64 = peak.trim().trim_end_matches(" kB").trim().parse().unwrap();
        assert!(kilobytes < 90_000, "{kilobytes} kB");
    }
}

/// A client that goes away in mid-answer ends its connection and nobody else's.
#[tokio::test]
async fn disconnected_client_ends_its_connection() {
    let server = server().await;
    for bytes in [1, 60, 4_000] {
        let (ours, theirs) = tokio::io::duplex(bytes);
        let (reader, writer) = tokio::io::split(theirs);
        let serving = server.clone();
        let serving = tokio::spawn(async move { serve_stdio(&serving, reader, writer).await });
        let (reader, mut writer) = tokio::io::split(ours);
        let params = json!({"_meta": meta()});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "skills/list", "params": params});
        writer
            .write_all(format!("{message}\n").as_bytes())
            .await
            .unwrap();
        drop((reader, writer));
        serving.await.unwrap().unwrap();
    }
    let mut client = Raw::connect(&server, Revision::Stateless).await;
    assert_eq!(client.all_skills().await.len(), 3);
}

/// The same for a process: it goes when its client does.
#[tokio::test]
async fn a_process_ends_with_its_client() {
    let directory = tempfile::tempdir().unwrap();
    write_skills(directory.path());
    let mut child = tokio::process::Command::new(example())
        .arg(directory.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut client = Raw::new(child.stdout.take().unwrap(), child.stdin.take().unwrap());
    client.greet(Revision::Greeted("2025-11-25")).await;
    drop(client);
    let status = tokio::time::timeout(Duration::from_secs(20), child.wait()).await;
    assert!(status.expect("it went").unwrap().success());
}

#[tokio::test]
async fn malformed_http_requests_are_rejected() {
    let url = serve(&server().await, &HttpOptions::default()).await;
    let request =
        json!({"jsonrpc": "2.0", "id": 1, "method": "skills/list", "params": {"_meta": meta()}});
    let version = ("mcp-protocol-version", "2026-07-28");
    let large =
        json!({"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"x": "y".repeat(5 << 20)}});
    assert_eq!(post(&url, &large, &[version]).await.status, 413);
    for (headers, expected) in [
        (vec![version, ("mcp-method", "tools/list")], 400),
        (vec![version], 400),
        (
            vec![
                ("mcp-protocol-version", "1999-01-01"),
                ("mcp-method", "skills/list"),
            ],
            400,
        ),
        (vec![version, ("mcp-method", "skills/list")], 200),
    ] {
        let reply = post(&url, &request, &headers).await;
        assert_eq!(reply.status, expected, "{headers:?} {reply:?}");
    }
    let text = json!("malformed message");
    assert!(post(&url, &text, &[version]).await.status >= 400);
}
