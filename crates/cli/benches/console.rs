//! The console in a browser: first paint, search as you type, and scrolling. Run by `cargo xtask bench console`; with the
//! argument `screens` it makes the pictures of the documents instead.
#![cfg(test)]

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../tests/console/harness.rs"]
mod harness;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../tests/operating/server.rs"]
mod server;
#[path = "../tests/support/mod.rs"]
mod support;

use harness::{Console, nothing};
use prowess_testing::model::{ScriptedModel, Step, Wire, call};
use prowess_testing::{repository, skill_text};
use serde_json::json;
use support::TestProject;

const SKILLS: usize = 10_000;
const TURNS: usize = 500;

const ANSWER: &str = "The build fails because `libfoo` is missing.\n\n1. Install it.\n2. Run the **tests** again.\n\n```sh\n\
    apt-get install libfoo-dev\ncargo test\n```\n\n| step | seconds |\n|---|---|\n| build | 40 |\n| test | 90 |\n";

fn main() {
    if std::env::args().any(|it| it == "screens") {
        return screens();
    }
    let project = TestProject::new();
    for number in 0..SKILLS {
        let name = format!("skill-{number:05}");
        let words = [
            "reads tables",
            "fills forms",
            "writes notes",
            "reviews code",
        ];
        let description = format!("Number {number} {}. Use it for {name}.", words[number % 4]);
        let text = skill_text(&name, &description, "Do it.\n");
        project.write(&format!("work/.agents/skills/{name}/SKILL.md"), text);
    }
    let model = ScriptedModel::from_fn(|_| Step::Say(ANSWER));
    let mut console = Console::start(project, Some(&model));
    println!("| | measured | target |");
    println!("|---|---|---|");
    console.browse_with("bench", &json!({"turns": TURNS}), nothing);
}

/// The pictures of the documents, with the skills of the examples.
fn screens() {
    let project = TestProject::new();
    for examples in ["examples/skills", "examples/code-skills"] {
        project.copy(&repository().join(examples), "work/.agents/skills");
    }
    project.write("work/people.csv", "name,age\nAda,36\nGrace,41\n");
    let model = ScriptedModel::start(
        Wire::OpenAi,
        [
            call("load_skill", &json!({"id": "csv-summary"})),
            call("summarise_csv", &json!({"path": "people.csv"})),
            Step::Say(
                "`people.csv` has **2 rows** and 2 columns:\n\n| column | values | mean |\n|---|---|---|\n| name | Ada, Grace | |\n\
                 | age | 36 to 41 | 38.5 |\n\nNothing is missing. Shall I write a report?",
            ),
        ],
    );
    let mut console = Console::start(project, Some(&model));
    let url = format!("http://127.0.0.1:{}", console.port);
    console.project.write("token", &console.token);
    let token = std::fs::File::open(console.project.path("token")).unwrap();
    let mut login = console.project.command(&["login", &url, "--token-stdin"]);
    prowess_testing::run(login.stdin(token));
    for version in ["1.0.0", "1.1.0"] {
        let path = "work/.agents/skills/pdf-forms";
        let publish = ["publish", path, "--yes", "--quiet", "--version", version];
        prowess_testing::run(&mut console.project.command(&publish));
        let line = "4. Say which fields were left empty.\n";
        let file = format!("{path}/SKILL.md");
        console
            .project
            .write(&file, console.project.read(&file) + line);
    }
    let pictures = repository().join("docs/screens");
    console.browse_with("screens", &json!({"directory": pictures}), nothing);
}
