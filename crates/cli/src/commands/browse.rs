//! `prowess browse`: what lies in a collection.

use std::fmt::Write;

use clap::Args;
use prowess_core::{CollectionPath, Listing};

use crate::arguments::{Global, SourceArguments};
use crate::error::Result;
use crate::exit::Exit;
use crate::{open, terminal};

const HELP: &str = "\
Examples:
  prowess browse              list the top-level collections
  prowess browse documents    list one collection";

/// Arguments of `browse`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct BrowseArguments {
    /// Collection to list [default: the root]
    pub(crate) path: Option<String>,
    #[command(flatten)]
    pub(crate) sources: SourceArguments,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &BrowseArguments, global: &Global) -> Result<Exit> {
    let skills = open::skills(&arguments.sources, global)?;
    let catalog = skills.catalog();
    let text = arguments.path.as_deref().unwrap_or_default();
    let path: Option<CollectionPath> = match text.trim_matches('/') {
        "" => None,
        path => path.parse().ok(),
    };
    // A path that could not exist is as empty as one that does not.
    let listing = match (text.trim_matches('/'), &path) {
        ("", _) | (_, Some(_)) => catalog.browse(path.as_ref()),
        _ => Listing::default(),
    };
    if arguments.json {
        let skills: Vec<_> = listing
            .skills
            .iter()
            .map(|skill| serde_json::json!({"id": skill.descriptor.id, "description": skill.descriptor.description, "source": skill.source}))
            .collect();
        super::print_json(&serde_json::json!({
            "path": text.trim_matches('/'),
            "subcollections": listing.subcollections,
            "skills": skills,
        }))?;
        return Ok(Exit::Success);
    }
    if listing.subcollections.is_empty() && listing.skills.is_empty() {
        let shown = arguments.path.as_deref().unwrap_or("here");
        terminal::note(&format!("nothing in {}", terminal::printable(shown)));
        return Ok(Exit::Success);
    }
    let mut out = String::new();
    for collection in &listing.subcollections {
        let description = terminal::printable(&collection.description);
        let _ = writeln!(out, "{}/  {description}", collection.path);
    }
    if !listing.skills.is_empty() {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&super::list::table(listing.skills.into_iter(), None));
    }
    terminal::print(&out)?;
    Ok(Exit::Success)
}
