//! `prowess info`: everything about one skill but its instructions.

use std::fmt::Write;

use clap::Args;
use pollster::block_on;
use prowess_runtime::SkillContent;
use prowess_spec::estimate_tokens;
use serde_json::json;

use super::{load_error, parse_id, print_json};
use crate::arguments::{Global, SourceArguments};
use crate::completer::skill_ids;
use crate::error::Result;
use crate::exit::Exit;
use crate::{open, terminal};

const HELP: &str = "\
Examples:
  prowess info pdf-forms
  prowess info pdf-forms --json";

/// Arguments of `info`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct InfoArguments {
    /// Id of the skill
    #[arg(add = skill_ids())]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) sources: SourceArguments,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &InfoArguments, global: &Global) -> Result<Exit> {
    let skills = open::skills(&arguments.sources, global)?;
    let id = parse_id(&arguments.id)?;
    let document = block_on(skills.sources().load(&id))
        .map_err(|error| load_error(&skills, &arguments.id, &error))?;
    let files = block_on(skills.sources().files(&id)).unwrap_or_default();
    // The digest for approvals; `None` if the skill is too large.
    let content = block_on(SkillContent::read(&skills, &id));
    let digest = content
        .ok()
        .map(|content| content.subject().content.to_string());
    let catalog = skills.catalog();
    let found = catalog.get(id.as_str());
    let source = found.map_or("", |skill| &**skill.source);
    let linked =
        |path: &&String| std::fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    let location = document.location.as_ref().filter(linked);
    let target = location.and_then(|path| std::fs::canonicalize(path).ok());
    let level_one = found
        .map(|skill| skill.descriptor.tokens().catalog)
        .unwrap_or_default();
    let level_two = estimate_tokens(&document.body);
    let file_bytes: u64 = files.iter().map(|file| file.size).sum();
    if arguments.json {
        print_json(&json!({
            "id": id,
            "source": source,
            "location": document.location,
            "copies": catalog.locations(id.as_str()).get(1..),
            "target": target,
            "digest": digest,
            "frontmatter": document.skill.frontmatter,
            "files": files,
            "tokens": {"catalog": level_one, "instructions": level_two, "files": file_bytes.div_ceil(4)},
        }))?;
        return Ok(Exit::Success);
    }
    let mut out = format!("{id}\n\n  {}\n\n", document.skill.description);
    let mut row = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(out, "  {name:<14}{value}");
        }
    };
    row("source", source);
    row("location", document.location.as_deref().unwrap_or_default());
    for copy in catalog.locations(id.as_str()).iter().skip(1) {
        row("copy", copy);
    }
    if let Some(target) = target {
        row("links to", &target.display().to_string());
    }
    row("digest", digest.as_deref().unwrap_or_default());
    row(
        "license",
        document.skill.license.as_deref().unwrap_or_default(),
    );
    row(
        "compatibility",
        document.skill.compatibility.as_deref().unwrap_or_default(),
    );
    row("allowed tools", &document.skill.allowed_tools.join(" "));
    for (key, value) in &document.skill.metadata {
        row(key, value);
    }
    row(
        "tokens",
        &format!(
            "{level_one} in the catalog, {level_two} in the instructions, {} in files",
            file_bytes.div_ceil(4)
        ),
    );
    if !files.is_empty() {
        let _ = writeln!(out, "\n  files");
        for file in &files {
            let _ = writeln!(out, "    {} ({} bytes)", file.path, file.size);
        }
    }
    terminal::print(&out)?;
    Ok(Exit::Success)
}
