//! The skills of `prowess serve`, with a directory for those that clients create.

use std::env;
use std::path::PathBuf;

use prowess_config::SkillsConfig;
use prowess_core::Skills;
use prowess_sources::FilesystemSource;

use super::serve::ServeArguments;
use crate::arguments::{Global, SourceArguments};
use crate::create::destination;
use crate::error::{Context, Result};
use crate::{environment, open};

/// Opens the skills. The directory is `None` if clients may only read.
pub(super) fn open(
    arguments: &ServeArguments,
    sources: &SourceArguments,
    config: &SkillsConfig,
    window: Option<usize>,
    global: &Global,
) -> Result<(Skills, Option<PathBuf>)> {
    let skills = open::skills_with(config, window, sources, global, |it| it)?;
    if arguments.read_only {
        return Ok((skills, None));
    }
    let here = env::current_dir().context("cannot find the current directory")?;
    let home = environment::user_directories().home;
    let named = arguments.new_skills.as_deref();
    let found = destination(named, &here, home.as_deref());
    let directory = if found.is_default || named.is_some() {
        here.join(found.directory)
    } else if let Some(home) = home {
        home.join(".agents/skills")
    } else {
        return Ok((skills, None));
    };
    let canonical = directory.canonicalize().ok();
    let is_same = |known: &PathBuf| {
        *known == directory || (canonical.is_some() && known.canonicalize().ok() == canonical)
    };
    if let Some(known) = skills.sources().directories().into_iter().find(is_same) {
        return Ok((skills, Some(known)));
    }
    // No source has it yet, as in a project without skills.
    let name = directory.display().to_string();
    let source = FilesystemSource::new(&directory, open::options_of(&directory, &here));
    let with = |it: prowess_core::SkillsBuilder| it.with_skills(name, source);
    let skills = open::skills_with(config, window, sources, global, with)?;
    Ok((skills, Some(directory)))
}
