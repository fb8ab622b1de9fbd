//! Questions to the user of a chat.

use prowess_testing::model::{ScriptedModel, Step, Wire, call};
use serde_json::{Value, json};

use crate::server::{Server, TOKEN, configure, find};
use crate::support::TestProject;

/// A project with a skill whose tool leaves a file, and a model that calls it.
fn project(steps: impl IntoIterator<Item = Step>) -> (TestProject, ScriptedModel) {
    let project = TestProject::new();
    let code = "def run(input):\n    write_file('ran.txt', 'yes')\n    return 'sunny'\n\nregister_tool('get_forecast', 'Tells the weather', run)\n";
    project
        .write(
            ".agents/skills/weather/SKILL.md",
            "---\nname: weather\ndescription: Knows the weather\n---\nAsk the tool.\n",
        )
        .write(
            ".agents/skills/weather/SKILL.yaml",
            "name: weather\nversion: 1.0.0\ndescription: Knows the weather\ntypes: [tool]\npermissions: [\"file:write\"]\ntriggers:\n  modes: [interactive]\nimplementation:\n  backend: starlark\n  entrypoint: skill.star\n",
        )
        .write(".agents/skills/weather/skill.star", code)
        .write(".git/HEAD", "ref: refs/heads/main\n");
    let model = ScriptedModel::start(Wire::OpenAi, steps);
    configure(&project, &model);
    (project, model)
}

fn forecast() -> Step {
    call("get_forecast", &json!({}))
}

fn ids(question: &Value) -> Vec<&str> {
    let choices = question["choices"].as_array().unwrap().iter();
    choices.map(|it| it["id"].as_str().unwrap()).collect()
}

#[test]
fn ch10_an_answer_over_http_runs_the_code_of_a_skill() {
    let (project, model) = project([
        forecast(),
        Step::Say("sunny"),
        forecast(),
        Step::Say("again"),
    ]);
    let server = Server::start(&project, &[]);
    let chat = server.chat();
    let mut events = server.say(&chat, "the forecast, please");
    let question = events.until("question").pop().unwrap();
    assert_eq!(
        (&question["kind"], &question["skill"]),
        (&json!("skill"), &json!("weather"))
    );
    let text = question["text"].as_str().unwrap();
    assert!(
        text.starts_with("The skill `weather` 1.0.0 wants to:\n  run "),
        "{text}"
    );
    assert!(
        question["details"]
            .as_str()
            .unwrap()
            .contains("register_tool")
    );
    assert_eq!(ids(&question), ["deny", "once", "always"]);
    let shown = server.get(&chat);
    assert_eq!(shown["state"], "waiting");
    assert_eq!(shown["questions"][0]["id"], question["id"]);
    assert!(!project.path("ran.txt").exists());

    let answers = format!("{chat}/questions");
    let id = question["id"].as_str().unwrap();
    let answer = |id: &str, choice: &str| {
        let (status, body) = server.post(&format!("{answers}/{id}"), &json!({"choice": choice}));
        (status, body["code"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(
        answer("0011", "once"),
        (404, "question-not-found".to_owned())
    );
    assert_eq!(
        answer(id, "everywhere"),
        (400, "invalid-request".to_owned())
    );
    assert_eq!(answer(id, "yes"), (400, "invalid-request".to_owned()));
    assert_eq!(answer(id, "once"), (204, String::new()));
    assert_eq!(answer(id, "deny"), (409, "question-closed".to_owned()));
    let rest: Vec<Value> = events.collect();
    let answered = find(&rest, "question-answered");
    assert_eq!(
        (&answered["choice"], &answered["reason"]),
        (&json!("once"), &json!("answered"))
    );
    assert_eq!(find(&rest, "tool-finished")["is_error"], false, "{rest:#?}");
    assert_eq!(project.read("ran.txt"), "yes");
    assert_eq!(model.last().results(), ["sunny"]);

    // The approval was for this chat: another one asks again.
    let mut other = server.say(&server.chat(), "the forecast, please");
    other.until("question");
}

/// A stored token with these scopes.
fn token(project: &TestProject, scopes: &str) -> String {
    let created = project.run(&["token", "create", scopes, "--scope", scopes, "--json"]);
    created.json()["token"].as_str().unwrap().to_owned()
}

#[test]
fn q36_no_token_allows_code_without_the_scope_for_it() {
    let (project, _model) = project(["one", "two", "three", "four", "five", "six"].map(Step::Say));
    let denied = ["chat", "admin", "read,write,chat,publish,yank,admin"];
    let denied = denied.map(|scopes| token(&project, scopes));
    let allowed = token(&project, "chat,approve");
    let mut server = Server::start(&project, &[]);
    let console = server.token.clone();
    for token in [TOKEN.to_owned()].into_iter().chain(denied) {
        server.token = token;
        let chat = server.chat();
        let mut events = server.say(&chat, "the forecast, please");
        let question = events.until("question").pop().unwrap();
        let path = format!("{chat}/questions/{}", question["id"].as_str().unwrap());
        for choice in ["once", "always", "everywhere", "yes"] {
            let (status, body) = server.post(&path, &json!({"choice": choice}));
            assert_eq!((status, &body["code"]), (403, &json!("insufficient-scope")));
            assert!(
                body["detail"].as_str().unwrap().contains("`approve`"),
                "{body}"
            );
        }
        assert_eq!(server.get(&chat)["questions"][0]["id"], question["id"]);
        // To trust a project starts programs, too.
        let (status, body) = server.post("/api/trust", &json!({"digest": "sha256:0"}));
        assert_eq!((status, &body["code"]), (403, &json!("insufficient-scope")));
        assert_eq!(server.post(&path, &json!({"choice": "deny"})).0, 204);
        let rest = events.until("turn-finished");
        find(&rest, "activation-failed");
    }
    for allowed in [console, allowed] {
        server.token = allowed;
        let chat = server.chat();
        let mut events = server.say(&chat, "the forecast, please");
        let question = events.until("question").pop().unwrap();
        let path = format!("{chat}/questions/{}", question["id"].as_str().unwrap());
        assert_eq!(server.post(&path, &json!({"choice": "once"})).0, 204);
        events.until("turn-finished");
    }
}

#[test]
fn q36_a_command_outside_of_the_sandbox_needs_the_scope_for_it() {
    let project = TestProject::new();
    project.write("work/.git/HEAD", "ref: refs/heads/main\n");
    let command = json!({"command": ["touch", "ran.txt"], "reach": "unconfined"});
    let steps = [
        call("load_skill", &json!({"id": "core-tools"})),
        call("run_command", &command),
        Step::Say("done"),
    ];
    let model = ScriptedModel::start(Wire::OpenAi, steps);
    configure(&project, &model);
    let mut server = Server::start_in(&project, "work", &[]);
    let chat = server.chat();
    let mut events = server.say(&chat, "touch it");
    let answer = |server: &Server, question: &Value, choice: &str| {
        let path = format!("{chat}/questions/{}", question["id"].as_str().unwrap());
        server.post(&path, &json!({"choice": choice})).0
    };
    let skill = events.until("question").pop().unwrap();
    assert_eq!(answer(&server, &skill, "once"), 204);
    let command = events.until("question").pop().unwrap();
    assert_eq!(command["kind"], "command");
    server.token = TOKEN.to_owned();
    for choice in ["once", "always", "program"] {
        assert_eq!(answer(&server, &command, choice), 403);
    }
    assert_eq!(answer(&server, &command, "deny"), 204);
    events.until("turn-finished");
    assert!(!project.path("work/ran.txt").exists());
}

#[test]
fn q47_a_chat_is_of_the_token_that_made_it() {
    let project = TestProject::new();
    let model = ScriptedModel::start(Wire::OpenAi, ["one", "two", "three"].map(Step::Say));
    configure(&project, &model);
    let names = ["chat", "chat,approve", "admin"];
    let [own, other, admin] = names.map(|scopes| token(&project, scopes));
    let mut server = Server::start(&project, &[]);
    let console = server.token.clone();
    server.token.clone_from(&own);
    let chat = server.chat();
    server.say(&chat, "hello").until("turn-finished");
    let (status, fork) = server.post(&format!("{chat}/fork"), &json!({}));
    assert_eq!(status, 201);
    let fork = format!("/api/chats/{}", fork["id"].as_str().unwrap());
    let requests = |chat: &str| {
        let at = |rest: &str| format!("{chat}{rest}");
        [
            ("GET", at("")),
            ("PATCH", at("")),
            ("GET", at("/events")),
            ("POST", at("/messages")),
            ("POST", at("/ag-ui")),
            ("POST", at("/cancel")),
            ("POST", at("/undo")),
            ("POST", at("/fork")),
            ("POST", at("/questions/0011")),
            ("DELETE", at("")),
        ]
    };
    let listed = |server: &Server| -> Vec<String> {
        let list = server.get("/api/chats")["chats"].clone();
        let chats = list.as_array().unwrap().iter();
        chats
            .map(|chat| format!("/api/chats/{}", chat["id"].as_str().unwrap()))
            .collect()
    };
    let body = json!({"text": "x", "title": "x", "choice": "deny"});
    let refuses = |server: &Server, chat: &str| {
        for (method, path) in requests(chat) {
            let (status, answer) = server.ask(method, &path, &body);
            assert_eq!(
                (status, &answer["code"]),
                (404, &json!("chat-not-found")),
                "{method} {path}"
            );
        }
        assert!(!listed(server).contains(&chat.to_owned()));
    };
    for token in [&other, &admin, &console, &TOKEN.to_owned()] {
        server.token.clone_from(token);
        refuses(&server, &chat);
        refuses(&server, &fork);
    }
    server.token.clone_from(&own);
    let mut both = listed(&server);
    both.sort();
    let mut expected = [chat.clone(), fork.clone()];
    expected.sort();
    assert_eq!(both, expected);
    assert_eq!(
        server.get(&chat)["entries"][0]["text"],
        "hello",
        "{}",
        server.get(&chat)
    );
    // Those of the console and of the terminal are the user's, with either of the tokens that no store has.
    server.token.clone_from(&console);
    let users = server.chat();
    server.say(&users, "hello").until("turn-finished");
    server.token = TOKEN.to_owned();
    assert_eq!(listed(&server), std::slice::from_ref(&users));
    for token in [&own, &other, &admin] {
        server.token.clone_from(token);
        refuses(&server, &users);
    }
}

#[test]
fn sv18_revoked_approvals_are_asked_about_again() {
    let (project, _model) = project([Step::Say("one"), Step::Say("two"), Step::Say("three")]);
    let server = Server::start(&project, &[]);
    let chat = server.chat();
    let mut events = server.say(&chat, "the forecast, please");
    let question = events.until("question").pop().unwrap();
    let path = format!("{chat}/questions/{}", question["id"].as_str().unwrap());
    assert_eq!(server.post(&path, &json!({"choice": "always"})).0, 204);
    events.until("turn-finished");
    // Another chat does not ask.
    let events: Vec<Value> = server.say(&server.chat(), "the forecast, please").collect();
    assert!(events.iter().all(|it| it["type"] != "question"));
    let approvals = server.get("/api/approvals?skill=weather");
    assert_eq!(approvals["permissions"][0]["current"], true, "{approvals}");
    let removed = server.ask("DELETE", "/api/approvals/weather", &Value::Null);
    assert_eq!(removed.0, 204);
    let approvals = server.get("/api/approvals");
    assert_eq!(approvals["permissions"], json!([]));
    let mut events = server.say(&server.chat(), "the forecast, please");
    events.until("question");
}

#[test]
fn ch10_denied_code_does_not_run() {
    let (project, model) = project([Step::Say("I cannot know.")]);
    let server = Server::start(&project, &[]);
    let chat = server.chat();
    let mut events = server.say(&chat, "the forecast, please");
    let question = events.until("question").pop().unwrap();
    let path = format!("{chat}/questions/{}", question["id"].as_str().unwrap());
    assert_eq!(server.post(&path, &json!({"choice": "deny"})).0, 204);
    let rest: Vec<Value> = events.collect();
    find(&rest, "activation-failed");
    assert!(
        !model
            .last()
            .tool_names()
            .contains(&"get_forecast".to_owned())
    );
    assert!(!project.path("ran.txt").exists());
}

#[test]
fn ch10_a_cancelled_question_allows_nothing() {
    let (project, model) = project([Step::Say("unused")]);
    let server = Server::start(&project, &[]);
    let chat = server.chat();
    let mut events = server.say(&chat, "the forecast, please");
    let question = events.until("question").pop().unwrap();
    assert_eq!(server.post(&format!("{chat}/cancel"), &json!({})).0, 204);
    let rest: Vec<Value> = events.collect();
    let answered = find(&rest, "question-answered");
    assert_eq!(
        (&answered["choice"], &answered["reason"]),
        (&Value::Null, &json!("cancelled"))
    );
    let finished = find(&rest, "turn-finished");
    assert_eq!(
        (&finished["ending"], &finished["discarded"]),
        (&json!("cancelled"), &json!(true))
    );
    let path = format!("{chat}/questions/{}", question["id"].as_str().unwrap());
    let (status, body) = server.post(&path, &json!({"choice": "once"}));
    assert_eq!((status, &body["code"]), (409, &json!("question-closed")));
    assert!(model.seen().is_empty() && !project.path("ran.txt").exists());
    assert_eq!(server.get(&chat)["questions"], json!([]));
}

#[test]
fn ch10_commands_are_asked_about() {
    let project = TestProject::new();
    project.write("work/.git/HEAD", "ref: refs/heads/main\n");
    let steps = [
        call("load_skill", &json!({"id": "core-tools"})),
        call("run_command", &json!({"command": ["touch", "ran.txt"]})),
        Step::Say("done"),
    ];
    let model = ScriptedModel::start(Wire::OpenAi, steps);
    configure(&project, &model);
    // The home directory of the user is not in the project.
    let server = Server::start_in(&project, "work", &[]);
    let chat = server.chat();
    let mut events = server.say(&chat, "touch it");
    let mut kinds = Vec::new();
    for _ in 0..2 {
        let question = events.until("question").pop().unwrap();
        kinds.push((question["kind"].clone(), ids(&question).join(" ")));
        if question["kind"] == "command" {
            let text = question["text"].as_str().unwrap();
            assert!(text.contains("wants to run:\n  touch ran.txt\n"), "{text}");
        }
        let path = format!("{chat}/questions/{}", question["id"].as_str().unwrap());
        assert_eq!(server.post(&path, &json!({"choice": "once"})).0, 204);
    }
    assert_eq!(
        kinds[0],
        (json!("skill"), "deny once always everywhere".to_owned())
    );
    assert_eq!(
        kinds[1],
        (json!("command"), "deny once always program".to_owned())
    );
    events.until("turn-finished");
    let results = model.last().results();
    assert!(project.path("work/ran.txt").exists(), "{results:?}");
}

#[test]
fn q37_a_chat_over_http_asks_and_says_what_would_start() {
    let project = TestProject::new();
    project.write("work/.git/HEAD", "ref: refs/heads/main\n");
    let write = || {
        let input = json!({"path": ".github/workflows/ci.yml", "content": "on: push\n"});
        call("write_file", &input)
    };
    let steps = [
        call("load_skill", &json!({"id": "core-tools"})),
        write(),
        write(),
        Step::Say("done"),
    ];
    let model = ScriptedModel::start(Wire::OpenAi, steps);
    configure(&project, &model);
    let server = Server::start_in(&project, "work", &[]);
    let chat = server.chat();
    let mut events = server.say(&chat, "add a workflow");
    let file = project.path("work/.github/workflows/ci.yml");
    for (kind, choice) in [("skill", "once"), ("write", "deny"), ("write", "once")] {
        let question = events.until("question").pop().unwrap();
        assert_eq!(question["kind"], kind, "{question}");
        if kind == "write" {
            let text = question["text"].as_str().unwrap();
            assert!(text.contains("GitHub runs commands from it"), "{text}");
            assert!(text.ends_with("  | on: push\n"), "{text}");
            assert_eq!(ids(&question), ["deny", "once"]);
        }
        assert!(!file.exists());
        let path = format!("{chat}/questions/{}", question["id"].as_str().unwrap());
        assert_eq!(server.post(&path, &json!({"choice": choice})).0, 204);
    }
    events.until("turn-finished");
    let results = model.last().results();
    assert!(file.exists(), "{results:?}");
}
