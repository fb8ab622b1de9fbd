//! The patterns of `allowed-tools`.

use std::fmt;

/// A tool that a skill may use: `Read`, `mcp__github__*` or `Bash(git:*)`.
///
/// `*` matches any text. Parentheses contain a pattern for the argument of the call; `git:*` matches `git` alone or
/// followed by anything. `.` and `_` are equal, because providers reject dots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolPattern {
    name: String,
    argument: Option<String>,
}

impl ToolPattern {
    /// Parses a pattern; whatever it is, it means something.
    pub fn new(text: &str) -> Self {
        let text = text.trim();
        let split = text.strip_suffix(')').and_then(|text| text.split_once('('));
        match split {
            Some((name, argument)) => Self {
                name: same_dots(name),
                argument: Some(argument.to_owned()),
            },
            None => Self {
                name: same_dots(text),
                argument: None,
            },
        }
    }

    /// Whether the tool can be offered.
    pub fn shows(&self, tool: &str) -> bool {
        matches(&self.name, &same_dots(tool))
    }

    /// Whether the tool may be called with this argument, such as a shell's command line.
    pub fn allows(&self, tool: &str, argument: Option<&str>) -> bool {
        self.shows(tool)
            && match (&self.argument, argument) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(pattern), Some(argument)) => allows_argument(pattern, argument.trim()),
            }
    }
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.argument {
            Some(argument) => write!(f, "{}({argument})", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// The tools that the active skills allow together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedTools {
    patterns: Vec<ToolPattern>,
}

impl AllowedTools {
    /// The union of all `tokens`.
    pub fn new<S: AsRef<str>>(tokens: impl IntoIterator<Item = S>) -> Self {
        let pattern = |token: S| ToolPattern::new(token.as_ref());
        Self {
            patterns: tokens.into_iter().map(pattern).collect(),
        }
    }

    /// Whether some skill lets the tool be seen.
    pub fn shows(&self, tool: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.shows(tool))
    }

    /// Whether some skill lets the tool be called with this argument.
    pub fn allows(&self, tool: &str, argument: Option<&str>) -> bool {
        self.patterns
            .iter()
            .any(|pattern| pattern.allows(tool, argument))
    }
}

fn same_dots(name: &str) -> String {
    name.trim().replace('.', "_")
}

fn allows_argument(pattern: &str, argument: &str) -> bool {
    // A second command would not be the one that was allowed.
    if argument.contains(['\n', ';', '|', '&', '`', '<', '>']) || argument.contains("$(") {
        return pattern == "*" || matches_literally(pattern, argument);
    }
    match pattern.strip_suffix(":*") {
        Some(command) => {
            let rest = argument.strip_prefix(command);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
        }
        None => matches(pattern, argument),
    }
}

fn matches_literally(pattern: &str, argument: &str) -> bool {
    !pattern.contains('*') && pattern == argument
}

/// Glob matching where `*` is any text, in linear space and without recursion.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(first) = parts.next() else {
        return text.is_empty();
    };
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use prowess_testing::properties;

    use super::*;

    fn check(pattern: &str, tool: &str, argument: Option<&str>, expected: bool) {
        let allowed = ToolPattern::new(pattern).allows(tool, argument);
        assert_eq!(allowed, expected, "{pattern} {tool} {argument:?}");
    }

    #[test]
    fn names_match_exactly_or_by_star() {
        check("Read", "Read", None, true);
        check("Read", "Reader", None, false);
        check("read", "Read", None, false);
        check("mcp__github__*", "mcp__github__issues", Some("x"), true);
        check("*", "anything", None, true);
        check("a*c", "abbc", None, true);
        check("a*c", "abbcd", None, false);
        check("skills.activate", "skills_activate", None, true);
        check("", "", None, true);
        check("", "Read", None, false);
    }

    #[test]
    fn arguments_are_commands_with_anything_behind_them() {
        check("Bash(git:*)", "Bash", Some("git status"), true);
        check("Bash(git:*)", "Bash", Some("git"), true);
        check("Bash(git:*)", "Bash", Some("gitk"), false);
        check("Bash(git:*)", "Bash", Some("rm -rf git"), false);
        check("Bash(git:*)", "Bash", None, false);
        check("Bash(git add:*)", "Bash", Some("git add ."), true);
        check("Bash(npm run test)", "Bash", Some("npm run test"), true);
        check("Bash(npm run *)", "Bash", Some("npm run lint"), true);
    }

    #[test]
    fn a_second_command_is_not_the_one_that_was_allowed() {
        for argument in [
            "git status; rm -rf /",
            "git log | sh",
            "git $(reboot)",
            "git x && y",
            "git `id`",
            "git a\nrm b",
            "git > x",
        ] {
            check("Bash(git:*)", "Bash", Some(argument), false);
        }
        check("Bash(*)", "Bash", Some("a | b"), true);
        check("Bash(a | b)", "Bash", Some("a | b"), true);
    }

    #[test]
    fn seeing_a_tool_needs_no_argument() {
        let allowed = AllowedTools::new(["Bash(git:*)", "Read"]);
        assert!(allowed.shows("Bash") && allowed.shows("Read") && !allowed.shows("Write"));
        assert!(!AllowedTools::default().shows("Read"));
    }

    proptest! {
        #![proptest_config(properties(256))]

        #[test]
        fn removing_a_pattern_never_allows_more(
            patterns in prop::collection::vec("[a-c*]{0,4}(\\([a-c* :]{0,5}\\))?", 0..5),
            tool in "[a-c]{0,4}",
            argument in prop::option::of("[a-c ;|]{0,6}"),
        ) {
            let all = AllowedTools::new(&patterns);
            for index in 0..patterns.len() {
                let mut fewer = patterns.clone();
                fewer.remove(index);
                let fewer = AllowedTools::new(&fewer);
                prop_assert!(!fewer.allows(&tool, argument.as_deref()) || all.allows(&tool, argument.as_deref()));
            }
        }
    }
}
