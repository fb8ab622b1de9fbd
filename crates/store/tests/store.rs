//! The same tests over SQLite and PostgreSQL, and what goes wrong with files.
#![cfg(test)]

#[allow(dead_code, reason = "the other tests use more of it")]
#[path = "../../sources/tests/support/database.rs"]
mod database;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use database::Postgres;
use pollster::block_on;
use prowess_core::{SessionStore, SkillId};
use prowess_policy::{ContentDigest, Contents, Effect, Grant, Lifetime, Subject};
use prowess_spec::manifest::Permission;
use prowess_store::{
    Phase, Repair, SCHEMA_VERSION, Store, StoreBackend, StoreError, StoreState, inspect, repair,
};
use prowess_testing::sql;

fn grant(skill: &str, content: u8, permission: Permission, effect: Effect) -> Grant {
    Grant {
        skill: skill.to_owned(),
        contents: Contents::Exactly(ContentDigest([content; 32])),
        right: permission.into(),
        effect,
        lifetime: Lifetime::Always,
    }
}

fn subject(skill: &str, content: u8) -> Subject {
    Subject {
        skill: skill.to_owned(),
        content: ContentDigest([content; 32]),
    }
}

/// What holds for every store; `again` opens it as another process would.
fn contract(again: &dyn Fn() -> Store) {
    let store = again();
    let exec = Permission::ShellExec;
    let read = Permission::FileRead;
    block_on(store.save_grant(&grant("a", 1, exec, Effect::Allow), "/p")).unwrap();
    block_on(store.save_grant(&grant("a", 1, read, Effect::Deny), "/p")).unwrap();
    block_on(store.save_grant(&grant("b/c", 2, exec, Effect::Allow), "/p")).unwrap();
    let mut any = grant("d", 0, exec, Effect::Allow);
    any.contents = Contents::Any;
    block_on(store.save_grant(&any, "/p")).unwrap();
    let mut once = grant("e", 1, exec, Effect::Allow);
    once.lifetime = Lifetime::Session;
    block_on(store.save_grant(&once, "/p")).unwrap();

    let grants = block_on(again().grants("/p")).unwrap();
    assert_eq!(grants.iter().len(), 4);
    assert_eq!(grants.effect(&subject("a", 1), exec), Some(Effect::Allow));
    assert_eq!(grants.effect(&subject("a", 1), read), Some(Effect::Deny));
    assert_eq!(grants.effect(&subject("a", 2), exec), None);
    assert_eq!(grants.effect(&subject("d", 9), exec), Some(Effect::Allow));
    assert_eq!(grants.effect(&subject("e", 1), exec), None);
    // The last answer counts.
    block_on(store.save_grant(&grant("a", 1, read, Effect::Allow), "/p")).unwrap();
    let grants = block_on(store.grants("/p")).unwrap();
    assert_eq!(grants.effect(&subject("a", 1), read), Some(Effect::Allow));
    assert_eq!(block_on(store.revoke("a", exec)).unwrap(), 1);
    assert_eq!(block_on(store.forget("a")).unwrap(), 1);
    assert_eq!(block_on(again().grants("/p")).unwrap().iter().len(), 2);

    assert_eq!(block_on(store.skill_state("a")).unwrap(), None);
    block_on(store.set_skill_state("a", Phase::Failed, "it crashed: 'twice'")).unwrap();
    let state = block_on(again().skill_state("a")).unwrap().unwrap();
    assert_eq!(
        (state.phase, state.reason.as_str()),
        (Phase::Failed, "it crashed: 'twice'")
    );
    block_on(store.set_skill_state("a", Phase::Enabled, "")).unwrap();
    assert_eq!(
        block_on(store.skill_state("a")).unwrap().unwrap().phase,
        Phase::Enabled
    );

    let ids: Vec<SkillId> = ["a", "b/c"].map(|id| id.parse().unwrap()).to_vec();
    assert_eq!(block_on(store.load("chat")).unwrap(), None);
    block_on(store.save("chat", &ids)).unwrap();
    assert_eq!(block_on(again().load("chat")).unwrap(), Some(ids));

    assert_eq!(block_on(store.cached("r", "index")).unwrap(), None);
    block_on(store.keep("r", "index", Some("\"1\""), "{\"ä\": 1}")).unwrap();
    block_on(store.keep("r", "index", None, "{}")).unwrap();
    let cached = block_on(again().cached("r", "index")).unwrap().unwrap();
    assert_eq!((cached.etag, cached.body.as_str()), (None, "{}"));

    // Many at once.
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let store = again();
            scope.spawn(move || {
                for index in 0..25 {
                    let skill = format!("s{thread}-{index}");
                    block_on(store.save_grant(&grant(&skill, 1, exec, Effect::Allow), "/p"))
                        .unwrap();
                }
            });
        }
    });
    assert_eq!(block_on(store.grants("/p")).unwrap().iter().len(), 202);
}

#[test]
fn sqlite() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("deep/er/my store?.db");
    contract(&|| block_on(Store::open(StoreBackend::File(path.clone()))).unwrap());
}

#[test]
fn postgres() {
    let database = Postgres::start();
    contract(&|| block_on(Store::open(StoreBackend::Postgres(database.url()))).unwrap());
}

/// Tables are in a schema of their own; those of an older Prowess are moved to it.
#[test]
fn cl82_postgres_tables_have_their_own_schema() {
    let database = Postgres::start();
    let open = || block_on(Store::open(StoreBackend::Postgres(database.url())));
    let allow = grant("a", 1, Permission::ShellExec, Effect::Allow);
    block_on(open().unwrap().save_grant(&allow, "/p")).unwrap();
    database.run("SELECT 1 / COUNT(*) FROM prowess.approvals");
    // As before: all in `public`, with a table of another program that only looks like an old one of ours.
    for table in [
        "prowess_store",
        "skill_states",
        "sessions",
        "cache",
        "chats",
        "chat_messages",
        "approvals",
        "command_approvals",
        "skill_uses",
        "tokens",
        "rate_counts",
        "search_uses",
        "named_approvals",
        "registry_state",
        "registry_packages",
        "registry_versions",
        "registry_owners",
    ] {
        database.run(&format!("ALTER TABLE prowess.{table} SET SCHEMA public"));
    }
    database.run("DROP SCHEMA prowess");
    database.run("CREATE TABLE public.grants (theirs TEXT)");
    let version = SCHEMA_VERSION;
    let inspected = block_on(inspect(StoreBackend::Postgres(database.url())));
    assert_eq!(inspected.unwrap(), StoreState::Ready { version });
    assert_eq!(
        block_on(open().unwrap().grants("/p")).unwrap().iter().len(),
        1
    );
    database.run("SELECT theirs FROM public.grants");
    database.run("SELECT 1 / COUNT(*) FROM prowess.approvals");
    let inspected = block_on(inspect(StoreBackend::Postgres(database.url())));
    assert_eq!(inspected.unwrap(), StoreState::Ready { version });
    // A search path of the user's own is respected.
    database.run("CREATE SCHEMA tenant");
    database.run("ALTER ROLE ada SET search_path = tenant");
    assert_eq!(
        block_on(open().unwrap().grants("/p")).unwrap().iter().len(),
        0
    );
    database.run("SELECT 1 / (1 - COUNT(*)) FROM tenant.approvals");
}

#[test]
fn memory_is_one_store_for_all_its_handles() {
    let store = block_on(Store::memory()).unwrap();
    contract(&|| store.clone());
}

#[test]
fn a_newer_store_is_refused_and_untouched() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("store.db");
    drop(block_on(Store::open(StoreBackend::File(path.clone()))).unwrap());
    sql(&path, "UPDATE prowess_store SET version = 99");
    let error = block_on(Store::open(StoreBackend::File(path.clone()))).unwrap_err();
    assert!(
        matches!(error, StoreError::Newer { found: 99, known } if known == SCHEMA_VERSION),
        "{error}"
    );
    sql(&path, "INSERT INTO sessions VALUES ('still', 'there')");
}

/// The tables of a build whose migrations had other numbers.
#[test]
fn a_store_of_another_build_is_refused_and_untouched() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("store.db");
    drop(block_on(Store::open(StoreBackend::File(path.clone()))).unwrap());
    let before = SCHEMA_VERSION - 1;
    sql(
        &path,
        &format!("UPDATE prowess_store SET version = {before}"),
    );
    let error = block_on(Store::open(StoreBackend::File(path.clone()))).unwrap_err();
    assert!(
        matches!(error, StoreError::Migration { found, .. } if found == before),
        "{error}"
    );
    sql(&path, "INSERT INTO sessions VALUES ('still', 'there')");
}

#[test]
fn cl81_a_damaged_file_is_moved_by_a_repair_only() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("store.db");
    for (number, bytes) in [
        &b"this is not a database, but it is long enough to be looked at"[..],
        &[0xff; 8192],
    ]
    .into_iter()
    .enumerate()
    {
        fs::write(&path, bytes).unwrap();
        fs::write(place.path().join("store.db-wal"), "old").unwrap();
        let backend = StoreBackend::File(path.clone());
        let damaged = |error: &StoreError| matches!(error, StoreError::Damaged { path: found, .. } if *found == path);
        for _ in 0..2 {
            let error = block_on(inspect(backend.clone())).unwrap_err();
            assert!(damaged(&error), "{error}");
            let error = block_on(Store::open(backend.clone())).unwrap_err();
            assert!(damaged(&error), "{error}");
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
        let repaired = block_on(repair(&path)).unwrap();
        let Repair::MovedAside { aside, .. } = &repaired else {
            panic!("{repaired:?}");
        };
        assert_eq!(fs::read(aside).unwrap(), bytes);
        assert!(!path.exists() && !place.path().join("store.db-wal").exists());
        let name = format!("store.broken-{}", number + 1);
        assert!(aside.ends_with(&name), "{aside:?}");
        // The next one is new, and stays.
        for _ in 0..2 {
            drop(block_on(Store::open(backend.clone())).unwrap());
            assert_eq!(block_on(repair(&path)).unwrap(), Repair::NotNeeded);
        }
        let version = SCHEMA_VERSION;
        let state = block_on(inspect(backend)).unwrap();
        assert_eq!(state, StoreState::Ready { version });
        let again = place.path().join(format!("store.broken-{}", number + 2));
        assert!(!again.exists());
    }
    // An empty file is a new store.
    fs::write(&path, "").unwrap();
    assert!(block_on(Store::open(StoreBackend::File(path))).is_ok());
}

/// Reads and writes say that the file is no longer the one at its path.
#[test]
fn du15_a_replaced_file_is_an_error_of_every_operation() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("store.db");
    let store = block_on(Store::open(StoreBackend::File(path.clone()))).unwrap();
    let allow = grant("a", 1, Permission::FileRead, Effect::Allow);
    let replaced = || {
        let errors = [
            block_on(store.save_grant(&allow, "/p")).unwrap_err(),
            block_on(store.grants("/p")).unwrap_err(),
            block_on(store.check()).unwrap_err(),
        ];
        errors
            .iter()
            .all(|error| matches!(error, StoreError::Replaced { .. }))
    };
    block_on(store.save_grant(&allow, "/p")).unwrap();
    let away = place.path().join("away.db");
    fs::rename(&path, &away).unwrap();
    assert!(replaced());
    fs::write(&path, "").unwrap();
    assert!(replaced());
    fs::rename(&away, &path).unwrap();
    block_on(store.check()).unwrap();
    assert_eq!(block_on(store.grants("/p")).unwrap().iter().len(), 1);
}

#[test]
fn cl81_inspecting_creates_nothing() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("deep/store.db");
    let state = block_on(inspect(StoreBackend::File(path.clone()))).unwrap();
    assert_eq!(state, StoreState::Missing);
    assert!(!place.path().join("deep").exists());
    fs::write(place.path().join("deep"), "a file").unwrap();
    let error = block_on(inspect(StoreBackend::File(path))).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
}

#[test]
fn store_in_use_is_reported() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("store.db");
    let store = block_on(Store::open(StoreBackend::File(path.clone()))).unwrap();
    let script = "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1], isolation_level=None)\nc.execute('BEGIN IMMEDIATE')\nprint('held', flush=True)\nsys.stdin.read()";
    let mut holder = Command::new("python3")
        .args(["-c", script])
        .arg(&path)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let out = holder.stdout.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).unwrap();
    let error =
        block_on(store.save_grant(&grant("a", 1, Permission::FileRead, Effect::Allow), "/p"))
            .unwrap_err();
    assert!(matches!(error, StoreError::Locked), "{error}");
    // Reading goes on meanwhile.
    assert_eq!(block_on(store.grants("/p")).unwrap().iter().len(), 0);
    drop(holder.stdin.take());
    holder.wait().unwrap();
    block_on(store.save_grant(&grant("a", 1, Permission::FileRead, Effect::Allow), "/p")).unwrap();
}

#[test]
fn read_only_store_is_reported() {
    let place = tempfile::tempdir().unwrap();
    // A file in the place of the directory stops root too.
    fs::write(place.path().join("file"), "").unwrap();
    let path = place.path().join("file/store.db");
    let error = block_on(Store::open(StoreBackend::File(path))).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
    let closed = place.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
    if !rustix::process::geteuid().is_root() {
        let error = block_on(Store::open(StoreBackend::File(closed.join("store.db")))).unwrap_err();
        assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
    }
}

#[test]
fn malformed_rows_allow_nothing() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("store.db");
    let store = block_on(Store::open(StoreBackend::File(path.clone()))).unwrap();
    for values in [
        "('/p', 'a', 'sha256:short', 'shell:exec', 'allow')",
        "('/p', 'a', 'any', 'shell:everything', 'allow')",
        "('/p', 'a', 'any', 'shell:exec', 'perhaps')",
    ] {
        sql(
            &path,
            &format!(
                "INSERT INTO approvals (project, skill, contents, permission, effect) VALUES {values}"
            ),
        );
    }
    assert_eq!(block_on(store.grants("/p")).unwrap().iter().len(), 0);
}

#[test]
fn tokens_are_stored_and_removed() {
    pollster::block_on(async {
        let store = Store::memory().await.unwrap();
        let token = prowess_store::TokenRecord {
            id: "a1".to_owned(),
            name: "laptop".to_owned(),
            hash: "00".repeat(32),
            scopes: "read write".to_owned(),
            created: 100,
            expires: Some(200),
            used: None,
        };
        assert!(store.add_token(&token).await.unwrap());
        let same = |id: &str, name: &str| prowess_store::TokenRecord {
            id: id.to_owned(),
            name: name.to_owned(),
            hash: "11".repeat(32),
            ..token.clone()
        };
        let same_name = store.add_token(&same("b2", "laptop")).await;
        assert!(!same_name.unwrap(), "the name is taken");
        let same_id = store.add_token(&same("a1", "other")).await;
        assert!(same_id.is_err(), "the id is taken");
        store
            .note_token_uses(vec![("a1".to_owned(), 150), ("b2".to_owned(), 1)])
            .await
            .unwrap();
        store
            .note_token_uses(vec![("a1".to_owned(), 120)])
            .await
            .unwrap();
        let stored = store.tokens().await.unwrap();
        assert_eq!(
            stored,
            [prowess_store::TokenRecord {
                used: Some(150),
                ..token
            }]
        );
        assert!(store.remove_token("a1").await.unwrap());
        assert!(!store.remove_token("a1").await.unwrap());
    });
}

#[test]
fn q44_packages_of_names_become_packages_of_tokens() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let open = || block_on(Store::open(StoreBackend::File(path.clone()))).unwrap();
    drop(open());
    // A store from before: two tokens of one name, and owners by name.
    sql(
        &path,
        "DROP INDEX tokens_by_name;
        ALTER TABLE chats DROP COLUMN owner;
        UPDATE prowess_store SET version = 12;
        INSERT INTO tokens (id, name, hash, scopes, created) VALUES
            ('b2', 'ada', 'x', 'publish', 200), ('a1', 'ada', 'y', 'publish', 100),
            ('c3', 'ada', 'z', 'publish', 200), ('d4', 'bob', 'w', 'publish', 50);
        INSERT INTO registry_owners (owned, owner) VALUES
            ('pdf', 'ada'), ('pdf', 'bob'), ('seeded', 'operator'), ('csv', 'gone');
        INSERT INTO registry_versions (name, version, digest, published, published_by, facts,
            manifest, keywords, body, downloads)
            VALUES ('pdf', '1.0.0', 'd', 0, 'ada', '{}', '', '', '', 0)",
    );
    let store = open();
    let owners = |owned: &str| block_on(store.owners(owned)).unwrap();
    assert_eq!(owners("pdf"), ["a1", "d4"]);
    assert_eq!(owners("seeded"), ["operator"]);
    assert_eq!(owners("csv"), ["gone"]);
    let versions = block_on(store.package_versions("pdf")).unwrap();
    assert_eq!(versions[0].published_by, "a1");
    let mut names: Vec<(String, String)> = block_on(store.tokens())
        .unwrap()
        .into_iter()
        .map(|token| (token.id, token.name))
        .collect();
    names.sort();
    let expected = [
        ("a1", "ada"),
        ("b2", "ada (b2)"),
        ("c3", "ada (c3)"),
        ("d4", "bob"),
    ];
    let expected = expected.map(|(id, name)| (id.to_owned(), name.to_owned()));
    assert_eq!(names, expected);
    for (name, is_owner) in [
        ("gone", true),
        ("csv", true),
        ("operator", true),
        ("ada", false),
    ] {
        assert_eq!(
            block_on(store.is_owner_name(name)).unwrap(),
            is_owner,
            "{name}"
        );
    }
}
