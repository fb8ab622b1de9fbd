//! Commands of a chat, and workflows that the user runs.

use prowess_testing::model::{ScriptedModel, Step, Wire};
use serde_json::{Value, json};

use crate::session::Session;
use crate::setup::{model, new_project, run};
use crate::support::TestProject;

fn say(session: &mut Session, text: &str, answer: &str) {
    session.type_in(&format!("{text}\r"));
    session.until(answer);
    session.until(" out");
    session.until("> ");
}

/// Types a command; what it shows up to the next prompt.
fn command(session: &mut Session, text: &str) -> String {
    session.type_in(&format!("{text}\r"));
    session.until("\r\n\r> ")
}

fn said(model: &ScriptedModel) -> Vec<String> {
    let messages = model.last().messages().into_iter();
    messages.map(|(_, text)| text).collect()
}

fn turns(project: &TestProject) -> Value {
    run(project, None, &["--list", "--json"]).json()[0]["turns"].clone()
}

#[test]
fn cl63_undo_and_retry_replace_whole_turns() {
    let project = new_project();
    let steps = ["one", "two", "second two", "three", "four"].map(Step::Say);
    let model = model(Wire::OpenAi, steps);
    let mut session = Session::start(&project, Some(&model), &[]);
    let shown = command(&mut session, ":undo");
    assert!(shown.contains("no messages yet"), "{shown}");
    say(&mut session, "first", "one");
    say(&mut session, "/haiku second", "two");
    say(&mut session, ":retry", "second two");
    assert_eq!(turns(&project), 2);
    let sent = said(&model);
    assert_eq!(sent[..2], ["first", "one"]);
    assert!(sent[2].contains("BODY-OF-HAIKU") && sent[2].ends_with("second"));
    assert_eq!(sent.len(), 3);
    let shown = command(&mut session, ":undo");
    assert!(shown.contains("removed: /haiku second"), "{shown}");
    assert_eq!(turns(&project), 1);
    // The skill that the removed message activated is not active.
    let shown = command(&mut session, ":skills");
    assert!(!shown.contains("* /haiku"), "{shown}");
    say(&mut session, "third", "three");
    assert_eq!(said(&model), ["first", "one", "third"]);
    assert_eq!(session.end(), Some(0));
    let resumed = run(&project, None, &["--resume", "-p", "fourth"]);
    assert_eq!(resumed.stdout, "four\n", "{}", resumed.stderr);
    let expected = ["first", "one", "third", "three", "fourth"];
    assert_eq!(said(&model), expected);
}

/// An answer is not lost because its replacement failed, and a message without an answer is sent again.
#[test]
fn retry_that_fails_keeps_the_answer() {
    let project = new_project();
    let refused = || Step::Status(400, vec![], r#"{"error":{"message":"no"}}"#.to_owned());
    let steps = [
        Step::Say("one"),
        refused(),
        refused(),
        Step::Say("two"),
        Step::Say("three"),
    ];
    let model = model(Wire::OpenAi, steps);
    let mut session = Session::start(&project, Some(&model), &[]);
    say(&mut session, "first", "one");
    session.type_in(":retry\r");
    session.until("answered 400");
    session.until("> ");
    assert_eq!(turns(&project), 1);
    session.type_in("second\r");
    session.until("answered 400");
    session.until("> ");
    say(&mut session, ":retry", "two");
    assert_eq!(said(&model), ["first", "one", "second"]);
    say(&mut session, "third", "three");
    assert_eq!(said(&model).len(), 5);
    assert_eq!(session.end(), Some(0));
    assert_eq!(turns(&project), 3);
}

#[test]
fn cl64_model_is_changed_in_the_chat() {
    let project = new_project();
    let model = model(Wire::OpenAi, ["one", "two", "three"].map(Step::Say));
    let mut session = Session::start(&project, Some(&model), &[]);
    say(&mut session, "first", "one");
    assert!(command(&mut session, ":model").contains("openai/scripted-1"));
    assert!(command(&mut session, ":model m2").contains("openai/m2"));
    say(&mut session, "second", "two");
    assert_eq!(model.last().body["model"], "m2");
    assert_eq!(said(&model), ["first", "one", "second"]);
    let shown = command(&mut session, ":model nobody m3");
    assert!(shown.contains("unknown provider `nobody`"), "{shown}");
    assert!(command(&mut session, ":model").contains("openai/m2"));
    assert!(command(&mut session, ":model demo").contains("demo"));
    let shown = command(&mut session, ":model m4");
    assert!(shown.contains(":model PROVIDER NAME"), "{shown}");
    assert_eq!(session.end(), Some(0));
    // Saved with the last turn.
    run(&project, None, &["--resume", "-p", "third"]);
    assert_eq!(model.last().body["model"], "m2");
}

#[test]
fn cl65_export_writes_markdown_or_json() {
    let project = new_project();
    let answer = "**Rain** \u{1b}[31mfalls.";
    let model = model(Wire::OpenAi, [Step::Say(answer), Step::Say("two")]);
    let mut session = Session::start(&project, Some(&model), &[]);
    say(&mut session, "/haiku rain", "Rain");
    assert!(command(&mut session, ":export chat.md").contains("written to chat.md"));
    let text = project.read("chat.md");
    assert_eq!(
        text,
        "Model: openai/scripted-1\n\n## User\n\n/haiku rain\n\n## Model\n\n**Rain** \\u{1b}[31mfalls.\n"
    );
    let shown = command(&mut session, ":export chat.md");
    assert!(
        shown.contains("cannot write `chat.md`: it exists"),
        "{shown}"
    );
    say(&mut session, "more", "two");
    command(&mut session, ":export! chat.md");
    assert!(project.read("chat.md").contains("## User\n\nmore\n"));
    command(&mut session, ":export chat.json");
    let value: Value = serde_json::from_str(&project.read("chat.json")).unwrap();
    assert_eq!(value["messages"].as_array().unwrap().len(), 4);
    assert_eq!(value["active"], json!(["haiku"]));
    project.write("theirs", "theirs");
    std::os::unix::fs::symlink(project.path("theirs"), project.path("link.md")).unwrap();
    let shown = command(&mut session, ":export! link.md");
    assert!(shown.contains("is a symbolic link"), "{shown}");
    assert_eq!(project.read("theirs"), "theirs");
    assert!(command(&mut session, ":export").contains("missing file"));
    let shown = command(&mut session, ":export no/such/place.md");
    assert!(shown.contains("cannot write `no/such/place.md`"), "{shown}");
    assert_eq!(session.end(), Some(0));
}

#[test]
fn cl66_resume_switches_to_a_saved_chat() {
    let project = new_project();
    let model = model(Wire::OpenAi, ["one", "two"].map(Step::Say));
    run(&project, Some(&model), &["-p", "about rain"]);
    let id = run(&project, None, &["--list", "--json"]).json()[0]["id"].clone();
    let id = id.as_str().unwrap();
    let mut session = Session::start(&project, None, &["--provider", "demo"]);
    say(&mut session, "plan hikes", "demo model");
    let shown = command(&mut session, ":resume");
    assert!(
        shown.contains("about rain") && shown.contains("plan hikes"),
        "{shown}"
    );
    let shown = command(&mut session, ":resume nothing");
    assert!(shown.contains("unknown chat `nothing`"), "{shown}");
    let shown = command(&mut session, &format!(":resume {id}"));
    assert!(shown.contains("> about rain\r\none"), "{shown:?}");
    // With its own model.
    say(&mut session, "and snow", "two");
    assert_eq!(said(&model), ["about rain", "one", "and snow"]);
    session.type_in("\u{4}");
    session.until(&format!("--resume {id}"));
    assert_eq!(session.ended(), Some(0));
}

#[test]
fn commands_are_listed_and_completed() {
    let project = new_project();
    let mut session = Session::start(&project, None, &[]);
    let help = command(&mut session, ":help");
    for text in [
        ":model [NAME]",
        ":retry ",
        ":undo ",
        ":export FILE",
        ":export! FILE",
        ":resume [ID]",
    ] {
        assert!(help.contains(text), "{text} in {help}");
    }
    session.type_in(":re\t");
    let shown = session.until("reload the saved chat");
    assert!(
        shown.contains(":retry") && shown.contains(":resume"),
        "{shown}"
    );
    session.type_in("\u{15}");
    assert_eq!(session.end(), Some(0));
}

fn writer(project: &TestProject) {
    let manifest = "name: writer\nversion: 1.0.0\ndescription: Writes things\ntypes: [workflow]\npermissions: []\nimplementation:\n  backend: starlark\n  entrypoint: skill.star\n";
    let code = "def draft(input):\n    return 'DRAFT OF ' + input.get('title', input.get('text', 'nothing'))\n\nregister_workflow('draft', draft)\n";
    project
        .write(
            ".agents/skills/writer/SKILL.md",
            "---\nname: writer\ndescription: Writes things\n---\nBODY-OF-WRITER about $ARGUMENTS.\n",
        )
        .write(".agents/skills/writer/SKILL.yaml", manifest)
        .write(".agents/skills/writer/skill.star", code);
}

/// The user runs a workflow: it is approved as a tool is, shown as a card, and the model goes on with its result.
#[test]
fn cl67_workflow_is_run_by_its_name() {
    let project = new_project();
    writer(&project);
    let model = model(Wire::OpenAi, ["one", "two", "three", "four"].map(Step::Say));
    let mut session = Session::start(&project, Some(&model), &[]);
    session.type_in("/writer draft {\"title\": \"Rain\"}\r");
    session.until("Allow it?");
    session.type_in("a\r");
    let shown = session.until(" out");
    assert!(shown.contains("✓ run_skill_workflow writer"), "{shown}");
    assert!(shown.contains("one"), "{shown}");
    session.until("> ");
    let sent = said(&model);
    assert_eq!(sent.len(), 1);
    assert!(sent[0].contains("BODY-OF-WRITER about ."), "{sent:?}");
    assert!(
        sent[0].contains("I ran the workflow `draft` of the skill `writer`")
            && sent[0].ends_with("Its result:\n\nDRAFT OF Rain"),
        "{sent:?}"
    );
    assert!(command(&mut session, ":show").contains("DRAFT OF Rain"));
    // Text is one value; what is no workflow stays the arguments.
    say(&mut session, "/writer draft some words", "two");
    assert!(said(&model)[2].ends_with("DRAFT OF some words"));
    say(&mut session, "/writer snow", "three");
    assert!(said(&model)[4].contains("with the arguments: snow"));
    assert_eq!(session.end(), Some(0));
    let before = said(&model);
    let resumed = run(&project, None, &["--resume", "-p", "more"]);
    assert_eq!(resumed.stdout, "four\n", "{}", resumed.stderr);
    assert_eq!(said(&model)[..5], before[..]);
}

/// Without an approval nothing runs, and the message is an ordinary one.
#[test]
fn workflow_without_approval_does_not_run() {
    let project = new_project();
    writer(&project);
    let model = model(Wire::OpenAi, [Step::Say("one")]);
    let done = run(&project, Some(&model), &["-p", "/writer draft rain"]);
    assert_eq!(done.stdout, "one\n", "{}", done.stderr);
    let sent = said(&model);
    assert!(!sent[0].contains("DRAFT OF"), "{sent:?}");
    assert!(
        sent[0].contains("BODY-OF-WRITER about draft rain."),
        "{sent:?}"
    );
}
