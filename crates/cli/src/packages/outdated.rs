//! `prowess outdated`: which installed skills have a newer version.

use std::collections::BTreeMap;
use std::thread;

use clap::Args;
use prowess_config::GitLocation;
use prowess_registry::wire::PackageInfo;
use prowess_registry::{
    LockedSkill, Package, PackageName, PackageReference, choose_version, digest_of,
};
use prowess_sources::git_heads;
use prowess_spec::{SkillName, SkillPath};
use semver::{Version, VersionReq};
use serde::Serialize;
use serde_json::json;
use url::Url;

use super::downgrade::registry_version;
use super::installed::{named, nothing, sessions};
use super::interrupted::note_waiting;
use super::lock_trust;
use super::open_packages::tree_of;
use super::registry_notes::yanked;
use super::session::{ScopeArgument, Session};
use crate::arguments::Global;
use crate::error::{Result, message_of};
use crate::exit::Exit;
use crate::progress::FetchProgress;
use crate::table::{Column, Width, render};
use crate::terminal;

const HELP: &str = "\
Asks every source once, all at the same time.

Examples:
  prowess outdated          look for newer versions of all installed skills
  prowess outdated --json   the same as JSON

Exit codes:
  0  everything is up to date
  1  a source could not be asked; its skills are unknown
  3  a skill is outdated, or its version is yanked or withdrawn";

/// Arguments of `outdated`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct OutdatedArguments {
    /// Names of installed skills [default: all]
    #[arg(value_name = "SKILL")]
    names: Vec<String>,
    #[command(flatten)]
    scope: ScopeArgument,
    /// Ask the sources of the lock file without a question
    #[arg(short, long)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    name: SkillName,
    state: State,
    installed: Option<String>,
    latest: Option<String>,
    source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl Row {
    /// Whether `update` installs something newer.
    fn has_newer(&self) -> bool {
        let version = |text: &Option<String>| Version::parse(text.as_deref()?).ok();
        match self.state {
            State::Outdated => true,
            State::Yanked => version(&self.latest) > version(&self.installed),
            State::UpToDate | State::Withdrawn | State::Unknown => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    UpToDate,
    Outdated,
    /// The installed version must not be used any more.
    Yanked,
    /// The registry has the installed version no longer, and none that is newer.
    Withdrawn,
    Unknown,
}

impl State {
    fn as_str(self) -> &'static str {
        match self {
            Self::UpToDate => "up to date",
            Self::Outdated => "outdated",
            Self::Yanked => "yanked",
            Self::Withdrawn => "withdrawn",
            Self::Unknown => "unknown",
        }
    }
}

pub(crate) fn run(arguments: &OutdatedArguments, global: &Global) -> Result<Exit> {
    let sessions = sessions(arguments.scope.scope, global)?;
    if sessions.is_empty() {
        return Err(nothing());
    }
    let mut rows = Vec::new();
    for session in &sessions {
        note_waiting(session);
        let skills = named(session, &arguments.names)?;
        let sources: Vec<&LockedSkill> = skills.iter().map(|(_, locked)| locked).collect();
        lock_trust::ask(session, &sources, arguments.yes)?;
        let sources = Sources::ask(session, &skills);
        for (name, locked) in skills {
            rows.push(row(&sources, name, locked));
        }
    }
    let has = |state| rows.iter().any(|row: &Row| row.state == state);
    let is_finding = |row: &Row| !matches!(row.state, State::UpToDate | State::Unknown);
    let exit = match (has(State::Unknown), rows.iter().any(is_finding)) {
        (true, _) => Exit::Failure,
        (false, true) => Exit::Findings,
        (false, false) => Exit::Success,
    };
    if arguments.json {
        terminal::print_json(&json!({"skills": rows}))?;
        return Ok(exit);
    }
    let shown: Vec<&Row> = rows
        .iter()
        .filter(|it| it.state != State::UpToDate)
        .collect();
    if !shown.is_empty() {
        print(&shown)?;
    }
    if !global.quiet {
        let current = rows.len() - shown.len();
        terminal::note(&format!("{current} of {} up to date", rows.len()));
        if rows.iter().any(Row::has_newer) {
            terminal::hint("`prowess update` updates them");
        }
        let is_bad = |row: &Row| matches!(row.state, State::Yanked | State::Withdrawn);
        if rows.iter().any(|row| is_bad(row) && !row.has_newer()) {
            terminal::hint("`prowess update --allow-downgrade` installs an older version");
        }
    }
    Ok(exit)
}

fn print(rows: &[&Row]) -> Result<()> {
    let titles = ["SKILL", "STATE", "INSTALLED", "LATEST", "SOURCE"];
    let columns = titles.map(|title| Column {
        title,
        width: if title == "SOURCE" {
            Width::Rest
        } else {
            Width::Content
        },
    });
    let short = |text: &Option<String>| {
        let text = text.as_deref().unwrap_or("-");
        let text = text.strip_prefix("sha256:").unwrap_or(text);
        text.chars().take(10).collect::<String>()
    };
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let source = row.reason.as_ref().unwrap_or(&row.source);
            vec![
                row.name.to_string(),
                row.state.as_str().to_owned(),
                short(&row.installed),
                short(&row.latest),
                source.clone(),
            ]
        })
        .collect();
    terminal::print(&render(&columns, &cells))?;
    Ok(())
}

/// The answers of all sources.
struct Sources {
    /// The commits of repositories, by URL and reference.
    heads: BTreeMap<(String, Option<String>), Result<Option<String>, String>>,
    /// Packages that have to be looked into.
    packages: BTreeMap<String, Result<Package, String>>,
    /// What registries say about packages, by source; `None` of those that they do not have.
    published: BTreeMap<String, Result<Option<PackageInfo>, String>>,
}

/// Threads that wait for sources.
const THREADS: usize = 32;

impl Sources {
    /// Asks each repository once for all references that matter, then opens each package that may have changed once; all
    /// at the same time.
    fn ask(session: &Session<'_>, skills: &[(SkillName, LockedSkill)]) -> Self {
        let progress = FetchProgress::new(session.global.quiet);
        let remote = session.remote(&progress);
        let mut wanted: BTreeMap<String, (GitLocation, Vec<Option<String>>)> = BTreeMap::new();
        for (_, locked) in skills {
            if let Ok(PackageReference::Git(location)) = locked.source.parse() {
                let url = location.repository.expose().into_owned();
                let (_, references) = wanted
                    .entry(url)
                    .or_insert_with(|| (location.repository, Vec::new()));
                if !references.contains(&location.reference) {
                    references.push(location.reference);
                }
            }
        }
        let wanted: Vec<_> = wanted.into_iter().collect();
        let answers = in_parallel(&wanted, |(_, (repository, references))| {
            git_heads(repository, references, &remote).map_err(|error| error.to_string())
        });
        let mut sources = Self {
            heads: BTreeMap::new(),
            packages: BTreeMap::new(),
            published: published(session, skills),
        };
        for ((url, (_, references)), answer) in wanted.into_iter().zip(answers) {
            for (index, reference) in references.into_iter().enumerate() {
                let head = answer.clone();
                let head = head.map(|commits| commits.get(index).cloned().flatten());
                sources.heads.insert((url.clone(), reference), head);
            }
        }
        let mut packages: BTreeMap<String, (PackageReference, Vec<Option<SkillPath>>)> =
            BTreeMap::new();
        for (_, locked) in skills {
            if let Ok(reference) = locked.source.parse::<PackageReference>()
                && sources.may_differ(&reference, locked)
            {
                let package = reference.package();
                let known = packages.entry(package.to_string());
                let (_, directories) = known.or_insert((package, Vec::new()));
                if let PackageReference::Git(location) = reference {
                    directories.push(location.path);
                }
            }
        }
        let packages: Vec<_> = packages.into_iter().collect();
        let root = session.place.root();
        let opened = in_parallel(&packages, |(_, (reference, directories))| {
            let package = Package::open(reference, root, &remote);
            let package = package.map_err(|error| message_of(&error))?;
            // All files with one request; a failure is reported when they are asked for.
            let _ = package.prepare(directories.iter().map(Option::as_ref));
            Ok(package)
        });
        let names = packages.into_iter().map(|(name, _)| name);
        sources.packages = names.zip(opened).collect();
        sources
    }

    /// Whether the source has to be looked into.
    fn may_differ(&self, reference: &PackageReference, locked: &LockedSkill) -> bool {
        // A registry says which versions there are.
        if matches!(reference, PackageReference::Registry { .. }) {
            return false;
        }
        let PackageReference::Git(location) = reference else {
            return true;
        };
        let key = (
            location.repository.expose().into_owned(),
            location.reference.clone(),
        );
        match self.heads.get(&key) {
            Some(Ok(Some(head))) => locked.resolved.as_ref() != Some(head),
            _ => false,
        }
    }
}

/// What registries say about the packages of these skills: one request for each, all at the same time.
fn published(
    session: &Session<'_>,
    skills: &[(SkillName, LockedSkill)],
) -> BTreeMap<String, Result<Option<PackageInfo>, String>> {
    let wanted: BTreeMap<&str, (Option<Url>, PackageName)> = skills
        .iter()
        .filter_map(|(_, locked)| match locked.source.parse() {
            Ok(PackageReference::Registry { registry, name, .. }) => {
                Some((locked.source.as_str(), (registry, name)))
            }
            _ => None,
        })
        .collect();
    let wanted: Vec<_> = wanted.into_iter().collect();
    let answers = in_parallel(&wanted, |(_, (registry, name))| {
        let found = match registry {
            Some(url) => session.registries.info_at(url, name),
            None => session.registries.find(name).map(|found| Some(found.info)),
        };
        found.map_err(|error| error.message)
    });
    let sources = wanted.into_iter().map(|(source, _)| source.to_owned());
    sources.zip(answers).collect()
}

/// Waits for many things at the same time; the results are in the order of the items.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let work = &work;
    let mut results = Vec::new();
    for chunk in items.chunks(THREADS) {
        thread::scope(|scope| {
            let running: Vec<_> = chunk
                .iter()
                .map(|it| scope.spawn(move || work(it)))
                .collect();
            for thread in running {
                match thread.join() {
                    Ok(result) => results.push(result),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
    }
    results
}

fn row(sources: &Sources, name: SkillName, locked: LockedSkill) -> Row {
    let yanked = match sources.published.get(&locked.source) {
        Some(Ok(Some(info))) => yanked(info, &locked),
        _ => None,
    };
    let (state, latest, reason) = match latest(sources, &name, &locked) {
        found if yanked.is_some() => (State::Yanked, found.ok().and_then(|it| it.1), yanked),
        Ok((state, latest)) => (state, latest, None),
        Err(reason) => (State::Unknown, None, Some(reason)),
    };
    Row {
        name,
        state,
        installed: locked.resolved,
        latest,
        source: locked.source,
        reason,
    }
}

/// How a skill of a registry compares with what the registry has, and the latest version there.
fn latest_published(
    info: Option<&PackageInfo>,
    versions: Option<&VersionReq>,
    locked: &LockedSkill,
) -> Result<(State, Option<String>), String> {
    let installed = registry_version(locked);
    let is_listed = info.is_some_and(|info| {
        let mut listed = info.versions.iter().map(|known| &known.version);
        listed.any(|version| Some(version) == installed.as_ref())
    });
    let chosen = info.map(|info| choose_version(info, versions)).transpose();
    let latest = match chosen {
        Ok(chosen) => chosen.map(|chosen| chosen.version.clone()),
        Err(error) if is_listed => return Err(error.to_string()),
        Err(_) => None,
    };
    let state = if latest > installed {
        State::Outdated
    } else if is_listed {
        State::UpToDate
    } else {
        State::Withdrawn
    };
    Ok((state, latest.map(|version| version.to_string())))
}

/// How a skill compares with its source, and the latest version there; or why that is unknown.
fn latest(
    sources: &Sources,
    name: &SkillName,
    locked: &LockedSkill,
) -> Result<(State, Option<String>), String> {
    let state_of = |is_current| {
        if is_current {
            State::UpToDate
        } else {
            State::Outdated
        }
    };
    let reference: PackageReference = match locked.source.parse() {
        Ok(reference) => reference,
        Err(error) => return Err(ToString::to_string(&error)),
    };
    if let PackageReference::Registry { versions, .. } = &reference {
        return match sources.published.get(&locked.source) {
            Some(Ok(info)) => latest_published(info.as_ref(), versions.as_ref(), locked),
            Some(Err(reason)) => Err(reason.clone()),
            None => Err("the registry was not asked".to_owned()),
        };
    }
    if let PackageReference::Git(location) = &reference {
        let key = (
            location.repository.expose().into_owned(),
            location.reference.clone(),
        );
        match sources.heads.get(&key) {
            Some(Ok(Some(head))) if locked.resolved.as_ref() == Some(head) => {
                return Ok((State::UpToDate, Some(head.clone())));
            }
            Some(Ok(None)) => {
                let reference = location.reference.as_deref().unwrap_or("default branch");
                return Err(format!("the repository has no `{reference}`"));
            }
            Some(Err(reason)) => return Err(reason.clone()),
            Some(Ok(Some(_))) | None => {}
        }
    }
    let package = match sources.packages.get(&reference.package().to_string()) {
        Some(Ok(package)) => package,
        Some(Err(reason)) => return Err(reason.clone()),
        None => return Err("the source was not asked".to_owned()),
    };
    let latest = package.resolved_at(&reference);
    // An index states digests, so that nothing has to be downloaded.
    if matches!(reference, PackageReference::Index(_)) && locked.resolved.is_some() {
        return match latest {
            Some(_) => Ok((state_of(latest == locked.resolved), latest)),
            None => Err("the index has no such skill any more".to_owned()),
        };
    }
    // Only the files tell whether a newer commit changed this skill.
    let (tree, _) = tree_of(package, name, &reference).map_err(|error| error.message)?;
    let is_current = digest_of(&tree.digests()) == locked.source_digest();
    Ok((state_of(is_current), latest))
}
