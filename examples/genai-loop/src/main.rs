//! An agent loop of one's own: `prowess` knows the skills, `genai` speaks to the model.
//!
//! `cargo run -p prowess-example-genai -- --model llama3.2 "/log-triage why did it fail?" "and now?"`
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::env;

use anyhow::{Context, Result, bail, ensure};
use clap::Parser;
use genai::adapter::AdapterKind;
use genai::chat::{ChatMessage, ChatRequest, Tool, ToolCall, ToolResponse};
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, ModelIden, ServiceTarget};
use prowess::{Session, Skills, ToolUse, directory};

/// Requests to the model for one message of the user's.
const STEPS: usize = 20;

/// Ask a model that has skills
#[derive(Parser)]
struct Options {
    /// Where chat completions are served; the key, if one is needed, is in `OPENAI_API_KEY`
    #[arg(long, default_value = "http://localhost:11434/v1")]
    base_url: String,
    #[arg(long, default_value = "llama3.2")]
    model: String,
    /// A directory of skills
    #[arg(long, default_value = ".agents/skills")]
    skills: String,
    /// What to say, one turn after the other
    #[arg(required = true)]
    messages: Vec<String>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let options = Options::parse();
    let (url, place) = (options.base_url.trim_end_matches('/'), &options.skills);
    let skills = Skills::builder().source("project", directory(place));
    let skills = skills.build().await?;
    ensure!(!skills.catalog().is_empty(), "no skills in {place}");
    let model = ServiceTarget {
        endpoint: Endpoint::from_owned(format!("{url}/")),
        auth: AuthData::from_single(env::var("OPENAI_API_KEY").unwrap_or_default()),
        model: ModelIden::new(AdapterKind::OpenAI, options.model),
    };
    let client = Client::new()?;
    let mut session = skills.session();
    let mut history = Vec::new();
    let mut said = String::new();
    for message in &options.messages {
        let turn = session.turn(message, &[]).await;
        said += &turn.content();
        if !turn.needs_model() {
            // Only a skill's name: its instructions go out with the next message.
            said += "\n\n";
            continue;
        }
        history.push(ChatMessage::user(std::mem::take(&mut said)));
        let answer = answer(&client, &model, &mut session, &mut history).await;
        let answer = answer.with_context(|| format!("no answer from {url}"))?;
        println!("{answer}");
    }
    Ok(())
}

/// Asks until the model has no more tools to call.
async fn answer(
    client: &Client,
    model: &ServiceTarget,
    session: &mut Session,
    history: &mut Vec<ChatMessage>,
) -> Result<String> {
    for _ in 0..STEPS {
        let (system, _) = session.skills().system_prompt(session, ToolUse::Available);
        let tools = session.skills().tools(session).into_iter().map(|tool| {
            Tool::new(tool.name)
                .with_description(tool.description)
                .with_schema(tool.input_schema)
        });
        let request = ChatRequest::from_messages(history.clone())
            .with_system(format!("You are a helpful assistant.\n\n{system}"))
            .with_tools(tools);
        let reply = client.exec_chat(model.clone(), request, None).await?;
        let calls: Vec<ToolCall> = reply.tool_calls().into_iter().cloned().collect();
        if calls.is_empty() {
            let text = reply.into_texts().concat();
            history.push(ChatMessage::assistant(text.as_str()));
            return Ok(text);
        }
        history.extend(reply.into_assistant_message_for_tool_use());
        for call in &calls {
            // Whatever goes wrong is a result, too: the model reads it and tries again.
            let (result, _events) = session.call(&call.fn_name, &call.fn_arguments).await;
            history.push(ToolResponse::from_tool_call(call, result.content.to_string()).into());
        }
    }
    bail!("it still calls tools after {STEPS} requests")
}
