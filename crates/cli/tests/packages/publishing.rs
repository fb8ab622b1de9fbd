//! `publish`, `yank`, `registry owners`, `login` and `logout`.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use crate::fake_registry::{FakeRegistry, Fault, TOKEN};
use crate::support::Run;
use crate::workshop::Workshop;

fn set_up() -> (Workshop, FakeRegistry) {
    let workshop = Workshop::new();
    let registry = FakeRegistry::start();
    workshop.write(
        "project/notes/SKILL.md",
        "---\nname: notes\ndescription: Writes notes. Use for notes.\nmetadata:\n  version: \"1.2.0\"\n---\n\nWrite them.\n",
    );
    (workshop, registry)
}

#[test]
fn rc10_a_skill_is_published_once() {
    let (workshop, registry) = set_up();
    let run = workshop.expect(1, &["publish", "notes", "--yes"]);
    assert!(
        run.stderr.contains("no registry is configured"),
        "{}",
        run.stderr
    );
    registry.configure(&workshop);
    let run = workshop.expect(4, &["publish", "notes", "--yes"]);
    assert!(
        run.stderr.contains("no token for 127.0.0.1:"),
        "{}",
        run.stderr
    );
    registry.log_in(&workshop);
    let run = workshop.expect(4, &["publish", "notes"]);
    assert!(run.stderr.contains("add `--yes`"), "{}", run.stderr);
    let run = workshop.expect(0, &["publish", "notes", "--dry-run"]);
    assert!(
        run.stdout
            .starts_with(&format!("notes 1.2.0 to {}/\n", registry.url)),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("audit        nothing found"),
        "{}",
        run.stdout
    );
    assert_eq!(run.stderr, "nothing was published\n");
    assert!(registry.requests().is_empty());
    registry.edit(|it| it.warnings = vec!["the name looks like `note`".to_owned()]);
    let run = workshop.expect(
        0,
        &["publish", "notes", "--yes", "--owner", "acme", "--quiet"],
    );
    assert!(
        run.stdout
            .starts_with("published acme/notes 1.2.0 (sha256:"),
        "{}",
        run.stdout
    );
    assert_eq!(run.stderr, "");
    let run = workshop.expect(0, &["publish", "notes", "--yes", "--owner", "acme"]);
    assert_eq!(
        run.stderr,
        "warning: the name looks like `note`\nacme/notes 1.2.0 was published before, with the same files\n"
    );
    // What was published can be installed, by its own name.
    workshop.expect(0, &["add", "registry:acme/notes"]);
    let text = workshop.read("project/.agents/skills/notes/SKILL.md");
    assert_eq!(text, workshop.read("project/notes/SKILL.md"));
    workshop.write("project/notes/more.md", "More.\n");
    let run = workshop.expect(1, &["publish", "notes", "--yes", "--owner", "acme"]);
    assert!(
        run.stderr.contains("error: cannot publish acme/notes 1.2.0: acme/notes 1.2.0 exists with other bytes\nhint: a version never changes"),
        "{}",
        run.stderr
    );
}

#[test]
fn rc11_a_refused_publish_says_why() {
    let (workshop, registry) = set_up();
    registry.log_in(&workshop);
    let problem = |status: u16, more: &str| {
        let text = format!(
            "{{\"type\": \"x\", \"title\": \"x\", \"status\": {status}, \"code\": \"x\", \"detail\": \"because of {status}\"{more}}}"
        );
        Fault::new(status, &text)
    };
    let diagnostics = ", \"diagnostics\": [{\"file\": \"SKILL.md\", \"start\": {\"line\": 3}, \"message\": \"too long\"}]";
    for (fault, code, expected) in [
        (
            problem(403, ""),
            4,
            "cannot publish notes 1.2.0: because of 403",
        ),
        (
            problem(413, ""),
            1,
            "cannot publish notes 1.2.0: because of 413",
        ),
        (
            problem(422, diagnostics),
            1,
            "because of 422\nhint: SKILL.md:3: too long\n",
        ),
        (problem(401, ""), 4, "hint: `prowess login` with the URL of"),
    ] {
        registry.fail_once(fault);
        let run = workshop.expect(code, &["publish", "notes", "--yes", "--quiet"]);
        assert!(run.stderr.contains(expected), "{expected}: {}", run.stderr);
    }
    // Nothing is sent of a skill that is not valid, or has no version, or another one.
    registry.requests();
    let run = workshop.expect(2, &["publish", "notes", "--yes", "--version", "2.0.0"]);
    assert!(
        run.stderr
            .contains("the skill states version 1.2.0, not 2.0.0"),
        "{}",
        run.stderr
    );
    workshop.write(
        "project/notes/SKILL.md",
        "---\nname: notes\ndescription: Writes notes. Use for notes.\n---\n\nx\n",
    );
    let run = workshop.expect(1, &["publish", "notes", "--yes"]);
    assert!(
        run.stderr.contains("the skill states no version"),
        "{}",
        run.stderr
    );
    workshop.write("project/notes/SKILL.md", "---\nname: notes\n---\n\nx\n");
    workshop.expect(3, &["publish", "notes", "--yes"]);
    assert!(registry.requests().is_empty());
}

#[test]
fn rc12_versions_are_yanked_and_owners_changed() {
    let (workshop, registry) = set_up();
    registry.log_in(&workshop);
    registry.publish("notes", "1.0.0", "x");
    workshop.expect(0, &["info", "notes@1.0.0"]);
    registry.requests();
    let run = workshop.expect(0, &["yank", "notes@1.0.0", "--reason", "it's broken"]);
    assert_eq!(run.stdout, "yanked notes 1.0.0\n");
    assert_eq!(
        registry.lines(),
        ["DELETE /api/v1/skills/notes/1.0.0?reason=it%27s+broken"]
    );
    // What was cached before is not shown any more.
    let run = workshop.expect(0, &["info", "notes@1.0.0"]);
    assert!(run.stdout.contains("yanked: it's broken"), "{}", run.stdout);
    let run = workshop.expect(0, &["yank", "notes@1.0.0", "--undo", "--json"]);
    assert!(run.stdout.contains("\"yanked\": false"), "{}", run.stdout);
    for arguments in [
        &["yank", "notes", "--reason", "x"][..],
        &["yank", "notes@1.0.0"],
        &["yank", "notes@^1", "--reason", "x"],
    ] {
        workshop.expect(2, arguments);
    }
    let run = workshop.expect(1, &["yank", "notes@3.0.0", "--reason", "x"]);
    assert!(
        run.stderr
            .contains("cannot yank notes 3.0.0: notes has no version 3.0.0"),
        "{}",
        run.stderr
    );
    let run = workshop.expect(0, &["registry", "owners", "notes", "--add", "bob"]);
    assert_eq!(run.stdout, "alice\nbob\n");
    let run = workshop.expect(0, &["registry", "owners", "notes", "--remove", "alice"]);
    assert_eq!(run.stdout, "bob\n");
}

fn log_in(workshop: &Workshop, token: &str, arguments: &[&str]) -> Run {
    let mut command = workshop.command(arguments);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The program may have ended before it read the token.
    let _ = child.stdin.take().unwrap().write_all(token.as_bytes());
    Run::of(child.wait_with_output().unwrap())
}

/// Each reads the file, adds its token and writes the file: without a lock, most are lost.
#[test]
fn du6_tokens_of_logins_at_the_same_time_are_all_stored() {
    let workshop = Workshop::new();
    let registries: Vec<FakeRegistry> = (0..4).map(|_| FakeRegistry::start()).collect();
    let files = ["credentials.toml", "prowess.toml"];
    let files = files.map(|file| format!("home/.config/prowess/{file}"));
    for _ in 0..10 {
        std::thread::scope(|scope| {
            for (number, registry) in registries.iter().enumerate() {
                let (workshop, name) = (&workshop, format!("r{number}"));
                scope.spawn(move || {
                    let login = ["login", &registry.url, "--name", &name, "--token-stdin"];
                    let run = log_in(workshop, TOKEN, &login);
                    assert_eq!(run.code, Some(0), "{run:?}");
                });
            }
        });
        for file in &files {
            let text = workshop.read(file);
            for registry in &registries {
                let url = registry.url.trim_end_matches('/');
                assert!(text.contains(url), "{file}: {text}");
            }
            std::fs::remove_file(workshop.path(file)).unwrap();
        }
    }
    let home = std::fs::read_dir(workshop.path("home/.config/prowess")).unwrap();
    assert_eq!(home.count(), 0, "nothing is left beside the files");
}

#[test]
fn rc13_a_token_is_verified_and_stored_for_the_user_alone() {
    let (workshop, registry) = set_up();
    registry.publish("notes", "1.0.0", "x");
    let file = "home/.config/prowess/credentials.toml";
    let run = log_in(
        &workshop,
        "wrong",
        &["login", &registry.url, "--token-stdin"],
    );
    assert_eq!(run.code, Some(4), "{run:?}");
    assert!(
        run.stderr.contains("the token is not valid"),
        "{}",
        run.stderr
    );
    assert!(!workshop.exists(file));
    workshop.write(
        "home/.config/prowess/prowess.toml",
        "# mine\n[model]\nname = \"m\"\n",
    );
    let token = format!("{TOKEN}\n");
    let run = log_in(
        &workshop,
        &token,
        &["login", &registry.url, "--token-stdin"],
    );
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        !run.stderr.contains(TOKEN) && !run.stdout.contains(TOKEN),
        "{run:?}"
    );
    let mode = std::fs::metadata(workshop.path(file))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let config = workshop.read("home/.config/prowess/prowess.toml");
    assert_eq!(
        config,
        format!(
            "# mine\n[model]\nname = \"m\"\n\n[registry]\nurl = \"{}\"\n",
            registry.url
        )
    );
    registry.requests();
    workshop.expect(0, &["info", "notes@1.0.0"]);
    assert_eq!(registry.requests()[0].token.as_deref(), Some(TOKEN));
    // The variable overrides it.
    let mut command = workshop.command(&["info", "notes@1.0.0", "--refresh"]);
    let run = Run::of(
        command
            .env("PROWESS_REGISTRY_TOKEN", "other")
            .output()
            .unwrap(),
    );
    assert_eq!(run.code, Some(4), "{run:?}");
    assert_eq!(registry.requests()[0].token.as_deref(), Some("other"));
    assert!(!run.stderr.contains("other"), "{}", run.stderr);
    workshop.expect(0, &["logout", &registry.url]);
    assert!(!workshop.read(file).contains(TOKEN));
    workshop.expect(0, &["info", "notes@1.0.0", "--refresh"]);
    assert_eq!(registry.requests()[0].token, None);
    // A second one, for a namespace.
    let second = [
        "login",
        &registry.url,
        "--token-stdin",
        "--name",
        "acme",
        "--namespace",
        "acme",
    ];
    let run = log_in(&workshop, &token, &second);
    assert_eq!(run.code, Some(0), "{run:?}");
    let config = workshop.read("home/.config/prowess/prowess.toml");
    assert!(config.ends_with("namespaces = [\"acme\"]\n"), "{config}");
    workshop.expect(0, &["config", "check"]);
    // Without a terminal there is no question, and a password in a URL is not shown.
    let run = workshop.expect(4, &["login", &registry.url]);
    assert!(run.stderr.contains("--token-stdin"), "{}", run.stderr);
    let run = workshop.expect(2, &["login", "https://me:secret@host"]);
    assert!(!run.stderr.contains("secret"), "{}", run.stderr);
    let run = log_in(
        &workshop,
        &token,
        &["login", "http://skills.example", "--token-stdin"],
    );
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.stderr.contains("the connection is not encrypted"),
        "{}",
        run.stderr
    );
}

#[test]
fn rc14_a_keyring_stores_the_token_and_its_failure_falls_back_to_the_file() {
    let (workshop, registry) = set_up();
    registry.publish("notes", "1.0.0", "x");
    // Does what `secret-tool` does, with a file for each registry.
    workshop.write(
        "bin/secret-tool",
        "#!/bin/sh\nset -eu\ncd \"$(dirname \"$0\")\"\n[ ! -e broken ] || exit 1\ncase $1 in\nstore) cat > token ;;\nlookup) cat token ;;\nclear) rm token ;;\nesac\n",
    );
    let program = workshop.path("bin/secret-tool");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!(
        "{}:{}",
        workshop.path("bin").display(),
        std::env::var("PATH").unwrap()
    );
    let with_keyring = |arguments: &[&str]| {
        let mut command = workshop.command(arguments);
        command
            .env("PATH", &path)
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/none");
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let _ = child.stdin.take().unwrap().write_all(TOKEN.as_bytes());
        let run = Run::of(child.wait_with_output().unwrap());
        assert_eq!(run.code, Some(0), "{run:?}");
        run
    };
    let file = "home/.config/prowess/credentials.toml";
    let run = with_keyring(&["login", &registry.url, "--token-stdin"]);
    assert!(
        run.stderr.contains("the keyring of the system"),
        "{}",
        run.stderr
    );
    assert!(!workshop.read(file).contains(TOKEN));
    assert_eq!(workshop.read("bin/token"), TOKEN);
    registry.requests();
    with_keyring(&["info", "notes@1.0.0"]);
    assert_eq!(registry.requests()[0].token.as_deref(), Some(TOKEN));
    with_keyring(&["logout", &registry.url]);
    assert!(!workshop.exists("bin/token"));
    workshop.write("bin/broken", "");
    let run = with_keyring(&["login", &registry.url, "--token-stdin"]);
    assert!(
        run.stderr.contains("the keyring did not store the token"),
        "{}",
        run.stderr
    );
    assert!(workshop.read(file).contains(TOKEN));
}
