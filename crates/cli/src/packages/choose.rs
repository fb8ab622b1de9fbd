//! Which skills of a package are meant.

use prowess_registry::{FoundSkill, Package};
use prowess_spec::nearest;

use super::inspect::plural;
use crate::error::{CommandError, Result};
use crate::picker::{PickerItem, can_pick, pick};

/// Names that an error lists.
const LISTED: usize = 10;

/// How skills are chosen.
pub(super) struct Choice<'c> {
    pub(super) names: &'c [String],
    pub(super) all: bool,
}

/// The skills that are meant; `None` if the user cancelled.
pub(super) fn choose(
    package: &Package,
    shown: &str,
    choice: &Choice<'_>,
) -> Result<Option<Vec<FoundSkill>>> {
    let mut found = package.skills()?;
    if found.is_empty() {
        return Err(no_skills(shown));
    }
    if !choice.names.is_empty() {
        return named(package, shown, found, choice.names).map(Some);
    }
    if choice.all || found.len() == 1 {
        return Ok(Some(found));
    }
    package.describe(&mut found)?;
    found.sort_by(|a, b| a.name.cmp(&b.name));
    if !can_pick() {
        let count = plural(found.len(), "skill");
        return Err(CommandError::usage(format!("{shown} has {count}"))
            .hint("`--skill NAME` chooses one, `--all` all of them, `--list` lists them"));
    }
    let items: Vec<PickerItem> = found
        .iter()
        .map(|skill| {
            let description = skill.description.clone().unwrap_or_default();
            let directory = skill.directory.as_ref().map_or(".", |it| it.as_str());
            PickerItem {
                name: skill.name.clone(),
                preview: format!("{directory}\n\n{description}"),
                description,
            }
        })
        .collect();
    let picked = pick(&items, &format!("skills of {shown}"))?;
    Ok(picked.map(|indices| {
        let chosen = indices.into_iter().filter_map(|index| found.get(index));
        chosen.cloned().collect()
    }))
}

/// That there is nothing to install, and what was looked for.
fn no_skills(shown: &str) -> CommandError {
    CommandError::failure(format!("no skills in {shown}"))
        .hint("a skill is a directory with a file named SKILL.md or SKILL.yaml")
}

fn named(
    package: &Package,
    shown: &str,
    mut found: Vec<FoundSkill>,
    names: &[String],
) -> Result<Vec<FoundSkill>> {
    // Directories usually have the name of their skill: then the other skills are not even read.
    let by_directory = |name: &String| found.iter().any(|it| it.name == *name);
    if !names.iter().all(by_directory) {
        package.describe(&mut found)?;
    }
    let mut chosen: Vec<FoundSkill> = Vec::new();
    for name in names {
        let mut matching: Vec<&FoundSkill> = found.iter().filter(|it| it.name == *name).collect();
        // Copies for agents lie in hidden directories.
        if matching.iter().any(|it| !is_hidden(it)) {
            matching.retain(|it| !is_hidden(it));
        }
        match matching.as_slice() {
            [] => return Err(unknown(shown, name, &found)),
            [one] => chosen.push((*one).clone()),
            several => {
                let directory = |it: &&FoundSkill| it.directory.as_ref().map(ToString::to_string);
                let places: Vec<String> = several.iter().filter_map(directory).collect();
                return Err(CommandError::usage(format!(
                    "{shown} has several skills named `{name}`: {}",
                    places.join(", ")
                ))
                .hint(format!(
                    "add the directory to the source: {shown}/DIRECTORY"
                )));
            }
        }
    }
    Ok(chosen)
}

fn is_hidden(skill: &FoundSkill) -> bool {
    let mut parts = skill.directory.iter().flat_map(|it| it.as_str().split('/'));
    parts.any(|part| part.starts_with('.'))
}

fn unknown(shown: &str, name: &str, found: &[FoundSkill]) -> CommandError {
    let error = CommandError::failure(format!("no skill `{name}` in {shown}"));
    let names = || found.iter().map(|it| it.name.as_str());
    match nearest(name, names()).join(", ").as_str() {
        "" if found.len() <= LISTED => {
            let all: Vec<&str> = names().collect();
            error.hint(format!("it has {}", all.join(", ")))
        }
        "" => error.hint("`--list` lists its skills"),
        near => error.hint(format!("did you mean {near}?")),
    }
}
