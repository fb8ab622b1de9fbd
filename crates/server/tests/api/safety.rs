//! Who is answered, and what is never served.

use super::*;

#[tokio::test]
async fn paths_outside_the_skill_are_rejected() {
    let directory = exposed();
    let ours = Ours::over(filesystem(&directory)).await;
    let collections = get(ours.address, "/api/skill-collections", &[])
        .await
        .json();
    assert_eq!(
        collections["collections"][0]["description"],
        "Things to use"
    );
    let base = "/api/skills/tools%2Fpdf/files/";
    for (path, status, code) in [
        ("../../../secret", 400, "invalid-path"),
        ("..%2f..%2f..%2fsecret", 400, "invalid-path"),
        ("%2e%2e/%2e%2e/%2e%2e/secret", 400, "invalid-path"),
        ("..\\..\\..\\secret", 400, "invalid-path"),
        ("..%5c..%5c..%5csecret", 400, "invalid-path"),
        ("references/../../../../secret", 400, "invalid-path"),
        ("/etc/passwd", 400, "invalid-path"),
        ("%2Fetc%2Fpasswd", 400, "invalid-path"),
        ("C:%5Cx", 400, "invalid-path"),
        ("a%00b", 400, "invalid-path"),
        ("%ff", 400, "invalid-path"),
        (".", 400, "invalid-path"),
        ("%252e%252e%252fsecret", 404, "file-not-found"),
        ("link", 403, "access-denied"),
        ("references", 404, "not-a-file"),
        ("none", 404, "file-not-found"),
    ] {
        let refused = get(ours.address, &format!("{base}{path}"), &[]).await;
        assert_eq!(
            (refused.status, refused.code().as_str()),
            (status, code),
            "{path}"
        );
        let text = refused.text();
        assert!(!text.contains("s3cr3t"), "{text}");
        let root = directory.root().to_str().unwrap();
        assert!(!text.contains(root), "{text}");
    }
    let denied = ours
        .exchanges()
        .into_iter()
        .find(|exchange| exchange.path.ends_with("/link"));
    assert_eq!(denied.unwrap().code, Some(Code::AccessDenied));
    // Ids are not paths either.
    for id in [
        "..",
        "%2e%2e",
        "..%2F..%2Fsecret",
        "tools%2F..%2F..%2Fsecret",
        "%2Fetc",
    ] {
        for end in ["", "/files", "/files/secret"] {
            let refused = get(ours.address, &format!("/api/skills/{id}{end}"), &[]).await;
            assert_eq!(refused.status, 404, "{id}{end}");
        }
    }
    // A reader elsewhere is told the same.
    let remote = support::source(support::options(&ours.url()));
    let denied = remote.read(&id("tools/pdf"), &path("link"), 0, 10).await;
    let expected = SourceError::AccessDenied {
        id: id("tools/pdf"),
        path: path("link"),
    };
    assert_eq!(denied.unwrap_err(), expected);
}

#[tokio::test]
async fn other_hosts_are_rejected() {
    let skills = Skills::builder()
        .source("served", some_skills())
        .build()
        .await
        .unwrap();
    let options = ApiOptions::default().host("skills.example.com").unwrap();
    let ours = Ours::start(skills, options.public()).await;
    let port = ours.address.port();
    for host in [
        "localhost",
        &format!("localhost:{port}"),
        "skills.example.com",
        "[::1]:1",
    ] {
        let answer = get(ours.address, "/api/skills", &[&format!("host: {host}")]).await;
        assert_eq!(answer.status, 200, "{host}");
    }
    for host in [
        "evil.com",
        &format!("evil.com:{port}"),
        "localhost.evil.com",
        "127.0.0.1.nip.io",
        "",
    ] {
        for target in ["/api/skills", "/healthz", "/nothing"] {
            let refused = get(ours.address, target, &[&format!("host: {host}")]).await;
            assert_eq!(
                (refused.status, refused.code().as_str()),
                (421, "forbidden-host"),
                "{host}"
            );
            assert!(!refused.text().contains("extraction"));
        }
    }
    let absolute = get(
        ours.address,
        "http://evil.com/api/skills",
        &["host: localhost"],
    )
    .await;
    assert_eq!(absolute.status, 421);
    let none = send(ours.address, b"GET /api/skills HTTP/1.0\r\n\r\n").await;
    assert_eq!(none.status, 421);
}

#[tokio::test]
async fn requests_without_the_token_are_rejected() {
    let skills = Skills::builder()
        .source("served", some_skills())
        .build()
        .await
        .unwrap();
    let ours = Ours::start(skills, ApiOptions::default().token("s3cr3t").unwrap()).await;
    for target in [
        "/api/skills",
        "/api/skills/list",
        "/api/skills/none",
        "/api/skills/list/files/SKILL.md",
        "/api/skill-collections",
        "/api",
        "/nothing",
        "//healthz",
        "/healthz/",
    ] {
        for headers in [
            vec![],
            vec!["authorization: Bearer guess"],
            vec!["authorization: Basic s3cr3t"],
        ] {
            let refused = get(ours.address, target, &headers).await;
            assert_eq!(
                (refused.status, refused.code().as_str()),
                (401, "unauthorised"),
                "{target}"
            );
            assert_eq!(refused.header("www-authenticate"), Some("Bearer"));
        }
    }
    let key = ["authorization: Bearer s3cr3t"];
    assert_eq!(get(ours.address, "/api/skills", &key).await.status, 200);
    assert_eq!(get(ours.address, "/nothing", &key).await.status, 404);
    let anybody = get(ours.address, "/healthz", &[]).await;
    assert_eq!(anybody.json(), json!({"status": "healthy"}));
    let trusted = get(ours.address, "/healthz", &key).await.json();
    assert_eq!(trusted["sources"][0]["name"], "served");
}

#[tokio::test]
async fn methods_that_are_not_allowed() {
    let ours = ours().await;
    // Writing needs a token, whatever there is to write.
    for method in ["POST", "PUT", "PATCH", "DELETE", "BREW"] {
        let refused = ask(ours.address, method, "/api/skills/list", &[]).await;
        assert_eq!(
            (refused.status, refused.code().as_str()),
            (401, "unauthorised")
        );
    }
    for method in ["OPTIONS", "TRACE"] {
        let refused = ask(ours.address, method, "/api/skills/list", &[]).await;
        assert_eq!(
            (refused.status, refused.code().as_str()),
            (405, "method-not-allowed")
        );
        assert_eq!(refused.header("allow"), Some("GET,HEAD,PUT,DELETE"));
    }
    for target in ["/api/skills", "/", "/healthz", "/openapi.json", "/metrics"] {
        for origin in ["origin: http://evil.com", "origin: null"] {
            let refused = get(ours.address, target, &[origin]).await;
            assert_eq!(
                (refused.status, refused.code().as_str()),
                (403, "forbidden-origin"),
                "{target}"
            );
        }
    }
    let own = format!("origin: http://{}", ours.address);
    let list = get(ours.address, "/api/skills", &[&own]).await;
    let foreign = list
        .headers
        .iter()
        .find(|(name, _)| name.starts_with("access-control"));
    assert_eq!(foreign, None);
    assert_eq!(
        list.header("cross-origin-resource-policy"),
        Some("same-origin")
    );
    for target in [
        "/api",
        "/api/",
        "/api/skills/",
        "/api/nothing",
        "/index.html",
    ] {
        let refused = get(ours.address, target, &[]).await;
        assert_eq!(refused.status, 404, "{target}");
    }
}

#[tokio::test]
async fn sv14_an_error_is_always_a_problem() {
    let ours = ours().await;
    for target in [
        "/x",
        "/api/skills/none",
        "/api/skills/%ff",
        "/api/skills?limit=x",
    ] {
        let refused = get(ours.address, target, &[]).await;
        let media = refused.header("content-type");
        assert_eq!(media, Some("application/problem+json"));
        let problem = refused.json();
        let kind = format!("urn:prowess:problem:{}", refused.code());
        assert_eq!(problem["type"], kind);
        assert_eq!(problem["status"], refused.status);
        assert!(problem["title"].is_string() && problem["detail"].is_string());
    }
}
