//! Skills named on the command line or in the project's `AGENTS.md`.

use std::path::{Path, PathBuf};

use prowess_core::Catalog;
use prowess_trust::ProjectRoot;

use crate::terminal;

/// Files that may name skills in their frontmatter.
const AGENT_FILES: [&str; 2] = ["AGENTS.md", "AGENT.md"];

/// Splits the values of `--skills` into skill ids and directories of skills.
pub(super) fn split_names(given: &[String]) -> (Vec<String>, Vec<PathBuf>) {
    let is_directory = |text: &str| text.starts_with(['.', '/', '~']) || text.contains('\\');
    let (directories, ids): (Vec<&String>, Vec<&String>) =
        given.iter().partition(|text| is_directory(text));
    let ids = ids.into_iter().cloned().collect();
    (ids, directories.into_iter().map(PathBuf::from).collect())
}

/// Returns the skills that the nearest `AGENTS.md` up to the project root names, and the path of that file.
pub(super) fn named_by_project(start: &Path, root: &ProjectRoot) -> (Vec<String>, Option<PathBuf>) {
    for directory in start.ancestors() {
        for name in AGENT_FILES {
            let path = directory.join(name);
            match root.read(&path) {
                Ok(Some(bytes)) => {
                    let (named, _) = prowess_spec::agents_skills(&bytes);
                    return (named, Some(path));
                }
                Ok(None) => {}
                Err(refusal) => {
                    let note = format!("warning: {} ignored: {refusal}", path.display());
                    terminal::note(&terminal::printable(&note));
                }
            }
        }
        if directory == root.path() {
            break;
        }
    }
    (Vec::new(), None)
}

/// Resolves an id, or a skill name that only one collection has, to an id.
pub(crate) fn id_of(catalog: &Catalog, named: &str) -> String {
    let named = named.strip_prefix('/').unwrap_or(named);
    if catalog.get(named).is_some() {
        return named.to_owned();
    }
    let mut same_name = catalog
        .skills()
        .filter(|skill| skill.descriptor.name() == named);
    match (same_name.next(), same_name.next()) {
        (Some(only), None) => only.descriptor.id.as_str().to_owned(),
        _ => named.to_owned(),
    }
}
