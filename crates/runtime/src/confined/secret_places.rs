//! Places that sandboxed commands cannot read, and caches that they can write.

use std::path::{Path, PathBuf};

use super::env_files::is_env;

/// Places below the home directory that hold keys, tokens, passwords or sessions.
const SECRET: &str = include_str!("secret_places.txt");

/// Directories that agents share. They have skills and no keys.
const SHARED: [&str; 2] = [".agents", ".config/agents"];

/// Directories of the home directory in which each program has one of its own.
const OF_PROGRAMS: [&str; 3] = [".config", ".local/share", "Library/Application Support"];

/// The secret places below the home directory: those of the list, and what an agent of the table has there.
pub fn secret_places() -> impl Iterator<Item = &'static str> {
    let listed = SECRET.lines().map(str::trim);
    let listed = listed.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let agents = prowess_agents::user_files().map(|file| own_directory(file.path));
    listed.chain(agents.filter(|path| !SHARED.contains(path)))
}

/// The directory of the home directory that belongs to the owner of a file in it; the file itself, if it lies in no other.
fn own_directory(path: &str) -> &str {
    let shared = OF_PROGRAMS.iter().find(|shared| {
        let rest = path.strip_prefix(*shared);
        rest.is_some_and(|rest| rest.starts_with('/'))
    });
    let start = shared.map_or(0, |shared| shared.len() + 1);
    let rest = path.get(start..).unwrap_or_default();
    let end = rest.find('/').map_or(path.len(), |end| start + end);
    path.get(..end).unwrap_or(path)
}

/// The same for the system, if the host runs as the superuser, and a directory that is writable for all.
const SECRET_OF_SYSTEM: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/ssl/private",
    "/etc/ssh",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/krb5.keytab",
    "/var/tmp",
    "/var/lib/docker",
    "/var/lib/containers",
];

/// Caches of tools.
const CACHES: &[&str] = &[
    ".cargo",
    ".rustup",
    ".npm",
    ".cache",
    ".yarn",
    ".pnpm-store",
    ".local/share/pnpm",
    ".bun",
    ".deno",
    ".gradle",
    ".m2",
    ".ivy2",
    ".sbt",
    ".nuget",
    ".composer",
    ".gem",
    ".bundle",
    ".pyenv",
    "go",
];

/// The secret places that exist, without links on the way; `more` adds to the list. The `.env` files of the project are
/// not among them: a command may read what it works on.
pub(super) fn hidden<'a>(
    home: Option<&Path>,
    more: impl Iterator<Item = &'a PathBuf>,
    project: &Path,
) -> Vec<PathBuf> {
    let below_home = home.map(|home| secret_places().map(|place| home.join(place)));
    let of_system = SECRET_OF_SYSTEM.iter().map(PathBuf::from);
    let all = below_home.into_iter().flatten().chain(of_system);
    let mut found: Vec<PathBuf> = all
        .chain(more.cloned())
        .filter_map(|place| place.canonicalize().ok())
        // A directory that contains the project cannot be hidden.
        .filter(|place| !project.starts_with(place))
        .filter(|place| !(place.starts_with(project) && is_env(place)))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The real paths of existing caches that do not overlap the project.
pub(super) fn caches(home: Option<&Path>, project: &Path) -> Vec<PathBuf> {
    let home = home.into_iter();
    let places = home.flat_map(|home| CACHES.iter().map(|place| home.join(place)));
    places
        .filter_map(|place| place.canonicalize().ok())
        .filter(|place| place.is_dir())
        .filter(|place| !project.starts_with(place) && !place.starts_with(project))
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests may panic")]

    use super::*;

    #[test]
    fn q17_directories_of_agents_and_programs_are_secret() {
        let place = tempfile::tempdir().unwrap();
        let home = place.path().canonicalize().unwrap();
        let project = home.join("project");
        std::fs::create_dir(&project).unwrap();
        let agents = prowess_agents::user_files().map(|file| file.path);
        let agents: Vec<&str> = agents
            .filter(|path| !path.starts_with(".agents/"))
            .collect();
        let agents = agents
            .into_iter()
            .filter(|path| !path.starts_with(".config/agents/"));
        let others = [
            ".ssh/id_ed25519",
            ".copilot/config.json",
            ".minisign/minisign.key",
            ".ngrok2/ngrok.yml",
            ".cloudflared/cert.pem",
            ".pulumi/credentials.json",
            ".supabase/access-token",
            ".local/share/opencode/auth.json",
            ".config/Slack/Cookies",
            ".config/Signal/config.json",
        ];
        let all: Vec<PathBuf> = agents.chain(others).map(|path| home.join(path)).collect();
        for path in &all {
            std::fs::create_dir_all(path).unwrap();
        }
        std::fs::create_dir_all(home.join(".agents/skills")).unwrap();
        std::fs::create_dir_all(home.join(".config/other")).unwrap();
        let found = hidden(Some(&home), std::iter::empty(), &project);
        for path in &all {
            let is_hidden = found.iter().any(|place| path.starts_with(place));
            assert!(is_hidden, "{}", path.display());
        }
        for path in [".agents/skills", ".config/other", "project"] {
            let path = home.join(path);
            let is_hidden = found.iter().any(|place| path.starts_with(place));
            assert!(!is_hidden, "{}", path.display());
        }
    }

    #[test]
    fn own_directories_of_programs() {
        for (path, expected) in [
            (".cursor/mcp.json", ".cursor"),
            (".claude.json", ".claude.json"),
            (".config/zed/settings.json", ".config/zed"),
            (
                "Library/Application Support/Code/User/mcp.json",
                "Library/Application Support/Code",
            ),
            (".configuration/x", ".configuration"),
        ] {
            assert_eq!(own_directory(path), expected);
        }
    }
}
