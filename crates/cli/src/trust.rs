//! `prowess trust`, and the question that other commands ask in a terminal.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::Args;
use prowess_config::ProjectTrust;
use prowess_core::{Catalog, Health};
use prowess_trust::{Decision, ProjectRoot, Reach, TrustRecords};
use serde_json::json;

use crate::arguments::{Global, SourceArguments};
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::terminal::print_json;
use crate::{configuration, environment, pages, terminal, work_on};

const HELP: &str = "\
The prowess.toml of a project can name servers, databases, directories outside the project, \
environment variables and programs. Prowess uses none of them until you accept the whole list. It \
stores your answer for this project and this list, and asks again when the list changes.

Examples:
  prowess trust             show the list and ask
  prowess trust --list      list the projects with an answer
  prowess trust --revoke    delete the answer for this project
  prowess trust --work-on ./skill    accept what a skill of yours asks for
  prowess trust --yes --digest sha256:...    accept exactly this list";

/// Arguments of `trust`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct TrustArguments {
    /// List the stored answers
    #[arg(long, conflicts_with_all = ["revoke", "yes"])]
    list: bool,
    /// Delete the answer for a project [default: this project]
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".", conflicts_with = "yes")]
    revoke: Option<PathBuf>,
    /// Accept for 24 hours what the skill in a directory asks for, while you work on it
    #[arg(long, value_name = "DIR", conflicts_with_all = ["list", "revoke", "yes", "json"])]
    work_on: Option<PathBuf>,
    /// Accept without asking; requires --digest
    #[arg(long, requires = "digest")]
    yes: bool,
    /// Digest of the list to accept, as printed by `prowess trust`
    #[arg(long, value_name = "DIGEST", requires = "yes")]
    digest: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &TrustArguments, global: &Global) -> Result<Exit> {
    if let Some(directory) = &arguments.work_on {
        return work_on::run(directory);
    }
    let records = environment::trust_records().context("cannot find your data directory")?;
    if arguments.list {
        return list(&records, arguments.json);
    }
    if let Some(directory) = &arguments.revoke {
        return revoke(&records, directory);
    }
    let config = configuration::load(global)?;
    let Some(project) = config.project.filter(|project| !project.reach.is_empty()) else {
        if arguments.json {
            print_json(&json!({"version": 1, "reach": [], "trusted": true}))?;
        } else {
            terminal::note(
                "nothing to trust: the configuration of this project accesses nothing outside the project",
            );
        }
        return Ok(Exit::Success);
    };
    let digest = project.reach.digest();
    if let Some(given) = &arguments.digest {
        if !digest.is(given) {
            let message = format!("digest mismatch: expected {digest}, got {given}");
            return Err(
                CommandError::permission(message).hint("run `prowess trust` to review the list")
            );
        }
        records.store(&project.root, &project.reach, Decision::Trusted)?;
        terminal::note(&format!("{} is trusted", shown(&project.root)));
        return Ok(Exit::Success);
    }
    if arguments.json {
        print_json(&json!({
            "version": 1,
            "root": project.root,
            "reach": project.reach,
            "digest": digest,
            "trusted": project.trusted,
        }))?;
        return Ok(Exit::Success);
    }
    let text = question(&project, &records);
    if project.trusted || !is_terminal() {
        terminal::print(&terminal::printable(&text))?;
    }
    if project.trusted {
        terminal::note("already trusted; run `prowess trust --revoke` to undo");
        return Ok(Exit::Success);
    }
    match answer(&text)? {
        Some(TrustAnswer::Yes) => {
            records.store(&project.root, &project.reach, Decision::Trusted)?;
            terminal::note("trusted; run `prowess trust --revoke` to undo");
            Ok(Exit::Success)
        }
        Some(TrustAnswer::Never) => {
            records.store(&project.root, &project.reach, Decision::Declined)?;
            Ok(Exit::Permission)
        }
        Some(TrustAnswer::No) => Ok(Exit::Permission),
        None => Err(
            CommandError::permission("not trusted: cannot ask without a terminal")
                .hint(format!("run `prowess trust --yes --digest {digest}`")),
        ),
    }
}

/// Asks about an untrusted project in a terminal, once for each list. Untrusted sources are not used.
pub(crate) fn ask(sources: &SourceArguments, global: &Global) -> Result<()> {
    if !sources.directories.is_empty() || global.quiet || !is_terminal() {
        return Ok(());
    }
    let Some(records) = environment::trust_records() else {
        return Ok(());
    };
    let config = configuration::load(global)?;
    let Some(project) = config.project.filter(|project| !project.trusted) else {
        return Ok(());
    };
    if records.decision(&project.root, &project.reach) == Some(Decision::Declined) {
        return Ok(());
    }
    let decision = match answer(&question(&project, &records))? {
        Some(TrustAnswer::Yes) => Decision::Trusted,
        Some(TrustAnswer::Never) => Decision::Declined,
        Some(TrustAnswer::No) | None => return Ok(()),
    };
    records.store(&project.root, &project.reach, decision)?;
    Ok(())
}

/// Prints a hint about sources that wait for an answer.
pub(crate) fn hint(catalog: &Catalog) {
    let untrusted = catalog
        .sources()
        .filter(|source| source.health == Health::Untrusted);
    let names: Vec<&str> = untrusted.map(|source| &*source.name).collect();
    if !names.is_empty() {
        let names = names.join(", ");
        terminal::hint(&format!(
            "not trusted yet: {names}; run `prowess trust` to review and accept"
        ));
    }
}

/// The access of the project, with marks for new lines.
fn question(project: &ProjectTrust, records: &TrustRecords) -> String {
    let mut text = format!("The project {} wants to:\n", shown(&project.root));
    let before = records.last(&project.root);
    let difference = before.map(|before| project.reach.since(&before.reach));
    let is_new = |reach: &Reach| {
        let added = difference.as_ref().map(|it| it.added.contains(reach));
        added == Some(true)
    };
    for reach in project.reach.iter() {
        let mark = if is_new(reach) { "+" } else { " " };
        let _ = writeln!(text, " {mark} {}", infinitive(reach));
    }
    for reach in difference.iter().flat_map(|it| &it.removed) {
        let _ = writeln!(text, " - {}  (no longer)", infinitive(reach));
    }
    if difference.is_some() && !project.trusted {
        text.push_str("The list changed since your last answer; `+` marks new lines.\n");
    }
    let programs = |reach: &Reach| matches!(reach, Reach::Program { .. });
    if project.reach.iter().any(programs) {
        text.push_str("Programs run as you, outside the sandbox; other files that they load are not checked.\n");
    }
    let count = project.reach.iter().count();
    let _ = writeln!(text, "{count} lines. Digest: {}", project.reach.digest());
    text
}

/// `connects to` as `connect to`.
fn infinitive(reach: &Reach) -> String {
    let sentence = reach.to_string();
    match sentence.split_once(' ') {
        Some(("queries", rest)) => format!("query {rest}"),
        Some(("fetches", rest)) => format!("fetch {rest}"),
        Some((verb, rest)) => format!("{} {rest}", verb.strip_suffix('s').unwrap_or(verb)),
        None => sentence,
    }
}

enum TrustAnswer {
    Yes,
    No,
    Never,
}

fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// The answer of the user to all of a text; `None` without a terminal.
fn answer(text: &str) -> Result<Option<TrustAnswer>> {
    if !is_terminal() {
        return Ok(None);
    }
    if !pages::read_through(text)? {
        return Ok(Some(TrustAnswer::No));
    }
    loop {
        let typed = terminal::ask("Trust it? [y]es, [N]o, ne[v]er ask about this again: ")?;
        match typed.as_deref().map(str::trim) {
            Some("y" | "Y" | "yes") => return Ok(Some(TrustAnswer::Yes)),
            Some("v" | "V" | "never") => return Ok(Some(TrustAnswer::Never)),
            None | Some("" | "n" | "N" | "no") => return Ok(Some(TrustAnswer::No)),
            Some(_) => {}
        }
    }
}

fn list(records: &TrustRecords, as_json: bool) -> Result<Exit> {
    let (records, work) = (records.list(), work_on::records()?.list());
    if as_json {
        print_json(&json!({"version": 1, "projects": records, "work": work}))?;
        return Ok(Exit::Success);
    }
    let mut out = String::new();
    for record in &records {
        let decision = match record.decision {
            Decision::Trusted => "trusted",
            Decision::Declined => "declined",
        };
        let (root, decided) = (shown(&record.root), &record.decided);
        let _ = writeln!(out, "{decision:<9} {root}  {decided}");
        for reach in record.reach.iter() {
            let _ = writeln!(out, "          {reach}");
        }
    }
    terminal::print(&terminal::printable(&out))?;
    terminal::print(&work_on::lines(&work))?;
    if records.is_empty() && work.is_empty() {
        terminal::note("no stored answers");
    }
    Ok(Exit::Success)
}

fn revoke(records: &TrustRecords, directory: &Path) -> Result<Exit> {
    let here = std::env::current_dir().context("cannot find the current directory")?;
    let home = environment::user_directories().home;
    let root = ProjectRoot::find(&here.join(directory), home.as_deref());
    // A project that was moved or removed is known by the path that was stored.
    let stored: PathBuf = here.join(directory);
    if work_on::records()?.end(&stored)? {
        terminal::note(&format!("ended: working on {}", shown(&stored)));
        return Ok(Exit::Success);
    }
    let revoked = records.revoke(root.real())? || records.revoke(&stored)?;
    let root = shown(root.real());
    if !revoked {
        return Err(
            CommandError::failure(format!("no stored answer for {root}"))
                .hint("run `prowess trust --list` to list stored answers"),
        );
    }
    terminal::note(&format!("{root} is no longer trusted"));
    Ok(Exit::Success)
}

fn shown(path: &Path) -> String {
    terminal::printable(&path.display().to_string())
}
