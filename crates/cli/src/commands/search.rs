//! `prowess search`: the skills that fit a task.

use anyhow::Result;
use pollster::block_on;
use serde_json::json;

use super::print_json;
use crate::cache::IndexCache;
use crate::cli::{Global, SearchArguments};
use crate::exit::Exit;
use crate::{open, terminal};

pub(crate) fn run(arguments: &SearchArguments, global: &Global) -> Result<Exit> {
    let skills = open::skills(&arguments.place, global)?;
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
