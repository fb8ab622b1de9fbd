//! Completion of skill ids in a shell.

use std::ffi::OsStr;

use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};

use crate::arguments::{Global, SourceArguments};
use crate::{open, terminal};

/// Completes the id of a skill, by its beginning or by the beginning of its name.
pub(crate) fn skill_ids() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let current = current.to_string_lossy();
        let sources = SourceArguments::default();
        // Completion must be fast: use cached data of remote sources.
        let global = Global {
            quiet: true,
            offline: true,
            ..Global::default()
        };
        let Ok(skills) = open::skills(&sources, &global) else {
            return Vec::new();
        };
        let catalog = skills.catalog();
        let starts = |text: &str| text.starts_with(&*current);
        let found = catalog.skills().filter(|skill| {
            starts(skill.descriptor.id.as_str()) || starts(skill.descriptor.name())
        });
        let candidate = |skill: prowess_core::Skill<'_>| {
            let description = terminal::printable(&skill.descriptor.description);
            let line = description.lines().next().unwrap_or_default().to_owned();
            CompletionCandidate::new(skill.descriptor.id.as_str()).help(Some(line.into()))
        };
        found.map(candidate).collect()
    })
}
