//! An agent of `rig` with skills.
//!
//! `cargo run -p prowess-example-rig -- --model llama3.2 "/log-triage why did it fail?" "and now?"`
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::env;

use anyhow::{Context, Result, ensure};
use clap::Parser;
use prowess::{Skills, directory};
use prowess_example_rig::Conversation;
use rig_agent::AgentBuilder;
use rig_core::providers::openai::OpenAIConfig;
use rig_core::providers::openai::wire::Auth;

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
    // The chat completions: hardly a server but OpenAI's own has the newer interface.
    let model = OpenAIConfig::new(env::var("OPENAI_API_KEY").unwrap_or_default())
        .with_auth(Auth::OptionalBearer)
        .with_base_url(url)
        .client()
        .chat(options.model);

    let conversation = Conversation::new(&skills);
    let agent = AgentBuilder::new(model)
        .preamble("You are a helpful assistant.\n")
        .append_preamble(&conversation.preamble())
        .dynamic_tools(conversation.tools())
        .add_hook(conversation.clone())
        .default_max_turns(20)
        .build();

    let mut history = Vec::new();
    let mut said = String::new();
    for message in &options.messages {
        let turn = conversation.turn(message).await;
        said += &turn.content();
        if !turn.needs_model() {
            // Only a skill's name: its instructions go out with the next message.
            said += "\n\n";
            continue;
        }
        let answer = agent.chat(std::mem::take(&mut said), &mut history).await;
        let answer = answer.with_context(|| format!("no answer from {url}"))?;
        println!("{}", answer.output());
    }
    Ok(())
}
