//! `prowess check --fix`: never a guess, never half a file.
#![cfg(test)]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;
use support::TestProject;

const FILE: &str = "examples/broken/changelog/SKILL.md";

#[test]
fn difference_is_shown_and_nothing_is_written_without_confirmation() {
    let project = TestProject::copy_of("examples/broken");
    let before = project.read(FILE);
    let run = project.run(&["check", "--fix", "--quiet"]);
    assert_eq!(run.code, Some(3));
    assert_eq!(project.read(FILE), before);
    let difference = run.stdout.split("error[").next().unwrap();
    assert_snapshot!(difference, @r#"
    --- examples/broken/changelog/SKILL.md
    +++ examples/broken/changelog/SKILL.md
    @@ -1,9 +1,9 @@
     ---
     name: changelog
    -description: Keeps a changelog. Use when: a change is ready, or a user asks "what is new?"
    +description: 'Keeps a changelog. Use when: a change is ready, or a user asks "what is new?"'
     licence: MIT
    -allowed_tools: Read
    +allowed-tools: Read
     metadata:
    -	author: Ada
    +  author: Ada
     ---
     
    "#);
    assert_eq!(
        run.stderr,
        "nothing written; use `--yes` to write without asking\n"
    );
}

#[test]
fn fixed_files_pass_and_a_second_run_has_nothing_to_do() {
    let project = TestProject::copy_of("examples/broken");
    fs::set_permissions(project.path(FILE), fs::Permissions::from_mode(0o640)).unwrap();
    let first = project.run(&["check", "--fix", "--yes", "examples/broken/changelog"]);
    assert_eq!(first.code, Some(0), "{first:?}");
    assert!(first.stderr.starts_with("wrote this file\n"));
    let mode = fs::metadata(project.path(FILE))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
    let names: Vec<_> = fs::read_dir(project.path("examples/broken/changelog"))
        .unwrap()
        .collect();
    assert_eq!(names.len(), 1, "{names:?}");
    let second = project.run(&["check", "--fix", "--yes", "examples/broken/changelog"]);
    assert_eq!(second.code, Some(0));
    assert!(second.stderr.starts_with("nothing to fix\n"));
}

#[test]
fn fixing_needs_no_temporary_directory_of_the_system() {
    let project = TestProject::copy_of("examples/broken");
    let mut command = project.command(&["check", "--fix", "--yes", "examples/broken/changelog"]);
    let output = command.env("TMPDIR", "/nonexistent").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn windows_line_endings_are_preserved() {
    let project = TestProject::new();
    project.write(
        "pdf/SKILL.md",
        "---\r\nname: pdf\r\ndescription: Use when: asked\r\n---\r\nBody\r\n",
    );
    assert_eq!(project.run(&["check", "--fix", "--yes"]).code, Some(0));
    assert_eq!(
        project.read("pdf/SKILL.md"),
        "---\r\nname: pdf\r\ndescription: \"Use when: asked\"\r\n---\r\nBody\r\n"
    );
}
