//! `prowess read`: a file of a skill.

use clap::Args;
use pollster::block_on;
use prowess_spec::SkillPath;

use super::load_error;
use crate::arguments::{Global, RawFlag, SourceArguments};
use crate::completer::skill_ids;
use crate::error::{CommandError, Result};
use crate::exit::Exit;
use crate::{open, terminal};

const HELP: &str = "\
Examples:
  prowess read pdf-forms references/API.md
  prowess read pdf-forms references/API.md --limit 1000";

/// Arguments of `read`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct ReadArguments {
    /// Id of the skill
    #[arg(add = skill_ids())]
    pub(crate) id: String,
    /// Path of the file inside the skill
    pub(crate) path: String,
    /// First byte to print
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: u64,
    /// Maximum number of bytes to print [default: all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    #[command(flatten)]
    pub(crate) sources: SourceArguments,
    #[command(flatten)]
    pub(crate) raw: RawFlag,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &ReadArguments, global: &Global) -> Result<Exit> {
    let skills = open::skills(&arguments.sources, global)?;
    let id = open::parse_id(&arguments.id)?;
    let path = SkillPath::parse(&arguments.path).map_err(|problem| {
        CommandError::failure(format!("`{}` {problem}", arguments.path))
            .hint("pass a path inside the skill, such as references/API.md")
    })?;
    let limit = arguments.limit.unwrap_or(usize::MAX);
    let part = block_on(skills.sources().read(&id, &path, arguments.offset, limit))
        .map_err(|error| load_error(&skills, &arguments.id, &error))?;
    if arguments.json {
        let text = std::str::from_utf8(&part.bytes).ok();
        super::print_json(&serde_json::json!({
            "id": id,
            "path": path,
            "offset": part.offset,
            "size": part.size,
            "content": text,
            "binary": text.is_none(),
        }))?;
        return Ok(Exit::Success);
    }
    terminal::print_content(&part.bytes, arguments.raw.into())?;
    Ok(Exit::Success)
}
