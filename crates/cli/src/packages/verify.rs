//! `prowess verify`: are the installed files what the lock file says?

use clap::Args;
use prowess_registry::{Compared, digest_of};
use serde_json::{Value, json};

use super::inspect::plural;
use super::installed::{AgentCopies, differences, named, nothing, sessions};
use super::interrupted::note_waiting;
use super::registry_notes::yanked_in;
use super::session::ScopeArgument;
use crate::arguments::Global;
use crate::error::{CommandError, Result};
use crate::exit::Exit;
use crate::terminal;

const HELP: &str = "\
Examples:
  prowess verify            compare every installed skill with prowess.lock
  prowess verify pdf-forms  compare one skill

Exit codes:
  0  every file is what the lock file says
  1  a file could not be read
  3  a file was changed, added or removed, or makes a plugin of a skill";

/// Arguments of `verify`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct VerifyArguments {
    /// Names of installed skills [default: all]
    #[arg(value_name = "SKILL")]
    names: Vec<String>,
    #[command(flatten)]
    scope: ScopeArgument,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &VerifyArguments, global: &Global) -> Result<Exit> {
    let sessions = sessions(arguments.scope.scope, global)?;
    if sessions.is_empty() {
        return Err(nothing());
    }
    let mut rows: Vec<Value> = Vec::new();
    let (mut total, mut files, mut differing) = (0, 0, 0);
    let mut copies: Vec<String> = Vec::new();
    for session in &sessions {
        note_waiting(session);
        let skills = named(session, &arguments.names)?;
        let states = differences(session, &skills)?;
        let entries: Vec<_> = skills.iter().map(|(name, locked)| (name, locked)).collect();
        copies.extend(AgentCopies::of(session).differing(&entries));
        for ((name, locked), state) in skills.iter().zip(states) {
            if digest_of(&locked.files) != locked.digest {
                return Err(CommandError::failure(format!(
                    "the digest of `{name}` in the lock file is not that of its files"
                ))
                .hint("restore prowess.lock from version control"));
            }
            total += 1;
            files += locked.files.len();
            let is_missing = state.is_none();
            let Compared {
                changes,
                plugin_files: plugin,
            } = state.unwrap_or_default();
            let is_other = is_missing || !changes.is_empty() || !plugin.is_empty();
            differing += usize::from(is_other);
            let yanked = yanked_in(session, locked);
            if let Some(reason) = &yanked
                && !arguments.json
            {
                let version = locked.resolved.as_deref().unwrap_or_default();
                let warning = format!("warning: {name} {version} is {reason}");
                terminal::note(&terminal::one_line(&warning));
            }
            if arguments.json {
                rows.push(json!({
                    "name": name,
                    "scope": if session.place.is_project() { "project" } else { "user" },
                    "missing": is_missing,
                    "changes": changes,
                    "plugin_files": plugin,
                    "yanked": yanked,
                }));
            } else if is_missing {
                terminal::print(&format!("{name}: not installed\n"))?;
            } else {
                for change in &changes {
                    terminal::print(&format!("{name}/{}: {}\n", change.path, change.change))?;
                }
                for path in &plugin {
                    let line = format!("{name}/{path}: part of a plugin, which agents run");
                    terminal::print(&format!("{}\n", terminal::printable(&line)))?;
                }
            }
        }
    }
    if arguments.json {
        let ok = differing == 0 && copies.is_empty();
        terminal::print_json(&json!({"skills": rows, "copies": copies, "ok": ok}))?;
    } else {
        for path in &copies {
            terminal::print(&format!(
                "{path}: differs from the skill that is installed\n"
            ))?;
        }
    }
    if !arguments.json && !global.quiet {
        let (skills, files) = (plural(total, "skill"), plural(files, "file"));
        terminal::note(&match differing {
            0 => format!("verified {skills}, {files}"),
            count => format!("{count} of {total} skills differ from the lock file"),
        });
        if differing > 0 {
            terminal::hint(
                "`prowess sync` installs what is missing and keeps edits; `--force` discards them",
            );
        }
    }
    Ok(if differing == 0 && copies.is_empty() {
        Exit::Success
    } else {
        Exit::Findings
    })
}
