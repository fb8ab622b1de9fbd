//! Conversations over HTTP.

use prowess_server::{AcceptedToken, Scopes, TokenTable};

use super::*;

async fn post(ours: &Ours, target: &str, body: &str) -> Response {
    post_with(
        ours,
        target,
        &["content-type: application/json"],
        body.as_bytes(),
    )
    .await
}

async fn post_with(ours: &Ours, target: &str, headers: &[&str], body: &[u8]) -> Response {
    ask_with(ours.address, "POST", target, headers, body).await
}

#[tokio::test]
async fn conversation_from_prompt_to_tool_call() {
    let ours = ours().await;
    let created = post(&ours, "/api/sessions", "{}").await;
    assert_eq!(created.status, 201, "{}", created.text());
    let session = created.json();
    let place = format!("/api/sessions/{}", session["id"].as_str().unwrap());
    assert_eq!(created.header("location"), Some(&*place));
    // The same as in the library.
    let library = ours.skills.session();
    assert_eq!(session["prompt"], library.prompt().text);
    assert_eq!(
        session["tools"],
        serde_json::to_value(library.tools()).unwrap()
    );
    let waiting = post(
        &ours,
        &format!("{place}/turn"),
        r#"{"message": "/writing/haiku"}"#,
    )
    .await;
    assert_eq!(waiting.json()["content"], Value::Null);
    assert_eq!(waiting.json()["active"], json!(["writing/haiku"]));
    let turn = post(
        &ours,
        &format!("{place}/turn"),
        r#"{"message": "about rain"}"#,
    )
    .await;
    let content = turn.json()["content"].as_str().unwrap().to_owned();
    assert!(
        content.contains("Do it well.") && content.ends_with("about rain"),
        "{content}"
    );
    let call = r#"{"tool": "load_skill", "arguments": {"id": "extraction/email"}}"#;
    let called = post(&ours, &format!("{place}/call"), call).await.json();
    assert_eq!(called["is_error"], false);
    assert!(
        called["content"].to_string().contains("Do it well."),
        "{called}"
    );
    let wrong = post(&ours, &format!("{place}/call"), r#"{"tool": "nothing"}"#).await;
    assert_eq!(
        (wrong.status, &wrong.json()["is_error"]),
        (200, &json!(true))
    );
    let shown = get(ours.address, &place, &[]).await.json();
    assert_eq!(shown["prompt"], session["prompt"]);
    assert_eq!(
        shown["active"],
        json!(["writing/haiku", "extraction/email"])
    );
    assert_eq!(ask(ours.address, "DELETE", &place, &[]).await.status, 204);
    let gone = get(ours.address, &place, &[]).await;
    assert_eq!(
        (gone.status, gone.code().as_str()),
        (404, "session-not-found")
    );
}

#[tokio::test]
async fn bad_requests_say_what_is_wrong() {
    let ours = ours().await;
    let json = "content-type: application/json";
    let deep = "[".repeat(10_000);
    let large = format!("{{\"active\": [\"{}\"]}}", "a".repeat(5_000_000));
    for (body, status, code) in [
        (b"{".as_slice(), 400, "invalid-request"),
        (b"\xff\xfe", 400, "invalid-request"),
        (deep.as_bytes(), 400, "invalid-request"),
        (large.as_bytes(), 413, "too-large"),
        (
            br#"{"active": ["extraction/emial"]}"#,
            404,
            "skill-not-found",
        ),
    ] {
        let response = post_with(&ours, "/api/sessions", &[json], body).await;
        let shown = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
        assert_eq!(
            (response.status, response.code().as_str()),
            (status, code),
            "{shown}"
        );
    }
    let plain = post_with(&ours, "/api/sessions", &[], b"{}").await;
    assert_eq!(
        (plain.status, plain.code().as_str()),
        (415, "unsupported-media-type")
    );
    let nobody = post(&ours, "/api/sessions/x/turn", r#"{"message": "hi"}"#).await;
    assert_eq!(
        (nobody.status, nobody.code().as_str()),
        (404, "session-not-found")
    );
    let unknown = post(&ours, "/api/sessions", r#"{"actve": []}"#).await;
    assert!(
        unknown.message().contains("unknown field `actve`"),
        "{}",
        unknown.message()
    );
    // A page of another site, or of another port of this machine.
    let own = format!("origin: http://{}", ours.address);
    assert_eq!(
        post_with(&ours, "/api/sessions", &[json, &own], b"{}")
            .await
            .status,
        201
    );
    for origin in [
        "origin: https://evil.example",
        "origin: http://127.0.0.1:1",
        "origin: null",
    ] {
        let refused = post_with(&ours, "/api/sessions", &[json, origin], b"{}").await;
        assert_eq!(
            (refused.status, refused.code().as_str()),
            (403, "forbidden-origin"),
            "{origin}"
        );
    }
}

#[tokio::test]
async fn ten_thousand_sessions_are_the_most() {
    let ours = ours().await;
    let first = post(&ours, "/api/sessions", "{}").await.json();
    let first = format!("/api/sessions/{}", first["id"].as_str().unwrap());
    let mut stream = TcpStream::connect(ours.address).await.unwrap();
    let request = format!(
        "POST /api/sessions HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{{}}",
        ours.address
    );
    let mut buffer = vec![0; 65_536];
    for _ in 0..prowess_server::limits::SESSIONS - 1 {
        stream.write_all(request.as_bytes()).await.unwrap();
        // The body is the last thing to come, and ends with a brace.
        let mut read = 0;
        while read == 0 || buffer[read - 1] != b'}' {
            read += stream.read(&mut buffer[read..]).await.unwrap();
        }
    }
    assert_eq!(get(ours.address, &first, &[]).await.status, 200);
    // The first was used just now; the second is the oldest.
    assert_eq!(post(&ours, "/api/sessions", "{}").await.status, 201);
    assert_eq!(get(ours.address, &first, &[]).await.status, 200);
}

#[tokio::test]
async fn q47_a_session_is_of_the_token_that_made_it() {
    let scopes: Scopes = "read".parse().unwrap();
    let (first, one) = AcceptedToken::generate(scopes, None).unwrap();
    let (second, two) = AcceptedToken::generate(scopes, None).unwrap();
    let table = TokenTable::default();
    table.replace([one, two]);
    let skills = Skills::builder().build().await.unwrap();
    let ours = Ours::start(skills, ApiOptions::default().tokens(table)).await;
    let tokens = [Some(first.as_str()), Some(second.as_str()), None];
    let ask = async |token: Option<&str>, method: &str, target: &str, body: &str| {
        let authorization = token.map(|token| format!("authorization: Bearer {token}"));
        let mut headers = vec!["content-type: application/json"];
        headers.extend(authorization.as_deref());
        ask_with(ours.address, method, target, &headers, body.as_bytes()).await
    };
    for owner in tokens {
        let created = ask(owner, "POST", "/api/sessions", "{}").await;
        let place = created.header("location").unwrap().to_owned();
        let (turn, call) = (format!("{place}/turn"), format!("{place}/call"));
        for other in tokens.into_iter().filter(|token| *token != owner) {
            for (method, target, body) in [
                ("GET", &place, ""),
                ("DELETE", &place, ""),
                ("POST", &turn, r#"{"message": "hi"}"#),
                ("POST", &call, r#"{"tool": "load_skill"}"#),
            ] {
                let refused = ask(other, method, target, body).await;
                assert_eq!(
                    (refused.status, refused.code().as_str()),
                    (404, "session-not-found"),
                    "{method} {target}"
                );
            }
        }
        assert_eq!(ask(owner, "GET", &place, "").await.status, 200);
        let turn = ask(owner, "POST", &turn, r#"{"message": "hi"}"#).await;
        assert_eq!(turn.status, 200);
        assert_eq!(ask(owner, "DELETE", &place, "").await.status, 204);
    }
}
