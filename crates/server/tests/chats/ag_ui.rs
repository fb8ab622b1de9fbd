//! The form of the AG-UI protocol.

use serde_json::{Value, json};

use crate::setup::{Event, Server};

const ACCEPT: &str = "accept: text/event-stream; profile=ag-ui";

fn types(events: &[Event]) -> Vec<&str> {
    let types = events.iter().map(|it| it.data["type"].as_str().unwrap());
    types.collect()
}

#[tokio::test]
async fn ch15_reasoning_and_endings_have_the_names_of_the_protocol() {
    let server = Server::start().await;
    let path = server.chat().await;
    let id = path.rsplit('/').next().unwrap();
    let target = format!("{path}/ag-ui");
    let run = async |text: &str| {
        let content = json!([{"type": "text", "text": text}]);
        let messages = json!([{"id": "1", "role": "user", "content": content}]);
        let input = json!({"threadId": id, "runId": "r1", "messages": messages, "tools": [], "context": [], "state": {}});
        server
            .stream("POST", &target, &[], Some(&input))
            .await
            .rest()
            .await
    };
    let events = run("think").await;
    let expected = [
        "RUN_STARTED",
        "CUSTOM",
        "REASONING_START",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        "REASONING_END",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_CONTENT",
        "CUSTOM",
        "TEXT_MESSAGE_END",
        "RUN_FINISHED",
    ];
    assert_eq!(types(&events), expected);
    assert_eq!(
        events[0].data,
        json!({"type": "RUN_STARTED", "threadId": id, "runId": "r1"})
    );
    let finished = &events.last().unwrap().data;
    assert_eq!(finished["outcome"], json!({"type": "success"}));
    let failed = run("fail").await.pop().unwrap().data;
    assert_eq!(
        (&failed["type"], &failed["code"]),
        (&json!("RUN_ERROR"), &json!("failed"))
    );
    assert!(failed["message"].as_str().unwrap().contains("down"));
}

/// A stream that is cut after any event is continued as if it was not.
#[tokio::test]
async fn ch15_streams_are_continued() {
    let server = Server::start().await;
    let path = server.chat().await;
    let events = format!("{path}/events");
    let read = async |after: &str| -> Vec<Event> {
        let place = format!("last-event-id: {after}");
        let mut stream = server.stream("GET", &events, &[ACCEPT, &place], None).await;
        let mut read = Vec::new();
        loop {
            let event = stream.next().await.unwrap();
            let is_last = event.data["type"] == "RUN_FINISHED";
            read.push(event);
            if is_last {
                return read;
            }
        }
    };
    let mut cuts = 0;
    for text in ["load", "think"] {
        let after = server.say(&path, text).await;
        let whole = read(&after).await;
        for (index, event) in whole.iter().enumerate() {
            if event.data["type"] == "RUN_FINISHED" {
                break;
            }
            if let Some(id) = &event.id {
                assert_eq!(read(id).await, whole[index + 1..], "{text} {index}");
                cuts += 1;
            }
        }
    }
    assert!(cuts > 15, "{cuts}");
    let unknown = server
        .stream("GET", &events, &[ACCEPT, "last-event-id: x"], None)
        .await;
    let reset: Vec<Value> = unknown.rest().await.into_iter().map(|it| it.data).collect();
    assert_eq!((reset.len(), &reset[0]["code"]), (1, &json!("reset")));
}
