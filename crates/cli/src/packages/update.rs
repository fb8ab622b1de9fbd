//! `prowess update`: newer versions of installed skills, without losing edits.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Instant;

use clap::Args;
use prowess_registry::{
    ChangeKind, FileChange, Fingerprint, InstallableTree, LockFile, LockedSkill, Merge,
    PackageReference, PackageTree, merge,
};
use prowess_spec::{SkillName, SkillPath};
use serde_json::{Value, json};

use super::apply::{Changes, Installation, SourceSkill, left_out_notes, seen_lock};
use super::conflicts;
use super::consent::{AllowArgument, Examiner, GivenConsent};
use super::downgrade::DowngradeArgument;
use super::edited_base;
use super::inspect::{Consent, Inspection, MANY, marked, plural};
use super::installed::{
    BaseOrigin, DiskState, Edits, SeenSkill, look_at, named, nothing, sessions,
};
use super::interrupted::until_unchanged;
use super::lock_trust;
use super::news;
use super::open_packages::Packages;
use super::session::{ScopeArgument, Session};
use super::signatures::SignatureRules;
use crate::arguments::Global;
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::terminal;

const HELP: &str = "\
Fetches the newest version of installed skills. Files that you edited are merged with it, based on the \
version that was installed. Where both changed the same lines, nothing is touched: the merged files are \
written to .agents/merge/SKILL with conflict markers; edit them there, then run `prowess update SKILL --continue`.

Examples:
  prowess update                 update all installed skills
  prowess update pdf --dry-run   show what would change
  prowess update pdf --theirs    discard your edits
  prowess update pdf --continue  install the merged files of .agents/merge/pdf

Exit codes:
  0  updated, or up to date
  1  a source could not be read
  3  a conflict, or a missing consent for a skill that changed";

/// Arguments of `update`.
#[derive(Args)]
#[command(after_long_help = HELP)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct UpdateArguments {
    /// Names of installed skills [default: all]
    #[arg(value_name = "SKILL")]
    names: Vec<String>,
    /// Merge edits with the new version; this is the default
    #[arg(long, group = "how")]
    merge: bool,
    /// Keep edited files as they are, and update the others
    #[arg(long, group = "how")]
    ours: bool,
    /// Discard edits
    #[arg(long, group = "how")]
    theirs: bool,
    /// Install the merged files, after you resolved the conflicts
    #[arg(
        long = "continue",
        group = "how",
        requires = "names",
        conflicts_with = "dry_run"
    )]
    resume: bool,
    #[command(flatten)]
    scope: ScopeArgument,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Update without asking, unless a finding is of high severity
    #[arg(short, long)]
    yes: bool,
    /// Update whatever was found
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    allow: AllowArgument,
    #[command(flatten)]
    downgrade: DowngradeArgument,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl UpdateArguments {
    fn given(&self) -> GivenConsent {
        GivenConsent::new(Consent::of_options(self.yes, self.force), self.json)
    }
}

/// What becomes of a skill.
enum Outcome {
    UpToDate,
    /// The same files at another commit.
    Moved(LockedSkill),
    Updated(Box<Update>),
    Conflict(Box<Update>),
    Failed(CommandError),
}

struct Update {
    /// The files on disk afterwards; with markers where there is a conflict.
    tree: InstallableTree,
    /// The files on disk now.
    current: InstallableTree,
    /// What the name of the skill held before its files were read.
    seen: Fingerprint,
    /// The new version.
    new: InstallableTree,
    locked: LockedSkill,
    /// Files of a plugin in the new version, which are not installed.
    left_out: Vec<SkillPath>,
    /// The files that keep an edit.
    edited: Vec<String>,
    /// The merge, if it has conflicts.
    conflicts: Option<Merge>,
    inspection: Inspection,
    news: news::News,
    consent: Consent,
}

impl Outcome {
    fn update(&self) -> Option<&Update> {
        match self {
            Self::Updated(update) | Self::Conflict(update) => Some(update),
            Self::UpToDate | Self::Moved(_) | Self::Failed(_) => None,
        }
    }
}

impl Update {
    /// Whether it is shown even if it is one of many.
    fn is_notable(&self) -> bool {
        self.consent > Consent::None || !self.edited.is_empty() || !self.left_out.is_empty()
    }
}

/// What would become of the skills of a place. Nothing is locked while it is made, shown and asked about.
struct Plan {
    /// What the lock file held.
    lock: Fingerprint,
    skills: Vec<PlannedSkill>,
}

struct PlannedSkill {
    name: SkillName,
    before: LockedSkill,
    outcome: Outcome,
    /// Whether the user agrees to it.
    is_accepted: bool,
}

/// What was shown and agreed to, when the same is planned again.
#[derive(Default)]
struct Answers {
    shown: BTreeSet<String>,
    agreed: BTreeSet<String>,
}

pub(crate) fn run(arguments: &UpdateArguments, global: &Global) -> Result<Exit> {
    let mut sessions = sessions(arguments.scope.scope, global)?;
    if sessions.is_empty() {
        return Err(nothing());
    }
    if !arguments.names.is_empty() {
        // Of a project and a user that both have it, the project's is meant.
        let has_all = |session: &Session<'_>| named(session, &arguments.names).is_ok();
        let index = sessions.iter().position(has_all).unwrap_or_default();
        sessions = vec![sessions.swap_remove(index)];
    }
    let mut exit = Exit::Success;
    let mut rows = Vec::new();
    for session in &sessions {
        session.recover()?;
        let worse = if arguments.resume {
            let skills = named(session, &arguments.names)?;
            let examiner = Examiner::new(session, &arguments.allow)?;
            conflicts::resume(session, &skills, &examiner, arguments.given())?;
            Exit::Success
        } else {
            update(session, arguments, &mut rows)?
        };
        exit = worst(exit, worse);
    }
    if arguments.json {
        terminal::print_json(&json!({"skills": rows}))?;
    }
    Ok(exit)
}

/// A failure hides everything else.
fn worst(exit: Exit, other: Exit) -> Exit {
    match (exit, other) {
        (Exit::Failure, _) | (_, Exit::Success) => exit,
        _ => other,
    }
}

fn update(
    session: &Session<'_>,
    arguments: &UpdateArguments,
    rows: &mut Vec<Value>,
) -> Result<Exit> {
    let mut answers = Answers::default();
    let mut packages = Packages::new(session);
    let plan = until_unchanged(|| {
        let mut plan = Plan::new(session, &mut packages, arguments)?;
        plan.ask(arguments, &mut answers)?;
        if !arguments.dry_run {
            plan.apply(session)?;
        }
        Ok(plan)
    })?;
    plan.report(arguments, rows)
}

impl Plan {
    fn new(
        session: &Session<'_>,
        packages: &mut Packages<'_>,
        arguments: &UpdateArguments,
    ) -> Result<Self> {
        let began = Instant::now();
        let lock = seen_lock(session)?;
        let skills = named(session, &arguments.names)?;
        let sources: Vec<&LockedSkill> = skills.iter().map(|(_, locked)| locked).collect();
        lock_trust::ask(session, &sources, arguments.yes)?;
        let known = Known {
            examiner: Examiner::new(session, &arguments.allow)?,
            applied: session.applied(),
            signatures: SignatureRules::new(session, None)?,
        };
        packages.prepare(
            sources
                .iter()
                .filter_map(|locked| locked.source.parse().ok()),
        );
        let count = plural(skills.len(), "skill");
        let skills = skills.into_iter().map(|(name, before)| PlannedSkill {
            outcome: look(session, packages, &known, arguments, &name, &before)
                .unwrap_or_else(Outcome::Failed),
            name,
            before,
            is_accepted: true,
        });
        let skills = skills.collect();
        session.phase(&format!("looked at {count}"), began);
        Ok(Self { lock, skills })
    }

    /// Shows what was found, and asks about what wants more than before.
    fn ask(&mut self, arguments: &UpdateArguments, answers: &mut Answers) -> Result<()> {
        let is_new = |skill: &&PlannedSkill| matches!(skill.outcome, Outcome::Updated(_));
        let shows = self.skills.iter().filter(is_new).count() <= MANY || arguments.dry_run;
        for skill in &mut self.skills {
            let PlannedSkill { name, before, .. } = skill;
            if let Outcome::Failed(error) = &skill.outcome {
                let message = format!("cannot update `{name}`: {}", error.message);
                if answers.shown.insert(message.clone()) {
                    let hint = error.hints.first().map(String::as_str);
                    terminal::print_problem(&message, hint);
                }
                continue;
            }
            let Some(update) = skill.outcome.update() else {
                continue;
            };
            let found = if shows || update.is_notable() {
                found(name, before, update, arguments.dry_run)
            } else {
                String::new()
            };
            let asks = matches!(skill.outcome, Outcome::Updated(_)) && !arguments.dry_run;
            if asks {
                // Edits that were saved since change what is shown, not what was agreed to.
                let findings = update.inspection.lines();
                let agreed = format!("{name} {} {findings}", update.locked.digest);
                skill.is_accepted =
                    answers.agreed.contains(&agreed) || agrees(arguments, name, update, &found)?;
                if skill.is_accepted {
                    answers.agreed.insert(agreed);
                }
            } else if !arguments.json && answers.shown.insert(found.clone()) {
                terminal::print_styled(&found)?;
            }
        }
        Ok(())
    }

    /// Carries it out, if nothing was changed since it was made.
    fn apply(&self, session: &Session<'_>) -> Result<()> {
        let mut changes = Changes::begin_as_planned(session, false, &self.lock)?;
        for skill in &self.skills {
            let name = &skill.name;
            match &skill.outcome {
                Outcome::Moved(locked) => {
                    changes.lock.skills.insert(name.clone(), locked.clone());
                }
                Outcome::Conflict(update) => {
                    if let Some(merge) = &update.conflicts {
                        let conflict = conflicts::Conflict {
                            name,
                            merge,
                            new: &update.locked,
                            locked: &skill.before,
                            ours: &update.seen,
                        };
                        conflicts::write(session, &mut changes, &conflict)?;
                        session.keep(&update.locked, &update.new)?;
                    }
                }
                Outcome::Updated(update) if skill.is_accepted => {
                    let installation = Installation {
                        name,
                        tree: &update.tree,
                        locked: update.locked.clone(),
                        seen: &update.seen,
                    };
                    changes.install(installation, &[])?;
                    conflicts::forget(session, &mut changes, name)?;
                    session.keep(&update.locked, &update.new)?;
                }
                Outcome::UpToDate | Outcome::Updated(_) | Outcome::Failed(_) => {}
            }
        }
        changes.commit()
    }

    /// Says what was done.
    fn report(self, arguments: &UpdateArguments, rows: &mut Vec<Value>) -> Result<Exit> {
        let mut exit = Exit::Success;
        let mut updated: Vec<String> = Vec::new();
        for skill in self.skills {
            let name = &skill.name;
            let left_out = skill.outcome.update().map(|update| update.left_out.clone());
            let (state, worse) = match &skill.outcome {
                Outcome::UpToDate | Outcome::Moved(_) => ("up to date", Exit::Success),
                Outcome::Failed(_) => ("failed", Exit::Failure),
                Outcome::Conflict(update) => {
                    if !arguments.dry_run {
                        let files = update.conflicting_files();
                        terminal::print_problem(
                            &format!("`{name}` was not updated: conflicts in {files}"),
                            Some(&conflicts::hint(name)),
                        );
                    }
                    ("conflict", Exit::Findings)
                }
                Outcome::Updated(_) if arguments.dry_run => ("would update", Exit::Success),
                Outcome::Updated(_) if skill.is_accepted => ("updated", Exit::Success),
                Outcome::Updated(_) => ("not accepted", Exit::Findings),
            };
            exit = worst(exit, worse);
            if arguments.json {
                rows.push(json!({
                    "name": name,
                    "state": state,
                    "source": skill.before.source,
                    "left_out": left_out.unwrap_or_default(),
                }));
            } else if state == "updated" {
                updated.push(name.to_string());
            } else if state == "up to date" && !arguments.names.is_empty() {
                terminal::print(&format!("{name} is up to date\n"))?;
            }
        }
        terminal::print(&marked("*", &updated))?;
        Ok(exit)
    }
}

impl Update {
    /// The files with a conflict, for people.
    fn conflicting_files(&self) -> String {
        let conflicts = self.conflicts.iter().flat_map(|merge| &merge.conflicts);
        let files: Vec<String> = conflicts.map(ToString::to_string).collect();
        files.join(", ")
    }
}

/// What every skill is compared with.
struct Known<'k> {
    examiner: Examiner<'k>,
    applied: LockFile,
    signatures: SignatureRules,
}

/// What a newer version of a skill would change.
fn look(
    session: &Session<'_>,
    packages: &mut Packages<'_>,
    known: &Known<'_>,
    arguments: &UpdateArguments,
    name: &SkillName,
    before: &LockedSkill,
) -> Result<Outcome> {
    let Known {
        examiner,
        applied,
        signatures,
    } = known;
    let reference: PackageReference = before.source.parse()?;
    let (new, own) = packages.tree(name, &reference)?;
    let package = packages.get(&reference)?;
    let signature = signatures.check(package, &reference, &own, Some(before))?;
    let resolved = package.resolved_at(&reference);
    let mut skill = SourceSkill::new(before.source.clone(), resolved, new);
    skill.locked.signed_by = signature.key();
    arguments.downgrade.check(name, before, &skill.locked)?;
    let (new, after) = (skill.tree.clone(), &skill.locked);
    let SeenSkill { seen, state } = look_at(session, applied, name, before)?;
    let state = if arguments.ours || arguments.theirs {
        state
    } else {
        edited_base::resolve(session, name, before, state)?
    };
    let is_current = match &state {
        DiskState::Unchanged => true,
        DiskState::Edited(edits) => edits.base.digest == before.digest,
        DiskState::Older | DiskState::Missing => false,
    };
    let is_same = after.digest == before.digest && after.source_digest() == before.source_digest();
    if is_same && is_current {
        let discards = arguments.theirs && matches!(state, DiskState::Edited(_));
        return Ok(if discards {
            let news = news::News::default();
            Outcome::Updated(finish(name, examiner, new.clone(), seen, skill, news))
        } else if after == before {
            Outcome::UpToDate
        } else {
            Outcome::Moved(skill.locked)
        });
    }
    let state = match state {
        DiskState::Unchanged => changed_bits(session, name, before).unwrap_or(state),
        other => other,
    };
    let mut news = news::since(package.commit(), &reference, before);
    let path = session.place.skills().join(name.as_str());
    let ours = match &state {
        DiskState::Edited(edits) => {
            let (ours, _) = PackageTree::read_directory(&path)?;
            let ours = InstallableTree::from(ours);
            if !arguments.force {
                edits.refuse_foreign(name, ours.files())?;
            }
            Some(ours)
        }
        _ => None,
    };
    let (installed, edits) = match state {
        DiskState::Edited(edits) => (edits.base, edits.changes),
        _ => (before.clone(), Vec::new()),
    };
    let base = session.store.get(installed.digest);
    let base = match base {
        Some(base) => Some(base.into()),
        None => packages.locked(name, &installed).ok().map(|it| it.0.tree),
    };
    let base: Option<InstallableTree> = base;
    news.add_changelog(base.as_ref().map(InstallableTree::files), new.files());
    if edits.is_empty() || arguments.theirs {
        let mut update = finish(name, examiner, new, seen, skill, news);
        update.current = ours.or(base).unwrap_or_default();
        return Ok(Outcome::Updated(update));
    }
    let ours = ours.unwrap_or_default();
    if arguments.ours {
        let tree = keep_edits(&edits, ours.files(), new.files())?.into();
        let mut update = finish(name, examiner, tree, seen, skill, news);
        update.edited = edits.into_iter().map(|it| it.path).collect();
        update.current = ours;
        return Ok(Outcome::Updated(update));
    }
    let base = base.with_context(
        || "the installed version is not available for a merge; pass `--ours` or `--theirs`",
    )?;
    let merged = merge(base.files(), ours.files(), new.files())?;
    let tree = merged.tree.clone().into();
    let mut update = finish(name, examiner, tree, seen, skill, news);
    update.edited = merged.edited.iter().map(ToString::to_string).collect();
    update.current = ours;
    Ok(if merged.conflicts.is_empty() {
        Outcome::Updated(update)
    } else {
        update.conflicts = Some(merged);
        Outcome::Conflict(update)
    })
}

/// Executable bits that were changed by hand are edits; the lock file knows nothing of them, the stored version does.
fn changed_bits(
    session: &Session<'_>,
    name: &SkillName,
    locked: &LockedSkill,
) -> Option<DiskState> {
    let base = session.store.get(locked.digest)?;
    let path = session.place.skills().join(name.as_str());
    let (ours, _) = PackageTree::read_directory(&path).ok()?;
    let is_changed = |path: &SkillPath, executable: bool| {
        let before = base.get(path.as_str());
        before.is_some_and(|before| before.executable != executable)
    };
    let files = ours.files();
    let files = files.filter(|(path, file)| is_changed(path, file.executable));
    let changes: Vec<FileChange> = files
        .map(|(path, _)| FileChange {
            path: path.to_string(),
            change: ChangeKind::Changed,
        })
        .collect();
    let edits = Edits {
        base: locked.clone(),
        changes,
        origin: BaseOrigin::Applied,
    };
    (!edits.changes.is_empty()).then_some(DiskState::Edited(edits))
}

fn finish(
    name: &SkillName,
    examiner: &Examiner<'_>,
    tree: InstallableTree,
    seen: Fingerprint,
    skill: SourceSkill,
    news: news::News,
) -> Box<Update> {
    let SourceSkill {
        tree: new,
        locked,
        left_out,
    } = skill;
    let inspection = examiner.inspect(name, &new);
    let consent = examiner.consent(name, &new, &inspection);
    // Edits can have come with the project.
    let edited = examiner.inspect(name, &tree);
    let of_edited = examiner.consent(name, &tree, &edited);
    let (inspection, consent) = if of_edited > consent {
        (edited, of_edited)
    } else {
        (inspection, consent)
    };
    Box::new(Update {
        tree,
        current: InstallableTree::default(),
        seen,
        new,
        locked,
        left_out,
        edited: Vec::new(),
        conflicts: None,
        inspection,
        news,
        consent,
    })
}

/// The new version with the edited files of the old one.
fn keep_edits(edits: &[FileChange], ours: &PackageTree, new: &PackageTree) -> Result<PackageTree> {
    let is_edited = |path: &str| edits.iter().any(|it| it.path == path);
    let own = ours.files().filter(|(path, _)| is_edited(path.as_str()));
    let rest = new.files().filter(|(path, _)| !is_edited(path.as_str()));
    let files = own.chain(rest);
    let files = files.map(|(path, file)| (path.clone(), file.clone()));
    Ok(PackageTree::new(files)?)
}

/// What an update brings, for people.
fn found(name: &SkillName, before: &LockedSkill, update: &Update, whole: bool) -> String {
    let short = |locked: &LockedSkill| {
        let resolved = locked.resolved.as_deref().unwrap_or_default();
        resolved.chars().take(10).collect::<String>()
    };
    let version = update.inspection.version.as_deref();
    let version = version.map(|it| format!(" {}", terminal::one_line(it)));
    let version = version.unwrap_or_default();
    let commits = match (short(before), short(&update.locked)) {
        (old, new) if old.is_empty() || old == new => String::new(),
        (old, new) => format!(" ({old} to {new})"),
    };
    let mut text = format!("{name}{version}{commits}\n{}", update.news.lines());
    let files = news::changed_files(&before.files, &update.locked.files);
    text.push_str(&terminal::printable(&files));
    for note in left_out_notes(&update.left_out) {
        let _ = writeln!(text, "  {}", terminal::printable(&note));
    }
    if update.conflicts.is_some() {
        let files = terminal::printable(&update.conflicting_files());
        let _ = writeln!(text, "  conflicts with your edits in {files}");
    } else if !update.edited.is_empty() {
        let edited = terminal::printable(&update.edited.join(", "));
        let _ = writeln!(text, "  keeps your edits in {edited}");
    }
    if update.consent > Consent::None {
        text.push_str(&update.inspection.lines());
    }
    if whole {
        text.push_str(&news::difference(
            name,
            update.current.files(),
            update.tree.files(),
        ));
    }
    text
}

/// Asks about a version that wants or does more than the one before.
fn agrees(
    arguments: &UpdateArguments,
    name: &SkillName,
    update: &Update,
    found: &str,
) -> Result<bool> {
    let given = arguments.given();
    let question = format!("update {name}, with what was found?");
    if given.covers(update.consent, found, &question)? {
        return Ok(true);
    }
    if given.can_ask() {
        return Ok(false);
    }
    let flag = match update.consent {
        Consent::Force => "--force",
        _ => "--yes",
    };
    let error = CommandError::permission(format!(
        "`{name}` was not updated: the new version has findings or wants more permissions"
    ))
    .hint(format!("read them with `--dry-run`, then add `{flag}`"));
    error.print();
    Ok(false)
}
