//! Adds an entry to the configuration file of a client, or removes it: everything else is unchanged, including comments.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use jsonc_parser::errors::ParseError;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, value};

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

/// Parses JSON with comments. Of two equal keys one counts for some readers and the other for others, so neither is edited.
fn parse_json(text: &str, key: &str) -> Result<CstRootNode> {
    let invalid = |error: &ParseError| CommandError::failure(format!("invalid JSON: {error}"));
    let options = ParseOptions::default();
    let syntax = parse_to_ast(text, &CollectOptions::default(), &options);
    let syntax = syntax.map_err(|error| invalid(&error))?;
    if let Some(Value::Object(root)) = &syntax.value
        && let Some(Value::Object(servers)) = only(text, root, key)?
    {
        only(text, servers, NAME)?;
    }
    CstRootNode::parse(text, &options).map_err(|error| invalid(&error))
}

/// The value of a key that an object has once.
fn only<'v, 't>(text: &str, object: &'v Object<'t>, key: &str) -> Result<Option<&'v Value<'t>>> {
    let mut found = object
        .properties
        .iter()
        .filter(|property| property.name.as_str() == key);
    let first = found.next();
    if let Some(second) = found.next() {
        let before = text.get(..second.range.start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let message = format!("line {line}: the key `{key}` is there twice");
        return Err(CommandError::failure(message).hint("remove one of them"));
    }
    Ok(first.map(|property| &property.value))
}

fn parse_toml(text: &str) -> Result<DocumentMut> {
    text.parse()
        .map_err(|error| CommandError::failure(format!("invalid TOML: {error}")))
}

fn removed_json(target: &Target, before: &str) -> Result<Option<String>> {
    let root = parse_json(before, target.key)?;
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
    let root = parse_json(before, target.key)?;
    if root.value().is_some() && root.object_value().is_none() {
        return Err(CommandError::failure("expected a JSON object"));
    }
    let servers = root
        .object_value_or_set()
        .object_value_or_create(target.key)
        .with_context(|| format!("`{}` is not an object", target.key))?;
    let fields = fields(target.shape, command);
    match servers.get(NAME) {
        Some(old) => match old.object_value() {
            Some(old) => update(&old, fields),
            None => old.set_value(object(fields)),
        },
        None => {
            servers.append(NAME, object(fields));
        }
    }
    let mut text = root.to_string();
    if before.is_empty() {
        text.push('\n');
    }
    Ok(text)
}

/// Sets fields of an entry; the user's own stay, such as `env` and `disabled`.
fn update(entry: &CstObject, fields: Vec<(&str, CstInputValue)>) {
    for (key, value) in fields {
        match entry.get(key) {
            Some(old) => old.set_value(value),
            None => {
                entry.append(key, value);
            }
        }
    }
}

fn fields(shape: Shape, command: &[String]) -> Vec<(&'static str, CstInputValue)> {
    let text = |text: &str| CstInputValue::String(text.to_owned());
    let list =
        |words: &[String]| CstInputValue::Array(words.iter().map(|word| text(word)).collect());
    let (program, arguments) = command
        .split_first()
        .map_or(("", &[][..]), |(program, rest)| (program.as_str(), rest));
    let mut fields = match shape {
        Shape::Local => {
            return vec![
                ("type", text("local")),
                ("command", list(command)),
                ("enabled", CstInputValue::Bool(true)),
            ];
        }
        Shape::Copilot => {
            return vec![
                ("type", text("local")),
                ("command", text(program)),
                ("args", list(arguments)),
                ("tools", list(&["*".to_owned()])),
            ];
        }
        Shape::Typed => vec![("type", text("stdio"))],
        Shape::Custom => vec![("source", text("custom"))],
        Shape::Plain | Shape::Toml => Vec::new(),
    };
    fields.push(("command", text(program)));
    fields.push(("args", list(arguments)));
    fields
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
    let mut servers = Table::new();
    // Only the entries show as tables, as people write it.
    servers.set_implicit(true);
    let servers = document
        .entry(target.key)
        .or_insert(Item::Table(servers))
        .as_table_like_mut()
        .with_context(|| format!("`{}` is not a table", target.key))?;
    let entry = servers.entry(NAME).or_insert(Item::Table(Table::new()));
    let entry = entry
        .as_table_like_mut()
        .with_context(|| format!("`{NAME}` is not a table"))?;
    set(entry, "command", program.as_str().into());
    set(entry, "args", arguments.iter().collect::<Array>().into());
    Ok(document.to_string())
}

/// Sets a value; a comment behind it stays.
fn set(entry: &mut dyn TableLike, key: &str, new: toml_edit::Value) {
    match entry.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            let decor = old.decor().clone();
            *old = new;
            *old.decor_mut() = decor;
        }
        None => {
            entry.insert(key, value(new));
        }
    }
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
    fn du13_fields_of_an_older_entry_stay() {
        let plain = target("mcpServers", Shape::Plain);
        let before = "{\"mcpServers\": {\"prowess\": {\"env\": {\"A\": \"1\"}, \"command\": \"old\", \"disabled\": true}}}";
        let after = added(&plain, before, &command()).unwrap();
        let parsed: serde_json::Value = serde_json::from_str(&after).unwrap();
        assert_eq!(
            parsed["mcpServers"]["prowess"],
            serde_json::json!({"env": {"A": "1"}, "command": "prowess", "disabled": true, "args": ["mcp"]})
        );
        let toml = target("mcp_servers", Shape::Toml);
        let before = "[mcp_servers.prowess]\ncommand = \"old\" # mine\nenv = { A = \"1\" }\n";
        let after = added(&toml, before, &command()).unwrap();
        assert_eq!(
            after,
            "[mcp_servers.prowess]\ncommand = \"prowess\" # mine\nenv = { A = \"1\" }\nargs = [\"mcp\"]\n"
        );
    }

    #[test]
    fn du13_two_equal_keys_are_refused_with_the_line() {
        let plain = target("mcpServers", Shape::Plain);
        for (text, expected) in [
            (
                "{\n\"mcpServers\": {},\n\"mcpServers\": {}}",
                "line 3: the key `mcpServers` is there twice",
            ),
            (
                "{\"mcpServers\": {\"prowess\": {},\n\"prowess\": {}}}",
                "line 2: the key `prowess` is there twice",
            ),
        ] {
            for refused in [
                added(&plain, text, &command()).unwrap_err(),
                removed(&plain, text).unwrap_err(),
            ] {
                assert_eq!(refused.message, expected);
            }
        }
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
