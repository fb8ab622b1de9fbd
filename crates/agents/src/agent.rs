//! One agent.

use std::path::{Path, PathBuf};

/// An agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agent {
    /// The id, as `--agent` takes it.
    pub id: &'static str,
    /// Further ids that are accepted.
    pub aliases: &'static [&'static str],
    /// The name, for readers.
    pub name: &'static str,
    /// The directory of skills in a project; none if only its other files are known.
    pub project: Option<&'static str>,
    /// The directory of a user's skills.
    pub user: Option<UserDirectory>,
    /// More directories of skills in a project.
    pub further: &'static [&'static str],
    /// Every directory of skills that it searches in a project or the home directory, if that is known.
    pub reads: &'static [&'static str],
    /// The files that list its MCP servers.
    pub mcp: Option<McpFiles>,
    /// The files and directories that name programs for it to start.
    pub hooks: HookFiles,
}

/// A directory of a user's skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserDirectory {
    /// The path below the home directory.
    pub path: &'static str,
    /// What puts it elsewhere.
    pub moved_by: MovedBy,
}

/// What puts a directory of the home directory elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovedBy {
    /// Nothing.
    Nothing,
    /// The configuration directory of the user, for what is below `.config`.
    ConfigDirectory,
    /// A variable, for the first directory of the path.
    Variable(&'static str),
}

/// The files in which an agent lists MCP servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct McpFiles {
    /// The path in a project.
    pub project: Option<&'static str>,
    /// The path in the home directory.
    pub user: Option<&'static str>,
    /// The same on macOS, where it differs.
    pub user_macos: Option<&'static str>,
    /// The key of the list.
    pub key: &'static str,
    /// How an entry looks.
    pub form: McpForm,
}

/// How a server is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpForm {
    /// `{"command": "...", "args": [...]}`
    Plain,
    /// The same with `"type": "stdio"`.
    Typed,
    /// The same with `"source": "custom"`.
    Custom,
    /// `{"type": "local", "command": ["...", ...], "enabled": true}`
    Local,
    /// The first with `"type": "local"` and `"tools": ["*"]`.
    Copilot,
    /// A TOML table with `command` and `args`.
    Toml,
}

/// Files and directories of hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookFiles {
    /// Paths in a project.
    pub project: &'static [&'static str],
    /// Paths in the home directory.
    pub user: &'static [&'static str],
}

/// The directories of a user.
#[derive(Clone, Copy)]
pub struct UserHome<'h> {
    /// The home directory.
    pub home: &'h Path,
    /// The configuration directory, usually `~/.config`.
    pub config: &'h Path,
    /// The values of variables.
    pub variable: &'h dyn Fn(&str) -> Option<PathBuf>,
}

impl Agent {
    /// The directory of the user's skills, if the agent has one.
    pub fn user_directory(&self, user: &UserHome<'_>) -> Option<PathBuf> {
        let UserDirectory { path, moved_by } = self.user?;
        let (_, rest) = path.split_once('/')?;
        let base = match moved_by {
            MovedBy::Nothing => None,
            MovedBy::ConfigDirectory => Some(user.config.to_owned()),
            MovedBy::Variable(name) => (user.variable)(name),
        };
        Some(base.map_or_else(|| user.home.join(path), |base| base.join(rest)))
    }
}

impl McpFiles {
    /// The path in the home directory on this system.
    pub fn user_path(&self) -> Option<&'static str> {
        let macos = self.user_macos.filter(|_| cfg!(target_os = "macos"));
        macos.or(self.user)
    }
}
