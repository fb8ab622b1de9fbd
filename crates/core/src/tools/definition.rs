//! Tools as a provider is told about them.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::catalog::Catalog;
use crate::dialect::{Operation, ToolSpec};

/// Up to so many skills, the schema lists every id.
const LISTED_IDS: usize = 100;

/// A tool for a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolDefinition {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON schema of its input.
    pub input_schema: Value,
}

/// The definition of `tool` for the skills of `catalog`; `appendix` stands behind its description.
pub(crate) fn define(tool: &ToolSpec, catalog: &Catalog, appendix: &str) -> ToolDefinition {
    let mut properties = Map::new();
    let mut required = Vec::new();
    let mut add = |name: &str, schema: Value, needed: bool| {
        properties.insert(name.to_owned(), schema);
        if needed {
            required.push(name.to_owned());
        }
    };
    match tool.operation {
        Operation::Browse => {
            add(
                tool.id,
                text(
                    "The collection to look into, such as `extraction/medical`; the root if absent.",
                ),
                false,
            );
            add(
                "query",
                text("Words to search for in all skills; wins over `path`."),
                false,
            );
            add("cursor", text("The `next` of an earlier answer."), false);
        }
        Operation::List => {}
        Operation::Load => {
            add(tool.id, id_schema(catalog), true);
            add(
                "arguments",
                text("What the user typed behind the skill's name."),
                false,
            );
            if let Some(path) = tool.path {
                add(
                    path,
                    text("A file of the skill to read instead of its instructions."),
                    false,
                );
            }
        }
        Operation::Read => {
            add(tool.id, id_schema(catalog), true);
            add(
                tool.path.unwrap_or("path"),
                text("The file's path inside the skill, such as `references/API.md`."),
                true,
            );
            add("offset", number("The byte to begin at."), false);
            add("limit", number("How many bytes to read."), false);
        }
        Operation::Run => {
            add(tool.id, id_schema(catalog), true);
            add(
                tool.path.unwrap_or("path"),
                text("The script's path inside the skill, such as `scripts/run.py`."),
                true,
            );
            let args = json!({"type": "array", "items": {"type": "string"}, "description": "Its arguments."});
            add("args", args, false);
        }
    }
    let description = match appendix {
        "" => tool.description.to_owned(),
        appendix => format!("{}\n\n{appendix}", tool.description),
    };
    ToolDefinition {
        name: tool.name.to_owned(),
        description,
        input_schema: json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }),
    }
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn number(description: &str) -> Value {
    json!({"type": "integer", "minimum": 0, "description": description})
}

/// While there are few skills, only their ids are valid.
fn id_schema(catalog: &Catalog) -> Value {
    let description = "The skill's id, as the catalog lists it.";
    if catalog.len() > LISTED_IDS {
        return text(description);
    }
    let ids: Vec<&str> = catalog
        .skills()
        .filter(|skill| skill.descriptor.invocation.by_model())
        .map(|skill| skill.descriptor.id.as_str())
        .collect();
    json!({"type": "string", "description": description, "enum": ids})
}
