//! What was said is for its owner alone: the rights of the file, of those beside it, and of its directory.
#![cfg(test)]
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pollster::block_on;
use prowess_store::{ChatId, ChatTurn, Store, StoreBackend, StoreError};

/// Somebody else.
const NOBODY: u32 = 65534;

/// A program that has a file open until its input ends, as one that others can read.
const OTHER: &str = "
import os, sqlite3, sys
os.umask(0o022)
c = sqlite3.connect(sys.argv[1])
c.execute('PRAGMA journal_mode = WAL')
c.execute('CREATE TABLE other (one)')
c.commit()
print('open', flush=True)
sys.stdin.read()
";

fn mode(path: &Path) -> u32 {
    let metadata = fs::metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    metadata.permissions().mode() & 0o7777
}

fn set(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn beside(path: &Path, end: &str) -> PathBuf {
    PathBuf::from(format!("{}{end}", path.display()))
}

fn open(path: &Path) -> Result<Store, StoreError> {
    block_on(Store::open(StoreBackend::File(path.to_owned())))
}

fn add_message(store: &Store, text: &str) -> ChatId {
    let id = ChatId::new();
    let turn = ChatTurn {
        messages: vec![text.to_owned()],
        ..ChatTurn::default()
    };
    block_on(store.append_turn(&id, 0, turn)).unwrap();
    id
}

fn python(script: &str, path: &Path) -> String {
    let mut python = Command::new("python3");
    let output = python.args(["-c", script]).arg(path).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn new_files_are_private() {
    let place = tempfile::tempdir().unwrap();
    set(place.path(), 0o755);
    let path = place.path().join("deep/er/store.db");
    let store = open(&path).unwrap();
    add_message(&store, "secret");
    for end in ["", "-wal", "-shm"] {
        assert_eq!(mode(&beside(&path, end)), 0o600, "{end}");
    }
    for directory in ["deep", "deep/er"] {
        assert_eq!(mode(&place.path().join(directory)), 0o700, "{directory}");
    }
    assert_eq!(mode(place.path()), 0o755);
}

#[test]
fn existing_files_become_private() {
    let place = tempfile::tempdir().unwrap();
    set(place.path(), 0o755);
    let path = place.path().join("store.db");
    // A process of before still uses it, so that what is beside the file stays as it is.
    let mut other = Command::new("python3")
        .args(["-c", OTHER])
        .arg(&path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let out = other.stdout.take().unwrap();
    BufReader::new(out).read_line(&mut line).unwrap();
    assert_eq!(line, "open\n");
    for end in ["", "-wal", "-shm"] {
        assert_eq!(mode(&beside(&path, end)), 0o644, "{end}");
    }
    let store = open(&path).unwrap();
    for end in ["", "-wal", "-shm"] {
        assert_eq!(mode(&beside(&path, end)), 0o600, "{end}");
    }
    // The directory was there before: whoever made it knows why.
    assert_eq!(mode(place.path()), 0o755);
    drop(store);
    drop(other.stdin.take());
    other.wait().unwrap();
    // What is narrower stays so.
    for (before, after) in [
        (0o640, 0o600),
        (0o606, 0o600),
        (0o755, 0o600),
        (0o700, 0o700),
    ] {
        set(&path, before);
        drop(open(&path).unwrap());
        assert_eq!(mode(&path), after, "{before:o}");
    }
}

#[test]
fn files_of_other_users_are_unchanged() {
    // Only root can give a file away.
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("store.db");
    drop(open(&path).unwrap());
    chown(&path, Some(NOBODY), None).unwrap();
    set(&path, 0o644);
    drop(open(&path).unwrap());
    assert_eq!(mode(&path), 0o644);
}

#[test]
fn a_link_leads_to_the_store() {
    let place = tempfile::tempdir().unwrap();
    let (path, link) = (place.path().join("store.db"), place.path().join("link.db"));
    symlink(&path, &link).unwrap();
    let first = open(&link).unwrap();
    add_message(&first, "one");
    for end in ["", "-wal", "-shm"] {
        assert_eq!(mode(&beside(&path, end)), 0o600, "{end}");
        set(&beside(&path, end), 0o644);
    }
    let store = open(&link).unwrap();
    assert_eq!(block_on(store.chats(10)).unwrap().len(), 1);
    for end in ["", "-wal", "-shm"] {
        assert_eq!(mode(&beside(&path, end)), 0o600, "{end}");
    }
}

#[test]
fn a_directory_is_no_store() {
    let place = tempfile::tempdir().unwrap();
    let error = open(place.path()).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
}

/// Whoever closes a file gives up all locks that the process has on it, those of SQLite too.
#[test]
fn opening_a_store_again_leaves_the_locks_of_the_first() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("store.db");
    let first = open(&path).unwrap();
    add_message(&first, "one");
    let second = open(&path).unwrap();
    // Another process comes and goes. If it took itself for the last, it would remove what ours still write to.
    let count = "import sqlite3, sys\nprint(sqlite3.connect(sys.argv[1]).execute('SELECT COUNT(*) FROM chats').fetchone()[0])";
    assert_eq!(python(count, &path), "1\n");
    add_message(&first, "two");
    add_message(&second, "three");
    assert_eq!(python(count, &path), "3\n");
}
