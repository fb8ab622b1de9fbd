//! What an approval covers.

use crate::support::terminal::{answering, answering_in, plain};
use crate::support::{Run, TestProject};

/// A skill with a tool that runs whatever it is given.
fn runner(project: &TestProject, directory: &str, name: &str) {
    project
        .write(
            &format!("{directory}/{name}/SKILL.md"),
            format!("---\nname: {name}\ndescription: Runs things.\n---\nRun.\n"),
        )
        .write(
            &format!("{directory}/{name}/SKILL.yaml"),
            format!("name: {name}\nversion: 1.0.0\ndescription: Runs things.\ntypes: [tool]\npermissions: [\"shell:exec\"]\nimplementation:\n  backend: starlark\n  entrypoint: run.star\n"),
        )
        .write(
            &format!("{directory}/{name}/run.star"),
            "register_tool(\"go\", \"Runs.\", lambda input: exec(reach = input.get(\"reach\"), *input[\"command\"])[\"stdout\"])\n",
        );
}

fn new_project() -> TestProject {
    let project = TestProject::new();
    project.write(".git/HEAD", "");
    project
}

fn go(command: &str) -> [String; 4] {
    let words: Vec<&str> = command.split(' ').collect();
    let input = serde_json::json!({"command": words}).to_string();
    ["run".into(), "runner/go".into(), "--input".into(), input]
}

fn run(project: &TestProject, command: &str, more: &[&str]) -> Run {
    let words = go(command);
    let words: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .chain(more.iter().copied())
        .collect();
    Run::of(project.command_as_typed(&words).output().unwrap())
}

fn typed(project: &TestProject, command: &str, answers: &str) -> String {
    let words = go(command);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    plain(&answering(project, 120, &words, "[D]eny: ", answers))
}

#[test]
fn q13_always_counts_in_the_project_it_was_given_in() {
    let here = new_project();
    runner(&here, ".agents/skills", "runner");
    let shown = typed(&here, "echo one", "a\na\n");
    assert!(shown.contains("one\r\n"), "{shown}");
    assert_eq!(run(&here, "echo one", &[]).code, Some(0));
    // The same bytes in a hostile project, of the same user.
    let there = new_project();
    runner(&there, ".agents/skills", "runner");
    let words = go("echo one");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut command = there.command(&words);
    command.env("HOME", here.path("home"));
    let refused = Run::of(command.output().unwrap());
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    let listed = here.run(&["permissions"]);
    let root = here.root().canonicalize().unwrap();
    assert!(
        listed.stdout.contains(root.to_str().unwrap()),
        "{}",
        listed.stdout
    );
    assert!(
        listed.stdout.contains("command: echo one"),
        "{}",
        listed.stdout
    );
}

#[test]
fn q13_everywhere_is_a_choice_of_its_own_and_only_for_the_users_skills() {
    let here = new_project();
    runner(&here, "home/.agents/skills", "runner");
    let shown = typed(&here, "echo one", "e\no\n");
    assert!(shown.contains("[e]verywhere"), "{shown}");
    let there = new_project();
    let words = go("echo one");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut command = there.command(&words);
    command.env("HOME", here.path("home"));
    // Its code runs without a question; the command is asked about, and there is nobody.
    let run = Run::of(command.output().unwrap());
    assert!(
        run.stderr.contains("no approver is available")
            || run.stdout.contains("no approver is available"),
        "{}",
        run.snapshot()
    );

    let theirs = new_project();
    runner(&theirs, ".agents/skills", "runner");
    let shown = typed(&theirs, "echo one", "e\nd\n");
    assert!(!shown.contains("[e]verywhere"), "{shown}");
    assert!(shown.contains("denied"), "{shown}");
}

#[test]
fn q14_a_name_covers_only_built_in_skills_and_the_users_own() {
    let project = new_project();
    runner(&project, ".agents/skills", "runner");
    let refused = run(&project, "echo one", &["--approve-skills", "runner"]);
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    assert!(
        refused
            .stderr
            .contains("`runner` comes from .agents/skills"),
        "{}",
        refused.stderr
    );
    let (_, digest) = refused.stderr.split_once("runner@sha256:").unwrap();
    let digest: String = digest.chars().take(64).collect();
    let named = format!("runner@sha256:{digest}");
    let accepted = run(&project, "echo one", &["--approve-skills", &named]);
    assert_eq!(accepted.stdout.trim(), "one", "{}", accepted.stderr);
    // One changed byte is another skill.
    project.write(".agents/skills/runner/extra.txt", "x");
    let refused = run(&project, "echo one", &["--approve-skills", &named]);
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("has the digest sha256:"),
        "{}",
        refused.stderr
    );

    let own = new_project();
    runner(&own, "home/.agents/skills", "runner");
    let accepted = run(&own, "echo one", &["--approve-skills", "runner"]);
    assert_eq!(accepted.stdout.trim(), "one", "{}", accepted.stderr);
}

#[test]
fn q14_the_users_file_does_not_cover_a_projects_skill_of_that_name() {
    let project = new_project();
    runner(&project, ".agents/skills", "runner");
    project.write(
        "home/.config/prowess/prowess.toml",
        "[permissions.approved]\nrunner = [\"shell:exec\"]\n",
    );
    assert_eq!(run(&project, "echo one", &[]).code, Some(4));
}

#[test]
fn q17_a_command_is_shown_and_asked_with_what_it_can_reach() {
    let project = new_project();
    runner(&project, ".agents/skills", "runner");
    let shown = typed(&project, "echo one", "o\no\n");
    let root = project.root().canonicalize().unwrap();
    let root = root.to_str().unwrap();
    let quotes = if root.contains(' ') { "'" } else { "" };
    for line in [
        "wants to run:",
        "  echo one",
        &format!("  in {quotes}{root}{quotes}"),
        "in the sandbox",
        "always any `echo` [p]rogram here",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let shown = typed(&project, "sh -c id", "o\nd\n");
    assert!(shown.contains("[p]rogram"), "{shown}");
    assert!(shown.contains("denied"), "{shown}");
}

/// Each reach has a question of its own, and gets what the question says and no more.
#[test]
fn q17_network_and_the_machine_are_asked_about_and_then_reached() {
    let project = new_project();
    runner(&project, ".agents/skills", "runner");
    project.write("home/.ssh/id_ed25519", "SECRET-KEY");
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let attempt = format!(
        "import socket, pathlib\n\
         try:\n    socket.create_connection(('127.0.0.1', {port}), 5).close()\n    print('connected')\n\
         except OSError:\n    print('no network')\n\
         try:\n    print(pathlib.Path('home/.ssh/id_ed25519').resolve().read_text())\n\
         except OSError:\n    print('no key')\n",
    );
    project.write("attempt.py", attempt);
    let ask = |reach: &str, answers: &str| {
        let input = serde_json::json!({"command": ["python3", "attempt.py"], "reach": reach});
        let input = input.to_string();
        let words = ["run", "runner/go", "--input", &input];
        plain(&answering(&project, 120, &words, "[D]eny: ", answers))
    };
    let cases = [
        ("sandbox", "in the sandbox", ["no network", "no key"]),
        ("network", "full network access", ["connected", "no key"]),
        (
            "unconfined",
            "outside the sandbox",
            ["connected", "SECRET-KEY"],
        ),
    ];
    for (reach, question, results) in cases {
        let denied = ask(reach, "o\nd\n");
        assert!(denied.contains(question), "{reach}: {denied}");
        for result in ["connected", "SECRET-KEY"] {
            assert!(!denied.contains(result), "{reach}: {denied}");
        }
        let allowed = ask(reach, "o\no\n");
        for result in results {
            assert!(allowed.contains(result), "{reach}: {allowed}");
        }
    }
}

#[test]
fn q18_once_is_once_for_commands() {
    let project = new_project();
    runner(&project, "home/.agents/skills", "runner");
    let words = ["run", "runner/go", "--input"];
    let twice = "{\"command\": [\"echo\", \"one\"]}";
    let shown = plain(&answering(
        &project,
        120,
        &[&words[..], &[twice]].concat(),
        "[D]eny: ",
        "a\no\n",
    ));
    assert!(shown.contains("one\r\n"), "{shown}");
    // The right was given for always, the command once: the command is asked about again.
    let again = run(&project, "echo one", &[]);
    assert!(
        (again.stdout.clone() + &again.stderr).contains("needs approval: run this command"),
        "{}",
        again.snapshot()
    );
    // A program may be approved with any arguments.
    let shown = typed(&project, "echo one", "p\n");
    assert!(shown.contains("one\r\n"), "{shown}");
    assert_eq!(run(&project, "echo two", &[]).stdout.trim(), "two");
    assert_ne!(run(&project, "ls", &[]).code, Some(0));
}

/// The attack: the user's file approves `core-tools`, and the user names a directory of the project.
#[test]
fn q14_naming_a_directory_of_the_project_approves_nothing_in_it() {
    let project = new_project();
    runner(&project, "skills", "core-tools");
    project.write(
        "home/.config/prowess/prowess.toml",
        "[permissions.approved]\ncore-tools = [\"shell:exec\"]\n",
    );
    let input = "{\"command\": [\"touch\", \"started\"]}";
    for named in [&["--in", "skills"][..], &["--skills", "./skills"]] {
        let words = ["run", "core-tools/go", "--input", input];
        let words: Vec<&str> = words.iter().chain(named).copied().collect();
        let run = Run::of(project.command_as_typed(&words).output().unwrap());
        assert_ne!(run.code, Some(0), "{}", run.snapshot());
        assert!(!project.path("started").exists(), "{}", run.snapshot());
    }
}

/// The attack: what decides is not in the words of the command.
#[test]
fn q18_standard_input_and_variables_are_asked_about_each_time() {
    let project = new_project();
    project
        .write(
            "home/.agents/skills/feeder/SKILL.md",
            "---\nname: feeder\ndescription: Feeds.\n---\nFeed.\n",
        )
        .write(
            "home/.agents/skills/feeder/SKILL.yaml",
            "name: feeder\nversion: 1.0.0\ndescription: Feeds.\ntypes: [tool]\npermissions: [\"shell:exec\"]\nimplementation:\n  backend: starlark\n  entrypoint: run.star\n",
        )
        .write(
            "home/.agents/skills/feeder/run.star",
            "register_tool(\"feed\", \"Feeds.\", lambda input: exec(stdin = input[\"text\"], *[\"cat\"])[\"stdout\"])\n",
        );
    let words = |text: &str| {
        let input = serde_json::json!({ "text": text }).to_string();
        [
            "run".to_owned(),
            "feeder/feed".into(),
            "--input".into(),
            input,
        ]
    };
    let first = words("harmless");
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    let shown = plain(&answering(&project, 120, &first, "[D]eny: ", "a\no\n"));
    assert!(shown.contains("reading harmless"), "{shown}");
    assert!(!shown.contains("lways this command"), "{shown}");
    let second = words("other");
    let second: Vec<&str> = second.iter().map(String::as_str).collect();
    assert_ne!(project.run(&second).code, Some(0));
}

/// The attack: a token that may write exchanges the code of a skill that the user approved by its name.
#[test]
fn q40_a_name_means_what_it_meant_when_it_was_first_used() {
    let project = TestProject::new();
    runner(&project, "home/.agents/skills", "runner");
    project.write("work/file", "").write(
        "home/.config/prowess/prowess.toml",
        "[permissions.approved]\nrunner = [\"shell:exec\"]\ncore-tools = [\"file:read\", \"file:write\", \"shell:exec\"]\n",
    );
    let command = |words: &[&str]| {
        let mut command = project.command_as_typed(words);
        command.current_dir(project.path("work"));
        command
    };
    let run = |words: &[&str]| Run::of(command(words).output().unwrap());
    let words = go("echo one");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let list = ["run", "core-tools/list_directory"];
    assert_eq!(run(&list).code, Some(0));
    for _ in 0..2 {
        let run = run(&words);
        assert_eq!(run.stdout.trim(), "one", "{}", run.snapshot());
    }
    let script = "home/.agents/skills/runner/run.star";
    let first = project.read(script);
    project
        .write(script, format!("{first}# other\n"))
        .write("home/.agents/skills/runner/more.star", "x = 1\n");
    let refused = run(&words);
    assert_eq!(refused.code, Some(4), "{}", refused.snapshot());
    assert!(
        refused.stderr.contains("`runner` changed since"),
        "{}",
        refused.stderr
    );
    assert!(!refused.stdout.contains("one"), "{}", refused.stdout);
    // Revoking decides nothing about what a name means.
    run(&["permissions", "revoke", "runner"]);
    assert_eq!(run(&words).code, Some(4));
    let shown = plain(&answering_in(command(&words), 120, "[D]eny: ", "d\n"));
    for expected in [
        "It changed since its last approval",
        "added         more.star",
        "changed       run.star",
    ] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    // The bytes of the first use are still covered, and other skills go on.
    project.write(script, first);
    std::fs::remove_file(project.path("home/.agents/skills/runner/more.star")).unwrap();
    assert_eq!(run(&words).stdout.trim(), "one");
    assert_eq!(run(&list).code, Some(0));
}

/// The attack: what a command really does stands behind as much text as a question shows.
#[test]
fn q41_what_was_not_shown_is_not_allowed() {
    let project = new_project();
    runner(&project, ".agents/skills", "runner");
    let long = format!("echo {} THE-END", "x".repeat(4_000));
    // Nothing but reading on, or denying.
    let shown = typed(&project, &long, "o\no\n");
    assert!(shown.contains("Not all of it: "), "{shown}");
    assert!(
        !shown.contains("Run it?") && !shown.contains("THE-END"),
        "{shown}"
    );
    assert!(shown.contains("denied"), "{shown}");
    let read = format!("o\n{}o\n", "\n".repeat(pages_of(&shown)));
    let shown = typed(&project, &long, &read);
    let (before, after) = shown.split_once("Run it?").unwrap();
    assert!(before.contains("THE-END"), "{shown}");
    assert!(after.contains("THE-END\r\n"), "{shown}");

    // More than anybody reads is not even asked.
    let long = format!("echo {}", "x".repeat(70_000));
    let shown = typed(&project, &long, "o\no\n");
    assert!(shown.contains("too much to be read"), "{shown}");
    assert!(!shown.contains("Run it?"), "{shown}");
}

/// How often a reader goes on until everything was shown, by the count of the first page.
fn pages_of(shown: &str) -> usize {
    let (_, rest) = shown.split_once("Not all of it: ").unwrap();
    let left: usize = rest.split(' ').next().unwrap().parse().unwrap();
    let page = shown.lines().filter(|line| line.contains("xxxx")).count();
    left.div_ceil(page.max(1))
}
