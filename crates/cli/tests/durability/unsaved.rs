//! Turns that cannot be saved when they end.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use prowess_testing::model::{ScriptedModel, Step, Wire};
use prowess_testing::{ChildGuard, at_home};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::holder::Holder;
use crate::server::{Server, configure, find};
use crate::session::Session;
use crate::setup::{chat, new_project};
use crate::support::{Run, TestProject};

const DIRECTORY: &str = "home/.local/share/prowess";
const FILE: &str = "home/.local/share/prowess/prowess.db";
/// Longer than any save may take here.
const DEADLINE: Duration = Duration::from_mins(2);

/// A project whose store exists, and a model that answers slowly enough for nothing.
fn project(steps: impl IntoIterator<Item = Step>) -> (TestProject, ScriptedModel) {
    let project = new_project();
    let model = ScriptedModel::start(Wire::OpenAi, steps);
    assert_eq!(project.run(&["token", "create", "ada"]).code, Some(0));
    (project, model)
}

/// Waits until the model has so many requests.
fn asked(model: &ScriptedModel, requests: usize) {
    let end = Instant::now() + DEADLINE;
    while model.seen().len() < requests {
        assert!(Instant::now() < end, "no request {requests}");
        std::thread::yield_now();
    }
}

/// The chats in the store.
fn saved(project: &TestProject) -> Vec<Value> {
    let run = project.run(&["chat", "--list", "--json"]);
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.snapshot()))
}

/// The files of turns that were not saved.
fn unsaved(project: &TestProject) -> Vec<Value> {
    let entries = fs::read_dir(project.path(DIRECTORY)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let named = paths.filter(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with("unsaved-") && name.ends_with(".json")
    });
    named
        .map(|path| serde_json::from_slice(&fs::read(path).unwrap()).unwrap())
        .collect()
}

/// The store is locked for 9 s at the end of a turn.
#[test]
fn du16_a_turn_is_tried_again_until_it_is_saved() {
    let (project, model) = project([Step::Say("late")]);
    let holder = Holder::write(&project.path(FILE));
    let mut command = chat(&project, Some(&model), &["-q", "-p", "hello"]);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let child = child.unwrap();
    asked(&model, 1);
    // What is measured here is a time: SQLite waits for 5 s of it.
    std::thread::sleep(Duration::from_secs(9));
    holder.release();
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!(run.code, Some(0), "{}", run.snapshot());
    assert_eq!(run.stdout, "late\n");
    assert_eq!(saved(&project)[0]["turns"], 1);
    assert!(unsaved(&project).is_empty());
}

#[test]
fn du16_a_turn_that_is_not_saved_is_a_failure_and_in_a_file() {
    let (project, model) = project([Step::Say("lost"), Step::Say("lost as well")]);
    let holder = Holder::write(&project.path(FILE));
    let run = Run::of(
        chat(&project, Some(&model), &["-q", "-p", "hello"])
            .output()
            .unwrap(),
    );
    assert_eq!(run.code, Some(1), "{}", run.snapshot());
    assert_eq!(run.stdout, "lost\n");
    assert!(run.stderr.contains("unsaved-"), "{}", run.stderr);
    let files = unsaved(&project);
    assert_eq!(files.len(), 1, "{files:?}");
    assert_eq!(files[0]["messages"][0]["text"], "hello");
    assert_eq!(files[0]["messages"][1]["text"], "lost");
    // A signal in the middle of the first attempt loses nothing either.
    let mut command = chat(&project, Some(&model), &["-p", "again"]);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = ChildGuard(child.unwrap());
    let mut answer = [0; 12];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut answer).unwrap();
    // The answer is there, and its save waits for the lock.
    asked(&model, 2);
    std::thread::sleep(Duration::from_secs(1));
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(unsaved(&project).len(), 2);
    holder.release();
    assert!(saved(&project).is_empty());
}

/// The terminal says that a turn is not saved, saves it later, or writes it to a file at the end.
#[test]
fn du16_a_conversation_saves_later() {
    let (project, model) = project([Step::Say("one"), Step::Say("two")]);
    let mut session = Session::start(&project, Some(&model), &[]);
    let holder = Holder::write(&project.path(FILE));
    session.type_in("first\r");
    session.until("not saved: the store is locked");
    session.until("> ");
    holder.release();
    let end = Instant::now() + DEADLINE;
    while saved(&project).is_empty() {
        assert!(Instant::now() < end, "never saved");
    }
    assert_eq!(saved(&project)[0]["turns"], 1);
    let holder = Holder::write(&project.path(FILE));
    session.type_in("second\r");
    session.until("not saved: the store is locked");
    session.until("> ");
    session.type_in("\u{4}");
    session.until("the last turn is not saved; trying");
    session.interrupt();
    session.until("unsaved-");
    assert_eq!(session.ended(), Some(1));
    holder.release();
    let files = unsaved(&project);
    assert_eq!(files.len(), 1, "{files:?}");
    assert_eq!(
        (&files[0]["after"], &files[0]["messages"][1]["text"]),
        (&json!(2), &json!("two"))
    );
    assert_eq!(saved(&project)[0]["turns"], 1);
}

/// The API says that a turn is not saved, and the server saves it as soon as it can, also while it stops.
#[test]
fn du16_a_server_saves_later_also_while_it_stops() {
    let (project, model) = project(["one", "two", "three"].map(Step::Say));
    configure(&project, &model);
    let server = Server::start(&project, &[]);
    let path = server.chat();
    let holder = Holder::write(&project.path(FILE));
    let events = server.say(&path, "first").until("turn-finished");
    find(&events, "not-saved");
    let shown = server.get(&path);
    assert_eq!(
        (&shown["saved"], &shown["state"]),
        (&json!(false), &json!("idle")),
        "{shown}"
    );
    let last = shown["last_event"].as_str().unwrap().to_owned();
    holder.release();
    server.events(&path, &last).until("saved");
    assert_eq!(server.get(&path)["saved"], true);
    assert_eq!(saved(&project)[0]["turns"], 1);
    // The lock is held while the server stops, and released in time.
    let holder = Holder::write(&project.path(FILE));
    let events = server.say(&path, "second").until("turn-finished");
    find(&events, "not-saved");
    let stopping = std::thread::spawn(move || server.terminate());
    std::thread::sleep(Duration::from_secs(2));
    holder.release();
    let log = stopping.join().unwrap();
    assert!(!log.contains("unsaved-"), "{log}");
    assert_eq!(saved(&project)[0]["turns"], 2);
    // It is never released: the turn is in a file.
    let server = Server::start(&project, &["--drain-seconds", "3"]);
    let holder = Holder::write(&project.path(FILE));
    let events = server.say(&path, "third").until("turn-finished");
    find(&events, "not-saved");
    let log = server.terminate();
    assert!(log.contains("unsaved-"), "{log}");
    holder.release();
    let files = unsaved(&project);
    assert_eq!(files.len(), 1, "{files:?}");
    assert_eq!(files[0]["messages"][1]["text"], "three");
}

/// Runs a script with a small disk for the data of the user; `None` where the kernel refuses.
fn on_small_disk(project: &TestProject, script: &str) -> Option<Run> {
    let unshare = |script: &str| {
        let mut command = Command::new("unshare");
        at_home(&mut command, project.path("home"))
            .args(["--map-root-user", "--mount", "sh", "-euc", script])
            .current_dir(project.root())
            .env("PROWESS", env!("CARGO_BIN_EXE_prowess"));
        Run::of(command.output().unwrap())
    };
    let disk = format!("mkdir -p {DIRECTORY}; mount -t tmpfs -o size=400k tmpfs {DIRECTORY}");
    if unshare(&disk).code != Some(0) {
        eprintln!("not tested: the kernel refuses a file system of its own");
        return None;
    }
    Some(unshare(&format!("{disk}; {script}")))
}

const FILL: &str = "dd if=/dev/zero of=home/.local/share/prowess/full bs=1024 2>/dev/null || true";

/// More than fits: a busy machine may leave a write-ahead log that has room for a short message.
const LONG: &str = "head -c 1000000 /dev/zero | tr '\\0' x";

#[test]
fn du16_a_full_disk_is_said_and_the_turn_saved_when_there_is_room() {
    let project = new_project();
    let script = format!(
        "$PROWESS chat -q -p first; {FILL}
        code=0; {LONG} | $PROWESS chat -q -p second || code=$?; echo code $code
        ls {DIRECTORY}
        rm {DIRECTORY}/full; $PROWESS chat -q -p third; $PROWESS chat --list --json"
    );
    let Some(run) = on_small_disk(&project, &script) else {
        return;
    };
    assert_eq!(run.code, Some(0), "{}", run.snapshot());
    assert!(run.stdout.contains("code 1"), "{}", run.snapshot());
    let says = run.stderr.contains("full") || run.stderr.contains("No space left");
    assert!(says, "{}", run.snapshot());
}

/// Listing needs no write, with a log beside the file and without one.
#[test]
fn du20_chats_are_listed_on_a_full_disk() {
    let project = new_project();
    for checkpoint in [
        "true",
        "python3 -c \"import sqlite3; c = sqlite3.connect('home/.local/share/prowess/prowess.db'); c.execute('PRAGMA wal_checkpoint(TRUNCATE)'); c.close()\"",
    ] {
        let script = format!(
            "$PROWESS chat -q -p first; {checkpoint}; rm -f {DIRECTORY}/*-shm; {FILL}
            $PROWESS chat --list"
        );
        let Some(run) = on_small_disk(&project, &script) else {
            return;
        };
        assert_eq!(run.code, Some(0), "{checkpoint}: {}", run.snapshot());
        assert!(run.stdout.contains("first"), "{}", run.snapshot());
    }
}
