//! The agents that read skills, and where each of them looks.

use std::path::{Path, PathBuf};

/// An agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agent {
    /// The id, as `--agent` takes it.
    pub id: &'static str,
    /// The name.
    pub name: &'static str,
    /// The directory of skills in a project.
    pub project: &'static str,
    user: UserPlace,
}

/// The directory of the user's skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UserPlace {
    None,
    /// Below the home directory.
    Home(&'static str),
    /// Below the configuration directory.
    Config(&'static str),
    /// Below the directory of a variable, or else below a directory of the home directory.
    Moved(&'static str, &'static str, &'static str),
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
    /// The agent with this id.
    pub fn named(id: &str) -> Option<&'static Self> {
        AGENTS.iter().find(|agent| agent.id == id)
    }

    /// The directory of the user's skills, if the agent has one.
    pub fn user_directory(&self, user: &UserHome<'_>) -> Option<PathBuf> {
        match self.user {
            UserPlace::None => None,
            UserPlace::Home(below) => Some(user.home.join(below)),
            UserPlace::Config(below) => Some(user.config.join(below)),
            UserPlace::Moved(variable, directory, below) => {
                let moved = (user.variable)(variable);
                let base = moved.unwrap_or_else(|| user.home.join(directory));
                Some(base.join(below))
            }
        }
    }
}

const fn agent(
    id: &'static str,
    name: &'static str,
    project: &'static str,
    user: UserPlace,
) -> Agent {
    Agent {
        id,
        name,
        project,
        user,
    }
}

/// Every agent, sorted by id.
pub const AGENTS: &[Agent] = &[
    agent(
        "adal",
        "AdaL",
        ".adal/skills",
        UserPlace::Home(".adal/skills"),
    ),
    agent(
        "aider-desk",
        "AiderDesk",
        ".aider-desk/skills",
        UserPlace::Home(".aider-desk/skills"),
    ),
    agent(
        "amp",
        "Amp",
        ".agents/skills",
        UserPlace::Config("agents/skills"),
    ),
    agent(
        "antigravity",
        "Antigravity",
        ".agents/skills",
        UserPlace::Home(".gemini/antigravity/skills"),
    ),
    agent(
        "antigravity-cli",
        "Antigravity CLI",
        ".agents/skills",
        UserPlace::Home(".gemini/antigravity-cli/skills"),
    ),
    agent(
        "astrbot",
        "AstrBot",
        "data/skills",
        UserPlace::Home(".astrbot/data/skills"),
    ),
    agent(
        "augment",
        "Augment",
        ".augment/skills",
        UserPlace::Home(".augment/skills"),
    ),
    agent(
        "autohand-code",
        "Autohand Code CLI",
        ".autohand/skills",
        UserPlace::Moved("AUTOHAND_HOME", ".autohand", "skills"),
    ),
    agent(
        "bob",
        "IBM Bob",
        ".bob/skills",
        UserPlace::Home(".bob/skills"),
    ),
    agent(
        "claude-code",
        "Claude Code",
        ".claude/skills",
        UserPlace::Moved("CLAUDE_CONFIG_DIR", ".claude", "skills"),
    ),
    agent(
        "cline",
        "Cline",
        ".agents/skills",
        UserPlace::Home(".agents/skills"),
    ),
    agent(
        "codearts-agent",
        "CodeArts Agent",
        ".codeartsdoer/skills",
        UserPlace::Home(".codeartsdoer/skills"),
    ),
    agent(
        "codebuddy",
        "CodeBuddy",
        ".codebuddy/skills",
        UserPlace::Home(".codebuddy/skills"),
    ),
    agent(
        "codemaker",
        "Codemaker",
        ".codemaker/skills",
        UserPlace::Home(".codemaker/skills"),
    ),
    agent(
        "codestudio",
        "Code Studio",
        ".codestudio/skills",
        UserPlace::Home(".codestudio/skills"),
    ),
    agent(
        "codewhale",
        "CodeWhale",
        ".codewhale/skills",
        UserPlace::Moved("CODEWHALE_HOME", ".codewhale", "skills"),
    ),
    agent(
        "codex",
        "Codex",
        ".agents/skills",
        UserPlace::Moved("CODEX_HOME", ".codex", "skills"),
    ),
    agent(
        "command-code",
        "Command Code",
        ".commandcode/skills",
        UserPlace::Home(".commandcode/skills"),
    ),
    agent(
        "continue",
        "Continue",
        ".continue/skills",
        UserPlace::Home(".continue/skills"),
    ),
    agent(
        "cortex",
        "Cortex Code",
        ".cortex/skills",
        UserPlace::Home(".snowflake/cortex/skills"),
    ),
    agent(
        "crush",
        "Crush",
        ".crush/skills",
        UserPlace::Home(".config/crush/skills"),
    ),
    agent(
        "cursor",
        "Cursor",
        ".agents/skills",
        UserPlace::Home(".cursor/skills"),
    ),
    agent(
        "deepagents",
        "Deep Agents",
        ".agents/skills",
        UserPlace::Home(".deepagents/agent/skills"),
    ),
    agent(
        "devin",
        "Devin for Terminal",
        ".devin/skills",
        UserPlace::Config("devin/skills"),
    ),
    agent(
        "dexto",
        "Dexto",
        ".agents/skills",
        UserPlace::Home(".agents/skills"),
    ),
    agent(
        "droid",
        "Droid (Factory)",
        ".agents/skills",
        UserPlace::Home(".factory/skills"),
    ),
    agent("eve", "Eve", "agent/skills", UserPlace::None),
    agent(
        "firebender",
        "Firebender",
        ".agents/skills",
        UserPlace::Home(".firebender/skills"),
    ),
    agent(
        "forgecode",
        "ForgeCode",
        ".forge/skills",
        UserPlace::Home(".forge/skills"),
    ),
    agent("fx", "fx", ".fx/skills", UserPlace::Home(".fx/skills")),
    agent(
        "gemini-cli",
        "Gemini CLI",
        ".agents/skills",
        UserPlace::Home(".gemini/skills"),
    ),
    agent(
        "github-copilot",
        "GitHub Copilot",
        ".agents/skills",
        UserPlace::Home(".copilot/skills"),
    ),
    agent(
        "goose",
        "Goose",
        ".goose/skills",
        UserPlace::Config("goose/skills"),
    ),
    agent(
        "grok",
        "Grok Build",
        ".grok/skills",
        UserPlace::Moved("GROK_HOME", ".grok", "skills"),
    ),
    agent(
        "hermes-agent",
        "Hermes Agent",
        ".hermes/skills",
        UserPlace::Moved("HERMES_HOME", ".hermes", "skills"),
    ),
    agent(
        "iflow-cli",
        "iFlow CLI",
        ".iflow/skills",
        UserPlace::Home(".iflow/skills"),
    ),
    agent(
        "inference-sh",
        "inference.sh",
        ".inferencesh/skills",
        UserPlace::Home(".inferencesh/skills"),
    ),
    agent(
        "jazz",
        "Jazz",
        ".jazz/skills",
        UserPlace::Home(".jazz/skills"),
    ),
    agent(
        "junie",
        "Junie",
        ".junie/skills",
        UserPlace::Home(".junie/skills"),
    ),
    agent(
        "kilo",
        "Kilo Code",
        ".agents/skills",
        UserPlace::Home(".kilo/skills"),
    ),
    agent(
        "kimchi",
        "Kimchi",
        ".kimchi/skills",
        UserPlace::Home(".config/kimchi/harness/skills"),
    ),
    agent(
        "kimi-code-cli",
        "Kimi Code CLI",
        ".agents/skills",
        UserPlace::Home(".agents/skills"),
    ),
    agent(
        "kiro-cli",
        "Kiro CLI",
        ".kiro/skills",
        UserPlace::Home(".kiro/skills"),
    ),
    agent(
        "kode",
        "Kode",
        ".kode/skills",
        UserPlace::Home(".kode/skills"),
    ),
    agent(
        "lingma",
        "Lingma",
        ".lingma/skills",
        UserPlace::Home(".lingma/skills"),
    ),
    agent(
        "loaf",
        "Loaf",
        ".agents/skills",
        UserPlace::Home(".agents/skills"),
    ),
    agent(
        "mcpjam",
        "MCPJam",
        ".mcpjam/skills",
        UserPlace::Home(".mcpjam/skills"),
    ),
    agent(
        "minimax-code",
        "MiniMax Code",
        ".minimax/skills",
        UserPlace::Home(".minimax/skills"),
    ),
    agent(
        "mistral-vibe",
        "Mistral Vibe",
        ".vibe/skills",
        UserPlace::Moved("VIBE_HOME", ".vibe", "skills"),
    ),
    agent(
        "moxby",
        "Moxby",
        ".moxby/skills",
        UserPlace::Home(".moxby/skills"),
    ),
    agent("mux", "Mux", ".mux/skills", UserPlace::Home(".mux/skills")),
    agent(
        "neovate",
        "Neovate",
        ".neovate/skills",
        UserPlace::Home(".neovate/skills"),
    ),
    agent("ona", "Ona", ".ona/skills", UserPlace::Home(".ona/skills")),
    agent(
        "openclaw",
        "OpenClaw",
        "skills",
        UserPlace::Home(".openclaw/skills"),
    ),
    agent(
        "opencode",
        "OpenCode",
        ".agents/skills",
        UserPlace::Config("opencode/skills"),
    ),
    agent(
        "openhands",
        "OpenHands",
        ".openhands/skills",
        UserPlace::Home(".openhands/skills"),
    ),
    agent(
        "pi",
        "Pi",
        ".pi/skills",
        UserPlace::Home(".pi/agent/skills"),
    ),
    agent(
        "pochi",
        "Pochi",
        ".pochi/skills",
        UserPlace::Home(".pochi/skills"),
    ),
    agent(
        "posit-assistant",
        "Posit Assistant",
        ".posit/assistant/skills",
        UserPlace::Home(".posit/assistant/skills"),
    ),
    agent(
        "promptscript",
        "PromptScript",
        ".agents/skills",
        UserPlace::None,
    ),
    agent(
        "qoder",
        "Qoder",
        ".qoder/skills",
        UserPlace::Home(".qoder/skills"),
    ),
    agent(
        "qoder-cn",
        "Qoder CN",
        ".qoder/skills",
        UserPlace::Home(".qoder-cn/skills"),
    ),
    agent(
        "qwen-code",
        "Qwen Code",
        ".qwen/skills",
        UserPlace::Home(".qwen/skills"),
    ),
    agent(
        "reasonix",
        "Reasonix",
        ".reasonix/skills",
        UserPlace::Home(".reasonix/skills"),
    ),
    agent(
        "replit",
        "Replit",
        ".agents/skills",
        UserPlace::Config("agents/skills"),
    ),
    agent(
        "roo",
        "Roo Code",
        ".roo/skills",
        UserPlace::Home(".roo/skills"),
    ),
    agent(
        "rovodev",
        "Rovo Dev",
        ".rovodev/skills",
        UserPlace::Home(".rovodev/skills"),
    ),
    agent(
        "sarvam-code",
        "Sarvam Code",
        ".agents/skills",
        UserPlace::Home(".agents/skills"),
    ),
    agent(
        "tabnine-cli",
        "Tabnine CLI",
        ".tabnine/agent/skills",
        UserPlace::Home(".tabnine/agent/skills"),
    ),
    agent(
        "terramind",
        "Terramind",
        ".terramind/skills",
        UserPlace::Home(".terramind/skills"),
    ),
    agent(
        "tinycloud",
        "Tinycloud",
        ".tinycloud/skills",
        UserPlace::Home(".tinycloud/skills"),
    ),
    agent(
        "trae",
        "Trae",
        ".trae/skills",
        UserPlace::Home(".trae/skills"),
    ),
    agent(
        "trae-cn",
        "Trae CN",
        ".trae/skills",
        UserPlace::Home(".trae-cn/skills"),
    ),
    agent(
        "universal",
        "Universal (pseudo-agent)",
        ".agents/skills",
        UserPlace::Config("agents/skills"),
    ),
    agent(
        "warp",
        "Warp",
        ".agents/skills",
        UserPlace::Home(".agents/skills"),
    ),
    agent(
        "windsurf",
        "Windsurf",
        ".windsurf/skills",
        UserPlace::Home(".codeium/windsurf/skills"),
    ),
    agent(
        "zcode",
        "ZCode",
        ".zcode/skills",
        UserPlace::Home(".zcode/skills"),
    ),
    agent(
        "zed",
        "Zed",
        ".agents/skills",
        UserPlace::Home(".agents/skills"),
    ),
    agent(
        "zencoder",
        "Zencoder",
        ".zencoder/skills",
        UserPlace::Home(".zencoder/skills"),
    ),
    agent(
        "zenflow",
        "Zenflow",
        ".zencoder/skills",
        UserPlace::Home(".zencoder/skills"),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_follow_the_variables_of_agents() {
        let variable = |name: &str| (name == "CODEX_HOME").then(|| PathBuf::from("/moved"));
        let user = UserHome {
            home: Path::new("/home/u"),
            config: Path::new("/home/u/.config"),
            variable: &variable,
        };
        let check = |id: &str, project: &str, expected: Option<&str>| {
            let agent = Agent::named(id).unwrap();
            assert_eq!(agent.project, project);
            assert_eq!(agent.user_directory(&user), expected.map(PathBuf::from));
        };
        check(
            "claude-code",
            ".claude/skills",
            Some("/home/u/.claude/skills"),
        );
        check("codex", ".agents/skills", Some("/moved/skills"));
        check(
            "amp",
            ".agents/skills",
            Some("/home/u/.config/agents/skills"),
        );
        assert_eq!(Agent::named("none"), None);
    }

    #[test]
    fn agents_are_sorted_and_stay_in_their_directories() {
        assert!(AGENTS.windows(2).all(|pair| pair[0].id < pair[1].id));
        for agent in AGENTS {
            let plain = |path: &str| !path.starts_with('/') && !path.contains("..");
            assert!(plain(agent.project), "{}", agent.id);
        }
    }
}
