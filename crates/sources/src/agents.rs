//! The directories in which skills are searched: those of agents, and our own.

/// Our own, in every directory of a project.
const OWN: &str = ".prowess/skills";

/// Where packages are installed, in a project or the home directory.
#[cfg(feature = "config")]
pub(crate) const PACKAGES: &str = ".agents/skills";

/// Further ones at the root of a project: those of agents that a project shows, and two that many projects have.
#[cfg(feature = "config")]
pub(crate) const AT_ROOT: [&str; 5] = [
    "skills",
    "app/skills",
    ".skills",
    "agent/skills",
    "data/skills",
];

/// Our own, below the configuration directory of the user.
#[cfg(feature = "config")]
const OWN_IN_CONFIG: &str = "prowess/skills";

/// In every directory of a project, the most important first.
pub(crate) fn in_project() -> impl Iterator<Item = &'static str> {
    let agents = prowess_agents::in_project().iter().copied();
    [OWN].into_iter().chain(agents)
}

/// Below the configuration directory of the user, the most important first.
#[cfg(feature = "config")]
pub(crate) fn in_config() -> impl Iterator<Item = &'static str> {
    let agents = prowess_agents::in_config().iter().copied();
    [OWN_IN_CONFIG].into_iter().chain(agents)
}

#[cfg(all(test, feature = "config"))]
mod tests {
    use super::*;

    #[test]
    fn every_directory_of_an_agent_is_searched() {
        let known: Vec<&str> = in_project().chain(AT_ROOT).collect();
        for agent in prowess_agents::Agent::with_skills() {
            let path = agent.project.unwrap();
            assert!(known.contains(&path), "{}: {path}", agent.id);
        }
    }
}
