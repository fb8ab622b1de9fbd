//! Rows H9 and H10: answers that are wrong or incomplete.

use std::time::Instant;

use super::*;

/// The reason why a list cannot be had from a server that answers like this.
async fn refused(script: impl Fn() -> Reply + Send + Sync + 'static) -> String {
    let server = Scripted::start(move |_| script()).await;
    let mut options = options(&server.url());
    options.timeout = Duration::from_secs(20);
    reason(source(options).snapshot().await.unwrap_err())
}

const MIB: usize = 1024 * 1024;

#[tokio::test]
async fn h9_too_long() {
    // Stated, and not even sent.
    let why = refused(|| {
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n",
            16 * MIB + 1
        );
        Reply::Stall(head.into_bytes())
    });
    assert_eq!(why.await, "the response is larger than 16 MiB");
    // Not stated.
    let why = refused(|| {
        let mut bytes = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
        for _ in 0..17 {
            bytes.extend_from_slice(b"100000\r\n");
            bytes.resize(bytes.len() + MIB, b' ');
            bytes.extend_from_slice(b"\r\n");
        }
        Reply::Stall(bytes)
    });
    assert_eq!(why.await, "the response is larger than 16 MiB");
}

#[tokio::test]
async fn h9_at_the_length_limit() {
    let server = Scripted::start(|_| {
        let mut body = br#"{"skills":[],"collections":[]}"#.to_vec();
        body.resize(16 * MIB, b' ');
        json(body)
    })
    .await;
    let snapshot = source(options(&server.url())).snapshot().await.unwrap();
    assert!(snapshot.skills.is_empty());
}

#[tokio::test]
async fn h9_slow() {
    for head in [
        "",
        "HTTP/1.1 200 OK\r\ncontent-le",
        "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"skills\":",
    ] {
        let server = Scripted::start(move |_| Reply::Stall(head.into())).await;
        let mut options = options(&server.url());
        options.timeout = Duration::from_millis(200);
        let began = Instant::now();
        let why = reason(source(options).snapshot().await.unwrap_err());
        assert_eq!(why, "timed out after 0.2 s", "{head:?}");
        assert!(began.elapsed() < Duration::from_secs(10));
    }
}

#[tokio::test]
async fn h9_cut_off() {
    let body = r#"{"skills":[],"collections":[]}"#;
    for head in [
        // More than there is.
        "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n64\r\n",
    ] {
        let why = refused(move || Reply::Send(format!("{head}{body}").into_bytes())).await;
        assert!(why.starts_with("the connection was interrupted: "), "{why}");
    }
    for bytes in ["", "HTTP/1.1 200", "SSH-2.0-OpenSSH_9.6\r\n"] {
        refused(move || Reply::Send(bytes.into())).await;
    }
    // Less than there is.
    let why = refused(move || {
        Reply::Send(format!("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{body}").into_bytes())
    });
    let why = why.await;
    assert!(why.starts_with("malformed response: "), "{why}");
}

#[tokio::test]
async fn h9_not_json() {
    for body in [
        "",
        "null",
        "[]",
        "{}",
        "{\"skills\":{}}",
        "{\"skills\":[]",
        "\u{0}",
        "{\"skills\":[]}x",
    ] {
        let why = refused(move || json(body)).await;
        assert!(why.starts_with("malformed response: "), "{body}: {why}");
    }
    let why = refused(|| {
        answer(
            "200 OK",
            "content-type: text/html; charset=utf-8\r\n",
            "<!doctype html>",
        )
    });
    let expected = "malformed response: expected JSON, got HTML; check that the URL is the root of a skills API";
    assert_eq!(why.await, expected);
    let expected = "no list of skills at this URL; check that it is the root of a skills API";
    assert_eq!(refused(missing).await, expected);
}

#[tokio::test]
async fn h9_one_bad_entry_among_good() {
    let long = "x".repeat(2_000);
    let body = format!(
        r#"{{"skills":[
            {{"id":"good","name":"good","description":"d","scope":"galactic","more":[1]}},
            {{"id":"../evil","name":"evil","description":"d"}},
            {{"id":"Bad Id\n","name":"x","description":"d"}},
            {{"id":"other","name":"name","description":"d"}},
            {{"id":"silent","name":"silent","description":"  "}},
            {{"id":"nameless","description":"d"}},
            {{"id":"wrong","name":"wrong","description":"d","metadata":{{"a":1}}}},
            {{"id":"long","name":"long","description":"{long}"}},
            {{"id":"good","name":"good","description":"again"}},
            7, null
        ],"collections":[{{"path":"a","description":"A"}},{{"path":"../b","description":"B"}},7]}}"#
    );
    let server = Scripted::start(move |_| json(&body)).await;
    let snapshot = source(options(&server.url())).snapshot().await.unwrap();
    assert_eq!(ids(&snapshot), ["good", "long"]);
    assert_eq!(&*snapshot.skills[0].description, "d");
    assert_eq!(snapshot.skills[1].description.len(), 1024);
    assert_eq!(snapshot.collections.len(), 1);
    let warnings = snapshot.warnings.join("\n");
    for part in [
        "ignored skill `../evil`: invalid id",
        "ignored skill `Bad Id\\n`: invalid id",
        "ignored skill `other`: name mismatch: `name`",
        "ignored skill `silent`: missing description",
        "ignored skill `nameless`: missing field `name`",
        "ignored skill `wrong`: invalid type",
        "the description of `long` is truncated",
        "ignored skill `good`: listed twice",
        "ignored skill `number 9`",
        "ignored skill `number 10`",
    ] {
        assert!(warnings.contains(part), "{part}\n{warnings}");
    }
    assert_eq!(snapshot.warnings.len(), 10, "{warnings}");
}

#[tokio::test]
async fn h9_invalid_document() {
    for (body, expected) in [
        (
            r#"{"id":"a","name":"a","description":"d"}"#,
            "missing field `body`",
        ),
        (
            r#"{"id":"a","name":"a","description":"d","body":7}"#,
            "invalid type",
        ),
        ("<html>", "expected value"),
    ] {
        let server = Scripted::start(move |_| json(body)).await;
        let why = reason(
            source(options(&server.url()))
                .load(&id("a"))
                .await
                .unwrap_err(),
        );
        assert!(why.contains(expected), "{why}");
    }
}

#[tokio::test]
async fn h10_collections_are_derived() {
    let mut refreshes = 0;
    for collections in [
        missing as fn() -> Reply,
        || answer("500 Internal Server Error", "", ""),
        || json("nonsense"),
        || json(r#"{"collections":null}"#),
    ] {
        let server = Scripted::start(move |request| match request.target() {
            "/skills" => answer(
                "200 OK",
                "etag: \"1\"\r\n",
                r#"{"skills":[
                    {"id":"a/b/c","name":"c","description":"d"},
                    {"id":"a/d","name":"d","description":"d"}
                ]}"#,
            ),
            "/skill-collections" => collections(),
            _ => missing(),
        })
        .await;
        let composite = composite(vec![("remote", source(options(&server.url())))]);
        let catalog = composite.catalog().await;
        let found: Vec<_> = catalog
            .collections()
            .map(|found| (found.path.to_string(), found.description))
            .collect();
        let expected = [("a", "2 skills"), ("a/b", "1 skill")];
        assert_eq!(
            found,
            expected.map(|(path, text)| (path.to_owned(), text.to_owned()))
        );
        assert_eq!(catalog.sources().next().unwrap().health, Health::Healthy);
        composite.catalog().await;
        let conditional = server
            .seen()
            .iter()
            .filter(|request| request.header("if-none-match").is_some())
            .count();
        refreshes += conditional;
    }
    // Where collections could not be had just now, the list is asked for anew, so that they are too.
    assert_eq!(refreshes, 3);
}
