//! Archives and indexes from servers that break, lie and redirect.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use prowess_testing::{ChildGuard, run};
use serde_json::{Value, json};

use crate::servers::serve;
use crate::workshop::{FIRST, Workshop, noise, state};

/// A workshop whose files `served/pdf.tar.gz`, `all.zip` and `pdf.tar` a server sends.
fn server() -> (Workshop, ChildGuard, String) {
    let workshop = Workshop::new();
    // Enough that it comes in several parts, and does not compress.
    workshop.write("repository/skills/pdf/noise.txt", noise(20_000));
    workshop.write(
        "repository/my skills/csv/SKILL.md",
        FIRST.replace("pdf", "csv"),
    );
    run(Command::new("sh")
        .args(["-euc", "mkdir served; cd repository
            tar -cf ../served/pdf.tar -C skills/pdf .; gzip -k ../served/pdf.tar
            python3 -c 'import shutil; shutil.make_archive(\"../served/all\", \"zip\", \".\", \"my skills\")'
            echo later >> skills/pdf/SKILL.md; tar -czf ../served/pdf.tar.gz.changed -C skills/pdf ."])
        .current_dir(workshop.root()));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/package_server.py");
    let mut command = Command::new("python3");
    command.arg(script);
    command.args([workshop.path("served"), workshop.path("requests.log")]);
    let (child, port) = serve(&mut command);
    (workshop, child, format!("http://127.0.0.1:{port}"))
}

/// The files of `pdf` that the archives have.
fn expected(workshop: &Workshop) -> BTreeMap<String, String> {
    let mut files = state(&workshop.path("repository/skills/pdf"));
    files.insert("SKILL.md".to_owned(), FIRST.to_owned());
    files
}

#[test]
fn pk17_a_broken_transfer_is_resumed() {
    let (workshop, _server, url) = server();
    let expected = expected(&workshop);
    for mode in [
        "plain",
        "break-10000",
        "short-20000",
        "once-5000",
        "redirect",
        "forbidden",
    ] {
        workshop.write("requests.log", "");
        let source = format!("{url}/{mode}/pdf.tar.gz");
        workshop.expect(0, &["add", &source]);
        let log = workshop.read("requests.log");
        let found = state(&workshop.path("project/.agents/skills/pdf"));
        assert!(found == expected, "{mode}: {log}");
        let resumed = log.contains(" bytes=10000-\n") || log.contains(" bytes=20000-\n");
        let is_resumable = mode.starts_with("break") || mode.starts_with("short");
        assert_eq!(resumed, is_resumable, "{mode}: {log}");
        // The signature beside it is asked for, and need not be there.
        assert!(log.contains("pdf.tar.gz.minisig whole\n"), "{mode}: {log}");
        workshop.expect(0, &["verify"]);
        workshop.expect(0, &["remove", "pdf"]);
    }
    // A file that changes meanwhile is the new one, whole.
    workshop.expect(0, &["add", &format!("{url}/changed-5000/pdf.tar.gz")]);
    let text = workshop.read("project/.agents/skills/pdf/SKILL.md");
    assert!(text.ends_with("later\n"), "{text}");
    workshop.expect(0, &["remove", "pdf"]);
    // A directory in it, with a space, again from the lock file.
    workshop.expect(0, &["add", &format!("{url}/plain/all.zip#my skills/csv")]);
    let lock = workshop.read("project/prowess.lock");
    assert!(lock.contains("/plain/all.zip#my%20skills/csv\""), "{lock}");
    workshop.expect(0, &["outdated"]);
    workshop.write("clone/prowess.lock", &lock);
    workshop.expect_in("clone", 0, &["sync", "--frozen", "--yes"]);
    assert!(workshop.exists("clone/.agents/skills/csv/SKILL.md"));
    let run = workshop.expect(1, &["add", &format!("{url}/plain/all.zip#skills")]);
    assert!(run.stderr.contains("no skills in"), "{}", run.stderr);
}

#[test]
fn pk18_a_server_that_lies_is_refused() {
    let (workshop, _server, url) = server();
    for (path, expected) in [
        (
            "wrong-range-5000/pdf.tar.gz",
            "malformed response: wrong range",
        ),
        (
            "wrong-size-5000/pdf.tar.gz",
            "malformed response: wrong size",
        ),
        (
            "other-etag-5000/pdf.tar.gz",
            "malformed response: a part of another file",
        ),
        ("half/pdf.tar.gz", "cannot unpack"),
        ("half/pdf.tar", "cannot unpack"),
        ("huge/pdf.tar.gz", "larger than 104857600 bytes"),
        ("endless/pdf.tar.gz", "larger than 104857600 bytes"),
        ("plain/missing.tar.gz", "not found"),
        ("forbidden/missing.tar.gz", "the server returned 403"),
        (
            "elsewhere/pdf.tar.gz",
            "the server redirects to another origin (localhost)",
        ),
    ] {
        let run = workshop.expect(1, &["add", &format!("{url}/{path}")]);
        assert!(run.stderr.contains(expected), "{path}: {}", run.stderr);
        assert!(run.stderr.contains(&url), "{path}: {}", run.stderr);
        assert!(workshop.project().is_empty(), "{path}");
    }
}

fn digest(workshop: &Workshop, path: &str) -> String {
    let sum = run(Command::new("sha256sum").arg(workshop.path(path)));
    format!("sha256:{}", sum.split(' ').next().unwrap())
}

fn entry(name: &str, kind: &str, url: &str, digest: &str) -> Value {
    json!({"name": name, "type": kind, "description": format!("Does {name}."), "url": url, "digest": digest})
}

fn publish(workshop: &Workshop, entries: &[Value]) {
    let index = json!({"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": entries});
    workshop.write(
        "served/.well-known/agent-skills/index.json",
        index.to_string(),
    );
}

#[test]
fn pk19_an_index_of_skills() {
    let (workshop, _server, url) = server();
    workshop.write("served/notes.md", FIRST.replace("pdf", "notes"));
    let archive = digest(&workshop, "served/pdf.tar.gz");
    let markdown = digest(&workshop, "served/notes.md");
    let mut entries = vec![
        entry("pdf", "archive", "/plain/pdf.tar.gz", &archive),
        entry("notes", "skill-md", "/plain/notes.md", &markdown),
        entry("changed", "archive", "/plain/pdf.tar.gz", &markdown),
        entry(
            "elsewhere",
            "archive",
            "https://other.example/x.tar.gz",
            &archive,
        ),
        entry("unknown", "wasm", "/plain/pdf.tar.gz", &archive),
        entry("../evil", "archive", "/plain/pdf.tar.gz", &archive),
    ];
    for number in 0..10_000 {
        entries.push(entry(
            &format!("s{number}"),
            "skill-md",
            "/plain/notes.md",
            &markdown,
        ));
    }
    publish(&workshop, &entries);
    let run = workshop.expect(2, &["add", &url]);
    assert!(run.stderr.contains("has 10005 skills"), "{}", run.stderr);
    let run = workshop.expect(0, &["add", &url, "--list"]);
    assert_eq!(run.stdout.lines().count(), 10_005);
    workshop.expect(0, &["add", &url, "--skill", "pdf", "--skill", "notes"]);
    let found = state(&workshop.path("project/.agents/skills/pdf"));
    assert!(found == expected(&workshop));
    let lock = workshop.read("project/prowess.lock");
    assert!(
        lock.contains(&format!("source = \"{url}/#notes\"")),
        "{lock}"
    );
    assert!(
        lock.contains(&format!("resolved = \"{archive}\"")),
        "{lock}"
    );
    // The index is read once for both.
    workshop.write("requests.log", "");
    workshop.expect(0, &["outdated"]);
    let log = workshop.read("requests.log");
    assert_eq!(log.matches("index.json").count(), 1, "{log}");
    workshop.write("clone/prowess.lock", &lock);
    workshop.expect_in("clone", 0, &["sync", "--frozen", "--yes"]);
    // A new version.
    workshop.write("served/notes.md", FIRST.replace("pdf", "notes") + "More.\n");
    entries[1] = entry(
        "notes",
        "skill-md",
        "/plain/notes.md",
        &digest(&workshop, "served/notes.md"),
    );
    publish(&workshop, &entries);
    workshop.expect(3, &["outdated"]);
    let run = workshop.expect(0, &["update"]);
    assert_eq!(run.stdout.lines().last(), Some("* notes"));
    let before = workshop.project();
    for (name, expected) in [
        ("changed", "but its index says sha256:"),
        ("elsewhere", "the index names another server"),
        ("unknown", "unknown type `wasm`"),
        ("../evil", "no skill `../evil`"),
        ("missing", "no skill `missing`"),
    ] {
        let run = workshop.expect(1, &["add", &url, "--skill", name]);
        assert!(run.stderr.contains(expected), "{name}: {}", run.stderr);
        assert_eq!(workshop.project(), before, "{name}");
    }
    // A byte that changes on the way.
    let mut bytes = std::fs::read(workshop.path("served/pdf.tar.gz")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(workshop.path("served/pdf.tar.gz"), bytes).unwrap();
    let run = workshop.expect(1, &["update", "pdf"]);
    assert!(
        run.stderr.contains("it was changed on the way"),
        "{}",
        run.stderr
    );
}

#[test]
fn pk19_a_malformed_index_is_refused() {
    let (workshop, _server, url) = server();
    for (text, expected) in [
        ("<html>", "malformed index: expected value at line 1"),
        ("{\"skills\": 3}", "malformed index: invalid type"),
        (
            "{\"skills\": [{\"name\": \"a\"}]}",
            "malformed index: missing field",
        ),
    ] {
        workshop.write("served/.well-known/agent-skills/index.json", text);
        let run = workshop.expect(1, &["add", &url]);
        assert!(run.stderr.contains(expected), "{text}: {}", run.stderr);
    }
    std::fs::remove_file(workshop.path("served/.well-known/agent-skills/index.json")).unwrap();
    let run = workshop.expect(1, &["add", &url]);
    assert!(
        run.stderr.contains("no index of skills at this server"),
        "{}",
        run.stderr
    );
    assert!(workshop.project().is_empty());
}
