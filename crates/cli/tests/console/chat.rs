//! Conversations.

use prowess_testing::model::{ScriptedModel, Step, Wire, call};
use prowess_testing::{repository, skill_text};
use serde_json::json;

use crate::support::TestProject;
use crate::{Console, nothing};

fn project() -> TestProject {
    let project = TestProject::new();
    for (name, description) in [
        ("haiku", "Writes haiku. Use it for short poems."),
        ("pdf-forms", "Fills in PDF forms."),
        ("release-notes", "Writes release notes from commits."),
    ] {
        let text = skill_text(name, description, "Five, seven, five.\n");
        project.write(&format!("work/.agents/skills/{name}/SKILL.md"), text);
    }
    project.write(
        "work/.agents/skills/haiku/references/season.md",
        "A word for the season.\n",
    );
    project.write(
        "work/.agents/skills/haiku/scripts/count.py",
        "print('17 syllables')\n",
    );
    project
}

fn scripted(steps: impl IntoIterator<Item = Step>) -> ScriptedModel {
    ScriptedModel::start(Wire::OpenAi, steps)
}

#[test]
fn co10_the_first_visit_explains_itself() {
    Console::start(project(), None).browse("first-visit", nothing);
}

#[test]
fn co11_slash_completion_by_keyboard() {
    let model = scripted([Step::Say("Rain falls."), Step::Say("I see no such skill.")]);
    Console::start(project(), Some(&model)).browse("slash", nothing);
    // The skill was loaded, and the text that is no skill was sent as it is.
    let text = |number: usize| model.seen()[number].body.to_string();
    assert!(text(0).contains("Five, seven, five."));
    assert!(text(1).contains("/haikou about rain"));
}

#[test]
fn co12_a_skill_a_file_and_a_script_after_a_question() {
    let file = json!({"id": "haiku", "path": "references/season.md"});
    let script = json!({"id": "haiku", "path": "scripts/count.py"});
    let outside = json!({"id": "haiku", "path": "../../../notes.txt"});
    let model = scripted([
        call("load_skill", &json!({"id": "haiku"})),
        call("read_skill_file", &file),
        call("read_skill_file", &outside),
        call("run_skill_script", &script),
        Step::Say("It has **17** syllables.\n\n```python\nprint('17')\n```\n"),
    ]);
    Console::start(project(), Some(&model)).browse("conversation", nothing);
    let results = model.last().results();
    assert!(
        results.iter().any(|it| it.contains("17 syllables")),
        "{results:?}"
    );
}

#[test]
fn q41_the_page_allows_nothing_that_was_not_shown() {
    let path = ".github/workflows/ci.yml";
    let content = "# a line\n".repeat(100);
    let model = scripted([
        call("load_skill", &json!({"id": "core-tools"})),
        call("write_file", &json!({"path": path, "content": content})),
        Step::Say("Written."),
    ]);
    let mut console = Console::start(project(), Some(&model));
    console.browse("long-question", nothing);
    assert_eq!(console.project.read(&format!("work/{path}")), content);
}

#[test]
fn q36_the_page_says_what_allowing_code_needs() {
    let script = json!({"id": "haiku", "path": "scripts/count.py"});
    let model = scripted([
        call("load_skill", &json!({"id": "haiku"})),
        call("run_skill_script", &script),
        Step::Say("Not counted."),
    ]);
    let mut console = Console::start(project(), Some(&model));
    let create = ["token", "create", "plain", "--scope", "admin", "--quiet"];
    console.token = console.project.run(&create).stdout.trim().to_owned();
    // So that the token is known at once.
    console.restart();
    console.browse("approve-scope", nothing);
    let results = model.last().results();
    assert!(!results.iter().any(|it| it.contains("17 syllables")));
}

#[test]
fn co13_the_conformance_skill_from_end_to_end() {
    let project = TestProject::new();
    let skill = "skills-system-validation";
    project.copy(
        &repository().join("skills").join(skill),
        &format!("work/.agents/skills/{skill}"),
    );
    let read = |path: &str| call("read_skill_file", &json!({"id": skill, "path": path}));
    let model = scripted([
        read("references/REFERENCE.md"),
        read("assets/fixture.json"),
        read("../../../etc/passwd"),
        call(
            "run_skill_script",
            &json!({"id": skill, "path": "scripts/echo.sh"}),
        ),
        Step::Say("VALIDATION: passed"),
    ]);
    Console::start(project, Some(&model)).browse("conformance", nothing);
    let results = model.last().results().join("\n");
    assert!(results.contains("MARKER"), "{results}");
}

#[test]
fn co14_a_turn_is_stopped_in_the_middle() {
    let model = scripted([Step::Hang("Once upon a time"), Step::Say("The end.")]);
    Console::start(project(), Some(&model)).browse("stop", |_, name| {
        assert_eq!(name, "hanging");
        model.wait_for_hang();
    });
}

#[test]
fn co15_a_reload_in_the_middle_loses_nothing() {
    let model = scripted([
        call("load_skill", &json!({"id": "haiku"})),
        Step::Hang("Once upon a time"),
        Step::Say("Another answer."),
    ]);
    Console::start(project(), Some(&model)).browse("reload", |_, name| {
        assert_eq!(name, "hanging");
        model.wait_for_hang();
    });
}

#[test]
fn co16_two_tabs_show_one_chat() {
    let script = json!({"id": "haiku", "path": "scripts/count.py"});
    let model = scripted([
        Step::Say("The first answer."),
        call("run_skill_script", &script),
        Step::Say("The second answer."),
    ]);
    Console::start(project(), Some(&model)).browse("two-tabs", nothing);
}

#[test]
fn co17_a_server_that_restarts_loses_no_text() {
    let model = scripted([Step::Say("Before."), Step::Say("After.")]);
    Console::start(project(), Some(&model)).browse("restart", |console, name| match name {
        "stop" => console.server = None,
        "start" => console.restart(),
        other => panic!("{other}"),
    });
}

#[test]
fn co18_retry_edit_fork_rename_export_and_delete() {
    let model = scripted([
        Step::Say("The first."),
        Step::Say("The second."),
        Step::Say("The third."),
        Step::Say("The fourth."),
    ]);
    Console::start(project(), Some(&model)).browse("manage-chats", nothing);
    let last = model.last().body.to_string();
    assert!(last.contains("better question") && !last.contains("The first."));
}
