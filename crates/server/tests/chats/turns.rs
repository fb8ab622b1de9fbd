//! Turns and their events.

use prowess_server::OnDisconnect;
use prowess_testing::TestDirectory;
use serde_json::json;

use crate::setup::{Server, answer, names};

#[tokio::test]
async fn ch4_a_message_starts_a_turn() {
    let server = Server::start().await;
    let path = server.chat().await;
    let messages = format!("{path}/messages");
    let started = server.post(&messages, &json!({"text": "hold"})).await;
    assert_eq!(started.status, 202);
    assert_eq!(started.json()["turn"], 1);
    let after = started.json()["after"].as_str().unwrap().to_owned();
    let busy = server.post(&messages, &json!({"text": "more"})).await;
    assert_eq!((busy.status, busy.code().as_str()), (409, "turn-running"));
    assert_eq!(server.get(&path).await.json()["state"], "running");
    server.gate.release();
    let events = server
        .events(&path, &after)
        .await
        .until("turn-finished")
        .await;
    assert_eq!(answer(&events), "w0 w1 w2 released");
    assert_eq!(server.get(&path).await.json()["state"], "idle");
    for (body, status) in [
        (json!({"text": " "}), 400),
        (json!({}), 400),
        (json!({"text": "a", "on_disconnect": "explode"}), 400),
        (json!({"text": "a", "more": 1}), 400),
        (json!({"text": "", "references": ["haiku"]}), 202),
    ] {
        let refused = server.post(&messages, &body).await;
        assert_eq!(refused.status, status, "{body} {}", refused.text());
    }
}

#[tokio::test]
async fn ch4_the_response_can_be_the_stream_of_the_turn() {
    let server = Server::start().await;
    let path = server.chat().await;
    let messages = format!("{path}/messages");
    let body = json!({"text": "load"});
    let accept = ["accept: text/event-stream"];
    let stream = server.stream("POST", &messages, &accept, Some(&body)).await;
    let events = stream.rest().await;
    assert_eq!(
        names(&events),
        [
            "turn-started",
            "user-message",
            "text",
            "tool-started",
            "skill-loaded",
            "tool-finished",
            "notice",
            "text",
            "text",
            "text",
            "usage",
            "done",
            "turn-finished",
        ]
    );
    assert!(
        events
            .iter()
            .all(|it| it.data["turn"] == 1 && it.data["type"] == it.name.as_str())
    );
    let finished = &events.last().unwrap().data;
    assert_eq!(finished["ending"], "answered");
    assert_eq!(finished["discarded"], false);
    assert_eq!(events[1].data["text"], "load");
    assert_eq!(server.get(&path).await.json()["active"], json!(["haiku"]));
}

#[tokio::test]
async fn ch5_two_readers_see_the_same() {
    let server = Server::start().await;
    let path = server.chat().await;
    let after = server.get(&path).await.json()["last_event"].clone();
    let mut first = server.events(&path, after.as_str().unwrap()).await;
    let mut second = server
        .stream("GET", &format!("{path}/events"), &[], None)
        .await;
    server.say(&path, "think").await;
    let seen = first.until("turn-finished").await;
    assert_eq!(second.until("turn-finished").await, seen);
    assert_eq!(
        seen[2].data,
        json!({"type": "reasoning", "delta": "hm", "turn": 1})
    );
    // Both stay connected.
    server.say(&path, "say 1").await;
    assert_eq!(
        first.until("turn-finished").await,
        second.until("turn-finished").await
    );
}

#[tokio::test]
async fn ch5_a_failure_discards_the_turn() {
    let server = Server::start().await;
    let path = server.chat().await;
    let events = server.turn(&path, "fail").await;
    let failed = events.iter().find(|it| it.name == "failed").unwrap();
    assert!(failed.data["reason"].as_str().unwrap().contains("down"));
    let finished = &events.last().unwrap().data;
    assert_eq!(
        (&finished["ending"], &finished["discarded"]),
        (&json!("failed"), &json!(true))
    );
    assert_eq!(server.get(&path).await.json()["entries"], json!([]));
    assert_eq!(answer(&server.turn(&path, "say 1").await), "w0 ");
    // The skills of a new chat are those of the first turn that counts.
    let created = server
        .post("/api/chats", &json!({"active": ["haiku"]}))
        .await;
    let path = created.header("location").unwrap();
    server.turn(path, "fail").await;
    let turn = server.turn(path, "say 1").await;
    assert!(names(&turn).contains(&"skill-loaded"), "{turn:?}");
}

#[tokio::test]
async fn ch9_a_turn_is_cancelled() {
    let server = Server::start().await;
    let path = server.chat().await;
    let cancel = format!("{path}/cancel");
    // Without a turn nothing happens.
    assert_eq!(server.post(&cancel, &json!({})).await.status, 204);
    let after = server.say(&path, "hold").await;
    let mut stream = server.events(&path, &after).await;
    while stream.next().await.unwrap().data["delta"] != "w2 " {}
    assert_eq!(server.post(&cancel, &json!({})).await.status, 204);
    let finished = stream.until("turn-finished").await.pop().unwrap();
    assert_eq!(finished.data["ending"], "cancelled");
    let entry = server.get(&path).await.json()["entries"][1].clone();
    assert_eq!(
        entry,
        json!({"role": "model", "text": "w0 w1 w2 ", "cut": "cancelled"})
    );
}

#[tokio::test]
async fn ch11_a_turn_survives_its_client() {
    let server = Server::start().await;
    let path = server.chat().await;
    let after = server.say(&path, "hold").await;
    let mut stream = server.events(&path, &after).await;
    stream.until("text").await;
    drop(stream);
    server.gate.release();
    let events = server
        .events(&path, &after)
        .await
        .until("turn-finished")
        .await;
    assert_eq!(events.last().unwrap().data["ending"], "answered");
    assert_eq!(answer(&events), "w0 w1 w2 released");
}

#[tokio::test]
async fn ch11_a_turn_can_end_with_its_last_client() {
    let directory = TestDirectory::new();
    for (default, stated) in [
        (OnDisconnect::Cancel, json!({"text": "hold"})),
        (
            OnDisconnect::Finish,
            json!({"text": "hold", "on_disconnect": "cancel"}),
        ),
    ] {
        let server = Server::over(directory.root(), default).await;
        let path = server.chat().await;
        let accept = ["accept: text/event-stream"];
        let messages = format!("{path}/messages");
        let mut first = server
            .stream("POST", &messages, &accept, Some(&stated))
            .await;
        let started = first.next().await.unwrap().id.unwrap();
        let mut second = server.events(&path, &started).await;
        first.until("text").await;
        second.until("text").await;
        // The turn has another client.
        drop(first);
        assert_eq!(server.get(&path).await.json()["state"], "running");
        drop(second);
        let mut state = json!("running");
        while state != "idle" {
            state = server.get(&path).await.json()["state"].clone();
        }
        let events = server
            .events(&path, &started)
            .await
            .until("turn-finished")
            .await;
        assert_eq!(events.last().unwrap().data["ending"], "cancelled");
        server.stop().await;
    }
}
