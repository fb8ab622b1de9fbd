//! `prowess update`: newer versions of installed skills, without losing edits.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Instant;

use clap::Args;
use prowess_registry::{Fingerprint, LockedSkill};
use prowess_spec::SkillName;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde_json::{Value, json};

use super::apply::{Changes, Installation, left_out_notes, seen_lock};
use super::conflicts;
use super::consent::{AllowArgument, Examiner, GivenConsent};
use super::downgrade::DowngradeArgument;
use super::inspect::{Consent, Inspection, MANY, marked, plural};
use super::installed::{look_at_all, named, nothing, sessions};
use super::interrupted::until_unchanged;
use super::lock_trust;
use super::newer::{Look, Newer, Sources};
use super::news;
use super::open_packages::Packages;
use super::session::{ScopeArgument, Session};
use super::signatures::SignatureRules;
use crate::arguments::Global;
use crate::error::{CommandError, Result};
use crate::exit::Exit;
use crate::{code_skills, terminal};

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
    pub(super) ours: bool,
    /// Discard edits
    #[arg(long, group = "how")]
    pub(super) theirs: bool,
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
    pub(super) force: bool,
    #[command(flatten)]
    allow: AllowArgument,
    #[command(flatten)]
    pub(super) downgrade: DowngradeArgument,
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

/// A newer version, and what it takes to have it.
struct Update {
    newer: Newer,
    inspection: Inspection,
    consent: Consent,
}

impl Outcome {
    fn of(name: &SkillName, look: Result<Look>, examiner: &Examiner<'_>) -> Self {
        match look {
            Err(error) => Self::Failed(error),
            Ok(Look::UpToDate) => Self::UpToDate,
            Ok(Look::Moved(locked)) => Self::Moved(locked),
            Ok(Look::Newer(newer)) => {
                let has_conflicts = newer.conflicts.is_some();
                let update = Box::new(Update::new(name, *newer, examiner));
                if has_conflicts {
                    Self::Conflict(update)
                } else {
                    Self::Updated(update)
                }
            }
        }
    }

    fn update(&self) -> Option<&Update> {
        match self {
            Self::Updated(update) | Self::Conflict(update) => Some(update),
            Self::UpToDate | Self::Moved(_) | Self::Failed(_) => None,
        }
    }
}

impl Update {
    fn new(name: &SkillName, newer: Newer, examiner: &Examiner<'_>) -> Self {
        let examine = |tree| {
            let inspection = examiner.inspect(name, tree);
            let consent = examiner.consent(name, tree, &inspection);
            (inspection, consent)
        };
        let (mut inspection, mut consent) = examine(&newer.new);
        if newer.tree != newer.new {
            // Edits can have come with the project.
            let edited = examine(&newer.tree);
            if edited.1 > consent {
                (inspection, consent) = edited;
            }
        }
        Self {
            newer,
            inspection,
            consent,
        }
    }

    /// Whether it is shown even if it is one of many.
    fn is_notable(&self) -> bool {
        self.consent > Consent::None
            || !self.newer.edited.is_empty()
            || !self.newer.left_out.is_empty()
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
    fn new<'s>(
        session: &'s Session<'s>,
        packages: &mut Packages<'s>,
        arguments: &UpdateArguments,
    ) -> Result<Self> {
        let began = Instant::now();
        let lock = seen_lock(session)?;
        let skills = named(session, &arguments.names)?;
        let sources: Vec<&LockedSkill> = skills.iter().map(|(_, locked)| locked).collect();
        lock_trust::ask(session, &sources, arguments.yes)?;
        code_skills::prepare_rules();
        packages.prepare(
            sources
                .iter()
                .filter_map(|locked| locked.source.parse().ok()),
        );
        let mut sources = Sources {
            session,
            packages,
            signatures: SignatureRules::new(session, None)?,
        };
        let count = plural(skills.len(), "skill");
        let on_disk = look_at_all(session, &skills);
        let found: Vec<(SkillName, LockedSkill, Result<Look>)> = skills
            .into_iter()
            .zip(on_disk)
            .map(|((name, before), on_disk)| {
                let found = on_disk.and_then(|it| sources.look(arguments, &name, &before, it));
                (name, before, found)
            })
            .collect();
        let examiner = Examiner::new(session, &arguments.allow)?;
        let skills = found.into_par_iter().map(|(name, before, found)| {
            let outcome = Outcome::of(&name, found, &examiner);
            PlannedSkill {
                name,
                before,
                outcome,
                is_accepted: true,
            }
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
                let agreed = format!("{name} {} {findings}", update.newer.locked.digest);
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
                    let newer = &update.newer;
                    if let Some(merge) = &newer.conflicts {
                        let conflict = conflicts::Conflict {
                            name,
                            merge,
                            new: &newer.locked,
                            locked: &skill.before,
                            ours: &newer.seen,
                        };
                        conflicts::write(session, &mut changes, &conflict)?;
                        session.keep(&newer.locked, &newer.new)?;
                    }
                }
                Outcome::Updated(update) if skill.is_accepted => {
                    let newer = &update.newer;
                    let installation = Installation {
                        name,
                        tree: &newer.tree,
                        locked: newer.locked.clone(),
                        seen: &newer.seen,
                    };
                    changes.install(installation, &[])?;
                    conflicts::forget(session, &mut changes, name)?;
                    session.keep(&newer.locked, &newer.new)?;
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
            let left_out = skill.outcome.update();
            let left_out = left_out.map(|update| update.newer.left_out.clone());
            let (state, worse) = match &skill.outcome {
                Outcome::UpToDate | Outcome::Moved(_) => ("up to date", Exit::Success),
                Outcome::Failed(_) => ("failed", Exit::Failure),
                Outcome::Conflict(update) => {
                    if !arguments.dry_run {
                        let files = update.newer.conflicting_files();
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

/// What an update brings, for people.
fn found(name: &SkillName, before: &LockedSkill, update: &Update, whole: bool) -> String {
    let newer = &update.newer;
    let short = |locked: &LockedSkill| {
        let resolved = locked.resolved.as_deref().unwrap_or_default();
        resolved.chars().take(10).collect::<String>()
    };
    let version = update.inspection.version.as_deref();
    let version = version.map(|it| format!(" {}", terminal::one_line(it)));
    let version = version.unwrap_or_default();
    let commits = match (short(before), short(&newer.locked)) {
        (old, new) if old.is_empty() || old == new => String::new(),
        (old, new) => format!(" ({old} to {new})"),
    };
    let mut text = format!("{name}{version}{commits}\n{}", newer.news.lines());
    let files = news::changed_files(&before.files, &newer.locked.files);
    text.push_str(&terminal::printable(&files));
    for note in left_out_notes(&newer.left_out) {
        let _ = writeln!(text, "  {}", terminal::printable(&note));
    }
    if newer.conflicts.is_some() {
        let files = terminal::printable(&newer.conflicting_files());
        let _ = writeln!(text, "  conflicts with your edits in {files}");
    } else if !newer.edited.is_empty() {
        let edited = terminal::printable(&newer.edited.join(", "));
        let _ = writeln!(text, "  keeps your edits in {edited}");
    }
    if update.consent > Consent::None {
        text.push_str(&update.inspection.lines());
    }
    if whole {
        text.push_str(&news::difference(
            name,
            newer.current.files(),
            newer.tree.files(),
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
