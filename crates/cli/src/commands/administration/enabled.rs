//! Disabling skills, and enabling them again, in the configuration of the user.

use prowess_server::HostError;
use toml_edit::{Array, DocumentMut, Item, Table, Value, value};

use super::{ServedAdministration, unavailable, unknown};
use crate::configuration;
use crate::user_file;

/// Writes the change to the user's file, and applies it.
pub(super) async fn set(
    host: &ServedAdministration,
    skill: &str,
    enabled: bool,
) -> Result<(), HostError> {
    let _writing = host.writing.lock().await;
    let catalog = host.skills.catalog();
    let is_known = catalog.get(skill).is_some()
        || catalog
            .disabled()
            .any(|it| it.descriptor.id.as_str() == skill);
    if !is_known {
        return Err(unknown(skill));
    }
    let file = host.global.config.as_deref();
    let change = |text: &str| edit(text, skill, enabled);
    user_file::change(file, change).map_err(|error| unavailable(&error))?;
    let config = configuration::load(&host.global).map_err(|error| unavailable(&error))?;
    let catalog = host.apply(&config).await?;
    let still_disabled = catalog
        .disabled()
        .any(|it| it.descriptor.id.as_str() == skill);
    if enabled && still_disabled {
        let message = format!(
            "`{skill}` is disabled by a pattern or in another file: {}",
            config.skills.disabled.join(", ")
        );
        return Err(HostError::Invalid(message));
    }
    Ok(())
}

/// The file with the skill in `[skills] disabled`, or without it.
fn edit(text: &str, skill: &str, enabled: bool) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    let skills = document
        .entry("skills")
        .or_insert(Item::Table(Table::new()));
    let skills = skills.as_table_like_mut()?;
    if skills.get("disabled").is_none() {
        skills.insert("disabled", value(Array::new()));
    }
    let disabled = skills.get_mut("disabled")?.as_array_mut()?;
    let is_skill = |it: &Value| it.as_str() == Some(skill);
    if enabled {
        disabled.retain(|it| !is_skill(it));
    } else if !disabled.iter().any(is_skill) {
        disabled.push(skill);
    }
    if disabled.is_empty() {
        skills.remove("disabled");
    }
    Some(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_is_added_and_removed_and_the_rest_stays() {
        let before = "# mine\n[skills]\nstrict = true # always\n";
        let once = edit(before, "pdf", false).unwrap();
        assert_eq!(once, format!("{before}disabled = [\"pdf\"]\n"));
        assert_eq!(edit(&once, "pdf", false).unwrap(), once);
        assert_eq!(edit(&once, "pdf", true).unwrap(), before);
        let two = edit(&once, "a/b", false).unwrap();
        assert_eq!(edit(&two, "a/b", true).unwrap(), once);
        assert_eq!(
            edit("", "a", false).unwrap(),
            "[skills]\ndisabled = [\"a\"]\n"
        );
        assert_eq!(edit("skills = 1", "a", false), None);
    }
}
