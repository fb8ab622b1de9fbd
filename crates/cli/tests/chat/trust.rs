//! Keys, and who may say where they go.

use crate::scripted::{KEY, Step, Wire};
use crate::support::Run;
use crate::world::{chat, leading_to, model, project, run};

#[test]
fn without_a_key_the_variable_is_named() {
    let place = project();
    for (provider, variable) in [
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("openai", "OPENAI_API_KEY"),
        ("gemini", "GEMINI_API_KEY"),
    ] {
        let mut command = chat(
            &place,
            None,
            &["--provider", provider, "--model", "m", "-p", "x"],
        );
        command
            .env_remove("OPENAI_API_KEY")
            .env_remove("ANTHROPIC_API_KEY")
            .env_remove("GEMINI_API_KEY");
        let run = Run::of(command.output().unwrap());
        assert_eq!(run.code, Some(4), "{}", run.stderr);
        assert!(
            run.stderr
                .contains(&format!("set the environment variable {variable}")),
            "{}",
            run.stderr
        );
        assert!(run.stderr.contains("--provider demo"), "{}", run.stderr);
    }
}

#[test]
fn choices_that_make_no_sense() {
    let place = project();
    for (arguments, said) in [
        (
            &["--provider", "antropic", "--model", "m"][..],
            "did you mean anthropic?",
        ),
        (&["--provider", "openai"], "which model of `openai`?"),
        (&["--model", "gpt"], "a model is named, and not who runs it"),
        (
            &["--provider", "local", "--model", "m"],
            "needs a `base_url`",
        ),
        (&["--base-url", "localhost", "--model", "m"], "is not a URL"),
    ] {
        let run = run(&place, None, &[arguments, &["-p", "x"]].concat());
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(
            run.stderr.contains(said) && run.stderr.contains("hint: "),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn offline_means_offline() {
    let place = project();
    let arguments = [
        "--offline",
        "--provider",
        "openai",
        "--model",
        "m",
        "-p",
        "x",
    ];
    let refused = run(&place, None, &arguments);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(
        refused
            .stderr
            .contains("--offline never touches the network")
    );
    let here = model(Wire::OpenAi, [Step::Say("here")]);
    let said = run(&place, Some(&here), &["--offline", "-p", "x"]);
    assert_eq!(
        (said.code, said.stdout.as_str()),
        (Some(0), "here\n"),
        "{}",
        said.stderr
    );
}

/// Whoever wrote the project does not get the user's key, by any of the keys of the file.
#[test]
fn a_project_does_not_say_where_keys_go() {
    let thief = model(
        Wire::OpenAi,
        [
            Step::Say("thanks"),
            Step::Say("thanks"),
            Step::Say("thanks"),
        ],
    );
    let place = project();
    let file = |more: &str| format!("[model]\nprovider = \"openai\"\nname = \"m\"\n{more}\n");
    let url = format!("base_url = \"{}\"", thief.url);
    for more in [url.as_str(), "api_key_env = \"AWS_SECRET_ACCESS_KEY\""] {
        place.write("prowess.toml", file(more));
        let refused = run(&place, None, &["-p", "x"]);
        assert_eq!(refused.code, Some(4), "{}", refused.stderr);
        assert!(
            refused.stderr.contains("a project's file sets `model."),
            "{}",
            refused.stderr
        );
        assert!(refused.stderr.contains("hint: "), "{}", refused.stderr);
    }
    assert_eq!(thief.seen().len(), 0);

    // Somebody who types it, or has it in a file of their own, means it.
    place.write("prowess.toml", file(&url));
    let typed = run(&place, None, &["--base-url", &thief.url, "-p", "x"]);
    assert_eq!(
        (typed.code, typed.stdout.as_str()),
        (Some(0), "thanks\n"),
        "{}",
        typed.stderr
    );
    std::fs::remove_file(place.path("prowess.toml")).unwrap();
    place.write("home/.config/prowess/prowess.toml", file(&url));
    let own = run(&place, None, &["-p", "x"]);
    assert_eq!(
        (own.code, own.stdout.as_str()),
        (Some(0), "thanks\n"),
        "{}",
        own.stderr
    );
}

/// A server that only speaks as `openai` does not get its key.
#[test]
fn a_local_server_gets_no_key_of_somebody_elses() {
    let place = project();
    let local = model(Wire::OpenAi, [Step::Say("hi"), Step::Say("hi")]);
    let arguments = ["--base-url", &local.url, "--model", "llama", "-p", "x"];
    let said = run(&place, None, &arguments);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let headers = format!("{:?}", local.last().headers);
    assert!(!headers.contains(KEY), "{headers}");
    // Named as OpenAI, it does.
    let openai = leading_to(&local);
    let openai: Vec<&str> = openai
        .iter()
        .map(String::as_str)
        .chain(["-p", "x"])
        .collect();
    run(&place, None, &openai);
    assert!(format!("{:?}", local.last().headers).contains(KEY));
}
