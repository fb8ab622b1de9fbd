//! The location of a new skill.

use std::path::{Path, PathBuf};

use prowess_sources::repository_root;

/// Where the skills of a project are.
const PROJECT: &str = ".agents/skills";

/// A directory for skills.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Destination {
    /// The shortest path from here.
    pub(crate) directory: PathBuf,
    /// Whether skills are found there by default.
    pub(crate) is_default: bool,
}

/// Where a new skill goes: the given directory, the skills directory of the project, or the current directory.
pub(crate) fn destination(named: Option<&Path>, here: &Path, home: Option<&Path>) -> Destination {
    if let Some(directory) = named {
        return Destination {
            directory: directory.to_owned(),
            is_default: false,
        };
    }
    let root = repository_root(here, home);
    let up_to_root = here.ancestors().take_while(|it| it.starts_with(&root));
    let nearest = up_to_root.map(|it| it.join(PROJECT)).find(|it| it.is_dir());
    let is_project = root != here
        || [".git", ".hg", ".jj"]
            .iter()
            .any(|it| root.join(it).exists());
    let found = nearest.or_else(|| is_project.then(|| root.join(PROJECT)));
    match found {
        Some(directory) => Destination {
            directory: directory
                .strip_prefix(here)
                .map_or_else(|_| directory.clone(), Path::to_owned),
            is_default: true,
        },
        None => Destination {
            directory: PathBuf::from("."),
            is_default: false,
        },
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn default_is_the_nearest_skills_directory() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path();
        let deep = root.join("a/b");
        fs::create_dir_all(&deep).unwrap();
        let shown = |named: Option<&Path>, here: &Path| {
            let found = destination(named, here, None);
            let directory = found.directory.to_string_lossy().into_owned();
            (
                directory.replace(&*root.to_string_lossy(), "ROOT"),
                found.is_default,
            )
        };
        let default = |directory: &str| (directory.to_owned(), true);
        assert_eq!(shown(None, root), (".".to_owned(), false));
        assert_eq!(shown(Some(Path::new("x")), root), ("x".to_owned(), false));
        fs::create_dir(root.join(".git")).unwrap();
        assert_eq!(shown(None, root), default(PROJECT));
        assert_eq!(shown(None, &deep), default("ROOT/.agents/skills"));
        fs::create_dir_all(root.join("a").join(PROJECT)).unwrap();
        assert_eq!(shown(None, &deep), default("ROOT/a/.agents/skills"));
        assert_eq!(shown(None, root), default(PROJECT));
    }
}
