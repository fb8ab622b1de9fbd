//! What operators and everyday users need: a store that is down, paths of every kind, a first configuration.
#![cfg(test)]

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::Command;
use std::thread;

use prowess_testing::{ClosedPort, free_port, run};
use support::TestProject;

const GOOD: &str =
    "---\nname: pdf\ndescription: Reads PDF files. Use when a PDF is given.\n---\nRead it.\n";

/// A project whose user's configuration has this text.
fn configured(text: &str) -> TestProject {
    let project = TestProject::new();
    project.write("home/.config/prowess/prowess.toml", text);
    project
}

/// Makes archives of everything below `from`, with the system's own programs.
fn archive(project: &TestProject, from: &str, name: &str) {
    let script = "import shutil, sys\nroot, name = sys.argv[1:]\nkind = 'gztar' if name.endswith('.tar.gz') else 'zip'\nmade = shutil.make_archive(name + '.made', kind, root)\nshutil.move(made, name)";
    let mut python = Command::new("python3");
    python.args(["-c", script]).arg(project.path(from));
    run(python.arg(project.path(name)));
}

#[test]
fn cl83_doctor_checks_the_store_and_the_model() {
    let project = configured("[model]\nprovider = \"anthropic\"\nname = \"claude-x\"\n");
    let doctor = |key: Option<&str>| {
        let mut command = project.command(&["doctor", "--json"]);
        command.env_remove("ANTHROPIC_API_KEY");
        if let Some(key) = key {
            command.env("ANTHROPIC_API_KEY", key);
        }
        support::Run::of(command.output().unwrap())
    };
    let without = doctor(None);
    assert_eq!(without.code, Some(1));
    let report = without.json();
    assert_eq!(report["model"]["state"], "broken");
    let detail = report["model"]["detail"].as_str().unwrap();
    assert!(detail.contains("ANTHROPIC_API_KEY"), "{detail}");
    assert_eq!(report["store"]["state"], "ok");
    assert_eq!(report["store"]["detail"], "not created yet");
    assert!(!project.path("home/.local").exists());
    let with = doctor(Some("sk-hunter2"));
    assert_eq!(with.code, Some(0), "{}", with.snapshot());
    assert!(!with.stdout.contains("hunter2"));
    assert_eq!(with.json()["model"]["state"], "ok");

    project.write("home/.local/share/prowess/prowess.db", [0xff; 8192]);
    let broken = doctor(Some("sk-hunter2"));
    assert_eq!(broken.code, Some(1));
    assert_eq!(broken.json()["store"]["state"], "broken");
    // Looking changes nothing.
    let files = fs::read_dir(project.path("home/.local/share/prowess")).unwrap();
    assert_eq!(files.count(), 1);
}

#[test]
fn cl83_doctor_reports_invalid_manifests() {
    let project = TestProject::new();
    project.write(".agents/skills/pdf/SKILL.md", GOOD);
    assert_eq!(project.run(&["doctor"]).code, Some(0));
    let foreign = "name: PDF reader\nicon: pdf.png\n";
    project.write(".agents/skills/pdf/SKILL.yaml", foreign);
    let doctor = project.run(&["doctor"]);
    assert_eq!(doctor.code, Some(0), "{}", doctor.snapshot());
    assert!(doctor.stdout.contains("manifest  warning: pdf: "));
    let wrong = "name: pdf\nversion: one\ndescription: d\ntypes: [tool]\n";
    project.write(".agents/skills/pdf/SKILL.yaml", wrong);
    let doctor = project.run(&["doctor"]);
    assert_eq!(doctor.code, Some(1), "{}", doctor.snapshot());
    assert!(doctor.stdout.contains("manifest  broken: pdf: "));
}

#[test]
fn cl83_doctor_lists_directories_that_are_not_used() {
    let project = TestProject::new();
    project.write(".claude/skills/pdf/SKILL.md", GOOD);
    project.write("prowess.toml", "[skills]\nusual_places = false\n");
    let doctor = project.run(&["doctor"]);
    let line = "unused    .claude/skills: `usual_places = false`";
    assert!(doctor.stdout.contains(line), "{}", doctor.snapshot());
}

#[test]
fn cl84_strict_fails_if_a_source_is_unavailable() {
    let port = free_port();
    let _closed = ClosedPort::new(port);
    let project = configured(&format!(
        "[[skills.repositories]]\nname = \"team\"\ntype = \"http\"\nurl = \"http://127.0.0.1:{port}/api\"\n"
    ));
    assert_eq!(project.run(&["list"]).code, Some(0));
    assert_eq!(project.run(&["list", "--strict"]).code, Some(1));
    assert_eq!(project.run(&["list", "--strict", "--json"]).code, Some(1));
    assert_eq!(project.run(&["doctor", "--strict"]).code, Some(1));
    let fine = TestProject::new();
    assert_eq!(fine.run(&["list", "--strict"]).code, Some(0));
    assert_eq!(fine.run(&["doctor", "--strict"]).code, Some(0));
}

#[test]
fn cl85_check_audit_and_list_take_the_same_paths() {
    let project = TestProject::new();
    project.write("many/pdf/SKILL.md", GOOD);
    project.write("many/pdf/scripts/x.sh", "echo x\n");
    archive(&project, "many/pdf", "pdf-1.2.skill");
    archive(&project, "many", "many.zip");
    archive(&project, "many", "many.tar.gz");
    for path in [
        ".",
        "many",
        "many/pdf",
        "many/pdf/SKILL.md",
        "pdf-1.2.skill",
        "many.zip",
        "many.tar.gz",
    ] {
        let check = project.run(&["check", path, "--json"]);
        assert_eq!(check.code, Some(0), "{path} {}", check.snapshot());
        assert_eq!(check.json()["summary"]["skills"], 1, "{path}");
        let audit = project.run(&["audit", path, "--json"]);
        assert_eq!(audit.code, Some(0), "{path} {}", audit.snapshot());
        let audit = audit.json();
        assert_eq!(audit["skills"][0]["files"], 2, "{path}");
        let list = project.run(&["list", path, "--json"]);
        assert_eq!(list.code, Some(0), "{path} {}", list.snapshot());
        assert_eq!(list.json()["skills"][0]["name"], "pdf", "{path}");
        // What is in an archive is called by its name.
        if path.contains(".zip") {
            assert_eq!(check.json()["skills"][0]["path"], "many.zip/pdf");
            assert_eq!(audit["skills"][0]["skill"], "many.zip/pdf");
        }
    }
    project.write("notes.txt", "x").write("broken.zip", "x");
    for command in ["check", "audit", "list"] {
        for path in ["notes.txt", "missing", "broken.zip"] {
            // A source that cannot be read is a warning of `list`.
            let expected = i32::from((command, path) != ("list", "broken.zip"));
            let run = project.run(&[command, path]);
            assert_eq!(run.code, Some(expected), "{command} {}", run.snapshot());
        }
    }
    let fix = project.run(&["check", "--fix", "--yes", "many.zip"]);
    assert_eq!(fix.code, Some(1));
    assert!(fix.stderr.contains("unpack it first"), "{}", fix.stderr);
}

#[test]
fn cl86_config_init_writes_a_file_that_passes() {
    for (arguments, path) in [
        (&["config", "init"][..], "prowess.toml"),
        (
            &["config", "init", "--user"],
            "home/.config/prowess/prowess.toml",
        ),
    ] {
        let project = TestProject::new();
        let init = project.run(arguments);
        assert_eq!(init.code, Some(0), "{}", init.snapshot());
        let check = project.run(&["config", "check"]);
        assert_eq!(check.code, Some(0), "{}", check.snapshot());
        let written = project.read(path);
        let again = project.run(arguments);
        assert_eq!(again.code, Some(1));
        assert!(again.stderr.contains("already exists"), "{}", again.stderr);
        assert_eq!(project.read(path), written);
        // Every line that is a setting works, too, and none of a project's is ignored.
        let used: Vec<&str> = written
            .lines()
            .map(|line| match line.strip_prefix('#') {
                Some(setting) if !setting.starts_with([' ', '#']) => setting,
                _ => line,
            })
            .collect();
        project.write(path, used.join("\n"));
        let mut check = project.command(&["config", "check"]);
        let check = support::Run::of(check.env("COMPANY_TOKEN", "t").output().unwrap());
        assert_eq!(check.code, Some(0), "{}", check.snapshot());
        assert!(!check.stderr.contains("ignored"), "{}", check.snapshot());
    }
}

#[test]
fn cl87_store_that_is_down_does_not_stop_no_save() {
    let port = free_port();
    let _closed = ClosedPort::new(port);
    let url = format!("postgres://u:hunter2@127.0.0.1:{port}/d");
    let project = configured(&format!("[store]\nurl = \"{url}\"\n"));
    let chat = |more: &[&str]| project.run(&[&["chat", "-p", "hello"], more].concat());
    let saved = chat(&[]);
    assert_eq!(saved.code, Some(1), "{}", saved.snapshot());
    assert!(saved.stderr.contains("use `--no-save`"), "{}", saved.stderr);
    let unsaved = chat(&["--no-save"]);
    assert_eq!(unsaved.code, Some(0), "{}", unsaved.snapshot());
    assert!(unsaved.stderr.contains("saved approvals are not used"));
    for run in [saved, unsaved, project.run(&["info", "git"])] {
        assert!(!run.snapshot().contains("hunter2"));
    }
    assert_eq!(project.run(&["prompt"]).code, Some(0));
    assert_eq!(project.run(&["info", "git"]).code, Some(0));
}

#[test]
fn cl89_one_hint_for_a_command_of_other_programs() {
    let project = TestProject::new();
    let run = project.run(&["validate"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(
        run.stderr,
        "error: invalid arguments: unrecognized subcommand 'validate'\nhint: `prowess check` checks skills\n"
    );
    // A misspelled command has the other one.
    let run = project.run(&["chekc"]);
    assert!(run.stderr.contains("tip:"), "{}", run.stderr);
    let json = project.run(&["validate", "--json"]).json();
    assert_eq!(json["error"]["hints"][0], "`prowess check` checks skills");
}

#[test]
fn cl90_config_check_refuses_what_cannot_work() {
    for (text, expected) in [
        (
            "[[skills.repositories]]\nname = \"a\"\ntype = \"git\"\nurl = \"owner/repo\"\n",
            "https://github.com/owner/repository",
        ),
        (
            "[[skills.repositories]]\nname = \"a\"\ntype = \"registry\"\npackage = \"a\"\n",
            "not available yet",
        ),
        (
            "[[skills.repositories]]\nname = \"My Skills\"\ntype = \"filesystem\"\npath = \"x\"\n",
            "lower-case letters, digits, `-` and `_`",
        ),
        (
            "[model]\nprovder = \"anthropic\"\n",
            "provder = \"anthropic\"",
        ),
        (
            "[model]\nprovder = \"anthropic\"\n",
            "did you mean `provider`?",
        ),
    ] {
        let project = configured(text);
        let check = project.run(&["config", "check"]);
        assert_ne!(check.code, Some(0), "{}", check.snapshot());
        let shown = check.snapshot();
        assert!(shown.contains(expected), "{expected} {shown}");
    }
    // What may be a secret stays hidden.
    for text in [
        "[model]\napi_key = \"sk-hunter2\"\n",
        "[[skills.repositories]]\nname = \"a\"\ntype = \"filesystem\"\npath = \"x\"\npat = \"hunter2\"\n",
    ] {
        let shown = configured(text).run(&["config", "check"]).snapshot();
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}

#[test]
fn cl91_permissions_list_the_users_file() {
    let project = configured("[permissions.approved]\ngit = [\"git:read\"]\n");
    let list = project.run(&["permissions"]);
    let line = list.stdout.lines().find(|line| line.starts_with("git "));
    let line = line.unwrap_or_default();
    assert!(line.contains("prowess.toml:2"), "{}", list.snapshot());
    let revoke = project.run(&["permissions", "git", "--revoke"]);
    assert_eq!(revoke.code, Some(1));
    assert!(
        revoke.stderr.contains("prowess.toml:2 approves it"),
        "{}",
        revoke.stderr
    );
    let one = project.run(&["permissions", "pdf", "--revoke", "shell:exec"]);
    assert_eq!(one.code, Some(1));
    assert!(
        one.stderr
            .contains("no stored approval of shell:exec for `pdf`")
    );
    let info = project.run(&["info", "git"]);
    for part in [
        "permissions   ",
        "types         tool",
        "tools         git_add git_commit git_diff git_log git_status",
        "approval      git:read: allow",
    ] {
        assert!(info.stdout.contains(part), "{part} {}", info.snapshot());
    }
}

#[test]
fn cl92_a_rule_of_patterns_needs_no_code() {
    let project = TestProject::new();
    project.write(
        ".agents/skills/rules/SKILL.yaml",
        "name: rules\nversion: 1.0.0\ndescription: House rules. Use in audits.\ntypes: [security-rule]\nsecurity_rules:\n  rules:\n    - id: no-shouting\n      pattern: \"SHOUT\"\n      severity: high\n      message: do not shout\n",
    );
    project.write("x/pdf/SKILL.md", format!("{GOOD}SHOUT\n"));
    let check = project.run(&["check", ".agents"]);
    assert_eq!(check.code, Some(0), "{}", check.snapshot());
    let audit = project.run(&["audit", "x"]);
    assert_eq!(audit.code, Some(3), "{}", audit.snapshot());
    assert!(audit.stdout.contains("no-shouting"), "{}", audit.snapshot());
}

#[test]
fn cl93_check_warns_about_unfinished_skills() {
    let project = TestProject::new();
    project.run(&["create", "draft"]);
    let check = project.run(&["check"]);
    assert_eq!(check.code, Some(0), "{}", check.snapshot());
    assert!(
        check.stdout.contains("template-text"),
        "{}",
        check.snapshot()
    );
    assert!(!project.run(&["list"]).stderr.contains("template"));
}

/// A server of the skills API that lists no sizes, until the process ends.
fn server_without_sizes() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = String::new();
            let mut lines = BufReader::new(stream.try_clone().unwrap());
            lines.read_line(&mut request).unwrap();
            let mut line = String::new();
            while lines.read_line(&mut line).unwrap() > 2 {
                line.clear();
            }
            let entry = "\"id\": \"pdf\", \"name\": \"pdf\", \"description\": \"Reads PDF files\"";
            let (status, body) = match request.split(' ').nth(1).unwrap() {
                "/api/skills" => ("200 OK", format!("{{\"skills\": [{{{entry}}}]}}")),
                "/api/skills/pdf" => ("200 OK", format!("{{{entry}, \"body\": \"12345678\"}}")),
                _ => ("404 Not Found", "{}".to_owned()),
            };
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
            );
            stream.write_all((head + &body).as_bytes()).unwrap();
        }
    });
    port
}

#[test]
fn cl97_unknown_sizes_are_not_zero() {
    let port = server_without_sizes();
    let project = configured(&format!(
        "[[skills.repositories]]\nname = \"team\"\ntype = \"http\"\nurl = \"http://127.0.0.1:{port}/api\"\n"
    ));
    let tokens = || {
        let list = project.run(&["list", "--json"]).json();
        let skills = list["skills"].as_array().unwrap().clone();
        let pdf = skills.into_iter().find(|it| it["id"] == "pdf").unwrap();
        pdf["tokens"]["instructions"].as_u64()
    };
    assert_eq!(tokens(), None);
    let list = project.run(&["list"]);
    assert!(
        list.stdout.contains("  ?       team"),
        "{}",
        list.snapshot()
    );
    let info = project.run(&["info", "pdf", "--json"]).json();
    assert_eq!(info["tokens"]["instructions"], 2);
    assert_eq!(tokens(), Some(2));
}

#[test]
fn cl94_prompt_of_another_dialect_keeps_thresholds() {
    let project = configured("[skills]\ninventory_threshold = 1\n");
    for name in ["one/a", "one/b", "two/c"] {
        project.skill(&format!(".agents/skills/{name}"));
    }
    let listed = |arguments: &[&str]| {
        let run = project.run(arguments);
        run.stdout.contains("id=\"one/a\"")
    };
    assert!(!listed(&["prompt"]));
    assert!(!listed(&["prompt", "--dialect", "prowess"]));
}
