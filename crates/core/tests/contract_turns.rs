//! The rows of `docs/contract/turns.md`.
#![cfg(test)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Barrier, Mutex};

use async_trait::async_trait;
use pollster::block_on;
use prowess_core::{
    Dialect, Document, Event, FileEntry, FilePart, MemorySource, Scope, Session, SkillId,
    SkillParams, Skills, Snapshot, Source, SourceError, ToolUse, Turn, reference,
};
use prowess_spec::SkillPath;

const IDS: [&str; 4] = ["pdf-processing", "extraction/email", "a", "a/b/c"];

fn source() -> MemorySource {
    let mut source = MemorySource::new(Scope::Project);
    for id in IDS {
        let name = id.rsplit('/').next().unwrap();
        let text = format!("---\nname: {name}\ndescription: About {name}\n---\nBody of {id}.\n");
        assert_eq!(source.add(id, &text).unwrap().as_str(), id);
    }
    source
}

fn skills() -> Skills {
    block_on(Skills::builder().source("memory", source()).build()).unwrap()
}

fn id(text: &str) -> SkillId {
    text.parse().unwrap()
}

fn turn(message: &str) -> (Turn, Session) {
    let session = skills().session();
    let turn = block_on(session.turn(message));
    (turn, session)
}

#[test]
fn rf1_a_known_reference_activates_its_skill() {
    for (message, expected, rest) in [
        ("/pdf-processing", "pdf-processing", ""),
        ("/extraction/email hello", "extraction/email", "hello"),
        ("/a/b/c rest of it", "a/b/c", "rest of it"),
        ("/a\nfoo\nbar", "a", "foo\nbar"),
        ("/a  \tx", "a", "x"),
    ] {
        let (turn, session) = turn(message);
        assert_eq!(session.active(), [id(expected)], "{message:?}");
        assert_eq!(turn.text, rest);
        assert_eq!(turn.needs_model(), !rest.is_empty());
        assert_eq!(turn.blocks.len(), 1);
    }
}

#[test]
fn rf2_an_unknown_reference_is_left_as_text() {
    for message in ["/unknown do stuff", "/etc/passwd show it"] {
        let (turn, session) = turn(message);
        assert_eq!(turn.content(), message);
        assert!(session.active().is_empty());
        assert!(
            matches!(turn.events.as_slice(), [Event::Unresolved { .. }]),
            "{:?}",
            turn.events
        );
    }
    let (turn, _) = turn("/pdf-procesing x");
    let [Event::Unresolved { nearest, .. }] = turn.events.as_slice() else {
        panic!("{:?}", turn.events)
    };
    assert_eq!(nearest, &["pdf-processing"]);
}

#[test]
fn rf3_other_messages_are_plain_text() {
    for message in [
        " /a",
        "hello /a",
        "//a",
        "/a/",
        "/a//b",
        "/A",
        "/a_b",
        "/a.b",
        "/a,b x",
        "/a?",
        "/home/u/f.txt",
        "",
        "/",
    ] {
        assert_eq!(reference(message), None, "{message:?}");
        let (turn, session) = turn(message);
        assert_eq!((turn.content().as_str(), turn.events.len()), (message, 0));
        assert!(session.active().is_empty());
    }
}

#[test]
fn rf4_an_earlier_reference_is_not_resolved_again() {
    let (_, session) = turn("/a do it");
    let next = block_on(session.turn("and /pdf-processing?"));
    assert_eq!(next.content(), "and /pdf-processing?");
    assert!(next.blocks.is_empty() && next.events.is_empty());
    assert_eq!(session.active(), [id("a")]);
}

#[test]
fn t1_blocks_of_the_caller_come_first() {
    let session = skills().session();
    let turn = block_on(session.turn_with("/extraction/email hello", &[id("a")]));
    assert_eq!(
        turn.content(),
        "<skill id=\"a\">\nBody of a.\n</skill>\n\n<skill id=\"extraction/email\">\nBody of extraction/email.\n</skill>\n\nhello"
    );
}

#[test]
fn t2_twice_is_once() {
    let session = skills().session();
    let first = block_on(session.turn_with("/a x", &[id("a")]));
    assert_eq!(first.blocks.len(), 1);
    assert_eq!(
        first.notices,
        ["skill a loaded", "skill a is already active"]
    );
    let second = block_on(session.turn("/a y"));
    assert_eq!((second.blocks.len(), second.content().as_str()), (0, "y"));
    assert_eq!(second.events, [Event::AlreadyActive { id: id("a") }]);
    assert_eq!(session.active(), [id("a")]);
}

/// Skills with places for arguments, under a dialect.
fn with_places(dialect: Dialect) -> Skills {
    let mut source = source();
    source.add(
        "deploy",
        "---\nname: deploy\ndescription: Deploys\n---\nDeploy $1 to $2.\n",
    );
    let builder = Skills::builder().source("memory", source).dialect(dialect);
    block_on(builder.build()).unwrap()
}

#[test]
fn t13_j10_the_model_gets_the_text_once() {
    let session = with_places(Dialect::PROWESS).session();
    let turn = block_on(session.turn("/deploy api staging"));
    let expected = "<skill id=\"deploy\">\nDeploy api to staging.\n</skill>";
    assert_eq!(
        (turn.content().as_str(), turn.needs_model()),
        (expected, true)
    );
    let turn = block_on(session.turn("/a about api"));
    assert_eq!(
        turn.content(),
        "<skill id=\"a\">\nBody of a.\n</skill>\n\nabout api"
    );
    // There the host appends them.
    let session = with_places(Dialect::CLAUDE_CODE).session();
    let turn = block_on(session.turn("/a about api"));
    assert_eq!(
        (turn.content().as_str(), turn.needs_model()),
        (
            "<skill id=\"a\">\nBody of a.\n\nARGUMENTS: about api\n</skill>",
            true
        )
    );
}

#[test]
fn t2_other_arguments_for_an_active_skill() {
    let session = with_places(Dialect::PROWESS).session();
    block_on(session.turn("/deploy api staging"));
    let turn = block_on(session.turn("/deploy api production"));
    assert_eq!(
        turn.content(),
        "Apply the skill deploy again, with the arguments: api production"
    );
    assert_eq!(session.active(), [id("deploy")]);
}

#[test]
fn t9_blocks_after_compaction_have_their_arguments() {
    let session = with_places(Dialect::PROWESS).session();
    block_on(session.turn("/a hello"));
    block_on(session.turn("/deploy api staging"));
    let blocks = block_on(session.fork().pinned_blocks(usize::MAX));
    let texts: Vec<&str> = blocks.iter().map(|block| block.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "<skill id=\"deploy\">\nDeploy api to staging.\n</skill>",
            "<skill id=\"a\">\nBody of a.\n</skill>"
        ]
    );
}

#[test]
fn j10_long_arguments_leave_the_instructions_whole() {
    let long = "é".repeat(40_000);
    for dialect in [Dialect::PROWESS, Dialect::CLAUDE_CODE] {
        let session = with_places(dialect).session();
        let turn = block_on(session.turn(&format!("/deploy {long} staging")));
        let block = &turn.blocks[0].text;
        assert!(block.len() <= dialect.limits.skill_bytes);
        assert!(block.starts_with("<skill id=\"deploy\">\nDeploy é"));
        assert!(block.contains("[truncated]"));
        assert!(block.contains(" to "), "the body is whole");
    }
}

#[test]
fn t3_active_for_later_turns() {
    let (turn, session) = turn("/a do it");
    assert!(turn.content().contains("Body of a."));
    assert!(session.is_active(&id("a")));
    // A prompt that changed would not be in the cache of the provider.
    assert_eq!(session.prompt(), session.skills().session().prompt());
}

#[test]
fn t4_without_tools() {
    let (turn, session) = turn("/a do it");
    assert!(turn.content().contains("Body of a."));
    let prompt = session.prompt_for(ToolUse::Unavailable).text;
    assert!(!prompt.contains("tool"), "{prompt}");
    let pinned = block_on(session.pinned_blocks(10_000));
    assert_eq!(pinned.len(), 1);
}

#[test]
fn t5_an_empty_list_is_none() {
    let none: [&str; 0] = [];
    let skills = block_on(
        Skills::builder()
            .source("memory", source())
            .preload(none)
            .build(),
    )
    .unwrap();
    assert!(skills.session().active().is_empty());
    let preloaded = block_on(
        Skills::builder()
            .source("memory", source())
            .preload(["a"])
            .build(),
    )
    .unwrap();
    let session = preloaded.session();
    assert_eq!(session.active(), [id("a")]);
    let prompt = session.prompt().text;
    assert!(
        prompt.contains("<skill id=\"a\" active=\"true\">"),
        "{prompt}"
    );
    assert!(
        prompt.ends_with("<skill id=\"a\">\nBody of a.\n</skill>"),
        "{prompt}"
    );
}

#[test]
fn t6_preload_of_an_unknown_id() {
    let builder = Skills::builder()
        .source("memory", source())
        .preload(["a", "pdf-procesing"]);
    let error = block_on(builder.build()).err().unwrap();
    assert_eq!(
        error.to_string(),
        "cannot preload `pdf-procesing`: unknown skill `pdf-procesing`; did you mean pdf-processing?"
    );
}

#[test]
fn t7_a_session_is_its_ids() {
    let (_, session) = turn("/a do it");
    let stored = serde_json::to_string(&session).unwrap();
    assert_eq!(stored, r#"["a"]"#);
    let ids: Vec<SkillId> = serde_json::from_str(&stored).unwrap();
    let again = skills().resume(ids);
    assert_eq!(again.active(), session.active());
}

#[test]
fn t8_a_fork_inherits() {
    let (_, session) = turn("/a do it");
    let fork = session.fork();
    fork.activate(&id("extraction/email"));
    assert_eq!(session.active(), [id("a")]);
    assert_eq!(fork.active(), [id("a"), id("extraction/email")]);
}

#[test]
fn t9_what_survives_compaction() {
    let skills = skills();
    let session = skills.session();
    for name in ["a", "extraction/email", "pdf-processing"] {
        session.activate(&id(name));
    }
    let all = block_on(session.pinned_blocks(10_000));
    let order: Vec<&str> = all.iter().map(|block| block.id.as_str()).collect();
    assert_eq!(order, ["pdf-processing", "extraction/email", "a"]);
    let budget = all.first().unwrap().text.len() + 40;
    let some = block_on(session.pinned_blocks(budget));
    let order: Vec<&str> = some.iter().map(|block| block.id.as_str()).collect();
    assert_eq!(order, ["pdf-processing", "a"]);
}

/// Skills whose descriptions hold the number of the snapshot; a snapshot waits for the gate.
#[derive(Default)]
struct Numbered {
    snapshots: AtomicUsize,
    gate: Arc<Mutex<Option<Receiver<()>>>>,
}

impl Numbered {
    fn skills(number: usize) -> MemorySource {
        let mut source = MemorySource::new(Scope::Project);
        for id in IDS {
            let name = id.rsplit('/').next().unwrap();
            let text =
                format!("---\nname: {name}\ndescription: number-{number}\n---\nBody of {id}.\n");
            source.add(id, &text).unwrap();
        }
        source
    }
}

#[async_trait]
impl Source for Numbered {
    async fn snapshot(&self) -> Result<Arc<Snapshot>, SourceError> {
        let gate = self.gate.lock().unwrap().take();
        if let Some(gate) = gate {
            gate.recv().unwrap();
        }
        let number = self.snapshots.fetch_add(1, Ordering::Relaxed);
        Self::skills(number).snapshot().await
    }

    async fn load(&self, id: &SkillId) -> Result<Document, SourceError> {
        Self::skills(0).load(id).await
    }

    async fn files(&self, id: &SkillId) -> Result<Vec<FileEntry>, SourceError> {
        Self::skills(0).files(id).await
    }

    async fn read(
        &self,
        id: &SkillId,
        path: &SkillPath,
        offset: u64,
        limit: usize,
    ) -> Result<FilePart, SourceError> {
        Self::skills(0).read(id, path, offset, limit).await
    }
}

/// The numbers in the descriptions of a prompt.
fn numbers(prompt: &str) -> Vec<&str> {
    let descriptions = prompt.split("number-").skip(1);
    descriptions
        .map(|rest| rest.split('<').next().unwrap())
        .collect()
}

#[test]
fn t10_turns_while_refreshing() {
    let skills = block_on(
        Skills::builder()
            .source("numbered", Numbered::default())
            .build(),
    );
    let skills = skills.unwrap();
    let start = Barrier::new(1_001);
    std::thread::scope(|scope| {
        for number in 0..1_000 {
            let (skills, start) = (&skills, &start);
            scope.spawn(move || {
                let session = skills.session();
                start.wait();
                let turn =
                    block_on(session.turn_with(&format!("/a turn {number}"), &[id("a/b/c")]));
                assert_eq!(turn.blocks.len(), 2);
                let prompt = session.prompt().text;
                let numbers = numbers(&prompt);
                assert_eq!(numbers.len(), IDS.len(), "{prompt}");
                assert!(
                    numbers.windows(2).all(|pair| pair.first() == pair.last()),
                    "{prompt}"
                );
            });
        }
        start.wait();
        for _ in 0..100 {
            assert_eq!(block_on(skills.refresh()).len(), IDS.len());
        }
    });
    assert_eq!(skills.catalog().generation(), 101);
}

#[test]
fn t10_a_turn_does_not_wait_for_a_refresh() {
    let source = Numbered::default();
    let waiting = Arc::clone(&source.gate);
    let skills = block_on(Skills::builder().source("numbered", source).build()).unwrap();
    let (open, gate) = mpsc::channel();
    *waiting.lock().unwrap() = Some(gate);
    std::thread::scope(|scope| {
        let refresh = scope.spawn(|| block_on(skills.refresh()).generation());
        while waiting.lock().unwrap().is_some() {
            std::thread::yield_now();
        }
        let session = skills.session();
        let turn = block_on(session.turn("/a do it"));
        assert_eq!(turn.blocks.len(), 1);
        let prompt = session.prompt().text;
        assert_eq!(numbers(&prompt), ["0"; IDS.len()]);
        open.send(()).unwrap();
        assert_eq!(refresh.join().unwrap(), 2);
    });
}

#[test]
fn t11_people_and_model_see_different_things() {
    let (turn, _) = turn("/a do it");
    assert_eq!(turn.notices, ["skill a loaded"]);
    assert!(turn.notices.iter().all(|notice| !notice.contains("Body")));
    assert!(turn.blocks.iter().all(|block| block.text.contains("Body")));
}

#[test]
fn t12_on_the_wire() {
    let read = |text: &str| serde_json::from_str::<SkillParams>(text);
    let params = read(r#"{"preload_skills": ["a"], "skill_references": ["b"]}"#).unwrap();
    assert_eq!(
        (params.preload_skills, params.skill_references),
        (vec![id("a")], vec![id("b")])
    );
    assert!(read(r#"{"preload": ["a"]}"#).is_err());
    assert!(read(r#"{"preload_skills": ["A b"]}"#).is_err());
    let none = read("{}").unwrap();
    assert_eq!(
        read(r#"{"preload_skills": [], "skill_references": []}"#).unwrap(),
        none
    );
    assert_eq!(serde_json::to_string(&none).unwrap(), "{}");
}
