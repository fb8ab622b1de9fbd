//! A script of a skill, run for the user in the current directory.

use std::env;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use prowess_core::{ScriptFile, ScriptOutput, SkillId};
use prowess_runtime::{ApprovedScript, NamedFiles, ScriptResults};
use prowess_spec::manifest::Permission;
use prowess_spec::{SkillPath, is_hidden};
use serde::Serialize;

use super::print_json;
use super::run::RunArguments;
use crate::arguments::Global;
use crate::code_skills::{OpenedRuntime, PathOrigin, project_files};
use crate::error::{Context, Result};
use crate::exit::Exit;
use crate::terminal::{self, note, printable};

#[derive(Serialize)]
struct Document<'r> {
    #[serde(flatten)]
    output: &'r ScriptOutput,
    results: Vec<ResultRow>,
    /// Where results are that could not be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept_in: Option<PathBuf>,
}

/// A file that the script made or changed.
#[derive(Serialize)]
struct ResultRow {
    #[serde(flatten)]
    file: ScriptFile,
    written: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// A script, and how the user named its skill.
#[derive(Clone, Copy)]
pub(super) struct ScriptTarget<'t> {
    pub(super) id: &'t SkillId,
    pub(super) path: &'t SkillPath,
    pub(super) origin: PathOrigin,
}

/// Runs a script on the files that its arguments name.
pub(super) async fn run_script(
    arguments: &RunArguments,
    global: &Global,
    opened: &OpenedRuntime,
    target: ScriptTarget<'_>,
) -> Result<Exit> {
    let directory = env::current_dir().context("cannot find the current directory")?;
    let named = NamedFiles::find(&directory, &arguments.script)?;
    let ScriptTarget { id, path, origin } = target;
    let script = match origin {
        PathOrigin::User => opened.scripts.approve_alone(id, path).await?,
        PathOrigin::Default => opened.scripts.approve(id, path).await?,
    };
    if !global.quiet {
        note(&printable(&access(
            &script,
            &named,
            opened.scripts.shows_project(),
        )));
    }
    let running = opened
        .scripts
        .run_with_files(&script, &arguments.script, named);
    let (output, mut results) = running.await?;
    // Before anything is printed: the reader of the output may be gone.
    let rows = write_results(arguments, &directory, &output, &results);
    let unwritten = arguments.write && rows.iter().any(|row| !row.written);
    let kept_in = unwritten.then(|| results.preserve());
    if arguments.json {
        print_json(&Document {
            output: &output,
            results: rows,
            kept_in,
        })?;
    } else {
        terminal::print(&printable(&output.stdout))?;
        if !output.stderr.is_empty() {
            note(printable(&output.stderr).trim_end());
        }
        if output.truncated {
            note("[output truncated]");
        }
        report(arguments, &rows);
        if let Some(kept) = kept_in {
            note(&format!("what was not written is in {}", kept.display()));
        }
    }
    Ok(match u8::try_from(output.exit_code) {
        Ok(0) if unwritten => Exit::Failure,
        Ok(code) => Exit::Script(code),
        Err(_) => Exit::Failure,
    })
}

/// What the script sees.
fn access(script: &ApprovedScript, named: &NamedFiles, shows_project: bool) -> String {
    let mut text = "runs in a sandbox; sees the skill".to_owned();
    if shows_project && script.may(Permission::FileWrite) {
        text.push_str(", the project at /project, which it can change");
    } else if shows_project && script.may(Permission::FileRead) {
        text.push_str(", the project at /project (read-only)");
    }
    for name in named.names() {
        let _ = write!(text, ", {name}");
    }
    text.push_str(if script.may(Permission::NetFetch) {
        "; has the network"
    } else {
        "; no network"
    });
    text
}

/// Writes the results to the directory, if the user said so.
fn write_results(
    arguments: &RunArguments,
    directory: &Path,
    output: &ScriptOutput,
    results: &ScriptResults,
) -> Vec<ResultRow> {
    let rows = results.files.iter().map(|file| {
        let reason = if arguments.write && output.exit_code != 0 {
            Some("the script failed".to_owned())
        } else {
            write_result(arguments, directory, results, file).err()
        };
        ResultRow {
            file: file.clone(),
            written: reason.is_none(),
            reason,
        }
    });
    rows.collect()
}

fn write_result(
    arguments: &RunArguments,
    directory: &Path,
    results: &ScriptResults,
    file: &ScriptFile,
) -> std::result::Result<(), String> {
    if !arguments.write {
        return Err("use --write to have it in this directory".to_owned());
    }
    if !results.is_named(file) && file.path.split('/').any(|name| name.starts_with('.')) {
        // Shells, editors, agents and build tools trust and run many of them.
        return Err(
            "its name begins with a dot; name it as an argument to have it written".to_owned(),
        );
    }
    let target = project_files(directory).map_err(|error| error.to_string())?;
    if !arguments.force && !results.is_named(file) && target.exists(&file.path) {
        return Err("exists and is not named by an argument; use --force to replace it".to_owned());
    }
    let bytes = results.read(file).map_err(|error| error.to_string())?;
    let written = target.replace(&file.path, &bytes);
    written.map_err(|error| error.to_string())
}

fn report(arguments: &RunArguments, rows: &[ResultRow]) {
    if !arguments.write && !rows.is_empty() {
        let names: Vec<String> = rows.iter().map(|row| one_line(&row.file.path)).collect();
        let line = format!(
            "not written: {}; use --write to have them in this directory",
            names.join(", ")
        );
        note(&printable(&line));
        return;
    }
    for row in rows {
        let path = one_line(&row.file.path);
        let line = match &row.reason {
            None => format!("wrote {path} ({} bytes)", row.file.bytes),
            Some(reason) => format!("not written: {path}: {reason}"),
        };
        note(&printable(&line));
    }
}

/// A name that cannot begin a line of its own, as messages about it have it.
fn one_line(path: &str) -> String {
    let mut shown = String::new();
    for letter in path.chars() {
        if letter.is_control() || is_hidden(letter) {
            shown.extend(letter.escape_debug());
        } else {
            shown.push(letter);
        }
    }
    shown
}
