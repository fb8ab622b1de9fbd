//! `prowess show`: a skill's instructions, as a model gets them.

use clap::Args;
use pollster::block_on;
use prowess_core::{render_skill, with_arguments};

use super::load_error;
use crate::arguments::{Global, RawFlag, SourceArguments};
use crate::completer::skill_ids;
use crate::error::Result;
use crate::exit::Exit;
use crate::{open, terminal};

const HELP: &str = "\
Examples:
  prowess show pdf-forms
  prowess show release-notes version 2    pass arguments";

/// Arguments of `show`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct ShowArguments {
    /// Id of the skill
    #[arg(add = skill_ids())]
    pub(crate) id: String,
    /// Arguments of the skill, as typed after `/ID`
    pub(crate) arguments: Vec<String>,
    #[command(flatten)]
    pub(crate) sources: SourceArguments,
    #[command(flatten)]
    pub(crate) raw: RawFlag,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &ShowArguments, global: &Global) -> Result<Exit> {
    let skills = open::skills(&arguments.sources, global)?;
    let id = open::parse_id(&arguments.id)?;
    let document = block_on(skills.sources().load(&id))
        .map_err(|error| load_error(&skills, &arguments.id, &error))?;
    if arguments.json {
        super::print_json(&serde_json::json!({
            "id": id,
            "frontmatter": document.skill.frontmatter,
            "body": document.body,
        }))?;
        return Ok(Exit::Success);
    }
    let body = with_arguments(&document.body, &arguments.arguments.join(" "));
    let limit = skills.settings().dialect.limits.skill_bytes;
    let block = render_skill(&id, &body, limit)?;
    let text = format!("{}\n", block.text);
    terminal::print_content(text.as_bytes(), arguments.raw.into())?;
    if block.report.dropped_bytes > 0 {
        terminal::note(&format!(
            "{} bytes cut: the limit is {limit} bytes",
            block.report.dropped_bytes
        ));
    }
    Ok(Exit::Success)
}
