//! Backups, restores and lists of stores with much in them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use prowess_testing::{run as succeed, sql};
use serde_json::Value;

use crate::refused_store::refused;
use crate::server::Server;
use crate::support::TestProject;

const FILE: &str = "home/.local/share/prowess/prowess.db";

/// A store with so many chats.
fn with_chats(count: usize) -> TestProject {
    let project = TestProject::new();
    assert_eq!(project.run(&["token", "create", "ada"]).code, Some(0));
    add_chats(&project, 0, count);
    project
}

fn add_chats(project: &TestProject, from: usize, to: usize) {
    sql(
        project.path(FILE),
        &format!(
            "WITH RECURSIVE n(i) AS (SELECT {from} UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {to})
            INSERT INTO chats (id, title, active, turns, input_tokens, output_tokens, created, updated, version)
            SELECT printf('c%05dxyz', i), 'chat ' || i, '[]', 1, 0, 0, 1000 + i / 3, 1000 + i / 3, 1 FROM n;
            PRAGMA wal_checkpoint(TRUNCATE)"
        ),
    );
}

fn count(project: &TestProject) -> usize {
    let run = project.run(&["chat", "--list", "--json"]);
    let chats: Vec<Value> = serde_json::from_str(&run.stdout).unwrap();
    chats.len()
}

/// Writes to the store and dies: the log stays beside it.
const DIE: &str = "\
import os, sqlite3, sys
c = sqlite3.connect(sys.argv[1])
c.execute('PRAGMA journal_mode = WAL')
c.execute('PRAGMA wal_autocheckpoint = 0')
c.execute(\"UPDATE chats SET title = title || ' changed ' || hex(randomblob(200))\")
c.commit()
os._exit(0)
";

#[test]
fn du17_a_restore_is_right_and_a_wrong_one_is_noticed() {
    let project = with_chats(2_000);
    // The copy has other pages than the file: it has no room for what was deleted.
    sql(
        project.path(FILE),
        "DELETE FROM chats WHERE CAST(substr(id, 2, 5) AS INTEGER) % 2 = 1",
    );
    let made = project.run(&["store", "backup", "copy.db"]);
    assert_eq!(made.code, Some(0), "{}", made.snapshot());
    let again = project.run(&["store", "backup", "copy.db"]);
    assert_eq!(again.code, Some(1), "{}", again.snapshot());
    succeed(
        Command::new("python3")
            .args(["-c", DIE])
            .arg(project.path(FILE)),
    );
    // As one would do it by hand: the log of the old file is beside the new one.
    fs::copy(project.path("copy.db"), project.path(FILE)).unwrap();
    let before = fs::read(project.path(FILE)).unwrap();
    let run = refused(&project, &[]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("write-ahead log"), "{}", run.stderr);
    assert!(
        run.stderr.contains("prowess store restore FILE"),
        "{}",
        run.stderr
    );
    assert_eq!(fs::read(project.path(FILE)).unwrap(), before);
    // What is no store is refused before anything changes.
    project.write("other.db", [0xff; 8192]);
    for file in ["other.db", "missing.db"] {
        let run = project.run(&["store", "restore", file]);
        assert_eq!(run.code, Some(1), "{}", run.snapshot());
    }
    let restored = project.run(&["store", "restore", "copy.db"]);
    assert_eq!(restored.code, Some(0), "{}", restored.snapshot());
    assert_eq!(count(&project), 1_000);
    assert!(project.path("copy.db").exists());
    assert!(
        project
            .path("home/.local/share/prowess/prowess.replaced-1")
            .exists()
    );
    let server = Server::start(&project, &[]);
    assert_eq!(server.ask("GET", "/readyz", &Value::Null).0, 200);
    // A running server is a process that uses it.
    let refused = project.run(&["store", "restore", "copy.db"]);
    assert!(
        refused.stderr.contains("another process uses"),
        "{}",
        refused.snapshot()
    );
    assert_eq!(project.run(&["store", "backup", "second.db"]).code, Some(0));
    server.terminate();
    let restored = project.run(&["store", "restore", "second.db"]);
    assert_eq!(restored.code, Some(0), "{}", restored.snapshot());
    assert_eq!(count(&project), 1_000);
}

#[test]
fn du20_every_chat_is_reachable_and_listed_in_pages() {
    const ALL: usize = 10_050;
    let project = with_chats(ALL);
    assert_eq!(count(&project), ALL);
    // The oldest one, by the start of its id.
    let run = project.run(&["chat", "--delete", "c00000"]);
    assert_eq!(run.code, Some(0), "{}", run.snapshot());
    let run = project.run(&["chat", "--delete", "c0000"]);
    assert!(
        run.stderr.contains("several chats start with it"),
        "{}",
        run.snapshot()
    );
    // Pages in the terminal.
    let mut seen = BTreeSet::new();
    let mut place: Option<String> = None;
    loop {
        let mut arguments = vec!["chat", "--list", "--json", "--limit", "4000"];
        if let Some(place) = &place {
            arguments.extend(["--before", place]);
        }
        let run = project.run(&arguments);
        let chats: Vec<Value> = serde_json::from_str(&run.stdout).unwrap();
        seen.extend(chats.iter().map(|chat| chat["id"].to_string()));
        let next = run.stderr.trim().rsplit_once("--before ");
        place = next.map(|(_, next)| next.to_owned());
        if place.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), ALL - 1);
    // Pages over HTTP.
    let server = Server::start(&project, &[]);
    let mut seen = BTreeSet::new();
    let mut next = String::new();
    loop {
        let page = server.get(&format!("/api/chats?limit=100{next}"));
        let chats = page["chats"].as_array().unwrap();
        seen.extend(chats.iter().map(|chat| chat["id"].to_string()));
        match page["next"].as_str() {
            Some(before) => next = format!("&before={before}"),
            None => break,
        }
    }
    assert_eq!(seen.len(), ALL - 1);
}

/// The files below a directory.
fn files_below(path: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files
}

#[test]
fn du21_packages_without_a_version_are_removed_and_counted() {
    let project = TestProject::new();
    project.skill("seed/a");
    project.skill(".agents/skills/b");
    let server = Server::start(&project, &["--seed", "seed"]);
    server.terminate();
    let packages = project.path("home/.local/share/prowess/registry/packages");
    let used = files_below(&packages).pop().unwrap();
    // Other packages of the same form, without a version: one is older than the grace time.
    let name = used.file_name().unwrap().to_str().unwrap();
    let other = |digit: char| {
        let change = |(index, old)| if index == 20 { digit } else { old };
        used.with_file_name(name.chars().enumerate().map(change).collect::<String>())
    };
    let digits: Vec<char> = "0123"
        .chars()
        .filter(|digit| name.chars().nth(20) != Some(*digit))
        .collect();
    let (old, new) = (other(digits[0]), other(digits[1]));
    fs::copy(&used, &old).unwrap();
    fs::copy(&used, &new).unwrap();
    let day_ago = std::time::SystemTime::now() - Duration::from_hours(25);
    for path in [&old, &used] {
        fs::File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_modified(day_ago)
            .unwrap();
    }
    let doctor = project.run(&["doctor"]);
    assert!(
        doctor.stdout.contains("1 stored package without a version"),
        "{}",
        doctor.snapshot()
    );
    let server = Server::start(&project, &[]);
    let end = Instant::now() + Duration::from_mins(1);
    while old.exists() {
        assert!(Instant::now() < end, "never removed");
        std::thread::yield_now();
    }
    assert!(used.exists() && new.exists());
    server.terminate();
    let doctor = project.run(&["doctor"]);
    assert!(
        doctor.stdout.contains("every stored package has a version"),
        "{}",
        doctor.snapshot()
    );
}
