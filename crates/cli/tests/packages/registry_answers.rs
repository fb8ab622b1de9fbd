//! Registries that lie, break, redirect and are down; cached answers.

use std::net::TcpListener;

use crate::fake_registry::{FakeRegistry, Fault, TOKEN, skill};
use crate::registries::age_cache;
use crate::workshop::Workshop;

#[test]
fn rc6_malformed_answers_are_refused() {
    let workshop = Workshop::new();
    let registry = FakeRegistry::start();
    registry.configure(&workshop);
    registry.publish("pdf-forms", "1.0.0", "one");
    let host = registry.url.strip_prefix("http://").unwrap().to_owned();
    let whole = {
        let info = registry.edit(|it| it.packages["pdf-forms"].clone());
        serde_json::to_string(&info).unwrap()
    };
    let other = whole.replace("\"name\":\"pdf-forms\"", "\"name\":\"other\"");
    for (fault, expected) in [
        (
            Fault::new(200, "<html>Welcome</html>"),
            format!("malformed response from {host}: expected JSON, got HTML"),
        ),
        (
            Fault::new(200, "Log in").header("content-type", "text/html"),
            "expected JSON, got HTML".to_owned(),
        ),
        (
            Fault::new(200, whole.split_at(whole.len() / 2).0),
            "expected JSON, got".to_owned(),
        ),
        (
            Fault::new(200, &format!("[\"{}\"]", "x".repeat(10_000_000))),
            "larger than 4194304 bytes".to_owned(),
        ),
        (
            Fault::new(200, "{}"),
            "unexpected JSON: missing field".to_owned(),
        ),
        (Fault::new(200, ""), "expected JSON, got nothing".to_owned()),
        (
            Fault::new(200, &other),
            "expected `pdf-forms`, got `other`".to_owned(),
        ),
        (Fault::new(418, "tea"), format!("{host} returned 418")),
    ] {
        registry.edit(|it| it.always = Some(fault));
        let run = workshop.expect(1, &["add", "pdf-forms"]);
        assert!(run.stderr.contains(&expected), "{expected}: {}", run.stderr);
        assert!(workshop.project().is_empty());
        registry.edit(|it| it.always = None);
    }
    // Other bytes than the stated ones, and another skill than the named one.
    let bytes = prowess_registry::pack(&skill("pdf-forms", "harmful")).unwrap();
    let key = ("pdf-forms".to_owned(), "1.0.0".to_owned());
    let before = registry
        .edit(|it| it.bytes.insert(key.clone(), bytes))
        .unwrap();
    let run = workshop.expect(1, &["add", "pdf-forms"]);
    assert!(
        run.stderr.contains("but the registry states sha256:"),
        "{}",
        run.stderr
    );
    let bytes = prowess_registry::pack(&skill("other", "harmful")).unwrap();
    let digest = prowess_registry::package_digest(&bytes).to_string();
    registry.edit(|it| it.bytes.insert(key.clone(), bytes));
    registry.version("pdf-forms", "1.0.0", |it| it.digest = digest);
    let run = workshop.expect(1, &["add", "pdf-forms", "--refresh"]);
    assert!(
        run.stderr
            .contains("the package contains the skill `other`"),
        "{}",
        run.stderr
    );
    assert!(workshop.project().is_empty());
    drop(before);
}

#[test]
fn rc7_a_token_goes_to_its_own_origin_only() {
    let workshop = Workshop::new();
    let (registry, thief) = (FakeRegistry::start(), FakeRegistry::start());
    registry.log_in(&workshop);
    registry.publish("pdf-forms", "1.0.0", "one");
    thief.publish("pdf-forms", "1.0.0", "one");
    let to = |path: &str| Fault::new(302, "").header("location", &format!("{}{path}", thief.url));
    registry.edit(|it| it.always = Some(to("/api/v1/skills/pdf-forms")));
    for arguments in [
        &["add", "pdf-forms"][..],
        &["yank", "pdf-forms@1.0.0", "--reason", "x"],
        &["registry", "owners", "pdf-forms"],
    ] {
        let run = workshop.expect(1, arguments);
        assert!(
            run.stderr
                .contains("the server redirects to another origin"),
            "{}",
            run.stderr
        );
        assert!(!run.stderr.contains(TOKEN), "{}", run.stderr);
    }
    // Also while the package is downloaded.
    registry.edit(|it| it.always = None);
    workshop.expect(0, &["info", "pdf-forms@1.0.0"]);
    registry.fail_once(to("/api/v1/skills/pdf-forms/1.0.0/download"));
    let run = workshop.expect(1, &["add", "pdf-forms"]);
    assert!(
        run.stderr
            .contains("the server redirects to another origin"),
        "{}",
        run.stderr
    );
    assert!(thief.requests().is_empty());
    assert!(
        registry
            .requests()
            .iter()
            .all(|it| it.token.as_deref() == Some(TOKEN))
    );
}

#[test]
fn rc8_a_registry_that_is_busy_or_broken_is_asked_once_more() {
    let workshop = Workshop::new();
    let registry = FakeRegistry::start();
    registry.configure(&workshop);
    registry.publish("pdf-forms", "1.0.0", "one");
    let busy = |seconds: &str| Fault::new(429, "").header("retry-after", seconds);
    for fault in [busy("0"), Fault::new(503, "")] {
        registry.fail_once(fault);
        workshop.expect(0, &["info", "pdf-forms@1.0.0", "--refresh"]);
        assert_eq!(registry.lines().len(), 2);
    }
    registry.fail_once(busy("31"));
    let run = workshop.expect(1, &["info", "pdf-forms@1.0.0", "--refresh"]);
    assert!(
        run.stderr.contains("too many requests to 127.0.0.1:"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("try again in 31 s"), "{}", run.stderr);
    for fault in [busy("0"), Fault::new(503, "")] {
        registry.requests();
        registry.edit(|it| it.always = Some(fault));
        workshop.expect(1, &["info", "pdf-forms@1.0.0", "--refresh"]);
        assert_eq!(registry.lines().len(), 2);
        registry.edit(|it| it.always = None);
    }
    // A closed port.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let text = format!("[registry]\nurl = \"http://127.0.0.1:{port}\"\n");
    workshop.write("home/.config/prowess/prowess.toml", text);
    let run = workshop.expect(1, &["add", "pdf-forms"]);
    assert!(
        run.stderr
            .contains(&format!("cannot reach 127.0.0.1:{port}: ")),
        "{}",
        run.stderr
    );
}

#[test]
fn rg9_answers_are_cached_for_one_hour_or_for_ever() {
    let workshop = Workshop::new();
    let registry = FakeRegistry::start();
    registry.configure(&workshop);
    registry.publish("pdf-forms", "1.0.0", "one");
    registry.publish("pdf-forms", "1.1.0", "two");
    workshop.expect(0, &["add", "pdf-forms@1.0.0"]);
    registry.requests();
    let info = ["info", "pdf-forms@1.1.0", "--diff"];
    let asked = |extra: &[&str]| {
        let arguments: Vec<&str> = info.iter().chain(extra).copied().collect();
        workshop.expect(0, &arguments);
        registry.lines()
    };
    // The package was asked about before; the difference was not.
    let diff = "GET /api/v1/skills/pdf-forms/1.1.0/diff?from=1.0.0";
    let package = "GET /api/v1/skills/pdf-forms";
    assert_eq!(asked(&[]), [diff]);
    assert!(asked(&[]).is_empty());
    age_cache(&workshop, 3_590);
    assert!(asked(&[]).is_empty());
    age_cache(&workshop, 10);
    assert_eq!(asked(&[]), [package]);
    assert_eq!(asked(&["--refresh"]), [package]);
    age_cache(&workshop, 100_000);
    assert!(asked(&["--offline"]).is_empty());
    let run = workshop.expect(1, &["info", "other@1.0.0", "--offline"]);
    assert!(
        run.stderr.contains("offline, and nothing is cached"),
        "{}",
        run.stderr
    );
    assert!(registry.requests().is_empty());
}
