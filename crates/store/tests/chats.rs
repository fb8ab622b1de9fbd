//! Chats over SQLite and PostgreSQL: whole turns, one writer at a time, forks, and stores of the version before.
#![cfg(test)]

#[allow(dead_code, reason = "the other tests use more of it")]
#[path = "../../sources/tests/support/database.rs"]
mod database;

use std::sync::atomic::{AtomicUsize, Ordering};

use database::Postgres;
use pollster::block_on;
use prowess_core::{SessionStore, SkillId};
use prowess_store::{
    ChatCursor, ChatId, ChatTurn, SCHEMA_VERSION, SkillUses, Store, StoreBackend, StoreError,
    Tokens,
};
use prowess_testing::sql;

fn ids(names: &[&str]) -> Vec<SkillId> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

fn said(messages: &[&str]) -> ChatTurn {
    ChatTurn {
        messages: messages.iter().map(|&text| text.to_owned()).collect(),
        tokens: Tokens {
            input: 100,
            output: 10,
        },
        ..ChatTurn::default()
    }
}

/// What holds for every store; `again` opens it as another process would.
fn contract(again: &dyn Fn() -> Store) {
    let store = again();
    assert_eq!(block_on(store.chats(10)).unwrap(), []);
    // A name alone is no chat yet.
    let id = ChatId::new();
    let missing = block_on(store.chat(&id));
    assert!(matches!(missing, Err(StoreError::NoChat { .. })));
    let turn = ChatTurn {
        active: ids(&["a", "b/c"]),
        used: Some(SkillUses {
            project: "/p".to_owned(),
            skills: ids(&["a", "b/c"]),
        }),
        title: Some("About 'ä' \u{1f980}".to_owned()),
        ..said(&[r#"{"role":"user","text":"\u0000"}"#, "two"])
    };
    assert_eq!(block_on(store.append_turn(&id, 0, turn)).unwrap(), 1);
    // Another process: no body was ever given, so none can be there; ids, texts and counts are.
    let other = again();
    let chat = block_on(other.chat(&id)).unwrap();
    assert_eq!(chat.active, ids(&["a", "b/c"]));
    assert_eq!(chat.messages, [r#"{"role":"user","text":"\u0000"}"#, "two"]);
    assert_eq!(chat.summary.title, "About 'ä' \u{1f980}");
    assert_eq!(chat.summary.turns, 1);
    assert!(chat.summary.updated >= chat.summary.created);

    // The uses of skills, by project.
    let id_of_another = ChatId::new();
    let turn = ChatTurn {
        used: Some(SkillUses {
            project: "/p".to_owned(),
            skills: ids(&["b/c"]),
        }),
        ..said(&["again"])
    };
    std::thread::sleep(std::time::Duration::from_millis(2));
    block_on(store.append_turn(&id_of_another, 0, turn)).unwrap();
    let queries = ["deploy the shop".to_owned(), "x".repeat(2_000)];
    for (project, skill) in [("/a", "ship"), ("/a", "ship"), ("/b", "other")] {
        block_on(store.add_search_use(project, &queries, skill)).unwrap();
    }
    let uses = block_on(other.search_uses("/a")).unwrap();
    let uses: Vec<_> = uses
        .iter()
        .map(|it| (it.query.len(), it.skill.as_str(), it.uses))
        .collect();
    assert_eq!(uses, [(15, "ship", 2), (500, "ship", 2)]);
    let recent = |project: &str, limit| block_on(other.recent_skills(project, limit)).unwrap();
    assert_eq!(recent("/p", 10), ids(&["b/c", "a"]));
    assert_eq!(recent("/p", 1), ids(&["b/c"]));
    assert_eq!(recent("/q", 10), []);
    assert!(block_on(store.delete_chat(&id_of_another)).unwrap());

    // Two clients: the second writer hears of it, and nothing of its turn is there.
    let mine = said(&["mine"]);
    assert_eq!(block_on(store.append_turn(&id, 1, mine)).unwrap(), 2);
    let error = block_on(other.append_turn(&id, 1, said(&["theirs"]))).unwrap_err();
    let StoreError::ChatChanged {
        expected, found, ..
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!((expected, found), (1, 2));
    let chat = block_on(store.chat(&id)).unwrap();
    assert_eq!(chat.messages.len(), 3);
    assert_eq!(
        chat.summary.tokens,
        Tokens {
            input: 200,
            output: 20
        }
    );
    // A turn without skills forgets them; a turn without a title keeps it.
    assert_eq!(chat.active, []);
    assert_eq!(chat.summary.title, "About 'ä' \u{1f980}");

    fork(&store, &id);
    pages(&store);
    replace(&store);
    race(again, &id);

    for result in [
        block_on(store.chat_version(&ChatId::named("none"))).map(|_| ()),
        block_on(store.chat(&ChatId::named("none'; --"))).map(|_| ()),
        block_on(store.append_turn(&ChatId::named("none"), 1, said(&[]))).map(|_| ()),
        block_on(store.fork_chat(&ChatId::named("none"))).map(|_| ()),
    ] {
        assert!(
            matches!(result, Err(StoreError::NoChat { .. })),
            "{result:?}"
        );
    }
}

/// Chats without a turn, titles, and lists in pages.
fn pages(store: &Store) {
    let id = ChatId::new();
    block_on(store.create_chat(&id, &ids(&["a"]), None)).unwrap();
    let listed = |store: &Store| block_on(store.chats_before(100, None, None)).unwrap();
    assert!(!listed(store).iter().any(|chat| chat.id == id));
    let chat = block_on(store.chat(&id)).unwrap();
    assert_eq!((chat.version, chat.active), (0, ids(&["a"])));
    block_on(store.rename_chat(&id, "Mine")).unwrap();
    let turn = ChatTurn {
        title: Some("first words".to_owned()),
        ..said(&["one"])
    };
    assert_eq!(block_on(store.append_turn(&id, 0, turn)).unwrap(), 1);
    assert_eq!(block_on(store.chat_summary(&id)).unwrap().title, "Mine");
    let unknown = block_on(store.rename_chat(&ChatId::named("x"), "y"));
    assert!(matches!(unknown, Err(StoreError::NoChat { .. })));
    let all: Vec<ChatId> = listed(store).into_iter().map(|it| it.id).collect();
    assert!(all.len() > 1 && all.contains(&id));
    let (mut found, mut before) = (Vec::new(), None);
    while let Some(chat) = block_on(store.chats_before(1, before, None)).unwrap().pop() {
        // As a client gets it and sends it back.
        before = Some(ChatCursor::after(&chat).to_string().parse().unwrap());
        found.push(chat.id);
    }
    assert_eq!(found, all);
}

/// A turn can stand in the place of earlier ones. The version goes up whatever the number of turns does.
fn replace(store: &Store) {
    let id = ChatId::new();
    let with = |keep: usize, messages: &[&str]| ChatTurn {
        keep: Some(keep),
        model: Some("m".to_owned()),
        code_active: ids(&["c"]),
        ..said(messages)
    };
    block_on(store.append_turn(&id, 0, said(&["a", "b"]))).unwrap();
    block_on(store.append_turn(&id, 1, said(&["c", "d"]))).unwrap();
    assert_eq!(
        block_on(store.append_turn(&id, 2, with(2, &["e"]))).unwrap(),
        3
    );
    let chat = block_on(store.chat(&id)).unwrap();
    assert_eq!(chat.messages, ["a", "b", "e"]);
    assert_eq!((chat.summary.turns, chat.version), (2, 3));
    assert_eq!(chat.summary.model.as_deref(), Some("m"));
    assert_eq!(chat.code_active, ids(&["c"]));
    let late = block_on(store.append_turn(&id, 2, said(&["late"])));
    assert!(
        matches!(late, Err(StoreError::ChatChanged { found: 3, .. })),
        "{late:?}"
    );
    // What was paid for stays counted, and a chat without turns is not listed.
    let known = block_on(store.chats(10)).unwrap().len();
    block_on(store.append_turn(&id, 3, with(0, &[]))).unwrap();
    let chat = block_on(store.chat(&id)).unwrap();
    assert_eq!((chat.messages.len(), chat.summary.turns), (0, 0));
    assert_eq!(chat.summary.tokens.input, 400);
    assert_eq!(block_on(store.chats(10)).unwrap().len(), known - 1);
    assert!(block_on(store.delete_chat(&id)).unwrap());
}

/// T8: a forked chat inherits what was said and the active skills, and then goes its own way.
fn fork(store: &Store, id: &ChatId) {
    let turn = ChatTurn {
        active: ids(&["a"]),
        ..said(&["three"])
    };
    block_on(store.append_turn(id, 2, turn)).unwrap();
    let fork = block_on(store.fork_chat(id)).unwrap();
    assert_ne!(&fork, id);
    let (first, second) = (
        block_on(store.chat(id)).unwrap(),
        block_on(store.chat(&fork)).unwrap(),
    );
    assert_eq!(first.messages, second.messages);
    assert_eq!(second.active, ids(&["a"]));
    assert_eq!(second.summary.forked_from.as_ref(), Some(id));
    assert_eq!(second.summary.turns, 3);
    block_on(store.append_turn(&fork, 3, said(&["own"]))).unwrap();
    assert_eq!(block_on(store.chat(id)).unwrap().messages.len(), 4);
    assert_eq!(block_on(store.chat(&fork)).unwrap().messages.len(), 5);
    assert_eq!(block_on(store.chats(10)).unwrap().len(), 2);
    assert_eq!(block_on(store.chats(1)).unwrap().len(), 1);
    assert!(block_on(store.delete_chat(&fork)).unwrap());
    assert!(!block_on(store.delete_chat(&fork)).unwrap());
    assert!(matches!(
        block_on(store.chat(&fork)),
        Err(StoreError::NoChat { .. })
    ));
}

/// Many writers of one chat at once: each turn is written by exactly one of them, whole.
fn race(again: &dyn Fn() -> Store, id: &ChatId) {
    let (won, lost) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let before = block_on(again().chat(id)).unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let store = again();
            let (won, lost) = (&won, &lost);
            scope.spawn(move || {
                for _ in 0..10 {
                    let known = block_on(store.chat_version(id)).unwrap();
                    let text = format!("{writer}");
                    match block_on(store.append_turn(id, known, said(&[&text, &text]))) {
                        Ok(_) => won.fetch_add(1, Ordering::Relaxed),
                        Err(StoreError::ChatChanged { .. }) => lost.fetch_add(1, Ordering::Relaxed),
                        Err(error) => panic!("{error}"),
                    };
                }
            });
        }
    });
    let won = won.into_inner();
    assert_eq!(won + lost.into_inner(), 40);
    let after = block_on(again().chat(id)).unwrap();
    assert_eq!(after.summary.turns, before.summary.turns + won as u64);
    let new = &after.messages[before.messages.len()..];
    assert_eq!(new.len(), won * 2);
    assert!(new.chunks(2).all(|pair| pair[0] == pair[1]), "{new:?}");
}

#[test]
fn sqlite() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("store.db");
    contract(&|| block_on(Store::open(StoreBackend::File(path.clone()))).unwrap());
}

#[test]
fn postgres() {
    let database = Postgres::start();
    contract(&|| block_on(Store::open(StoreBackend::Postgres(database.url()))).unwrap());
    // A store of the version before: no tables for chats yet.
    database
        .run("SET search_path = prowess;
            DROP TABLE chats; DROP TABLE chat_messages; DROP TABLE approvals; DROP TABLE command_approvals;
            DROP TABLE skill_uses; DROP TABLE tokens; DROP TABLE rate_counts; DROP TABLE search_uses; DROP TABLE named_approvals;
            DROP TABLE registry_state; DROP TABLE registry_packages; DROP TABLE registry_versions; DROP TABLE registry_owners;
            CREATE TABLE grants (skill TEXT, contents TEXT, permission TEXT, effect TEXT);
            UPDATE prowess_store SET version = 1");
    let store = block_on(Store::open(StoreBackend::Postgres(database.url()))).unwrap();
    let id = ChatId::new();
    block_on(store.append_turn(&id, 0, said(&["one"]))).unwrap();
    assert_eq!(block_on(store.chat(&id)).unwrap().messages, ["one"]);
}

#[test]
fn memory() {
    let store = block_on(Store::memory()).unwrap();
    contract(&|| store.clone());
}

/// The tables as the version before made them.
const VERSION_1: &str = "
    CREATE TABLE prowess_store (one INTEGER PRIMARY KEY, version BIGINT NOT NULL);
    INSERT INTO prowess_store VALUES (1, 1);
    CREATE TABLE grants (
        skill TEXT NOT NULL, contents TEXT NOT NULL, permission TEXT NOT NULL, effect TEXT NOT NULL,
        PRIMARY KEY (skill, contents, permission));
    CREATE TABLE skill_states (
        skill TEXT PRIMARY KEY, phase TEXT NOT NULL, reason TEXT NOT NULL, changed BIGINT NOT NULL);
    CREATE TABLE sessions (conversation TEXT PRIMARY KEY, active TEXT NOT NULL);
    CREATE TABLE cache (
        origin TEXT NOT NULL, name TEXT NOT NULL, etag TEXT, body TEXT NOT NULL, fetched BIGINT NOT NULL,
        PRIMARY KEY (origin, name));
    INSERT INTO grants VALUES ('a', 'any', 'shell:exec', 'allow'), ('b', 'any', 'shell:exec', 'deny');
    INSERT INTO sessions VALUES ('old', '[\"a\"]');
    INSERT INTO skill_states VALUES ('a', 'failed', 'why', 7);
";

#[test]
fn previous_version_is_migrated() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("store.db");
    sql(&path, VERSION_1);
    let store = block_on(Store::open(StoreBackend::File(path.clone()))).unwrap();
    assert_eq!(block_on(store.load("old")).unwrap(), Some(ids(&["a"])));
    assert_eq!(
        block_on(store.skill_state("a")).unwrap().unwrap().reason,
        "why"
    );
    // Nobody knows in which project an old approval was given: it is asked about again. A denial stays one.
    let kept = block_on(store.all_grants()).unwrap();
    let kept: Vec<&str> = kept.iter().map(|it| it.grant.skill.as_str()).collect();
    assert_eq!(kept, ["b"]);
    let id = ChatId::new();
    block_on(store.append_turn(&id, 0, said(&["one"]))).unwrap();
    drop(store);
    sql(
        &path,
        &format!(
            "CREATE TABLE version_is AS SELECT 1 / (version = {SCHEMA_VERSION}) FROM prowess_store"
        ),
    );
    let again = block_on(Store::open(StoreBackend::File(path))).unwrap();
    assert_eq!(block_on(again.chat(&id)).unwrap().messages, ["one"]);
}

/// Somebody pulls the plug between the messages of a turn.
#[test]
fn turns_are_written_atomically() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("store.db");
    let store = block_on(Store::open(StoreBackend::File(path.clone()))).unwrap();
    let id = ChatId::new();
    block_on(store.append_turn(&id, 0, said(&["whole"]))).unwrap();
    // The second message of the next turn cannot be written.
    sql(
        &path,
        "CREATE TRIGGER fails BEFORE INSERT ON chat_messages WHEN NEW.position = 1
         BEGIN SELECT RAISE(ABORT, 'pulled'); END",
    );
    let error = block_on(store.append_turn(&id, 1, said(&["one", "two"]))).unwrap_err();
    assert!(error.to_string().contains("pulled"), "{error}");
    let chat = block_on(store.chat(&id)).unwrap();
    assert_eq!(chat.messages, ["whole"]);
    assert_eq!(chat.summary.turns, 1);
    assert_eq!(chat.active, []);
}
