//! A chat that goes on in another process is the same chat.

use prowess_testing::model::{KEY, Step, Wire};

use crate::session::Session;
use crate::setup::{code_skill, model, new_project, run};

const FORECAST: &str = "def forecast(input):\n    return 'sunny'\n\nregister_tool('get_forecast', 'Tells the weather', forecast)\n";

#[test]
fn cl61_resume_keeps_the_model() {
    let project = new_project();
    let model = model(Wire::OpenAi, ["one", "two", "three", "four"].map(Step::Say));
    run(&project, Some(&model), &["-p", "first"]);
    let resumed = run(&project, None, &["--resume", "-p", "second"]);
    assert_eq!(resumed.stdout, "two\n", "{}", resumed.stderr);
    assert_eq!(model.last().body["model"], "scripted-1");
    // The key is the one of the provider that was named.
    assert!(model.last().head.contains(KEY));
    // Another model at the same place, and from then on.
    run(
        &project,
        None,
        &["--resume", "--model", "m2", "-p", "third"],
    );
    assert_eq!(model.last().body["model"], "m2");
    run(&project, None, &["--resume", "-p", "fourth"]);
    assert_eq!(model.last().body["model"], "m2");
    assert_eq!(model.last().messages().len(), 7);
    let demo = run(
        &project,
        None,
        &["--resume", "--provider", "demo", "-p", "fifth"],
    );
    assert!(demo.stdout.contains("demo model"), "{}", demo.stderr);
    assert_eq!(model.seen().len(), 4);
}

/// A server that was typed without a provider gets no key, also when the chat goes on.
#[test]
fn resumed_local_server_gets_no_key() {
    let project = new_project();
    project.write(
        "home/.config/prowess/prowess.toml",
        "[model]\nprovider = \"local\"\nname = \"m\"\nbase_url = \"http://127.0.0.1:9/v1\"\napi_key_env = \"OPENAI_API_KEY\"\n",
    );
    let model = model(Wire::OpenAi, ["one", "two"].map(Step::Say));
    let first = ["--base-url", &model.url, "--model", "m", "-p", "first"];
    assert_eq!(run(&project, None, &first).stdout, "one\n");
    let resumed = run(&project, None, &["--resume", "-p", "second"]);
    assert_eq!(resumed.stdout, "two\n", "{}", resumed.stderr);
    for seen in model.seen() {
        assert!(!seen.head.contains(KEY), "{}", seen.head);
    }
}

/// Code that a keyword activated is active after `--resume`, if its approval is recorded. Nothing is asked.
#[test]
fn cl62_resume_activates_approved_code() {
    for (answer, is_kept) in [("a", true), ("o", false)] {
        let project = new_project();
        code_skill(&project, "weather", FORECAST);
        let model = model(Wire::OpenAi, ["one", "two", "three"].map(Step::Say));
        let mut session = Session::start(&project, Some(&model), &[]);
        session.type_in("the forecast, please\r");
        session.until("Allow it?");
        session.type_in(&format!("{answer}\r"));
        session.until(" out");
        session.until("> ");
        assert_eq!(session.end(), Some(0));
        let tools = |number: usize| model.seen()[number].tool_names();
        let forecast = "get_forecast".to_owned();
        assert!(tools(0).contains(&forecast));
        let resumed = run(&project, None, &["--resume", "-p", "hello"]);
        assert_eq!(resumed.stdout, "two\n", "{}", resumed.stderr);
        assert_eq!(tools(1).contains(&forecast), is_kept, "{}", resumed.stderr);
        let asks_again = resumed.stderr.contains("type /weather to approve it again");
        assert_eq!(asks_again, !is_kept, "{}", resumed.stderr);
        assert!(!resumed.stderr.contains("Allow it?"));
        if !is_kept {
            continue;
        }
        // In a terminal it is listed as active before the first message.
        let mut session = Session::start(&project, None, &["--resume"]);
        session.type_in(":skills\r");
        session.until("* /weather");
        session.until("> ");
        assert_eq!(session.end(), Some(0));
        // What is no longer approved does not run.
        let revoked = project.run(&["permissions", "weather", "--revoke"]);
        assert_eq!(revoked.code, Some(0), "{}", revoked.snapshot());
        let resumed = run(&project, None, &["--resume", "-p", "hello"]);
        assert_eq!(resumed.stdout, "three\n", "{}", resumed.stderr);
        assert!(!tools(2).contains(&forecast));
    }
}
