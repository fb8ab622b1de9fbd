//! What people put into the files that their shells read when they start.

use super::super::step::Startup;
use super::super::value::{HOLE, Taint, TaintKind, Value};

/// What is written into a file that runs later. Only commands that are known one by one are settings: a usual word
/// somewhere in a text says nothing about the rest of it.
pub(in super::super) fn startup(content: &Value, taints: &[Taint]) -> Startup {
    match content.as_text() {
        Some(text) if taints.is_empty() && is_settings(&text) => Startup::Settings,
        None if !taints.is_empty()
            && taints
                .iter()
                .all(|taint| taint.kind == TaintKind::PublicKey) =>
        {
            Startup::PublicKey
        }
        _ => Startup::Commands,
    }
}

fn is_settings(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.clone().next().is_some() && lines.all(|line| line.starts_with('#') || is_setting(line))
}

fn is_setting(line: &str) -> bool {
    if let Some(tool) = line
        .strip_prefix("eval \"$(")
        .and_then(|rest| rest.strip_suffix(")\""))
    {
        return is_tool_hook(tool);
    }
    // What begins another command, or runs one inside of a word.
    let is_plain = !line.contains([';', '&', '|', '`', '<', '>', '\\', '(', ')']);
    if let Some(alias) = line.strip_prefix("alias ") {
        return is_plain && alias.split_once('=').is_some_and(is_alias);
    }
    let assignment = line.strip_prefix("export ").unwrap_or(line);
    is_plain
        && assignment.split_once('=').is_some_and(|(name, value)| {
            is_value(value)
                && is_name(name)
                && !is_hook_variable(name)
                && !is_search_path(name, value)
        })
}

/// One word: quoted as a whole, or without blanks.
fn is_value(value: &str) -> bool {
    let quoted = |quote: char| {
        value
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote))
            .is_some_and(|inner| !inner.contains(quote))
    };
    quoted('"') || quoted('\'') || !value.contains([' ', '\t', '"', '\''])
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Variables whose value other programs run, load or send everything to.
fn is_hook_variable(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    matches!(
        name.as_str(),
        "BASH_ENV"
            | "ENV"
            | "ZDOTDIR"
            | "IFS"
            | "SHELL"
            | "BROWSER"
            | "EDITOR"
            | "VISUAL"
            | "PAGER"
            | "MANPAGER"
            | "LESSOPEN"
            | "SUDO_ASKPASS"
            | "RUSTC_WRAPPER"
            | "RUBYOPT"
            | "PERL5OPT"
            | "PERL5LIB"
            | "NODE_OPTIONS"
            | "NODE_PATH"
    ) || [
        "LD_",
        "DYLD_",
        "GIT_",
        "PYTHON",
        "PS",
        "PROMPT",
        "SSH_",
        "JAVA_",
        "NPM_CONFIG_",
        "PIP_",
    ]
    .iter()
    .any(|start| name.starts_with(start))
        || [
            "_PROXY",
            "_BASE_URL",
            "_ENDPOINT",
            "_HOST",
            "_OPTS",
            "_OPTIONS",
        ]
        .iter()
        .any(|end| name.ends_with(end))
}

/// A list of directories with one that others write to.
fn is_search_path(name: &str, value: &str) -> bool {
    name.eq_ignore_ascii_case("path")
        && value.split(':').any(|directory| {
            let directory = directory.trim_matches(['"', '\'']);
            super::paths::is_temporary(directory) || matches!(directory, "" | ".")
        })
}

/// A short name for a program of the system, which takes the place of no other.
fn is_alias((name, value): (&str, &str)) -> bool {
    let command = value.trim_matches(['"', '\'']);
    let program = command.split(' ').next().unwrap_or_default();
    let is_word = |word: &str| {
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    let replaces = matches!(
        name,
        "sudo" | "su" | "doas" | "ssh" | "git" | "gpg" | "cd" | "curl" | "npm" | "pip"
    );
    let runs = matches!(
        program,
        "sh" | "bash"
            | "zsh"
            | "dash"
            | "eval"
            | "source"
            | "python"
            | "python3"
            | "node"
            | "perl"
            | "ruby"
            | "php"
            | "curl"
            | "wget"
            | "nc"
            | "ncat"
            | "env"
            | "nohup"
            | "sudo"
            | "xargs"
    );
    is_value(value)
        && is_word(name)
        && is_word(program)
        && !replaces
        && !runs
        && !command.contains([HOLE, '$'])
}

/// `starship init zsh`, `brew shellenv`: a tool prints its own settings.
fn is_tool_hook(command: &str) -> bool {
    let mut words = command.split(' ');
    let program = words.next().unwrap_or_default();
    let is_plain = command
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || " -_./=".contains(c));
    let is_installed = !program.contains('/')
        || ["/opt/homebrew/", "/home/linuxbrew/", "/usr/"]
            .iter()
            .any(|start| program.starts_with(start));
    let interprets = matches!(
        program,
        "sh" | "bash"
            | "zsh"
            | "env"
            | "curl"
            | "wget"
            | "cat"
            | "base64"
            | "echo"
            | "printf"
            | "python"
            | "python3"
            | "node"
            | "perl"
    );
    let prints = words.any(|word| {
        matches!(
            word,
            "init"
                | "hook"
                | "env"
                | "shellenv"
                | "completion"
                | "completions"
                | "activate"
                | "virtualenv-init"
                | "shell.bash"
                | "-s"
        )
    });
    is_plain && is_installed && !interprets && prints && !command.contains("..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_settings_are_settings() {
        for text in [
            "export PATH=\"$HOME/.local/bin:$PATH\"\n",
            "PATH=$PATH:/opt/x/bin",
            "export A=1\n# a comment; with words\n\nalias ll='ls -l'\n",
            "eval \"$(starship init zsh)\"\n",
            "eval \"$(/opt/homebrew/bin/brew shellenv)\"",
        ] {
            assert!(is_settings(text), "{text}");
        }
        for text in [
            "",
            "export A=1; x",
            "export A=1\nx",
            "export A=$(x)",
            "export A=1 && x",
            "export A=\"1\" x \"2\"",
            "A=1 x",
            "export LD_PRELOAD=/x.so",
            "export ANTHROPIC_BASE_URL=https://x.example",
            "export PROMPT_COMMAND=x",
            "export PATH=/tmp/x:$PATH",
            "export PATH=:$PATH",
            "alias sudo=/tmp/.s",
            "alias ls=/tmp/.s",
            "alias l='sh /x'",
            "alias l='ls; x'",
            "eval \"$(x)\"",
            "eval \"$(/tmp/x init)\"",
            "eval \"$(curl x init)\"",
            "eval \"$(x init; y)\"",
            "export A=1 | x",
        ] {
            assert!(!is_settings(text), "{text}");
        }
    }
}
