//! Streams that are cut, and continued.

use prowess_server::OnDisconnect;
use prowess_server::limits::LOG_EVENTS;
use prowess_testing::{Random, TestDirectory};
use serde_json::{Value, json};

use crate::setup::{Event, Server, answer, names};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch6_five_hundred_cuts_lose_and_double_nothing() {
    let server = Server::start().await;
    let path = server.chat().await;
    let after = server.say(&path, "say 3000").await;
    let uncut = server
        .events(&path, &after)
        .await
        .until("turn-finished")
        .await;
    assert!(uncut.len() > 3_000);
    let mut random = Random::of_run(18);
    let mut place = after.clone();
    let mut read: Vec<Event> = Vec::new();
    let mut cuts = 0;
    while cuts < 500 {
        if read.len() == uncut.len() {
            assert_eq!(read, uncut);
            (place, read) = (after.clone(), Vec::new());
        }
        let mut stream = server.events(&path, &place).await;
        for _ in 0..=random.below(12) {
            let event = stream.next().await.unwrap();
            place = event.id.clone().unwrap();
            let is_last = event.name == "turn-finished";
            read.push(event);
            if is_last {
                break;
            }
        }
        cuts += 1;
    }
    read.extend(
        server
            .events(&path, &place)
            .await
            .until("turn-finished")
            .await,
    );
    assert_eq!(read, uncut);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch6_cuts_during_a_turn_lose_and_double_nothing() {
    let server = Server::start().await;
    let path = server.chat().await;
    let after = server.get(&path).await.json()["last_event"].clone();
    let mut place = after.as_str().unwrap().to_owned();
    server.say(&path, "say 2000").await;
    let mut random = Random::of_run(81);
    let mut words = String::new();
    'turn: loop {
        let mut stream = server.events(&path, &place).await;
        for _ in 0..=random.below(200) {
            let event = stream.next().await.unwrap();
            place = event.id.clone().unwrap();
            words += event.data["delta"].as_str().unwrap_or_default();
            if event.name == "turn-finished" {
                break 'turn;
            }
        }
    }
    assert_eq!(words, said(2_000));
}

#[tokio::test]
async fn ch7_unknown_places_are_reset() {
    let server = Server::start().await;
    let path = server.chat().await;
    let after = server.say(&path, "say 3").await;
    server
        .events(&path, &after)
        .await
        .until("turn-finished")
        .await;
    let run = after.split('-').next().unwrap();
    for place in [
        "x",
        "",
        "0123456789ab-1",
        &format!("{run}-99999"),
        &format!("{run}-x"),
    ] {
        let events = server.events(&path, place).await.rest().await;
        assert_eq!(names(&events), ["reset"], "{place}");
        assert_eq!(events[0].id, None);
    }
    let target = format!("{path}/events?after=x");
    let events = server.stream("GET", &target, &[], None).await.rest().await;
    assert_eq!(names(&events), ["reset"]);
    // An event that is no longer in memory.
    server.turn(&path, &format!("say {LOG_EVENTS}")).await;
    let events = server.events(&path, &after).await.rest().await;
    assert_eq!(names(&events), ["reset"]);
}

/// So many words.
fn said(count: usize) -> String {
    let words: Vec<String> = (0..count).map(|word| format!("w{word} ")).collect();
    words.concat()
}

/// More events than are in memory: their texts are joined, and a reader can continue within them.
#[tokio::test]
async fn ch7_a_long_running_turn_can_be_loaded_again() {
    let server = Server::start().await;
    let path = server.chat().await;
    let count = 2 * LOG_EVENTS;
    let after = server.say(&path, &format!("say {count} hold")).await;
    let (run, number) = after.split_once('-').unwrap();
    let number: usize = number.parse().unwrap();
    for seen in [0, 1, 500, LOG_EVENTS, count - 1] {
        // The start of the turn and its message come before the words.
        let place = format!("{run}-{}", number + 2 + seen);
        let mut stream = server.events(&path, &place).await;
        let mut words = said(seen);
        while words.len() < said(count).len() {
            words += stream.next().await.unwrap().data["delta"].as_str().unwrap();
        }
        assert_eq!(words, said(count), "{seen}");
    }
    let (chat, mut stream) = page(&server, &path).await;
    assert_eq!(chat["entries"], json!([]));
    server.gate.release();
    let events = stream.until("turn-finished").await;
    assert_eq!(answer(&events), said(count) + "released");
}

/// What a page shows after it was loaded: the entries, then what the events of the running turn say.
async fn page(server: &Server, path: &str) -> (Value, crate::setup::EventStream) {
    let chat = server.get(path).await.json();
    let last = chat["last_event"].as_str().unwrap().to_owned();
    let target = format!("{path}/events?after={last}");
    let stream = server.stream("GET", &target, &[], None).await;
    (chat, stream)
}

#[tokio::test]
async fn ch8_a_page_that_is_loaded_again_shows_the_running_turn() {
    let server = Server::start().await;
    let path = server.chat().await;
    server.turn(&path, "say 1").await;
    let after = server.say(&path, "hold").await;
    let mut first = server.events(&path, &after).await;
    while first.next().await.unwrap().data["delta"] != "w2 " {}
    let (chat, mut stream) = page(&server, &path).await;
    assert_eq!(
        (&chat["state"], &chat["turn"]),
        (&json!("running"), &json!(2))
    );
    assert_eq!(chat["entries"].as_array().unwrap().len(), 2);
    server.gate.release();
    let events = stream.until("turn-finished").await;
    assert_eq!(&names(&events)[..2], ["turn-started", "user-message"]);
    assert_eq!(answer(&events), "w0 w1 w2 released");
    // After it, the turn is an entry and no event.
    let (chat, mut stream) = page(&server, &path).await;
    assert_eq!(chat["entries"].as_array().unwrap().len(), 4);
    server.say(&path, "say 1").await;
    assert_eq!(stream.next().await.unwrap().data["turn"], 3);
}

#[tokio::test]
async fn ch8_a_chat_that_is_not_in_use_can_be_followed() {
    let server = Server::start().await;
    let path = server.chat().await;
    let chat = server.get(&path).await.json();
    // Events of another chat come between.
    server.turn(&server.chat().await, "say 5").await;
    let mut stream = server
        .events(&path, chat["last_event"].as_str().unwrap())
        .await;
    server.say(&path, "say 1").await;
    assert_eq!(answer(&stream.until("turn-finished").await), "w0 ");
}

#[tokio::test]
async fn ch14_chats_survive_a_restart() {
    let directory = TestDirectory::new();
    let server = Server::over(directory.root(), OnDisconnect::Finish).await;
    let (path, empty) = (server.chat().await, server.chat().await);
    let events = server.turn(&path, "say 2").await;
    let last = events.last().unwrap().id.clone().unwrap();
    server.stop().await;
    let server = Server::over(directory.root(), OnDisconnect::Finish).await;
    let events = server.events(&path, &last).await.rest().await;
    assert_eq!(names(&events), ["reset"]);
    let chat = server.get(&path).await.json();
    assert_eq!(chat["entries"].as_array().unwrap().len(), 2);
    let mut stream = server
        .events(&path, chat["last_event"].as_str().unwrap())
        .await;
    server.say(&path, "say 1").await;
    assert_eq!(
        stream.until("turn-finished").await.last().unwrap().data["turn"],
        2
    );
    assert_eq!(answer(&server.turn(&empty, "say 1").await), "w0 ");
}
