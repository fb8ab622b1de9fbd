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
fn d11_no_command_prints_a_file_behind_a_link_of_a_skill() {
    let (project, victim) = (TestProject::new(), TestProject::new());
    victim.write("key", "SECRET-KEY\n");
    for name in ["SKILL.md", "SKILL.yaml", "skill.md"] {
        let skill = format!("skills/{}", name.replace('.', "-").to_lowercase());
        fs::create_dir_all(project.path(&skill)).unwrap();
        symlink(victim.path("key"), project.path(&format!("{skill}/{name}"))).unwrap();
        for arguments in [
            &["check", &skill][..],
            &["check", "--json", &skill],
            &["check", "--format", "github", &skill],
            &["test", &skill],
            &["pack", &skill],
            &["audit", &skill],
        ] {
            let run = project.run(arguments);
            let printed = format!("{}{}", run.stdout, run.stderr);
            assert!(!printed.contains("SECRET"), "{arguments:?}: {printed}");
            assert_ne!(run.code, Some(0), "{arguments:?}: {printed}");
        }
    }
    // A link that stays in the skill is followed.
    project.write(
        "skills/inside/docs/text.md",
        BROKEN.replace("pdf", "inside").replace("s: f", "s f"),
    );
    symlink("docs/text.md", project.path("skills/inside/SKILL.md")).unwrap();
    let run = project.run(&["check", "skills/inside"]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
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

/// The attack: the difference of an edit shows what a link leads to.
#[test]
fn q43_mcp_install_reads_nothing_behind_a_link() {
    let (project, victim) = (TestProject::new(), TestProject::new());
    victim.write("secret.json", "{\"mcpServers\": {}, \"token\": \"SECRET\"}");
    fs::create_dir_all(project.path(".cursor")).unwrap();
    symlink(victim.path("secret.json"), project.path(".mcp.json")).unwrap();
    symlink("../.mcp.json", project.path(".cursor/mcp.json")).unwrap();
    victim.write("mcp.json", "{\"token\": \"SECRET\"}");
    symlink(victim.root(), project.path(".vscode")).unwrap();
    for client in ["claude-code", "cursor", "vscode"] {
        for command in ["install", "uninstall"] {
            for more in [&["--yes"][..], &[]] {
                let arguments = [&["mcp", command, client, "--scope", "project"], more].concat();
                let run = project.run(&arguments);
                assert_eq!(run.code, Some(1), "{arguments:?} {run:?}");
                let output = format!("{}{}", run.stdout, run.stderr);
                assert!(!output.contains("SECRET"), "{arguments:?} {output}");
                assert!(output.contains("symbolic link"), "{arguments:?} {output}");
            }
        }
    }
}
