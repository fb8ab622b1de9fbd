//! An agent in a few lines: any model, any loop, with skills.
//!
//! `cargo run -p prowess --example agent_loop`
#![allow(clippy::print_stdout, reason = "an example shows what happens")]

use prowess::{Skills, directory};
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
        let session = skills.session();
        let message = session.message("why did this fail?").await;
        let mut messages: Vec<String> = message.into_iter().collect();
        loop {
            match model(&session.prompt().text, &messages) {
                Reply::Text(text) => break println!("{text}"),
                Reply::Call(tool, arguments) => {
                    let outcome = session.call(tool, &arguments).await;
                    messages.push(outcome.result.content.to_string());
                }
            }
        }
        println!("active: {:?}", session.active());
        Ok(())
    })
}
