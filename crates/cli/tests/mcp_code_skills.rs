//! Code skills over MCP, with the client in Python and the program: approval by elicitation, tools and workflows.
#![cfg(test)]

mod support;

use std::process::Command;

use prowess_testing::{mcp_python, run};
use serde_json::Value;
use support::TestProject;

/// What a client sees that answers questions with `decision`.
fn client(project: &TestProject, decision: &str) -> Value {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mcp_client.py");
    let prowess = project.command(&["mcp"]);
    let mut python = Command::new(mcp_python());
    python.arg(script).arg(decision);
    python.arg(prowess.get_program()).args(prowess.get_args());
    python.current_dir(prowess.get_current_dir().unwrap());
    let set = prowess.get_envs();
    python.env_clear();
    python.envs(set.filter_map(|(name, value)| Some((name, value?))));
    let stdout = run(&mut python);
    serde_json::from_str(stdout.lines().last().unwrap()).unwrap()
}

fn project() -> TestProject {
    let project = TestProject::copy_of("examples/code-skills/csv-summary");
    project.write("people.csv", "name,age\nAda,36\nAlan,41\n");
    std::fs::create_dir_all(project.path(".agents")).unwrap();
    std::fs::rename(
        project.path("examples/code-skills"),
        project.path(".agents/skills"),
    )
    .unwrap();
    std::fs::create_dir(project.path(".git")).unwrap();
    project
}

#[test]
fn ms15_tools_and_workflows_after_approval() {
    let project = project();
    let report = client(&project, "always");
    let names = |key: &str| -> Vec<&str> {
        let names = report[key].as_array().unwrap().iter();
        names.map(|name| name.as_str().unwrap()).collect()
    };
    assert!(!names("before").contains(&"summarise_csv"));
    assert!(names("after").contains(&"summarise_csv"));
    assert!(names("after").contains(&"run_skill_workflow"));
    let questions = report["questions"].as_array().unwrap();
    assert_eq!(questions.len(), 1, "{report}");
    let question = questions[0].as_str().unwrap();
    assert!(question.contains("The skill `csv-summary`") && question.contains("file:read"));
    let text = |key: &str| report[key].as_str().unwrap();
    assert!(text("loaded").contains("The tools of `csv-summary` are available: summarise_csv"));
    assert!(text("called").contains("\"rows\": 2"), "{report}");
    assert!(text("wrong").contains("unknown field `file`"), "{report}");
    assert!(text("workflow").contains("2 rows, 2 columns"), "{report}");
    let notifications = report["notifications"].to_string();
    assert!(notifications.contains("ToolListChanged"), "{report}");

    // The approval is saved: nobody is asked again.
    let again = client(&project, "none");
    assert!(again["called"].as_str().unwrap().contains("\"rows\": 2"));
}

#[test]
fn ms15_without_approval_the_model_is_told() {
    for decision in ["deny", "decline", "none"] {
        let report = client(&project(), decision);
        assert_eq!(report["before"], report["after"], "{decision}");
        let loaded = report["loaded"].as_str().unwrap();
        let told = "The code of `csv-summary` is not active, so its tools are not available";
        assert!(loaded.contains(told), "{decision}: {report}");
        assert!(report.get("called").is_none());
    }
}
