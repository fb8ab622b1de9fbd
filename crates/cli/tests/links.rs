//! Row Q29: nothing is written behind a symbolic link that a project holds.
#![cfg(test)]
#![cfg(unix)]

mod support;

use std::fs;
use std::os::unix::fs::symlink;

use support::TestProject;

const BROKEN: &str = "---\nname: pdf\ndescription: Reads: files\n---\nBody.\n";

/// A place outside of the project, with a file that must not change.
fn victim() -> TestProject {
    let victim = TestProject::new();
    victim.write("file", BROKEN);
    victim
}

fn names(project: &TestProject) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(project.root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn q29_fixes_are_not_written_behind_links() {
    let (project, victim) = (TestProject::new(), victim());
    fs::create_dir_all(project.path("skills/pdf")).unwrap();
    symlink(victim.path("file"), project.path("skills/pdf/SKILL.md")).unwrap();
    let run = project.run(&["check", "--fix", "--yes", "skills"]);
    assert!(run.stderr.contains("is a symbolic link"), "{}", run.stderr);
    assert_eq!(victim.read("file"), BROKEN);
    assert!(project.path("skills/pdf/SKILL.md").is_symlink());

    // A directory on the way is one, too.
    victim.write("pdf/SKILL.md", BROKEN);
    for path in ["linked/pdf", "linked/pdf/SKILL.md", "./linked/pdf"] {
        let _ = symlink(victim.root(), project.path("linked"));
        let run = project.run(&["check", "--fix", "--yes", path]);
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
    project.write("plain/pdf/SKILL.md", BROKEN);
    project.run(&["check", "--fix", "--yes", "plain"]);
    assert_ne!(project.read("plain/pdf/SKILL.md"), BROKEN);
    assert_eq!(fs::read_dir(project.path("plain/pdf")).unwrap().count(), 1);
}

#[test]
fn q29_a_configuration_is_not_written_behind_a_link() {
    let (project, victim) = (TestProject::new(), TestProject::new());
    victim.write("config.json", "{}");
    symlink(victim.path("config.json"), project.path(".mcp.json")).unwrap();
    let run = project.run(&[
        "mcp",
        "install",
        "claude-code",
        "--scope",
        "project",
        "--yes",
    ]);
    assert!(run.stderr.contains("symbolic link"), "{}", run.stderr);
    symlink(victim.root(), project.path(".vscode")).unwrap();
    symlink(victim.root(), project.path(".cursor")).unwrap();
    for client in ["vscode", "cursor"] {
        project.run(&["mcp", "install", client, "--scope", "project", "--yes"]);
    }
    assert_eq!(victim.read("config.json"), "{}");
    assert_eq!(names(&victim), ["config.json"]);
}

#[test]
fn q29_nothing_is_created_behind_a_link() {
    let (project, victim) = (TestProject::new(), victim());
    fs::create_dir_all(project.path(".agents")).unwrap();
    symlink(victim.root(), project.path(".agents/skills")).unwrap();
    for arguments in [
        &["create", "new"][..],
        &["create", "new", "--in", ".agents/skills"],
        &["create", "new", "--in", ".agents/skills/deep"],
    ] {
        let run = project.run(arguments);
        assert_ne!(run.code, Some(0), "{arguments:?}");
        assert!(run.stderr.contains("symbolic link"), "{}", run.stderr);
    }
    assert_eq!(names(&victim), ["file"]);
}

#[test]
fn q29_results_are_not_written_behind_a_link() {
    let (project, victim) = (TestProject::new(), victim());
    project.write(
        ".agents/skills/haiku/SKILL.md",
        "---\nname: haiku\ndescription: Writes haiku\n---\nBody.\n",
    );
    project.write(
        ".agents/skills/haiku/evals/evals.json",
        r#"{"skill_name":"haiku","evals":[{"id":1,"prompt":"a haiku","expectations":["x"]}]}"#,
    );
    symlink(victim.root(), project.path("results")).unwrap();
    for out in ["results", "results/deep"] {
        let run = project.run(&["eval", "haiku", "--out", out, "--provider", "demo"]);
        assert_ne!(run.code, Some(0), "{}", run.stdout);
        assert!(run.stderr.contains("symbolic link"), "{}", run.stderr);
    }
    assert_eq!(names(&victim), ["file"]);
}
