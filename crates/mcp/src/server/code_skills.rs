//! Tools of skills with code. The program that embeds the server runs them; the server lists and calls them, and asks the
//! user of a client on their behalf.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use prowess_core::{SkillId, ToolDefinition};
use rmcp::RoleServer;
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, InputRequest,
    InputRequests, InputResponses, ProtocolVersion,
};
use rmcp::service::{ElicitationMode, Peer, RequestContext};
use serde_json::{Value, json};

/// Runs the code of skills for the clients of a server.
#[async_trait]
pub trait CodeSkills: Send + Sync {
    /// Starts the code of a skill that a client loaded, if the user allows it. Returns what the model should know.
    async fn load(&self, id: &SkillId, client: &Client) -> Option<String>;

    /// The tools of skills whose code runs.
    fn tools(&self) -> Vec<ToolDefinition>;

    /// Calls one of these tools; `None` if there is no such tool.
    async fn call(&self, tool: &str, input: Value, client: &Client) -> Option<CodeResult>;
}

/// The result of a tool of a skill with code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeResult {
    /// The text.
    pub content: String,
    /// Whether the call failed.
    pub is_error: bool,
}

/// The client of a request, and its user.
#[derive(Clone)]
pub struct Client {
    peer: Peer<RoleServer>,
    asks: Asks,
}

/// How the user of a client is asked.
#[derive(Clone)]
enum Asks {
    /// By a request to the client.
    Request,
    /// By an answer that asks, after which the client repeats its request with the answers of its user.
    Answer(Arc<Mutex<Answers>>),
    /// Not at all.
    Unsupported,
}

#[derive(Default)]
struct Answers {
    given: InputResponses,
    needed: InputRequests,
}

/// A choice that a user has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What comes back.
    pub id: &'static str,
    /// What the user reads.
    pub title: &'static str,
}

/// What a user answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UserAnswer {
    /// The id of a choice.
    Chosen(String),
    /// The user declined to answer.
    Declined,
    /// The client cannot ask its user, or its user has not answered yet.
    Unavailable,
}

impl Client {
    pub(super) fn new(context: &RequestContext<RoleServer>, given: Option<InputResponses>) -> Self {
        let is_stateless = context
            .meta
            .protocol_version()
            .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
        let asks = if is_stateless {
            let capabilities = context.meta.client_capabilities().unwrap_or_default();
            match capabilities.elicitation {
                Some(modes) if modes.form.is_some() || modes.url.is_none() => {
                    let given = given.unwrap_or_default();
                    let answers = Answers {
                        given,
                        ..Answers::default()
                    };
                    Asks::Answer(Arc::new(Mutex::new(answers)))
                }
                _ => Asks::Unsupported,
            }
        } else if context
            .peer
            .supported_elicitation_modes()
            .contains(&ElicitationMode::Form)
        {
            Asks::Request
        } else {
            Asks::Unsupported
        };
        Self {
            peer: context.peer.clone(),
            asks,
        }
    }

    /// Whether the user can be asked while a tool runs. Otherwise the client repeats its request, and the tool would run
    /// twice.
    pub fn can_ask_during_call(&self) -> bool {
        matches!(self.asks, Asks::Request)
    }

    /// Asks the user to choose.
    pub async fn ask(&self, message: &str, choices: &[Choice]) -> UserAnswer {
        let titles = choices
            .iter()
            .map(|choice| json!({"const": choice.id, "title": choice.title}));
        let titles: Vec<Value> = titles.collect();
        let params = json!({
            "mode": "form",
            "message": message,
            "requestedSchema": {
                "type": "object",
                "properties": {"decision": {"type": "string", "title": "Decision", "oneOf": titles}},
                "required": ["decision"],
            },
        });
        let Ok(params) = serde_json::from_value::<ElicitRequestParams>(params) else {
            return UserAnswer::Unavailable;
        };
        let answer = match &self.asks {
            Asks::Unsupported => return UserAnswer::Unavailable,
            Asks::Request => self.peer.create_elicitation(params).await.ok(),
            Asks::Answer(answers) => {
                let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
                // An answer belongs to the question with exactly this text.
                let mut hasher = DefaultHasher::new();
                message.hash(&mut hasher);
                let key = format!("question-{:016x}", hasher.finish());
                let given = answers.given.remove(&key);
                if given.is_none() {
                    let request = InputRequest::Elicitation(ElicitRequest::new(params));
                    answers.needed.insert(key, request);
                }
                given.and_then(|given| serde_json::from_value::<ElicitResult>(given).ok())
            }
        };
        match answer {
            Some(answer) if answer.action == ElicitationAction::Accept => {
                let decision = answer.content.as_ref().and_then(|it| it.get("decision"));
                let decision = decision.and_then(Value::as_str);
                match choices.iter().find(|choice| Some(choice.id) == decision) {
                    Some(choice) => UserAnswer::Chosen(choice.id.to_owned()),
                    None => UserAnswer::Declined,
                }
            }
            Some(_) => UserAnswer::Declined,
            None => UserAnswer::Unavailable,
        }
    }

    /// The questions that the client has to answer before its request can be completed.
    pub(super) fn needed(&self) -> Option<InputRequests> {
        let Asks::Answer(answers) = &self.asks else {
            return None;
        };
        let answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
        (!answers.needed.is_empty()).then(|| answers.needed.clone())
    }
}
