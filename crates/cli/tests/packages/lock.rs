//! Rows L1 to L10: the lock file.

use std::fs;

use prowess_testing::git;

use crate::workshop::{FIRST, Workshop, state};

const SKILL: &str = "project/.agents/skills/pdf";

#[test]
fn l1_what_was_added_is_verified() {
    let workshop = Workshop::new();
    let run = workshop.add();
    assert!(run.stdout.contains("+ pdf (file://"), "{}", run.stdout);
    assert!(
        run.stderr.contains("linked for Claude Code"),
        "{}",
        run.stderr
    );
    let verified = workshop.expect(0, &["verify"]);
    assert_eq!(verified.stderr, "verified 1 skill, 2 files\n");
    assert_eq!(workshop.read(&format!("{SKILL}/SKILL.md")), FIRST);
    let link = fs::read_link(workshop.path("project/.claude/skills/pdf")).unwrap();
    assert_eq!(link.to_str(), Some("../../.agents/skills/pdf"));
    // A second run changes nothing.
    let before = workshop.project();
    let again = workshop.add();
    assert!(
        again.stderr.contains("already installed"),
        "{}",
        again.stderr
    );
    assert_eq!(workshop.project(), before);
    let lock = workshop.read("project/prowess.lock");
    let commit = git(workshop.path("repository"), &["rev-parse", "HEAD"]);
    assert!(
        lock.contains(&format!("resolved = \"{}\"", commit.trim())),
        "{lock}"
    );
}

#[test]
fn l2_every_difference_is_named() {
    let workshop = Workshop::new();
    workshop.add();
    let text = FIRST.replacen("first", "f1rst", 1);
    workshop.write(&format!("{SKILL}/SKILL.md"), text);
    workshop.write(&format!("{SKILL}/notes/more.md"), "mine");
    fs::remove_file(workshop.path(&format!("{SKILL}/scripts/fill.py"))).unwrap();
    let run = workshop.expect(3, &["verify"]);
    assert_eq!(
        run.stdout,
        "pdf/SKILL.md: changed\npdf/notes/more.md: added\npdf/scripts/fill.py: removed\n"
    );
    let json = workshop.expect(3, &["verify", "--json"]).json();
    assert_eq!(json["ok"], false);
    assert_eq!(json["skills"][0]["changes"].as_array().unwrap().len(), 3);
    fs::remove_dir_all(workshop.path(SKILL)).unwrap();
    let run = workshop.expect(3, &["verify"]);
    assert_eq!(run.stdout, "pdf: not installed\n");
}

#[test]
fn l3_a_clone_gets_the_same_bytes() {
    let workshop = Workshop::new();
    workshop.add();
    let lock = workshop.read("project/prowess.lock");
    // The branch moves on; the lock file does not.
    workshop.write(
        "repository/skills/pdf/SKILL.md",
        FIRST.replace("first", "later"),
    );
    workshop.commit("second");
    workshop.write("clone/prowess.lock", &lock);
    workshop.expect_in("clone", 0, &["sync", "--frozen", "--yes"]);
    assert_eq!(
        state(&workshop.path("clone/.agents")),
        state(&workshop.path("project/.agents"))
    );
    assert_eq!(workshop.read("clone/prowess.lock"), lock);
    // A second run has nothing to do.
    let run = workshop.expect_in("clone", 0, &["sync", "--frozen"]);
    assert_eq!(run.stdout, "");
    workshop.write("clone/.agents/skills/pdf/SKILL.md", "edited");
    let run = workshop.expect_in("clone", 3, &["sync", "--frozen"]);
    assert!(
        run.stdout.contains("pdf: differs from the lock file"),
        "{}",
        run.stdout
    );
    assert_eq!(workshop.read("clone/.agents/skills/pdf/SKILL.md"), "edited");
    workshop.expect_in("clone", 0, &["sync", "--force"]);
    assert_eq!(workshop.read("clone/.agents/skills/pdf/SKILL.md"), FIRST);
}

#[test]
fn l3_a_missing_entry_is_named() {
    let workshop = Workshop::new();
    let run = workshop.expect(3, &["sync", "--frozen"]);
    assert!(
        run.stderr.contains("prowess.lock does not exist"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("hint: `prowess add SOURCE`"),
        "{}",
        run.stderr
    );
    workshop.write(
        "repository/skills/pdf/SKILL.yaml",
        "name: pdf\nversion: 1.0.0\ndescription: Fills PDF forms.\ntypes: [prompt]\ndependencies:\n  - name: csv\n    version: ^1\n",
    );
    workshop.commit("needs csv");
    workshop.expect(0, &["add", &workshop.url(), "--skill", "pdf", "--force"]);
    let run = workshop.expect(3, &["sync", "--frozen"]);
    assert!(run.stderr.contains("`pdf` needs `csv`"), "{}", run.stderr);
    assert!(run.stderr.contains("--skill csv"), "{}", run.stderr);
}

#[test]
fn l5_an_unreachable_source_is_unknown() {
    let workshop = Workshop::new();
    workshop.add();
    let run = workshop.expect(0, &["outdated"]);
    assert_eq!(run.stderr, "1 of 1 up to date\n");
    // A commit that does not change the skill.
    workshop.write("repository/README.md", "x");
    workshop.commit("other");
    workshop.expect(0, &["outdated"]);
    workshop.write(
        "repository/skills/pdf/SKILL.md",
        FIRST.replace("first", "later"),
    );
    workshop.commit("second");
    let run = workshop.expect(3, &["outdated"]);
    assert!(run.stdout.contains("outdated"), "{}", run.stdout);
    fs::rename(workshop.path("repository"), workshop.path("away")).unwrap();
    let run = workshop.expect(1, &["outdated"]);
    assert!(run.stdout.contains("unknown"), "{}", run.stdout);
    assert!(run.stderr.contains("0 of 1 up to date"), "{}", run.stderr);
    let json = workshop.expect(1, &["outdated", "--json"]).json();
    assert_eq!(json["skills"][0]["state"], "unknown");
    assert!(
        json["skills"][0]["reason"]
            .as_str()
            .unwrap()
            .contains("not found")
    );
}

#[test]
fn l7_installs_at_the_same_time_are_all_done() {
    let workshop = Workshop::new();
    for number in 0..8 {
        workshop.skill(&format!("many/s{number}"), "d", "Do it.\n");
    }
    let children: Vec<_> = (0..8)
        .map(|number| {
            let source = format!("../many/s{number}");
            let mut command = workshop.command(&["add", &source]);
            command.stdout(std::process::Stdio::piped());
            command.stderr(std::process::Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let lock = workshop.read("project/prowess.lock");
    assert_eq!(lock.matches("[[skill]]").count(), 8, "{lock}");
    workshop.expect(0, &["verify"]);
    let leftovers = fs::read_dir(workshop.path("project/.agents/skills")).unwrap();
    assert_eq!(leftovers.count(), 8);
}

#[test]
fn l8_one_name_from_two_sources_is_refused() {
    let workshop = Workshop::new();
    workshop.add();
    workshop.write("other/pdf/SKILL.md", FIRST.replace("first", "other"));
    let before = workshop.project();
    let run = workshop.expect(1, &["add", "../other/pdf"]);
    let error = &run.stderr;
    assert!(
        error.contains("two skills are named `pdf`: file://"),
        "{error}"
    );
    assert!(error.contains("other/pdf"), "{error}");
    assert_eq!(workshop.project(), before);
    workshop.expect(0, &["add", "../other/pdf", "--as", "other-pdf"]);
    let text = workshop.read("project/.agents/skills/other-pdf/SKILL.md");
    assert!(text.starts_with("---\nname: other-pdf\n"), "{text}");
    workshop.expect(0, &["verify"]);
    workshop.expect(0, &["check", ".agents/skills"]);
    let run = workshop.expect(0, &["update", "other-pdf"]);
    assert_eq!(run.stdout, "other-pdf is up to date\n");
}

#[test]
fn l9_remove_leaves_nothing_but_edits() {
    let workshop = Workshop::new();
    workshop.expect(
        0,
        &[
            "add",
            &workshop.url(),
            "--all",
            "--agent",
            "claude-code,windsurf",
        ],
    );
    assert!(workshop.exists("project/.windsurf/skills/csv"));
    let run = workshop.expect(0, &["remove", "csv"]);
    assert_eq!(run.stdout, "- csv\n");
    for path in [".agents", ".claude", ".windsurf"] {
        assert!(
            !workshop.exists(&format!("project/{path}/skills/csv")),
            "{path}"
        );
    }
    assert!(!workshop.read("project/prowess.lock").contains("csv"));
    workshop.write(&format!("{SKILL}/SKILL.md"), "mine");
    let run = workshop.expect(0, &["remove", "pdf"]);
    assert!(
        run.stderr
            .contains(".agents/skills/pdf/SKILL.md was edited and stays"),
        "{}",
        run.stderr
    );
    assert_eq!(workshop.read(&format!("{SKILL}/SKILL.md")), "mine");
    assert!(!workshop.exists(&format!("{SKILL}/scripts")));
    assert!(!workshop.exists("project/.claude/skills/pdf"));
    assert!(!workshop.read("project/prowess.lock").contains("[[skill]]"));
    let run = workshop.expect(1, &["remove", "pdf"]);
    assert!(
        run.stderr.contains("`pdf` is not in prowess.lock"),
        "{}",
        run.stderr
    );
}

#[test]
fn l9_force_removes_edits() {
    let workshop = Workshop::new();
    workshop.add();
    workshop.write(&format!("{SKILL}/SKILL.md"), "mine");
    workshop.expect(0, &["remove", "pdf", "--force"]);
    assert!(!workshop.exists(SKILL));
}

#[test]
fn l10_lock_files_of_the_npm_tool_are_imported() {
    let workshop = Workshop::new();
    workshop.write("project/.agents/skills/pdf/SKILL.md", FIRST);
    // A link that stays inside of a skill counts as the file that it leads to; one that leaves it is not part of it.
    workshop.link("SKILL.md", "project/.agents/skills/pdf/alias.md");
    workshop.write(
        "home/.agents/skills/csv/SKILL.md",
        FIRST.replace("pdf", "csv"),
    );
    let project = r#"{"version": 1, "skills": {"pdf": {"source": "owner/repo", "sourceType": "github", "ref": "main", "skillPath": "skills/pdf/SKILL.md", "computedHash": "00"}, "gone": {"source": "a/b", "sourceType": "github", "computedHash": "00"}}}"#;
    let user = r#"{"version": 3, "skills": {"csv": {"source": "host", "sourceType": "git", "sourceUrl": "https://host/o/r.git", "skillPath": "csv/SKILL.md", "skillFolderHash": ""}}, "lastSelectedAgents": []}"#;
    workshop.write("project/skills-lock.json", project);
    workshop.write("home/.agents/.skill-lock.json", user);
    let run = workshop.expect(1, &["import"]);
    assert_eq!(
        run.stdout,
        "+ pdf (https://github.com/owner/repo.git/skills/pdf@main)\n"
    );
    assert!(
        run.stderr.contains("`gone` is not on disk"),
        "{}",
        run.stderr
    );
    workshop.expect(0, &["import", "--scope", "user"]);
    let lock = workshop.read("home/.config/prowess/prowess.lock");
    assert!(
        lock.contains("source = \"https://host/o/r.git/csv\""),
        "{lock}"
    );
    workshop.expect(0, &["verify"]);
    assert_eq!(workshop.read("project/skills-lock.json"), project);
    assert_eq!(workshop.read("home/.agents/.skill-lock.json"), user);
    workshop.write(
        "project/skills-lock.json",
        r#"{"version": 9, "skills": {}}"#,
    );
    let run = workshop.expect(1, &["import"]);
    assert!(
        run.stderr.contains("version 9 is not supported"),
        "{}",
        run.stderr
    );
    workshop.write(
        "project/skills-lock.json",
        r#"{"version": 1, "skills": {}}"#,
    );
    let run = workshop.expect(1, &["import"]);
    assert!(
        run.stderr.contains("skills-lock.json names no skills"),
        "{run:?}"
    );
}
