//! The SQL contract, over SQLite, PostgreSQL and MariaDB.
#![cfg(test)]
#![allow(clippy::similar_names, clippy::too_many_lines, reason = "a list")]

#[path = "support/database.rs"]
mod database;
#[path = "support/packed.rs"]
mod packed;
mod support;

use std::time::Duration;

use database::{MariaDb, Postgres, Sqlite, hex};
use pollster::block_on;
use prowess_config::{Database, Param, Secret, Sql};
use prowess_core::{Health, Skills, Source};
use prowess_sources::{Network, RemoteOptions, SqlSource};
use support::id;

const TABLE: &str = "CREATE TABLE skills (owner varchar(20), id varchar(80), name varchar(80), description varchar(200), content text, data BLOB, stars integer, score DOUBLE PRECISION)";

fn source(options: Sql) -> SqlSource {
    SqlSource::new(options, &RemoteOptions::default())
}

fn now(mut options: Sql) -> Sql {
    options.refresh = Duration::ZERO;
    options
}

/// What holds for every database.
fn contract(url: &Database, run: &dyn Fn(&str), placeholder: &str, blob: &dyn Fn(&[u8]) -> String) {
    let blob_type = if matches!(url, Database::Postgres(_)) {
        "bytea"
    } else {
        "BLOB"
    };
    run(&TABLE.replace("BLOB", blob_type));
    let zip = packed::zip(&[
        (
            "SKILL.md",
            b"---\nname: packed\ndescription: From an archive\n---\nPacked.\n",
        ),
        ("references/a.md", b"A"),
    ]);
    run(
        "INSERT INTO skills VALUES ('ada', 'writing/haiku', 'haiku', 'Writes haiku: short ones', 'Five, seven, five.', NULL, 3, 0.5)",
    );
    run(
        "INSERT INTO skills VALUES ('ada', 'own', 'own', 'unused', '---\nname: own\ndescription: Its own\n---\nOwn.', NULL, NULL, NULL)",
    );
    run(&format!(
        "INSERT INTO skills VALUES ('ada', 'packed', 'packed', '', NULL, {}, 1, 1)",
        blob(&zip)
    ));
    run("INSERT INTO skills VALUES ('ada', 'empty', 'empty', 'd', NULL, NULL, 1, 1)");
    run(
        "INSERT INTO skills VALUES ('ada', 'broken', 'broken', 'd', '---\nname: [\n---\n', NULL, 1, 1)",
    );
    run("INSERT INTO skills VALUES ('bob', 'bobs', 'bobs', 'd', 'c', NULL, 1, 1)");
    let query = format!(
        "SELECT id, name, description, content, data, stars, score FROM skills WHERE owner = {placeholder} ORDER BY id"
    );
    let mut options = now(Sql::new(url.clone(), query));
    options.params = vec![Param::Text(Secret::new("ada"))];
    let skills = source(options.clone());
    let snapshot = block_on(skills.snapshot()).unwrap();
    let names: Vec<&str> = snapshot
        .skills
        .iter()
        .map(|skill| skill.id.as_str())
        .collect();
    assert_eq!(names, ["own", "packed", "writing/haiku"]);
    let haiku = &snapshot.skills[2];
    assert_eq!(&*haiku.description, "Writes haiku: short ones");
    assert_eq!(
        &*haiku.metadata,
        [("stars".into(), "3".into()), ("score".into(), "0.5".into())]
    );
    let mut invalid: Vec<&str> = snapshot
        .invalid
        .iter()
        .map(|invalid| invalid.path.as_str())
        .collect();
    invalid.sort_unstable();
    assert_eq!(invalid, ["broken", "empty"]);
    let document = block_on(skills.load(&id("writing/haiku"))).unwrap();
    assert_eq!(document.body, "Five, seven, five.");
    assert_eq!(
        block_on(skills.load(&id("own"))).unwrap().skill.description,
        "Its own"
    );
    let files = block_on(skills.files(&id("packed"))).unwrap();
    assert_eq!(files[0].path.as_str(), "references/a.md");

    // Bound, never written into the query.
    options.params = vec![Param::Text(Secret::new("ada' OR '1'='1"))];
    assert_eq!(
        block_on(source(options.clone()).snapshot())
            .unwrap()
            .skills
            .len(),
        0
    );

    // A new row is seen.
    options.params = vec![Param::Text(Secret::new("bob"))];
    let bob = source(options);
    assert_eq!(block_on(bob.snapshot()).unwrap().skills.len(), 1);
    run("INSERT INTO skills VALUES ('bob', 'more', 'more', 'd', 'c', NULL, 1, 1)");
    assert_eq!(block_on(bob.snapshot()).unwrap().skills.len(), 2);

    let wrong = now(Sql::new(url.clone(), "SELECT nothing FROM nowhere"));
    let error = block_on(source(wrong).snapshot()).unwrap_err().to_string();
    assert!(
        error.starts_with("cannot read from the database: "),
        "{error}"
    );

    // Many rows.
    run("CREATE TABLE digits (d integer)");
    run("INSERT INTO digits VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)");
    let text = if matches!(url, Database::MySql(_)) {
        "CHAR"
    } else {
        "varchar"
    };
    let many = format!(
        "SELECT 'd' AS description, 'c' AS content, CAST(10000 + a.d*1000+b.d*100+c.d*10+e.d AS {text}(9)) AS number FROM digits a, digits b, digits c, digits e"
    );
    let named = if matches!(url, Database::MySql(_)) {
        "CONCAT('s', n.number)"
    } else {
        "'s' || n.number"
    };
    let many = format!("SELECT {named} AS id, n.description, n.content FROM ({many}) n");
    let many = block_on(source(now(Sql::new(url.clone(), many))).snapshot()).unwrap();
    assert_eq!(many.skills.len(), 10_000);
}

#[test]
fn sq1_sq2_sqlite() {
    let database = Sqlite::new();
    let url = Database::Sqlite(database.path());
    contract(&url, &|statement| database.run(statement), "?", &|bytes| {
        format!("x'{}'", hex(bytes))
    });
    // We only ever read.
    let write = Sql::new(url, "INSERT INTO skills (id) VALUES ('x') RETURNING id");
    let error = block_on(source(write).snapshot()).unwrap_err().to_string();
    assert!(error.contains("only reads of its own database"), "{error}");
    let missing = Database::Sqlite(database.path().with_extension("missing"));
    let error = block_on(source(Sql::new(missing, "SELECT 1")).snapshot())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("cannot reach the database: "), "{error}");
    assert!(!database.path().with_extension("missing").exists());
}

#[test]
fn sq1_sq2_sq3_postgres() {
    let database = Postgres::start();
    let url = Database::Postgres(database.url());
    contract(&url, &|statement| database.run(statement), "$1", &|bytes| {
        format!("'\\x{}'", hex(bytes))
    });
    let odd = now(Sql::new(
        url.clone(),
        "SELECT 'a' AS id, 'd' AS description, 'c' AS content, now() AS made",
    ));
    let error = block_on(source(odd).snapshot()).unwrap_err().to_string();
    assert!(error.contains("cast the column to text"), "{error}");

    // Gone in the middle of reading, then gone altogether: what was read is kept.
    database.run("CREATE TABLE flags (broken boolean)");
    database.run("INSERT INTO flags VALUES (false)");
    let query = "SELECT 'a' || g AS id, 'd' AS description, 'c' AS content, CASE WHEN g = 4000 AND (SELECT broken FROM flags) THEN pg_terminate_backend(pg_backend_pid())::text ELSE '' END AS x FROM generate_series(1, 5000) g";
    let remote = source(now(Sql::new(url.clone(), query)));
    let skills = block_on(Skills::builder().source("sql", remote).build()).unwrap();
    assert_eq!(skills.catalog().len(), 5_000);
    database.run("UPDATE flags SET broken = true");
    let health = |skills: &Skills| {
        let catalog = block_on(skills.refresh());
        let status = catalog.sources().next().unwrap();
        (
            catalog.len(),
            status.health,
            status.reason.clone().unwrap_or_default(),
        )
    };
    let (count, state, reason) = health(&skills);
    assert_eq!((count, state), (5_000, Health::Degraded));
    assert!(reason.contains("terminating connection"), "{reason}");
    database.run("UPDATE flags SET broken = false");
    assert_eq!(health(&skills).1, Health::Healthy);
    drop(database);
    let (count, state, reason) = health(&skills);
    assert_eq!((count, state), (5_000, Health::Degraded));
    assert!(
        reason.starts_with("cannot reach the database: "),
        "{reason}"
    );
    assert!(!reason.contains("s3cret"), "{reason}");
    assert!(block_on(skills.sources().load(&id("a1"))).is_ok());

    let offline = RemoteOptions {
        network: Network::Offline,
        ..RemoteOptions::default()
    };
    let offline = SqlSource::new(Sql::new(url, "SELECT 1"), &offline);
    assert_eq!(
        block_on(offline.snapshot()).unwrap_err().to_string(),
        "offline"
    );
}

#[test]
fn sq1_sq2_mariadb() {
    let database = MariaDb::start();
    let url = Database::MySql(database.url());
    contract(&url, &|statement| database.run(statement), "?", &|bytes| {
        format!("x'{}'", hex(bytes))
    });
}
