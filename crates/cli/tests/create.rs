//! `prowess create`, and that what it makes works: in the jail, with the real program. The examples that show how, too.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use insta::assert_snapshot;
use prowess_testing::repository;
use serde_json::{Value, json};
use support::TestProject;

/// A project without skills.
fn new_project() -> TestProject {
    let project = TestProject::new();
    fs::create_dir(project.path(".git")).unwrap();
    project
}

fn create(project: &TestProject, arguments: &[&str]) {
    let run = project.run(&[&["create"], arguments].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

/// Nothing is said about it but that its author has to replace some text.
fn check(project: &TestProject, path: &str) {
    let run = project.run(&["check", path, "--json"]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let report = run.json();
    assert_eq!(report["summary"]["invalid"], 0);
    let skills = report["skills"].as_array().unwrap().iter();
    let mut found = skills.flat_map(|skill| skill["diagnostics"].as_array().unwrap());
    assert!(found.all(|it| it["code"] == "template-text"), "{report}");
}

fn say_hello(project: &TestProject, name: &str) {
    let target = format!("{name}/hello");
    let run = project.run(&["run", &target, "--approve-skills", name]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (Some(0), "Hello, world!\n"),
        "{}",
        run.stderr
    );
    let run = project.run(&[
        "run",
        &target,
        "--approve-skills",
        name,
        "--arg",
        "name=Ada \"x\" Ü",
    ]);
    assert_eq!(run.stdout, "Hello, Ada \"x\" Ü!\n", "{}", run.stderr);
}

/// Its own cases pass: two of the tool, and one of each other type.
fn test_cases(project: &TestProject, name: &str) {
    let path = format!(".agents/skills/{name}");
    let run = project.run(&["test", &path, "--approve-skills", name]);
    assert_eq!(run.code, Some(0), "{}", run.snapshot());
    assert!(run.stderr.starts_with("6 passed in "), "{}", run.snapshot());
}

/// Runs a build without the network; what it needs is what this very program was built with.
/// Runs the script that builds a skill. What it leaves behind stays for the next time.
fn build(script: &Path, kept: &str) {
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(kept);
    fs::create_dir_all(&kept).unwrap();
    std::os::unix::fs::symlink(kept, script.with_file_name(".target")).unwrap();
    let built = Command::new("sh")
        .arg(script)
        .arg("--offline")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
    assert!(!said.contains("warning"), "{said}");
}

#[test]
fn skill_without_code_is_created() {
    let project = new_project();
    let run = project.run(&[
        "create",
        "release-notes",
        "--description",
        "Writes them: \"all\" of them, if asked.",
    ]);
    assert_snapshot!(run.snapshot(), @r#"
    exit 0
    --- stdout
    .agents/skills/release-notes
      SKILL.md
    --- stderr
    next:
      prowess show release-notes
      prowess check .agents/skills/release-notes
    "#);
    check(&project, ".agents/skills/release-notes");
    let shown = project.run(&["info", "release-notes", "--json"]).json();
    let description = &shown["frontmatter"]["description"];
    assert_eq!(description, "Writes them: \"all\" of them, if asked.");
    let mode = fs::metadata(project.path(".agents/skills/release-notes")).unwrap();
    assert_ne!(mode.permissions().mode() & 0o055, 0, "others may read it");
}

#[test]
fn skill_is_created_beside_others() {
    let project = TestProject::new();
    create(&project, &["here"]);
    assert!(project.path("here/SKILL.md").is_file());
    create(&project, &["there", "--in", "some/where"]);
    assert!(project.path("some/where/there/SKILL.md").is_file());
    let run = project.run(&["create", "told", "--in", "some where", "--type", "tool"]);
    assert!(
        run.stderr
            .contains("prowess run told/hello --in 'some where'\n"),
        "{}",
        run.stderr
    );
    fs::create_dir_all(project.path(".agents/skills")).unwrap();
    let run = project.run(&["create", "with-others", "--json"]);
    assert_eq!(
        run.json(),
        json!({
            "version": 1,
            "name": "with-others",
            "path": ".agents/skills/with-others",
            "files": ["SKILL.md"],
            "next": ["prowess show with-others", "prowess check .agents/skills/with-others"],
        })
    );
}

#[test]
fn invalid_options_create_nothing() {
    let project = new_project();
    assert_snapshot!(project.run(&["create", "Release_Notes"]).snapshot(), @r"
    exit 2
    --- stdout
    --- stderr
    error: invalid skill name `Release_Notes`: upper-case letters, `_` is not allowed
    hint: use lower-case letters, digits and single hyphens, at most 64 characters, for example `release-notes`
    ");
    assert_snapshot!(project.run(&["create", "a", "--type", "prompt", "--language", "node"]).snapshot(), @r"
    exit 2
    --- stdout
    --- stderr
    error: a skill of type `prompt` has no code
    hint: omit --backend and --language, or add --type tool
    ");
    assert_snapshot!(project.run(&["create", "a", "--backend", "plugin", "--language", "node"]).snapshot(), @r"
    exit 2
    --- stdout
    --- stderr
    error: the plugin template supports Rust only
    hint: omit --language; for other languages, see the C interface in the documentation of prowess-sdk
    ");
    let long = "x".repeat(1100);
    assert_snapshot!(project.run(&["create", "a", "--description", &long]).snapshot(), @r"
    exit 2
    --- stdout
    --- stderr
    error: invalid --description: 1100 characters; the standard allows 1024
    hint: shorten it by 76 characters
    ");
    let empty = project.run(&["create", "a", "--description", " "]);
    assert_eq!(empty.code, Some(2), "{}", empty.stderr);
    assert!(!project.path(".agents").exists());
}

#[test]
fn cl4_existing_files_are_preserved() {
    let project = new_project();
    project.write(".agents/skills/notes/SKILL.md", "mine");
    project.write(".agents/skills/notes/more.md", "mine too");
    assert_snapshot!(project.run(&["create", "notes"]).snapshot(), @r"
    exit 1
    --- stdout
    --- stderr
    error: `.agents/skills/notes` already exists
    hint: use --force to overwrite the files of the template
    ");
    assert_eq!(project.read(".agents/skills/notes/SKILL.md"), "mine");
    create(&project, &["notes", "--force"]);
    assert!(
        project
            .read(".agents/skills/notes/SKILL.md")
            .starts_with("---\nname: notes\n")
    );
    assert_eq!(project.read(".agents/skills/notes/more.md"), "mine too");

    fs::create_dir(project.path("elsewhere")).unwrap();
    symlink(
        project.path("elsewhere"),
        project.path(".agents/skills/linked"),
    )
    .unwrap();
    let run = project.run(&["create", "linked", "--force"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("is not a directory"), "{}", run.stderr);
    assert_eq!(fs::read_dir(project.path("elsewhere")).unwrap().count(), 0);
    let left = fs::read_dir(project.path(".agents/skills"))
        .unwrap()
        .count();
    assert_eq!(left, 2, "nothing is left behind");
}

#[test]
fn code_that_needs_no_build_runs_at_once() {
    let project = new_project();
    for (name, arguments) in [
        ("in-starlark", ["--backend", "starlark"]),
        ("in-python", ["--language", "python"]),
        ("in-node", ["--language", "node"]),
        ("in-shell", ["--language", "shell"]),
    ] {
        create(&project, &[&[name], &arguments[..]].concat());
        say_hello(&project, name);
    }
    check(&project, ".agents/skills");
}

/// Everything that a template can hold.
const ALL: &str = "tool,prompt,workflow,security-rule,transform";

/// Says lines to a program, and hears its answers by their ids.
fn speak(command: &mut Command, name: &str, code: &Value) -> Vec<Value> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let skill = json!({
        "protocol": 1, "name": name, "version": "0.1.0", "permissions": [], "code": code,
    });
    let files = json!([{"path": "a.md", "text": "one\nTODO: two"}, {"path": "b.md", "text": ""}]);
    let response = json!({"phase": "OnAfterResponse", "data": {"response": "a \nb\t\n\nc"}});
    let requests = [
        ("initialize", skill),
        ("scanner/run", json!({"name": "unfinished", "files": files})),
        ("hook/handle", response),
        ("tool/execute", json!({"name": "none", "input": {}})),
        ("shutdown", Value::Null),
    ];
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut answers = Vec::new();
    for (id, (method, params)) in requests.iter().enumerate() {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        stdin.write_all(format!("{request}\n").as_bytes()).unwrap();
        let line = lines.next().unwrap().unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], json!(id), "{answer}");
        answers.push(answer);
    }
    assert!(child.wait().unwrap().success());
    answers
}

/// What every template answers.
fn check_answers(answers: &[Value]) {
    let finding = json!({
        "rule": "unfinished", "severity": "info", "file": "a.md", "line": 2,
        "message": "unfinished work",
    });
    assert_eq!(answers[1]["result"], json!({"findings": [finding]}));
    let modified = json!({"modified": {"response": "a\nb\n\nc"}});
    assert_eq!(answers[2]["result"], modified, "{}", answers[2]);
    let refused = answers[3].get("error").is_some() || answers[3]["result"]["is_error"] == true;
    assert!(refused, "{}", answers[3]);
    assert_eq!(answers[4].get("result"), Some(&Value::Null));
}

/// With everything at once, and with each type alone: what a template leaves out has to leave code behind.
#[test]
fn cl4_every_type_works_in_every_language() {
    let project = new_project();
    for (code, program) in [
        (
            "starlark",
            &[env!("CARGO_BIN_EXE_prowess"), "worker", "starlark"][..],
        ),
        ("python", &["python3", "main.py"]),
        ("node", &["node", "main.mjs"]),
        ("shell", &["sh", "main.sh"]),
    ] {
        let how = match code {
            "starlark" => "--backend",
            _ => "--language",
        };
        for kind in ["workflow", "security-rule", "transform", ALL] {
            let name = format!("{code}-{}", kind.split(',').next().unwrap());
            create(&project, &[&name, how, code, "--type", kind]);
            let named = ["--skills", &name, "--approve-skills", &name, "--json"];
            let run = project.run(&[&["trace"], &named[..]].concat());
            let skill = &run.json()["skills"][0];
            assert_eq!(
                (&skill["id"], &skill["state"]),
                (&json!(name), &json!("active")),
                "{skill}"
            );
        }
        check(&project, ".agents/skills");
        let name = format!("{code}-tool");
        say_hello(&project, &name);
        let directory = project.path(&format!(".agents/skills/{name}"));
        let text = fs::read_to_string(directory.join("skill.star")).unwrap_or_default();
        let source = json!({"entrypoint": "skill.star", "files": {"skill.star": text}});
        let mut command = Command::new(program[0]);
        command.args(&program[1..]).current_dir(directory);
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        check_answers(&speak(&mut command, &name, &source));
        fs::remove_dir_all(project.path(".agents/skills")).unwrap();
    }
    create(&project, &["house-style", "--type", "prompt"]);
    check(&project, ".agents/skills");
}

#[test]
fn cl115_rust_program_runs_after_the_build() {
    let project = new_project();
    create(&project, &["in-rust", "--language", "rust", "--type", ALL]);
    check(&project, ".agents/skills");
    let directory = project.path(".agents/skills/in-rust");
    build(&directory.join("build.sh"), "create-rust");
    check(&project, ".agents/skills");
    say_hello(&project, "in-rust");
    test_cases(&project, "in-rust");
    let mut program = Command::new(directory.join("program"));
    check_answers(&speak(&mut program, "in-rust", &Value::Null));
}

#[test]
fn cl115_plugin_runs_after_the_build() {
    let project = new_project();
    create(&project, &["native", "--backend", "plugin", "--type", ALL]);
    let missing = project.run(&["run", "native/hello", "--approve-skills", "native"]);
    assert_eq!(missing.code, Some(1), "{}", missing.stdout);
    project.write(".agents/skills/native/plugin.so", "this is no library");
    let wrong = project.run(&["run", "native/hello", "--approve-skills", "native"]);
    assert_eq!(wrong.code, Some(1), "{}", wrong.stdout);
    assert!(
        wrong
            .stderr
            .contains("`/skill/plugin.so` is not a shared library"),
        "{}",
        wrong.stderr
    );
    build(
        &project.path(".agents/skills/native/build.sh"),
        "create-plugin",
    );
    check(&project, ".agents/skills");
    say_hello(&project, "native");
    test_cases(&project, "native");
    let mut worker = project.command(&["worker", "plugin", ".agents/skills/native/plugin.so"]);
    check_answers(&speak(&mut worker, "native", &Value::Null));
    let manifest = project.read(".agents/skills/native/SKILL.yaml");
    project.write(
        ".agents/skills/native/SKILL.yaml",
        manifest.replace("0.1.0", "0.2.0"),
    );
    let stale = project.run(&["run", "native/hello", "--approve-skills", "native"]);
    let expected =
        "version mismatch: the skill is `native` 0.2.0, the plugin was built as `native` 0.1.0";
    assert!(stale.stderr.contains(expected), "{}", stale.stderr);
}

/// The example plugin, tested and built as its author would, then asked by the real program.
#[test]
fn the_example_plugin_answers_about_json() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("json-query");
    let manifest = repository().join("examples/plugins/json-query/Cargo.toml");
    for command in ["test", "build"] {
        let done = Command::new(env!("CARGO"))
            .args([
                command,
                "--offline",
                "--locked",
                "--quiet",
                "--manifest-path",
            ])
            .arg(&manifest)
            .arg("--target-dir")
            .arg(&target)
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    }
    let project = new_project();
    let skill = ".agents/skills/json-query";
    for file in ["SKILL.md", "SKILL.yaml"] {
        let from = manifest.with_file_name(file);
        project.write(&format!("{skill}/{file}"), fs::read(from).unwrap());
    }
    let library = fs::read(target.join("debug/libjson_query.so")).unwrap();
    project.write(&format!("{skill}/plugin.so"), library);
    check(&project, skill);
    project.write(
        "shop.json",
        r#"{"items": [{"name": "tea", "price": 3}, {"name": "pot", "price": 30}]}"#,
    );
    let ask = |target: &str, input: &str| {
        let run = project.run(&[
            "run",
            target,
            "--approve-skills",
            "json-query",
            "--input",
            input,
        ]);
        format!("{}{}", run.stdout, run.stderr)
    };
    let query = r#"{"path": "shop.json", "query": "$.items[?price < 10].name"}"#;
    assert_eq!(ask("json-query/json_query", query), "1 match:\n\"tea\"\n");
    let outline = "$: object\n$.items: array\n$.items[*]: 2 object\n$.items[*].name: 2 string\n$.items[*].price: 2 number\n";
    assert_eq!(
        ask("json-query/outline", r#"{"path": "shop.json"}"#),
        outline
    );
    let outside = ask("json-query/outline", r#"{"path": "/etc/passwd"}"#);
    assert!(outside.contains("is outside of the project"), "{outside}");
}

/// A copy of an example skill in a project.
fn example(name: &str) -> TestProject {
    let project = TestProject::copy_of(&format!("examples/code-skills/{name}"));
    fs::create_dir_all(project.path(".agents/skills")).unwrap();
    let from = project.path(&format!("examples/code-skills/{name}"));
    fs::rename(from, project.path(&format!(".agents/skills/{name}"))).unwrap();
    fs::remove_dir_all(project.path("examples")).unwrap();
    fs::create_dir(project.path(".git")).unwrap();
    project
}

#[test]
fn the_examples_speak_the_protocol_of_the_templates() {
    for (example, template) in [
        ("csv-summary/protocol.py", "python/protocol.py"),
        ("markdown-links/protocol.mjs", "node/protocol.mjs"),
    ] {
        let example = repository().join("examples/code-skills").join(example);
        let template = repository()
            .join("crates/cli/src/create/templates")
            .join(template);
        assert_eq!(
            fs::read_to_string(example).unwrap(),
            fs::read_to_string(template).unwrap()
        );
    }
}

#[test]
fn the_example_in_python_summarises_csv() {
    let project = example("csv-summary");
    project.write(
        "a.csv",
        "\u{feff}id;name;price\r\n1;\"Müller; \"\"Hans\"\"\";3,5\r\n2;x\r\n3;x;;more\r\n",
    );
    project.write("empty.csv", "");
    project.write("binary.csv", b"\xff\xfe");
    let run = |arguments: &[&str]| {
        project.run(&[&["run", "--approve-skills", "csv-summary"], arguments].concat())
    };
    assert_snapshot!(run(&["csv-summary/report", "--arg", "path=a.csv"]).snapshot(), @r#"
    exit 0
    --- stdout
    # a.csv

    3 rows, 3 columns.

    | column | type | filled | empty | distinct | min | max | mean | most frequent |
    |---|---|---|---|---|---|---|---|---|
    | id | integer | 3 | 0 | 3 | 1 | 3 | 2.0 |  |
    | name | text | 3 | 0 | 2 | Müller; "Hans" | x |  | x (2), Müller; "Hans" (1) |
    | price | text | 1 | 2 | 1 | 3,5 | 3,5 |  |  |

    2 rows have another number of fields, on line 3, 4.
    --- stderr
    "#);
    let summary = |path: &str| {
        let path = format!("path={path}");
        run(&["csv-summary/summarise_csv", "--arg", &path])
    };
    let empty = summary("empty.csv").json();
    assert_eq!((&empty["rows"], &empty["columns"]), (&json!(0), &json!([])));
    assert_eq!(summary("a.csv").json()["delimiter"], ";");
    for (path, expected) in [
        ("none.csv", "`none.csv`: is not there"),
        ("binary.csv", "`binary.csv`: is not UTF-8 text"),
        ("../x.csv", "`../x.csv` is outside of the project"),
    ] {
        let failed = summary(path);
        assert_eq!(failed.code, Some(1));
        assert!(failed.stderr.contains(expected), "{}", failed.stderr);
    }
}

#[test]
fn the_example_in_node_finds_broken_links() {
    let project = example("markdown-links");
    project.write(
        "README.md",
        "# Read me\n[a](docs/a.md#one--two) [b](docs/b.md) [c](#read-em) `[d](d.md)`\n",
    );
    project.write(
        "docs/a.md",
        "# One & Two\n[up](../README.md#read-me) [web](https://example.com)\n",
    );
    let run = |name: &str| project.run(&["run", "--approve-skills", "markdown-links", name]);
    assert_snapshot!(run("markdown-links/check_links").snapshot(), @r"
    exit 0
    --- stdout
    README.md:2: `docs/b.md`: there is no `docs/b.md`
    README.md:2: `#read-em`: `README.md` has no heading for `#read-em`; there is `#read-me`
    2 broken of 4 relative links in 2 files (1 to the web were not followed)
    --- stderr
    ");
    assert_eq!(run("markdown-links/check").code, Some(1));
    project.write("README.md", "# Read me\n");
    let run = run("markdown-links/check");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(
        run.stdout,
        "No broken link among 1 relative links in 2 files (1 to the web were not followed)\n"
    );
}
