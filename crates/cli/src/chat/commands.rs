//! Commands of the chat.

use prowess_core::Catalog;

/// A command of the chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChatCommand {
    Help,
    Skills,
    Show,
    Cost,
    New,
    Reload,
    Quit,
}

impl ChatCommand {
    /// Each with its name and what it does.
    pub(super) const ALL: &'static [(&'static str, ChatCommand, &'static str)] = &[
        (":help", Self::Help, "list the commands"),
        (
            ":skills",
            Self::Skills,
            "list skills, with a mark for active ones",
        ),
        (
            ":show",
            Self::Show,
            "show the tool calls of the last turn and their results",
        ),
        (":cost", Self::Cost, "show the token usage of the last turn"),
        (":new", Self::New, "start a new chat"),
        (
            ":reload",
            Self::Reload,
            "reload the saved chat, including changes by other processes",
        ),
        (":quit", Self::Quit, "the end"),
    ];

    /// Parses a command; an error if it looks like one but is unknown.
    pub(super) fn parse(line: &str, catalog: &Catalog) -> Option<Result<Self, String>> {
        let line = line.trim();
        if line.contains(char::is_whitespace) {
            return None;
        }
        if let Some(word) = line.strip_prefix('/') {
            // People type /help everywhere. A skill of that name comes first.
            let command = Self::named(word).filter(|_| catalog.get(word).is_none());
            return command.map(Ok);
        }
        if matches!(line, "exit" | "quit") {
            return Some(Ok(Self::Quit));
        }
        let word = line.strip_prefix(':')?;
        // `:)` is not a command.
        if !word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        Some(
            Self::named(word)
                .ok_or_else(|| format!("unknown command `{line}`; type :help for a list")),
        )
    }

    fn named(word: &str) -> Option<Self> {
        let word = match word {
            "q" | "exit" => "quit",
            "h" => "help",
            word => word,
        };
        let found = Self::ALL
            .iter()
            .find(|(name, ..)| name.strip_prefix(':') == Some(word));
        found.map(|(_, command, _)| *command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_parsed_unless_a_skill_has_the_name() {
        let mut source = prowess_core::MemorySource::new(prowess_core::Scope::Project);
        source.add("help", "---\nname: help\ndescription: d\n---\nx\n");
        let skills = prowess_core::Skills::builder().source("s", source).build();
        let skills = pollster::block_on(skills).unwrap();
        let catalog = skills.catalog();
        let parse = |line: &str| ChatCommand::parse(line, &catalog);
        assert_eq!(parse(":help"), Some(Ok(ChatCommand::Help)));
        assert_eq!(parse(" :q "), Some(Ok(ChatCommand::Quit)));
        for text in ["/exit", "exit", "quit"] {
            assert_eq!(parse(text), Some(Ok(ChatCommand::Quit)), "{text}");
        }
        assert_eq!(parse("/help"), None, "a skill of that name comes first");
        assert!(matches!(parse(":hlep"), Some(Err(_))));
        for text in ["hello", ":)", ":", "", ":help me", "/quit now", "/unknown"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
