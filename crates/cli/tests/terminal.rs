//! `prowess` in a real terminal.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests may panic"
)]
#![cfg(unix)]

mod support;

use std::io::{Read, Write};
use std::process::Stdio;

use support::Place;
use support::terminal::{plain, run, terminal};

#[test]
fn a_narrow_terminal_gets_narrow_source_lines() {
    let place = Place::copy_of("examples/broken");
    let shown = plain(&run(
        &place,
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
        run(&place, 40, &["check"], "").contains("\u{1b}["),
        "colours in a terminal"
    );
}

#[test]
fn a_person_is_asked_before_files_change() {
    let place = Place::copy_of("examples/broken");
    let file = "examples/broken/changelog/SKILL.md";
    let before = place.read(file);
    let shown = run(&place, 80, &["check", "--fix"], "n\n");
    assert!(shown.contains("write this file? [y/N]"), "{shown}");
    assert_eq!(place.read(file), before);
    run(&place, 80, &["check", "--fix"], "y\n");
    assert_ne!(place.read(file), before);
}

#[test]
fn a_file_that_changed_in_the_meantime_is_left_alone() {
    let place = Place::copy_of("examples/broken");
    let file = "examples/broken/changelog/SKILL.md";
    let (mut ours, theirs) = terminal(80);
    let mut child = place
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
    place.write(file, "somebody's work");
    ours.write_all(b"y\n").unwrap();
    let mut rest = Vec::new();
    let _ = ours.read_to_end(&mut rest);
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(String::from_utf8_lossy(&rest).contains("changed during the check"));
    assert_eq!(place.read(file), "somebody's work");
}

#[test]
fn somebody_who_waits_for_a_server_sees_for_whom() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let place = Place::new();
    place.write(
        "home/.config/prowess/prowess.toml",
        format!("[[skills.repositories]]\nname = \"slow\"\ntype = \"http\"\nurl = \"http://127.0.0.1:{port}\"\ntimeout_seconds = 1\n"),
    );
    // It takes the connection and says nothing.
    let shown = plain(&run(&place, 100, &["list"], ""));
    assert!(shown.contains("contacting 127.0.0.1, "), "{shown:?}");
    assert!(shown.contains("timed out after 1 s"), "{shown:?}");
    let quiet = plain(&run(&place, 100, &["list", "--quiet"], ""));
    assert!(!quiet.contains("contacting"), "{quiet:?}");
    drop(listener);
}
