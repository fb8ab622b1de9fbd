//! The examples run, and print what they should.
#![cfg(test)]

use std::process::Command;

/// Runs an example that the test build has compiled.
fn run(name: &str) -> String {
    let output = Command::new(env!("CARGO"))
        .args([
            "run",
            "--quiet",
            "--offline",
            "--package",
            "prowess",
            "--features",
            "watch",
            "--example",
            name,
        ])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{name}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn examples_print_what_they_should() {
    assert_eq!(
        run("agent_loop"),
        "I have 2 messages to go by.\nactive: [SkillId(\"log-triage\")]\n"
    );
    assert_eq!(run("hot_reload"), "1 skill\n");
    assert_eq!(
        run("per_user_records"),
        "ada/greeting: Greets as ada likes it\ngrace/greeting: Greets as grace likes it\n"
    );
    assert_eq!(
        run("embedded_skills"),
        "log-triage\npdf-forms\nrelease-notes\nsql-review\n"
    );
    assert!(run("custom_source").contains("<skill id=\"daily\">\nRest."));
}
