//! `prowess prompt`: what a model is told about skills, to the letter.

use std::fmt::Write;

use anyhow::Result;
use prowess_core::{Place, ToolUse};

use crate::cli::{Global, PromptArguments};
use crate::exit::Exit;
use crate::{open, terminal};

pub(crate) fn run(arguments: &PromptArguments, global: &Global) -> Result<Exit> {
    let mut dialect = open::dialect(arguments.dialect.as_deref())?;
    if let Some(format) = arguments.format {
        dialect.catalog = format.into();
    }
    let skills = open::skills(&arguments.place, dialect, arguments.budget)?;
    let (text, report) = skills.system_prompt(&skills.session(), ToolUse::Available);
    if arguments.json {
        super::print_json(&serde_json::json!({"prompt": text, "report": report}))?;
        return Ok(Exit::Success);
    }
    if !text.is_empty() {
        terminal::print(&format!("{text}\n"))?;
    }
    if !global.quiet {
        let place = match dialect.place {
            Place::SystemPrompt => "the system prompt",
            Place::BeforeLastUserMessage => "a system message before the last one of the user",
            Place::ToolDescription => "the description of the tool",
        };
        let mut note = format!(
            "{} of {} skills listed, about {} tokens, for {place}",
            report.shown, report.total, report.tokens_after
        );
        if report.shortened > 0 {
            let _ = write!(note, "; {} descriptions shortened", report.shortened);
        }
        if report.omitted > 0 {
            let _ = write!(note, "; {} behind collections or search", report.omitted);
        }
        terminal::note(&note);
    }
    Ok(Exit::Success)
}
