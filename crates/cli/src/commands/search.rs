//! `prowess search`: the skills that fit a task.

use clap::Args;
use pollster::block_on;
use prowess_registry::wire::SearchFilter;
use serde_json::json;

use super::print_json;
use super::remote_list::{FilterArguments, search, table};
use crate::arguments::{Global, SourceArguments};
use crate::cache::IndexCache;
use crate::error::Result;
use crate::exit::Exit;
use crate::registries::{Registries, RegistryArgument};
use crate::{configuration, open, terminal};

const HELP: &str = "\
The text is sent to every registry of your configuration; `--registry` limits it to one, `--local` to none. \
With a filter, only registries are searched.

Examples:
  prowess search fill in a PDF form
  prowess search --limit 3 deploy to kubernetes
  prowess search pdf --no-code --verdict nothing-found";

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
    /// Search installed skills only
    #[arg(long, conflicts_with = "registry")]
    pub(crate) local: bool,
    #[command(flatten)]
    pub(crate) registry: RegistryArgument,
    #[command(flatten)]
    pub(crate) filter: FilterArguments,
    #[command(flatten)]
    pub(crate) sources: SourceArguments,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &SearchArguments, global: &Global) -> Result<Exit> {
    let query = arguments.query.join(" ");
    let filter = arguments.filter.filter();
    let skills = open::skills(&arguments.sources, global)?;
    let cache = IndexCache::new(&skills);
    cache.load(&skills);
    let is_filtered = filter != SearchFilter::default();
    let limit = if is_filtered { 0 } else { arguments.limit };
    let found = block_on(skills.search(&query, limit));
    cache.save(&skills);
    let catalog = skills.catalog();
    let found: Vec<_> = found
        .iter()
        .filter_map(|id| catalog.get(id.as_str()))
        .collect();
    // `--in` means these directories and nothing else.
    let is_local = arguments.local || !arguments.sources.directories.is_empty();
    let packages = if is_local {
        Vec::new()
    } else {
        let config = configuration::load(global)?;
        let registries = Registries::new(&config, global).limited(&arguments.registry)?;
        search(&registries, &query, &filter, arguments.limit, global)
    };
    if arguments.json {
        let rows: Vec<_> = found
            .iter()
            .map(|skill| json!({"id": skill.descriptor.id, "description": skill.descriptor.description, "source": skill.source}))
            .collect();
        print_json(&json!({"query": query, "skills": rows, "packages": packages}))?;
        return Ok(Exit::Success);
    }
    if found.is_empty() && packages.is_empty() {
        if !global.quiet {
            terminal::note(&format!(
                "No results for \"{}\".",
                terminal::printable(&query)
            ));
        }
        return Ok(Exit::Success);
    }
    if !found.is_empty() {
        terminal::print(&super::list::table(found.into_iter(), None))?;
    }
    terminal::print(&table(&packages))?;
    Ok(Exit::Success)
}
