//! `prowess trace`: which skills a message activates, why, and what that costs in the prompt.

use std::fmt::Write;

use clap::Args;
use prowess_core::SkillId;
use prowess_runtime::limits::PROMPT_BUDGET;
use prowess_runtime::{Activation, ActivationState, PromptReport};
use serde::Serialize;
use serde_json::json;

use super::print_json;
use super::why::sentence;
use crate::arguments::{Global, ModeArgument};
use crate::code_skills::{self, CodeSkillArguments, OpenedRuntime};
use crate::error::Result;
use crate::exit::Exit;
use crate::terminal;

const HELP: &str = "\
Examples:
  prowess trace                            without a message
  prowess trace deploy it to kubernetes    with a message
  prowess trace --skills ./my-skill        with skills of a directory

The command activates the skills and deactivates them at the end, so their permissions must be \
approved.";

/// Arguments of `trace`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct TraceArguments {
    /// Message of the user
    pub(crate) message: Vec<String>,
    #[command(flatten)]
    pub(crate) mode: ModeArgument,
    #[command(flatten)]
    pub(crate) code_skills: CodeSkillArguments,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The result of an activation.
#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    activation: Activation,
    state: ActivationState,
    reason: String,
    tools: Vec<String>,
    workflows: Vec<String>,
}

pub(crate) fn run(arguments: &TraceArguments, global: &Global) -> Result<Exit> {
    code_skills::block_on(trace(arguments, global))
}

async fn trace(arguments: &TraceArguments, global: &Global) -> Result<Exit> {
    let opened = code_skills::open(&arguments.code_skills, global).await?;
    let message = arguments.message.join(" ");
    let mut rows = Vec::new();
    for activation in opened.evaluate(&message, arguments.mode.mode())? {
        rows.push(activate(&opened, activation).await);
    }
    let runtime = &opened.runtime;
    let session = runtime.skills().session();
    let prompt = session.prompt();
    let (fragments, report) = runtime.prompt(&prompt.text, PROMPT_BUDGET).await;
    if arguments.json {
        print_json(&json!({
            "message": message,
            "skills": rows,
            "problems": opened.manifests.problems(),
            "prompt": {
                "catalog_tokens": prompt.report.tokens_after,
                "fragments": fragments,
                "report": report,
            },
        }))?;
    } else {
        let mut text = described(&rows);
        let _ = writeln!(text, "{}", budget(prompt.report.tokens_after, &report));
        for fragment in &fragments {
            let from = fragment.skill.as_ref().map_or("a handler", SkillId::as_str);
            let tokens = prowess_spec::estimate_tokens(&fragment.text);
            let _ = writeln!(text, "  {from}: {tokens} tokens");
        }
        for lost in &report.cut {
            let from = lost.skill.as_ref().map_or("a handler", SkillId::as_str);
            let _ = writeln!(text, "  {from}: {} tokens cut", lost.tokens);
        }
        terminal::print(&text)?;
    }
    runtime.shut_down().await;
    Ok(Exit::Success)
}

async fn activate(opened: &OpenedRuntime, activation: Activation) -> Row {
    let id = activation.id.clone();
    let runtime = &opened.runtime;
    let before = runtime.tools().len();
    let (state, reason) = if let Some(error) = opened.manifests.error(&id) {
        (ActivationState::Error, error.to_owned())
    } else if opened.manifests.get(&id).is_none() {
        // Instructions only: there is nothing to start.
        (ActivationState::Active, "instructions only".to_owned())
    } else {
        let reason = match runtime.activate(&id).await {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        };
        (runtime.state(&id).0, reason)
    };
    let workflows = runtime.workflows().into_iter();
    let tools = runtime.tools();
    Row {
        state,
        reason,
        tools: tools
            .get(before..)
            .unwrap_or_default()
            .iter()
            .map(|tool| tool.name.clone())
            .collect(),
        workflows: workflows
            .filter_map(|(of, name)| (of == id).then_some(name))
            .collect(),
        activation,
    }
}

fn described(rows: &[Row]) -> String {
    let mut text = String::new();
    if rows.is_empty() {
        text.push_str("no skill is activated\n");
    }
    for row in rows {
        let Activation { id, score, causes } = &row.activation;
        let _ = writeln!(text, "{id}  {} (score {score})", row.state);
        for cause in causes {
            let _ = writeln!(text, "  because {}", sentence(cause));
        }
        if !row.reason.is_empty() {
            let _ = writeln!(text, "  {}", row.reason);
        }
        if !row.tools.is_empty() {
            let _ = writeln!(text, "  tools: {}", row.tools.join(", "));
        }
        if !row.workflows.is_empty() {
            let _ = writeln!(text, "  workflows: {}", row.workflows.join(", "));
        }
    }
    text
}

fn budget(catalog: usize, report: &PromptReport) -> String {
    format!(
        "prompt: about {catalog} tokens of catalog, {} of {} tokens of fragments",
        report.tokens, report.budget
    )
}
