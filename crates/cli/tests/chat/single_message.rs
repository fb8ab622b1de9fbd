//! One message, one answer.

use std::io::{Read, Write};
use std::process::Stdio;

use prowess_testing::model::{BOTH, KEY, Step, Wire, call};
use serde_json::json;

use crate::setup::{chat, events, leading_to, model, new_project, run, types};
use crate::support::{Run, TestProject};

fn fed(project: &TestProject, arguments: &[&str], input: &[u8]) -> Run {
    let mut child = chat(project, None, arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // It may have seen enough before the end.
    let _ = stdin.write_all(input);
    drop(stdin);
    Run::of(child.wait_with_output().unwrap())
}

#[test]
fn standard_output_is_only_the_answer() {
    for wire in BOTH {
        let project = new_project();
        let steps = [
            call("load_skill", &json!({"id": "haiku"})),
            Step::Say("**Rain** falls.\n\nThe end"),
        ];
        let model = model(wire, steps);
        let run = run(&project, Some(&model), &["-p", "something about rain"]);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (Some(0), "**Rain** falls.\n\nThe end\n")
        );
        assert!(run.stderr.contains("✓ load_skill haiku"), "{}", run.stderr);
        let last = model.last();
        last.assert_whole();
        assert!(last.system().contains("a user at a terminal"));
        assert_eq!(last.system().matches("<skill id=\"haiku\"").count(), 1);
        assert!(!model.seen()[0].body.to_string().contains("BODY-OF-HAIKU"));
        assert!(last.results()[0].contains("BODY-OF-HAIKU"));
    }
}

/// `prompt` prints the catalog that `chat` sends, however many skills there are and whatever the model takes.
#[test]
fn prompt_prints_what_chat_sends() {
    const MESSAGE: &str = "plan hikes, please";
    for count in [0, 400] {
        let project = new_project();
        for number in 0..count {
            project.write(
                &format!(".agents/skills/skill-{number}/SKILL.md"),
                format!("---\nname: skill-{number}\ndescription: Does thing {number}, which takes a while to describe well\n---\n"),
            );
        }
        for window in ["32768", "1000000"] {
            let model = model(Wire::OpenAi, [Step::Say("ok")]);
            let sent = ["-p", MESSAGE, "--context-window", window];
            assert_eq!(run(&project, Some(&model), &sent).code, Some(0));
            let system = model.last().system();
            let leading = leading_to(&model);
            let mut words = vec!["prompt", "--quiet", "--message", MESSAGE];
            words.extend(["--context-window", window]);
            words.extend(leading.iter().map(String::as_str));
            let prompt = project.run(&words);
            assert_eq!(prompt.code, Some(0), "{}", prompt.snapshot());
            let catalog = prompt.stdout.trim_end();
            assert!(
                catalog.contains("Plans hikes in the mountains"),
                "{catalog}"
            );
            assert_eq!(
                system.matches(catalog).count(),
                1,
                "{system}\n---\n{catalog}"
            );
        }
    }
}

#[test]
fn piped_input_is_added_to_the_message() {
    let project = new_project();
    let run = fed(&project, &[], "plan hikes, please\n".as_bytes());
    assert_eq!(run.code, Some(0));
    assert!(
        run.stdout.contains("`hiking` matches best"),
        "{}",
        run.stdout
    );
    let run = fed(
        &project,
        &["-p", "/haiku"],
        "line one\r\nline two 🦀\r\n".as_bytes(),
    );
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let list = fed(&project, &["--list", "--json"], b"");
    assert_eq!(list.json()[0]["title"], "/haiku line one line two 🦀");
}

#[test]
fn invalid_messages_are_rejected_before_a_request() {
    let project = new_project();
    for (input, said) in [
        (&b"  \n"[..], "missing message"),
        (&[0xff, 0xfe, b'x'], "not UTF-8 text"),
        (
            &vec![b'x'; 10 * 1024 * 1024],
            "10485760 bytes, at most 1048576 allowed",
        ),
    ] {
        let run = fed(&project, &[], input);
        assert_ne!(run.code, Some(0));
        assert!(run.stderr.contains(said), "{}", run.stderr);
        assert_eq!(run.stdout, "");
    }
    // Nobody there, and nothing to say.
    let run = run(&project, None, &[]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr
            .contains("hint: send a message with `prowess chat -p MESSAGE`"),
        "{}",
        run.stderr
    );
    assert_eq!(fed(&project, &["--list", "--json"], b"").json(), json!([]));
}

#[test]
fn json_prints_events() {
    let project = new_project();
    let steps = [
        Step::Call(
            "Let me see.",
            vec![("load_skill", json!({"id": "haiku"}).to_string())],
        ),
        Step::Say("done"),
    ];
    let model = model(Wire::OpenAi, steps);
    let run = run(&project, Some(&model), &["--json", "-p", "/hiking rain"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let all = events(&run);
    let of = |kind: &str| all.iter().find(|event| event["type"] == kind).unwrap();
    assert_eq!(all[0]["type"], "chat");
    assert_eq!(all[0]["model"], "openai/scripted-1");
    assert_eq!(all.last().unwrap()["text"], "done");
    assert_eq!(all.last().unwrap()["ending"], "answered");
    assert_eq!(of("tool-started")["arguments"], json!({"id": "haiku"}));
    assert_eq!(of("tool-finished")["is_error"], false);
    assert_eq!(of("usage")["requests"], 2);
    let loaded: Vec<_> = all
        .iter()
        .filter(|event| event["type"] == "skill-loaded")
        .collect();
    assert_eq!(
        (&loaded[0]["id"], &loaded[0]["by"]),
        (&json!("hiking"), &json!("user"))
    );
    assert_eq!(
        (&loaded[1]["id"], &loaded[1]["by"]),
        (&json!("haiku"), &json!("model"))
    );
    assert!(types(&all).contains(&"text"));

    // The chat goes on where it was: its skills are active, and its words are there.
    let id = all[0]["id"].as_str().unwrap();
    let again = self::model(Wire::OpenAi, [Step::Say("more")]);
    let run = crate::setup::run(
        &project,
        Some(&again),
        &["--resume", id.get(..6).unwrap(), "-p", "and then?"],
    );
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (Some(0), "more\n"),
        "{}",
        run.stderr
    );
    let messages = again.last().messages();
    assert!(messages[0].1.contains("BODY-OF-HIKING") && messages[0].1.ends_with("rain"));
    assert!(
        messages
            .iter()
            .any(|(role, text)| role == "tool" && text.contains("BODY-OF-HAIKU"))
    );
    assert_eq!(messages.last().unwrap().1, "and then?");
}

#[test]
fn chats_are_listed_forked_and_deleted() {
    let project = new_project();
    assert_eq!(run(&project, None, &["--list"]).stderr, "no saved chats\n");
    let failed = run(&project, None, &["--resume", "-p", "x"]);
    assert!(
        failed.stderr.contains("no saved chats") && failed.code == Some(1),
        "{failed:?}"
    );
    run(&project, None, &["-p", "first about haiku"]);
    run(&project, None, &["-p", "not saved", "--no-save"]);
    let list = run(&project, None, &["--list", "--json"]).json();
    assert_eq!(
        (list.as_array().unwrap().len(), &list[0]["turns"]),
        (1, &json!(1))
    );
    let id = list[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(
        run(&project, None, &["--resume", &id, "--fork", "-p", "a copy"]).code,
        Some(0)
    );
    assert_eq!(
        run(
            &project,
            None,
            &["--resume", "--quiet", "-p", "the last one goes on"]
        )
        .code,
        Some(0)
    );
    let list = run(&project, None, &["--list", "--json"]).json();
    let turns: Vec<_> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|chat| chat["turns"].as_u64().unwrap())
        .collect();
    assert_eq!(turns.iter().sum::<u64>(), 4, "{list}");
    let fork = list
        .as_array()
        .unwrap()
        .iter()
        .find(|chat| chat["forked_from"] == id.as_str());
    assert!(fork.is_some(), "{list}");
    let table = run(&project, None, &["--list"]).stdout;
    assert!(
        table.starts_with("id ")
            && table.contains("just now")
            && table.contains("first about haiku"),
        "{table}"
    );
    assert_eq!(run(&project, None, &["--delete", &id]).code, Some(0));
    let gone = run(&project, None, &["--resume", &id, "-p", "x"]);
    assert!(
        gone.stderr.contains(&format!("unknown chat `{id}`")),
        "{}",
        gone.stderr
    );
    assert!(
        gone.stderr.contains("hint: run `prowess chat --list`"),
        "{}",
        gone.stderr
    );
}

/// Whatever the provider does: a clear error, and the chat on disk is whole.
#[test]
fn provider_errors_are_reported_with_hints() {
    let refused = |status: u16, reason: &str| {
        let body = json!({"error": {"message": reason}}).to_string();
        Step::Status(status, Vec::new(), body)
    };
    for wire in BOTH {
        for (step, code, stdout, said) in [
            (refused(401, "bad key"), 4, "", "rejected the key"),
            (
                refused(404, "no such model"),
                1,
                "",
                "does not know the model `scripted-1`",
            ),
            (
                refused(400, "no such option"),
                1,
                "",
                "answered 400: no such option",
            ),
            (
                Step::Die("Half an ans"),
                1,
                "Half an ans\n",
                "is incomplete",
            ),
            (Step::Report("Half"), 1, "Half\n", "error: "),
        ] {
            let project = new_project();
            let model = model(wire, [Step::Say("whole"), step, Step::Say("again")]);
            assert_eq!(run(&project, Some(&model), &["-p", "one"]).code, Some(0));
            let failed = run(&project, Some(&model), &["--resume", "-p", "two"]);
            assert_eq!(
                (failed.code, failed.stdout.as_str()),
                (Some(code), stdout),
                "{wire:?}: {}",
                failed.stderr
            );
            assert!(failed.stderr.contains(said), "{said}: {}", failed.stderr);
            assert!(!failed.stderr.contains(KEY), "{}", failed.stderr);
            let after = run(&project, Some(&model), &["--resume", "-p", "three"]);
            assert_eq!(
                (after.code, after.stdout.as_str()),
                (Some(0), "again\n"),
                "{}",
                after.stderr
            );
            model.last().assert_whole();
        }
    }
}

#[test]
fn invalid_tool_calls_are_answered() {
    let project = new_project();
    let steps = [
        Step::Call(
            "",
            vec![
                ("load_skill", "{not json".to_owned()),
                ("fly_away", "{}".to_owned()),
                ("load_skill", json!({"id": "hakiu"}).to_string()),
            ],
        ),
        Step::Say("well"),
    ];
    let model = model(Wire::Anthropic, steps);
    let run = run(&project, Some(&model), &["-p", "x"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "well\n"));
    assert_eq!(run.stderr.matches('✗').count(), 3, "{}", run.stderr);
    let results = model.last().results();
    assert!(results[2].contains("haiku"), "{results:?}");
}

#[test]
fn chat_without_a_terminal_needs_a_message() {
    let project = new_project();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let mut command = chat(
        &project,
        None,
        &["--base-url", &url, "--model", "m", "-p", "x"],
    );
    let run = Run::of(command.output().unwrap());
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr.contains("cannot reach `local`")
            && run
                .stderr
                .contains("hint: check that the server is running"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("retrying in"), "{}", run.stderr);
}

#[test]
fn no_tools_are_offered_without_tool_use() {
    let project = new_project();
    let model = model(Wire::OpenAi, [Step::Say("ok"), Step::Say("ok")]);
    let run = run(&project, Some(&model), &["--no-tools", "-p", "/haiku rain"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let seen = model.last();
    assert_eq!(seen.tools(), []);
    assert!(!seen.system().contains("load_skill"), "{}", seen.system());
    assert!(seen.messages()[0].1.contains("BODY-OF-HAIKU"));
    project.write("prowess.toml", "[model]\ntools = false\n");
    crate::setup::run(&project, Some(&model), &["-p", "x"]);
    // What is configured is for the provider that is configured; here nobody is.
    assert_eq!(model.last().tools().len(), 4);
}

#[test]
fn named_skills_are_active_in_the_first_turn() {
    let project = new_project();
    let model = model(Wire::OpenAi, [Step::Say("ok")]);
    let said = run(&project, Some(&model), &["--skills", "haiku", "-p", "rain"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(model.last().system().contains("BODY-OF-HAIKU"));
    let missing = run(&project, None, &["--skills", "hakiu", "-p", "rain"]);
    assert_eq!(missing.code, Some(1));
    assert!(
        missing
            .stderr
            .contains("cannot preload `hakiu`: unknown skill; did you mean haiku?"),
        "{}",
        missing.stderr
    );
}

/// The last event marks the end, also after a failure.
#[test]
fn failures_end_the_events() {
    let project = new_project();
    let huge = vec![b'x'; 2 * 1024 * 1024];
    for (arguments, input) in [
        (
            &["--json", "--provider", "nobody", "--model", "m"][..],
            &b"x"[..],
        ),
        (&["--json", "--resume", "nothing"], b"x"),
        (&["--json"], &huge),
        (&["--json"], b" "),
    ] {
        let run = fed(&project, arguments, input);
        assert_ne!(run.code, Some(0));
        let all = events(&run);
        assert_eq!(types(&all), ["failed", "done"], "{arguments:?}");
        assert_eq!(all[1]["ending"], "failed");
    }
}

/// A program that a tool runs ends with us, also when it is the system that ends us.
#[cfg(target_os = "linux")]
#[test]
fn child_processes_end_with_the_program() {
    let project = new_project();
    let seconds = format!("{}", 300_000 + std::process::id());
    let steps = [
        call("load_skill", &json!({"id": "core-tools"})),
        call("run_command", &json!({"command": ["sleep", seconds]})),
    ];
    let model = model(Wire::OpenAi, steps);
    let arguments = ["--approve-skills", "core-tools", "-p", "sleep"];
    let mut child = chat(&project, Some(&model), &arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let command = format!("sleep\0{seconds}\0");
    let sleeps = || {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let mut lines = processes.filter_map(|it| std::fs::read(it.path().join("cmdline")).ok());
        lines.any(|line| line.ends_with(command.as_bytes()))
    };
    let until = |wanted: bool| {
        let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while sleeps() != wanted {
            assert!(std::time::Instant::now() < end, "it should be {wanted}");
        }
    };
    until(true);
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    child.wait().unwrap();
    until(false);
}

/// The text is in the pipe before the answer is complete.
#[test]
fn cl71_answer_is_streamed_into_a_pipe() {
    let project = new_project();
    let steps = [
        Step::Call(
            "Let me look.",
            vec![("load_skill", r#"{"id":"haiku"}"#.to_owned())],
        ),
        Step::Hang("Once upon a time"),
    ];
    let model = model(Wire::OpenAi, steps);
    let mut child = chat(&project, Some(&model), &["-p", "tell"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let expected = "Let me look.\n\nOnce upon a time";
    let mut seen = vec![0; expected.len()];
    child.stdout.take().unwrap().read_exact(&mut seen).unwrap();
    assert_eq!(String::from_utf8(seen).unwrap(), expected);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A skill that may change the answer: only what it makes of it is in the pipe.
#[test]
fn changed_answer_is_written_once() {
    let project = new_project();
    let manifest = "name: loud\nversion: 1.0.0\ndescription: Shouts\ntypes: [transform]\npermissions: []\ntriggers:\n  keywords: [shout]\nimplementation:\n  backend: starlark\n  entrypoint: skill.star\n";
    let code = "def loud(data):\n    return hook_result(modified = {'response': data['response'].upper()})\n\nregister_hook('OnAfterResponse', loud)\n";
    let directory = "home/.agents/skills/loud";
    project
        .write(
            &format!("{directory}/SKILL.md"),
            "---\nname: loud\ndescription: Shouts\n---\nShout.\n",
        )
        .write(&format!("{directory}/SKILL.yaml"), manifest)
        .write(&format!("{directory}/skill.star"), code);
    let model = model(Wire::OpenAi, [Step::Say("hello there\n")]);
    let run = run(
        &project,
        Some(&model),
        &["--approve-skills", "loud", "-p", "shout, please"],
    );
    assert_eq!(run.stdout, "HELLO THERE\n", "{}", run.stderr);
}

/// A server that is silent: before its answer, and in the middle of it.
#[test]
fn cl72_silence_times_out_by_a_setting() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}/v1", silent.local_addr().unwrap());
    let hanging = model(Wire::OpenAi, [Step::Hang("Once upon")]);
    let thinking = model(Wire::OpenAi, [Step::Hang("")]);
    for (url, setting, text) in [
        (&nobody, "first_byte_seconds", ""),
        // An answer begins with its first text, not with the first event.
        (&thinking.url, "first_byte_seconds", ""),
        (&hanging.url, "between_bytes_seconds", "Once upon\n"),
    ] {
        let project = new_project();
        project.write(
            "home/.config/prowess/prowess.toml",
            format!("[model]\n{setting} = 1\n"),
        );
        let run = run(
            &project,
            None,
            &["--base-url", url, "--model", "m", "-p", "hi"],
        );
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), text));
        let host = url
            .strip_prefix("http://")
            .unwrap()
            .strip_suffix("/v1")
            .unwrap();
        let message = format!("timed out after 1 s without data from {host}");
        assert!(run.stderr.contains(&message), "{}", run.stderr);
        let hint = format!("set `{setting}` under [model] in your own prowess.toml");
        assert!(run.stderr.contains(&hint), "{}", run.stderr);
        assert!(!run.stderr.contains("retrying"), "{}", run.stderr);
    }
}
