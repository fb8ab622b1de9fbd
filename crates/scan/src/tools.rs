//! `allowed-tools` that are wider than the text needs.

use prowess_policy::ToolPattern;
use prowess_spec::{Skill, Span};

use crate::report::Severity;
use crate::scanner::Hit;
use crate::segment::{Context, Language};
use crate::text::Text;

/// A command that nobody allows by name; whoever allows it allows every command.
const PROBE: &str = "prowess-probe";
/// The names under which clients offer a shell.
const SHELLS: [&str; 3] = ["Bash", "Shell", "shell"];
/// Words of a text that is about running something.
const WORDS: &[&str] = &[
    "run", "runs", "running", "execute", "command", "commands", "script", "scripts", "terminal",
    "shell", "bash", "cli", "install", "build", "test", "tests", "git", "npm", "pip", "docker",
    "make", "cargo", "python", "node", "lint", "deploy", "compile", "commit", "grep", "bin",
];

/// What `allowed-tools` of the skill says against its `SKILL.md`.
pub(crate) fn scan(text: &Text<'_>, skill: &Skill) -> Option<Hit> {
    let opens = |token: &&String| {
        SHELLS
            .iter()
            .any(|shell| ToolPattern::new(token).allows(shell, Some(PROBE)))
    };
    let token = skill.allowed_tools.iter().find(opens)?;
    if names_commands(text) {
        return None;
    }
    let source = text.source();
    let field = source
        .find("allowed-tools")
        .or_else(|| source.find("allowed_tools"))
        .unwrap_or_default();
    let end = source
        .get(field..)
        .and_then(|rest| rest.find('\n'))
        .map_or(source.len(), |length| field + length);
    let everything = ToolPattern::new(token).shows(PROBE);
    let severity = if everything {
        Severity::Medium
    } else {
        Severity::Low
    };
    Some(Hit::base("wide-tools", Span::new(field, end))?.severity(severity))
}

fn names_commands(text: &Text<'_>) -> bool {
    let has_shell = text
        .segments
        .iter()
        .any(|segment| segment.context == Context::Code(Language::Shell));
    let body = text
        .source()
        .splitn(3, "---")
        .nth(2)
        .unwrap_or_default()
        .to_ascii_lowercase();
    let mut words = body.split(|c: char| !c.is_ascii_alphanumeric());
    has_shell || body.contains("allowed-tools") || words.any(|word| WORDS.contains(&word))
}
