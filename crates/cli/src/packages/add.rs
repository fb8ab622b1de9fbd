//! `prowess add` and `prowess install`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Instant;

use clap::Args;
use prowess_registry::{
    Agent, FoundSkill, InstallableTree, LockFile, LockedSkill, Package, PackageReference, compare,
};
use prowess_spec::{SkillName, SkillPath};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::apply::{
    Changes, Installation, LinkPlan, SourceSkill, plan_links, print_unlinked, seen_at,
};
use super::choose::{Choice, choose};
use super::consent::{AllowArgument, Examiner, GivenConsent, examine_on_disk};
use super::downgrade::DowngradeArgument;
use super::inspect::{Consent, Inspection, MANY, marked, plural};
use super::installed::{DiskState, disk_state};
use super::interrupted::until_unchanged;
use super::lock_trust;
use super::names::{conflict, occupied, twice};
use super::registry_notes::registry_notes;
use super::session::{AgentArguments, ScopeArgument, ScopeName, Session};
use super::signatures::{Signature, SignatureRules};
use crate::arguments::Global;
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::progress::FetchProgress;
use crate::registries::RegistryArgument;
use crate::{code_skills, configuration, terminal};

const SOURCES: &str = "\
Sources:
  owner/repo              a repository of GitHub, or of `default_host`
  owner/repo/path@ref     a directory in it, at a branch, tag or commit
  host/owner/repo         a repository of another host
  https://host/repo.git   any URL of git, also ssh://, git@host: and file://
  https://host/x.tar.gz   an archive: .zip, .tar.gz, .tgz, .tar, .skill
  https://host            a server with an index of skills
  ./dir, ./x.zip          a directory or an archive of this machine
  pdf, pdf@^1, pdf@1.2.0  a package of a registry
  registry:acme/pdf       a package with an owner

";

const AGENTS: &str = "
Agents: claude-code, codex, gemini-cli, cursor, github-copilot, opencode, windsurf, amp, goose and 71 more. \
Skills are stored in .agents/skills; agents that look elsewhere get a link.

Exit codes:
  0  installed, or nothing to do
  1  a source could not be read, or something is in the way
  2  invalid arguments
  4  not installed without your consent: see --yes and --force";

/// Arguments of `add` and `install`.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct AddArguments {
    /// Where the skills come from
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<String>,
    /// Install the skill of this name (repeatable)
    #[arg(long = "skill", value_name = "NAME", conflicts_with = "all")]
    names: Vec<String>,
    /// Install all skills of the source
    #[arg(long)]
    all: bool,
    /// List the skills of the source and install none
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    agents: AgentArguments,
    #[command(flatten)]
    scope: ScopeArgument,
    #[command(flatten)]
    registry: RegistryArgument,
    /// Install the skill under another name
    #[arg(long = "as", value_name = "NAME")]
    rename: Option<String>,
    /// Show what would be done, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Install without asking, unless a finding is of high severity
    #[arg(short, long)]
    yes: bool,
    /// Install whatever was found
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    allow: AllowArgument,
    #[command(flatten)]
    downgrade: DowngradeArgument,
    /// Public key that must have signed the package; it replaces a pinned one
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The help of `add`.
pub(crate) fn add_help() -> String {
    format!(
        "{SOURCES}Examples:
  prowess add anthropics/skills --skill pdf
  prowess add ./my-skills --all --agent claude-code,codex
  prowess add https://example.com/pdf.tar.gz --dry-run
{AGENTS}"
    )
}

/// The help of `install`.
pub(crate) fn install_help() -> String {
    format!(
        "{SOURCES}Examples:
  prowess install anthropics/skills --skill pdf
  prowess install ./my-skills --all
  prowess install pdf-forms@^1
{AGENTS}"
    )
}

/// A package, and the skills of it that are meant.
type ChosenSkills = (Package, Vec<FoundSkill>);

/// A skill that was not inspected yet.
struct Prospect {
    name: SkillName,
    tree: InstallableTree,
    locked: LockedSkill,
    left_out: Vec<SkillPath>,
    signature: Signature,
    notes: Vec<String>,
}

impl Prospect {
    fn inspect(self, examiner: &Examiner<'_>) -> Candidate {
        Candidate {
            inspection: examiner.inspect(&self.name, &self.tree),
            name: self.name,
            tree: self.tree,
            locked: self.locked,
            left_out: self.left_out,
            signature: self.signature,
            notes: self.notes,
        }
    }
}

/// A skill that is about to be installed.
struct Candidate {
    name: SkillName,
    tree: InstallableTree,
    locked: LockedSkill,
    /// Files of a plugin, which are not installed.
    left_out: Vec<SkillPath>,
    inspection: Inspection,
    signature: Signature,
    /// What was left out or renamed.
    notes: Vec<String>,
}

pub(crate) fn run(arguments: &AddArguments, default: ScopeName, global: &Global) -> Result<Exit> {
    let session = Session::open(arguments.scope.scope.unwrap_or(default), global)?;
    let session = session.limited(&arguments.registry)?;
    let agents = arguments.agents.choose(&session)?;
    let rename = arguments.rename.as_deref().map(name).transpose()?;
    session.recover()?;
    let lock = session.lock()?;
    code_skills::prepare_rules();
    let Some(fetched) = fetch(arguments, &session)? else {
        return Ok(Exit::Success);
    };
    let rules = SignatureRules::new(&session, arguments.key.as_deref())?;
    let inspector = Inspector {
        session: &session,
        lock: &lock,
        rename: rename.as_ref(),
        signatures: &rules,
        examiner: Examiner::new(&session, &arguments.allow)?,
        downgrade: arguments.downgrade,
        occupied: occupied(&session),
    };
    let (candidates, mut refused) = inspector.inspect(fetched, arguments.all)?;
    let (installed, mut candidates): (Vec<_>, Vec<_>) = candidates
        .into_iter()
        .partition(|it| is_installed(&session, &lock, it));
    let found = found(&candidates);
    missing_dependencies(&session, &candidates, &lock);
    if arguments.dry_run {
        if !arguments.json {
            terminal::print(&found)?;
        }
        return finish(arguments, &session, &candidates, &refused);
    }
    let linked = link_more(
        &session,
        &agents,
        arguments,
        &inspector.examiner,
        &installed,
    )?;
    if candidates.is_empty() {
        if !global.quiet && !arguments.json && !installed.is_empty() {
            terminal::note(&match linked.as_slice() {
                [] => "already installed; `prowess update` looks for newer versions".to_owned(),
                names => format!("already installed, linked for {}", names.join(", ")),
            });
        }
        return finish(arguments, &session, &candidates, &refused);
    }
    if arguments.all && arguments.yes && !arguments.force {
        // Of many skills, those with findings of high severity do not stop the others.
        let is_refused = |it: &mut Candidate| it.inspection.consent() > Consent::Yes;
        for candidate in candidates.extract_if(.., is_refused) {
            let name = &candidate.name;
            refused.push(format!(
                "`{name}` has a finding of high severity or cannot be loaded: add `--force`"
            ));
        }
    }
    consent(arguments, &candidates, &found)?;
    for candidate in &candidates {
        rules.pin(&candidate.signature)?;
    }
    install(&session, &agents, arguments.agents.copy, &candidates)?;
    finish(arguments, &session, &candidates, &refused)
}

fn name(text: &str) -> Result<SkillName> {
    SkillName::parse(text).map_err(|_| {
        let message = format!("invalid name `{}`", text.escape_debug());
        CommandError::usage(message)
            .hint("a name has lower-case letters, digits and hyphens, such as `pdf-forms`")
    })
}

/// The packages with the skills that are meant; `None` if nothing is to be installed.
fn fetch(arguments: &AddArguments, session: &Session<'_>) -> Result<Option<Vec<ChosenSkills>>> {
    let choice = Choice {
        names: &arguments.names,
        all: arguments.all,
    };
    let mut fetched = Vec::new();
    for source in &arguments.sources {
        let reference = session.reference(source)?;
        let began = Instant::now();
        let package = {
            let progress = FetchProgress::new(session.global.quiet);
            session.open_package(&reference, &session.remote(&progress))?
        };
        if !matches!(reference, PackageReference::Directory(_)) {
            session.phase(&format!("fetched {source}"), began);
        }
        if arguments.list {
            list(&package, source, arguments.json)?;
            continue;
        }
        match choose(&package, source, &choice)? {
            Some(chosen) if !chosen.is_empty() => fetched.push((package, chosen)),
            _ => {
                terminal::note("nothing was installed");
                return Ok(None);
            }
        }
    }
    let count: usize = fetched.iter().map(|(_, chosen)| chosen.len()).sum();
    if arguments.rename.is_some() && count > 1 {
        return Err(CommandError::usage(
            "`--as` renames one skill; choose it with `--skill`",
        ));
    }
    Ok((!arguments.list).then_some(fetched))
}

/// `--list`
fn list(package: &Package, source: &str, as_json: bool) -> Result<()> {
    let mut found = package.skills()?;
    package.describe(&mut found)?;
    found.sort_by(|a, b| a.name.cmp(&b.name));
    if as_json {
        let skills: Vec<Value> = found
            .iter()
            .map(|it| {
                let directory = it.directory.as_ref().map_or(".", |it| it.as_str());
                json!({"name": it.name, "description": it.description, "directory": directory})
            })
            .collect();
        terminal::print_json(&json!({"source": source, "skills": skills}))?;
        return Ok(());
    }
    let width = found.iter().map(|it| it.name.chars().count()).max();
    let width = width.unwrap_or_default().min(40);
    for skill in &found {
        let description = skill.description.as_deref().unwrap_or_default();
        let line = description.split_whitespace().collect::<Vec<_>>().join(" ");
        let name = terminal::one_line(&skill.name);
        let line = format!("{name:<width$}  {line}");
        let line: String = line.chars().take(terminal::width()).collect();
        terminal::print(&format!("{}\n", line.trim_end()))?;
    }
    terminal::note(&plural(found.len(), "skill"));
    Ok(())
}

/// What the skills of a source are compared with.
struct Inspector<'i> {
    session: &'i Session<'i>,
    lock: &'i LockFile,
    rename: Option<&'i SkillName>,
    signatures: &'i SignatureRules,
    examiner: Examiner<'i>,
    downgrade: DowngradeArgument,
    occupied: BTreeMap<String, String>,
}

impl Inspector<'_> {
    /// Reads the files of each skill, and looks at them. With `all`, skills that cannot be installed are left out and
    /// returned with the reason.
    fn inspect(
        &self,
        fetched: Vec<ChosenSkills>,
        all: bool,
    ) -> Result<(Vec<Candidate>, Vec<String>)> {
        let began = Instant::now();
        let mut prospects: Vec<Prospect> = Vec::new();
        let mut names: BTreeMap<SkillName, LockedSkill> = BTreeMap::new();
        let mut refused = Vec::new();
        for (package, chosen) in fetched {
            package.prepare(chosen.iter().map(|it| it.directory.as_ref()))?;
            for skill in &chosen {
                let prospect =
                    self.prospect(&package, skill)
                        .and_then(|it| match names.get(&it.name) {
                            Some(other) => Err(twice(&it.name, other, &it.locked)),
                            None => Ok(it),
                        });
                match prospect {
                    Ok(prospect) => {
                        names.insert(prospect.name.clone(), prospect.locked.clone());
                        prospects.push(prospect);
                    }
                    Err(error) if all => refused.push(error.message),
                    Err(error) => return Err(error),
                }
            }
        }
        let candidates: Vec<Candidate> = prospects
            .into_par_iter()
            .map(|prospect| prospect.inspect(&self.examiner))
            .collect();
        let count = plural(candidates.len(), "skill");
        self.session.phase(&format!("checked {count}"), began);
        Ok((candidates, refused))
    }

    fn prospect(&self, package: &Package, skill: &FoundSkill) -> Result<Prospect> {
        let (tree, left_out) = package.tree(skill)?;
        let mut notes: Vec<String> = left_out
            .iter()
            .map(|it| format!("left out: {it}"))
            .collect();
        let own = tree.name().or_else(|| SkillName::slug(&skill.name));
        let own = own.with_context(|| format!("`{}` has no name", skill.name))?;
        let directory = skill.directory.as_ref().map(SkillPath::as_str);
        let directory = directory.and_then(|it| it.rsplit('/').next());
        if directory.is_some_and(|it| it != own.as_str()) {
            let directory = directory.unwrap_or_default();
            notes.push(format!(
                "its directory is named `{directory}`; installed as `{own}`"
            ));
        }
        let name = self.rename.unwrap_or(&own).clone();
        let tree = if name == own {
            tree
        } else {
            tree.renamed(&name)
        };
        let reference = package.reference_of(skill, self.session.place.root());
        let skill = SourceSkill::new(reference.to_string(), package.resolved(skill), tree);
        notes.extend(skill.notes());
        let SourceSkill {
            tree,
            mut locked,
            left_out,
        } = skill;
        conflict(self.session, self.lock, &self.occupied, &name, &locked)?;
        let before = self.lock.skills.get(&name);
        if let Some(before) = before {
            self.downgrade.check(&name, before, &locked)?;
        }
        let signature = self.signatures.check(package, &reference, &own, before)?;
        locked.signed_by = signature.key();
        notes.extend(signature.note());
        notes.extend(registry_notes(self.session, self.lock, package, &reference));
        Ok(Prospect {
            name,
            tree,
            locked,
            left_out,
            signature,
            notes,
        })
    }
}

/// Whether exactly this is installed already, with nothing edited.
fn is_installed(session: &Session<'_>, lock: &LockFile, candidate: &Candidate) -> bool {
    let path = session.place.skills().join(candidate.name.as_str());
    lock.skills.get(&candidate.name) == Some(&candidate.locked)
        && matches!(compare(&path, &candidate.locked.files), Ok(Some(changes)) if changes.is_empty())
}

/// What was found; of many skills, only those with something that needs a yes or a note.
fn found(candidates: &[Candidate]) -> String {
    let is_short = candidates.len() <= MANY;
    let mut text = String::new();
    for candidate in candidates {
        // Of many, only those are shown about which there is something to say.
        if !is_short
            && candidate.inspection.consent() == Consent::None
            && candidate.notes.is_empty()
        {
            continue;
        }
        let version = candidate.inspection.version.as_deref().unwrap_or_default();
        let head = format!("{} {}", candidate.name, terminal::one_line(version));
        let source = source_line(&candidate.locked);
        let _ = writeln!(text, "{} from {source}", head.trim_end());
        text.push_str(&candidate.inspection.lines());
        for note in &candidate.notes {
            let _ = writeln!(text, "  note         {}", terminal::one_line(note));
        }
    }
    text
}

/// Where a skill comes from, for people.
pub(super) fn source_line(locked: &LockedSkill) -> String {
    let resolved = locked.resolved.as_deref();
    match resolved.map(|it| it.get(..10).unwrap_or(it)) {
        Some(commit) => format!("{} at {commit}", locked.source),
        None => locked.source.clone(),
    }
}

/// Says which dependencies are nowhere.
fn missing_dependencies(session: &Session<'_>, candidates: &[Candidate], lock: &LockFile) {
    for candidate in candidates {
        for dependency in &candidate.inspection.dependencies {
            let installed =
                SkillName::parse(dependency).is_ok_and(|it| lock.skills.contains_key(&it));
            let comes = candidates.iter().any(|it| it.name.as_str() == dependency);
            let there = session.place.skills().join(dependency).is_dir();
            if !installed && !comes && !there {
                terminal::note(&format!(
                    "warning: `{}` needs the skill `{dependency}`, which is not installed",
                    candidate.name
                ));
            }
        }
    }
}

/// Asks about what was found.
fn consent(arguments: &AddArguments, candidates: &[Candidate], found: &str) -> Result<()> {
    let needed = candidates.iter().map(|it| it.inspection.consent()).max();
    let needed = needed.unwrap_or(Consent::None);
    let level = Consent::of_options(arguments.yes, arguments.force);
    let given = GivenConsent::new(level, arguments.json);
    let concerned: Vec<&str> = candidates
        .iter()
        .filter(|it| it.inspection.consent() > level)
        .map(|it| it.name.as_str())
        .collect();
    let names = concerned.join(", ");
    let question = format!("install {names}, with what was found?");
    if given.covers(needed, found, &question)? {
        return Ok(());
    }
    if given.can_ask() {
        return Err(CommandError::permission("nothing was installed"));
    }
    let flag = match needed {
        Consent::Force => "--force",
        _ => "--yes",
    };
    Err(
        CommandError::permission(format!("not installed without your consent: {names}")).hint(
            format!("read what was found with `--dry-run`, then add `{flag}`"),
        ),
    )
}

fn install(
    session: &Session<'_>,
    agents: &[&'static Agent],
    copy: bool,
    candidates: &[Candidate],
) -> Result<()> {
    let began = Instant::now();
    let names = until_unchanged(|| install_once(session, agents, copy, candidates))?;
    for candidate in candidates {
        lock_trust::trust(session, &candidate.locked.source.parse()?)?;
    }
    let user = session.user_home();
    let own = Some(session.place.skills());
    let readers = agents
        .iter()
        .filter(|it| session.place.directory_of(it, &user) == own);
    let readers = agent_names(" for", readers.map(|it| it.name).collect());
    let linked = agent_names("; linked for", names);
    let directory = configuration::shown(&session.place.skills());
    let count = plural(candidates.len(), "skill");
    session.phase(
        &format!("installed {count} in {directory}{readers}{linked}"),
        began,
    );
    Ok(())
}

/// Installs everything that was agreed to; returns the agents that got a link.
fn install_once(
    session: &Session<'_>,
    agents: &[&'static Agent],
    copy: bool,
    candidates: &[Candidate],
) -> Result<Vec<&'static str>> {
    let mut changes = Changes::begin(session, copy)?;
    let applied = session.applied();
    let mut names: Vec<&str> = Vec::new();
    // Another process may have installed something meanwhile.
    let occupied = occupied(session);
    for candidate in candidates {
        let (name, locked) = (&candidate.name, &candidate.locked);
        let seen = seen_at(&session.place.skills().join(name.as_str()))?;
        conflict(session, &changes.lock, &occupied, name, locked)?;
        refuse_edited(session, &changes.lock, &applied, name)?;
        let installation = Installation {
            name,
            tree: &candidate.tree,
            locked: candidate.locked.clone(),
            seen: &seen,
        };
        let directories = changes.install(installation, agents)?;
        names.extend(
            directories
                .iter()
                .flat_map(|directory| directory.agents.iter()),
        );
    }
    // After all files were written: what does not fit on the disk leaves nothing.
    for candidate in candidates {
        session.keep(&candidate.locked, &candidate.tree)?;
    }
    changes.commit()?;
    Ok(names)
}

/// The names of agents, as far as a line can have them.
fn agent_names(what: &str, mut names: Vec<&str>) -> String {
    names.sort_unstable();
    names.dedup();
    match names.as_slice() {
        [] => String::new(),
        names if names.len() > 8 => format!("{what} {} agents", names.len()),
        names => format!("{what} {}", names.join(", ")),
    }
}

/// Links what is installed already for agents that have no link yet; returns their names.
fn link_more(
    session: &Session<'_>,
    agents: &[&'static Agent],
    arguments: &AddArguments,
    examiner: &Examiner<'_>,
    installed: &[Candidate],
) -> Result<Vec<&'static str>> {
    if installed.is_empty() {
        return Ok(Vec::new());
    }
    let level = Consent::of_options(arguments.yes, arguments.force);
    let given = GivenConsent::new(level, arguments.json);
    let mut missing = Vec::new();
    for candidate in installed {
        let name = &candidate.name;
        let is_accepted = examiner.is_accepted(name, &candidate.locked);
        let links = plan_links(session, name, agents, is_accepted, |skill| {
            let (inspection, needed) = examine_on_disk(examiner, name, skill);
            let found = inspection.lines_if(needed, name);
            given.covers(
                needed,
                &found,
                &format!("link {name}, with what was found?"),
            )
        })?;
        match links {
            LinkPlan::Nothing => {}
            LinkPlan::Links(links) => missing.push((name, links)),
            LinkPlan::Refused => {
                let message = format!("not linked without your consent: {name}");
                return Err(
                    CommandError::permission(message).hint(candidate.inspection.consent().hint())
                );
            }
            LinkPlan::Plugin(files) => print_unlinked(&candidate.name, &files),
        }
    }
    let mut names = until_unchanged(|| {
        let mut changes = Changes::begin(session, arguments.agents.copy)?;
        let mut names = Vec::new();
        for (name, links) in &missing {
            names.extend(changes.link_missing(name, links)?);
        }
        changes.commit()?;
        Ok(names)
    })?;
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// An edited skill is updated, not replaced.
fn refuse_edited(
    session: &Session<'_>,
    lock: &LockFile,
    applied: &LockFile,
    name: &SkillName,
) -> Result<()> {
    let Some(installed) = lock.skills.get(name) else {
        return Ok(());
    };
    match disk_state(session, applied, name, installed)? {
        DiskState::Edited(edits) => Err(CommandError::failure(format!(
            "`{name}` was edited: {}",
            edits.changes.first().map_or("", |it| it.path.as_str())
        ))
        .hint(format!("`prowess update {name}` keeps your edits"))),
        _ => Ok(()),
    }
}

fn finish(
    arguments: &AddArguments,
    session: &Session<'_>,
    candidates: &[Candidate],
    refused: &[String],
) -> Result<Exit> {
    let exit = if refused.is_empty() {
        Exit::Success
    } else {
        Exit::Failure
    };
    if arguments.json {
        let skills: Vec<Value> = candidates.iter().map(row).collect();
        let key = if arguments.dry_run {
            "would_install"
        } else {
            "installed"
        };
        terminal::print_json(&json!({
            key: skills,
            "refused": refused,
            "directory": session.place.skills(),
            "lock": session.place.lock_path(),
        }))?;
        return Ok(exit);
    }
    let sign = if arguments.dry_run { "would add" } else { "+" };
    let line = |candidate: &Candidate| {
        let version = candidate.inspection.version.as_deref();
        let version = version.map(|it| format!(" {}", terminal::one_line(it)));
        let version = version.unwrap_or_default();
        let source = source_line(&candidate.locked);
        format!("{}{version} ({source})", candidate.name)
    };
    let lines: Vec<String> = candidates.iter().map(line).collect();
    terminal::print(&marked(sign, &lines))?;
    for reason in refused.iter().take(MANY) {
        terminal::print_problem(reason, None);
    }
    if !refused.is_empty() {
        let count = plural(refused.len(), "skill");
        terminal::note(&format!("{count} not installed"));
    }
    Ok(exit)
}

fn row(candidate: &Candidate) -> Value {
    json!({
        "name": candidate.name,
        "source": candidate.locked.source,
        "resolved": candidate.locked.resolved,
        "digest": candidate.locked.digest.to_string(),
        "inspection": candidate.inspection,
        "left_out": candidate.left_out,
        "notes": candidate.notes,
    })
}
