//! `prowess search`: the skills that fit a task.

use clap::Args;
use pollster::block_on;
use serde_json::json;

use super::print_json;
use crate::arguments::{Global, SourceArguments};
use crate::cache::IndexCache;
use crate::error::Result;
use crate::exit::Exit;
use crate::{open, terminal};

const HELP: &str = "\
Examples:
  prowess search fill in a PDF form
  prowess search --limit 3 deploy to kubernetes";

/// Arguments of `search`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct SearchArguments {
    /// Description of the task, in your own words
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// Maximum number of skills to print
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) sources: SourceArguments,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &SearchArguments, global: &Global) -> Result<Exit> {
    let skills = open::skills(&arguments.sources, global)?;
    let query = arguments.query.join(" ");
    let cache = IndexCache::new(&skills);
    cache.load(&skills);
    let found = block_on(skills.search(&query, arguments.limit));
    cache.save(&skills);
    let catalog = skills.catalog();
    let found: Vec<_> = found
        .iter()
        .filter_map(|id| catalog.get(id.as_str()))
        .collect();
    if arguments.json {
        let rows: Vec<_> = found
            .iter()
            .map(|skill| json!({"id": skill.descriptor.id, "description": skill.descriptor.description, "source": skill.source}))
            .collect();
        print_json(&json!({"query": query, "skills": rows}))?;
    } else if found.is_empty() {
        if !global.quiet {
            terminal::note(&format!(
                "No results for \"{}\".",
                terminal::printable(&query)
            ));
        }
    } else {
        terminal::print(&super::list::table(found.into_iter()))?;
    }
    Ok(Exit::Success)
}
