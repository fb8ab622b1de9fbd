//! The commands, one module each.

pub(crate) mod browse;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod info;
pub(crate) mod list;
pub(crate) mod mcp;
pub(crate) mod permissions;
pub(crate) mod prompt;
pub(crate) mod read;
pub(crate) mod run;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod trace;
pub(crate) mod why;

use anyhow::Result;
use prowess_core::{Skills, SourceError};

use crate::exit::Exit;
use crate::terminal;
use crate::terminal::print_json;

/// Reports why a skill cannot be loaded, with suggestions.
fn refuse(skills: &Skills, id: &str, error: &SourceError) -> Exit {
    let near = match error {
        SourceError::NotFound(_) => skills.catalog().nearest(id).join(", "),
        SourceError::FileNotFound { nearest, .. } => nearest.join(", "),
        SourceError::NotAFile { entries, .. } => entries.join(", "),
        _ => String::new(),
    };
    let hint = match (error, near.as_str()) {
        (SourceError::NotFound(_), "") => Some("run `prowess list` to list skills".to_owned()),
        (_, "") => None,
        (SourceError::NotAFile { .. }, entries) => Some(format!("it contains {entries}")),
        (_, near) => Some(format!("did you mean {near}?")),
    };
    terminal::print_problem(&error.to_string(), hint.as_deref());
    Exit::Failure
}

/// The id that a person typed; what is not one cannot exist.
pub(crate) fn parse_id(text: &str) -> Result<prowess_core::SkillId> {
    let text = text.strip_prefix('/').unwrap_or(text);
    Ok(text.parse()?)
}
