//! Limits, and the end of the server.

use std::sync::atomic::Ordering;
use std::time::Duration;

use prowess_server::limits::{CHAT_IDLE, CONNECTION, CONNECTIONS, OPEN_CHATS, TURNS};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::setup::{DEADLINE, Server, names};

#[tokio::test]
async fn ch16_the_number_of_running_turns_is_bounded() {
    let server = Server::start().await;
    let mut held = Vec::new();
    for _ in 0..TURNS {
        let path = server.chat().await;
        held.push((server.say(&path, "hold").await, path));
    }
    let path = server.chat().await;
    let messages = format!("{path}/messages");
    let refused = server.post(&messages, &json!({"text": "say 1"})).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (503, "unavailable")
    );
    assert_eq!(
        refused.message(),
        "too many turns are running; try again later"
    );
    // As soon as one has ended, another can start.
    let (after, ended) = &held[0];
    server.post(&format!("{ended}/cancel"), &json!({})).await;
    server
        .events(ended, after)
        .await
        .until("turn-finished")
        .await;
    assert_eq!(
        server.turn(&path, "say 1").await.last().unwrap().name,
        "turn-finished"
    );
}

/// Streams that nothing happens on leave room for other requests.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch16_a_thousand_idle_streams_and_other_requests() {
    let server = Server::start().await;
    let path = server.chat().await;
    let mut streams = Vec::new();
    for _ in 0..1_000 {
        streams.push(
            server
                .stream("GET", &format!("{path}/events"), &[], None)
                .await,
        );
    }
    // Idle connections fill the places of others.
    let mut idle = Vec::new();
    for _ in 0..CONNECTIONS + 10 {
        idle.push(TcpStream::connect(server.address).await.unwrap());
    }
    server.say(&path, "say 3").await;
    let first = streams[0].until("turn-finished").await;
    assert_eq!(names(&first).len(), 8);
    for stream in &mut streams[1..] {
        assert_eq!(stream.until("turn-finished").await, first);
    }
}

#[tokio::test]
async fn ch17_streams_end_after_running_turns_got_their_time() {
    let server = Server::start().await;
    let (path, quiet) = (server.chat().await, server.chat().await);
    let after = server.say(&path, "hold").await;
    let running = server.events(&path, &after).await;
    let idle = server
        .stream("GET", &format!("{quiet}/events"), &[], None)
        .await;
    let chats = server.chats.clone();
    let closing = tokio::spawn(async move { chats.close(DEADLINE).await });
    loop {
        let messages = format!("{quiet}/messages");
        let refused = server.post(&messages, &json!({"text": "say 1"})).await;
        if refused.status == 503 {
            assert_eq!(refused.message(), "the server is stopping; try again later");
            break;
        }
    }
    assert!(!closing.is_finished());
    server.gate.release();
    let events = running.rest().await;
    assert_eq!(events.last().unwrap().data["ending"], "answered");
    idle.rest().await;
    timeout(DEADLINE, closing).await.unwrap().unwrap();
}

#[tokio::test]
async fn ch17_a_turn_that_takes_too_long_is_cancelled_and_saved() {
    let server = Server::start().await;
    let path = server.chat().await;
    let after = server.say(&path, "hold").await;
    let mut stream = server.events(&path, &after).await;
    while stream.next().await.unwrap().data["delta"] != "w2 " {}
    server.chats.close(Duration::ZERO).await;
    let rest = stream.rest().await;
    assert_eq!(rest.last().unwrap().data["ending"], "cancelled");
    let chat = server.get(&path).await.json();
    assert_eq!(chat["entries"][1]["cut"], "cancelled");
}

#[tokio::test]
async fn ch16_the_longest_idle_chat_makes_room_for_another() {
    let server = Server::start().await;
    let mut paths = Vec::new();
    for _ in 0..OPEN_CHATS + 3 {
        let path = server.chat().await;
        server.turn(&path, "say 1").await;
        paths.push(path);
    }
    // Those that were closed are opened again, the others still are open.
    for (index, built) in [(0, 1), (OPEN_CHATS + 2, 0)] {
        let before = server.agents.load(Ordering::SeqCst);
        let turn = server.turn(&paths[index], "say 1").await;
        assert_eq!(turn.last().unwrap().data["turn"], 2);
        assert_eq!(
            server.agents.load(Ordering::SeqCst) - before,
            built,
            "{index}"
        );
    }
}

/// The clock is stopped, so that time passes as soon as nothing else happens.
#[tokio::test]
async fn ch16_an_idle_chat_is_closed_and_its_streams_stay() {
    let server = Server::start().await;
    let path = server.chat().await;
    let events = server.turn(&path, "say 1").await;
    let last = events.last().unwrap().id.clone().unwrap();
    let mut stream = server.events(&path, &last).await;
    tokio::time::pause();
    assert!(stream.heartbeat().await);
    tokio::time::sleep(CHAT_IDLE + CONNECTION).await;
    tokio::time::resume();
    server.say(&path, "say 2").await;
    let events = stream.until("turn-finished").await;
    assert_eq!(events.last().unwrap().data["turn"], 2);
    assert_eq!(server.agents.load(Ordering::SeqCst), 2);
}

/// A client that asks for a stream and sends the next request on the same connection.
#[tokio::test]
async fn ch16_a_connection_can_be_used_after_the_stream_of_a_turn() {
    let server = Server::start().await;
    let path = server.chat().await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let (address, token) = (server.address, &server.tokens[0]);
    let body = json!({"text": "say 1"}).to_string();
    let length = body.len();
    let request = format!(
        "POST {path}/messages HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\naccept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}\
         GET /healthz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    let read = stream.read_to_string(&mut text);
    timeout(DEADLINE, read).await.unwrap().unwrap();
    assert!(
        text.contains("turn-finished") && text.contains("\"status\""),
        "{text}"
    );
}
