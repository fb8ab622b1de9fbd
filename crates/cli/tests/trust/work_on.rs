//! Skills that their author names by path.

use std::fs;
use std::process::Command;

use prowess_testing::git;
use serde_json::{Value, json};

use crate::support::terminal::{answering_in, plain};
use crate::support::{Run, TestProject, started};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A script that says what it reaches.
const LOOK: &str = "\
import os, socket
print('project' if os.path.exists('/project') else 'no project')
try:
    socket.create_connection(('127.0.0.1', 1), 1)
except ConnectionRefusedError:
    print('network')
except OSError:
    print('no network')
open('out.txt', 'w').write('x')
";

/// A skill whose tool writes a file of the project and runs commands.
const TOOLS: &str = "\
def save(input):
    write_file(input['path'], 'saved')
    return 'saved'

register_tool('save', 'Saves.', save)
register_tool('go', 'Runs.', lambda input: exec(*input['command'])['stdout'])
";

fn manifest(name: &str, permissions: &[&str]) -> String {
    format!(
        "name: {name}\nversion: 1.0.0\ndescription: Runs things.\ntypes: [tool]\npermissions: {}\nimplementation:\n  backend: starlark\n  entrypoint: run.star\n",
        json!(permissions)
    )
}

/// A repository with a skill in `mine`, which is no place where skills are looked for.
fn project(permissions: &[&str]) -> TestProject {
    let project = TestProject::new();
    git(project.root(), &["init", "-q", "-b", "main"]);
    project
        .write(
            "mine/SKILL.md",
            "---\nname: mine\ndescription: Runs things.\n---\nRun.\n",
        )
        .write("mine/run.star", TOOLS)
        .write("mine/SKILL.yaml", manifest("mine", permissions));
    project.write(".gitignore", "home\n");
    commit(&project);
    project
}

fn commit(project: &TestProject) {
    git(project.root(), &["add", "-A"]);
    let author = ["-c", "user.name=A", "-c", "user.email=a@example.net"];
    git(
        project.root(),
        &[&author[..], &["commit", "-q", "--allow-empty", "-m", "x"]].concat(),
    );
}

fn run(project: &TestProject, name: &str, input: &Value) -> Run {
    let target = format!("./mine/{name}");
    let words = ["run", &target, "--input", &input.to_string()];
    Run::of(project.command_as_typed(&words).output().unwrap())
}

fn echo(project: &TestProject) -> Run {
    run(project, "go", &json!({"command": ["echo", "one"]}))
}

/// The user accepts at a terminal.
fn work_on(project: &TestProject) -> String {
    let command = project.command_as_typed(&["trust", "--work-on", "mine"]);
    plain(&answering_in(command, 120, "[y/N] ", "y\n"))
}

fn assert_ended(project: &TestProject, why: &str) {
    let refused = echo(project);
    assert_eq!(refused.code, Some(4), "{why}: {refused:?}");
    assert!(refused.stderr.contains("shell:exec"), "{why}: {refused:?}");
    let listed = project.run(&["trust", "--list", "--json"]).json();
    assert_eq!(listed["work"], json!([]), "{why}");
}

#[test]
fn q51_a_path_approves_a_run_that_sees_the_skill_and_scratch_only() {
    let project = TestProject::new();
    project.write(".git/HEAD", "");
    project.skill("plain");
    project.write("plain/scripts/look.py", LOOK);
    let run = |words: &[&str]| Run::of(project.command_as_typed(words).output().unwrap());
    let alone = run(&["run", "./plain/scripts/look.py", "--write"]);
    assert_eq!(alone.code, Some(0), "{alone:?}");
    assert_eq!(alone.stdout, "no project\nno network\n");
    assert_eq!(project.read("out.txt"), "x", "the user said --write");
    // Nothing of it is remembered, and the name of a skill approves nothing.
    project.write(
        ".agents/skills/plain/SKILL.md",
        project.read("plain/SKILL.md"),
    );
    project.write(".agents/skills/plain/scripts/look.py", LOOK);
    let named = run(&["run", "plain/scripts/look.py"]);
    assert_eq!(named.code, Some(4), "{named:?}");
    project.write(
        "home/.config/prowess/prowess.toml",
        "[skills]\nsandbox = \"none\"\n",
    );
    let unconfined = run(&["run", "./plain/scripts/look.py"]);
    assert_eq!(unconfined.code, Some(4), "{unconfined:?}");
    let none = run(&["run", "./nothing/scripts/look.py"]);
    assert_eq!(none.code, Some(1), "{none:?}");
    assert!(
        none.stderr
            .contains("no skill at `./nothing/scripts/look.py`"),
        "{none:?}"
    );
}

#[test]
fn q51_a_path_approves_neither_the_project_nor_the_network_nor_commands() {
    for permission in [
        "file:read",
        "file:write",
        "net:fetch",
        "shell:exec",
        "env:read",
    ] {
        let project = project(&[permission]);
        let refused = run(&project, "save", &json!({"path": "a.txt"}));
        assert_eq!(refused.code, Some(4), "{refused:?}");
        let asked = format!("needs approval: {permission}");
        assert!(refused.stderr.contains(&asked), "{refused:?}");
    }
}

#[test]
fn q51_a_tested_path_is_approved_with_a_project_of_its_own() {
    let project = project(&["file:read", "file:write"]);
    project.write(
        "mine/tests/save.toml",
        "[[case]]\nname = \"saves\"\ntool = \"save\"\ninput = { path = \"a.txt\" }\nexpect_files = { \"a.txt\" = \"saved\" }\n",
    );
    let test = |words: &[&str]| Run::of(project.command_as_typed(words).output().unwrap());
    let named = test(&["test", "./mine"]);
    assert_eq!(named.code, Some(0), "{named:?}");
    assert!(!project.path("a.txt").exists());
    // A user who types no path may be in a directory of a stranger.
    let unnamed = test(&["test"]);
    assert!(unnamed.stderr.contains("1 not approved"), "{unnamed:?}");
    project.write(
        "mine/SKILL.yaml",
        manifest("mine", &["file:write", "net:fetch"]),
    );
    let more = test(&["test", "./mine"]);
    assert!(more.stderr.contains("1 not approved"), "{more:?}");
}

#[test]
fn q51_working_on_a_skill_stores_the_answer_until_others_write_there() {
    let project = project(&["file:write", "shell:exec", "env:read"]);
    let headless = Run::of(
        project
            .command_as_typed(&["trust", "--work-on", "mine"])
            .output()
            .unwrap(),
    );
    assert_eq!(headless.code, Some(4), "{headless:?}");
    let shown = work_on(&project);
    assert!(
        shown.contains("shell:exec") && shown.contains("file:write"),
        "{shown}"
    );
    assert!(!shown.contains("env:read"), "{shown}");
    let asked = echo(&project);
    assert_eq!(asked.code, Some(4), "{asked:?}");
    assert!(
        asked.stderr.contains("needs approval: env:read\n"),
        "{asked:?}"
    );

    project.write(
        "mine/SKILL.yaml",
        manifest("mine", &["file:write", "shell:exec"]),
    );
    work_on(&project);
    assert_eq!(echo(&project).stdout, "one\n");
    // Whatever the author saves.
    project.write("mine/run.star", format!("{TOOLS}\n# saved\n"));
    assert_eq!(echo(&project).stdout, "one\n");
    assert_eq!(
        run(&project, "save", &json!({"path": "other.txt"})).code,
        Some(0)
    );
    assert_eq!(echo(&project).stdout, "one\n", "written elsewhere");
    // Of the same files in another directory, nobody said anything.
    project.copy(&project.path("mine"), "copy");
    let copied = Run::of(
        project
            .command_as_typed(&["run", "./copy/go", "--input", r#"{"command": ["echo"]}"#])
            .output()
            .unwrap(),
    );
    assert_eq!(copied.code, Some(4), "{copied:?}");
    assert_eq!(echo(&project).stdout, "one\n");

    let written = run(&project, "save", &json!({"path": "mine/notes.md"}));
    assert_eq!(written.code, Some(0), "{written:?}");
    assert_ended(&project, "host call");
    work_on(&project);
    let script = "echo '# more' >> mine/run.star";
    run(&project, "go", &json!({"command": ["sh", "-c", script]}));
    assert!(project.read("mine/run.star").ends_with("# more\n"));
    assert_ended(&project, "command in a sandbox");
    work_on(&project);
    commit(&project);
    assert_ended(&project, "commit");
    work_on(&project);
    project.write(
        "mine/SKILL.md",
        "---\nname: mine\ndescription: Runs things.\nallowed_tools: Read\n---\nRun.\n",
    );
    assert_eq!(echo(&project).stdout, "one\n");
    let fixed = project.run(&["check", "mine", "--fix", "--yes"]);
    assert!(fixed.stderr.contains("wrote"), "{fixed:?}");
    assert_ended(&project, "check --fix");
    work_on(&project);
    assert_eq!(project.run(&["trust", "--revoke", "mine"]).code, Some(0));
    assert_ended(&project, "revoked");
}

#[test]
fn q51_the_api_ends_it() {
    let project = project(&["shell:exec"]);
    work_on(&project);
    assert_eq!(echo(&project).stdout, "one\n");
    let serve = ["serve", "--json", "--bind", "127.0.0.1:0", "--in", "mine"];
    let mut command = project.command(&serve);
    let (_server, ready) = started(command.env("PROWESS_TOKEN", TOKEN));
    let url = format!(
        "{}/skills/mine/files/notes.md",
        ready["url"].as_str().unwrap()
    );
    assert_eq!(echo(&project).stdout, "one\n");
    let put = Command::new("curl")
        .args(["-sf", "-X", "PUT", "-H", "If-None-Match: *", "--data", "x"])
        .args(["-H", &format!("Authorization: Bearer {TOKEN}")])
        .arg(url)
        .output()
        .unwrap();
    assert!(put.status.success(), "{put:?}");
    assert_eq!(
        fs::read_to_string(project.path("mine/notes.md")).unwrap(),
        "x"
    );
    assert_ended(&project, "API");
}
