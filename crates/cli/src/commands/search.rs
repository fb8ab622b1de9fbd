//! `prowess search`: the skills that fit a task.

use std::fmt::Write as _;
use std::mem::ManuallyDrop;

use clap::Args;
use prowess_core::{Skill, SkillMatch, Skills};
use prowess_registry::wire::SearchFilter;
use serde_json::json;

use super::print_json;
use super::prompt::project_root;
use super::remote_list::{FilterArguments, search, table};
use crate::arguments::{Global, SourceArguments};
use crate::cache::IndexCache;
use crate::error::Result;
use crate::exit::Exit;
use crate::interrupts::Interrupts;
use crate::progress::IndexProgress;
use crate::registries::{Registries, RegistryArgument};
use crate::{code_skills, configuration, model, open, signals, terminal};

const HELP: &str = "\
The text is sent to every registry of your configuration; `--registry` limits it to one, `--local` to none. \
With a filter, only registries are searched.

Examples:
  prowess search fill in a PDF form
  prowess search --limit 3 deploy to kubernetes
  prowess search --explain slow SQL query
  prowess search pdf --no-code --verdict clean";

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
    /// Show what speaks for each skill
    #[arg(long)]
    pub(crate) explain: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &SearchArguments, global: &Global) -> Result<Exit> {
    let query = arguments.query.join(" ");
    let filter = arguments.filter.filter();
    let config = configuration::load(global)?;
    let is_filtered = filter != SearchFilter::default();
    let window = model::configured_window(&config);
    let interrupts = Interrupts::listen()?;
    let runtime = code_skills::runtime()?;
    // The index and the store are opened while skills are found.
    let store = Some(config.clone()).filter(|config| {
        !is_filtered && config.search.history && code_skills::store_exists(config)
    });
    let store = store.map(|config| {
        // A store that cannot be read changes the order a little.
        runtime.spawn(async move { code_skills::open_store_to_read(&config).await.ok() })
    });
    let mut cache = IndexCache::default();
    let skills = open::skills_with(&config, window, &arguments.sources, global, |builder| {
        if !is_filtered {
            cache = IndexCache::open(builder.source_names());
        }
        builder
    })?;
    // The process ends after this; many skills are not freed one by one before.
    let skills = ManuallyDrop::new(skills);
    let found = if is_filtered {
        Vec::new()
    } else {
        let root = project_root()?;
        let found = code_skills::block_on_runtime(runtime, interrupts, async {
            let store = match store {
                Some(store) => store.await.ok().flatten(),
                None => None,
            };
            cache.load(&skills);
            signals::set(&skills, &config, store, &root, global);
            Ok(find(&skills, &query, arguments.limit, global).await)
        });
        cache.save(&skills);
        found?
    };
    let catalog = skills.catalog();
    // `--in` means these directories and nothing else.
    let is_local = arguments.local || !arguments.sources.directories.is_empty();
    let packages = if is_local {
        Vec::new()
    } else {
        let registries = Registries::new(&config, global).limited(&arguments.registry)?;
        search(&registries, &query, &filter, arguments.limit, global)
    };
    let rows: Vec<_> = found
        .iter()
        .filter_map(|it| Some((it, catalog.get(it.id.as_str())?)))
        .collect();
    if arguments.json {
        let row = |(found, skill): &(&SkillMatch, Skill<'_>)| {
            let mut row = json!({"id": skill.descriptor.id, "description": skill.descriptor.description, "source": skill.source});
            if let Some(members) = row.as_object_mut() {
                if !found.similar.is_empty() {
                    members.insert("similar".to_owned(), json!(found.similar));
                }
                if arguments.explain {
                    members.insert("score".to_owned(), json!(found.score));
                    members.insert("features".to_owned(), features(found));
                }
            }
            row
        };
        let rows: Vec<_> = rows.iter().map(row).collect();
        print_json(&json!({"query": query, "skills": rows, "packages": packages}))?;
        return Ok(Exit::Success);
    }
    if rows.is_empty() && packages.is_empty() {
        if !global.quiet {
            terminal::note(&format!(
                "No results for \"{}\".",
                terminal::printable(&query)
            ));
        }
        return Ok(Exit::Success);
    }
    if arguments.explain {
        for (found, _) in &rows {
            terminal::print(&explained(found))?;
        }
    } else if !rows.is_empty() {
        let skills = rows.iter().map(|(_, skill)| *skill);
        terminal::print(&super::list::table(skills, None))?;
        let copies: usize = rows.iter().map(|(found, _)| found.similar.len()).sum();
        if copies > 0 && !global.quiet {
            terminal::note(&format!("{copies} similar not shown; `--json` lists them"));
        }
    }
    terminal::print(&table(&packages))?;
    Ok(Exit::Success)
}

/// The best skills for a query, with progress while the index is built.
async fn find(skills: &Skills, query: &str, limit: usize, global: &Global) -> Vec<SkillMatch> {
    let progress = IndexProgress::new(global.quiet);
    skills
        .update_search_index(&|done, total| progress.set(done, total))
        .await;
    progress.finish();
    let mut found = skills.find(&[query], |_| true).await;
    found.truncate(limit);
    found
}

fn features(found: &SkillMatch) -> serde_json::Value {
    let values = found.features.iter();
    values
        .map(|it| json!({"name": it.name, "value": it.value, "adds": it.adds}))
        .collect()
}

/// A skill with everything that counted, the strongest first.
fn explained(found: &SkillMatch) -> String {
    let mut text = format!("{}  {:.2}\n", found.id, found.score);
    let mut features = found.features.clone();
    features.sort_by(|left, right| right.adds.abs().total_cmp(&left.adds.abs()));
    for feature in features.iter().filter(|it| it.value != 0.0) {
        let line = format!(
            "  {:<20} {:>6.2}  {:>+6.2}\n",
            feature.name, feature.value, feature.adds
        );
        text.push_str(&line);
    }
    for copy in &found.similar {
        let _ = writeln!(text, "  similar: {copy}");
    }
    text
}
