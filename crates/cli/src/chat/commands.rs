//! Commands of the chat.

use prowess_core::Catalog;

/// A command of the chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ChatCommand {
    Help,
    Skills,
    Show,
    Cost,
    /// Shows the model, or changes it.
    Model(String),
    Retry,
    Undo,
    Export {
        file: String,
        overwrite: bool,
    },
    /// Lists saved chats, or continues one.
    Resume(String),
    New,
    Reload,
    Quit,
}

/// A command as it is listed.
pub(super) struct CommandInfo {
    pub(super) name: &'static str,
    /// The argument; empty if it takes none.
    pub(super) argument: &'static str,
    pub(super) about: &'static str,
    parse: fn(&str) -> ChatCommand,
}

impl ChatCommand {
    /// Every command.
    pub(super) const ALL: &'static [CommandInfo] = &[
        info(":help", "list the commands", |_| Self::Help),
        info(
            ":skills",
            "list skills, with a mark for active ones",
            |_| Self::Skills,
        ),
        info(
            ":show",
            "show the tool calls of the last turn and their results",
            |_| Self::Show,
        ),
        info(":cost", "show the token usage of the last turn", |_| {
            Self::Cost
        }),
        CommandInfo {
            argument: "[NAME]",
            ..info(
                ":model",
                "show the model, or change it from the next message on",
                |name| Self::Model(name.to_owned()),
            )
        },
        info(
            ":retry",
            "send the last message again and replace its answer",
            |_| Self::Retry,
        ),
        info(":undo", "remove the last message and its answer", |_| {
            Self::Undo
        }),
        CommandInfo {
            argument: "FILE",
            ..info(
                ":export",
                "write the chat as Markdown, or as JSON if FILE ends with .json",
                |file| Self::Export {
                    file: file.to_owned(),
                    overwrite: false,
                },
            )
        },
        CommandInfo {
            argument: "FILE",
            ..info(":export!", "the same, and overwrite the file", |file| {
                Self::Export {
                    file: file.to_owned(),
                    overwrite: true,
                }
            })
        },
        CommandInfo {
            argument: "[ID]",
            ..info(":resume", "list saved chats, or continue one", |id| {
                Self::Resume(id.to_owned())
            })
        },
        info(":new", "start a new chat", |_| Self::New),
        info(
            ":reload",
            "reload the saved chat, including changes by other processes",
            |_| Self::Reload,
        ),
        info(":quit", "end the chat", |_| Self::Quit),
    ];

    /// Parses a command; an error if it looks like one but is unknown.
    pub(super) fn parse(line: &str, catalog: &Catalog) -> Option<Result<Self, String>> {
        let line = line.trim();
        if matches!(line, "exit" | "quit") {
            return Some(Ok(Self::Quit));
        }
        let (first, argument) = match line.split_once(char::is_whitespace) {
            Some((first, argument)) => (first, argument.trim()),
            None => (line, ""),
        };
        let found = |word: &str| {
            let found = named(word)?;
            let takes = argument.is_empty() || !found.argument.is_empty();
            takes.then(|| (found.parse)(argument))
        };
        if let Some(word) = first.strip_prefix('/') {
            // People type /help everywhere. A skill of that name comes first.
            return found(word).filter(|_| catalog.get(word).is_none()).map(Ok);
        }
        let word = first.strip_prefix(':')?;
        // `:)` is not a command.
        if !word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        match found(word) {
            None if !argument.is_empty() => None,
            None => Some(Err(format!(
                "unknown command `{first}`; type :help for a list"
            ))),
            Some(command) => Some(Ok(command)),
        }
    }
}

const fn info(
    name: &'static str,
    about: &'static str,
    parse: fn(&str) -> ChatCommand,
) -> CommandInfo {
    CommandInfo {
        name,
        argument: "",
        about,
        parse,
    }
}

fn named(word: &str) -> Option<&'static CommandInfo> {
    let word = match word {
        "q" | "exit" => "quit",
        "h" => "help",
        word => word,
    };
    let mut all = ChatCommand::ALL.iter();
    all.find(|info| info.name.strip_prefix(':') == Some(word))
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
        let model = |name: &str| Some(Ok(ChatCommand::Model(name.to_owned())));
        assert_eq!(parse(":model"), model(""));
        assert_eq!(parse(":model  gpt-5 "), model("gpt-5"));
        assert_eq!(parse("/model openai gpt-5"), model("openai gpt-5"));
        for (text, overwrite) in [(":export a b.md", false), (":export! a b.md", true)] {
            let file = "a b.md".to_owned();
            let expected = ChatCommand::Export { file, overwrite };
            assert_eq!(parse(text), Some(Ok(expected)), "{text}");
        }
    }
}
