//! `prowess` in a real terminal.
#![cfg(test)]
#![cfg(unix)]

mod support;

use std::io::{Read, Write};
use std::process::Stdio;

use support::TestProject;
use support::terminal::{answering, plain, run, terminal};

#[test]
fn source_lines_fit_a_narrow_terminal() {
    let project = TestProject::copy_of("examples/broken");
    let shown = plain(&run(
        &project,
        40,
        &["check", "examples/broken/changelog"],
        "",
    ));
    assert!(shown.contains("error[unquoted-colon]"), "{shown}");
    let source = shown
        .lines()
        .filter(|line| line.contains(" | ") && line.contains("Use when"));
    for line in source {
        assert!(line.trim_end().chars().count() <= 44, "{line:?}");
    }
    assert!(
        run(&project, 40, &["check"], "").contains("\u{1b}["),
        "colours in a terminal"
    );
}

#[test]
fn fix_asks_before_writing() {
    let project = TestProject::copy_of("examples/broken");
    let file = "examples/broken/changelog/SKILL.md";
    let before = project.read(file);
    let answer = |answer| answering(&project, 80, &["check", "--fix"], "[y/N] ", answer);
    let shown = answer("n\n");
    assert!(shown.contains("write this file? [y/N]"), "{shown}");
    assert_eq!(project.read(file), before);
    answer("y\n");
    assert_ne!(project.read(file), before);
}

#[test]
fn changed_file_is_not_overwritten() {
    let project = TestProject::copy_of("examples/broken");
    let file = "examples/broken/changelog/SKILL.md";
    let (mut ours, theirs) = terminal(80);
    let mut child = project
        .command(&["check", "--fix"])
        .stdin(Stdio::from(theirs.try_clone().unwrap()))
        .stdout(Stdio::from(theirs.try_clone().unwrap()))
        .stderr(Stdio::from(theirs))
        .spawn()
        .unwrap();
    let mut shown = Vec::new();
    let mut byte = [0];
    while !shown.ends_with(b"[y/N] ") {
        ours.read_exact(&mut byte).unwrap();
        shown.extend(byte);
    }
    project.write(file, "the work of a user");
    ours.write_all(b"y\n").unwrap();
    let mut rest = Vec::new();
    let _ = ours.read_to_end(&mut rest);
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(String::from_utf8_lossy(&rest).contains("changed during the check"));
    assert_eq!(project.read(file), "the work of a user");
}

#[test]
fn slow_fetch_shows_progress() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let project = TestProject::new();
    project.write(
        "home/.config/prowess/prowess.toml",
        format!("[[skills.repositories]]\nname = \"slow\"\ntype = \"http\"\nurl = \"http://127.0.0.1:{port}\"\ntimeout_seconds = 1\n"),
    );
    // It takes the connection and says nothing.
    let shown = plain(&run(&project, 100, &["list"], ""));
    assert!(shown.contains("contacting 127.0.0.1, "), "{shown:?}");
    assert!(shown.contains("timed out after 1 s"), "{shown:?}");
    let quiet = plain(&run(&project, 100, &["list", "--quiet"], ""));
    assert!(!quiet.contains("contacting"), "{quiet:?}");
    drop(listener);
}
