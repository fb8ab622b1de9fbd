//! The directories in which agents look for skills.

/// Our own, in every directory of a project.
const OWN: &str = ".prowess/skills";

/// Where packages are installed, in a project or the home directory.
#[cfg(feature = "config")]
pub(crate) const PACKAGES: &str = ".agents/skills";

/// In every directory of a project and in the home directory, the most important first.
const IN_BOTH: [&str; 56] = [
    ".agents/skills",
    ".claude/skills",
    ".adal/skills",
    ".aider-desk/skills",
    ".augment/skills",
    ".autohand/skills",
    ".bob/skills",
    ".codeartsdoer/skills",
    ".codebuddy/skills",
    ".codemaker/skills",
    ".codestudio/skills",
    ".codewhale/skills",
    ".codex/skills",
    ".commandcode/skills",
    ".continue/skills",
    ".copilot/skills",
    ".cursor/skills",
    ".factory/skills",
    ".firebender/skills",
    ".forge/skills",
    ".fx/skills",
    ".gemini/skills",
    ".grok/skills",
    ".hermes/skills",
    ".iflow/skills",
    ".inferencesh/skills",
    ".jazz/skills",
    ".junie/skills",
    ".kilo/skills",
    ".kiro/skills",
    ".kode/skills",
    ".lingma/skills",
    ".mcpjam/skills",
    ".minimax/skills",
    ".moxby/skills",
    ".mux/skills",
    ".neovate/skills",
    ".ona/skills",
    ".openclaw/skills",
    ".openhands/skills",
    ".pochi/skills",
    ".posit/assistant/skills",
    ".qoder-cn/skills",
    ".qoder/skills",
    ".qwen/skills",
    ".reasonix/skills",
    ".roo/skills",
    ".rovodev/skills",
    ".tabnine/agent/skills",
    ".terramind/skills",
    ".tinycloud/skills",
    ".trae-cn/skills",
    ".trae/skills",
    ".vibe/skills",
    ".zcode/skills",
    ".zencoder/skills",
];

/// Only in directories of a project.
const ONLY_IN_PROJECT: [&str; 8] = [
    ".cortex/skills",
    ".crush/skills",
    ".devin/skills",
    ".github/skills",
    ".goose/skills",
    ".kimchi/skills",
    ".pi/skills",
    ".windsurf/skills",
];

/// Only in the home directory.
#[cfg(feature = "config")]
const ONLY_IN_HOME: [&str; 7] = [
    ".astrbot/data/skills",
    ".codeium/windsurf/skills",
    ".deepagents/agent/skills",
    ".gemini/antigravity-cli/skills",
    ".gemini/antigravity/skills",
    ".pi/agent/skills",
    ".snowflake/cortex/skills",
];

/// Further ones at the root of a project.
#[cfg(feature = "config")]
pub(crate) const AT_ROOT: [&str; 5] = [
    "skills",
    "app/skills",
    ".skills",
    "agent/skills",
    "data/skills",
];

/// Below the configuration directory of the user.
#[cfg(feature = "config")]
pub(crate) const IN_CONFIG: [&str; 7] = [
    "prowess/skills",
    "agents/skills",
    "crush/skills",
    "devin/skills",
    "goose/skills",
    "kimchi/harness/skills",
    "opencode/skills",
];

/// Directories of agents that a variable moves elsewhere.
#[cfg(feature = "config")]
pub const HOME_VARIABLES: [(&str, &str); 7] = [
    (".autohand", "AUTOHAND_HOME"),
    (".claude", "CLAUDE_CONFIG_DIR"),
    (".codewhale", "CODEWHALE_HOME"),
    (".codex", "CODEX_HOME"),
    (".grok", "GROK_HOME"),
    (".hermes", "HERMES_HOME"),
    (".vibe", "VIBE_HOME"),
];

/// In every directory of a project, the most important first.
pub(crate) fn in_project() -> impl Iterator<Item = &'static str> {
    [OWN].into_iter().chain(IN_BOTH).chain(ONLY_IN_PROJECT)
}

/// In the home directory of the user, the most important first.
#[cfg(feature = "config")]
pub(crate) fn in_home() -> impl Iterator<Item = &'static str> {
    IN_BOTH.into_iter().chain(ONLY_IN_HOME)
}
