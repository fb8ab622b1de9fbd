//! The commands, one module each.

mod administration;
pub(crate) mod browse;
mod checkup;
pub(crate) mod completions;
pub(crate) mod config;
mod config_init;
pub(crate) mod doctor;
pub(crate) mod info;
pub(crate) mod list;
mod list_document;
pub(crate) mod mcp;
pub(crate) mod permissions;
pub(crate) mod prompt;
pub(crate) mod read;
mod remote_info;
mod remote_list;
pub(crate) mod run;
mod run_listing;
mod run_script;
pub(crate) mod search;
pub(crate) mod serve;
mod serve_console;
mod serve_rates;
mod serve_writable;
pub(crate) mod show;
pub(crate) mod store;
pub(crate) mod token;
pub(crate) mod trace;
pub(crate) mod why;

use prowess_core::{Skills, SourceError};

use crate::error::CommandError;
use crate::terminal::print_json;

/// Why a skill cannot be loaded, with suggestions.
fn load_error(skills: &Skills, id: &str, error: &SourceError) -> CommandError {
    let near = match error {
        SourceError::NotFound(_) => skills.catalog().nearest(id).join(", "),
        SourceError::FileNotFound { nearest, .. } => nearest.join(", "),
        SourceError::NotAFile { entries, .. } => entries.join(", "),
        _ => String::new(),
    };
    let failure = CommandError::failure(error.to_string());
    match (error, near.as_str()) {
        (SourceError::NotFound(_), "") => failure.hint("run `prowess list` to list skills"),
        (_, "") => failure,
        (SourceError::NotAFile { .. }, entries) => failure.hint(format!("it contains {entries}")),
        (_, near) => failure.hint(format!("did you mean {near}?")),
    }
}
