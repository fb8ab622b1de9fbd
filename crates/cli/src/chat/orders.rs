//! What can be said to the chat instead of the model.

use prowess_core::Catalog;

/// Something that the chat is told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Help,
    Skills,
    Show,
    Cost,
    New,
    Reload,
    Quit,
}

impl Order {
    /// Each with its name and what it does.
    pub(super) const ALL: &'static [(&'static str, Order, &'static str)] = &[
        (":help", Self::Help, "what can be said to the chat"),
        (
            ":skills",
            Self::Skills,
            "the skills, the active ones marked",
        ),
        (
            ":show",
            Self::Show,
            "what the tools of the last turn were asked, and what they said",
        ),
        (
            ":cost",
            Self::Cost,
            "where the tokens of the last turn went",
        ),
        (":new", Self::New, "a new chat"),
        (
            ":reload",
            Self::Reload,
            "the chat as it is kept, with what somebody else said in it",
        ),
        (":quit", Self::Quit, "the end"),
    ];

    /// The order that a line is, if it is one; an error if it looks like one and is none.
    pub(super) fn parse(line: &str, catalog: &Catalog) -> Option<Result<Self, String>> {
        let line = line.trim();
        if line.contains(char::is_whitespace) {
            return None;
        }
        if let Some(word) = line.strip_prefix('/') {
            // People type /help everywhere. A skill of that name comes first.
            let meant = Self::named(word).filter(|_| catalog.get(word).is_none());
            return meant.map(Ok);
        }
        let word = line.strip_prefix(':')?;
        // `:)` is no order.
        if !word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        Some(
            Self::named(word)
                .ok_or_else(|| format!("there is no `{line}`; :help lists what there is")),
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
        found.map(|(_, order, _)| *order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders() {
        let mut source = prowess_core::MemorySource::new(prowess_core::Scope::Project);
        source.add("help", "---\nname: help\ndescription: d\n---\nx\n");
        let skills = prowess_core::Skills::builder().source("s", source).build();
        let skills = pollster::block_on(skills).unwrap();
        let catalog = skills.catalog();
        let parse = |line: &str| Order::parse(line, &catalog);
        assert_eq!(parse(":help"), Some(Ok(Order::Help)));
        assert_eq!(parse(" :q "), Some(Ok(Order::Quit)));
        assert_eq!(parse("/exit"), Some(Ok(Order::Quit)));
        assert_eq!(parse("/help"), None, "a skill of that name comes first");
        assert!(matches!(parse(":hlep"), Some(Err(_))));
        for text in ["hello", ":)", ":", "", ":help me", "/quit now", "/unknown"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
