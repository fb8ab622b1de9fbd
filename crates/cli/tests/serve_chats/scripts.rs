//! Scripts of skills in chats.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use prowess_testing::model::{ScriptedModel, Step, Wire, call};
use serde_json::{Value, json};

use crate::server::{Events, Server, configure, find};
use crate::support::TestProject;

/// What the script sees of the project, and what earlier scripts left.
const LOOK: &str = "\
import os, sys
print(sys.argv[1:], sorted(os.listdir('.')))
try:
    print(open('/project/notes.txt').read(), os.listdir('/project/.git'))
    open('/project/new.txt', 'w')
except OSError as error:
    print(error.strerror)
open('left-' + sys.argv[1], 'w')
";

/// What it prints in the sandbox of a skill that was approved.
fn seen(argument: &str, left: &str) -> String {
    format!("['{argument}'] [{left}]\nhello []\nRead-only file system\n")
}

/// A project with a skill that has a script. The home directory of the user is not in it.
fn project(steps: impl IntoIterator<Item = Step>) -> (TestProject, ScriptedModel) {
    let project = TestProject::new();
    project
        .write("work/.git/HEAD", "ref: refs/heads/main\n")
        .write("work/notes.txt", "hello")
        .write("work/.agents/skills/tidy/scripts/look.py", LOOK);
    project.skill("work/.agents/skills/tidy");
    let model = ScriptedModel::start(Wire::OpenAi, steps);
    configure(&project, &model);
    (project, model)
}

fn serve(project: &TestProject) -> Server {
    Server::start_in(project, "work", &[])
}

fn arguments(argument: &str) -> Value {
    json!({"id": "tidy", "path": "scripts/look.py", "args": [argument]})
}

fn look(argument: &str) -> Step {
    call("run_skill_script", &arguments(argument))
}

fn answer(server: &Server, chat: &str, events: &mut Events, choice: &str) -> Value {
    let question = events.until("question").pop().unwrap();
    let path = format!("{chat}/questions/{}", question["id"].as_str().unwrap());
    assert_eq!(server.post(&path, &json!({"choice": choice})).0, 204);
    question
}

/// What the script of the last request printed.
fn printed(model: &ScriptedModel) -> String {
    let results = model.last().results();
    let result: Value = serde_json::from_str(results.last().unwrap()).unwrap();
    let printed = result["stdout"].as_str();
    printed.unwrap_or_else(|| panic!("{results:#?}")).to_owned()
}

/// How many directories scripts have at the moment.
fn scratches(project: &TestProject) -> usize {
    let entries = fs::read_dir(project.path("tmp")).unwrap();
    let names = entries.map(|it| it.unwrap().file_name().into_string().unwrap());
    names
        .filter(|it| it.starts_with("prowess-scratch-"))
        .count()
}

fn has_scripts(tools: &[String]) -> bool {
    tools.iter().any(|it| it == "run_skill_script")
}

#[test]
fn ch18_a_script_runs_after_the_client_of_its_chat_approved_it() {
    let said = || Step::Say("done");
    let (project, model) = project([
        look("1"),
        said(),
        look("2"),
        said(),
        look("3"),
        said(),
        look("4"),
        said(),
    ]);
    let server = serve(&project);
    let chat = server.chat();
    let mut events = server.say(&chat, "look");
    let question = answer(&server, &chat, &mut events, "once");
    assert_eq!(
        (&question["kind"], &question["skill"]),
        (&json!("skill"), &json!("tidy"))
    );
    let details = question["details"].as_str().unwrap();
    assert!(details.contains("  scripts/look.py ("), "{details}");
    let rest: Vec<Value> = events.collect();
    assert_eq!(find(&rest, "tool-finished")["is_error"], false, "{rest:#?}");
    assert_eq!(printed(&model), seen("1", ""));
    // In this chat it is approved, and its scripts share a directory.
    let again: Vec<Value> = server.say(&chat, "look again").collect();
    assert!(
        again.iter().all(|it| it["type"] != "question"),
        "{again:#?}"
    );
    assert_eq!(printed(&model), seen("2", "'left-1'"));
    // A copy of the chat and another one ask again, and have directories of their own.
    let (status, fork) = server.post(&format!("{chat}/fork"), &json!({}));
    assert_eq!(status, 201, "{fork}");
    let fork = format!("/api/chats/{}", fork["id"].as_str().unwrap());
    for (chat, argument) in [(&fork, "3"), (&server.chat(), "4")] {
        let mut events = server.say(chat, "look");
        answer(&server, chat, &mut events, "once");
        events.until("turn-finished");
        assert_eq!(printed(&model), seen(argument, ""));
        assert_eq!(server.ask("DELETE", chat, &Value::Null).0, 204);
    }
    assert!(!project.path("work/new.txt").exists());
    // Other programs ask nobody, so they get no scripts.
    let (_, session) = server.post("/api/sessions", &json!({}));
    let tools = session["tools"].as_array().unwrap().iter();
    let tools: Vec<String> = tools.map(|it| it["name"].to_string()).collect();
    assert_eq!(
        tools.len(),
        model.last().tool_names().len() - 1,
        "{tools:?}"
    );
    // What scripts left goes with their chat.
    assert_eq!(server.ask("DELETE", &chat, &Value::Null).0, 204);
    let deadline = Instant::now() + Duration::from_mins(1);
    while scratches(&project) > 0 {
        assert!(Instant::now() < deadline);
        thread::yield_now();
    }
}

#[test]
fn ch18_a_chat_that_was_loaded_from_the_store_has_scripts() {
    let (project, model) = project([
        Step::Say("hello"),
        look("1"),
        Step::Say("done"),
        look("2"),
        Step::Say("done"),
    ]);
    let server = serve(&project);
    let chat = server.chat();
    server.say(&chat, "hello").until("turn-finished");
    server.terminate();
    let server = serve(&project);
    let mut events = server.say(&chat, "look");
    answer(&server, &chat, &mut events, "always");
    events.until("turn-finished");
    assert_eq!(printed(&model), seen("1", ""));
    server.terminate();
    assert_eq!(scratches(&project), 0);
    // That answer was for the project.
    let server = serve(&project);
    let events: Vec<Value> = server.say(&server.chat(), "look").collect();
    assert!(events.iter().all(|it| it["type"] != "question"));
    assert_eq!(printed(&model), seen("2", ""));
}

#[test]
fn ch18_scripts_that_are_called_at_once_need_one_answer() {
    let calls = ["1", "2", "3"].map(|it| ("run_skill_script", arguments(it).to_string()));
    for (choice, ran) in [("once", 3), ("deny", 0)] {
        let steps = [Step::Call("", calls.to_vec()), Step::Say("done")];
        let (project, model) = project(steps);
        let server = serve(&project);
        let chat = server.chat();
        let mut events = server.say(&chat, "look");
        answer(&server, &chat, &mut events, choice);
        let rest: Vec<Value> = events.collect();
        assert!(rest.iter().all(|it| it["type"] != "question"), "{rest:#?}");
        let results = model.last().results();
        let results = results.iter().filter(|it| it.contains("hello []"));
        assert_eq!(results.count(), ran);
        assert_eq!(scratches(&project), usize::from(ran > 0));
    }
}

#[test]
fn ch18_a_script_that_was_denied_does_not_run() {
    let (project, model) = project([look("1"), look("2"), Step::Say("I cannot know.")]);
    let server = serve(&project);
    let chat = server.chat();
    let mut events = server.say(&chat, "look");
    answer(&server, &chat, &mut events, "deny");
    let rest: Vec<Value> = events.collect();
    assert_eq!(find(&rest, "tool-finished")["is_error"], true, "{rest:#?}");
    assert!(rest.iter().all(|it| it["type"] != "question"), "{rest:#?}");
    let results = model.last().results();
    assert_eq!(results.len(), 2);
    for result in results {
        assert!(result.contains("permission-denied"), "{result}");
    }
    assert_eq!(scratches(&project), 0);
}

#[test]
fn ch18_a_cancelled_question_runs_no_script() {
    let (project, _model) = project([look("1"), look("2"), Step::Say("done")]);
    let server = serve(&project);
    let chat = server.chat();
    let mut events = server.say(&chat, "look");
    events.until("question");
    assert_eq!(server.post(&format!("{chat}/cancel"), &json!({})).0, 204);
    let rest: Vec<Value> = events.collect();
    assert_eq!(find(&rest, "question-answered")["reason"], "cancelled");
    assert_eq!(find(&rest, "turn-finished")["ending"], "cancelled");
    // Nothing was decided: the next call asks.
    let mut events = server.say(&chat, "look again");
    events.until("question");
    assert_eq!(scratches(&project), 0);
}

#[test]
fn ch18_the_configuration_decides_about_scripts() {
    let (project, model) = project([look("1"), Step::Say("none")]);
    project.write("work/prowess.toml", "[skills]\nscripts = \"off\"\n");
    let server = serve(&project);
    let events: Vec<Value> = server.say(&server.chat(), "look").collect();
    assert_eq!(find(&events, "tool-finished")["is_error"], true);
    assert!(!has_scripts(&model.last().tool_names()));
    assert_eq!(scratches(&project), 0);

    // A project cannot let them run without a question, the user can.
    for (file, asks) in [
        ("work/prowess.toml", true),
        ("home/.config/prowess/prowess.toml", false),
    ] {
        let steps = [look("1"), Step::Say("done"), look("1"), Step::Say("done")];
        let (project, model) = self::project(steps);
        let before = fs::read_to_string(project.path(file)).unwrap_or_default();
        let wanted = "[skills]\nscripts = \"sandboxed\"\n";
        project.write(file, format!("{before}{wanted}"));
        let server = serve(&project);
        let mut events = server.say(&server.chat(), "look");
        if asks {
            events.until("question");
            continue;
        }
        events.until("turn-finished");
        // Without an approval, the project is not there.
        assert_eq!(printed(&model), "['1'] []\nNo such file or directory\n");
        let offered = model.last().tool_names();
        assert!(has_scripts(&offered));
        server.terminate();
        // The same as in a terminal.
        let mut chat = project.command(&["chat", "-p", "look"]);
        chat.current_dir(project.path("work"));
        chat.env("OPENAI_API_KEY", "k")
            .env("TMPDIR", project.path("tmp"));
        assert!(chat.output().unwrap().status.success());
        assert_eq!(printed(&model), "['1'] []\nNo such file or directory\n");
        assert_eq!(model.last().tool_names(), offered);
        assert_eq!(scratches(&project), 0);
    }
}
