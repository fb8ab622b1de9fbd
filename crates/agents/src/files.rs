//! The files of agents by which a program starts, or by which an agent is told what to do.

use crate::agent::Agent;
use crate::directories::in_project;
use crate::table::AGENTS;

/// A file or directory that an agent trusts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentFile {
    /// The path in a project or the home directory.
    pub path: &'static str,
    /// The agent's name.
    pub agent: &'static str,
    /// What it holds.
    pub kind: AgentFileKind,
}

/// What an agent finds in a file or directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentFileKind {
    /// Skills.
    Skills,
    /// MCP servers that it starts.
    Servers,
    /// Programs that it starts at its own events.
    Hooks,
}

/// What agents trust in a project. Directories of skills without a dot, such as `skills`, are not among it: they are as much
/// the project's as its code.
pub fn project_files() -> impl Iterator<Item = AgentFile> {
    let skills = in_project().iter().flat_map(|path| {
        let readers = AGENTS
            .iter()
            .filter(move |agent| agent.finds_skills_in(path));
        readers.map(move |agent| agent.file(path, AgentFileKind::Skills))
    });
    let others = AGENTS.iter().flat_map(|agent| {
        let servers = agent.mcp.and_then(|files| files.project);
        agent.starting(servers, agent.hooks.project)
    });
    skills.chain(others)
}

/// The same in the home directory of a user.
pub fn user_files() -> impl Iterator<Item = AgentFile> {
    AGENTS.iter().flat_map(|agent| {
        let skills = agent.user.map(|user| user.path);
        let skills = skills.map(|path| agent.file(path, AgentFileKind::Skills));
        let servers = agent.mcp.and_then(|files| files.user_path());
        let starting = agent.starting(servers, agent.hooks.user);
        skills.into_iter().chain(starting)
    })
}

impl Agent {
    fn file(&self, path: &'static str, kind: AgentFileKind) -> AgentFile {
        AgentFile {
            path,
            agent: self.name,
            kind,
        }
    }

    fn finds_skills_in(&self, path: &str) -> bool {
        let user = self.user.map(|user| user.path);
        self.project == Some(path) || user == Some(path) || self.further.contains(&path)
    }

    fn starting(
        &self,
        servers: Option<&'static str>,
        hooks: &'static [&'static str],
    ) -> impl Iterator<Item = AgentFile> {
        let servers = servers.map(|path| self.file(path, AgentFileKind::Servers));
        let hooks = hooks
            .iter()
            .map(|path| self.file(path, AgentFileKind::Hooks));
        servers.into_iter().chain(hooks)
    }
}
