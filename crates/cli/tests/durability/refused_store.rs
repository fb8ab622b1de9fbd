//! A store that cannot be used: nothing replaces it, and only its user moves it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use prowess_testing::{ChildGuard, sql};

use crate::holder::Holder;
use crate::support::{Run, TestProject};

const DIRECTORY: &str = "home/.local/share/prowess";
const FILE: &str = "home/.local/share/prowess/prowess.db";

/// Runs a server that must not start.
pub(crate) fn refused(project: &TestProject, more: &[&str]) -> Run {
    let words = [&["serve", "--bind", "127.0.0.1:0"], more].concat();
    let mut command = project.command(&words);
    let command = command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = ChildGuard(command.spawn().unwrap());
    let mut stderr = String::new();
    for line in BufReader::new(child.stderr.take().unwrap()).lines() {
        let line = line.unwrap();
        assert!(!line.starts_with("serving "), "{stderr}{line}");
        stderr = stderr + &line + "\n";
    }
    Run {
        code: child.wait().unwrap().code(),
        stdout: String::new(),
        stderr,
    }
}

/// A project with a store that has something in it.
fn with_store() -> TestProject {
    let project = TestProject::new();
    let run = project.run(&["token", "create", "ada"]);
    assert_eq!(run.code, Some(0), "{}", run.snapshot());
    // All of it is in the file, and nothing beside it.
    sql(project.path(FILE), "PRAGMA wal_checkpoint(TRUNCATE)");
    project
}

/// The files of the store, with their bytes.
fn files(project: &TestProject) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(project.path(DIRECTORY)).unwrap();
    let files = entries.map(|entry| {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let bytes = fs::read(entry.path()).unwrap_or_default();
        (name, bytes)
    });
    // The index of a log, and an empty log, are what every process that reads may leave.
    let is_index = |name: &str| name.ends_with("-shm");
    files
        .filter(|(name, bytes)| !(is_index(name) || name.ends_with("-wal") && bytes.is_empty()))
        .collect()
}

#[test]
fn du14_a_server_refuses_a_store_that_it_cannot_use() {
    let damaged = with_store();
    damaged.write(FILE, [0xff; 8192]);
    let cut = with_store();
    let bytes = fs::read(cut.path(FILE)).unwrap();
    cut.write(FILE, &bytes[..4096 + 100]);
    // One page somewhere, which nothing reads at the start.
    let torn = with_store();
    let mut bytes = fs::read(torn.path(FILE)).unwrap();
    let last = bytes.len() - 4096;
    bytes[last..].fill(0xff);
    torn.write(FILE, bytes);
    let newer = with_store();
    sql(newer.path(FILE), "UPDATE prowess_store SET version = 99");
    for (project, reason, what_to_do) in [
        (
            &damaged,
            "is not a store or is corrupt",
            "prowess doctor --repair",
        ),
        (
            &cut,
            "is not a store or is corrupt",
            "prowess store restore FILE",
        ),
        (
            &torn,
            "is not a store or is corrupt",
            "prowess store restore FILE",
        ),
        (
            &newer,
            "unsupported store version 99",
            "use a newer Prowess",
        ),
    ] {
        let before = files(project);
        for more in [&[][..], &["--read-only"]] {
            let run = refused(project, more);
            assert_eq!(run.code, Some(1), "{}", run.stderr);
            for text in [reason, what_to_do, "prowess/prowess.db"] {
                assert!(run.stderr.contains(text), "{text}: {}", run.stderr);
            }
            assert_eq!(files(project), before, "{reason}");
        }
    }
    // Root writes everywhere, so what should be a directory is a file.
    let closed = TestProject::new();
    closed.write("home/.local", "in the way");
    let run = refused(&closed, &[]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("cannot write"), "{}", run.stderr);
    assert!(run.stderr.contains("hint: "), "{}", run.stderr);
    // What acknowledges to its user does the same.
    for command in [&["token", "create", "eve"][..], &["permissions"]] {
        let run = closed.run(command);
        assert_eq!(run.code, Some(1), "{}", run.snapshot());
    }
}

#[test]
fn du14_only_a_repair_moves_a_damaged_store() {
    let project = with_store();
    // A process that uses the store, before its file is damaged.
    let holder = Holder::open(&project.path(FILE));
    project.write(FILE, [0xff; 8192]);
    let before = files(&project);
    let run = project.run(&["doctor", "--repair"]);
    assert_eq!(run.code, Some(1), "{}", run.snapshot());
    assert!(
        run.stderr.contains("another process uses"),
        "{}",
        run.stderr
    );
    assert_eq!(files(&project), before);
    holder.release();
    // No other command moves it.
    let chat = project.run(&["chat", "-p", "hello"]);
    assert_eq!(chat.code, Some(1), "{}", chat.snapshot());
    assert!(chat.stderr.contains("use `--no-save`"), "{}", chat.stderr);
    for (arguments, code) in [
        (&["doctor"][..], 1),
        (&["chat", "--list"], 1),
        (&["chat", "-p", "hello", "--no-save"], 0),
        (&["prompt"], 0),
    ] {
        let run = project.run(arguments);
        assert_eq!(run.code, Some(code), "{}", run.snapshot());
        assert_eq!(fs::read(project.path(FILE)).unwrap(), [0xff; 8192]);
    }
    let run = project.run(&["doctor", "--repair"]);
    assert!(
        run.stderr.contains("prowess.broken-1"),
        "{}",
        run.snapshot()
    );
    let aside = project.path(DIRECTORY).join("prowess.broken-1");
    assert_eq!(fs::read(aside).unwrap(), [0xff; 8192]);
    assert!(!project.path(FILE).exists());
    let run = project.run(&["chat", "-p", "hello"]);
    assert_eq!(run.code, Some(0), "{}", run.snapshot());
    // A store that works stays.
    let run = project.run(&["doctor", "--repair"]);
    assert!(!run.stderr.contains("renamed"), "{}", run.snapshot());
    assert_eq!(
        project.run(&["chat", "--list", "--json"]).json()[0]["turns"],
        1
    );
}
