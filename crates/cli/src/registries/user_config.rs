//! Adding a registry to the configuration of the user.

use std::path::PathBuf;

use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};
use url::Url;

use crate::error::Result;
use crate::user_file;

/// A registry that the user logs in to.
pub(super) struct NewRegistry<'n> {
    pub(super) url: &'n Url,
    /// The name of an entry of `[[registries]]`; `[registry] url` without one.
    pub(super) name: Option<&'n str>,
    pub(super) namespaces: &'n [String],
}

/// Writes a registry to the user's file, and returns the path of the file.
pub(super) fn add(registry: &NewRegistry<'_>) -> Result<PathBuf> {
    user_file::change(None, |text| edit(text, registry))
}

fn edit(text: &str, registry: &NewRegistry<'_>) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    let url = registry.url.as_str().trim_end_matches('/');
    let Some(name) = registry.name else {
        let table = document
            .entry("registry")
            .or_insert(Item::Table(Table::new()));
        table.as_table_like_mut()?.insert("url", value(url));
        return Some(document.to_string());
    };
    let list = document
        .entry("registries")
        .or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let list = list.as_array_of_tables_mut()?;
    let is_same = |it: &&mut Table| it.get("name").and_then(Item::as_str) == Some(name);
    let mut entry = Table::new();
    let found = list.iter_mut().find(is_same);
    let is_new = found.is_none();
    let table = found.unwrap_or(&mut entry);
    table.insert("name", value(name));
    table.insert("url", value(url));
    if !registry.namespaces.is_empty() {
        let namespaces: Array = registry.namespaces.iter().collect();
        table.insert("namespaces", value(namespaces));
    }
    if is_new {
        list.push(entry);
    }
    Some(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registries_are_added_and_the_rest_stays() {
        let url = Url::parse("https://skills.example/").unwrap();
        let before = "# mine\n[model]\nname = \"m\" # this one\n";
        let edit = |text: &str, name: Option<&str>, namespaces: &[String]| {
            let registry = NewRegistry {
                url: &url,
                name,
                namespaces,
            };
            edit(text, &registry).unwrap()
        };
        assert_eq!(
            edit(before, None, &[]),
            format!("{before}\n[registry]\nurl = \"https://skills.example\"\n")
        );
        let once = edit(before, Some("acme"), &["acme".to_owned()]);
        assert_eq!(
            once,
            format!(
                "{before}\n[[registries]]\nname = \"acme\"\nurl = \"https://skills.example\"\nnamespaces = [\"acme\"]\n"
            )
        );
        assert_eq!(edit(&once, Some("acme"), &["acme".to_owned()]), once);
        // Without new namespaces, those of before stay.
        assert_eq!(edit(&once, Some("acme"), &[]), once);
        assert!(
            edit(&once, Some("other"), &[])
                .ends_with("name = \"other\"\nurl = \"https://skills.example\"\n")
        );
    }
}
