//! Many processes that open one store at the same moment: it is made once, and brought up to date once.
#![cfg(test)]

#[allow(dead_code, reason = "the other tests use more of it")]
#[path = "../../sources/tests/support/database.rs"]
mod database;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use database::Postgres;
use pollster::block_on;
use prowess_config::Url;
use prowess_store::{ChatId, ChatTurn, Store, StoreBackend, StoreError};
use prowess_testing::sql;

/// Processes that open a store at once.
const PROCESSES: usize = 12;
/// How often they do; what is wrong shows in some rounds only.
const ROUNDS: usize = 12;
/// The same for a server, where every round takes longer and what is wrong shows at once.
const SERVER_ROUNDS: usize = 3;

/// How long a store waits for whoever writes it.
const WAIT: Duration = Duration::from_secs(5);

/// The file that a process waits for before it opens a store.
const GATE: &str = "PROWESS_TEST_GATE";
/// The store that it opens then: one of these is set.
const FILE: &str = "PROWESS_TEST_FILE";
const POSTGRES: &str = "PROWESS_TEST_POSTGRES";

/// The tables that a store of version 2 has, as both databases read them, and one chat from then.
const VERSION_2: &str = "
    CREATE TABLE prowess_store (one INTEGER PRIMARY KEY, version BIGINT NOT NULL);
    INSERT INTO prowess_store VALUES (1, 2);
    CREATE TABLE grants (
        skill TEXT NOT NULL, contents TEXT NOT NULL, permission TEXT NOT NULL, effect TEXT NOT NULL,
        PRIMARY KEY (skill, contents, permission));
    CREATE TABLE skill_states (
        skill TEXT PRIMARY KEY, phase TEXT NOT NULL, reason TEXT NOT NULL, changed BIGINT NOT NULL);
    CREATE TABLE sessions (conversation TEXT PRIMARY KEY, active TEXT NOT NULL);
    CREATE TABLE cache (
        origin TEXT NOT NULL, name TEXT NOT NULL, etag TEXT, body TEXT NOT NULL, fetched BIGINT NOT NULL,
        PRIMARY KEY (origin, name));
    CREATE TABLE chats (
        id TEXT PRIMARY KEY, title TEXT NOT NULL, active TEXT NOT NULL, turns BIGINT NOT NULL,
        input_tokens BIGINT NOT NULL, output_tokens BIGINT NOT NULL,
        forked_from TEXT, created BIGINT NOT NULL, updated BIGINT NOT NULL);
    CREATE INDEX chats_by_time ON chats (updated);
    CREATE TABLE chat_messages (
        chat TEXT NOT NULL, turn BIGINT NOT NULL, position BIGINT NOT NULL, body TEXT NOT NULL,
        PRIMARY KEY (chat, turn, position));
    INSERT INTO chats VALUES ('old', 'Old', '[]', 1, 0, 0, NULL, 1700000000, 1700000001);
    INSERT INTO chat_messages VALUES ('old', 1, 0, 'hello');
";

/// The times of that chat today.
const OLD: [u128; 2] = [1_700_000_000_000, 1_700_000_001_000];

/// A program that holds a lock on a file until its input ends, and says when it has it.
const HOLDER: &str = "
import sqlite3, sys
c = sqlite3.connect(sys.argv[1], isolation_level=None)
c.execute('BEGIN IMMEDIATE')
print('held', flush=True)
sys.stdin.read()
";

/// Somebody who writes a file until this is dropped.
struct Holder(Child);

impl Holder {
    fn of(path: &Path) -> Self {
        let mut child = Command::new("python3")
            .args(["-c", HOLDER])
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let out = child.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        assert_eq!(line, "held\n");
        Self(child)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

#[derive(Clone, Copy)]
enum Where<'a> {
    File(&'a Path),
    Postgres(&'a Postgres),
}

impl Where<'_> {
    fn open(self) -> Result<Store, StoreError> {
        block_on(Store::open(match self {
            Self::File(path) => StoreBackend::File(path.to_owned()),
            Self::Postgres(database) => StoreBackend::Postgres(database.url()),
        }))
    }
}

/// Does what [`open_at_once`] wants of one of its processes; whether this is one.
fn is_opener() -> bool {
    let Some(gate) = std::env::var_os(GATE) else {
        return false;
    };
    let place = match std::env::var_os(FILE) {
        Some(path) => StoreBackend::File(path.into()),
        None => StoreBackend::Postgres(Url::parse(&std::env::var(POSTGRES).unwrap()).unwrap()),
    };
    let gate = File::open(gate).unwrap();
    eprintln!("ready");
    gate.lock_shared().unwrap();
    let store = block_on(Store::open(place)).unwrap_or_else(|error| panic!("opening: {error}"));
    let turn = ChatTurn {
        messages: vec!["mine".to_owned()],
        ..ChatTurn::default()
    };
    block_on(store.append_turn(&ChatId::new(), 0, turn))
        .unwrap_or_else(|error| panic!("writing: {error}"));
    true
}

/// Has many processes of the named test open a store at once, and write a chat each; what those that failed said.
fn open_at_once(test: &str, store: Where<'_>) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("gate");
    let gate = File::create(&path).unwrap();
    gate.lock().unwrap();
    let start = |_| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", test, "--nocapture", "--test-threads=1"])
            .env(GATE, &path)
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        match store {
            Where::File(path) => command.env(FILE, path),
            Where::Postgres(database) => command.env(POSTGRES, database.url().expose()),
        };
        let mut child = command.spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        (child, said)
    };
    let children: Vec<_> = (0..PROCESSES).map(start).collect();
    gate.unlock().unwrap();
    let failure = |(mut child, said): (Child, BufReader<_>)| {
        let said: Vec<String> = said.lines().map(Result::unwrap).collect();
        (!child.wait().unwrap().success()).then(|| said.join("\n"))
    };
    children.into_iter().filter_map(failure).collect()
}

/// One round: all of them succeed, and what there was is what there should be.
fn check(test: &str, place: Where<'_>, old: &[[u128; 2]]) {
    let failed = open_at_once(test, place);
    assert_eq!(failed, [""; 0], "{} of {PROCESSES} failed", failed.len());
    let store = place.open().unwrap();
    let chats = block_on(store.chats(100)).unwrap();
    assert_eq!(chats.len(), PROCESSES + old.len());
    assert_eq!(times(&store), old);
}

/// When the chat from before began and went on, in milliseconds.
fn times(store: &Store) -> Vec<[u128; 2]> {
    let chats = block_on(store.chats(100)).unwrap();
    let old = chats.iter().filter(|chat| chat.id.to_string() == "old");
    let since = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).unwrap();
    old.map(|chat| [chat.created, chat.updated].map(|time| since(time).as_millis()))
        .collect()
}

fn fresh() -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("store.db");
    (place, path)
}

#[test]
fn version_2_is_migrated_once() {
    if is_opener() {
        return;
    }
    for journal in ["WAL", "DELETE"] {
        for _ in 0..ROUNDS {
            let (_place, path) = fresh();
            sql(
                &path,
                &format!("PRAGMA journal_mode = {journal};{VERSION_2}"),
            );
            let name = "version_2_is_migrated_once";
            check(name, Where::File(&path), &[OLD]);
        }
    }
}

#[test]
fn concurrent_opens_create_one_file() {
    if is_opener() {
        return;
    }
    for _ in 0..ROUNDS {
        let (_place, path) = fresh();
        check("concurrent_opens_create_one_file", Where::File(&path), &[]);
    }
}

#[test]
fn server_tables_are_created_and_migrated_once() {
    if is_opener() {
        return;
    }
    let name = "server_tables_are_created_and_migrated_once";
    let database = Postgres::start();
    let place = Where::Postgres(&database);
    let empty =
        "DROP SCHEMA public CASCADE; CREATE SCHEMA public; DROP SCHEMA IF EXISTS prowess CASCADE;";
    for _ in 0..SERVER_ROUNDS {
        database.run(empty);
        check(name, place, &[]);
        database.run(&format!("{empty}{VERSION_2}"));
        check(name, place, &[OLD]);
    }
    // What a server takes for a snapshot by default must not hide what others did meanwhile.
    database.run("ALTER ROLE ada SET default_transaction_isolation = 'repeatable read'");
    for _ in 0..SERVER_ROUNDS {
        database.run(&format!("{empty}{VERSION_2}"));
        check(name, place, &[OLD]);
    }
}

#[test]
fn a_store_that_is_up_to_date_is_opened_without_writing() {
    let (_place, path) = fresh();
    drop(Where::File(&path).open().unwrap());
    let holder = Holder::of(&path);
    let begun = Instant::now();
    let store = Where::File(&path).open().unwrap();
    assert!(begun.elapsed() < WAIT, "it waited for the writer");
    assert_eq!(block_on(store.chats(10)).unwrap(), []);
    drop(holder);

    let database = Postgres::start();
    let place = Where::Postgres(&database);
    drop(place.open().unwrap());
    database.run("ALTER ROLE ada SET default_transaction_read_only = on");
    let store = place.open().unwrap();
    assert_eq!(block_on(store.chats(10)).unwrap(), []);
}

#[test]
fn old_store_in_use_is_reported() {
    let (_place, path) = fresh();
    sql(&path, VERSION_2);
    let holder = Holder::of(&path);
    let error = Where::File(&path).open().unwrap_err();
    assert!(matches!(error, StoreError::Locked), "{error}");
    drop(holder);
    assert_eq!(times(&Where::File(&path).open().unwrap()), [OLD]);
}
