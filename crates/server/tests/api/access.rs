//! Tokens, scopes, request ids and figures.

use prowess_server::{AcceptedToken, Scope, Scopes, TokenTable};

use super::*;

async fn with_tokens(options: ApiOptions) -> (Ours, TokenTable) {
    let skills = Skills::builder().source("served", some_skills()).build();
    let table = TokenTable::default();
    let options = options.tokens(table.clone());
    (Ours::start(skills.await.unwrap(), options).await, table)
}

fn header(secret: &str) -> String {
    format!("authorization: Bearer {secret}")
}

#[tokio::test]
async fn tokens_allow_what_their_scopes_say() {
    let (ours, table) = with_tokens(ApiOptions::default().only_with_token()).await;
    let scopes = |scope| Scopes::default().with(scope);
    let (read, reading) = AcceptedToken::generate(scopes(Scope::Read), None).unwrap();
    let (chat, chatting) = AcceptedToken::generate(scopes(Scope::Chat), None).unwrap();
    let (old, expired) = AcceptedToken::generate(scopes(Scope::Admin), Some(1)).unwrap();
    table.replace([reading.clone(), chatting, expired]);
    for (secret, status, code) in [
        (read.as_str(), 200, ""),
        (chat.as_str(), 403, "insufficient-scope"),
        (old.as_str(), 401, "unauthorised"),
        ("prowess_unknown", 401, "unauthorised"),
    ] {
        let response = get(ours.address, "/api/skills", &[&header(secret)]).await;
        assert_eq!(response.status, status, "{secret}");
        if !code.is_empty() {
            assert_eq!(response.code(), code);
        }
    }
    assert_eq!(get(ours.address, "/api/skills", &[]).await.status, 401);
    let uses: Vec<String> = table.take_uses().into_iter().map(|it| it.0).collect();
    assert!(uses.contains(&reading.id) && uses.len() == 2, "{uses:?}");
    // Revoked while the server runs.
    table.replace([]);
    assert_eq!(
        get(ours.address, "/api/skills", &[&header(&read)])
            .await
            .status,
        401
    );
    let stored = AcceptedToken::restore(&reading.id, &reading.hash_text(), "read", None);
    assert_eq!(stored, Some(reading));
    for (hash, scopes) in [
        ("", "read"),
        ("zz", "read"),
        (&*"0".repeat(64), "everything"),
    ] {
        assert_eq!(AcceptedToken::restore("a", hash, scopes, None), None);
    }
}

#[tokio::test]
async fn unknown_token_is_refused_even_for_what_everyone_reads() {
    let (ours, _) = with_tokens(ApiOptions::default()).await;
    let unknown = header("prowess_unknown");
    let read = get(ours.address, "/api/skills", &[&unknown]).await;
    assert_eq!(read.status, 401);
    assert_eq!(get(ours.address, "/api/skills", &[]).await.status, 200);
    let written = ask(ours.address, "PUT", "/api/skills/list", &[&unknown]).await;
    assert_eq!(written.status, 401);
}

#[tokio::test]
async fn health_needs_no_token_and_figures_do() {
    let (ours, _) = with_tokens(ApiOptions::default().only_with_token()).await;
    for path in ["/healthz", "/readyz"] {
        assert_eq!(get(ours.address, path, &[]).await.status, 200, "{path}");
    }
    assert_eq!(get(ours.address, "/metrics", &[]).await.status, 401);
}

#[tokio::test]
async fn requests_have_ids() {
    let ours = ours().await;
    let given = get(ours.address, "/api/skills", &["x-request-id: proxy-7"]).await;
    assert_eq!(given.header("x-request-id"), Some("proxy-7"));
    let evil = get(ours.address, "/api/skills", &["x-request-id: a\"b c"]).await;
    let new = evil.header("x-request-id").unwrap();
    assert!(!new.contains('"'), "{new}");
    let seen = ours.exchanges();
    assert_eq!(seen[0].request_id, "proxy-7");
    assert_eq!(seen[1].request_id, new);
    assert!(seen[0].client.is_some_and(|it| it.ip().is_loopback()));
    assert_eq!(seen[0].bytes, Some(given.body.len() as u64));
}

#[tokio::test]
async fn figures_are_read_by_a_parser_of_prometheus() {
    let ours = ours().await;
    for target in [
        "/api/skills",
        "/api/skills/list",
        "/api/skills/nothing",
        "/x",
    ] {
        get(ours.address, target, &[]).await;
    }
    let figures = get(ours.address, "/metrics", &[]).await;
    assert_eq!(figures.status, 200);
    let script = "\
import sys
from prometheus_client.parser import text_string_to_metric_families as parse
for family in parse(sys.stdin.read()):
    for sample in family.samples:
        print(family.type, sample.name, sorted(sample.labels.items()), sample.value)
";
    let python = prowess_testing::python_with("prometheus-venv", &["prometheus-client==0.23.1"]);
    let mut child = std::process::Command::new(python)
        .args(["-c", script])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, &figures.body).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let shown = String::from_utf8(output.stdout).unwrap();
    let count = "histogram prowess_http_request_duration_seconds_count";
    for line in [
        format!("{count} [('method', 'GET'), ('route', '/api/skills'), ('status', '200')] 1"),
        format!(
            "{count} [('method', 'GET'), ('route', '/api/skills/{{id}}'), ('status', '404')] 1"
        ),
        format!("{count} [('method', 'GET'), ('route', 'other'), ('status', '404')] 1"),
        "gauge prowess_skills [] 4".to_owned(),
        "gauge prowess_source_healthy [('source', 'served')] 1".to_owned(),
    ] {
        assert!(shown.contains(&line), "{line}\n{shown}");
    }
}
