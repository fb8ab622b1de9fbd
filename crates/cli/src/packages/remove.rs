//! `prowess remove`: an installed skill, its links, its entry in the lock file, its approvals.

use std::path::PathBuf;

use clap::Args;
use prowess_registry::{InstallableTree, LockedSkill, PackageTree};
use prowess_spec::SkillName;
use serde_json::json;

use super::apply::Changes;
use super::inspect::marked;
use super::installed::{DiskState, SeenSkill, look_at, named, nothing, sessions};
use super::interrupted::until_unchanged;
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
    let removal = until_unchanged(|| Removal::make(&session, arguments))?;
    let Removal {
        skills,
        copies,
        edited_files,
    } = removal;
    for copy in &copies {
        let copy = configuration::shown(copy);
        terminal::note(&format!("{copy} stays: it is not what prowess installed"));
    }
    if !arguments.dry_run {
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

/// What was removed.
struct Removal {
    skills: Vec<(SkillName, LockedSkill)>,
    /// Copies of agents that were edited and stay.
    copies: Vec<PathBuf>,
    /// Edited files that stay.
    edited_files: Vec<PathBuf>,
}

impl Removal {
    fn make(session: &Session<'_>, arguments: &RemoveArguments) -> Result<Self> {
        let mut changes = Changes::begin(session, false)?;
        let skills = named(session, &arguments.names)?;
        let applied = session.applied();
        let (mut copies, mut edited_files) = (Vec::new(), Vec::new());
        for (name, locked) in &skills {
            let path = session.place.skills().join(name.as_str());
            let SeenSkill { seen, state } = look_at(session, &applied, name, locked)?;
            let edits = match state {
                DiskState::Edited(edits) if !arguments.force => edits,
                _ => {
                    copies.extend(changes.remove(name, &seen)?);
                    continue;
                }
            };
            let (tree, _) = PackageTree::read_directory(&path)
                .with_context(|| format!("cannot read `{name}`"))?;
            edits.refuse_foreign(name, InstallableTree::from(tree.clone()).files())?;
            let is_edited = |path: &str| edits.changes.iter().any(|change| change.path == path);
            let files = tree.files().filter(|(path, _)| is_edited(path.as_str()));
            let files = files.map(|(path, file)| (path.clone(), file.clone()));
            let rest = PackageTree::new(files)?;
            if rest.files().len() == 0 {
                copies.extend(changes.remove(name, &seen)?);
                continue;
            }
            copies.extend(changes.reduce(name, &rest, &seen)?);
            edited_files.extend(rest.files().map(|(inside, _)| path.join(inside.as_str())));
        }
        if !arguments.dry_run {
            changes.commit()?;
        }
        Ok(Self {
            skills,
            copies,
            edited_files,
        })
    }
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
