//! Agents of the table.

use crate::agent::Agent;
use crate::table::AGENTS;

impl Agent {
    /// The agent with this id or alias.
    pub fn named(id: &str) -> Option<&'static Self> {
        let has = |agent: &&Self| agent.id == id || agent.aliases.contains(&id);
        AGENTS.iter().find(has)
    }

    /// The agents that have directories of skills.
    pub fn with_skills() -> impl Iterator<Item = &'static Self> {
        AGENTS.iter().filter(|agent| agent.project.is_some())
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::agent::UserHome;

    #[test]
    fn directories_follow_the_variables_of_agents() {
        let variable = |name: &str| (name == "CODEX_HOME").then(|| PathBuf::from("/moved"));
        let user = UserHome {
            home: Path::new("/home/u"),
            config: Path::new("/settings"),
            variable: &variable,
        };
        let check = |id: &str, project: &str, expected: Option<&str>| {
            let agent = Agent::named(id).unwrap();
            assert_eq!(agent.project, Some(project));
            assert_eq!(agent.user_directory(&user), expected.map(PathBuf::from));
        };
        check(
            "claude-code",
            ".claude/skills",
            Some("/home/u/.claude/skills"),
        );
        check("codex", ".agents/skills", Some("/moved/skills"));
        check("amp", ".agents/skills", Some("/settings/agents/skills"));
        check(
            "crush",
            ".crush/skills",
            Some("/home/u/.config/crush/skills"),
        );
        check("eve", "agent/skills", None);
        assert_eq!(Agent::named("none"), None);
    }

    #[test]
    fn agents_are_sorted_and_stay_in_their_directories() {
        assert!(AGENTS.windows(2).all(|pair| pair[0].id < pair[1].id));
        for agent in AGENTS {
            let mcp = agent.mcp.iter().flat_map(|files| {
                let user = [files.user, files.user_macos];
                user.into_iter().chain([files.project]).flatten()
            });
            let hooks = agent.hooks.project.iter().chain(agent.hooks.user).copied();
            let skills = agent.project.into_iter();
            let skills = skills.chain(agent.user.map(|user| user.path));
            for path in skills.chain(mcp).chain(hooks) {
                let plain = !path.starts_with(['/', '~']) && !path.contains("..");
                assert!(plain && !path.is_empty(), "{}: {path}", agent.id);
            }
        }
    }
}
