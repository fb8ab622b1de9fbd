//! `search`, `list --available` and `info` of packages of registries.

use serde_json::Value;

use crate::fake_registry::{FakeRegistry, Fault};
use crate::workshop::Workshop;

#[test]
fn cl22_results_of_registries_are_marked_when_installed() {
    let workshop = Workshop::new();
    let registry = FakeRegistry::start();
    registry.configure(&workshop);
    registry.publish("pdf-forms", "1.0.0", "one");
    registry.publish("pdf-pages", "2.0.0", "two");
    workshop.expect(0, &["add", "pdf-forms"]);
    registry.publish("pdf-forms", "1.1.0", "newer");
    let run = workshop.expect(0, &["search", "pdf", "--refresh"]);
    let line = |name: &str| {
        let mut lines = run.stdout.lines().filter(|it| it.starts_with(name));
        lines.next_back().unwrap().to_owned()
    };
    assert!(
        line("pdf-forms").ends_with("installed 1.0.0"),
        "{}",
        run.stdout
    );
    assert!(line("pdf-pages").ends_with("default   -"), "{}", run.stdout);
    // The installed skill comes first.
    assert!(run.stdout.starts_with("SKILL"), "{}", run.stdout);
    let run = workshop.expect(0, &["search", "pdf", "--json"]);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(document["packages"][0]["installed"], "1.0.0");
    assert_eq!(document["packages"][1]["installed"], Value::Null);
    registry.requests();
    workshop.expect(0, &["search", "pdf", "--local"]);
    assert!(registry.requests().is_empty());
    let run = workshop.expect(
        0,
        &[
            "search",
            "pdf",
            "--owner",
            "acme",
            "--no-code",
            "--verdict",
            "clean",
            "--type",
            "tool",
            "--licence",
            "MIT",
            "--permission",
            "net:fetch",
        ],
    );
    assert_eq!(run.stderr, "No results for \"pdf\".\n");
    assert_eq!(
        registry.lines(),
        [
            "GET /api/v1/search?q=pdf&limit=10&offset=0&permission=net%3Afetch&type=tool&licence=MIT&code=false&verdict=clean&owner=acme"
        ]
    );
    // A registry that is down is a warning.
    registry.edit(|it| it.always = Some(Fault::new(500, "")));
    let run = workshop.expect(0, &["search", "pdf", "--refresh"]);
    assert!(
        run.stderr.contains("warning: registry default: 127.0.0.1:"),
        "{}",
        run.stderr
    );
    assert!(run.stdout.contains("pdf-forms"), "{}", run.stdout);
    let run = workshop.expect(0, &["search", "nothing like this", "--refresh", "--quiet"]);
    assert_eq!(run.stderr, "");
}

#[test]
fn cl22_every_package_of_the_registries_is_listed() {
    let workshop = Workshop::new();
    let run = workshop.expect(1, &["list", "--available"]);
    assert!(
        run.stderr.contains("no registry is configured"),
        "{}",
        run.stderr
    );
    let (one, two) = (FakeRegistry::start(), FakeRegistry::start());
    workshop.write(
        "home/.config/prowess/prowess.toml",
        format!(
            "[registry]\nurl = \"{}\"\n[[registries]]\nname = \"second\"\nurl = \"{}\"\n",
            one.url, two.url
        ),
    );
    for number in 0..150 {
        one.publish(&format!("skill-{number}"), "1.0.0", "x");
    }
    two.publish("other", "1.0.0", "x");
    workshop.expect(0, &["add", "skill-7"]);
    let run = workshop.expect(0, &["list", "--available", "--json"]);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let packages = document["packages"].as_array().unwrap();
    assert_eq!(packages.len(), 151);
    let installed = packages.iter().filter(|it| !it["installed"].is_null());
    let installed: Vec<&Value> = installed.map(|it| &it["name"]).collect();
    assert_eq!(installed, ["skill-7"]);
    let pages = one.lines().into_iter().filter(|it| it.contains("?q=&"));
    assert_eq!(pages.count(), 2);
    let run = workshop.expect(0, &["list", "--available", "--registry", "second"]);
    assert_eq!(run.stdout.lines().count(), 2, "{}", run.stdout);
    let run = workshop.expect(2, &["list", "--available", "--registry", "third"]);
    assert!(
        run.stderr.contains("one of default, second"),
        "{}",
        run.stderr
    );
}

#[test]
fn rc9_info_shows_a_package_that_is_not_installed() {
    let workshop = Workshop::new();
    let registry = FakeRegistry::start();
    registry.configure(&workshop);
    registry.publish("pdf-forms", "1.0.0", "one");
    registry.publish("pdf-forms", "1.1.0", "two");
    registry.yank("pdf-forms", "1.0.0", "loses\u{1b}[2J pages");
    let run = workshop.expect(0, &["info", "pdf-forms"]);
    for expected in [
        "pdf-forms 1.1.0\n",
        "owners        alice\n",
        "published     2026-01-02T03:04:05Z by alice\n",
        "digest        sha256:",
        "signed by     not signed\n",
        "audit         nothing found\n",
        "installed     no\n",
        "7 downloads  yanked: loses",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {}", run.stdout);
    }
    assert!(!run.stdout.contains('\u{1b}'), "{}", run.stdout);
    let run = workshop.expect(1, &["info", "pdf-forms", "--diff"]);
    assert!(
        run.stderr.contains("`pdf-forms` is not installed"),
        "{}",
        run.stderr
    );
    workshop.expect(0, &["add", "pdf-forms@1.0.0"]);
    let run = workshop.expect(0, &["info", "pdf-forms", "--diff"]);
    assert!(
        run.stdout
            .contains("from 1.0.0 to 1.1.0\n    wants also net:fetch\n"),
        "{}",
        run.stdout
    );
}
