//! Row Q29: nothing is written behind a symbolic link that a project holds.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests may panic"
)]
#![cfg(unix)]

mod support;

use std::fs;
use std::os::unix::fs::symlink;

use support::Place;

const BROKEN: &str = "---\nname: pdf\ndescription: Reads: files\n---\nBody.\n";

/// A place outside of the project, with a file that must not change.
fn victim() -> Place {
    let victim = Place::new();
    victim.write("file", BROKEN);
    victim
}

fn names(place: &Place) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(place.root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn q29_fixes_are_not_written_behind_links() {
    let (place, victim) = (Place::new(), victim());
    fs::create_dir_all(place.path("skills/pdf")).unwrap();
    symlink(victim.path("file"), place.path("skills/pdf/SKILL.md")).unwrap();
    let run = place.run(&["check", "--fix", "--yes", "skills"]);
    assert!(run.stderr.contains("is a symbolic link"), "{}", run.stderr);
    assert_eq!(victim.read("file"), BROKEN);
    assert!(place.path("skills/pdf/SKILL.md").is_symlink());

    // A directory on the way is one, too.
    victim.write("pdf/SKILL.md", BROKEN);
    for path in ["linked/pdf", "linked/pdf/SKILL.md", "./linked/pdf"] {
        let _ = symlink(victim.root(), place.path("linked"));
        let run = place.run(&["check", "--fix", "--yes", path]);
        assert_ne!(run.code, Some(0), "{path}");
        assert_eq!(
            victim.read("pdf/SKILL.md"),
            BROKEN,
            "{path}: {}",
            run.stderr
        );
    }
    assert_eq!(names(&victim), ["file", "pdf"]);
    // Without a link it is written, and nothing is left beside it.
    place.write("plain/pdf/SKILL.md", BROKEN);
    place.run(&["check", "--fix", "--yes", "plain"]);
    assert_ne!(place.read("plain/pdf/SKILL.md"), BROKEN);
    assert_eq!(fs::read_dir(place.path("plain/pdf")).unwrap().count(), 1);
}

#[test]
fn q29_a_configuration_is_not_written_behind_a_link() {
    let (place, victim) = (Place::new(), Place::new());
    victim.write("config.json", "{}");
    symlink(victim.path("config.json"), place.path(".mcp.json")).unwrap();
    let run = place.run(&[
        "mcp",
        "install",
        "claude-code",
        "--scope",
        "project",
        "--yes",
    ]);
    assert!(run.stderr.contains("symbolic link"), "{}", run.stderr);
    symlink(victim.root(), place.path(".vscode")).unwrap();
    symlink(victim.root(), place.path(".cursor")).unwrap();
    for client in ["vscode", "cursor"] {
        place.run(&["mcp", "install", client, "--scope", "project", "--yes"]);
    }
    assert_eq!(victim.read("config.json"), "{}");
    assert_eq!(names(&victim), ["config.json"]);
}

#[test]
fn q29_nothing_is_created_behind_a_link() {
    let (place, victim) = (Place::new(), victim());
    fs::create_dir_all(place.path(".agents")).unwrap();
    symlink(victim.root(), place.path(".agents/skills")).unwrap();
    for arguments in [
        &["create", "new"][..],
        &["create", "new", "--in", ".agents/skills"],
        &["create", "new", "--in", ".agents/skills/deep"],
    ] {
        let run = place.run(arguments);
        assert_ne!(run.code, Some(0), "{arguments:?}");
        assert!(run.stderr.contains("symbolic link"), "{}", run.stderr);
    }
    assert_eq!(names(&victim), ["file"]);
}

#[test]
fn q29_results_are_not_written_behind_a_link() {
    let (place, victim) = (Place::new(), victim());
    place.write(
        ".agents/skills/haiku/SKILL.md",
        "---\nname: haiku\ndescription: Writes haiku\n---\nBody.\n",
    );
    place.write(
        ".agents/skills/haiku/evals/evals.json",
        r#"{"skill_name":"haiku","evals":[{"id":1,"prompt":"a haiku","expectations":["x"]}]}"#,
    );
    symlink(victim.root(), place.path("results")).unwrap();
    for out in ["results", "results/deep"] {
        let run = place.run(&["eval", "haiku", "--out", out, "--provider", "demo"]);
        assert_ne!(run.code, Some(0), "{}", run.stdout);
        assert!(run.stderr.contains("symbolic link"), "{}", run.stderr);
    }
    assert_eq!(names(&victim), ["file"]);
}
