//! `prowess create`, from the arguments to what to type next.

use std::env;
use std::fmt::Write;
use std::path::Path;

use prowess_spec::{Profile, SKILL_FILE, Severity};
use serde_json::json;

use super::arguments::CreateArguments;
use super::destination::{Destination, destination};
use super::recipe::{Code, Recipe};
use super::render::{File, files};
use super::write::{Existing, Outcome, write};
use crate::arguments::Global;
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::terminal::print_json;
use crate::{environment, terminal};

pub(crate) fn run(arguments: &CreateArguments, global: &Global) -> Result<Exit> {
    let recipe = Recipe::new(arguments)?;
    let files = files(&recipe);
    check_description(&recipe, &files)?;
    let here = env::current_dir().context("cannot find the current directory")?;
    let home = environment::user_directories().home;
    let destination = destination(arguments.destination.as_deref(), &here, home.as_deref());
    let directory = destination.directory.join(recipe.name.as_str());
    let existing = if arguments.force {
        Existing::Replace
    } else {
        Existing::Keep
    };
    let taken = match write(&directory, &files, existing)? {
        Outcome::Written => None,
        Outcome::DirectoryExists => Some((
            "already exists",
            "use --force to overwrite the files of the template",
        )),
        Outcome::NotADirectory => Some((
            "exists and is not a directory",
            "choose another name, or another directory with --in",
        )),
    };
    let directory = shown(&directory);
    if let Some((what, hint)) = taken {
        return Err(CommandError::failure(format!("`{directory}` {what}")).hint(hint));
    }
    let next = next(&recipe, &destination, &directory);
    if arguments.json {
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        print_json(&json!({
            "version": 1,
            "name": recipe.name,
            "path": directory,
            "files": paths,
            "next": next,
        }))?;
        return Ok(Exit::Success);
    }
    terminal::print(&file_list(&directory, &files))?;
    if !global.quiet {
        terminal::note(&format!("next:\n  {}", next.join("\n  ")));
    }
    Ok(Exit::Success)
}

/// Checks the new skill as `prowess check` does: only the description can be invalid.
fn check_description(recipe: &Recipe, files: &[File]) -> Result<()> {
    let context = prowess_spec::Context {
        directory: Some(recipe.name.as_str()),
        exists: None,
    };
    let skill = files.iter().find(|file| file.path == SKILL_FILE);
    let parsed = skill.map(|skill| prowess_spec::parse(skill.text.as_bytes(), &context));
    let at_fault = |severity| matches!(severity, Some(Severity::Error | Severity::Warning));
    let mut found = parsed.into_iter().flat_map(|parsed| parsed.diagnostics);
    match found.find(|found| at_fault(found.severity(Profile::Check))) {
        Some(first) => {
            let message = format!("invalid --description: {}", first.message);
            Err(CommandError {
                hints: first.help.into_iter().collect(),
                ..CommandError::usage(message)
            })
        }
        None => Ok(()),
    }
}

/// The path as the user would type it.
fn shown(path: &Path) -> String {
    let path = path.strip_prefix(".").unwrap_or(path);
    path.display().to_string()
}

fn file_list(directory: &str, files: &[File]) -> String {
    let mut text = format!("{}\n", terminal::printable(directory));
    let (sdk, own): (Vec<&File>, Vec<&File>) =
        files.iter().partition(|file| file.path.starts_with("sdk/"));
    for file in own {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {}", file.path);
    }
    if !sdk.is_empty() {
        let _ = writeln!(text, "  sdk/ ({} files: the SDK of the plugin)", sdk.len());
    }
    text
}

/// The suggested next command.
fn next(recipe: &Recipe, destination: &Destination, directory: &str) -> Vec<String> {
    let name = recipe.name.as_str();
    let mut next = Vec::new();
    if recipe.code.is_some_and(Code::is_built) {
        next.push(format!("sh {}", quoted(&format!("{directory}/build.sh"))));
    }
    let place = if destination.is_default {
        String::new()
    } else {
        format!(
            " --in {}",
            quoted(&destination.directory.display().to_string())
        )
    };
    if recipe.says_hello() {
        next.push(format!("prowess run {name}/hello{place}"));
    }
    if recipe.code.is_none() {
        next.push(format!("prowess show {name}{place}"));
    }
    // A skill without code has no cases yet.
    let command = if recipe.types.is_empty() {
        "check"
    } else {
        "test"
    };
    next.push(format!("prowess {command} {}", quoted(directory)));
    next
}

/// A word of a command line.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+@%,:~".contains(c);
    if word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
