//! `allowed-tools` that let every command run.

use prowess_policy::ToolPattern;
use prowess_spec::{Skill, Span};

use crate::report::Severity;
use crate::scanner::Hit;
use crate::text::Text;

/// A command that allows every other command.
const PROBE: &str = "prowess-probe";
/// The names under which clients offer a shell.
const SHELLS: [&str; 3] = ["Bash", "Shell", "shell"];
/// Compares `allowed-tools` of the skill with its `SKILL.md`.
pub(crate) fn scan(text: &Text<'_>, skill: &Skill) -> Option<Hit> {
    let opens = |token: &&String| {
        SHELLS
            .iter()
            .any(|shell| ToolPattern::new(token).allows(shell, Some(PROBE)))
    };
    let token = skill.allowed_tools.iter().find(opens)?;
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
