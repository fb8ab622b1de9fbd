//! `prowess remove`: an installed skill, its links, its entry in the lock file, its approvals.

use std::path::PathBuf;

use clap::Args;
use prowess_registry::{Content, InstallableTree, PackageTree};
use prowess_spec::SkillName;
use serde_json::json;

use super::apply::Changes;
use super::inspect::marked;
use super::installed::{DiskState, disk_state, named, nothing, sessions};
use super::session::{ScopeArgument, Session};
use crate::arguments::Global;
use crate::error::{Context, Result};
use crate::exit::Exit;
use crate::{code_skills, configuration, terminal};

const HELP: &str = "\
Removes the files of a skill, the links in the directories of agents, its entry in prowess.lock and \
its approvals. Files that you edited or added stay, unless you pass --force.

Examples:
  prowess remove pdf-forms
  prowess remove pdf-forms --scope user";

/// Arguments of `remove`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct RemoveArguments {
    /// Names of installed skills
    #[arg(required = true, value_name = "SKILL")]
    names: Vec<String>,
    #[command(flatten)]
    scope: ScopeArgument,
    /// Remove edited files, too
    #[arg(long)]
    force: bool,
    /// Show what would be done, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &RemoveArguments, global: &Global) -> Result<Exit> {
    let mut sessions = sessions(arguments.scope.scope, global)?;
    if sessions.is_empty() {
        return Err(nothing());
    }
    // Of a project and a user that both have it, the project's is meant.
    let has_all = |session: &Session<'_>| named(session, &arguments.names).is_ok();
    let index = sessions.iter().position(has_all).unwrap_or_default();
    let session = sessions.swap_remove(index);
    session.recover()?;
    let skills = named(&session, &arguments.names)?;
    let applied = session.applied();
    let mut changes = Changes::begin(&session, false)?;
    let mut edited_files: Vec<PathBuf> = Vec::new();
    for (name, locked) in &skills {
        let path = session.place.skills().join(name.as_str());
        let edits = match disk_state(&session, &applied, name, locked)? {
            DiskState::Edited(edits) if !arguments.force => {
                let (tree, _) = PackageTree::read_directory(&path)?;
                edits.refuse_foreign(name, InstallableTree::from(tree).files())?;
                edits.changes
            }
            _ => Vec::new(),
        };
        let copies = changes.remove(name)?;
        for copy in &copies {
            let copy = configuration::shown(copy);
            terminal::note(&format!("{copy} stays: it is not what prowess installed"));
        }
        if !arguments.force && edits.iter().any(|it| path.join(&it.path).exists()) {
            let (tree, _) = PackageTree::read_directory(&path)
                .with_context(|| format!("cannot read `{name}`"))?;
            let edited = |path: &str| edits.iter().any(|it| it.path == path);
            let files = tree.files().filter(|(path, _)| edited(path.as_str()));
            let files = files.map(|(path, file)| (path.clone(), file.clone()));
            let rest = PackageTree::new(files)?;
            let skills = session.place.skills();
            let content = Content::Tree(&rest);
            changes
                .transaction()
                .put(&skills, name.as_str(), &content)?;
            edited_files.extend(rest.files().map(|(inside, _)| path.join(inside.as_str())));
        }
    }
    if !arguments.dry_run {
        changes.commit()?;
        end_approvals(&session, skills.iter().map(|(name, _)| name))?;
    }
    if arguments.json {
        let names: Vec<&SkillName> = skills.iter().map(|(name, _)| name).collect();
        terminal::print_json(&json!({"removed": names, "edited": edited_files}))?;
        return Ok(Exit::Success);
    }
    let sign = if arguments.dry_run {
        "would remove"
    } else {
        "-"
    };
    let names: Vec<String> = skills.iter().map(|(name, _)| name.to_string()).collect();
    terminal::print(&marked(sign, &names))?;
    for path in &edited_files {
        let path = configuration::shown(path);
        terminal::note(&format!(
            "{path} was edited and stays; `--force` removes it"
        ));
    }
    Ok(Exit::Success)
}

/// Ends what was approved for skills, here or everywhere.
fn end_approvals<'n>(
    session: &Session<'_>,
    names: impl Iterator<Item = &'n SkillName>,
) -> Result<()> {
    let project = session.place.within().map(|root| {
        let real = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        real.to_string_lossy().into_owned()
    });
    code_skills::block_on(async {
        let store = code_skills::open_existing_store(&session.config).await?;
        for name in names {
            let count = match &project {
                Some(project) => store.forget_in(name.as_str(), project).await?,
                None => store.forget(name.as_str()).await?,
            };
            if count > 0 && !session.global.quiet {
                terminal::note(&format!("revoked the approvals of `{name}`: {count}"));
            }
        }
        Ok(())
    })
}
