//! Commands that the user approved.

use std::fmt;

use crate::grant::{Contents, Lifetime, Subject};

/// Where a command runs. Everything but the default is for a user to choose, asked with the text of
/// [`Display`](fmt::Display) on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommandReach {
    /// In the sandbox, without a network.
    #[default]
    Sandboxed,
    /// In the sandbox, with the network of this machine.
    SandboxedWithNetwork,
    /// On this machine, as the user.
    Unconfined,
}

impl CommandReach {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sandboxed => "sandbox",
            Self::SandboxedWithNetwork => "network",
            Self::Unconfined => "unconfined",
        }
    }

    /// The reach that a word names.
    pub fn parse(word: &str) -> Option<Self> {
        [
            Self::Sandboxed,
            Self::SandboxedWithNetwork,
            Self::Unconfined,
        ]
        .into_iter()
        .find(|reach| reach.as_str() == word)
    }
}

impl fmt::Display for CommandReach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sandboxed => {
                "in the sandbox: writes only to the project, no access to secrets, no network"
            }
            Self::SandboxedWithNetwork => {
                "in the sandbox: writes only to the project, no access to secrets, full network access"
            }
            Self::Unconfined => {
                "outside the sandbox: reads and writes all your files, full network access"
            }
        })
    }
}

/// Which commands an answer covers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommandPattern {
    /// Any. Only set by a configuration or the command line, never by an answer.
    Any,
    /// This one, word for word.
    Exactly(Vec<String>),
    /// This program with any arguments.
    Program(String),
}

impl CommandPattern {
    /// Whether it covers a command.
    pub fn covers(&self, command: &[String]) -> bool {
        match self {
            Self::Any => true,
            Self::Exactly(words) => words == command,
            Self::Program(name) => program(command) == Some(name),
        }
    }
}

/// Characters that make a shell do more than start one program.
const SHELL_SYNTAX: &[char] = &[
    ';', '|', '&', '<', '>', '$', '`', '(', ')', '{', '}', '[', ']', '*', '?', '~', '#', '!', '\'',
    '"', '\\', '\n', '\r', '=',
];

/// Shells as the system has them. A file of that name elsewhere is anything.
const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "dash",
    "zsh",
    "/bin/sh",
    "/bin/bash",
    "/bin/dash",
    "/bin/zsh",
    "/usr/bin/sh",
    "/usr/bin/bash",
    "/usr/bin/dash",
    "/usr/bin/zsh",
];

/// Programs that execute their arguments, so that approving them approves everything. Digits at the end of a name are
/// versions.
const RUNNERS: &[&str] = &[
    "tcsh",
    "csh",
    "pwsh",
    "nodejs",
    "npx",
    "bunx",
    "uvx",
    "pipx",
    "ssh-agent",
    "chroot",
    "unshare",
    "nsenter",
    "watch",
    "parallel",
    "entr",
    "vi",
    "vim",
    "nvim",
    "emacs",
    "ed",
    "ex",
    "tclsh",
    "expect",
    "gdb",
    "strace",
    "ltrace",
    "rsync",
    "tar",
    "sh",
    "bash",
    "dash",
    "zsh",
    "fish",
    "ksh",
    "busybox",
    "env",
    "xargs",
    "nice",
    "nohup",
    "timeout",
    "time",
    "sudo",
    "doas",
    "setsid",
    "stdbuf",
    "script",
    "ssh",
    "find",
    "awk",
    "gawk",
    "mawk",
    "sed",
    "perl",
    "python",
    "python3",
    "ruby",
    "node",
    "deno",
    "bun",
    "php",
    "lua",
    "eval",
    "exec",
];

/// Programs that do what files of the working directory say, without being told their names.
const BUILDERS: &str = "make gmake bmake cmake ctest ninja meson scons waf just task rake tup bazel buck npm pnpm yarn corepack \
    turbo nx lerna gulp grunt jest vitest mocha eslint prettier tsc webpack vite rollup cargo rustc rustup \
    go mvn mvnw gradle gradlew ant sbt lein clojure clj pip poetry uv pdm hatch tox nox pytest pre-commit \
    bundle bundler gem composer phpunit dotnet msbuild swift xcodebuild mix rebar stack cabal dune opam zig \
    dart flutter docker docker-compose podman vagrant terraform tofu ansible ansible-playbook packer helm \
    skaffold git hg jj svn direnv mise asdf nix nix-shell nix-build guix prowess claude codex gemini \
    opencode copilot code cursor gh glab";

/// Whether a program runs its arguments, or what it finds in the working directory.
pub fn reads_project(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    is_runner(name)
        || BUILDERS
            .split(' ')
            .any(|builder| builder == without_version(name))
}

/// The program of a command that can be approved as a whole; `None` if its arguments determine what runs.
pub fn program(command: &[String]) -> Option<&str> {
    let (first, rest) = command.split_first()?;
    match rest {
        // A shell with one plain command is that command.
        [option, text] if SHELLS.contains(&first.as_str()) && option == "-c" => {
            let plain = !text.contains(SHELL_SYNTAX);
            let inner = text.split_whitespace().next().filter(|_| plain)?;
            (!is_runner(inner)).then_some(inner)
        }
        _ if is_runner(first) => None,
        _ => Some(first),
    }
}

fn is_runner(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    RUNNERS.contains(&without_version(name))
}

/// `python3.11` as `python`.
fn without_version(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-')
}

/// Decisions about commands of one skill.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommandGrant {
    /// The skill's id.
    pub skill: String,
    /// Which contents of it.
    pub contents: Contents,
    /// Which commands.
    pub pattern: CommandPattern,
    /// Where they run.
    pub reach: CommandReach,
    /// For how long.
    pub lifetime: Lifetime,
}

impl CommandGrant {
    /// Whether it covers a command of this skill as it is, that runs there.
    pub fn covers(&self, subject: &Subject, command: &[String], reach: CommandReach) -> bool {
        self.skill == subject.skill
            && self.contents.is(subject.content)
            && self.reach == reach
            && self.pattern.covers(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn shell(text: &str) -> Vec<String> {
        vec!["sh".to_owned(), "-c".to_owned(), text.to_owned()]
    }

    #[test]
    fn a_program_is_approved_with_its_arguments_only_where_they_are_arguments() {
        for (command, expected) in [
            (words("cargo test"), Some("cargo")),
            (words("git status"), Some("git")),
            (shell("cargo test --all"), Some("cargo")),
            (shell("cargo test; rm -rf ."), None),
            (shell("cargo test && x"), None),
            (shell("FOO=1 cargo test"), None),
            (shell("cargo $(x)"), None),
            (shell("env rm"), None),
            (shell("/usr/bin/env rm"), None),
            (words("bash script.sh"), None),
            (words("/bin/sh x"), None),
            (words("python3 -c x"), None),
            (words("python3.11 -c x"), None),
            (words("docs/run/sh -c ls"), None),
            (vec!["./sh".into(), "-c".into(), "ls".into()], None),
            (words("env cargo test"), None),
            (words("xargs rm"), None),
            (Vec::new(), None),
        ] {
            assert_eq!(program(&command), expected, "{command:?}");
        }
    }

    #[test]
    fn patterns_cover_what_was_shown() {
        let exact = CommandPattern::Exactly(words("cargo test"));
        assert!(exact.covers(&words("cargo test")));
        assert!(!exact.covers(&words("cargo test --all")));
        let cargo = CommandPattern::Program("cargo".to_owned());
        assert!(cargo.covers(&words("cargo build")));
        assert!(cargo.covers(&shell("cargo build")));
        assert!(!cargo.covers(&words("./cargo build")));
        assert!(!cargo.covers(&shell("cargo build | sh")));
    }
}
