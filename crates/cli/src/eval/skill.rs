//! The skill that is meant, and what of its evals.

use std::path::Path;

use prowess_agent::eval::{Suite, SuiteError};
use prowess_core::{Catalog, Scope, SkillId, Source};
use prowess_sources::{FilesystemOptions, FilesystemSource};
use prowess_spec::nearest;

use super::arguments::{EvalArguments, Only};
use crate::code_skills::{self, CodeSkillArguments};
use crate::error::{CommandError, Result, message_of};

fn is_directory(text: &str) -> bool {
    text.starts_with(['.', '/', '~']) || text.contains('\\')
}

/// What to open: a directory instead of an id overrides everything else.
pub(super) fn layers(arguments: &EvalArguments) -> CodeSkillArguments {
    let mut layers = arguments.code_skills.clone();
    if is_directory(&arguments.skill) {
        layers.skills.push(arguments.skill.clone());
    }
    layers
}

/// The id of the skill that is meant.
pub(super) async fn find(named: &str, catalog: &Catalog) -> Result<SkillId> {
    if is_directory(named) {
        return single_skill(Path::new(named)).await;
    }
    let id = code_skills::id_of(catalog, named);
    if catalog.get(&id).is_none() {
        let hint = match catalog.nearest(named).join(", ").as_str() {
            "" => "run `prowess list` to list skills; a directory starts with ./".to_owned(),
            near => format!("did you mean {near}?"),
        };
        return Err(CommandError::failure(format!("unknown skill `{named}`")).hint(hint));
    }
    Ok(id.parse()?)
}

async fn single_skill(directory: &Path) -> Result<SkillId> {
    let source = FilesystemSource::new(directory, FilesystemOptions::new(Scope::Project));
    let found = source.snapshot().await?;
    let shown = directory.display();
    match found.skills.as_slice() {
        [only] => Ok(only.id.clone()),
        [] => {
            let hint = format!("run `prowess check {shown}` for details");
            Err(CommandError::failure(format!("no skill in {shown}")).hint(hint))
        }
        several => {
            let ids: Vec<&str> = several.iter().map(|it| it.id.as_str()).collect();
            let hint = format!(
                "pass one of these ids with --in {shown}: {}",
                ids.join(", ")
            );
            let message = format!("expected one skill in {shown}, found {}", ids.len());
            Err(CommandError::usage(message).hint(hint))
        }
    }
}

/// Reads the evals, as many as are wanted.
pub(super) async fn suite(
    arguments: &EvalArguments,
    skills: &prowess_core::Skills,
    id: &SkillId,
) -> Result<Suite> {
    let read = Suite::read(skills, id).await;
    let mut suite = read.map_err(|error| {
        let failure = CommandError::failure(message_of(&error));
        match error {
            SuiteError::Nothing(_) | SuiteError::Empty(_) => {
                failure.hint("see `prowess eval --help` for the format")
            }
            _ => failure,
        }
    })?;
    match arguments.only {
        Some(Only::Evals) => suite.triggers.clear(),
        Some(Only::Triggers) => suite.evals.clear(),
        None => {}
    }
    if !arguments.evals.is_empty() {
        suite.triggers.clear();
        for wanted in &arguments.evals {
            let ids = || suite.evals.iter().map(|eval| eval.id.as_str());
            if !ids().any(|id| id == wanted) {
                let hint = match nearest(wanted, ids()).first() {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("expected one of: {}", ids().collect::<Vec<_>>().join(", ")),
                };
                let message = format!("`{id}` has no eval `{wanted}`");
                return Err(CommandError::usage(message).hint(hint));
            }
        }
        let is_wanted = |id: &String| arguments.evals.contains(id);
        suite.evals.retain(|eval| is_wanted(&eval.id));
    }
    if suite.is_empty() {
        let message = format!("`{id}` has no cases for --only");
        return Err(CommandError::usage(message).hint("omit --only"));
    }
    if arguments.fail_under.is_some() && suite.evals.is_empty() {
        let message = "--fail-under requires evals, and none are selected";
        return Err(CommandError::usage(message).hint("omit --fail-under, or add evals/evals.json"));
    }
    Ok(suite)
}
