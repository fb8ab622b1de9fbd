//! Chats that outlive their process.

use std::path::Path;

use prowess_agent::wire::{AgentEvent, ChatEntry};
use prowess_agent::{Agent, AgentError, AgentOptions, Compaction, Ending, Saved};
use prowess_store::{ChatId, ChatTurn, Store, StoreBackend, StoreError};
use prowess_testing::model::{BOTH, ScriptedModel, Step, call};
use prowess_testing::sql;
use serde_json::json;

use crate::support::{agent_of, id, model_has, options, send};

async fn open(path: &Path) -> Store {
    Store::open(StoreBackend::File(path.to_owned()))
        .await
        .unwrap()
}

async fn agent(model: &ScriptedModel, path: &Path) -> Agent {
    agent_of(model)
        .await
        .store(open(path).await)
        .build()
        .await
        .unwrap()
}

/// T7: dropped without a word, the chat is back with its active ids; no body was in the store.
#[tokio::test]
async fn t7_resume_after_a_kill() {
    for wire in BOTH {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("store.db");
        let steps = [
            call("load_skill", &json!({"id": "haiku"})),
            Step::Say("one"),
            Step::Say("two"),
            Step::Hang("never"),
            Step::Say("three"),
        ];
        let model = ScriptedModel::start(wire, steps);
        let first = agent(&model, &path).await;
        let mut chat = first.chat();
        let name = chat.id().unwrap().clone();
        assert_eq!(
            send(&mut chat, "begin, please").await.0.unwrap().saved,
            Saved::Yes
        );
        send(&mut chat, "/extraction/email x@example.org")
            .await
            .0
            .unwrap();
        let before = model.last();
        // Killed in the middle of a turn: that one is gone, the whole ones are there.
        {
            let cancel = prowess_agent::Cancel::new();
            let turn = chat.turn("lost", &[], &|_| (), &cancel);
            tokio::select! {
                _ = turn => panic!("it hangs"),
                () = model_has(&model, 4) => {}
            }
        }
        drop(chat);
        drop(first);
        let bytes = std::fs::read(&path).unwrap();
        let wal = std::fs::read(place.path().join("store.db-wal")).unwrap_or_default();
        for text in ["Five, seven, five", "at sign"] {
            let in_file = |bytes: &[u8]| {
                bytes
                    .windows(text.len())
                    .any(|part| part == text.as_bytes())
            };
            assert!(!in_file(&bytes) && !in_file(&wal), "{text}");
        }

        let again = agent(&model, &path).await;
        let summary = again.chats(10).await.unwrap().remove(0);
        assert_eq!(
            (summary.title.as_str(), summary.turns),
            ("begin, please", 2)
        );
        assert!(summary.tokens.input > 0 && summary.tokens.output > 0);
        let mut chat = again.resume(&name).await.unwrap();
        assert_eq!(chat.active(), [id("haiku"), id("extraction/email")]);
        send(&mut chat, "and now?").await.0.unwrap();
        let seen = model.last();
        seen.assert_whole();
        // The same request as before the kill, and two messages more.
        let (old, new) = (before.messages(), seen.messages());
        assert_eq!(old[..], new[..old.len()]);
        assert_eq!(new.len(), old.len() + 2);
        assert_eq!(seen.body["system"], before.body["system"]);
        assert!(!seen.body.to_string().contains("lost"));
    }
}

/// T8: a fork begins with the same messages and skills, and goes its own way.
#[tokio::test]
async fn t8_fork() {
    for wire in BOTH {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("store.db");
        let model = ScriptedModel::start(wire, ["one", "two", "three"].map(Step::Say));
        let agent = agent(&model, &path).await;
        let mut chat = agent.chat();
        send(&mut chat, "/haiku rain").await.0.unwrap();
        let mut fork = agent.fork(chat.id().unwrap()).await.unwrap();
        assert_eq!(fork.active(), [id("haiku")]);
        assert_ne!(fork.id(), chat.id());
        send(&mut fork, "left").await.0.unwrap();
        assert_eq!(model.last().messages().len(), 3);
        assert!(model.last().messages()[0].1.contains("Five, seven"));
        send(&mut chat, "right").await.0.unwrap();
        assert!(!model.last().body.to_string().contains("left"));
    }
}

/// Two clients in one chat: whoever comes second hears of it, before anything is sent if that is possible.
#[tokio::test]
async fn two_clients() {
    for wire in BOTH {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("store.db");
        let model = ScriptedModel::start(wire, ["one", "two", "three", "four"].map(Step::Say));
        let (left, right) = (agent(&model, &path).await, agent(&model, &path).await);
        let mut mine = left.chat();
        send(&mut mine, "hello").await.0.unwrap();
        let name = mine.id().unwrap().clone();
        let mut theirs = right.resume(&name).await.unwrap();
        send(&mut theirs, "from the right").await.0.unwrap();
        let (report, ear) = send(&mut mine, "from the left").await;
        let error = report.unwrap_err();
        assert!(
            matches!(
                &error,
                AgentError::Store(StoreError::ChatChanged {
                    expected: 1,
                    found: 2,
                    ..
                })
            ),
            "{error}"
        );
        assert!(ear.events().is_empty());
        assert_eq!(model.seen().len(), 2);
        // Opened again, it goes on.
        let mut mine = left.resume(&name).await.unwrap();
        send(&mut mine, "from the left").await.0.unwrap();
        assert!(model.last().body.to_string().contains("from the right"));

        // While the model answers, somebody else is faster.
        let store = open(&path).await;
        let other = name.clone();
        let tell = move |event: AgentEvent| {
            if matches!(event, AgentEvent::Text { .. }) {
                let _ = from_elsewhere(&store, &other);
            }
        };
        let report = mine
            .turn("slow", &[], &tell, &prowess_agent::Cancel::new())
            .await
            .unwrap();
        // What was paid for is there to read; in the store it is not.
        assert_eq!(
            (report.text.as_str(), report.saved),
            ("four", Saved::Elsewhere)
        );
        let again = send(&mut mine, "again").await.0;
        assert!(
            matches!(
                again,
                Err(AgentError::Store(StoreError::ChatChanged { .. }))
            ),
            "{again:?}"
        );
        let stored = left.resume(&name).await.unwrap();
        assert!(
            !stored
                .entries()
                .any(|entry| format!("{entry:?}").contains("slow"))
        );
    }
}

/// Writes a turn as another process would, from inside a callback that cannot wait.
fn from_elsewhere(store: &Store, chat: &prowess_store::ChatId) -> Result<u64, StoreError> {
    let (store, chat) = (store.clone(), chat.clone());
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(store.append_turn(&chat, 3, ChatTurn::default()))
    })
    .join()
    .unwrap()
}

/// What was compacted stays so after a restart, and the pinned block is there.
#[tokio::test]
async fn compaction_survives_a_restart() {
    for wire in BOTH {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("store.db");
        let model =
            ScriptedModel::start(wire, ["one", "two", "three", "four", "five"].map(Step::Say));
        let small = AgentOptions {
            context_window: 4_000,
            compaction: Compaction::Drop,
            ..options()
        };
        let first = agent_of(&model)
            .await
            .options(small.clone())
            .store(open(&path).await)
            .build()
            .await
            .unwrap();
        let mut chat = first.chat();
        send(&mut chat, "/haiku begin").await.0.unwrap();
        for _ in 0..3 {
            send(
                &mut chat,
                &"Some words that take a little room. ".repeat(120),
            )
            .await
            .0
            .unwrap();
        }
        let name = chat.id().unwrap().clone();
        let before = model.last().messages();
        assert!(
            chat.entries()
                .any(|entry| matches!(entry, ChatEntry::Compacted { .. }))
        );
        drop(chat);
        let second = agent_of(&model)
            .await
            .options(small)
            .store(open(&path).await)
            .build()
            .await
            .unwrap();
        let mut chat = second.resume(&name).await.unwrap();
        send(&mut chat, "now").await.0.unwrap();
        let after = model.last().messages();
        assert_eq!(after[..before.len()], before[..]);
        assert_eq!(after[0].1.matches("Five, seven").count(), 1);
    }
}

/// The last turn goes with everything that it did: a compaction, a skill that became active, its messages in the store.
#[tokio::test]
async fn undo_removes_a_turn_and_its_compaction() {
    for wire in BOTH {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("store.db");
        let mut steps = vec![Step::Say("ok"); 3];
        steps.push(call("load_skill", &json!({"id": "haiku"})));
        steps.extend([Step::Say("loaded"), Step::Say("again"), Step::Say("end")]);
        let model = ScriptedModel::start(wire, steps);
        let small = AgentOptions {
            context_window: 4_000,
            compaction: Compaction::Drop,
            ..options()
        };
        let builder = agent_of(&model).await.options(small);
        let agent = builder.store(open(&path).await).build().await.unwrap();
        let mut chat = agent.chat();
        let long = "Some words that take a little room. ".repeat(120);
        for text in ["first", &long, &long] {
            send(&mut chat, text).await.0.unwrap();
        }
        let before: Vec<ChatEntry> = chat.entries().cloned().collect();
        send(&mut chat, &long).await.0.unwrap();
        let is_compacted = |entry: &ChatEntry| matches!(entry, ChatEntry::Compacted { .. });
        assert!(
            chat.entries().filter(|it| is_compacted(it)).count()
                > before.iter().filter(|it| is_compacted(it)).count()
        );
        assert_eq!(chat.active(), [id("haiku")]);
        let name = chat.id().unwrap().clone();
        let mut stale = agent.resume(&name).await.unwrap();

        assert_eq!(chat.undo().await.unwrap().as_deref(), Some(long.as_str()));
        assert_eq!(chat.entries().cloned().collect::<Vec<_>>(), before);
        assert!(chat.active().is_empty());
        let stored = agent.resume(&name).await.unwrap();
        assert_eq!(stored.entries().cloned().collect::<Vec<_>>(), before);
        assert!(stored.active().is_empty());
        // Another turn makes as many turns as another process knows, and it notices all the same.
        send(&mut chat, "instead").await.0.unwrap();
        assert_eq!(agent.chats(1).await.unwrap()[0].turns, 4);
        let late = send(&mut stale, "late").await.0;
        assert!(
            matches!(late, Err(AgentError::Store(StoreError::ChatChanged { .. }))),
            "{late:?}"
        );

        // A retry that is replaced in one step.
        let report = chat
            .retry(&|_| (), &prowess_agent::Cancel::new())
            .await
            .unwrap();
        assert_eq!((report.text.as_str(), report.saved), ("end", Saved::Yes));
        let stored = open(&path).await.chat(&name).await.unwrap();
        assert_eq!(stored.summary.turns, 4);
        assert_eq!(stored.messages.len(), before.len() + 2);
        model.last().assert_whole();
    }
}

/// Arguments with which a skill was activated survive a compaction and a restart, given by the user or the model.
#[tokio::test]
async fn arguments_survive_a_restart() {
    let long = "Some words that take a little room. ".repeat(120);
    for by_model in [false, true] {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("store.db");
        let mut steps = vec![Step::Say("ok"); 5];
        if by_model {
            let arguments = json!({"id": "haiku", "arguments": "WINTER"});
            steps.insert(0, call("load_skill", &arguments));
            let arguments = json!({"id": "extraction/email", "arguments": "SPAM"});
            steps.insert(0, call("load_skill", &arguments));
        }
        let model = ScriptedModel::start(BOTH[0], steps);
        let small = AgentOptions {
            context_window: 4_000,
            compaction: Compaction::Drop,
            ..options()
        };
        let open_agent = async || {
            let builder = agent_of(&model).await.options(small.clone());
            builder.store(open(&path).await).build().await.unwrap()
        };
        let mut chat = open_agent().await.chat();
        let first = if by_model { "begin" } else { "/haiku WINTER" };
        send(&mut chat, first).await.0.unwrap();
        for _ in 0..3 {
            send(&mut chat, &long).await.0.unwrap();
        }
        let name = chat.id().unwrap().clone();
        let before = model.last().messages();
        drop(chat);
        let mut chat = open_agent().await.resume(&name).await.unwrap();
        send(&mut chat, "now").await.0.unwrap();
        let lead = &model.last().messages()[0].1;
        assert_eq!(*lead, before[0].1);
        assert!(lead.contains("Mention WINTER."), "{by_model}: {lead}");
        assert_eq!(lead.contains("ARGUMENTS: SPAM"), by_model, "{lead}");
    }
}

/// A store that cannot be written loses nothing: the next turn takes the last one along.
#[tokio::test]
async fn unsaved_turn_is_saved_with_the_next() {
    let wire = BOTH[0];
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("store.db");
    let model = ScriptedModel::start(wire, ["one", "two"].map(Step::Say));
    let agent = agent(&model, &path).await;
    let mut chat = agent.chat();
    let name = chat.id().unwrap().clone();
    sql(
        &path,
        "CREATE TRIGGER fails BEFORE INSERT ON chat_messages BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    let (report, ear) = send(&mut chat, "first").await;
    let report = report.unwrap();
    assert_eq!(
        (report.ending, report.saved),
        (Ending::Answered, Saved::NotYet)
    );
    assert!(
        ear.has(
            |event| matches!(event, AgentEvent::NotSaved { reason } if reason.contains("full"))
        )
    );
    sql(&path, "DROP TRIGGER fails");
    assert_eq!(send(&mut chat, "second").await.0.unwrap().saved, Saved::Yes);
    let stored = open(&path).await.chat(&name).await.unwrap();
    assert_eq!(stored.messages.len(), 4);
    assert_eq!(stored.summary.tokens.output, 14);
}

#[tokio::test]
async fn unknown_chats_are_errors() {
    let model = ScriptedModel::start(BOTH[0], []);
    let without = agent_of(&model).await.build().await.unwrap();
    let nobody = prowess_store::ChatId::named("nobody");
    assert!(matches!(
        without.resume(&nobody).await.err().unwrap(),
        AgentError::NoStore
    ));
    let with = agent_of(&model)
        .await
        .store(Store::memory().await.unwrap())
        .build()
        .await
        .unwrap();
    let error = with.resume(&nobody).await.err().unwrap();
    assert_eq!(error.to_string(), "unknown chat `nobody`");
    // What a newer Prowess wrote is not guessed at.
    let strange = ChatTurn {
        messages: vec![r#"{"role":"oracle"}"#.to_owned()],
        ..ChatTurn::default()
    };
    let own = Store::memory().await.unwrap();
    let id = ChatId::new();
    own.append_turn(&id, 0, strange).await.unwrap();
    let agent = agent_of(&model).await.store(own).build().await.unwrap();
    let error = agent.resume(&id).await.err().unwrap();
    assert!(
        matches!(error, AgentError::Unreadable { number: 0, .. }),
        "{error}"
    );
}
