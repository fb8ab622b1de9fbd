//! File patterns of triggers.

use std::borrow::Cow;

/// Directories of version control, which no trigger sees.
const REPOSITORIES: &[&str] = &[".git", ".hg", ".jj", ".svn"];

/// The glob for the paths of a project that a pattern means.
///
/// A pattern without `/` matches names in any directory, one that ends with `/` everything below a directory, and one
/// that begins with `./` or `/` paths from the root.
pub fn file_glob(pattern: &str) -> Cow<'_, str> {
    let from_root = pattern.strip_prefix('/').or(pattern.strip_prefix("./"));
    let rest = from_root.unwrap_or(pattern);
    let anywhere = from_root.is_none() && !rest.trim_end_matches('/').contains('/');
    match (anywhere, rest.ends_with('/')) {
        (false, false) => Cow::Borrowed(rest),
        (false, true) => Cow::Owned(format!("{rest}**")),
        (true, false) => Cow::Owned(format!("**/{rest}")),
        (true, true) => Cow::Owned(format!("**/{rest}**")),
    }
}

/// Whether a path is hidden from a pattern: as in a shell, `*` matches no name that begins with a dot, so a pattern must
/// name as many as the path has.
pub fn is_hidden_from(path: &str, pattern: &str) -> bool {
    hidden_names(path) > hidden_names(pattern)
}

/// The number of names that begin with a dot.
fn hidden_names(path: &str) -> usize {
    let hidden = |name: &&str| name.starts_with('.') && *name != ".";
    path.split('/').filter(hidden).count()
}

/// Why a pattern matches no file of any project.
pub(super) fn never_matches(pattern: &str) -> Option<&'static str> {
    let mut names = pattern.split('/');
    let drive = pattern.get(1..2) == Some(":");
    if pattern.contains('\\') {
        Some("write `/` between directories, also for Windows")
    } else if drive || pattern.starts_with("~/") || names.clone().any(|name| name == "..") {
        Some("write a path from the root of the project")
    } else if names.any(|name| REPOSITORIES.contains(&name)) {
        Some("files of version control are not searched")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_become_globs() {
        for (pattern, glob) in [
            ("*.rs", "**/*.rs"),
            ("src/*.rs", "src/*.rs"),
            ("./src/*.rs", "src/*.rs"),
            ("/Dockerfile", "Dockerfile"),
            ("./Dockerfile", "Dockerfile"),
            ("k8s/", "**/k8s/**"),
            ("deploy/k8s/", "deploy/k8s/**"),
            ("./k8s/", "k8s/**"),
            (".github/**", ".github/**"),
            (".env", "**/.env"),
        ] {
            assert_eq!(file_glob(pattern), glob, "{pattern}");
        }
    }

    #[test]
    fn stars_match_no_hidden_names() {
        assert!(is_hidden_from(".venv/a.py", "*.py"));
        assert!(is_hidden_from(".github/.cache/a", ".github/**"));
        assert!(!is_hidden_from(".github/workflows/ci.yml", ".github/**"));
        assert!(!is_hidden_from("a/.env", ".env"));
        assert!(!is_hidden_from("src/a.rs", "./src/*.rs"));
    }
}
