//! What a query of a project's file, or the server that it names, must not do: rows Q10 to Q12.
#![cfg(test)]
#![allow(clippy::string_slice, clippy::format_collect, reason = "a test")]

#[path = "support/database.rs"]
mod database;
#[path = "support/packed.rs"]
mod packed;

use std::fs;
use std::future::Future;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::Command;
use std::sync::mpsc::channel;
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use database::{MariaDb, Postgres, Sqlite, hex};
use pollster::block_on;
use prowess_config::{Database, Sql, Url};
use prowess_core::Source;
use prowess_sources::{RemoteOptions, SqlSource};

const LIMIT_KIB: u64 = (256 + 64) * 1024;

fn source(url: Database, query: &str) -> SqlSource {
    SqlSource::new(Sql::new(url, query), &RemoteOptions::default())
}

fn ids(url: &Database, query: &str) -> Result<Vec<String>, String> {
    let snapshot = block_on(source(url.clone(), query).snapshot());
    let snapshot = snapshot.map_err(|error| error.to_string())?;
    Ok(snapshot.skills.iter().map(|s| s.id.to_string()).collect())
}

fn refused(url: &Database, query: &str, with: &str) {
    let error = ids(url, query).expect_err("the query was not refused");
    assert!(error.contains(with), "{query:.200}: {error}");
}

fn names_in(directory: &Path) -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.sort();
    names
}

fn database_with_a_skill() -> (Sqlite, Database) {
    let database = Sqlite::new();
    database.run("CREATE TABLE skills (id text, description text, content text)");
    database.run("INSERT INTO skills VALUES ('one', 'd', 'c')");
    let url = Database::Sqlite(database.path());
    (database, url)
}

#[test]
fn q10_a_query_reads_its_own_database_and_nothing_else() {
    let (database, url) = database_with_a_skill();
    let (other, _) = database_with_a_skill();
    let other = other.path();
    let directory = database.path().parent().unwrap().to_owned();
    let written = directory.join("authorized_keys");
    let before = (names_in(&directory), fs::read(database.path()).unwrap());
    let (out, other) = (written.display(), other.display());
    let denied = "invalid query: only reads of its own database are allowed";
    for attack in [
        format!("VACUUM INTO '{out}'"),
        format!("ATTACH '{other}' AS other"),
        format!("ATTACH 'file:{out}?mode=rwc' AS other"),
        "PRAGMA journal_mode = WAL".to_owned(),
        "PRAGMA user_version = 7".to_owned(),
        "PRAGMA writable_schema = ON".to_owned(),
        "PRAGMA query_only = OFF".to_owned(),
        "PRAGMA temp_store_directory = '/'".to_owned(),
        "PRAGMA hard_heap_limit = 0".to_owned(),
        "SELECT 'a' AS id, 'd' AS description, * FROM pragma_journal_mode".to_owned(),
        "SELECT 'a' AS id, 'd' AS description, * FROM pragma_database_list".to_owned(),
        "INSERT INTO skills VALUES ('x', 'd', 'c') RETURNING id".to_owned(),
        "CREATE TEMP TABLE t (a)".to_owned(),
        "BEGIN IMMEDIATE".to_owned(),
        "ANALYZE".to_owned(),
    ] {
        refused(&url, &attack, denied);
    }
    let library = "/usr/lib/x86_64-linux-gnu/libc.so.6";
    refused(
        &url,
        &format!("SELECT load_extension('{library}') AS id"),
        "not authorized to use function",
    );
    refused(
        &url,
        &format!("SELECT writefile('{out}', 'key') AS id"),
        "no such function",
    );
    for second in [
        format!("SELECT * FROM skills; VACUUM INTO '{out}'"),
        "SELECT * FROM skills; SELECT 1".to_owned(),
    ] {
        assert!(ids(&url, &second).is_err(), "{second}");
    }
    assert_eq!(
        (names_in(&directory), fs::read(database.path()).unwrap()),
        before
    );
    assert_eq!(
        ids(&url, "SELECT * FROM skills; -- all\n").unwrap(),
        ["one"]
    );
}

#[test]
fn q10_a_schema_that_was_prepared_does_not_help() {
    let (database, url) = database_with_a_skill();
    let out = database.path().with_file_name("out");
    database.run(
        "CREATE VIEW v AS SELECT load_extension('x') AS id, 'd' AS description, 'c' AS content",
    );
    refused(&url, "SELECT * FROM v", "load_extension");
    // What reads is still there: views, full-text search, common tables.
    database.run("CREATE VIEW w AS SELECT * FROM skills");
    database.run("CREATE VIRTUAL TABLE f USING fts5(id, description, content)");
    database.run("INSERT INTO f SELECT * FROM skills");
    assert_eq!(ids(&url, "SELECT * FROM w").unwrap(), ["one"]);
    assert_eq!(
        ids(&url, "SELECT * FROM f WHERE f MATCH 'one'").unwrap(),
        ["one"]
    );
    let recursive = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) \
        SELECT 's' || i AS id, 'd' AS description, 'c' AS content FROM n";
    assert_eq!(ids(&url, recursive).unwrap(), ["s1", "s2", "s3"]);
    assert!(!out.exists());
}

#[test]
fn q10_reading_leaves_no_files_beside_a_database_with_a_log() {
    let (database, url) = database_with_a_skill();
    database.run("PRAGMA journal_mode = WAL");
    database.run("INSERT INTO skills VALUES ('two', 'd', 'c')");
    let directory = database.path().parent().unwrap().to_owned();
    assert_eq!(names_in(&directory), [database.path()]);
    assert_eq!(ids(&url, "SELECT * FROM skills").unwrap(), ["one", "two"]);
    assert_eq!(names_in(&directory), [database.path()]);

    // What is still in the log is read: a writer has it open.
    let script = "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1], isolation_level=None)\n\
        c.execute(\"INSERT INTO skills VALUES ('three', 'd', 'c')\")\nprint('ready', flush=True)\nsys.stdin.read()";
    let mut writer = Command::new("python3")
        .args(["-c", script])
        .arg(database.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut ready = [0; 5];
    writer
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut ready)
        .unwrap();
    let read = ids(&url, "SELECT * FROM skills");
    drop(writer.stdin.take());
    writer.wait().unwrap();
    assert_eq!(read.unwrap(), ["one", "three", "two"]);
}

#[test]
fn q11_a_pipe_or_a_device_is_refused_without_waiting() {
    let fifo = |path: &Path| {
        let made = Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    };
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe.db");
    fifo(&pipe);
    for path in [
        pipe,
        PathBuf::from("/dev/zero"),
        directory.path().to_owned(),
    ] {
        refused(
            &Database::Sqlite(path),
            "SELECT 1 AS id",
            "not a regular file",
        );
    }
    for suffix in ["-journal", "-wal", "-shm"] {
        let (database, url) = database_with_a_skill();
        let mut beside = database.path().into_os_string();
        beside.push(suffix);
        fifo(Path::new(&beside));
        refused(&url, "SELECT * FROM skills", "not a regular file");
    }
}

#[test]
fn q11_a_query_without_end_stops_when_nobody_waits() {
    let (database, url) = database_with_a_skill();
    let is_open = || {
        fs::read_dir("/proc/self/fd")
            .unwrap()
            .filter_map(|entry| fs::read_link(entry.ok()?.path()).ok())
            .any(|target| target == database.path())
    };
    let wait_for = |wanted: bool| {
        let deadline = Instant::now() + Duration::from_secs(30);
        while is_open() != wanted {
            assert!(Instant::now() < deadline, "open: {}", !wanted);
            std::thread::yield_now();
        }
    };
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
        SELECT count(*) AS id FROM n, skills";
    let source = source(url, endless);
    {
        let mut snapshot = pin!(source.snapshot());
        let mut context = Context::from_waker(Waker::noop());
        assert!(snapshot.as_mut().poll(&mut context).is_pending());
        wait_for(true);
    }
    wait_for(false);
}

/// Queries that take as much memory as they can, with what the refusal says.
fn greedy(case: &str) -> (String, &'static str) {
    let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
        SELECT 's' || i AS id, 'd' AS description, hex(randomblob(8000000)) AS content FROM n";
    let too_large = "a value or row of more than 16 MiB";
    let memory = "more than 48 MiB of memory";
    match case {
        "value" => (
            "SELECT hex(zeroblob(1300000000)) AS id".to_owned(),
            too_large,
        ),
        "columns" => {
            let columns = "hex(randomblob(8000000)), ".repeat(200);
            (format!("SELECT {columns} 1 AS id"), memory)
        }
        "rows" => (rows.to_owned(), "more than 256 MiB"),
        "sorted" => (format!("{rows} ORDER BY content"), memory),
        "distinct" => (rows.replace("UNION ALL", "UNION"), "more than 256 MiB"),
        "names" => (
            rows.replace("AS content", "AS note, 'c' AS content"),
            "more than 256 MiB",
        ),
        "archives" => {
            // As small as the unpacker believes: it refuses what shrinks more.
            let many: Vec<u8> = (0..1_500_000_u32)
                .map(|i| {
                    if i % 50 == 0 {
                        (i.wrapping_mul(i) >> 7).to_le_bytes()[0]
                    } else {
                        b'0'
                    }
                })
                .collect();
            let zip = packed::tar_gz(&[
                ("SKILL.md", b"---\nname: s\ndescription: d\n---\n"),
                ("many", &many),
            ]);
            let data = format!("(SELECT x'{}') AS data", hex(&zip));
            (
                rows.replace("hex(randomblob(8000000)) AS content", &data),
                "more than 256 MiB",
            )
        }
        other => panic!("{other}"),
    }
}

fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Runs a test of this file in a process of its own.
fn child(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--ignored", "--nocapture"]);
    // What the allocator keeps of freed memory depends on the order of frees, which differs from run to run.
    command.env("MALLOC_MMAP_THRESHOLD_", "131072");
    command
}

fn check(command: &mut Command) {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    assert!(text.contains("1 passed"), "{text}");
    print!("{text}");
}

#[test]
#[ignore = "runs in a process of its own"]
fn child_takes_memory() {
    let case = std::env::var("CASE").unwrap();
    let url = std::env::var("DATABASE").unwrap();
    let (url, query, message) = match url.split_once(':').unwrap().0 {
        "postgres" => {
            let url = Database::Postgres(Url::parse(&url).unwrap());
            let (query, message) = greedy_postgres(&case);
            (url, query, message)
        }
        "mysql" => {
            let url = Database::MySql(Url::parse(&url).unwrap());
            let (query, message) = greedy_mysql(&case);
            (url, query, message)
        }
        _ => {
            let (query, message) = greedy(&case);
            (
                Database::Sqlite(PathBuf::from(&url["sqlite:".len()..])),
                query,
                message,
            )
        }
    };
    refused(&url, &query, message);
    let peak = peak_kib();
    println!("{case}: peak {} MiB", peak / 1024);
    assert!(peak < LIMIT_KIB, "{case}: {peak} KiB");
}

fn peaks(url: &str, cases: &[&str]) {
    for case in cases {
        check(
            child("child_takes_memory")
                .env("CASE", case)
                .env("DATABASE", url),
        );
    }
}

#[test]
fn q11_memory_is_bounded_while_reading_sqlite() {
    let (database, _) = database_with_a_skill();
    let cases = [
        "value", "columns", "rows", "sorted", "distinct", "names", "archives",
    ];
    peaks(&format!("sqlite:{}", database.path().display()), &cases);
}

fn greedy_postgres(case: &str) -> (String, &'static str) {
    let too_large = "a value or row of more than 16 MiB";
    match case {
        "value" => (
            "SELECT 'a' AS id, repeat('x', 120000000) AS content".to_owned(),
            too_large,
        ),
        "whole-row" => (
            "SELECT 'a' AS q, repeat('x', 120000000) AS content".to_owned(),
            too_large,
        ),
        "random" => {
            let query = "SELECT 'a' AS id, repeat('x', (120000000 + random())::int) AS content";
            (query.to_owned(), too_large)
        }
        "rows" => {
            let query = "SELECT 's' || i AS id, 'd' AS description, repeat('x', 15000000) AS content \
                FROM generate_series(1, 10000) i";
            (query.to_owned(), "more than 256 MiB")
        }
        "columns" => {
            let query = "SELECT 's' || i AS id, 'd' AS description, repeat('x', 15000000) AS content, \
                repeat('x', 15000000) AS note FROM generate_series(1, 10000) i";
            (query.to_owned(), too_large)
        }
        other => panic!("{other}"),
    }
}

fn greedy_mysql(case: &str) -> (String, &'static str) {
    match case {
        "value" => {
            let large = "repeat('x', 16000000)".to_owned();
            let sum = [large.as_str(); 12].join(", ");
            (
                format!("SELECT 'a' AS id, concat_ws('', {sum}) AS content"),
                "16 MiB",
            )
        }
        "columns" => {
            let columns: String = (0..20)
                .map(|i| format!("repeat('x', 16000000 + floor(rand())) AS c{i}, "))
                .collect();
            (format!("SELECT {columns} 'a' AS id"), "16 MiB")
        }
        "rows" => {
            let query = "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 30) \
                SELECT concat('s', i) AS id, 'd' AS description, repeat('x', 15000000) AS content FROM n";
            (query.to_owned(), "more than 256 MiB")
        }
        other => panic!("{other}"),
    }
}

#[test]
fn q11_q12_postgres_only_reads_and_memory_is_bounded() {
    let database = Postgres::start();
    let url = Database::Postgres(database.url());
    database.run("CREATE TABLE t (a integer)");
    database.run("CREATE SEQUENCE s");
    database.run("CREATE FUNCTION f() RETURNS text LANGUAGE sql VOLATILE AS 'INSERT INTO t VALUES (1); SELECT ''a'''");
    database.run(
        "CREATE PROCEDURE p() LANGUAGE plpgsql AS 'BEGIN COMMIT; INSERT INTO t VALUES (1); END'",
    );
    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(
        directory.path(),
        std::os::unix::fs::PermissionsExt::from_mode(0o777),
    )
    .unwrap();
    let out = directory.path().join("out");
    let shown = out.display();
    let read_only = "in a read-only transaction";
    refused(&url, "SELECT f() AS id", read_only);
    refused(&url, "SELECT nextval('s')::text AS id", read_only);
    // Older servers allow this one; nothing is ever committed.
    let _ = ids(&url, "SELECT lo_from_bytea(0, 'x')::text AS id");
    let objects = "SELECT 'n' || count(*) AS id, 'd' AS description, 'c' AS content FROM pg_largeobject_metadata";
    assert_eq!(ids(&url, objects).unwrap(), ["n0"]);
    for attack in [
        format!("COPY (SELECT 1) TO PROGRAM 'touch {shown}'"),
        format!("COPY (SELECT 1) TO '{shown}'"),
        "INSERT INTO t VALUES (1) RETURNING a::text AS id".to_owned(),
        "WITH x AS (INSERT INTO t VALUES (1) RETURNING a) SELECT a::text AS id FROM x".to_owned(),
        "SELECT 1 AS a INTO u".to_owned(),
        "DO 'BEGIN COMMIT; INSERT INTO t VALUES (1); END'".to_owned(),
        "CALL p()".to_owned(),
        "EXPLAIN ANALYZE INSERT INTO t VALUES (1)".to_owned(),
        "COMMIT".to_owned(),
        "SELECT '1' AS id; INSERT INTO t VALUES (1)".to_owned(),
        "SELECT '1' AS id) AS q; COMMIT; INSERT INTO t VALUES (1); --".to_owned(),
        "SELECT '1' AS id) AS q; COMMIT; INSERT INTO t VALUES (1); SELECT (SELECT 1".to_owned(),
    ] {
        refused(&url, &attack, "cannot read from the database: ");
    }
    assert!(!out.exists());
    // A setting that a query changes does not open the transaction.
    let opened = "SELECT set_config('transaction_read_only', 'off', false) AS id";
    refused(&url, opened, "read-write mode");
    let settings = "SELECT current_setting('statement_timeout') || '-' || current_setting('transaction_read_only') AS id, \
        'd' AS description, 'c' AS content -- a comment";
    let settings = settings.replace("|| '-' ||", "|| 'x' ||");
    assert_eq!(ids(&url, &settings).unwrap(), ["1minxon"]);
    database.run("DO 'BEGIN IF EXISTS (SELECT FROM t) THEN RAISE ''written''; END IF; END'");
    peaks(
        database.url().expose(),
        &["value", "whole-row", "random", "rows", "columns"],
    );
}

#[test]
fn q11_q12_mysql_only_reads_and_memory_is_bounded() {
    let database = MariaDb::start();
    let url = Database::MySql(database.url());
    database.run("CREATE TABLE t (a integer)");
    database.run("DELIMITER //\nCREATE FUNCTION f() RETURNS text MODIFIES SQL DATA BEGIN INSERT INTO t VALUES (1); RETURN 'a'; END//");
    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(
        directory.path(),
        std::os::unix::fs::PermissionsExt::from_mode(0o777),
    )
    .unwrap();
    let out = directory.path().join("out");
    refused(&url, "SELECT f() AS id", "READ ONLY transaction");
    for attack in [
        format!("SELECT 'key' AS id INTO OUTFILE '{}'", out.display()),
        format!(
            "SELECT 'key' AS id) AS r INTO OUTFILE '{}' -- ",
            out.display()
        ),
        "INSERT INTO t VALUES (1) RETURNING a AS id".to_owned(),
        "CREATE TABLE u (a integer)".to_owned(),
        "COMMIT".to_owned(),
        "SELECT '1' AS id; INSERT INTO t VALUES (1)".to_owned(),
        "SELECT '1' AS id) AS r; COMMIT; INSERT INTO t VALUES (1) -- ".to_owned(),
    ] {
        refused(&url, &attack, "cannot read from the database: ");
    }
    assert!(!out.exists());
    let limit =
        "SELECT concat('t', floor(@@max_statement_time)) AS id, 'd' AS description, 'c' AS content";
    assert_eq!(ids(&url, limit).unwrap(), ["t60"]);
    database.run("SELECT 1 / (SELECT count(*) = 0 FROM t)");
    database.run("SET GLOBAL max_allowed_packet = 1073741824");
    peaks(database.url().expose(), &["value", "columns", "rows"]);
}

#[test]
#[ignore = "runs in a process of its own"]
fn child_connects() {
    let url = Database::Postgres(Url::parse(&std::env::var("DATABASE").unwrap()).unwrap());
    refused(&url, "SELECT 1", &std::env::var("MESSAGE").unwrap());
}

/// What a client sends to a server that asks for a password in clear text.
fn sent(query: &str, variables: &[(&str, &str)], home: &Path) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut length = [0; 4];
        stream.read_exact(&mut length).unwrap();
        let mut all = vec![0; u32::from_be_bytes(length) as usize - 4];
        stream.read_exact(&mut all).unwrap();
        stream.write_all(b"R\0\0\0\x08\0\0\0\x03").unwrap();
        let mut head = [0; 5];
        stream.read_exact(&mut head).unwrap();
        let mut password = vec![0; u32::from_be_bytes(head[1..].try_into().unwrap()) as usize - 4];
        stream.read_exact(&mut password).unwrap();
        all.extend(password);
        sender.send(all).unwrap();
    });
    let url = format!("postgres://ada@127.0.0.1:{port}/{query}");
    let mut command = child("child_connects");
    command
        .env("DATABASE", url)
        .env("HOME", home)
        .env("MESSAGE", "cannot reach the database: ");
    command.envs(variables.iter().copied());
    check(&mut command);
    String::from_utf8_lossy(&receiver.recv().unwrap()).replace('\0', "|")
}

#[test]
fn q12_a_server_gets_what_the_url_states_and_nothing_of_the_environment() {
    let home = tempfile::tempdir().unwrap();
    let passwords = home.path().join(".pgpass");
    fs::write(&passwords, "*:*:*:*:leak-file\n").unwrap();
    fs::set_permissions(
        &passwords,
        std::os::unix::fs::PermissionsExt::from_mode(0o600),
    )
    .unwrap();
    let services = home.path().join(".pg_service.conf");
    fs::write(
        &services,
        "[leak]\npassword=leak-service\nuser=leak-service\n",
    )
    .unwrap();
    let variables = [
        ("PGPASSWORD", "leak-password"),
        ("PGUSER", "leak-user"),
        ("PGDATABASE", "leak-database"),
        ("PGAPPNAME", "leak-name"),
        ("PGHOST", "leak-host"),
        ("PGHOSTADDR", "192.0.2.1"),
        ("PGPORT", "1"),
        ("PGSSLMODE", "verify-full"),
        ("PGSSLROOTCERT", "/leak/root"),
        ("PGSERVICE", "leak"),
        ("USER", "leak-login"),
    ];
    for query in ["app?sslmode=disable", "?sslmode=disable"] {
        for variables in [&variables[..], &variables[1..]] {
            let sent = sent(query, variables, home.path());
            assert!(!sent.contains("leak"), "{sent}");
            assert!(sent.contains("user|ada|"), "{sent}");
        }
    }
    let stated = sent(
        "app?sslmode=disable&password=own&application_name=me",
        &variables,
        home.path(),
    );
    assert!(
        stated.contains("own|") && stated.contains("application_name|me|"),
        "{stated}"
    );

    // What the client cannot be kept from using is refused before a connection.
    for variable in ["PGOPTIONS", "PGSSLCERT", "PGSSLKEY"] {
        let mut command = child("child_connects");
        command.env("DATABASE", "postgres://ada@127.0.0.1:1/app");
        check(
            command
                .env("MESSAGE", format!("unset {variable}"))
                .env(variable, "x"),
        );
    }
    for (url, message) in [
        ("postgres://127.0.0.1:1/app", "missing user"),
        ("postgres:///app?user=ada", "missing host"),
    ] {
        check(
            child("child_connects")
                .env("DATABASE", url)
                .env("MESSAGE", message),
        );
    }
}
