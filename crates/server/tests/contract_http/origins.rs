//! Row H8: redirects.

use super::*;

#[tokio::test]
async fn h8_redirect_to_another_origin() {
    for status in [
        "301 Moved",
        "302 Found",
        "303 See Other",
        "307 Temporary",
        "308 Permanent",
    ] {
        for auth in credentials() {
            let other = Scripted::start(|_| list(&["evil"])).await;
            // The same machine under another port is another origin, and so is another name of it.
            let port = other.address.port();
            for place in [
                other.url(),
                format!("http://localhost:{port}"),
                format!("//localhost:{port}"),
            ] {
                let location = format!("location: {place}/skills?s3cr3t\r\n");
                let server = Scripted::start(move |_| answer(status, &location, "")).await;
                let mut options = options(&server.url());
                options.auth = auth.clone();
                let why = reason(source(options).snapshot().await.unwrap_err());
                assert!(
                    why.starts_with("redirect refused: the server redirects to another origin"),
                    "{why}"
                );
                assert!(!why.contains("s3cr3t"), "{why}");
            }
            assert_eq!(other.connections(), 0);
        }
    }
}

#[tokio::test]
async fn h8_redirect_within_the_origin() {
    for auth in credentials() {
        let server = Scripted::start(|request| match request.target() {
            "/skills" => answer("302 Found", "location: /v2/skills\r\n", ""),
            "/v2/skills" => list(&["a"]),
            _ => missing(),
        })
        .await;
        let mut options = options(&server.url());
        options.auth = auth;
        assert_eq!(ids(&source(options).snapshot().await.unwrap()), ["a"]);
        let seen = server.seen();
        assert_eq!(seen.len(), 2);
        for request in seen {
            let sent = request
                .headers
                .iter()
                .filter(|(_, value)| value.ends_with("s3cr3t"));
            assert_eq!(sent.count(), 1, "{request:?}");
        }
    }
}

#[tokio::test]
async fn h8_redirects_end() {
    let server = Scripted::start(|_| answer("302 Found", "location: /skills\r\n", "")).await;
    let why = reason(source(options(&server.url())).snapshot().await.unwrap_err());
    assert_eq!(why, "redirect refused: too many redirects");
    assert_eq!(server.targets().len(), 6);
}
