//! MCP clients and their configuration files: the agents of which these files are known.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use prowess_agents::{AGENTS, Agent, McpFiles};

pub(crate) use prowess_agents::McpForm as Shape;

/// An MCP client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Client {
    agent: &'static Agent,
    files: McpFiles,
}

/// Users of the configuration entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// Everyone who works on this project
    Project,
    /// You, in every project
    User,
}

/// The target of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The file.
    pub(crate) file: PathBuf,
    /// The key under which servers are listed.
    pub(crate) key: &'static str,
    /// How an entry looks.
    pub(crate) shape: Shape,
}

impl ValueEnum for Client {
    fn value_variants<'a>() -> &'a [Self] {
        static CLIENTS: LazyLock<Vec<Client>> = LazyLock::new(|| {
            let client = |agent: &'static Agent| {
                Some(Client {
                    agent,
                    files: agent.mcp?,
                })
            };
            AGENTS.iter().filter_map(client).collect()
        });
        &CLIENTS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let value = PossibleValue::new(self.agent.id).help(self.agent.name);
        Some(value.aliases(self.agent.aliases))
    }
}

impl Client {
    /// Where the client lists servers for this scope; nothing if it has no such place.
    pub(crate) fn target(self, scope: Scope, home: Option<PathBuf>) -> Option<Target> {
        let file = match scope {
            Scope::Project => PathBuf::from(self.files.project?),
            Scope::User => home?.join(self.files.user_path()?),
        };
        Some(Target {
            file,
            key: self.files.key,
            shape: self.files.form,
        })
    }

    /// The default scope.
    pub(crate) fn usual_scope(self) -> Scope {
        match self.files.project {
            Some(_) => Scope::Project,
            None => Scope::User,
        }
    }

    /// Directories of skills that the client reads itself, in a project and in the home directory.
    pub(crate) fn own_directories(self) -> &'static [&'static str] {
        self.agent.reads
    }
}
