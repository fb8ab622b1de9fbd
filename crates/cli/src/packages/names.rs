//! The names of skills that are to be installed, and who has them already.

use std::collections::BTreeMap;

use prowess_archive::fold;
use prowess_registry::{LockFile, LockedSkill, PackageReference, compare};
use prowess_spec::SkillName;

use super::session::Session;
use crate::configuration;
use crate::error::{CommandError, Result};

/// One name for two skills.
pub(super) fn twice(name: &SkillName, one: &LockedSkill, other: &LockedSkill) -> CommandError {
    CommandError::failure(format!(
        "two skills are named `{name}`: {} and {}",
        one.source, other.source
    ))
    .hint("`--as NAME` installs one of them under another name")
}

/// What is in the directory of skills, by the name that ignores case and Unicode form.
pub(super) fn occupied(session: &Session<'_>) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(session.place.skills());
    let names = entries.into_iter().flatten().flatten();
    let names = names.map(|it| it.file_name().to_string_lossy().into_owned());
    names.map(|it| (fold(&it).into_owned(), it)).collect()
}

/// Refuses a name that something else has.
pub(super) fn conflict(
    session: &Session<'_>,
    lock: &LockFile,
    occupied: &BTreeMap<String, String>,
    name: &SkillName,
    locked: &LockedSkill,
) -> Result<()> {
    if let Some(installed) = lock.skills.get(name) {
        return if without_ref(&installed.source) == without_ref(&locked.source) {
            Ok(())
        } else {
            Err(twice(name, installed, locked))
        };
    }
    let Some(found) = occupied.get(&*fold(name.as_str())) else {
        return Ok(());
    };
    let path = session.place.skills().join(found);
    let is_same = matches!(compare(&path, &locked.files), Ok(Some(changes)) if changes.is_empty());
    if *found == name.as_str() && is_same {
        return Ok(());
    }
    let shown = configuration::shown(&path);
    Err(
        CommandError::failure(format!("{shown} exists and was not installed by prowess"))
            .hint("`prowess import` takes it over; `--as NAME` installs under another name"),
    )
}

/// A source without its branch or tag: another one of the same skill is the same skill.
fn without_ref(source: &str) -> String {
    match source.parse::<PackageReference>() {
        Ok(PackageReference::Git(mut location)) => {
            location.reference = None;
            location.to_string()
        }
        Ok(PackageReference::Registry { registry, name, .. }) => PackageReference::Registry {
            registry,
            name,
            versions: None,
        }
        .to_string(),
        _ => source.to_owned(),
    }
}
