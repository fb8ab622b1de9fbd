//! The agents of the chats of `prowess serve`.

use std::sync::Arc;

use async_trait::async_trait;
use clap::ValueEnum;
use prowess_agent::{AgentOptions, UnsavedMessages};
use prowess_config::SkillsConfig;
use prowess_core::Skills;
use prowess_runtime::{ApprovalRequest, Approver, CommandApprovalRequest, ProtectedWriteRequest};
use prowess_server::{ChatAgent, ChatHost, ChatModel, Chats, OnDisconnect, QuestionText};
use prowess_spec::manifest::Mode;
use prowess_store::Store;

use crate::agent::build_agent;
use crate::arguments::Global;
use crate::code_skills::{approval_text, command_text, resolve_over, skill_details, write_text};
use crate::error::{Context, Result};
use crate::model::{self, ModelArguments, SelectedModel};
use crate::terminal::{self, printable};
use crate::{code_skills, unsaved};

const SYSTEM: &str = "You are a helpful assistant. Be brief and write Markdown.";

/// How to configure a model.
const HINT: &str = "set `provider` and `name` under [model] in your prowess.toml, set the key of the provider in the environment, and start `prowess serve` again";

/// What happens to a turn when its last event stream is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Disconnected {
    /// It continues.
    Finish,
    /// It is cancelled.
    Cancel,
}

/// Allows as many open files as the system lets us have: every event stream is one, and the usual limit is low.
pub(crate) fn raise_file_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let maximum = getrlimit(Resource::Nofile).maximum;
        let raised = Rlimit {
            current: maximum,
            maximum,
        };
        // The usual limit is enough for a few users.
        let _ = setrlimit(Resource::Nofile, raised);
    }
}

/// Builds an agent for each chat, all over the skills that are served.
pub(crate) struct ServedChats {
    skills: Skills,
    config: SkillsConfig,
    store: Store,
    /// The configured model, or why it cannot be used.
    chosen: std::result::Result<SelectedModel, String>,
}

impl ServedChats {
    pub(crate) fn new(skills: Skills, config: SkillsConfig, store: Store, global: &Global) -> Self {
        let chosen = model::select(&ModelArguments::default(), &config, global);
        // The key of the model is checked now, not by the first user.
        let chosen = chosen.and_then(|chosen| chosen.open(&skills).map(|_| chosen));
        let chosen = chosen.map_err(|error| {
            let message = printable(&error.message);
            terminal::note(&format!("warning: chats are unavailable: {message}"));
            message
        });
        Self {
            skills,
            config,
            store,
            chosen,
        }
    }

    /// The chats of a server.
    pub(crate) fn chats(self, on_disconnect: Disconnected) -> Result<Chats> {
        let on_disconnect = match on_disconnect {
            Disconnected::Finish => OnDisconnect::Finish,
            Disconnected::Cancel => OnDisconnect::Cancel,
        };
        let chats = Chats::new(Arc::new(self), on_disconnect);
        chats.ok().context("cannot get random numbers")
    }

    async fn build(
        &self,
        chosen: &SelectedModel,
        approver: Arc<dyn Approver>,
    ) -> Result<ChatAgent> {
        let wanted = ModelArguments::default();
        let window = wanted.window(&self.config, chosen);
        let (skills, store) = (self.skills.clone(), self.store.clone());
        let resolved = resolve_over(skills, &self.config, window, store.clone(), approver).await?;
        let options = AgentOptions {
            system: SYSTEM.to_owned(),
            saved_model: wanted.saved(chosen),
            ..AgentOptions::default()
        };
        let setup = build_agent(resolved, chosen, options, Mode::Interactive, Some(store)).await?;
        Ok(ChatAgent {
            agent: setup.agent,
            runtime: Some(setup.runtime),
        })
    }
}

#[async_trait]
impl ChatHost for ServedChats {
    fn store(&self) -> &Store {
        &self.store
    }

    fn skills(&self) -> &Skills {
        &self.skills
    }

    fn model(&self) -> ChatModel {
        let (name, demo, hint) = match &self.chosen {
            Ok(SelectedModel::Real(choice)) => (Some(choice.model.clone()), false, None),
            Ok(SelectedModel::Demo { .. }) => {
                (Some("demo".to_owned()), true, Some(HINT.to_owned()))
            }
            Err(reason) => (None, false, Some(format!("{reason}; {HINT}"))),
        };
        ChatModel { name, demo, hint }
    }

    fn keep_unsaved(&self, unsaved: &UnsavedMessages) {
        let directory = code_skills::store_directory(&self.config);
        unsaved::write(unsaved, directory.as_deref());
    }

    async fn agent(&self, approver: Arc<dyn Approver>) -> std::result::Result<ChatAgent, String> {
        let chosen = self.chosen.as_ref().map_err(Clone::clone)?;
        let built = self.build(chosen, approver).await;
        built.map_err(|error| printable(&error.message))
    }

    fn approval_text(&self, request: &ApprovalRequest<'_>) -> QuestionText {
        QuestionText {
            text: printable(&approval_text(request)),
            details: Some(printable(&skill_details(request))),
        }
    }

    fn command_text(&self, request: &CommandApprovalRequest<'_>) -> QuestionText {
        QuestionText {
            text: printable(&command_text(request)),
            details: None,
        }
    }

    fn write_text(&self, request: &ProtectedWriteRequest<'_>) -> QuestionText {
        QuestionText {
            text: printable(&write_text(request)),
            details: None,
        }
    }
}
