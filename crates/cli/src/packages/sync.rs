//! `prowess sync`: brings a place to exactly what its lock file says.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use clap::Args;
use prowess_registry::{
    Agent, Fingerprint, InstallableTree, LockedSkill, Merge, PackageTree, merge, plugin_files_in,
};
use prowess_spec::SkillName;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use serde_json::json;

use super::apply::{
    Changes, Installation, LinkPlan, MissingLinks, SourceSkill, plan_links, print_unlinked,
    seen_lock,
};
use super::conflicts;
use super::consent::{AllowArgument, Examiner, GivenConsent, examine_on_disk};
use super::edited_base;
use super::inspect::{Consent, Inspection, marked, plural};
use super::installed::{AgentCopies, DiskState, Edits, SeenSkill, look_at_all, named};
use super::interrupted::until_unchanged;
use super::lock_trust;
use super::open_packages::{Packages, locked_reference};
use super::session::{AgentArguments, ScopeArgument, ScopeName, Session};
use super::signatures::SignatureRules;
use crate::arguments::Global;
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::{code_skills, configuration, terminal};

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
    let mut refused = Refused::default();
    let (plan, differing) = until_unchanged(|| {
        let mut plan = Plan::new(&session)?;
        let differing = if arguments.frozen {
            plan.differing(&session)
        } else {
            Vec::new()
        };
        if differing.is_empty() {
            plan.decide(&session, arguments, &mut refused)?;
            plan.apply(&session, arguments)?;
        }
        Ok((plan, differing))
    })?;
    if !differing.is_empty() {
        return differs(&differing, arguments.json);
    }
    let edited = plan.edited();
    let count = plural(plan.skills.len(), "skill");
    let outcome = plan.outcome;
    if arguments.json {
        terminal::print_json(&json!({
            "installed": outcome.installed,
            "removed": outcome.removed,
            "edited": edited,
            "conflicts": outcome.conflicts,
            "missing_dependencies": outcome.missing,
            "left_out": outcome.left_out,
            "not_linked": outcome.unlinked,
            "refused": refused.skills,
            "failed": outcome.failed.keys().collect::<Vec<_>>(),
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
    for (name, inspection) in &refused.skills {
        print_refused(name, inspection);
    }
    for (name, error) in &outcome.failed {
        let message = format!("cannot synchronise `{name}`: {}", error.message);
        terminal::print_problem(&message, error.hints.first().map(String::as_str));
    }
    if !outcome.failed.is_empty() {
        return Ok(Exit::Failure);
    }
    if !refused.skills.is_empty() {
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
    /// Skills that could not be compared or merged.
    failed: BTreeMap<SkillName, CommandError>,
}

/// What would become of the skills of a place. Nothing is locked while it is made and asked about.
struct Plan {
    /// What the lock file held.
    lock: Fingerprint,
    agents: Vec<&'static Agent>,
    skills: Vec<(SkillName, LockedSkill, SeenSkill)>,
    installs: Vec<PlannedInstall>,
    links: Vec<(SkillName, MissingLinks)>,
    outcome: Outcome,
}

struct PlannedInstall {
    /// The index of the skill.
    skill: usize,
    new: SourceSkill,
    /// The new version with the edits of the one on disk.
    merged: Option<Merge>,
}

impl Plan {
    fn new(session: &Session<'_>) -> Result<Self> {
        let lock = seen_lock(session)?;
        let skills = named(session, &[])?;
        let seen = look_at_all(session, &skills);
        let mut outcome = Outcome::default();
        let mut looked = Vec::new();
        for ((name, locked), seen) in skills.into_iter().zip(seen) {
            let resolved = seen.and_then(|seen| {
                let state = edited_base::resolve(session, &name, &locked, seen.state)?;
                Ok(SeenSkill { state, ..seen })
            });
            match resolved {
                Ok(seen) => looked.push((name, locked, seen)),
                Err(error) => {
                    outcome.failed.insert(name, error);
                }
            }
        }
        Ok(Self {
            lock,
            agents: Vec::new(),
            skills: looked,
            installs: Vec::new(),
            links: Vec::new(),
            outcome,
        })
    }

    fn edited(&self) -> Vec<SkillName> {
        let is_edited = |seen: &SeenSkill| matches!(seen.state, DiskState::Edited(_));
        let edited = self.skills.iter().filter(|(_, _, seen)| is_edited(seen));
        edited.map(|(name, _, _)| name.clone()).collect()
    }

    /// What `--frozen` does not accept.
    fn differing(&self, session: &Session<'_>) -> Vec<String> {
        let entries: Vec<(&SkillName, &LockedSkill)> = self
            .skills
            .iter()
            .map(|(name, locked, _)| (name, locked))
            .collect();
        let mut differing: Vec<String> = self.edited().iter().map(ToString::to_string).collect();
        let earlier = entries
            .iter()
            .filter(|(_, locked)| locked.has_plugin_files());
        differing.extend(earlier.map(|(name, _)| name.to_string()));
        differing.extend(AgentCopies::of(session).differing(&entries));
        differing
    }

    /// Fetches what is missing, merges edits, and asks about what was found.
    fn decide(
        &mut self,
        session: &Session<'_>,
        arguments: &SyncArguments,
        refused: &mut Refused,
    ) -> Result<()> {
        self.agents = arguments.agents.choose(session)?;
        let is_wanted = |locked: &LockedSkill, state: &DiskState| match state {
            DiskState::Missing | DiskState::Older => true,
            // Edits of another version have to be merged with this one.
            DiskState::Edited(edits) => arguments.force || edits.base.digest != locked.digest,
            DiskState::Unchanged => false,
        };
        let (wanted, rest): (Vec<_>, Vec<_>) = self
            .skills
            .iter()
            .enumerate()
            .partition(|(_, (_, locked, seen))| is_wanted(locked, &seen.state));
        let sources: Vec<(&SkillName, &LockedSkill)> = wanted
            .iter()
            .map(|(_, (name, locked, _))| (name, locked))
            .collect();
        let examiner = Examiner::new(session, &arguments.allow)?;
        let is_new =
            |(name, locked): &(&SkillName, &LockedSkill)| !examiner.is_accepted(name, locked);
        if sources.iter().any(is_new) {
            code_skills::prepare_rules();
        }
        let fetched = fetch(session, &sources, arguments.yes)?;
        let level = Consent::of_options(arguments.yes, false);
        let mut question = Question {
            given: GivenConsent::new(level, arguments.json),
            refused,
        };
        let inspected: Vec<Option<(Inspection, Consent)>> = wanted
            .par_iter()
            .zip(&fetched)
            .map(|((_, (name, _, _)), new)| {
                if examiner.is_accepted(name, &new.locked) {
                    return None;
                }
                let inspection = examiner.inspect(name, &new.tree);
                let needed = examiner.consent(name, &new.tree, &inspection);
                Some((inspection, needed))
            })
            .collect();
        let found = fetched.into_iter().zip(inspected);
        for ((index, (name, _, seen)), (new, inspected)) in wanted.into_iter().zip(found) {
            if let Some((inspection, needed)) = inspected
                && !question.ask("install", name, inspection, needed)?
            {
                continue;
            }
            let mut merged = None;
            if let DiskState::Edited(edits) = &seen.state
                && !arguments.force
            {
                match merge_edits(session, name, edits, &new.tree) {
                    Ok(merge) => merged = Some(merge),
                    Err(error) => {
                        self.outcome.failed.insert(name.clone(), error);
                        continue;
                    }
                }
            }
            if let Some(merge) = merged.as_ref().filter(|merge| merge.conflicts.is_empty()) {
                // The edits can have come with the project.
                let tree = merge.tree.clone().into();
                let inspection = examiner.inspect(name, &tree);
                let needed = examiner.consent(name, &tree, &inspection);
                if !question.ask("install", name, inspection, needed)? {
                    continue;
                }
            }
            self.installs.push(PlannedInstall {
                skill: index,
                new,
                merged,
            });
        }
        // Links for agents that came later.
        for (_, (name, locked, seen)) in rest {
            let skill = session.place.skills().join(name.as_str());
            let is_unedited = matches!(seen.state, DiskState::Unchanged);
            let is_known = is_unedited || plugin_files_in(&skill).is_empty();
            let is_accepted = examiner.is_accepted(name, locked) && is_known;
            let links = plan_links(session, name, &self.agents, is_accepted, |skill| {
                let (inspection, needed) = examine_on_disk(&examiner, name, skill);
                question.ask("use", name, inspection, needed)
            })?;
            match links {
                LinkPlan::Links(links) => self.links.push((name.clone(), links)),
                LinkPlan::Plugin(files) => {
                    self.outcome.unlinked.insert(name.clone(), files);
                }
                LinkPlan::Nothing | LinkPlan::Refused => {}
            }
        }
        Ok(())
    }

    /// Carries it out, if nothing was changed since it was made.
    fn apply(&mut self, session: &Session<'_>, arguments: &SyncArguments) -> Result<()> {
        let mut changes = Changes::begin_as_planned(session, arguments.agents.copy, &self.lock)?;
        for install in std::mem::take(&mut self.installs) {
            let Some((name, locked, seen)) = self.skills.get(install.skill) else {
                continue;
            };
            let new = install.new;
            session.keep(&new.locked, &new.tree)?;
            let merged = install.merged.as_ref();
            if let Some(merge) = merged.filter(|merge| !merge.conflicts.is_empty()) {
                let conflict = conflicts::Conflict {
                    name,
                    merge,
                    new: &new.locked,
                    locked,
                    ours: &seen.seen,
                };
                conflicts::write(session, &mut changes, &conflict)?;
                self.outcome.conflicts.push(name.clone());
                continue;
            }
            if !arguments.json {
                for note in new.notes() {
                    terminal::note(&terminal::printable(&format!("{name}: {note}")));
                }
            }
            if !new.left_out.is_empty() {
                let left_out = new.left_out.iter().map(ToString::to_string).collect();
                self.outcome.left_out.insert(name.clone(), left_out);
            }
            let merged = install.merged.map(|merge| merge.tree.into());
            let installation = Installation {
                name,
                tree: merged.as_ref().unwrap_or(&new.tree),
                locked: new.locked,
                seen: &seen.seen,
            };
            changes.install(installation, &self.agents)?;
            self.outcome.installed.push(name.clone());
        }
        for (name, links) in std::mem::take(&mut self.links) {
            changes.link_missing(&name, &links)?;
        }
        self.outcome.removed = remove_disappeared(session, &mut changes)?;
        self.outcome.missing = missing_dependencies(&changes, session);
        changes.commit()
    }
}

/// Skills that were not installed or linked, because the user did not agree to what was found; and what the user agreed
/// to, when the same is asked again.
#[derive(Default)]
struct Refused {
    skills: BTreeMap<SkillName, Inspection>,
    agreed: BTreeSet<String>,
}

/// Asks about what was found in skills, one after the other.
struct Question<'q> {
    given: GivenConsent,
    refused: &'q mut Refused,
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
        let asked = format!("{found}{question}");
        if self.refused.agreed.contains(&asked) {
            return Ok(true);
        }
        let agrees = self.given.covers(needed, &found, &question)?;
        if agrees {
            self.refused.agreed.insert(asked);
        } else {
            self.refused.skills.insert(name.clone(), inspection);
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
        .par_iter()
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
    let all = look_at_all(session, &gone);
    let mut removed = Vec::new();
    for ((name, _), seen) in gone.into_iter().zip(all) {
        let SeenSkill { seen, state } = seen?;
        match state {
            DiskState::Unchanged | DiskState::Older => {
                changes.remove(&name, &seen)?;
                removed.push(name);
            }
            DiskState::Edited(_) => {
                terminal::note(&format!(
                    "`{name}` is no longer in the lock file; it was edited and stays"
                ));
            }
            // Links to it may be left.
            DiskState::Missing => {
                changes.remove(&name, &seen)?;
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
