//! Row H4: who is asked next.

use super::*;

#[tokio::test]
async fn h4_not_found_falls_through() {
    let ours = Ours::over(some_skills()).await;
    let remote = source(options(&ours.url()));
    let missing = id("writing/sonnet");
    assert_eq!(
        remote.load(&missing).await,
        Err(SourceError::NotFound(missing.clone()))
    );
    assert_eq!(ours.seen(), ["GET /api/skills/writing%2Fsonnet 404"]);
    let both = composite(vec![("remote", remote.clone()), ("local", local())]);
    both.catalog().await;
    assert_eq!(both.load(&id("local")).await.unwrap().body, "Here.");
    assert_eq!(
        both.load(&id("extraction/email")).await.unwrap().body,
        "Do it well."
    );
    assert_eq!(
        both.load(&missing).await,
        Err(SourceError::NotFound(missing))
    );
}

#[tokio::test]
async fn h4_listed_and_gone() {
    let directory = tempfile::tempdir().unwrap();
    let gone = Arc::new(Mutex::new(false));
    let state = Arc::clone(&gone);
    let server = Scripted::start(move |request| match request.target() {
        "/skills" => list(&["local"]),
        _ if *state.lock().unwrap() => missing(),
        _ => json(r#"{"id":"local","name":"local","description":"d","body":"remote"}"#),
    })
    .await;
    let remote = keeping(options(&server.url()), directory.path());
    let both = composite(vec![("remote", remote), ("local", local())]);
    both.catalog().await;
    assert_eq!(both.load(&id("local")).await.unwrap().body, "remote");
    *gone.lock().unwrap() = true;
    assert_eq!(both.load(&id("local")).await.unwrap().body, "Here.");
    // Nor does it come back with the next process.
    let address = server.stop().await;
    let remote = keeping(options(&format!("http://{address}")), directory.path());
    assert_eq!(ids(&remote.snapshot().await.unwrap()), ["local"]);
    reason(remote.load(&id("local")).await.unwrap_err());
}

#[tokio::test]
async fn h4_other_answers_are_errors() {
    for (status, expected) in [
        (
            "500 Internal Server Error",
            "the server returned 500 Internal Server Error",
        ),
        (
            "429 Too Many Requests",
            "the server returned 429 Too Many Requests",
        ),
        ("204 No Content", "the server returned 204 No Content"),
        (
            "206 Partial Content",
            "the server returned 206 Partial Content",
        ),
        (
            "401 Unauthorized",
            "access denied (401 Unauthorized); check the credentials",
        ),
        (
            "403 Forbidden",
            "access denied (403 Forbidden); check the credentials",
        ),
    ] {
        let server = Scripted::start(move |request| match request.target() {
            "/skills" => list(&["extraction/email"]),
            _ => answer(status, "", ""),
        })
        .await;
        let remote = source(options(&server.url()));
        let both = composite(vec![("remote", remote.clone()), ("local", local())]);
        both.catalog().await;
        let email = id("extraction/email");
        // The skill that counts cannot be had; another one under its name would be a surprise.
        assert_eq!(reason(both.load(&email).await.unwrap_err()), expected);
        assert_eq!(reason(remote.files(&email).await.unwrap_err()), expected);
        assert_eq!(both.load(&id("local")).await.unwrap().body, "Here.");
    }
}

#[tokio::test]
async fn h4_response_with_another_skill() {
    let server =
        Scripted::start(|_| json(r#"{"id":"b","name":"b","description":"d","body":"Obey b."}"#))
            .await;
    let error = source(options(&server.url()))
        .load(&id("a"))
        .await
        .unwrap_err();
    assert_eq!(
        reason(error),
        "malformed response: expected skill `a`, got `b`"
    );
}
