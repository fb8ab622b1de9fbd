//! Saved chats: creating, listing, changing and deleting them.

use serde_json::{Value, json};

use crate::client::{Response, send};
use crate::setup::{Server, accepted, names};

#[tokio::test]
async fn ch1_the_model_is_named() {
    let server = Server::start().await;
    let model = server.get("/api/model").await;
    assert_eq!(model.status, 200);
    assert_eq!(
        model.json(),
        json!({"name": "words", "demo": false, "hint": null})
    );
}

#[tokio::test]
async fn ch2_every_route_needs_the_scope_chat() {
    let server = Server::start().await;
    let chat = server.chat().await;
    let ask = async |method: &str, target: &str, token: Option<&str>| -> Response {
        let token = token.map(|it| format!("authorization: Bearer {it}\r\n"));
        let (address, token) = (server.address, token.unwrap_or_default());
        let request = format!(
            "{method} {target} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n{token}content-length: 0\r\n\r\n"
        );
        send(address, request.as_bytes()).await
    };
    let [own, read, write] = &server.tokens;
    for (method, path) in [
        ("GET", "/api/model"),
        ("GET", "/api/chats"),
        ("POST", "/api/chats"),
        ("GET", &chat),
        ("PATCH", &chat),
        ("DELETE", &chat),
        ("GET", &format!("{chat}/events")),
        ("POST", &format!("{chat}/messages")),
        ("POST", &format!("{chat}/fork")),
        ("POST", &format!("{chat}/undo")),
        ("POST", &format!("{chat}/cancel")),
        ("POST", &format!("{chat}/ag-ui")),
        ("POST", &format!("{chat}/questions/q")),
    ] {
        assert_eq!(ask(method, path, None).await.status, 401, "{method} {path}");
        for other in [read, write] {
            let refused = ask(method, path, Some(other)).await;
            assert_eq!(refused.status, 403, "{method} {path}");
            assert_eq!(refused.code(), "insufficient-scope");
        }
    }
    // It allows what every client may do, and nothing else.
    assert_eq!(ask("GET", "/api/skills", Some(own)).await.status, 200);
    assert_eq!(ask("GET", "/api/skills", Some(read)).await.status, 200);
    assert_eq!(ask("POST", "/api/skills", Some(own)).await.status, 403);
    assert_eq!(ask("PUT", &chat, Some(own)).await.status, 405);
}

#[tokio::test]
async fn ch3_chats_are_created_listed_renamed_and_deleted() {
    let server = Server::start().await;
    let created = server
        .post("/api/chats", &json!({"active": ["haiku"]}))
        .await;
    assert_eq!(created.status, 201);
    let path = created.header("location").unwrap().to_owned();
    let chat = created.json();
    assert_eq!(path, format!("/api/chats/{}", chat["id"].as_str().unwrap()));
    assert_eq!(chat["active"], json!(["haiku"]));
    assert_eq!(
        (&chat["state"], &chat["entries"]),
        (&json!("idle"), &json!([]))
    );
    // It is listed from its first turn on, which activates its skills.
    assert_eq!(server.get("/api/chats").await.json()["chats"], json!([]));
    let turn = server.turn(&path, "say 2").await;
    let loaded = turn.iter().find(|it| it.name == "skill-loaded").unwrap();
    assert_eq!(loaded.data["id"], "haiku");
    let chat = server.get(&path).await.json();
    assert_eq!(chat["title"], "say 2");
    assert_eq!(chat["turns"], 1);
    assert_eq!(
        chat["entries"][1],
        json!({"role": "model", "text": "w0 w1 "})
    );
    assert_eq!(chat["active"], json!(["haiku"]));

    let renamed = server
        .send("PATCH", &path, &json!({"title": " My chat "}))
        .await;
    assert_eq!(
        (renamed.status, &renamed.json()["title"]),
        (200, &json!("My chat"))
    );
    for title in ["", " ", "a\nb", &"x".repeat(201)] {
        let refused = server.send("PATCH", &path, &json!({"title": title})).await;
        assert_eq!(
            (refused.status, refused.code().as_str()),
            (400, "invalid-request")
        );
    }
    assert_eq!(
        server.get("/api/chats").await.json()["chats"][0]["title"],
        "My chat"
    );
    assert_eq!(server.send("DELETE", &path, &json!({})).await.status, 204);
    for (method, target) in [
        ("GET", path.clone()),
        ("DELETE", path.clone()),
        ("POST", format!("{path}/cancel")),
        ("POST", format!("{path}/fork")),
        ("POST", format!("{path}/undo")),
        ("GET", format!("{path}/events")),
    ] {
        let gone = server.send(method, &target, &json!({})).await;
        assert_eq!(
            (gone.status, gone.code().as_str()),
            (404, "chat-not-found"),
            "{target}"
        );
    }
    let gone = server
        .post(&format!("{path}/messages"), &json!({"text": "a"}))
        .await;
    assert_eq!(gone.status, 404);
    let unknown = server
        .post("/api/chats", &json!({"active": ["haikou"]}))
        .await;
    assert_eq!(
        (unknown.status, unknown.code().as_str()),
        (404, "skill-not-found")
    );
    let wrong = server.post("/api/chats", &json!({"actve": []})).await;
    assert_eq!(
        (wrong.status, wrong.code().as_str()),
        (400, "invalid-request")
    );
}

/// The user may have closed the page while a skill waits for an answer.
#[tokio::test]
async fn ch3_a_chat_in_its_first_turn_is_listed() {
    let server = Server::start().await;
    let path = server.chat().await;
    assert_eq!(server.get("/api/chats").await.json()["chats"], json!([]));
    let after = server.say(&path, "hold").await;
    let mut stream = server.events(&path, &after).await;
    stream.until("text").await;
    let listed = server.get("/api/chats").await.json();
    let id = listed["chats"][0]["id"].as_str().unwrap();
    assert_eq!(path, format!("/api/chats/{id}"));
    assert_eq!(listed["chats"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn ch3_a_title_before_the_first_turn_stays() {
    let server = Server::start().await;
    let path = server.chat().await;
    server
        .send("PATCH", &path, &json!({"title": "Plans"}))
        .await;
    server.turn(&path, "say 1").await;
    assert_eq!(server.get(&path).await.json()["title"], "Plans");
}

#[tokio::test]
async fn ch3_lists_have_pages() {
    let server = Server::start().await;
    let mut expected = Vec::new();
    for number in 0..7 {
        let path = server.chat().await;
        server.turn(&path, &format!("say {number}")).await;
        expected.push(path.rsplit('/').next().unwrap().to_owned());
    }
    let (mut found, mut pages) = (Vec::new(), 0);
    let mut target = "/api/chats?limit=3".to_owned();
    loop {
        let page = server.get(&target).await.json();
        let chats = page["chats"].as_array().unwrap().iter();
        found.extend(chats.map(|it| it["id"].as_str().unwrap().to_owned()));
        pages += 1;
        match &page["next"] {
            Value::String(next) => target = format!("/api/chats?limit=3&before={next}"),
            _ => break,
        }
    }
    found.sort();
    expected.sort();
    assert_eq!((found, pages), (expected, 3));
    let wrong = server.get("/api/chats?before=x").await;
    assert_eq!(
        (wrong.status, wrong.code().as_str()),
        (400, "invalid-request")
    );
    assert_eq!(server.get("/api/chats?limit=x").await.status, 400);
}

#[tokio::test]
async fn ch12_fork_and_undo() {
    let server = Server::start().await;
    let path = server.chat().await;
    let nothing = server.post(&format!("{path}/undo"), &json!({})).await;
    assert_eq!((nothing.status, nothing.code().as_str()), (409, "no-turn"));
    server.turn(&path, "say 1").await;
    server.turn(&path, "say 2").await;
    let forked = server.post(&format!("{path}/fork"), &json!({})).await;
    assert_eq!(forked.status, 201);
    let fork = forked.header("location").unwrap().to_owned();
    assert_ne!(fork, path);
    assert_eq!(forked.json()["turns"], 2);

    let after = server.get(&path).await.json()["last_event"].clone();
    let mut other = server.events(&path, after.as_str().unwrap()).await;
    let undone = server.post(&format!("{path}/undo"), &json!({})).await;
    assert_eq!(
        (undone.status, undone.json()),
        (200, json!({"text": "say 2"}))
    );
    // Other clients hear of it.
    assert_eq!(other.next().await.unwrap().name, "chat-changed");
    let entries = |chat: Value| chat["entries"].as_array().unwrap().len();
    assert_eq!(entries(server.get(&path).await.json()), 2);
    assert_eq!(entries(server.get(&fork).await.json()), 4);
    let turn = server.turn(&path, "say 3").await;
    assert_eq!(turn.last().unwrap().data["turn"], 2);

    server.say(&path, "hold").await;
    let busy = server.post(&format!("{path}/undo"), &json!({})).await;
    assert_eq!((busy.status, busy.code().as_str()), (409, "turn-running"));
}

#[tokio::test]
async fn ch13_deleting_ends_a_running_turn_and_its_streams() {
    let server = Server::start().await;
    let path = server.chat().await;
    server.turn(&path, "say 1").await;
    let after = server.say(&path, "hold").await;
    let mut stream = server.events(&path, &after).await;
    stream.until("text").await;
    assert_eq!(server.send("DELETE", &path, &json!({})).await.status, 204);
    let rest = stream.rest().await;
    assert_eq!(names(&rest).last(), Some(&"chat-deleted"), "{rest:?}");
    assert_eq!(server.get(&path).await.status, 404);
    assert_eq!(server.get("/api/chats").await.json()["chats"], json!([]));
}

#[tokio::test]
async fn sv20_a_revoked_token_ends_its_streams() {
    let mut server = Server::start().await;
    let chat = server.chat().await;
    let after = server.get(&chat).await.json()["last_event"].clone();
    let stream = server.events(&chat, after.as_str().unwrap()).await;
    // Another secret for the same chats.
    let (secret, token) = accepted("chat", "chat");
    server.table.replace([token]);
    server.tokens[0] = secret;
    let events = server.turn(&chat, "hello").await;
    assert!(!events.is_empty());
    assert_eq!(stream.rest().await, []);
}
