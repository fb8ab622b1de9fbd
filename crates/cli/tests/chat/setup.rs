//! A project with skills, and a model that says what a script says.

use std::process::{Command, Stdio};

use prowess_testing::model::{KEY, ScriptedModel, Step, Wire};
use serde_json::Value;

use crate::support::{Run, TestProject};

pub(crate) fn model(wire: Wire, steps: impl IntoIterator<Item = Step>) -> ScriptedModel {
    ScriptedModel::start(wire, steps)
}

/// A project with a few skills.
pub(crate) fn new_project() -> TestProject {
    let project = TestProject::new();
    project
        .write(
            ".agents/skills/haiku/SKILL.md",
            "---\nname: haiku\ndescription: Writes haiku about the weather\nargument-hint: \"[topic]\"\n---\nFive, seven, five. BODY-OF-HAIKU\n",
        )
        .write(
            ".agents/skills/hiking/SKILL.md",
            "---\nname: hiking\ndescription: Plans hikes in the mountains\n---\nTake water. BODY-OF-HIKING\n",
        )
        .write(".git/HEAD", "ref: refs/heads/main\n");
    project
}

/// The arguments that lead to a model.
pub(crate) fn leading_to(model: &ScriptedModel) -> Vec<String> {
    let provider = model.provider_name();
    let words = format!(
        "--provider {provider} --model scripted-1 --base-url {}",
        model.url
    );
    words.split(' ').map(str::to_owned).collect()
}

/// `prowess chat`, with a key.
pub(crate) fn chat(
    project: &TestProject,
    model: Option<&ScriptedModel>,
    arguments: &[&str],
) -> Command {
    let leading = model.map(leading_to).unwrap_or_default();
    let leading = leading.iter().map(String::as_str);
    let words: Vec<&str> = ["chat"]
        .into_iter()
        .chain(leading)
        .chain(arguments.iter().copied())
        .collect();
    let mut command = project.command(&words);
    command
        .env("OPENAI_API_KEY", KEY)
        .env("ANTHROPIC_API_KEY", KEY)
        .stdin(Stdio::null());
    command
}

pub(crate) fn run(project: &TestProject, model: Option<&ScriptedModel>, arguments: &[&str]) -> Run {
    Run::of(chat(project, model, arguments).output().unwrap())
}

/// The events of a run with `--json`.
pub(crate) fn events(run: &Run) -> Vec<Value> {
    let lines = run.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

pub(crate) fn types(events: &[Value]) -> Vec<&str> {
    events
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect()
}

/// A skill with code that is active in a chat.
pub(crate) fn code_skill(project: &TestProject, name: &str, code: &str) {
    let text = format!("---\nname: {name}\ndescription: Knows the weather\n---\nAsk the tool.\n");
    let manifest = format!(
        "name: {name}\nversion: 1.0.0\ndescription: Knows the weather\ntypes: [tool]\npermissions: []\ntriggers:\n  modes: [interactive]\nimplementation:\n  backend: starlark\n  entrypoint: skill.star\n"
    );
    project
        .write(&format!(".agents/skills/{name}/SKILL.md"), text)
        .write(&format!(".agents/skills/{name}/SKILL.yaml"), manifest)
        .write(&format!(".agents/skills/{name}/skill.star"), code);
}
