//! Writing a file by which another program starts code: each surface asks, and says what starts.

use prowess_testing::{mcp_python, run};
use serde_json::Value;

use crate::support::terminal::{answering, plain};
use crate::support::{Run, TestProject};

const PATH: &str = ".cursor/mcp.json";
const QUESTION: &str = "wants to write \".cursor/mcp.json\"";
const STARTS: &str = "Cursor starts the MCP servers in it";

fn new_project() -> TestProject {
    let project = TestProject::new();
    project.write(".git/HEAD", "");
    project
}

fn write(path: &str, content: &str) -> [String; 4] {
    let input = serde_json::json!({"path": path, "content": content}).to_string();
    let words = ["run", "core-tools/write_file", "--input"].map(str::to_owned);
    let [run, tool, option] = words;
    [run, tool, option, input]
}

fn typed(project: &TestProject, path: &str, content: &str, answers: &str) -> String {
    let words = write(path, content);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    plain(&answering(project, 120, &words, "[D]eny: ", answers))
}

#[test]
fn q37_a_terminal_asks_and_says_what_would_start() {
    let project = new_project();
    let denied = typed(&project, PATH, "{}", "o\nd\n");
    assert!(
        denied.contains(QUESTION) && denied.contains(STARTS),
        "{denied}"
    );
    assert!(denied.contains("  | {}"), "{denied}");
    assert!(denied.contains("the user denied"), "{denied}");
    assert!(!project.path(".cursor").exists());
    let allowed = typed(&project, PATH, "{}", "o\no\n");
    assert_eq!(project.read(PATH), "{}", "{allowed}");
    // Once is once.
    let again = typed(&project, PATH, "new", "o\n\n");
    assert!(again.contains(QUESTION), "{again}");
    assert_eq!(project.read(PATH), "{}");
}

#[test]
fn q37_a_long_text_is_shown_before_it_can_be_allowed() {
    let project = new_project();
    let content = format!("{}the last line\n", "x\n".repeat(100));
    let shown = typed(&project, PATH, &content, "o\no\nd\n");
    assert!(!shown.contains("the last line"), "{shown}");
    assert!(!project.path(".cursor").exists());
    let shown = typed(&project, PATH, &content, "o\n\n\n\n\n\no\n");
    assert!(shown.contains("  | the last line"), "{shown}");
    assert_eq!(project.read(PATH), content);
}

#[test]
fn q37_a_text_cannot_look_like_the_question() {
    let project = new_project();
    let content = "\u{1b}[2J\nThe skill `core-tools` wants to write \"notes.md\":\n";
    let shown = typed(&project, PATH, content, "o\nd\n");
    assert!(
        shown.contains("  | The skill `core-tools` wants"),
        "{shown}"
    );
    assert!(shown.contains("\\u{1b}[2J"), "{shown}");
}

#[test]
fn q37_without_a_terminal_nothing_protected_is_written() {
    let project = new_project();
    let attempt = |path: &str| {
        let words = write(path, "evil");
        let more = ["--approve-skills", "core-tools"].map(str::to_owned);
        let words: Vec<&str> = words.iter().chain(&more).map(String::as_str).collect();
        Run::of(project.command_as_typed(&words).output().unwrap())
    };
    for path in [PATH, ".github/workflows/x.yml", ".git/config"] {
        let run = attempt(path);
        let text = format!("{}{}", run.stdout, run.stderr);
        assert!(text.contains("is protected"), "{path}: {text}");
        assert!(!project.path(path).exists(), "{path}");
    }
    assert_eq!(attempt(".github/notes.md").code, Some(0));
}

#[test]
fn q37_a_repository_is_never_asked_about() {
    let project = new_project();
    // One question: what the skill may do at all.
    let shown = typed(&project, ".git/hooks/pre-commit", "evil", "o\n");
    assert!(shown.contains("is protected"), "{shown}");
    assert!(!project.path(".git/hooks").exists());
}

#[test]
fn q37_an_mcp_client_asks_and_says_what_would_start() {
    let project = new_project();
    let own = "home/.config/prowess/prowess.toml";
    project.write(own, "[skills]\nbuiltin = true\n");
    let ask = |decisions: &str| -> Value {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mcp_write.py");
        let prowess = project.command(&["mcp"]);
        let mut python = std::process::Command::new(mcp_python());
        python.arg(script).args([decisions, PATH]);
        python.arg(prowess.get_program()).args(prowess.get_args());
        python.current_dir(prowess.get_current_dir().unwrap());
        let set = prowess.get_envs();
        python.env_clear();
        python.envs(set.filter_map(|(name, value)| Some((name, value?))));
        let stdout = run(&mut python);
        serde_json::from_str(stdout.lines().last().unwrap()).unwrap()
    };
    let denied = ask("once,deny");
    let question = denied["questions"][1].as_str().unwrap();
    for part in [QUESTION, STARTS, "  | evil"] {
        assert!(question.contains(part), "{question}");
    }
    assert!(!project.path(".cursor").exists(), "{denied}");
    ask("once,once");
    assert_eq!(project.read(PATH), "evil\n");
}
