//! Isolation of git from the settings of an untrusted repository, and from files outside the project.

use std::path::{Path, PathBuf};

use prowess_trust::is_unreadable;

use crate::limits::{SEARCHED_FILES, TREE_DEPTH};
use crate::project_walk::{HiddenFiles, IgnoredFiles, ProjectWalk};

/// Replacements of settings that start programs or leave the repository.
const SETTINGS: &[(&str, &str)] = &[
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.pager", "cat"),
    ("core.editor", ":"),
    ("core.excludesFile", "/dev/null"),
    ("core.attributesFile", "/dev/null"),
    ("mailmap.file", "/dev/null"),
    ("mailmap.blob", ""),
    ("core.askPass", ""),
    ("core.sshCommand", ""),
    ("core.gitProxy", ""),
    ("core.alternateRefsCommand", ""),
    ("core.quotePath", "false"),
    ("commit.gpgSign", "false"),
    ("commit.verbose", "false"),
    ("credential.helper", ""),
    ("diff.external", ""),
    ("diff.ignoreSubmodules", "all"),
    ("diff.submodule", "short"),
    ("gc.auto", "0"),
    ("log.showSignature", "false"),
    ("maintenance.auto", "false"),
    ("protocol.allow", "never"),
    ("safe.bareRepository", "explicit"),
    ("status.submoduleSummary", "false"),
    ("submodule.recurse", "false"),
];

/// Environment variables that do the same.
const VARIABLES: &[(&str, &str)] = &[
    // No transport has this name.
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_EDITOR", ":"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C.UTF-8"),
];

/// Files of a working tree that git reads as a whole.
const READ: [&str; 4] = [".gitignore", ".gitattributes", ".gitmodules", ".mailmap"];
/// Bytes of one of them.
const READ_BYTES: u64 = 1024 * 1024;

/// What happens to a file that a filter would change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filtered {
    /// It is compared unfiltered.
    AsItIs,
    /// It is refused, because the filter may encrypt content that must not be committed in plain text.
    Refused,
}

/// The environment in which git starts no other program. `keys` are the names of filter settings.
pub(crate) fn environment(
    root: &Path,
    keys: &[String],
    filtered: Filtered,
) -> Vec<(String, String)> {
    let mut settings: Vec<(String, String)> = SETTINGS
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    for key in keys {
        if let Some((driver, _)) = key.rsplit_once('.') {
            for setting in ["clean", "smudge", "process"] {
                settings.push((format!("{driver}.{setting}"), String::new()));
            }
            let required = (filtered == Filtered::Refused).to_string();
            settings.push((format!("{driver}.required"), required));
        }
    }
    let mut environment = vec![
        ("GIT_CONFIG_COUNT".to_owned(), settings.len().to_string()),
        ("GIT_WORK_TREE".to_owned(), root.display().to_string()),
    ];
    // A repository above the project does not belong to it.
    if let Some(parent) = root.parent() {
        let ceiling = ("GIT_CEILING_DIRECTORIES", parent.display().to_string());
        environment.push((ceiling.0.to_owned(), ceiling.1));
    }
    for (index, (key, value)) in settings.into_iter().enumerate() {
        environment.push((format!("GIT_CONFIG_KEY_{index}"), key));
        environment.push((format!("GIT_CONFIG_VALUE_{index}"), value));
    }
    let variables = VARIABLES.iter();
    environment.extend(variables.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    environment
}

/// A file of the working tree that git would wait for, or read as a whole although it is huge.
pub(crate) fn unreadable_file(root: &Path) -> Option<PathBuf> {
    let walk = ProjectWalk {
        root,
        hidden: HiddenFiles::Included,
        // Git reads the rules of directories that it ignores, too.
        ignored: IgnoredFiles::Included,
        depth: TREE_DEPTH,
        limit: SEARCHED_FILES,
    };
    let walked = walk.files(&|path, _| {
        let name = path.file_name().unwrap_or_default();
        READ.iter().any(|read| name == *read) && is_unreadable(path, READ_BYTES)
    });
    walked.files.into_iter().next()
}
