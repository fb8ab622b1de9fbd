//! `prowess read`: a file of a skill.

use anyhow::Result;
use pollster::block_on;
use prowess_spec::SkillPath;

use super::{parse_id, refuse};
use crate::cli::{Global, ReadArguments};
use crate::exit::Exit;
use crate::{open, terminal};

pub(crate) fn run(arguments: &ReadArguments, global: &Global) -> Result<Exit> {
    let skills = open::skills(&arguments.place, global)?;
    let id = parse_id(&arguments.id)?;
    let path = match SkillPath::parse(&arguments.path) {
        Ok(path) => path,
        Err(problem) => {
            let message = format!("`{}` {problem}", arguments.path);
            terminal::print_problem(
                &message,
                Some("name a file inside the skill, such as references/API.md"),
            );
            return Ok(Exit::Failure);
        }
    };
    let limit = arguments.limit.unwrap_or(usize::MAX);
    let part = match block_on(skills.sources().read(&id, &path, arguments.offset, limit)) {
        Ok(part) => part,
        Err(error) => return Ok(refuse(&skills, &arguments.id, &error)),
    };
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
