//! Where skills of agents are, of all agents together.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::agent::MovedBy;
use crate::table::AGENTS;

/// Read by most agents, so what is there comes before what another directory has.
const FIRST: [&str; 2] = [".agents/skills", ".claude/skills"];
const CONFIG: &str = ".config/";

type Paths = Vec<&'static str>;

/// In every directory of a project, the most important first. A directory in the home directory may be in a project, too:
/// projects have `.cursor/skills`, whatever Cursor's documents say.
pub fn in_project() -> &'static [&'static str] {
    static PATHS: LazyLock<Paths> = LazyLock::new(|| {
        let home = home_paths();
        let own: BTreeSet<_> = AGENTS
            .iter()
            .flat_map(|agent| agent.project.iter().chain(agent.further))
            .copied()
            .filter(|path| path.starts_with('.'))
            .collect();
        let shared = home.iter().copied().filter(|path| is_in_both(path));
        ordered(shared, own.difference(&home).copied())
    });
    &PATHS
}

/// In the home directory of the user, the most important first.
pub fn in_home() -> &'static [&'static str] {
    static PATHS: LazyLock<Paths> = LazyLock::new(|| {
        let home = home_paths().into_iter();
        let (shared, own): (Paths, Paths) = home.partition(|path| is_in_both(path));
        ordered(shared.into_iter(), own.into_iter())
    });
    &PATHS
}

/// Below the configuration directory of the user, sorted.
pub fn in_config() -> &'static [&'static str] {
    static PATHS: LazyLock<Paths> = LazyLock::new(|| {
        let below: BTreeSet<_> = user_paths()
            .filter_map(|path| path.strip_prefix(CONFIG))
            .collect();
        below.into_iter().collect()
    });
    &PATHS
}

/// Directories of agents that a variable puts elsewhere, with the variable.
pub static HOME_VARIABLES: LazyLock<Vec<(&'static str, &'static str)>> = LazyLock::new(|| {
    let moved = AGENTS.iter().filter_map(|agent| agent.user);
    let moved = moved.filter_map(|user| match user.moved_by {
        MovedBy::Variable(name) => Some((user.path.split('/').next()?, name)),
        MovedBy::Nothing | MovedBy::ConfigDirectory => None,
    });
    moved.collect()
});

fn user_paths() -> impl Iterator<Item = &'static str> {
    AGENTS.iter().filter_map(|agent| Some(agent.user?.path))
}

fn home_paths() -> BTreeSet<&'static str> {
    user_paths()
        .filter(|path| !path.starts_with(CONFIG))
        .collect()
}

/// Whether a directory of the home directory is also searched in a project: it is called like one there, or is no deeper
/// than those are.
fn is_in_both(path: &str) -> bool {
    path.matches('/').count() == 1 || AGENTS.iter().any(|agent| agent.project == Some(path))
}

fn ordered(
    shared: impl Iterator<Item = &'static str>,
    own: impl Iterator<Item = &'static str>,
) -> Paths {
    let rest = shared.chain(own).filter(|path| !FIRST.contains(path));
    FIRST.into_iter().chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_of_all_agents() {
        assert_eq!(
            in_project()[..3],
            [".agents/skills", ".claude/skills", ".adal/skills"]
        );
        assert_eq!(in_home()[..2], FIRST);
        let has = |list: &[&str], path: &str| list.contains(&path);
        for path in [".cursor/skills", ".factory/skills", ".tabnine/agent/skills"] {
            assert!(has(in_project(), path) && has(in_home(), path), "{path}");
        }
        for path in [".github/skills", ".goose/skills", ".pi/skills"] {
            assert!(has(in_project(), path) && !has(in_home(), path), "{path}");
        }
        for path in [".pi/agent/skills", ".codeium/windsurf/skills"] {
            assert!(!has(in_project(), path) && has(in_home(), path), "{path}");
        }
        for path in ["skills", "data/skills", "agent/skills"] {
            assert!(!has(in_project(), path), "{path}");
        }
        assert!(has(in_config(), "opencode/skills"));
        assert!(HOME_VARIABLES.contains(&(".codex", "CODEX_HOME")));
    }
}
