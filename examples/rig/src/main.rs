//! Skills for an agent of `rig`: a preamble, a set of tools, and the messages.
//! `SKILLS=examples/skills cargo run -p prowess-example-rig -- "/log-triage why did it fail?" "and now?"`
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use anyhow::{Context, Result};
use prowess::{Session, Skills, ToolDefinition, directory};
use rig_agent::AgentBuilder;
use rig_agent::agent::{AgentHook, HookContext, InvalidToolCallAction, InvalidToolCallContext};
use rig_core::providers::openai::{OpenAIConfig, wire::Auth};
use rig_core::tool::{DynamicTool, ToolExecutionError, ToolOutput};
use std::sync::Arc;

/// A tool of the session. `rig` may call several at the same time.
fn tool(session: &Arc<Session>, tool: ToolDefinition) -> Option<DynamicTool> {
    let (session, name) = (
        Arc::clone(session),
        rig_core::message::ToolName::new(tool.name.as_str()).ok()?,
    );
    let call = move |arguments: serde_json::Value| {
        let (session, name) = (Arc::clone(&session), tool.name.clone());
        Box::pin(async move {
            let result = session.call(&name, &arguments).await.result;
            let output = ToolOutput::json(result.content);
            if result.is_error {
                let error = ToolExecutionError::other(output.render());
                return Err(error.with_model_output(output));
            }
            Ok(output)
        }) as _
    };
    Some(DynamicTool::new(
        name,
        tool.description,
        tool.input_schema,
        call,
    ))
}

/// Answers a model that calls an unknown tool. Without it, `rig` ends the run.
struct UnknownTools(Arc<Session>);

impl AgentHook for UnknownTools {
    async fn on_invalid_tool_call(
        &self,
        _: &HookContext,
        event: &InvalidToolCallContext,
    ) -> Option<InvalidToolCallAction> {
        let result = self.0.call(&event.tool_name, &().into()).await.result;
        Some(InvalidToolCallAction::skip(result.content.to_string()))
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let var = |name: &str, default: &str| std::env::var(name).unwrap_or(default.to_owned());
    let url = var("OPENAI_BASE_URL", "http://localhost:11434/v1");
    let config = OpenAIConfig::new(var("OPENAI_API_KEY", ""));
    let config = config.with_auth(Auth::OptionalBearer).with_base_url(&url);
    let source = directory(var("SKILLS", ".agents/skills"));
    let skills = Skills::builder().source("project", source).build().await?;
    skills.check()?;
    let (session, mut history) = (Arc::new(skills.session()), Vec::new());
    let tools = session.tools().into_iter();
    let tools = tools.filter_map(|definition| tool(&session, definition));
    let agent = AgentBuilder::new(config.client().chat(var("MODEL", "llama3.2")))
        .preamble(session.prompt().text)
        .dynamic_tools(tools.collect())
        .add_hook(UnknownTools(Arc::clone(&session)))
        .default_max_turns(20)
        .build();
    for message in std::env::args().skip(1) {
        if let Some(message) = session.message(&message).await {
            let answer = agent.chat(message, &mut history).await;
            let answer = answer.with_context(|| format!("no answer from {url}"))?;
            println!("{}", answer.output());
        }
    }
    Ok(())
}
