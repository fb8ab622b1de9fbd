//! `prowess trust --work-on`: one question a day about a skill that the user writes.

use std::fmt::Write as _;
use std::path::Path;

use prowess_spec::limits::FILE_BYTES;
use prowess_spec::manifest::{self, Keyword, Permission};
use prowess_spec::{Context as SkillContext, MANIFEST_FILE};
use prowess_trust::{WORK_HOURS, WorkRecord, WorkRecords};

use crate::code_skills::{is_skill, meaning};
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::{environment, pages, rewrite, terminal};

/// What an answer can be stored for: the project, the network and commands. Everything else is asked about.
const STORED: [Permission; 5] = [
    Permission::FileRead,
    Permission::FileWrite,
    Permission::GitRead,
    Permission::NetFetch,
    Permission::ShellExec,
];

/// The stored answers.
pub(crate) fn records() -> Result<WorkRecords> {
    environment::work_records().context("cannot find your data directory")
}

/// Asks what a skill may do while the user works on it.
pub(crate) fn run(directory: &Path) -> Result<Exit> {
    let shown = terminal::printable(&directory.display().to_string());
    if !is_skill(directory) {
        return Err(CommandError::failure(format!("no skill in {shown}"))
            .hint("pass the directory that has its SKILL.md"));
    }
    let permissions = stored_permissions(directory)?;
    let mut text = format!(
        "For {WORK_HOURS} hours, `prowess run` and `prowess test` with this path do not ask whether the code in {shown} may:\n"
    );
    for permission in &permissions {
        let _ = writeln!(
            text,
            "  {:<13} {}",
            permission.as_str(),
            meaning(*permission)
        );
    }
    text.push_str("This covers whatever you save there. It ends when another commit is checked out, and when Prowess, its API or a \
                   sandboxed program writes there.\n");
    if !terminal::can_ask() {
        return Err(CommandError::permission("cannot ask without a terminal")
            .hint("run it in a terminal; elsewhere, `--approve-skills` approves one run"));
    }
    if !pages::confirm(&text, "accept?")? {
        return Ok(Exit::Permission);
    }
    let names = permissions
        .iter()
        .map(|permission| permission.as_str().to_owned());
    let record = records()?.store(directory, names.collect())?;
    let until = record.until.strftime("%F %H:%M UTC");
    terminal::note(&format!(
        "accepted until {until}; run `prowess trust --revoke {shown}` to end it"
    ));
    Ok(Exit::Success)
}

/// What the manifest of a skill asks for now; without one, its scripts can read the project.
fn stored_permissions(directory: &Path) -> Result<Vec<Permission>> {
    let path = directory.join(MANIFEST_FILE);
    let bytes = rewrite::read(&path, FILE_BYTES as u64);
    let bytes = bytes.with_context(|| format!("cannot read {}", path.display()))?;
    let Some(bytes) = bytes else {
        return Ok(vec![Permission::FileRead]);
    };
    let manifest = manifest::parse(&bytes, &SkillContext::default(), None).manifest;
    let manifest = manifest.with_context(|| {
        let shown = directory.display();
        format!("invalid {MANIFEST_FILE}; `prowess check {shown}` says why")
    })?;
    let asked = STORED
        .into_iter()
        .filter(|permission| manifest.permissions.contains(permission));
    let asked: Vec<Permission> = asked.collect();
    if asked.is_empty() {
        let message = "nothing to accept: its code asks for no files, network or commands";
        return Err(CommandError::failure(message)
            .hint("`prowess test` and `prowess run` with its path run it without a question"));
    }
    Ok(asked)
}

/// One line for each stored answer.
pub(crate) fn lines(records: &[WorkRecord]) -> String {
    let mut out = String::new();
    for record in records {
        let (directory, permissions) = (record.directory.display(), record.permissions.join(" "));
        let until = record.until.strftime("%F %H:%M UTC");
        let _ = writeln!(out, "work-on   {directory}  {permissions}  until {until}");
    }
    terminal::printable(&out)
}
