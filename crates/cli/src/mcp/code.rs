//! The tools of code skills for an MCP client, whose user approves them.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use prowess_config::SkillsConfig;
use prowess_core::{SkillId, Skills, ToolDefinition};
use prowess_mcp::{Choice, Client, CodeResult, CodeSkills, UserAnswer};
use prowess_runtime::{
    ActivationError, ApprovalDecision, ApprovalRequest, Approver, CodeSkillError,
    CommandApprovalRequest, CommandDecision, ProtectedWriteRequest, Runtime, WriteDecision,
};
use prowess_spec::MANIFEST_FILE;
use serde_json::Value;
use tokio::sync::OnceCell;

use crate::code_skills::{self, approval_text, command_text, write_text};
use crate::error::Result;
use crate::terminal;

/// Code skills of the client of this process. The runtime starts with the first skill that has code.
pub(crate) struct ClientCodeSkills {
    skills: Skills,
    config: SkillsConfig,
    runtime: OnceCell<Runtime>,
    approver: Arc<ClientApprover>,
}

impl ClientCodeSkills {
    pub(crate) fn new(skills: Skills, config: SkillsConfig) -> Self {
        Self {
            skills,
            config,
            runtime: OnceCell::new(),
            approver: Arc::default(),
        }
    }

    async fn runtime(&self) -> Result<&Runtime> {
        let open = || {
            let approver = Arc::clone(&self.approver) as Arc<dyn Approver>;
            code_skills::runtime_over(self.skills.clone(), &self.config, approver)
        };
        self.runtime.get_or_try_init(open).await
    }

    /// Ends the code of all skills.
    pub(crate) async fn shut_down(&self) {
        if let Some(runtime) = self.runtime.get() {
            runtime.shut_down().await;
        }
    }
}

#[async_trait]
impl CodeSkills for ClientCodeSkills {
    async fn load(&self, id: &SkillId, client: &Client) -> Option<String> {
        let files = self.skills.sources().files(id).await.ok()?;
        if !files.iter().any(|file| file.path.as_str() == MANIFEST_FILE) {
            return None;
        }
        self.approver.serve(client);
        let runtime = match self.runtime().await {
            Ok(runtime) => runtime,
            Err(error) => return Some(inactive(id, &error.to_string())),
        };
        match runtime.activate(id).await {
            Ok(()) => {
                let tools = runtime.tools().into_iter();
                let own = tools.filter(|tool| runtime.owner_of(&tool.name).as_ref() == Some(id));
                let names: Vec<String> = own.map(|tool| tool.name).collect();
                let names = names.join(", ");
                (!names.is_empty()).then(|| format!("The tools of `{id}` are available: {names}."))
            }
            Err(ActivationError::Skill(CodeSkillError::NoManifest(_))) => None,
            Err(error) => Some(inactive(id, &error.to_string())),
        }
    }

    fn tools(&self) -> Vec<ToolDefinition> {
        let tools = self.runtime.get().map(Runtime::tools_for_model);
        let tools = tools.unwrap_or_default();
        let definition = |tool: prowess_sdk::wire::Tool| ToolDefinition {
            name: tool.name,
            description: tool.description,
            input_schema: tool.input_schema,
        };
        tools.into_iter().map(definition).collect()
    }

    async fn call(&self, tool: &str, input: Value, client: &Client) -> Option<CodeResult> {
        self.approver.serve(client);
        let runtime = self.runtime.get()?;
        // A call is a turn: a client has no other.
        runtime.begin_turn().await;
        let result = runtime.call_tool(tool, input).await.ok()?;
        Some(CodeResult {
            content: result.content,
            is_error: result.is_error,
        })
    }
}

/// That the code of a skill does not run, and what to do about it.
fn inactive(id: &SkillId, reason: &str) -> String {
    format!(
        "The code of `{id}` is not active, so its tools are not available: {reason}. To approve it, the user can run one of its tools with `prowess run` in a terminal."
    )
}

/// Asks the user of the client whose request is handled.
#[derive(Default)]
struct ClientApprover(Mutex<Option<Client>>);

impl ClientApprover {
    fn serve(&self, client: &Client) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(client.clone());
    }

    fn client(&self) -> Option<Client> {
        let client = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        client.clone()
    }
}

const DENY: Choice = Choice {
    id: "deny",
    title: "Deny",
};
const ONCE: Choice = Choice {
    id: "once",
    title: "Allow once",
};

#[async_trait]
impl Approver for ClientApprover {
    async fn ask(&self, request: ApprovalRequest<'_>) -> ApprovalDecision {
        let always = Choice {
            id: "always",
            title: "Always allow in this project",
        };
        let Some(client) = self.client() else {
            return ApprovalDecision::Unavailable;
        };
        let text = terminal::printable(&approval_text(&request));
        match client.ask(&text, &[DENY, ONCE, always]).await {
            UserAnswer::Chosen(id) if id == "once" => ApprovalDecision::Once,
            UserAnswer::Chosen(id) if id == "always" => ApprovalDecision::Always,
            UserAnswer::Chosen(_) | UserAnswer::Declined => ApprovalDecision::Deny,
            UserAnswer::Unavailable => ApprovalDecision::Unavailable,
        }
    }

    async fn ask_command(&self, request: CommandApprovalRequest<'_>) -> CommandDecision {
        let always = Choice {
            id: "always",
            title: "Always allow this command in this project",
        };
        let client = self.client().filter(Client::can_ask_during_call);
        let Some(client) = client else {
            return CommandDecision::Unavailable;
        };
        let choices = [DENY, ONCE, always];
        let offered = if request.may_be_stored() { 3 } else { 2 };
        let choices = choices.get(..offered).unwrap_or_default();
        let text = terminal::printable(&command_text(&request));
        match client.ask(&text, choices).await {
            UserAnswer::Chosen(id) if id == "once" => CommandDecision::Once,
            UserAnswer::Chosen(id) if id == "always" => CommandDecision::AlwaysCommand,
            UserAnswer::Chosen(_) | UserAnswer::Declined => CommandDecision::Deny,
            UserAnswer::Unavailable => CommandDecision::Unavailable,
        }
    }

    async fn ask_write(&self, request: ProtectedWriteRequest<'_>) -> WriteDecision {
        let client = self.client().filter(Client::can_ask_during_call);
        let Some(client) = client else {
            return WriteDecision::Unavailable;
        };
        let text = write_text(&request);
        match client.ask(&terminal::printable(&text), &[DENY, ONCE]).await {
            UserAnswer::Chosen(id) if id == "once" => WriteDecision::Once,
            UserAnswer::Chosen(_) | UserAnswer::Declined => WriteDecision::Deny,
            UserAnswer::Unavailable => WriteDecision::Unavailable,
        }
    }
}
