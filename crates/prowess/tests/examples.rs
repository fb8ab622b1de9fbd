//! The examples run, and print what they should.
#![cfg(test)]

use std::process::Command;

/// Runs an example that the test build has compiled.
fn run(name: &str) -> String {
    prowess_testing::run(&mut Command::new(prowess_testing::example("prowess", name)))
}

#[test]
fn examples_print_what_they_should() {
    assert_eq!(
        run("agent_loop"),
        "I have 2 messages to go by.\nactive: [SkillId(\"log-triage\")]\n"
    );
    #[cfg(feature = "watch")]
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
