//! `prowess info`: everything about one skill but its instructions.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use pollster::block_on;
use prowess_core::{Catalog, Clash, Document, FileEntry, Skill, SkillId, Skills, SourceError};
use prowess_runtime::{CodeSkill, SkillContent};
use prowess_spec::manifest::{Keyword, Manifest};
use prowess_spec::{SkillPath, estimate_tokens};
use serde_json::json;

use super::permissions::{self, Row as Approval};
use super::{load_error, print_json, remote_info};
use crate::arguments::{Global, SourceArguments};
use crate::completer::skill_ids;
use crate::error::{Context, Result};
use crate::exit::Exit;
use crate::packages::report::PackageStates;
use crate::registries::{Registries, RegistryArgument};
use crate::{code_skills, configuration, open, terminal};

const HELP: &str = "\
Examples:
  prowess info pdf-forms
  prowess info pdf-forms --json
  prowess info acme/pdf-forms@^1          a package of a registry
  prowess info pdf-forms --diff           what its newest version changes";

/// Arguments of `info`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct InfoArguments {
    /// Id of the skill, or name of a package
    #[arg(add = skill_ids())]
    pub(crate) id: String,
    /// Show how the package differs from the installed version
    #[arg(long)]
    pub(crate) diff: bool,
    #[command(flatten)]
    pub(crate) registry: RegistryArgument,
    #[command(flatten)]
    pub(crate) sources: SourceArguments,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &InfoArguments, global: &Global) -> Result<Exit> {
    let package = remote_info::parse(&arguments.id);
    let is_remote = arguments.diff
        || arguments.registry.registry.is_some()
        || arguments.id.contains(['@', ':']);
    if let Some(package) = package.as_ref().filter(|_| is_remote) {
        let registries = Registries::new(&configuration::load(global)?, global);
        let registries = registries.limited(&arguments.registry)?;
        return remote_info::run(package, &registries, arguments.diff, arguments.json, global);
    }
    let skills = open::skills(&arguments.sources, global)?;
    let id = open::parse_id(&arguments.id)?;
    let document = match block_on(skills.sources().load(&id)) {
        Err(SourceError::NotFound(_)) if has_registry(&arguments.sources, global)? => {
            let registries = Registries::new(&configuration::load(global)?, global);
            let package = package.context("unknown skill")?;
            return remote_info::run(&package, &registries, false, arguments.json, global);
        }
        loaded => loaded.map_err(|error| load_error(&skills, &arguments.id, &error))?,
    };
    PackageStates::note_waiting(global);
    local(arguments, global, &skills, &id, &document)
}

fn clashes_of<'c>(catalog: &'c Catalog, id: &SkillId) -> Vec<Clash<'c>> {
    let is_it = |skill: &Skill<'_>| skill.descriptor.id == *id;
    let clashes = catalog.clashes();
    clashes
        .filter(|clash| is_it(&clash.labelled) || is_it(&clash.other))
        .collect()
}

/// A skill that is here.
fn local(
    arguments: &InfoArguments,
    global: &Global,
    skills: &Skills,
    id: &SkillId,
    document: &Document,
) -> Result<Exit> {
    let files = block_on(skills.sources().files(id)).unwrap_or_default();
    // The digest for approvals; `None` if the skill is too large.
    let content = block_on(SkillContent::read(skills, id)).ok();
    let digest = content
        .as_ref()
        .map(|content| content.subject().content.to_string());
    let code = content.and_then(|content| CodeSkill::new(content).ok());
    let tools = code.as_ref().map(tools).unwrap_or_default();
    let workflows = code
        .as_ref()
        .map(|code| registered(code, "register_workflow"));
    let workflows = workflows.unwrap_or_default();
    let manifest = code.map(|code| code.manifest);
    let approvals = approvals(skills, id.as_str(), global)?;
    let catalog = skills.catalog();
    let found = catalog.get(id.as_str());
    let source = found.map_or("", |skill| &**skill.source);
    let target = document.location.as_deref().and_then(link_target);
    let shadowed = catalog.shadowed();
    let shadowed = shadowed.filter(|it| it.loser.descriptor.id == *id);
    let shadowed: Vec<String> = shadowed.map(|it| it.loser.path()).collect();
    let clashes = clashes_of(&catalog, id);
    let level_one = found
        .map(|skill| skill.descriptor.tokens().catalog)
        .unwrap_or_default();
    let level_two = estimate_tokens(&document.body);
    let file_bytes: u64 = files.iter().map(|file| file.size).sum();
    let package = PackageStates::read(global).info(found, document.location.as_deref());
    if arguments.json {
        print_json(&json!({
            "id": id,
            "package": package,
            "source": source,
            "location": document.location,
            "copies": catalog.locations(id.as_str()).get(1..),
            "shadowed": shadowed,
            "labelled": clashes.iter().map(|clash| &clash.labelled.descriptor.id).collect::<Vec<_>>(),
            "target": target,
            "digest": digest,
            "frontmatter": document.skill.frontmatter,
            "manifest": manifest,
            "tools": tools,
            "workflows": workflows,
            "approvals": approvals,
            "files": files,
            "tokens": {"catalog": level_one, "instructions": level_two, "files": file_bytes.div_ceil(4)},
        }))?;
        return Ok(Exit::Success);
    }
    let description = terminal::one_line(document.skill.description.trim());
    let mut out = format!("{id}\n\n  {description}\n\n");
    let mut row = |name: &str, value: &str| {
        if !value.is_empty() {
            let name = terminal::one_line(name);
            let _ = writeln!(out, "  {name:<14}{}", terminal::one_line(value));
        }
    };
    row("source", source);
    row("location", document.location.as_deref().unwrap_or_default());
    for copy in catalog.locations(id.as_str()).iter().skip(1) {
        row("copy", copy);
    }
    for loser in &shadowed {
        row("shadows", loser);
    }
    for clash in &clashes {
        row("same name", &clash.to_string());
    }
    if let Some(target) = target {
        row("links to", &target.display().to_string());
    }
    for (name, value) in package.rows() {
        row(name, value);
    }
    row("edited", &package.edits());
    row("digest", digest.as_deref().unwrap_or_default());
    let skill = &document.skill;
    row("license", skill.license.as_deref().unwrap_or_default());
    let compatibility = skill.compatibility.as_deref();
    row("compatibility", compatibility.unwrap_or_default());
    row("allowed tools", &skill.allowed_tools.join(" "));
    for (key, value) in &skill.metadata {
        row(key, value);
    }
    if let Some(manifest) = &manifest {
        for (name, value) in manifest_rows(manifest) {
            row(name, &value);
        }
    }
    row("tools", &tools.join(" "));
    row("workflows", &workflows.join(" "));
    for approval in &approvals {
        row("approval", &approval.line());
    }
    let in_files = file_bytes.div_ceil(4);
    let tokens =
        format!("{level_one} in the catalog, {level_two} in the instructions, {in_files} in files");
    row("tokens", &tokens);
    out.push_str(&list_files(&files));
    terminal::print(&out)?;
    Ok(Exit::Success)
}

/// Whether a registry can be asked about what is not here.
fn has_registry(sources: &SourceArguments, global: &Global) -> Result<bool> {
    let config = configuration::load(global)?;
    Ok(sources.directories.is_empty() && !Registries::new(&config, global).is_empty())
}

fn list_files(files: &[FileEntry]) -> String {
    let lines = files
        .iter()
        .map(|file| (terminal::one_line(file.path.as_str()), file.size))
        .map(|(path, size)| format!("    {path} ({size} bytes)\n"));
    let lines: String = lines.collect();
    match lines.as_str() {
        "" => String::new(),
        lines => format!("\n  files\n{lines}"),
    }
}

/// Where a location leads, if it is a link.
fn link_target(location: &str) -> Option<PathBuf> {
    let found = std::fs::symlink_metadata(location).ok()?;
    let target = found.is_symlink().then(|| std::fs::canonicalize(location));
    target?.ok()
}

/// What was approved for a skill; nothing where the store cannot be opened.
fn approvals(skills: &Skills, id: &str, global: &Global) -> Result<Vec<Approval>> {
    let config = configuration::load(global)?;
    let found = code_skills::block_on(async {
        let store = code_skills::open_store_to_read(&config).await?;
        permissions::rows(&config, &store, skills, Some(id)).await
    });
    found.or_else(|error| {
        if !global.quiet {
            let note = format!("warning: {error}: approvals are unknown");
            terminal::note(&terminal::printable(&note));
        }
        Ok(Vec::new())
    })
}

/// The tools of a skill, as far as they are known without running its code.
pub(crate) fn tools(code: &CodeSkill) -> Vec<String> {
    let declared = code.manifest.tools.iter().map(|tool| tool.name.clone());
    let mut tools: Vec<String> = declared.chain(registered(code, "register_tool")).collect();
    tools.sort();
    tools.dedup();
    tools
}

/// The names that Starlark code passes to a function as text.
pub(crate) fn registered(code: &CodeSkill, function: &str) -> Vec<String> {
    let call = format!("{function}(\"");
    let is_code = |path: &SkillPath| Path::new(path.as_str()).extension() == Some("star".as_ref());
    let files = code.content.files().filter(|(path, _)| is_code(path));
    let texts = files.filter_map(|(_, bytes)| std::str::from_utf8(bytes).ok());
    let names = texts.flat_map(|text| text.split(&*call).skip(1));
    let names = names.filter_map(|rest| rest.split('"').next());
    names.map(str::to_owned).collect()
}

/// What a manifest says, by name.
fn manifest_rows(manifest: &Manifest) -> [(&'static str, String); 4] {
    let permissions = manifest.permissions.iter().map(|it| it.as_str());
    let types = manifest.types.iter().map(|it| it.as_str());
    let code = manifest.implementation.as_ref();
    let code = code.map(|it| {
        let entrypoint = it.entrypoint.as_ref().map(ToString::to_string);
        let program = entrypoint.unwrap_or_else(|| it.command.join(" "));
        format!("{program} ({})", it.backend.as_str())
    });
    [
        ("version", manifest.version.to_string()),
        ("types", types.collect::<Vec<_>>().join(" ")),
        ("code", code.unwrap_or_default()),
        ("permissions", permissions.collect::<Vec<_>>().join(" ")),
    ]
}
