//! An agent in a few lines: any model, any loop, with skills.
//!
//! `cargo run -p prowess --example agent_loop`
#![allow(clippy::print_stdout, reason = "an example shows what happens")]

use prowess::{Skills, ToolUse, directory};
use serde_json::{Value, json};

/// Stands for a model: it loads the first skill it is offered, then answers.
fn model(system: &str, messages: &[String]) -> Reply {
    match messages {
        [only] if !only.contains("<skill") => {
            let id = system.split('"').nth(1).unwrap_or_default();
            Reply::Call("load_skill", json!({"id": id}))
        }
        _ => Reply::Text(format!("I have {} messages to go by.", messages.len())),
    }
}

enum Reply {
    Call(&'static str, Value),
    Text(String),
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    pollster::block_on(async {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/skills");
        let skills = Skills::builder()
            .source("examples", directory(root))
            .build()
            .await?;
        let mut session = skills.session();
        let turn = session.turn("why did this fail?", &[]).await;
        let mut messages = vec![turn.content()];
        loop {
            let (system, _) = skills.system_prompt(&session, ToolUse::Available);
            match model(&system, &messages) {
                Reply::Text(text) => break println!("{text}"),
                Reply::Call(tool, arguments) => {
                    let (result, _) = session.call(tool, &arguments).await;
                    messages.push(result.content.to_string());
                }
            }
        }
        println!("active: {:?}", session.active());
        Ok(())
    })
}
