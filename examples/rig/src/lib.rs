//! Skills for an agent of `rig`: a preamble, a set of tools, and the turns.
//!
//! ```
//! use prowess::Skills;
//! use prowess_example_rig::Conversation;
//! use rig_agent::{Agent, AgentBuilder};
//! use rig_core::{DynModel, operation::Completion};
//!
//! fn agent(model: DynModel<Completion>, skills: &Skills) -> (Agent, Conversation) {
//!     let conversation = Conversation::new(skills);
//!     let agent = AgentBuilder::new(model)
//!         .preamble(conversation.preamble())
//!         .dynamic_tools(conversation.tools())
//!         .add_hook(conversation.clone())
//!         .default_max_turns(20)
//!         .build();
//!     (agent, conversation)
//! }
//! ```

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prowess::{Session, Skills, ToolResult, ToolUse, Turn};
use rig_agent::agent::{AgentHook, HookContext, InvalidToolCallAction, InvalidToolCallContext};
use rig_agent::run::policy::InvalidToolCallReason;
use rig_core::message::ToolName;
use rig_core::tool::{DynamicTool, ToolExecutionError, ToolOutput};
use serde_json::Value;

/// One conversation with skills; a clone is another handle to the same one.
///
/// Preamble and tools are those of the moment: build the agent again when the skills have changed. As a hook it
/// answers a model that calls a tool which does not exist; without it, `rig` gives up.
#[derive(Clone, Debug)]
pub struct Conversation {
    session: Arc<Mutex<Session>>,
}

impl Conversation {
    /// A new conversation over `skills`.
    pub fn new(skills: &Skills) -> Self {
        let session = Arc::new(Mutex::new(skills.session()));
        Self { session }
    }

    /// What the model is told about skills, for [`rig_agent::AgentBuilder::preamble`].
    pub fn preamble(&self) -> String {
        let session = self.locked();
        let (text, _) = session.skills().system_prompt(&session, ToolUse::Available);
        text
    }

    /// The tools, for [`rig_agent::AgentBuilder::dynamic_tools`].
    pub fn tools(&self) -> Vec<DynamicTool> {
        let session = self.locked();
        let definitions = session.skills().tools(&session);
        drop(session);
        let tool = |tool: prowess::ToolDefinition| {
            let name = ToolName::new(tool.name.as_str()).ok()?;
            let conversation = self.clone();
            let call = move |arguments: Value| {
                let (conversation, name) = (conversation.clone(), tool.name.clone());
                let result = async move { output(conversation.call(&name, &arguments).await) };
                Box::pin(result) as _
            };
            let parameters = tool.input_schema;
            Some(DynamicTool::new(name, tool.description, parameters, call))
        };
        definitions.into_iter().filter_map(tool).collect()
    }

    /// Prepares a message; [`Turn::content`] is what to prompt with.
    pub async fn turn(&self, message: &str) -> Turn {
        let mut fork = self.fork();
        let turn = fork.turn(message, &[]).await;
        self.join(&fork);
        turn
    }

    async fn call(&self, tool: &str, arguments: &Value) -> ToolResult {
        let mut fork = self.fork();
        let (result, _events) = fork.call(tool, arguments).await;
        self.join(&fork);
        result
    }

    /// The session: `rig` can call tools concurrently, so the lock is not held while waiting.
    fn fork(&self) -> Session {
        self.locked().clone()
    }

    fn join(&self, fork: &Session) {
        let mut session = self.locked();
        for id in fork.active() {
            session.activate(id);
        }
    }

    fn locked(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn output(result: ToolResult) -> Result<ToolOutput, ToolExecutionError> {
    let output = match result.content {
        Value::String(text) => ToolOutput::text(text),
        other => ToolOutput::json(other),
    };
    if result.is_error {
        return Err(ToolExecutionError::other(output.render()).with_model_output(output));
    }
    Ok(output)
}

impl AgentHook for Conversation {
    async fn on_invalid_tool_call(
        &self,
        _: &HookContext,
        event: &InvalidToolCallContext,
    ) -> Option<InvalidToolCallAction> {
        if event.reason != InvalidToolCallReason::UnknownTool {
            return None;
        }
        let result = self.call(&event.tool_name, &Value::Null).await;
        Some(InvalidToolCallAction::skip(result.content.to_string()))
    }
}
