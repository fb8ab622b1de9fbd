//! MCP clients and their configuration files.

use std::path::PathBuf;

use clap::ValueEnum;

/// An MCP client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    /// Claude Code
    ClaudeCode,
    /// Claude Desktop
    ClaudeDesktop,
    /// Codex
    Codex,
    /// GitHub Copilot CLI
    CopilotCli,
    /// Cursor
    Cursor,
    /// Gemini CLI
    GeminiCli,
    /// Opencode
    Opencode,
    /// Visual Studio Code
    Vscode,
    /// Windsurf
    Windsurf,
    /// Zed
    Zed,
}

/// Users of the configuration entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// Everyone who works on this project
    Project,
    /// You, in every project
    User,
}

/// How an entry looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
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

impl Client {
    /// Where the client lists servers for this scope; nothing if it has no such place.
    pub(crate) fn target(self, scope: Scope, home: Option<PathBuf>) -> Option<Target> {
        let (project, user, key, shape) = self.places();
        let file = match scope {
            Scope::Project => PathBuf::from(project?),
            Scope::User => home?.join(user?),
        };
        Some(Target { file, key, shape })
    }

    /// The default scope.
    pub(crate) fn usual_scope(self) -> Scope {
        let (project, ..) = self.places();
        if project.is_some() {
            Scope::Project
        } else {
            Scope::User
        }
    }

    /// Directories of skills that the client reads itself, in a project and in the home directory.
    pub(crate) fn own_directories(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &[".claude/skills"],
            Self::Codex => &[".agents/skills", ".codex/skills"],
            Self::CopilotCli | Self::Vscode => &[
                ".github/skills",
                ".agents/skills",
                ".claude/skills",
                ".copilot/skills",
            ],
            Self::Cursor => &[".cursor/skills", ".agents/skills", ".claude/skills"],
            Self::GeminiCli => &[".gemini/skills", ".agents/skills"],
            Self::Opencode => &[
                ".opencode/skills",
                ".config/opencode/skills",
                ".agents/skills",
                ".claude/skills",
            ],
            Self::Windsurf => &[
                ".windsurf/skills",
                ".codeium/windsurf/skills",
                ".agents/skills",
            ],
            Self::ClaudeDesktop | Self::Zed => &[],
        }
    }

    /// The file of a project, the file below the home directory, the key, and the shape.
    fn places(
        self,
    ) -> (
        Option<&'static str>,
        Option<&'static str>,
        &'static str,
        Shape,
    ) {
        match self {
            Self::ClaudeCode => (
                Some(".mcp.json"),
                Some(".claude.json"),
                "mcpServers",
                Shape::Plain,
            ),
            Self::ClaudeDesktop => (None, Some(DESKTOP), "mcpServers", Shape::Plain),
            Self::Codex => (None, Some(".codex/config.toml"), "mcp_servers", Shape::Toml),
            Self::Cursor => (
                Some(".cursor/mcp.json"),
                Some(".cursor/mcp.json"),
                "mcpServers",
                Shape::Plain,
            ),
            Self::GeminiCli => (
                Some(".gemini/settings.json"),
                Some(".gemini/settings.json"),
                "mcpServers",
                Shape::Plain,
            ),
            Self::Opencode => (
                Some("opencode.json"),
                Some(".config/opencode/opencode.json"),
                "mcp",
                Shape::Local,
            ),
            Self::CopilotCli => (
                None,
                Some(".copilot/mcp-config.json"),
                "mcpServers",
                Shape::Copilot,
            ),
            Self::Vscode => (
                Some(".vscode/mcp.json"),
                Some(VSCODE),
                "servers",
                Shape::Typed,
            ),
            Self::Windsurf => (
                None,
                Some(".codeium/windsurf/mcp_config.json"),
                "mcpServers",
                Shape::Plain,
            ),
            Self::Zed => (
                Some(".zed/settings.json"),
                Some(".config/zed/settings.json"),
                "context_servers",
                Shape::Custom,
            ),
        }
    }
}

#[cfg(target_os = "macos")]
const VSCODE: &str = "Library/Application Support/Code/User/mcp.json";
#[cfg(not(target_os = "macos"))]
const VSCODE: &str = ".config/Code/User/mcp.json";

#[cfg(target_os = "macos")]
const DESKTOP: &str = "Library/Application Support/Claude/claude_desktop_config.json";
#[cfg(not(target_os = "macos"))]
const DESKTOP: &str = ".config/Claude/claude_desktop_config.json";
