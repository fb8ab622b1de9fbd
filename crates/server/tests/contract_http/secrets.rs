//! Row H11: credentials.

use std::fmt::Write;

use super::*;

fn everything_below(directory: &Path, found: &mut String) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        found.push_str(&path.display().to_string());
        if path.is_dir() {
            everything_below(&path, found);
        } else {
            found.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
}

#[tokio::test]
async fn h11_credentials_are_never_shown() {
    let directory = tempfile::tempdir().unwrap();
    let mut shown = String::new();
    let replies: [fn() -> Reply; 7] = [
        || list(&["a"]),
        missing,
        || answer("401 Unauthorized", "", ""),
        || answer("500 Internal Server Error", "", ""),
        || answer("302 Found", "location: http://localhost:1/\r\n", ""),
        || json("nonsense"),
        || Reply::Send(Vec::new()),
    ];
    for reply in replies {
        let server = Scripted::start(move |_| reply()).await;
        for auth in credentials() {
            let url = server.url();
            let with_password = url.replace("//", "//user:s3cr3t@");
            let with_query = format!("{url}?s3cr3t");
            for url in [url, with_password, with_query] {
                let mut options = options(&url);
                options.auth.clone_from(&auth);
                let _ = write!(shown, "{options:?}");
                let source = keeping(options, directory.path());
                let composite = composite(vec![("remote", source.clone())]);
                for status in composite.catalog().await.sources() {
                    let _ = write!(shown, "{status:?}");
                }
                let _ = write!(shown, "{:?}", source.freshness());
                for error in [
                    source.snapshot().await.err(),
                    source.load(&id("a")).await.err(),
                    source.files(&id("a")).await.err(),
                    source.read(&id("a"), &path("b"), 0, 1).await.err(),
                ] {
                    let text = error.as_ref().map(ToString::to_string);
                    let _ = write!(shown, "{error:?} {text:?}");
                }
            }
        }
        // It was sent, though.
        let sent = server.seen();
        assert!(
            sent.iter()
                .any(|request| request.header("authorization") == Some("Bearer s3cr3t"))
        );
        assert!(
            sent.iter()
                .any(|request| request.header("x-api-key") == Some("s3cr3t"))
        );
    }
    for broken in ["s3cr3t\n", "s3cr3t\r\nx: y", "s3cr3t\u{7f}"] {
        let mut options = options("http://127.0.0.1:1");
        options.auth = Some(bearer(broken));
        let why = reason(source(options).snapshot().await.unwrap_err());
        assert_eq!(why, "invalid credentials: not allowed in a header");
    }
    everything_below(directory.path(), &mut shown);
    assert!(shown.contains("Does a"), "{shown}");
    assert!(!shown.contains("s3cr3t"), "{shown}");
}

#[tokio::test]
async fn h11_our_server_and_its_token() {
    let skills = Skills::builder()
        .source("served", some_skills())
        .build()
        .await
        .unwrap();
    let ours = Ours::start(skills, ApiOptions::default().token("s3cr3t").unwrap()).await;
    let mut right = options(&ours.url());
    right.auth = Some(bearer("s3cr3t"));
    assert_eq!(source(right).snapshot().await.unwrap().skills.len(), 4);
    for auth in [None, Some(bearer("guess"))] {
        let mut wrong = options(&ours.url());
        wrong.auth = auth;
        let why = reason(source(wrong).snapshot().await.unwrap_err());
        assert_eq!(
            why,
            "access denied (401 Unauthorized); check the credentials"
        );
    }
    assert!(!format!("{:?}", ours.exchanges()).contains("s3cr3t"));
}
