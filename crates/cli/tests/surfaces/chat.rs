//! `prowess chat`, with a model that calls what the scene says.

use prowess_testing::model::{KEY, ModelRequest, ScriptedModel, Step, Wire};
use serde_json::Value;

use crate::scene::Scene;
use crate::server::configure;
use crate::support::{Run, TestProject};
use crate::transcript::{Events, Transcript, result};

/// A model that makes the calls of the scene, one in each answer.
pub(crate) fn model(scene: &Scene) -> ScriptedModel {
    let mut steps = Vec::new();
    for turn in scene.turns() {
        for (tool, input) in turn.calls {
            let tool: &'static str = Box::leak(tool.to_owned().into_boxed_str());
            steps.push(Step::Call("", vec![(tool, input.to_string())]));
        }
        steps.push(Step::Say("done"));
    }
    ScriptedModel::start(Wire::OpenAi, steps)
}

/// The user's file: the scene's, and the model.
pub(crate) fn configure_with(project: &TestProject, scene: &Scene, model: &ScriptedModel) {
    configure(project, model);
    let path = "home/.config/prowess/prowess.toml";
    let text = std::fs::read_to_string(project.path(path)).unwrap();
    project.write(path, format!("{}{text}", scene.configuration()));
}

/// What tools say about themselves: some dialects list skills there.
pub(crate) fn descriptions(tools: &Value) -> String {
    let tools = tools.as_array().into_iter().flatten();
    let texts = tools.filter_map(|tool| {
        let tool = tool.get("function").unwrap_or(tool);
        tool["description"].as_str()
    });
    texts.flat_map(|text| ["\n\n", text]).collect()
}

/// What the model was shown.
pub(crate) fn seen(requests: &[ModelRequest]) -> Transcript {
    let (Some(first), Some(last)) = (requests.first(), requests.last()) else {
        return Transcript::default();
    };
    Transcript {
        prompt: first.system() + &descriptions(&first.body["tools"]),
        tools: first.tool_names(),
        messages: last.said("user"),
        results: last.results().iter().map(|text| result(text)).collect(),
        events: Events::default(),
    }
}

pub(crate) fn run(project: &TestProject, scene: &Scene) -> Transcript {
    let model = model(scene);
    configure_with(project, scene, &model);
    let mut events = Events::default();
    let preload = scene.preload.join(",");
    for (number, turn) in scene.turns().iter().enumerate() {
        let mut words = vec!["chat", "--json", "-p", turn.say];
        if number > 0 {
            words.push("--resume");
        } else if !preload.is_empty() {
            words.extend(["--skills", &preload]);
        }
        let mut command = project.command(&words);
        let run = Run::of(command.env("OPENAI_API_KEY", KEY).output().unwrap());
        let lines = run.stdout.lines();
        let values: Vec<Value> = lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        events.note(&values);
    }
    Transcript {
        events,
        ..seen(&model.seen())
    }
}
