//! Isolation of git from the settings of an untrusted repository, and from files outside the project.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Replacements of settings that start programs or leave the repository.
const SETTINGS: &[(&str, &str)] = &[
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.pager", "cat"),
    ("core.editor", ":"),
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

/// Bytes read from a file of the repository.
const SMALL: u64 = 64 * 1024;

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

/// A part of the repository that is outside the project.
///
/// A worktree is allowed to have its repository elsewhere if that repository names the project.
pub(crate) fn outside(root: &Path, directory: &Path, common: &Path) -> Option<PathBuf> {
    let is_inside = |path: &Path| fs::canonicalize(path).is_ok_and(|real| real.starts_with(root));
    if !is_inside(directory) {
        let named = small_text(&directory.join("gitdir"));
        let here = fs::canonicalize(root.join(".git")).ok();
        let is_worktree = here.is_some() && fs::canonicalize(named.trim_end()).ok() == here;
        return (!is_worktree).then(|| directory.to_owned());
    }
    if !is_inside(common) {
        return Some(common.to_owned());
    }
    let objects = common.join("objects");
    let directories = [
        directory.to_owned(),
        common.to_owned(),
        objects.join("pack"),
        objects.join("info"),
        common.join("refs"),
        objects.clone(),
    ];
    let link = directories.iter().find_map(|directory| link_in(directory));
    link.or_else(|| alternate(&objects, is_inside))
}

/// A symbolic link directly in a directory; git creates none.
fn link_in(directory: &Path) -> Option<PathBuf> {
    let mut entries = fs::read_dir(directory).ok()?.flatten();
    let link = entries.find(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
    link.map(|entry| entry.path())
}

/// An alternate object store.
fn alternate(objects: &Path, is_inside: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let list = small_text(&objects.join("info/alternates"));
    let paths = list
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    let mut paths = paths.map(|line| objects.join(line.trim_matches('"')));
    paths.find(|path| !is_inside(path))
}

/// The beginning of a regular file; never blocks.
fn small_text(path: &Path) -> String {
    let mut text = String::new();
    if fs::metadata(path).is_ok_and(|found| found.is_file())
        && let Ok(file) = fs::File::open(path)
    {
        let _ = file.take(SMALL).read_to_string(&mut text);
    }
    text
}
