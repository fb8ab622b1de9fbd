//! `prowess sync`: brings a place to exactly what its lock file says.

use std::collections::BTreeMap;
use std::time::Instant;

use clap::Args;
use prowess_registry::{InstallableTree, LockedSkill, Merge, PackageTree, merge, plugin_files_in};
use prowess_spec::SkillName;
use serde_json::json;

use super::apply::{Changes, Installation, Linked, SourceSkill, print_unlinked};
use super::conflicts;
use super::consent::{AllowArgument, Examiner, GivenConsent, examine_on_disk};
use super::inspect::{Consent, Inspection, marked, plural};
use super::installed::{AgentCopies, DiskState, Edits, disk_states, named};
use super::lock_trust;
use super::open_packages::{Packages, locked_reference};
use super::session::{AgentArguments, ScopeArgument, ScopeName, Session};
use super::signatures::SignatureRules;
use crate::arguments::Global;
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::{configuration, terminal};

const HELP: &str = "\
Installs what prowess.lock has and this machine has not, with the digests that it states, and removes what \
disappeared from it. Skills that you edited stay as they are.

Examples:
  prowess sync                 after `git pull`
  prowess sync --frozen --yes  in CI: fail if anything differs
  prowess sync --force         discard local edits

Exit codes:
  0  everything is as the lock file says, or keeps local edits
  1  a source could not be read
  3  something differs from the lock file
  4  sources or findings that you have not accepted: see --yes and --allow";

/// Arguments of `sync`.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
#[command(after_long_help = HELP)]
pub(crate) struct SyncArguments {
    /// Fail with exit code 3 if the lock file is missing or incomplete, or if a skill was edited
    #[arg(long, conflicts_with = "force")]
    frozen: bool,
    /// Replace edited skills
    #[arg(long)]
    force: bool,
    /// Fetch and install without asking, unless a finding is of high severity
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    allow: AllowArgument,
    #[command(flatten)]
    agents: AgentArguments,
    #[command(flatten)]
    scope: ScopeArgument,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &SyncArguments, global: &Global) -> Result<Exit> {
    let scope = arguments.scope.scope.unwrap_or(ScopeName::Project);
    let session = Session::open(scope, global)?;
    let began = Instant::now();
    session.recover()?;
    if !session.place.lock_path().exists() {
        return no_lock_file(&session, arguments.frozen);
    }
    let skills = named(&session, &[])?;
    let states = disk_states(&session, &skills)?;
    let skills: Vec<(SkillName, LockedSkill, DiskState)> = skills
        .into_iter()
        .zip(states)
        .map(|((name, locked), state)| (name, locked, state))
        .collect();
    let is_edited = |state: &DiskState| matches!(state, DiskState::Edited(_));
    let edited = skills.iter().filter(|(_, _, state)| is_edited(state));
    let edited: Vec<&SkillName> = edited.map(|(name, _, _)| name).collect();
    if arguments.frozen {
        let entries: Vec<(&SkillName, &LockedSkill)> = skills
            .iter()
            .map(|(name, locked, _)| (name, locked))
            .collect();
        let mut differing: Vec<String> = edited.iter().map(ToString::to_string).collect();
        let earlier = skills.iter().filter(|it| it.1.has_plugin_files());
        differing.extend(earlier.map(|(name, _, _)| name.to_string()));
        differing.extend(AgentCopies::of(&session).differing(&entries));
        if !differing.is_empty() {
            return differs(&differing, arguments.json);
        }
    }
    let outcome = apply(&session, arguments, &skills)?;
    if arguments.json {
        terminal::print_json(&json!({
            "installed": outcome.installed,
            "removed": outcome.removed,
            "edited": edited,
            "conflicts": outcome.conflicts,
            "missing_dependencies": outcome.missing,
            "left_out": outcome.left_out,
            "not_linked": outcome.unlinked,
            "refused": outcome.refused,
        }))?;
    } else {
        let names = |names: &[SkillName]| -> Vec<String> {
            names.iter().map(ToString::to_string).collect()
        };
        terminal::print(&marked("+", &names(&outcome.installed)))?;
        terminal::print(&marked("-", &names(&outcome.removed)))?;
        if !arguments.force {
            for name in &edited {
                terminal::note(&format!(
                    "`{name}` was edited, and your edits stay; see `prowess verify`"
                ));
            }
        }
        let count = plural(skills.len(), "skill");
        session.phase(&format!("synchronised {count}"), began);
    }
    for name in &outcome.conflicts {
        terminal::print_problem(
            &format!("`{name}` was not updated: your edits and the new version are in conflict"),
            Some(&conflicts::hint(name)),
        );
    }
    for (name, dependency) in &outcome.missing {
        terminal::print_problem(
            &format!("`{name}` needs `{dependency}`, which is not in the lock file"),
            Some(&format!(
                "`prowess add SOURCE --skill {dependency}` adds it"
            )),
        );
    }
    for (name, files) in &outcome.unlinked {
        print_unlinked(name, files);
    }
    for (name, inspection) in &outcome.refused {
        print_refused(name, inspection);
    }
    if !outcome.refused.is_empty() {
        return Ok(Exit::Permission);
    }
    let is_incomplete = arguments.frozen && !outcome.missing.is_empty();
    let is_refused = !outcome.conflicts.is_empty() || !outcome.unlinked.is_empty();
    Ok(if is_incomplete || is_refused {
        Exit::Findings
    } else {
        Exit::Success
    })
}

fn no_lock_file(session: &Session<'_>, frozen: bool) -> Result<Exit> {
    let path = configuration::shown(session.place.lock_path());
    let message = format!("{path} does not exist");
    let hint = "`prowess add SOURCE` installs a skill and writes it; commit it";
    if frozen {
        terminal::print_problem(&message, Some(hint));
        return Ok(Exit::Findings);
    }
    Err(CommandError::failure(message).hint(hint))
}

/// What was done.
#[derive(Default)]
struct Outcome {
    installed: Vec<SkillName>,
    removed: Vec<SkillName>,
    /// Skills whose edits cannot be merged.
    conflicts: Vec<SkillName>,
    /// Skills that others need, and that are nowhere.
    missing: Vec<(String, String)>,
    /// Files of plugins that were not written.
    left_out: BTreeMap<SkillName, Vec<String>>,
    /// Skills that got no link, and the files of a plugin in them.
    unlinked: BTreeMap<SkillName, Vec<String>>,
    /// Skills that were not installed or linked, because the user did not agree to what was found.
    refused: BTreeMap<SkillName, Inspection>,
}

fn apply(
    session: &Session<'_>,
    arguments: &SyncArguments,
    skills: &[(SkillName, LockedSkill, DiskState)],
) -> Result<Outcome> {
    let agents = arguments.agents.choose(session)?;
    let is_wanted = |(_, locked, state): &&(SkillName, LockedSkill, DiskState)| match state {
        DiskState::Missing | DiskState::Older => true,
        // Edits of another version have to be merged with this one.
        DiskState::Edited(edits) => arguments.force || edits.base.digest != locked.digest,
        DiskState::Unchanged => false,
    };
    let (wanted, rest): (Vec<_>, Vec<_>) = skills.iter().partition(is_wanted);
    let sources: Vec<(&SkillName, &LockedSkill)> = wanted
        .iter()
        .map(|(name, locked, _)| (name, locked))
        .collect();
    let fetched = fetch(session, &sources, arguments.yes)?;
    let mut outcome = Outcome::default();
    let examiner = Examiner::new(session, &arguments.allow)?;
    let mut question = Question {
        given: GivenConsent::new(Consent::of_options(arguments.yes, false), arguments.json),
        refused: &mut outcome.refused,
    };
    let mut changes = Changes::begin(session, arguments.agents.copy)?;
    for ((name, _, state), skill) in wanted.into_iter().zip(fetched) {
        let inspection = examiner.inspect(name, &skill.tree);
        let needed = examiner.consent(name, &skill.tree, &inspection);
        if !question.ask("install", name, inspection, needed)? {
            continue;
        }
        session.keep(&skill.locked, &skill.tree)?;
        if !arguments.json {
            for note in skill.notes() {
                terminal::note(&terminal::printable(&format!("{name}: {note}")));
            }
        }
        if !skill.left_out.is_empty() {
            let left_out = skill.left_out.iter().map(ToString::to_string).collect();
            outcome.left_out.insert(name.clone(), left_out);
        }
        let (mut tree, locked) = (skill.tree, skill.locked);
        if let DiskState::Edited(edits) = state
            && !arguments.force
        {
            let merged = merge_edits(session, name, edits, &tree)?;
            if !merged.conflicts.is_empty() {
                conflicts::write(session, &mut changes, name, &merged.tree, &locked)?;
                outcome.conflicts.push(name.clone());
                continue;
            }
            tree = merged.tree.into();
            // The edits can have come with the project.
            let inspection = examiner.inspect(name, &tree);
            let needed = examiner.consent(name, &tree, &inspection);
            if !question.ask("install", name, inspection, needed)? {
                continue;
            }
        }
        let tree = &tree;
        changes.install(Installation { name, tree, locked }, &agents)?;
        outcome.installed.push(name.clone());
    }
    // Links for agents that came later.
    for (name, locked, state) in rest {
        let is_unedited = matches!(state, DiskState::Unchanged);
        let is_known =
            is_unedited || plugin_files_in(&session.place.skills().join(name.as_str())).is_empty();
        let is_accepted = examiner.is_accepted(name, locked) && is_known;
        let linked = changes.link_missing(name, &agents, is_accepted, |skill| {
            let (inspection, needed) = examine_on_disk(&examiner, name, skill);
            question.ask("use", name, inspection, needed)
        })?;
        if let Linked::Plugin(files) = linked {
            outcome.unlinked.insert(name.clone(), files);
        }
    }
    outcome.removed = remove_disappeared(session, &mut changes)?;
    outcome.missing = missing_dependencies(&changes, session);
    changes.commit()?;
    Ok(outcome)
}

/// Asks about what was found in skills, one after the other.
struct Question<'q> {
    given: GivenConsent,
    refused: &'q mut BTreeMap<SkillName, Inspection>,
}

impl Question<'_> {
    fn ask(
        &mut self,
        act: &str,
        name: &SkillName,
        inspection: Inspection,
        needed: Consent,
    ) -> Result<bool> {
        let found = inspection.lines_if(needed, name);
        let question = format!("{act} {name}, with what was found?");
        let agrees = self.given.covers(needed, &found, &question)?;
        if !agrees {
            self.refused.insert(name.clone(), inspection);
        }
        Ok(agrees)
    }
}

fn print_refused(name: &SkillName, inspection: &Inspection) {
    let hint = match (inspection.consent(), inspection.allow_options()) {
        (Consent::Force, None) => {
            "`prowess add SOURCE --force` installs it all the same".to_owned()
        }
        (Consent::Force, Some(options)) => {
            format!("read what was found, then accept it with `{options}`")
        }
        _ => "read what was found, then add `--yes`".to_owned(),
    };
    terminal::print_problem(
        &format!("`{name}` is not used without your consent"),
        Some(&hint),
    );
}

/// The edits of an older version together with the version of the lock file.
fn merge_edits(
    session: &Session<'_>,
    name: &SkillName,
    edits: &Edits,
    new: &InstallableTree,
) -> Result<Merge> {
    let (ours, _) = PackageTree::read_directory(&session.place.skills().join(name.as_str()))?;
    let ours = InstallableTree::from(ours);
    edits.refuse_foreign(name, ours.files())?;
    let base = session.store.get(edits.base.digest).with_context(|| {
        format!("cannot merge your edits of `{name}`: the version that you edited is not stored")
    })?;
    let base = InstallableTree::from(base);
    Ok(merge(base.files(), ours.files(), new.files())?)
}

fn differs(differing: &[String], as_json: bool) -> Result<Exit> {
    if as_json {
        terminal::print_json(&json!({"differing": differing}))?;
        return Ok(Exit::Findings);
    }
    for name in differing {
        terminal::print(&format!("{name}: differs from the lock file\n"))?;
    }
    terminal::hint("`prowess verify` names the files; `prowess sync --force` restores them");
    Ok(Exit::Findings)
}

/// The files of skills, from the store or from their sources, each with the digest of the lock file.
pub(super) fn fetch(
    session: &Session<'_>,
    wanted: &[(&SkillName, &LockedSkill)],
    yes: bool,
) -> Result<Vec<SourceSkill>> {
    let stored: Vec<Option<SourceSkill>> = wanted
        .iter()
        .map(|(_, locked)| SourceSkill::of_lock(session.store.get(locked.digest)?, locked))
        .collect();
    let absent = wanted.iter().zip(&stored);
    let absent = absent.filter(|(_, stored)| stored.is_none());
    let absent: Vec<&LockedSkill> = absent.map(|((_, locked), _)| *locked).collect();
    lock_trust::ask(session, &absent, yes)?;
    let mut packages = Packages::new(session);
    packages.prepare(absent.iter().filter_map(|it| locked_reference(it).ok()));
    let signatures = SignatureRules::new(session, None)?;
    let mut skills = Vec::new();
    for ((name, locked), stored) in wanted.iter().zip(stored) {
        if let Some(skill) = stored {
            skills.push(skill);
            continue;
        }
        let (skill, own) = packages.locked(name, locked)?;
        // The lock file of a project is no reason to accept less than the user requires.
        let package = packages.get(&locked_reference(locked)?)?;
        signatures.check(package, &locked.source.parse()?, &own, Some(locked))?;
        skills.push(skill);
    }
    Ok(skills)
}

/// Removes skills that were installed here and disappeared from the lock file; edited ones stay.
fn remove_disappeared(session: &Session<'_>, changes: &mut Changes<'_>) -> Result<Vec<SkillName>> {
    let gone = session.applied().skills.into_iter();
    let gone = gone.filter(|(name, _)| !changes.lock.skills.contains_key(name));
    let gone: Vec<(SkillName, LockedSkill)> = gone.collect();
    let states = disk_states(session, &gone)?;
    let mut removed = Vec::new();
    for ((name, _), state) in gone.into_iter().zip(states) {
        match state {
            DiskState::Unchanged | DiskState::Older => {
                changes.remove(&name)?;
                removed.push(name);
            }
            DiskState::Edited(_) => {
                terminal::note(&format!(
                    "`{name}` is no longer in the lock file; it was edited and stays"
                ));
            }
            // Links to it may be left.
            DiskState::Missing => {
                changes.remove(&name)?;
            }
        }
    }
    Ok(removed)
}

/// Skills that others need and that are nowhere.
fn missing_dependencies(changes: &Changes<'_>, session: &Session<'_>) -> Vec<(String, String)> {
    let mut missing = Vec::new();
    let directory = session.place.skills();
    for (name, locked) in &changes.lock.skills {
        let has_manifest = locked
            .files
            .keys()
            .any(|it| it.as_str() == prowess_spec::MANIFEST_FILE);
        let Some(tree) = has_manifest
            .then(|| session.store.get(locked.digest))
            .flatten()
        else {
            continue;
        };
        for dependency in super::inspect::dependencies(&tree) {
            let is_locked = changes
                .lock
                .skills
                .keys()
                .any(|it| it.as_str() == dependency);
            if !is_locked && !directory.join(&dependency).is_dir() {
                missing.push((name.to_string(), dependency));
            }
        }
    }
    missing
}
