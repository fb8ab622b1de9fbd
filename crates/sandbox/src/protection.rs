//! Which files of a project only the user changes, and what starts because of them.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::{Component, Path};
use std::sync::LazyLock;

use prowess_agents::{AgentFileKind, project_files};

/// Why a file is protected: a program that the user starts later, and what it does with the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Protection {
    /// The program.
    pub program: &'static str,
    /// What it does.
    pub effect: Effect,
}

/// What a program does with a protected file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Runs commands or programs that are named there.
    Runs,
    /// Starts MCP servers that are listed there.
    StartsServers,
    /// Loads skills, which can have programs.
    LoadsSkills,
    /// Follows it as instructions.
    Follows,
    /// Takes settings from it.
    Configures,
}

/// Protected besides the files of agents, in any directory of a project and in any case.
const OTHERS: &[(&str, &str, Effect)] = &[
    (".git", "Git", Effect::Runs),
    (".hg", "Mercurial", Effect::Runs),
    (".jj", "Jujutsu", Effect::Runs),
    ("prowess.toml", PROWESS, Effect::Configures),
    ("prowess.lock", PROWESS, Effect::Configures),
    ("skills-lock.json", PROWESS, Effect::Configures),
    (".prowess", PROWESS, Effect::LoadsSkills),
    (".skills", PROWESS, Effect::LoadsSkills),
    ("AGENTS.md", AGENT, Effect::Follows),
    ("AGENT.md", AGENT, Effect::Follows),
    ("CLAUDE.md", "Claude Code", Effect::Follows),
    ("GEMINI.md", "Gemini CLI", Effect::Follows),
    ("copilot-instructions.md", "GitHub Copilot", Effect::Follows),
    (".cursorrules", "Cursor", Effect::Follows),
    (".windsurfrules", "Windsurf", Effect::Follows),
    (".clinerules", "Cline", Effect::Follows),
    (".agents/plugins", AGENT, Effect::Runs),
    (".claude-plugin", AGENT, Effect::Runs),
    (".codex-plugin", AGENT, Effect::Runs),
    (".cursor-plugin", AGENT, Effect::Runs),
    (".plugin", AGENT, Effect::Runs),
    (".github/plugin", AGENT, Effect::Runs),
    (".github/agents", "GitHub Copilot", Effect::Follows),
    (".github/instructions", "GitHub Copilot", Effect::Follows),
    (".github/prompts", "GitHub Copilot", Effect::Follows),
    (".github/workflows", "GitHub", Effect::Runs),
    (".github/actions", "GitHub", Effect::Runs),
    (".gitlab-ci.yml", "GitLab", Effect::Runs),
    (".circleci", "CircleCI", Effect::Runs),
    (".pre-commit-config.yaml", "pre-commit", Effect::Runs),
    (".husky", "Git", Effect::Runs),
    (".cargo/config.toml", "Cargo", Effect::Runs),
    (".cargo/config", "Cargo", Effect::Runs),
    (".npmrc", "npm", Effect::Configures),
    (".envrc", "direnv", Effect::Runs),
    (".devcontainer", DEV_CONTAINERS, Effect::Runs),
    (".devcontainer.json", DEV_CONTAINERS, Effect::Runs),
    (".vscode/tasks.json", "Visual Studio Code", Effect::Runs),
    (".zed/tasks.json", "Zed", Effect::Runs),
    (".idea", "IntelliJ IDEA", Effect::Runs),
    (".run", "IntelliJ IDEA", Effect::Runs),
    (".fleet", "Fleet", Effect::Runs),
    (".vs", "Visual Studio", Effect::Runs),
    (".exrc", "Vim", Effect::Runs),
    (".nvim.lua", "Neovim", Effect::Runs),
    (".nvimrc", "Neovim", Effect::Runs),
    (".dir-locals.el", "Emacs", Effect::Runs),
    (".gdbinit", "GDB", Effect::Runs),
    (".lldbinit", "LLDB", Effect::Runs),
    ("mise.toml", "mise", Effect::Runs),
    (".mise.toml", "mise", Effect::Runs),
    (".mise", "mise", Effect::Runs),
    ("lefthook.yml", "Git", Effect::Runs),
    (".lefthook.yml", "Git", Effect::Runs),
    (".yarnrc.yml", "Yarn", Effect::Runs),
    (".pnpmfile.cjs", "pnpm", Effect::Runs),
    (".bundle", "Bundler", Effect::Configures),
    (".mvn", "Maven", Effect::Runs),
    (".gitpod.yml", "Gitpod", Effect::Runs),
    (".gitea/workflows", "Gitea", Effect::Runs),
    (".forgejo/workflows", "Forgejo", Effect::Runs),
    (".woodpecker", "Woodpecker", Effect::Runs),
    (".woodpecker.yml", "Woodpecker", Effect::Runs),
    (".buildkite", "Buildkite", Effect::Runs),
    ("AGENTS.override.md", "Codex", Effect::Follows),
    ("CLAUDE.local.md", "Claude Code", Effect::Follows),
    ("QWEN.md", "Qwen Code", Effect::Follows),
    ("WARP.md", "Warp", Effect::Follows),
    ("CRUSH.md", "Crush", Effect::Follows),
    ("crush.json", "Crush", Effect::StartsServers),
    (".crush.json", "Crush", Effect::StartsServers),
    (".amp", "Amp", Effect::Configures),
    (".aider.conf.yml", "Aider", Effect::Runs),
    (".goosehints", "Goose", Effect::Follows),
    (".rules", "Zed", Effect::Follows),
    (".roomodes", "Roo Code", Effect::Configures),
    (".github/mcp.json", "GitHub Copilot", Effect::StartsServers),
    (".github/copilot", "GitHub Copilot", Effect::Configures),
    (".github/chatmodes", "GitHub Copilot", Effect::Follows),
];

const PROWESS: &str = "Prowess";
const AGENT: &str = "an agent";
const DEV_CONTAINERS: &str = "an editor with dev containers";

/// The end of names that are protected, in lower case.
pub(crate) const PROTECTED_ENDING: &str = ".code-workspace";
/// Why they are.
const OF_ENDING: Protection = Protection {
    program: "Visual Studio Code",
    effect: Effect::Runs,
};

/// Hidden directories of which only some entries are protected: the rest is like any file of the project.
const SHARED: &[&str] = &[".github", ".cargo"];

/// Repositories, which file tools do not even see: what they know of their remotes can hold passwords.
const REPOSITORY_NAMES: &[&str] = &[".git", ".hg", ".jj"];

/// The table, by folded path.
struct Table {
    /// What is protected, with all that it contains.
    patterns: HashMap<String, Vec<Protection>>,
    /// What is stated about single files, also about those in a protected directory.
    files: HashMap<String, Vec<Protection>>,
    /// Directories in which something protected lies.
    above: BTreeSet<String>,
    /// Parts of the longest path.
    depth: usize,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let agents = project_files().map(|file| {
        let effect = match file.kind {
            AgentFileKind::Skills => Effect::LoadsSkills,
            AgentFileKind::Servers => Effect::StartsServers,
            AgentFileKind::Hooks => Effect::Runs,
        };
        (file.path, file.agent, effect)
    });
    let mut table = Table {
        patterns: HashMap::new(),
        files: HashMap::new(),
        above: BTreeSet::new(),
        depth: 0,
    };
    for (path, program, effect) in OTHERS.iter().copied().chain(agents) {
        let path = fold(path);
        let pattern = pattern_of(&path).to_owned();
        for (above, _) in pattern.match_indices('/') {
            table.above.extend(pattern.get(..above).map(str::to_owned));
        }
        table.depth = table.depth.max(path.split('/').count());
        let configures = Protection {
            program,
            effect: Effect::Configures,
        };
        table.patterns.entry(pattern).or_default().push(configures);
        let stated = Protection { program, effect };
        table.files.entry(path).or_default().push(stated);
    }
    table
});

/// A hidden directory as a whole, where it is not shared with other things: an agent reads more there than we know of.
fn pattern_of(path: &str) -> &str {
    match path.split_once('/') {
        Some((first, _)) if first.starts_with('.') && !SHARED.contains(&first) => first,
        _ => path,
    }
}

/// Both ways, as file systems fold: a long s has no lower case of its own, and is an S in capitals.
///
/// Windows writes the name before the `:` of a stream, without dots and blanks at its end.
fn fold(text: &str) -> String {
    let name = text.split(':').next().unwrap_or_default();
    let name = name.trim_end_matches(['.', ' ']);
    name.to_uppercase().to_lowercase()
}

fn folded(path: &Path) -> Vec<String> {
    let names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(fold(&name.to_string_lossy())),
        _ => None,
    });
    names.collect()
}

/// Every run of neighbouring parts that can be in the table.
fn runs(parts: &[String]) -> impl Iterator<Item = String> {
    let windows = (1..=TABLE.depth).flat_map(|length| parts.windows(length));
    windows.map(|window| window.join("/"))
}

/// The protected paths, in lower case: each is protected with what it contains, in any directory and any case.
pub fn protected_paths() -> Vec<&'static str> {
    let mut paths: Vec<&str> = TABLE.patterns.keys().map(String::as_str).collect();
    paths.sort_unstable();
    paths
}

/// Directories in which something protected lies, in lower case.
pub(crate) fn above_protected() -> impl Iterator<Item = &'static str> {
    TABLE.above.iter().map(String::as_str)
}

/// Why a path of a project, relative to it, is protected; nothing if it is not.
pub fn protections(path: &Path) -> Vec<Protection> {
    let parts = folded(path);
    let known = |table: &'static HashMap<String, Vec<Protection>>| -> BTreeSet<Protection> {
        let found = runs(&parts).filter_map(|run| table.get(&run));
        found.flatten().copied().collect()
    };
    let mut found = known(&TABLE.patterns);
    let stated = known(&TABLE.files);
    if !stated.is_empty() {
        found = stated;
    }
    let has_ending = parts.iter().any(|part| part.ends_with(PROTECTED_ENDING));
    found.extend(has_ending.then_some(OF_ENDING));
    found.into_iter().collect()
}

/// Whether a path of a project, relative to it, is protected or lies in something that is.
pub fn is_protected(path: &Path) -> bool {
    let parts = folded(path);
    parts.iter().any(|part| part.ends_with(PROTECTED_ENDING))
        || runs(&parts).any(|run| TABLE.patterns.contains_key(&run))
}

/// Whether something protected can lie directly below a path: a directory that gets such a name from another one brings its
/// content with it.
pub(crate) fn is_above_protected(path: &Path) -> bool {
    let parts = folded(path);
    (0..parts.len()).any(|start| {
        let tail = parts.get(start..).unwrap_or_default();
        TABLE.above.contains(&tail.join("/"))
    })
}

/// Whether a name is that of a repository, in any case: some file systems do not tell them apart.
pub fn is_repository(name: &OsStr) -> bool {
    let name = fold(&name.to_string_lossy());
    REPOSITORY_NAMES.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests may panic")]

    use super::*;

    fn check(path: &str, expected: bool) {
        assert_eq!(is_protected(Path::new(path)), expected, "{path}");
    }

    #[test]
    fn q20_names_in_any_case() {
        check(".git", true);
        check(".GIT", true);
        check("agents.MD", true);
        check("AGENT\u{17f}.md", true);
        check(".gitignore", false);
        check("git", false);
        check("src", false);
    }

    #[test]
    fn q37_paths_of_the_table_are_protected() {
        for file in project_files() {
            check(file.path, true);
            check(&format!("deep/in/{}/more", file.path.to_uppercase()), true);
        }
        for (path, _, _) in OTHERS {
            check(path, true);
        }
        for path in [
            ".cursor/rules/new.mdc",
            "a/.GitHub/Workflows/x.yml",
            ".github/hooks/x.json",
            ".opencode/plugins/x.js",
            ".cargo/config.toml",
            "any.code-workspace",
            "a/b.CODE-WORKSPACE",
            ".mcp.json. .",
            ".mcp.json::$DATA",
        ] {
            check(path, true);
        }
        for path in [
            "skills/a/SKILL.md",
            "data/skills/a/SKILL.md",
            "agent/skills/a/SKILL.md",
            ".github",
            ".github/ISSUE_TEMPLATE.md",
            ".cargo/audit.toml",
            "workflows/x.yml",
            "config.toml",
            "code-workspace",
        ] {
            check(path, false);
        }
    }

    #[test]
    fn q37_directories_above_protected_paths() {
        for (path, expected) in [
            (".github", true),
            ("a/.CARGO", true),
            (".github/workflows", false),
            (".git", false),
            ("src", false),
        ] {
            assert_eq!(is_above_protected(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn q37_what_starts_because_of_a_file() {
        let check = |path: &str, program: &'static str, effect: Effect| {
            let found = protections(Path::new(path));
            assert!(
                found.contains(&Protection { program, effect }),
                "{path}: {found:?}"
            );
        };
        check(".cursor/mcp.json", "Cursor", Effect::StartsServers);
        check(".cursor/hooks.json", "Cursor", Effect::Runs);
        check(".cursor/skills/x/SKILL.md", "Cursor", Effect::LoadsSkills);
        check(".cursor/rules/x", "Cursor", Effect::Configures);
        check("sub/.github/workflows/x.yml", "GitHub", Effect::Runs);
        check("opencode.json", "OpenCode", Effect::StartsServers);
        check("x.code-workspace", "Visual Studio Code", Effect::Runs);
        assert!(protections(Path::new("src/main.rs")).is_empty());
    }
}
