//! The library: a session in this process.

use prowess_core::{Dialect, Scope, Session, Skills};
use prowess_sources::{FilesystemOptions, FilesystemSource};
use serde_json::Value;

use crate::scene::Scene;
use crate::support::TestProject;
use crate::transcript::Transcript;

fn session(project: &TestProject, scene: &Scene) -> Session {
    let options = FilesystemOptions::new(Scope::Project);
    let source = FilesystemSource::new(project.path(".agents/skills"), options);
    let skills = pollster::block_on(
        Skills::builder()
            .dialect(Dialect::named(&scene.dialect).unwrap())
            .source(".agents/skills", source)
            .build(),
    );
    let skills = skills.unwrap();
    let ids: Vec<_> = scene.preload.iter().map(|id| id.parse().unwrap()).collect();
    if ids.is_empty() {
        skills.session()
    } else {
        skills.resume(ids)
    }
}

pub(crate) fn run(project: &TestProject, scene: &Scene) -> Transcript {
    let session = session(project, scene);
    let mut transcript = Transcript {
        prompt: session.prompt().text,
        tools: session.tools().into_iter().map(|tool| tool.name).collect(),
        ..Transcript::default()
    };
    let mut note = |events: &[prowess_core::Event]| {
        let events: Vec<Value> = events
            .iter()
            .map(|event| serde_json::to_value(event).unwrap())
            .collect();
        transcript.events.note(&events);
    };
    for turn in scene.turns() {
        let mut said = pollster::block_on(session.turn_with(turn.say, &[]));
        note(&said.events);
        transcript.messages.extend(session.content(&mut said));
        for (tool, input) in turn.calls {
            let outcome = pollster::block_on(session.call(tool, input));
            note(&outcome.events);
            transcript.results.push(outcome.result.content);
        }
    }
    transcript
}
