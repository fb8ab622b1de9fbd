//! `prowess import`: takes over skills that other tools or people installed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use prowess_registry::{
    Agent, Fingerprint, Package, PackageReference, PackageTree, TransactionError, plugin_files_in,
    read_lock_file,
};
use prowess_sources::RemoteOptions;
use prowess_spec::SkillName;
use serde::Deserialize;
use serde_json::json;

use super::apply::{Changes, Installation, SourceSkill, seen_at, seen_lock};
use super::consent::{AllowArgument, Examiner, GivenConsent};
use super::inspect::{Consent, Inspection, plural};
use super::interrupted::until_unchanged;
use super::lock_trust;
use super::session::{ScopeArgument, ScopeName, Session};
use crate::arguments::Global;
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::{configuration, terminal};

const HELP: &str = "\
Adds skills that exist to prowess.lock, with their current files: those that the npm tool `skills` \
installed (skills-lock.json in a project, ~/.agents/.skill-lock.json for you), and those that you name. \
The files of other tools stay in place. Nothing is fetched.

Examples:
  prowess import              take over what `npx skills` installed here
  prowess import --scope user
  prowess import my-skill     take over a skill that was copied here";

/// Arguments of `import`.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
#[command(after_long_help = HELP)]
pub(crate) struct ImportArguments {
    /// Names of skills that are here [default: those in the lock files of other tools]
    #[arg(value_name = "SKILL")]
    names: Vec<String>,
    #[command(flatten)]
    scope: ScopeArgument,
    /// Show what would be done, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Import without asking, unless a finding is of high severity
    #[arg(short, long)]
    yes: bool,
    /// Import whatever was found
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    allow: AllowArgument,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A lock file of the npm tool `skills`: version 1 in projects, version 3 for users.
#[derive(Deserialize)]
struct OtherLock {
    version: u32,
    skills: BTreeMap<String, OtherSkill>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct OtherSkill {
    source: String,
    source_type: String,
    source_url: Option<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
    skill_path: Option<String>,
}

pub(crate) fn run(arguments: &ImportArguments, global: &Global) -> Result<Exit> {
    let session = Session::open(arguments.scope.scope.unwrap_or(ScopeName::Project), global)?;
    session.recover()?;
    let mut agreed = BTreeSet::new();
    let plan = until_unchanged(|| {
        let mut plan = ImportPlan::new(&session, arguments)?;
        if !arguments.dry_run {
            plan.ask(arguments, &mut agreed)?;
            plan.apply(&session)?;
        }
        Ok(plan)
    })?;
    plan.print(arguments, global)?;
    Ok(match plan.missing {
        0 if plan.refused.is_empty() => Exit::Success,
        0 => Exit::Permission,
        _ => Exit::Failure,
    })
}

/// What would be imported. Building it writes nothing.
struct ImportPlan {
    /// What the lock file held.
    lock: Fingerprint,
    skills: Vec<ImportedSkill>,
    missing: usize,
    /// Skills that are refused, and the files that make plugins of them.
    plugins: BTreeMap<SkillName, Vec<String>>,
    /// Skills that the user did not agree to.
    refused: BTreeMap<SkillName, Inspection>,
}

struct ImportedSkill {
    name: SkillName,
    directory: PathBuf,
    /// Whether it is where ours are.
    own: bool,
    /// What the directory held before it was read.
    seen: Fingerprint,
    skill: SourceSkill,
    inspection: Inspection,
    needed: Consent,
}

impl ImportPlan {
    fn new(session: &Session<'_>, arguments: &ImportArguments) -> Result<Self> {
        let others = match read_others(session) {
            // A broken file of another tool does not matter for a skill that is named.
            Err(error) if !arguments.names.is_empty() => {
                terminal::note(&terminal::printable(&format!("warning: {error}")));
                BTreeMap::new()
            }
            others => others?,
        };
        let names: Vec<String> = if arguments.names.is_empty() {
            others.keys().cloned().collect()
        } else {
            arguments.names.clone()
        };
        if names.is_empty() {
            let path = other_path(session);
            let why = if path.exists() {
                "names no skills"
            } else {
                "does not exist"
            };
            let path = configuration::shown(&path);
            return Err(
                CommandError::failure(format!("nothing to import: {path} {why}"))
                    .hint("name the skills that you want to take over"),
            );
        }
        let seen = seen_lock(session)?;
        let lock = session.lock()?;
        let examiner = Examiner::new(session, &arguments.allow)?;
        let mut plan = Self {
            lock: seen,
            skills: Vec::new(),
            missing: 0,
            plugins: BTreeMap::new(),
            refused: BTreeMap::new(),
        };
        for text in &names {
            let Ok(name) = SkillName::parse(text) else {
                plan.missing += 1;
                terminal::print_problem(&format!("invalid name `{}`", text.escape_debug()), None);
                continue;
            };
            if !lock.skills.contains_key(&name) {
                plan.add(session, &examiner, name, others.get(text))?;
            }
        }
        Ok(plan)
    }

    fn add(
        &mut self,
        session: &Session<'_>,
        examiner: &Examiner<'_>,
        name: SkillName,
        other: Option<&OtherSkill>,
    ) -> Result<()> {
        let Some((directory, own)) = find(session, &name) else {
            self.missing += 1;
            terminal::print_problem(
                &format!("`{name}` is not on disk"),
                Some("`prowess add SOURCE` installs it"),
            );
            return Ok(());
        };
        let seen = seen_at(&directory)?;
        let plugin = plugin_files_in(&directory);
        if !plugin.is_empty() {
            // Without these files it is another thing than the one that works there.
            let files = plugin.join(", ");
            terminal::print_problem(
                &format!("`{name}` was not imported: it is a plugin: {files}"),
                Some("remove these files to import it as a skill"),
            );
            self.missing += 1;
            self.plugins.insert(name, plugin);
            return Ok(());
        }
        let (tree, unread) = PackageTree::read_directory(&directory)
            .with_context(|| format!("cannot read {}", configuration::shown(&directory)))?;
        let source = other.and_then(|other| source(session, other, name.as_str()));
        let source = source.unwrap_or_else(|| format!("./.agents/skills/{name}"));
        let skill = SourceSkill::new(source, None, tree);
        let inspection = examiner.inspect(&name, &skill.tree).with_unread(unread);
        self.skills.push(ImportedSkill {
            needed: inspection.consent(),
            name,
            directory,
            own,
            seen,
            skill,
            inspection,
        });
        Ok(())
    }

    /// Takes out the skills that the user does not agree to.
    fn ask(&mut self, arguments: &ImportArguments, agreed: &mut BTreeSet<String>) -> Result<()> {
        let level = Consent::of_options(arguments.yes, arguments.force);
        let given = GivenConsent::new(level, arguments.json);
        for imported in std::mem::take(&mut self.skills) {
            let (name, needed) = (&imported.name, imported.needed);
            let found = imported.inspection.lines_if(needed, name);
            let question = format!("import {name}, with what was found?");
            let asked = format!("{found}{question}");
            if agreed.contains(&asked) || given.covers(needed, &found, &question)? {
                agreed.insert(asked);
                self.skills.push(imported);
                continue;
            }
            let message = format!("`{name}` was not imported without your consent");
            terminal::print_problem(&message, Some(needed.hint()));
            self.refused.insert(imported.name, imported.inspection);
        }
        Ok(())
    }

    fn apply(&self, session: &Session<'_>) -> Result<()> {
        let mut changes = Changes::begin_as_planned(session, false, &self.lock)?;
        for imported in &self.skills {
            let (name, tree) = (&imported.name, &imported.skill.tree);
            let locked = imported.skill.locked.clone();
            session.keep(&locked, tree)?;
            // The lock file would state what is no longer there.
            if seen_at(&imported.directory)? != imported.seen {
                return Err(TransactionError::Changed(imported.directory.clone()).into());
            }
            if imported.own {
                changes.accept(name, locked);
            } else {
                // It is moved to where every agent can have it, and linked from where it was.
                let agents = agents_of(session, &imported.directory);
                let installation = Installation {
                    name,
                    tree,
                    locked,
                    seen: &Fingerprint::Absent,
                };
                changes.install(installation, &agents)?;
            }
        }
        changes.commit()?;
        for imported in &self.skills {
            // Only what a user typed is trusted: the other lock file is a stranger's, too.
            let source = &imported.skill.locked.source;
            if source.starts_with("./") {
                lock_trust::trust(session, &source.parse()?)?;
            }
        }
        Ok(())
    }

    fn print(&self, arguments: &ImportArguments, global: &Global) -> Result<()> {
        if arguments.json {
            let row = |imported: &ImportedSkill| {
                let locked = &imported.skill.locked;
                let digest = locked.digest.to_string();
                json!({"name": imported.name, "source": locked.source, "digest": digest})
            };
            terminal::print_json(&json!({
                "imported": self.skills.iter().map(row).collect::<Vec<_>>(),
                "missing": self.missing,
                "plugins": self.plugins,
                "refused": self.refused,
            }))?;
            return Ok(());
        }
        let sign = if arguments.dry_run {
            "would import"
        } else {
            "+"
        };
        for imported in &self.skills {
            let (name, source) = (&imported.name, &imported.skill.locked.source);
            terminal::print(&format!("{sign} {name} ({source})\n"))?;
            if arguments.dry_run {
                terminal::print(&imported.inspection.lines_if(imported.needed, name))?;
            }
        }
        if self.skills.is_empty() && self.missing == 0 && self.refused.is_empty() {
            terminal::note("already imported");
        } else if !global.quiet && !arguments.dry_run {
            terminal::note(&format!("imported {}", plural(self.skills.len(), "skill")));
        }
        Ok(())
    }
}

/// The lock file of the npm tool.
pub(super) fn other_path(session: &Session<'_>) -> PathBuf {
    let root = session.place.root();
    if session.place.is_project() {
        root.join("skills-lock.json")
    } else {
        root.join(".agents/.skill-lock.json")
    }
}

fn read_others(session: &Session<'_>) -> Result<BTreeMap<String, OtherSkill>> {
    let path = other_path(session);
    let shown = || format!("cannot read {}", configuration::shown(&path));
    let Some(text) = read_lock_file(&path).with_context(shown)? else {
        return Ok(BTreeMap::new());
    };
    let lock: OtherLock = serde_json::from_str(&text).with_context(shown)?;
    let expected = if session.place.is_project() { 1 } else { 3 };
    if lock.version != expected {
        let message = format!("version {} is not supported, only {expected}", lock.version);
        return Err(CommandError::failure(message)).with_context(shown);
    }
    Ok(lock.skills)
}

/// The agents that look for skills where this one is.
fn agents_of(session: &Session<'_>, skill: &Path) -> Vec<&'static Agent> {
    let user = session.user_home();
    let looks = |agent: &&'static Agent| {
        session.place.directory_of(agent, &user).as_deref() == skill.parent()
    };
    Agent::with_skills().filter(looks).collect()
}

/// Where a skill is, and whether that is where ours are.
fn find(session: &Session<'_>, name: &SkillName) -> Option<(PathBuf, bool)> {
    let is_directory = |path: &Path| fs::symlink_metadata(path).is_ok_and(|it| it.is_dir());
    let own = session.place.skills().join(name.as_str());
    if is_directory(&own) {
        return Some((own, true));
    }
    let others = session.place.all_directories(&session.user_home());
    let mut others = others.into_iter().map(|it| it.join(name.as_str()));
    Some((others.find(|it| is_directory(it))?, false))
}

/// Where the other tool got a skill from.
fn source(session: &Session<'_>, other: &OtherSkill, name: &str) -> Option<String> {
    let directory = other.skill_path.as_deref().and_then(|path| {
        let directory = Path::new(path).parent()?.to_str()?;
        Some(directory.to_owned()).filter(|it| !it.is_empty())
    });
    let text = match other.source_type.as_str() {
        "local" => return local(session, other, name),
        "github" => {
            let path = directory.map(|it| format!("/{it}")).unwrap_or_default();
            format!("github.com/{}{path}", other.source)
        }
        "git" | "gitlab" => {
            let url = other.source_url.as_deref().unwrap_or(&other.source);
            let url = url.trim_end_matches('/').trim_end_matches(".git");
            let path = directory.map(|it| format!("/{it}")).unwrap_or_default();
            format!("{url}.git{path}")
        }
        "well-known" => {
            let url = other.source_url.as_deref().unwrap_or(&other.source);
            let url = url::Url::parse(url).ok()?;
            return Some(format!("{}/#{name}", url.origin().ascii_serialization()));
        }
        _ => return None,
    };
    let reference = other.reference.as_ref().map(|it| format!("@{it}"));
    let text = text + &reference.unwrap_or_default();
    let parsed = PackageReference::parse(&text, "github.com").ok()?;
    Some(parsed.to_string())
}

/// The directory of a skill below the one that the other tool was given.
fn local(session: &Session<'_>, other: &OtherSkill, name: &str) -> Option<String> {
    let reference = PackageReference::Directory(PathBuf::from(&other.source));
    let root = session.place.root();
    let package = Package::open(&reference, root, &RemoteOptions::default()).ok()?;
    let found = package
        .skills()
        .ok()?
        .into_iter()
        .find(|it| it.name == name)?;
    Some(package.reference_of(&found, root).to_string())
}
