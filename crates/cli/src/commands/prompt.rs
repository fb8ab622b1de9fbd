//! `prowess prompt`: what a model is told about skills, to the letter.

use std::fmt::Write;

use anyhow::Result;
use prowess_core::{Place, ToolUse};

use crate::cli::{Global, PromptArguments};
use crate::exit::Exit;
use crate::{open, terminal};

pub(crate) fn run(arguments: &PromptArguments, global: &Global) -> Result<Exit> {
    let dialect = arguments
        .dialect
        .as_deref()
        .map(open::dialect)
        .transpose()?;
    let skills = open::skills_with(&arguments.place, global, |mut builder| {
        if let Some(dialect) = dialect {
            builder = builder.dialect(dialect);
        }
        if let Some(format) = arguments.format {
            builder = builder.catalog_format(format.into());
        }
        match arguments.budget {
            Some(chars) => builder.catalog_chars(chars),
            None => builder,
        }
    })?;
    let (text, report) = skills.system_prompt(&skills.session(), ToolUse::Available);
    if arguments.json {
        super::print_json(&serde_json::json!({"prompt": text, "report": report}))?;
        return Ok(Exit::Success);
    }
    if !text.is_empty() {
        let text = format!("{text}\n");
        terminal::print_content(text.as_bytes(), terminal::Content::ForReader)?;
    }
    if !global.quiet {
        let place = match skills.settings().dialect.place {
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
