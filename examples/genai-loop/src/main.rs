//! An agent loop of your own: `prowess` for the skills, `genai` for the model.
//! `SKILLS=examples/skills cargo run -p prowess-example-genai -- "/log-triage why did it fail?" "and now?"`
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use anyhow::{Context, Result, ensure};
use genai::chat::{ChatMessage, ChatRequest, Tool, ToolCall, ToolResponse};
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, ModelIden, ServiceTarget, adapter::AdapterKind};
use prowess::{Skills, directory};

#[tokio::main]
async fn main() -> Result<()> {
    let var = |name: &str, default: &str| std::env::var(name).unwrap_or(default.to_owned());
    let url = var("OPENAI_BASE_URL", "http://localhost:11434/v1");
    let model = ServiceTarget {
        endpoint: Endpoint::from_owned(format!("{}/", url.trim_end_matches('/'))),
        auth: AuthData::from_single(var("OPENAI_API_KEY", "")),
        model: ModelIden::new(AdapterKind::OpenAI, var("MODEL", "llama3.2")),
    };
    let source = directory(var("SKILLS", ".agents/skills"));
    let skills = Skills::builder().source("project", source).build().await?;
    skills.check()?;
    let (client, session, mut history) = (Client::new()?, skills.session(), Vec::new());
    for message in std::env::args().skip(1) {
        let Some(message) = session.message(&message).await else {
            continue;
        };
        history.push(ChatMessage::user(message));
        for round in 1.. {
            ensure!(round <= 20, "the model still calls tools after 20 requests");
            let tools = session.tools().into_iter().map(|tool| {
                let description = tool.description;
                Tool::new(tool.name)
                    .with_description(description)
                    .with_schema(tool.input_schema)
            });
            let request = ChatRequest::from_messages(history.clone())
                .with_system(session.prompt().text)
                .with_tools(tools);
            let reply = client.exec_chat(model.clone(), request, None).await;
            let reply = reply.with_context(|| format!("no answer from {url}"))?;
            let calls: Vec<ToolCall> = reply.tool_calls().into_iter().cloned().collect();
            if calls.is_empty() {
                let text = reply.into_texts().concat();
                println!("{text}");
                history.push(ChatMessage::assistant(text));
                break;
            }
            history.extend(reply.into_assistant_message_for_tool_use());
            for call in &calls {
                let result = session.call(&call.fn_name, &call.fn_arguments).await.result;
                history.push(ToolResponse::from_tool_call(call, result.content.to_string()).into());
            }
        }
    }
    Ok(())
}
