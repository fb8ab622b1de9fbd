//! Skills, agents and ears for the tests.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use prowess_agent::wire::AgentEvent;
use prowess_agent::{
    Agent, AgentBuilder, AgentError, AgentOptions, Cancel, Chat, GenaiProvider, ModelChoice,
    Provider, Retry, TurnReport,
};
use prowess_core::{MemorySource, Scope, SkillId, Skills, SkillsBuilder};
use prowess_spec::SkillPath;
use prowess_testing::model::{KEY, ScriptedModel, Step, Wire};

pub(crate) const HAIKU_BODY: &str = "Five, seven, five. Mention $ARGUMENTS.";

pub(crate) fn id(text: &str) -> SkillId {
    text.parse().unwrap()
}

pub(crate) fn source() -> MemorySource {
    let mut source = MemorySource::new(Scope::Project);
    let mut add = |path: &str, description: &str, body: &str| {
        let name = path.rsplit('/').next().unwrap();
        let text = format!("---\nname: {name}\ndescription: {description}\n---\n{body}\n");
        source.add(path, &text).unwrap()
    };
    let haiku = add("haiku", "Writes haiku about anything", HAIKU_BODY);
    add(
        "extraction/email",
        "Extracts addresses from mail",
        "Look for the at sign.",
    );
    add(
        "long",
        "Is far too long",
        &"All work and no play. ".repeat(4_000),
    );
    source.add_file(
        &haiku,
        SkillPath::parse("references/season.md").unwrap(),
        "MARKER-SEASON: spring",
    );
    source.add_file(
        &haiku,
        SkillPath::parse("references/big.md").unwrap(),
        "line\n".repeat(100_000),
    );
    source
}

/// Skills `skill-000` and so on, whose descriptions have a word of their own.
pub(crate) fn numbered(count: usize) -> MemorySource {
    let mut source = MemorySource::new(Scope::Project);
    for number in 0..count {
        let name = format!("skill-{number:03}");
        let text = format!("---\nname: {name}\ndescription: Does task w{number:03}\n---\nBody.\n");
        source.add(&name, &text).unwrap();
    }
    source
}

pub(crate) fn builder() -> SkillsBuilder {
    Skills::builder().source("memory", source())
}

pub(crate) async fn skills() -> Skills {
    builder().build().await.unwrap()
}

/// Waits that are too short to notice.
pub(crate) fn options() -> AgentOptions {
    AgentOptions {
        system: "You are a test.".to_owned(),
        retry: Retry {
            times: 3,
            first: Duration::from_millis(1),
            last: Duration::from_secs(2),
        },
        ..AgentOptions::default()
    }
}

pub(crate) fn choice(model: &ScriptedModel) -> ModelChoice {
    ModelChoice {
        provider: model.provider_name().to_owned(),
        model: "scripted-1".to_owned(),
        base_url: Some(model.url.clone()),
        ..ModelChoice::default()
    }
}

pub(crate) fn provider(model: &ScriptedModel) -> Arc<dyn Provider> {
    Arc::new(GenaiProvider::new(&choice(model), &|_| Some(KEY.to_owned())).unwrap())
}

/// Waits until the model has received this many requests.
pub(crate) async fn model_has(model: &ScriptedModel, requests: usize) {
    while model.seen().len() < requests {
        tokio::task::yield_now().await;
    }
}

pub(crate) async fn agent_with(model: &ScriptedModel, skills: Skills) -> Agent {
    let builder = Agent::builder(provider(model)).skills(skills);
    builder.options(options()).build().await.unwrap()
}

pub(crate) async fn agent_of(model: &ScriptedModel) -> AgentBuilder {
    Agent::builder(provider(model))
        .skills(skills().await)
        .options(options())
}

/// A model with a script, and a chat with it.
pub(crate) async fn chat(
    wire: Wire,
    steps: impl IntoIterator<Item = Step>,
) -> (ScriptedModel, Chat) {
    let model = ScriptedModel::start(wire, steps);
    let agent = agent_of(&model).await.build().await.unwrap();
    let chat = agent.chat();
    (model, chat)
}

/// Hears everything.
#[derive(Clone, Default)]
pub(crate) struct Ear(Arc<Mutex<Vec<AgentEvent>>>);

impl Ear {
    pub(crate) fn listener(&self) -> impl Fn(AgentEvent) + Send + Sync + use<> {
        let events = Arc::clone(&self.0);
        move |event| events.lock().unwrap().push(event)
    }

    pub(crate) fn events(&self) -> Vec<AgentEvent> {
        self.0.lock().unwrap().clone()
    }

    /// The streamed text.
    pub(crate) fn text(&self) -> String {
        let text = |event: AgentEvent| match event {
            AgentEvent::Text { delta } => Some(delta),
            _ => None,
        };
        self.events().into_iter().filter_map(text).collect()
    }

    pub(crate) fn notices(&self) -> Vec<String> {
        let text = |event: AgentEvent| match event {
            AgentEvent::Notice { text } => Some(text),
            _ => None,
        };
        self.events().into_iter().filter_map(text).collect()
    }

    pub(crate) fn has(&self, matches: impl Fn(&AgentEvent) -> bool) -> bool {
        self.events().iter().any(matches)
    }

    /// The kinds of events, as machines see them.
    pub(crate) fn kinds(&self) -> Vec<String> {
        let kind = |event: &AgentEvent| {
            serde_json::to_value(event).unwrap()["type"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        self.events().iter().map(kind).collect()
    }
}

/// One turn that nobody stops.
pub(crate) async fn send(chat: &mut Chat, text: &str) -> (Result<TurnReport, AgentError>, Ear) {
    send_with(chat, text, &[]).await
}

pub(crate) async fn send_with(
    chat: &mut Chat,
    text: &str,
    references: &[SkillId],
) -> (Result<TurnReport, AgentError>, Ear) {
    let ear = Ear::default();
    let report = chat
        .turn(text, references, &ear.listener(), &Cancel::new())
        .await;
    (report, ear)
}
