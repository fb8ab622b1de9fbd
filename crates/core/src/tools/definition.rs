//! Tool definitions for a provider.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::catalog::Catalog;
use crate::dialect::{Operation, ToolSpec};

/// Maximum number of skills whose ids are listed in the schema, and that a list has at once.
pub(crate) const LISTED_SKILLS: usize = 100;

/// Queries of one search.
pub(crate) const MOST_QUERIES: usize = 3;

/// How to write queries.
const HOW_TO_ASK: &str = "Give up to three queries for one task, each in other words: the usual technical terms, tools, \
    file formats and synonyms, the most specific first. Write them in English, and in the user's language if that is \
    another. The results are fused.";

/// A tool for a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolDefinition {
    /// Its name.
    pub name: String,
    /// The description.
    pub description: String,
    /// The JSON schema of its input.
    pub input_schema: Value,
}

/// The definition of `tool` for the skills of `catalog`; `appendix` follows its description. If `searches`, the tool that
/// loads skills searches them, too.
pub(crate) fn define(
    tool: &ToolSpec,
    catalog: &Catalog,
    appendix: &str,
    searches: bool,
) -> ToolDefinition {
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
                text("Collection to list, such as `extraction/medical`; default: the root."),
                false,
            );
            add(
                "queries",
                queries("Searches all skills; overrides `path`."),
                false,
            );
            add("query", text("The same with one query."), false);
            add("cursor", text("The `next` of an earlier answer."), false);
        }
        Operation::List if catalog.len() > LISTED_SKILLS => {
            add(
                "queries",
                queries("Searches, instead of listing all skills."),
                false,
            );
            add("query", text("The same with one query."), false);
            add("cursor", text("The `next` of an earlier answer."), false);
        }
        Operation::List => {}
        Operation::Load => {
            add(tool.id, id_schema(catalog), !searches);
            if searches {
                add(
                    "queries",
                    queries("Searches all skills, instead of loading one."),
                    false,
                );
                add("query", text("The same with one query."), false);
                add("cursor", text("The `next` of an earlier answer."), false);
            }
            add(
                "arguments",
                text("Text that the user typed after the skill name."),
                false,
            );
            if let Some(path) = tool.path {
                add(
                    path,
                    text("File of the skill to read instead of its instructions."),
                    false,
                );
                add("offset", number("First byte of the file to read."), false);
                add(
                    "limit",
                    number("Number of bytes of the file to read."),
                    false,
                );
            }
        }
        Operation::Read => {
            add(tool.id, id_schema(catalog), true);
            add(
                tool.path.unwrap_or("path"),
                text("Path of the file inside the skill, such as `references/API.md`."),
                true,
            );
            add("offset", number("First byte to read."), false);
            add("limit", number("Number of bytes to read."), false);
        }
        Operation::Run => {
            add(tool.id, id_schema(catalog), true);
            add(
                tool.path.unwrap_or("path"),
                text("Path of the script inside the skill, such as `scripts/run.py`."),
                true,
            );
            let args = json!({"type": "array", "items": {"type": "string"}, "description": "Arguments of the script."});
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

/// What to search for, and how to ask: a good query decides more than any ranking.
fn queries(purpose: &str) -> Value {
    json!({
        "type": "array",
        "items": {"type": "string"},
        "minItems": 1,
        "maxItems": MOST_QUERIES,
        "description": format!("{purpose} {HOW_TO_ASK}"),
    })
}

fn number(description: &str) -> Value {
    json!({"type": "integer", "minimum": 0, "description": description})
}

/// With few skills, only their ids are valid.
fn id_schema(catalog: &Catalog) -> Value {
    let description = "Id of the skill, as listed in the catalog.";
    if catalog.len() > LISTED_SKILLS {
        return text(description);
    }
    let ids: Vec<&str> = catalog
        .skills()
        .filter(|skill| skill.descriptor.invocation.by_model())
        .map(|skill| skill.descriptor.id.as_str())
        .collect();
    json!({"type": "string", "description": description, "enum": ids})
}
