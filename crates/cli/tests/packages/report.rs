//! What `list`, `info` and `doctor` say about installed skills.

use std::fs;

use prowess_testing::repository;

use crate::workshop::{FIRST, Workshop};

#[test]
fn pk30_list_and_info_say_where_a_skill_comes_from() {
    let workshop = Workshop::new();
    let run = workshop.expect(0, &["list"]);
    assert!(!run.stdout.contains("STATE"), "{}", run.stdout);
    workshop.write(
        "repository/skills/pdf/SKILL.md",
        FIRST.replace("---\n\n", "metadata:\n  version: \"1.4\"\n---\n\n"),
    );
    workshop.commit("version");
    workshop.add();
    workshop.write(
        "project/.agents/skills/own/SKILL.md",
        FIRST.replace("pdf", "own"),
    );
    let run = workshop.expect(0, &["list"]);
    let line = |name: &str| {
        let mut lines = run.stdout.lines().filter(|line| line.starts_with(name));
        lines
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect::<Vec<_>>()
    };
    assert!(
        line("SKILL").ends_with(&["VERSION", "STATE"]),
        "{}",
        run.stdout
    );
    assert!(
        line("pdf").ends_with(&["1.4", "installed"]),
        "{}",
        run.stdout
    );
    assert!(line("own").ends_with(&["-", "unmanaged"]), "{}", run.stdout);
    assert!(line("core-tools").ends_with(&["-", "-"]), "{}", run.stdout);
    let json = workshop.expect(0, &["list", "--json"]).json();
    let pdf = json["skills"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["id"] == "pdf");
    assert_eq!(pdf.unwrap()["package"]["state"], "installed");
    assert!(
        pdf.unwrap()["package"]["source"]
            .as_str()
            .unwrap()
            .starts_with("file://")
    );
    let run = workshop.expect(0, &["info", "pdf"]);
    for row in [
        "origin        file://",
        "commit ",
        "lock digest",
        "version       1.4",
    ] {
        assert!(run.stdout.contains(row), "{row}: {}", run.stdout);
    }
    assert!(!run.stdout.contains("edited"), "{}", run.stdout);
    workshop.write("project/.agents/skills/pdf/SKILL.md", FIRST);
    let run = workshop.expect(0, &["info", "pdf"]);
    assert!(
        run.stdout.contains("edited        SKILL.md (changed)"),
        "{}",
        run.stdout
    );
    assert!(
        workshop
            .expect(0, &["info", "own"])
            .stdout
            .contains("unmanaged")
    );
}

#[test]
fn pk31_doctor_finds_what_differs_and_says_the_command() {
    let workshop = Workshop::new();
    workshop.expect(0, &["add", &workshop.url(), "--all"]);
    workshop.expect(0, &["doctor"]);
    workshop.write(
        "project/.agents/skills/csv/SKILL.md",
        FIRST.replace("pdf", "csv"),
    );
    let run = workshop.expect(0, &["doctor"]);
    assert!(
        run.stdout
            .contains("package   warning: csv: 1 edited file; see `prowess verify`"),
        "{}",
        run.stdout
    );
    fs::remove_dir_all(workshop.path("project/.agents/skills/pdf")).unwrap();
    let run = workshop.expect(1, &["doctor"]);
    assert!(
        run.stdout
            .contains("package   broken: pdf: not installed; `prowess sync`"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .contains(".claude/skills/pdf: a link that leads nowhere"),
        "{}",
        run.stdout
    );
    let json = workshop.expect(1, &["doctor", "--json"]).json();
    assert_eq!(json["packages"].as_array().unwrap().len(), 3);
    workshop.expect(0, &["sync"]);
    workshop.expect(0, &["doctor"]);
    workshop.write("project/prowess.lock", "version = 7\n");
    let run = workshop.expect(1, &["doctor"]);
    assert!(
        run.stdout
            .contains("version 7 of the lock file is not supported"),
        "{}",
        run.stdout
    );
}

#[test]
fn pk32_a_lock_file_that_is_a_link_or_a_pipe_is_refused() {
    let workshop = Workshop::new();
    workshop.write("secret", "key = 1\n");
    workshop.link("../secret", "project/prowess.lock");
    workshop.link("../secret", "project/skills-lock.json");
    for arguments in [
        &["verify"][..],
        &["sync"],
        &["import"],
        &["add", "../repository", "--all"],
    ] {
        let run = workshop.expect(1, arguments);
        assert!(
            run.stderr.contains("it is a symbolic link"),
            "{arguments:?} {}",
            run.stderr
        );
        assert!(!run.stderr.contains("key"), "{}", run.stderr);
    }
    fs::remove_file(workshop.path("project/prowess.lock")).unwrap();
    prowess_testing::run(
        std::process::Command::new("mkfifo").arg(workshop.path("project/prowess.lock")),
    );
    let run = workshop.expect(1, &["verify"]);
    assert!(run.stderr.contains("not a regular file"), "{}", run.stderr);
    workshop.expect(0, &["list"]);
}

#[test]
fn l9_remove_ends_approvals() {
    let workshop = Workshop::new();
    workshop.copy(
        &repository().join("examples/code-skills/rfc-writer"),
        "code",
    );
    workshop.expect(0, &["add", "../code", "--yes"]);
    let info = workshop.expect(0, &["info", "rfc-writer", "--json"]).json();
    let root = fs::canonicalize(workshop.path("project")).unwrap();
    let digest = info["digest"].as_str().unwrap();
    // It creates the store.
    workshop.expect(0, &["permissions"]);
    let approve = format!(
        "INSERT INTO approvals (project, skill, contents, permission, effect, given) VALUES ('{}', 'rfc-writer', '{digest}', 'run', 'allow', 0), ('/elsewhere', 'rfc-writer', '{digest}', 'run', 'allow', 0);",
        root.display()
    );
    prowess_testing::sql(
        workshop.path("home/.local/share/prowess/prowess.db"),
        &approve,
    );
    let stored = |workshop: &Workshop| {
        let json = workshop
            .expect(0, &["permissions", "rfc-writer", "--json"])
            .json();
        json["permissions"].as_array().unwrap().len()
    };
    assert_eq!(stored(&workshop), 2);
    let run = workshop.expect(0, &["remove", "rfc-writer"]);
    assert!(
        run.stderr
            .contains("revoked the approvals of `rfc-writer`: 1"),
        "{}",
        run.stderr
    );
    assert_eq!(stored(&workshop), 1);
}
