//! Adds an entry to the configuration file of a client, or removes it: everything else is unchanged, including comments.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObjectProp, CstRootNode};
use toml_edit::{Array, DocumentMut, Item, Table, value};

use super::client::{Shape, Target};

use crate::error::{CommandError, Context, Result};

/// The name under which Prowess is listed.
const NAME: &str = "prowess";

/// The text of a file with the entry in it; an older one is replaced.
pub(crate) fn added(target: &Target, before: &str, command: &[String]) -> Result<String> {
    match target.shape {
        Shape::Toml => added_toml(target, before, command),
        _ => added_json(target, before, command),
    }
}

/// The text of a file without the entry; `None` if it has none.
pub(crate) fn removed(target: &Target, before: &str) -> Result<Option<String>> {
    match target.shape {
        Shape::Toml => removed_toml(target, before),
        _ => removed_json(target, before),
    }
}

/// The entry alone, as a person pastes it.
pub(crate) fn snippet(target: &Target, command: &[String]) -> Result<String> {
    added(target, "", command)
}

fn parse_json(text: &str) -> Result<CstRootNode> {
    CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|error| CommandError::failure(format!("invalid JSON: {error}")))
}

fn parse_toml(text: &str) -> Result<DocumentMut> {
    text.parse()
        .map_err(|error| CommandError::failure(format!("invalid TOML: {error}")))
}

fn removed_json(target: &Target, before: &str) -> Result<Option<String>> {
    let root = parse_json(before)?;
    let servers = root.object_value().and_then(|it| it.get(target.key));
    let entries = servers.as_ref().and_then(CstObjectProp::object_value);
    let entry = entries.as_ref().and_then(|it| it.get(NAME));
    let (Some(servers), Some(entries), Some(entry)) = (servers, entries, entry) else {
        return Ok(None);
    };
    entry.remove();
    if entries.properties().is_empty() {
        servers.remove();
    }
    Ok(Some(root.to_string()))
}

fn removed_toml(target: &Target, before: &str) -> Result<Option<String>> {
    let mut document = parse_toml(before)?;
    let servers = document.get_mut(target.key);
    let Some(servers) = servers.and_then(Item::as_table_like_mut) else {
        return Ok(None);
    };
    if servers.remove(NAME).is_none() {
        return Ok(None);
    }
    if servers.is_empty() {
        document.remove(target.key);
    }
    Ok(Some(document.to_string()))
}

fn added_json(target: &Target, before: &str, command: &[String]) -> Result<String> {
    let root = parse_json(before)?;
    if root.value().is_some() && root.object_value().is_none() {
        return Err(CommandError::failure("expected a JSON object"));
    }
    let servers = root
        .object_value_or_set()
        .object_value_or_create(target.key)
        .with_context(|| format!("`{}` is not an object", target.key))?;
    let entry = entry(target.shape, command);
    match servers.get(NAME) {
        Some(old) => old.set_value(entry),
        None => {
            servers.append(NAME, entry);
        }
    }
    let mut text = root.to_string();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

fn entry(shape: Shape, command: &[String]) -> CstInputValue {
    let text = |text: &str| CstInputValue::String(text.to_owned());
    let list =
        |words: &[String]| CstInputValue::Array(words.iter().map(|word| text(word)).collect());
    let (program, arguments) = command
        .split_first()
        .map_or(("", &[][..]), |(program, rest)| (program.as_str(), rest));
    let mut fields = match shape {
        Shape::Local => {
            return object(vec![
                ("type", text("local")),
                ("command", list(command)),
                ("enabled", CstInputValue::Bool(true)),
            ]);
        }
        Shape::Copilot => {
            return object(vec![
                ("type", text("local")),
                ("command", text(program)),
                ("args", list(arguments)),
                ("tools", list(&["*".to_owned()])),
            ]);
        }
        Shape::Typed => vec![("type", text("stdio"))],
        Shape::Custom => vec![("source", text("custom"))],
        Shape::Plain | Shape::Toml => Vec::new(),
    };
    fields.push(("command", text(program)));
    fields.push(("args", list(arguments)));
    object(fields)
}

fn object(fields: Vec<(&str, CstInputValue)>) -> CstInputValue {
    let fields = fields
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value));
    CstInputValue::Object(fields.collect())
}

fn added_toml(target: &Target, before: &str, command: &[String]) -> Result<String> {
    let mut document = parse_toml(before)?;
    let (program, arguments) = command.split_first().context("missing command")?;
    let mut entry = Table::new();
    entry.insert("command", value(program.as_str()));
    entry.insert("args", value(arguments.iter().collect::<Array>()));
    let mut servers = Table::new();
    // Only the entries show as tables, as people write it.
    servers.set_implicit(true);
    let servers = document
        .entry(target.key)
        .or_insert(Item::Table(servers))
        .as_table_like_mut()
        .with_context(|| format!("`{}` is not a table", target.key))?;
    servers.insert(NAME, Item::Table(entry));
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn target(key: &'static str, shape: Shape) -> Target {
        Target {
            file: PathBuf::from("x"),
            key,
            shape,
        }
    }

    fn command() -> Vec<String> {
        ["prowess", "mcp"].map(str::to_owned).to_vec()
    }

    #[test]
    fn existing_entries_are_preserved() {
        let before = "{\n  // mine\n  \"theme\": \"dark\",\n  \"context_servers\": {\n    \"other\": { \"command\": \"x\" }, // stays\n  },\n}\n";
        let after = added(
            &target("context_servers", Shape::Custom),
            before,
            &command(),
        )
        .unwrap();
        for expected in [
            "// mine",
            "\"theme\": \"dark\"",
            "\"other\": { \"command\": \"x\" }",
            "// stays",
        ] {
            assert!(after.contains(expected), "{after}");
        }
        let root = CstRootNode::parse(&after, &ParseOptions::default()).unwrap();
        let parsed = root.to_serde_value().unwrap();
        assert_eq!(
            parsed["context_servers"]["prowess"],
            serde_json::json!({"source": "custom", "command": "prowess", "args": ["mcp"]})
        );
        // A second time nothing changes.
        assert_eq!(
            added(
                &target("context_servers", Shape::Custom),
                &after,
                &command()
            )
            .unwrap(),
            after
        );
    }

    #[test]
    fn toml_comments_are_preserved() {
        let before = "# mine\nmodel = \"x\" # here\n\n[mcp_servers.other]\ncommand = \"y\"\n";
        let after = added(&target("mcp_servers", Shape::Toml), before, &command()).unwrap();
        assert_eq!(
            after,
            "# mine\nmodel = \"x\" # here\n\n[mcp_servers.other]\ncommand = \"y\"\n\n[mcp_servers.prowess]\ncommand = \"prowess\"\nargs = [\"mcp\"]\n"
        );
        assert_eq!(
            snippet(&target("mcp_servers", Shape::Toml), &command()).unwrap(),
            "[mcp_servers.prowess]\ncommand = \"prowess\"\nargs = [\"mcp\"]\n"
        );
    }

    #[test]
    fn removing_reverses_adding() {
        let plain = target("mcpServers", Shape::Plain);
        let toml = target("mcp_servers", Shape::Toml);
        for (target, before) in [
            (
                &plain,
                "{\n  // mine\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" } // stays\n  }\n}\n",
            ),
            (&plain, "{\n  \"theme\": \"dark\"\n}\n"),
            (
                &toml,
                "# mine\nmodel = \"x\" # here\n\n[mcp_servers.other]\ncommand = \"y\"\n",
            ),
            (&toml, ""),
        ] {
            assert_eq!(removed(target, before).unwrap(), None, "{before}");
            let added = added(target, before, &command()).unwrap();
            assert_eq!(removed(target, &added).unwrap().as_deref(), Some(before));
        }
        assert!(removed(&plain, "{").is_err() && removed(&toml, "= 1").is_err());
    }

    #[test]
    fn malformed_file_is_rejected() {
        let plain = target("mcpServers", Shape::Plain);
        for text in ["{", "[]", "{\"mcpServers\": []}", "not json"] {
            assert!(added(&plain, text, &command()).is_err(), "{text}");
        }
        let toml = target("mcp_servers", Shape::Toml);
        for text in ["= 1", "mcp_servers = 1"] {
            assert!(added(&toml, text, &command()).is_err(), "{text}");
        }
    }
}
