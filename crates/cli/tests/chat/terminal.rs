//! Somebody at a terminal.

use std::process::Stdio;
use std::time::{Duration, Instant};

use prowess_testing::model::{ScriptedModel, Step, Wire, call};
use serde_json::json;

use crate::session::Session;
use crate::setup::{chat, code_skill, model, new_project, run};
use crate::support::terminal::terminal;

#[test]
fn skills_are_completed_with_their_descriptions() {
    let project = new_project();
    let mut session = Session::start(&project, None, &[]);
    session.type_in("/h\t");
    let shown = session.until("Plans hikes in the mountains");
    assert!(
        shown.contains("/haiku") && shown.contains("[topic]  Writes haiku about the weather"),
        "{shown}"
    );
    session.type_in("ai\t");
    session.until("/haiku ");
    session.type_in("about rain\r");
    let shown = session.until(" out");
    assert_eq!(shown.matches("haiku is active").count(), 1, "{shown}");
    assert!(shown.contains("Five, seven, five."), "{shown}");
    session.until("> ");
    session.type_in(":sk\t\r");
    session.until("* /haiku");
    session.until("  /hiking");
    session.until("> ");
    assert_eq!(session.end(), Some(0));
}

#[test]
fn answer_is_rendered_and_tool_calls_are_folded() {
    let project = new_project();
    let steps = [
        call("load_skill", &json!({"id": "haiku"})),
        Step::Say("# Rain\n\n- **wet** `drops`\n- more\n"),
        Step::Say("never asked"),
    ];
    let model = model(Wire::OpenAi, steps);
    let mut session = Session::start(&project, Some(&model), &[]);
    session.type_in("rain\r");
    let shown = session.until(" out");
    assert!(shown.contains("✓ load_skill haiku"), "{shown}");
    assert!(!shown.contains("BODY-OF-HAIKU"), "{shown}");
    assert!(
        shown.contains("Rain\r\n\r\n• wet drops\r\n• more"),
        "{shown:?}"
    );
    let raw = String::from_utf8_lossy(&session.bytes);
    assert!(raw.contains("\u{1b}[1mwet"), "{raw:?}");
    session.until("> ");
    session.type_in(":show\r");
    session.until("load_skill haiku");
    session.until("> ");
    session.type_in(":cost\r");
    let cost = session.until("per skill");
    assert!(cost.contains("2 requests"), "{cost}");
    session.until("  haiku ");
    session.until("> ");
    // Nothing of this was said to the model.
    assert_eq!(model.seen().len(), 2);
    assert_eq!(session.end(), Some(0));
}

/// Ctrl-C ends the answer and not the chat.
#[test]
fn ctrl_c_stops_the_turn() {
    let project = new_project();
    let model = model(
        Wire::Anthropic,
        [Step::Hang("Once upon a time, "), Step::Say("Short.")],
    );
    let mut session = Session::start(&project, Some(&model), &[]);
    session.type_in("a long story\r");
    session.until("Once upon a");
    session.interrupt();
    session.until("stopped");
    session.until("> ");
    session.type_in("shorter\r");
    session.until("Short.");
    session.until(" out");
    session.until("> ");
    let messages = model.last().messages();
    assert_eq!(messages[0].1, "a long story");
    assert!(
        messages[1].1.contains("Once upon a time, ")
            && messages[1].1.contains("cancelled the answer"),
        "{messages:?}"
    );
    assert_eq!(messages[2].1, "shorter");
    // At the prompt, it takes two.
    session.type_in("half a line");
    session.until("half a line");
    session.type_in("\u{3}");
    session.until("> ");
    session.type_in("\u{3}");
    session.until("Ctrl-C again");
    session.until("> ");
    session.type_in("\u{3}");
    assert_eq!(session.ended(), Some(0));
}

#[test]
fn history_and_chats_are_saved() {
    let project = new_project();
    let mut session = Session::start(&project, None, &[]);
    session.type_in("plan hikes for me\r");
    session.until("The skill hiking matches");
    session.until(" out");
    session.until("> ");
    assert_eq!(session.end(), Some(0));
    let mut session = Session::start(&project, None, &["--resume"]);
    // What was said last is there, and the key for "up" brings it back.
    assert!(
        session.shown.contains("> plan hikes for me"),
        "{}",
        session.shown
    );
    session.type_in("\u{1b}[A");
    session.until("plan hikes for me");
    session.type_in("\r");
    session.until(" out");
    session.until("> ");
    assert_eq!(session.end(), Some(0));
    assert_eq!(
        run(&project, None, &["--list", "--json"]).json()[0]["turns"],
        2
    );
}

/// Two processes continue one chat: the second reports it, and nothing is lost.
#[test]
fn change_by_another_process_is_reported() {
    let project = new_project();
    run(&project, None, &["-p", "first"]);
    let mut session = Session::start(&project, None, &["--resume"]);
    run(&project, None, &["--resume", "-p", "from elsewhere"]);
    session.type_in("mine\r");
    let shown = session.until("type `:reload`");
    assert!(shown.contains("was changed by another process"), "{shown}");
    session.until("> ");
    session.type_in(":reload\r");
    session.until("> from elsewhere");
    session.until("> ");
    session.type_in("mine\r");
    session.until(" out");
    session.until("> ");
    assert_eq!(session.end(), Some(0));
    assert_eq!(
        run(&project, None, &["--list", "--json"]).json()[0]["turns"],
        3
    );
}

/// Somebody types `a` while a skill takes its time to start; then another one asks.
#[test]
fn input_typed_before_a_question_is_discarded() {
    let project = new_project();
    let slow = "def slow():\n    for i in range(1000000):\n        x = i\n\nslow()\n";
    code_skill(&project, "a-slow-one", slow);
    code_skill(&project, "weather", "log('here')\n");
    let mut session = Session::start(&project, None, &["--approve-skills", "a-slow-one"]);
    session.type_in("forecast\r");
    session.until("thinking");
    session.type_in("a\r");
    session.until("Allow it?");
    session.until("[D]eny: ");
    session.type_in("o\r");
    session.until(" out");
    session.until("> ");
    assert_eq!(session.end(), Some(0));
    let kept = crate::support::Run::of(
        project
            .command(&["permissions", "--json"])
            .output()
            .unwrap(),
    );
    assert!(!kept.stdout.contains("weather"), "{}", kept.stdout);
}

/// A skill with code asks in the middle of a chat; the line after a question that was stopped is a message.
#[test]
fn approval_is_asked_in_the_chat() {
    let project = new_project();
    let code = "def forecast(input):\n    return 'sunny'\n\nregister_tool('get_forecast', 'Tells the weather', forecast)\n";
    code_skill(&project, "weather", code);
    let mut session = Session::start(&project, None, &[]);
    session.type_in("get forecast\r");
    session.until("Allow it?");
    session.interrupt();
    session.until("stopped");
    session.until("> ");
    session.type_in("get forecast\r");
    session.until("Allow it?");
    session.type_in("o\r");
    let shown = session.until(" out");
    assert!(shown.contains("✓ get_forecast"), "{shown}");
    assert!(shown.contains("sunny"), "{shown}");
    session.until("> ");
    assert_eq!(session.end(), Some(0));
}

/// The model's own tool may write what starts other programs only after a question that says so.
#[test]
fn q37_a_chat_asks_and_says_what_would_start() {
    let project = new_project();
    let write = json!({"path": ".husky/pre-commit", "content": "echo ran\n"});
    let steps = [
        call("load_skill", &json!({"id": "core-tools"})),
        call("write_file", &write),
        Step::Say("done with it"),
    ];
    let model = ScriptedModel::start(Wire::OpenAi, steps);
    let arguments = ["--approve-skills", "core-tools"];
    let mut session = Session::start(&project, Some(&model), &arguments);
    session.type_in("add a hook\r");
    let shown = session.until("[D]eny: ");
    for part in [
        "wants to write \".husky/pre-commit\"",
        "Git runs commands from it",
        "  | echo ran",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    session.type_in("d\r");
    session.until("done with it");
    session.until("> ");
    assert_eq!(session.end(), Some(0));
    assert!(!project.path(".husky").exists());
}

#[test]
fn conversation_needs_a_terminal_for_input_and_output() {
    let project = new_project();
    let (_ours, theirs) = terminal(80);
    let output = chat(&project, None, &[])
        .stdin(Stdio::from(theirs))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}

/// Whoever pulls the plug in the middle of an answer finds the chat as it was before.
#[test]
fn killed_turn_is_not_saved() {
    let project = new_project();
    let model = model(
        Wire::OpenAi,
        [
            Step::Say("one"),
            Step::Hang("two, but "),
            Step::Say("three"),
        ],
    );
    run(&project, Some(&model), &["-p", "first"]);
    let mut child = chat(&project, Some(&model), &["--resume", "-p", "second"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for_two(&model);
    child.kill().unwrap();
    child.wait().unwrap();
    let after = run(&project, Some(&model), &["--resume", "-p", "third"]);
    assert_eq!(after.stdout, "three\n", "{}", after.stderr);
    let said: Vec<String> = model
        .last()
        .messages()
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    assert_eq!(said, ["first", "one", "third"]);
}

fn wait_for_two(model: &ScriptedModel) {
    let end = Instant::now() + Duration::from_secs(20);
    while model.seen().len() < 2 {
        assert!(Instant::now() < end);
        std::thread::yield_now();
    }
}

/// What is not to be kept is not kept elsewhere either.
#[test]
fn no_save_writes_nothing() {
    let project = new_project();
    let mut session = Session::start(&project, None, &["--no-save"]);
    session.type_in("my secret is 12345\r");
    session.until(" out");
    session.until("> ");
    assert_eq!(session.end(), Some(0));
    assert!(
        !project
            .path("home/.local/share/prowess/chat-history")
            .exists()
    );
    assert_eq!(run(&project, None, &["--list", "--json"]).json(), json!([]));
}
