//! Queries over JSON files.
#![forbid(unsafe_code)]

mod outline;
mod query;

use prowess_sdk::plugin::{Context, Error, Manifest, Plugin, Registry};
use query::Query;
use serde::Deserialize;
use serde_json::{Value, json};

/// Default number of matches.
const LIMIT: usize = 50;

#[derive(Default)]
struct JsonQuery;

impl Plugin for JsonQuery {
    fn manifest(&self) -> Manifest {
        Manifest::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
    }

    fn activate(&mut self, _: &Context, registry: &mut Registry) -> Result<(), Error> {
        let path = json!({"type": "string", "description": "a JSON file, relative to the project"});
        let text = json!({"type": "string", "description": "JSON, instead of a file"});
        let queried = json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "such as $.items[?price < 10].name"},
                "path": path,
                "text": text,
                "limit": {"type": "integer", "minimum": 1, "description": "most matches to show"},
            },
            "required": ["query"],
            "additionalProperties": false,
        });
        let outlined = json!({
            "type": "object",
            "properties": {"path": path, "text": text},
            "additionalProperties": false,
        });
        registry
            .tool(
                "json_query",
                "Finds values in a JSON file by a path query.",
                queried,
                search,
            )
            .tool(
                "json_outline",
                "Lists every path of a JSON file once, with types.",
                outlined,
                shape,
            )
            .workflow("outline", shape);
        Ok(())
    }
}

/// Where the JSON is.
#[derive(Deserialize)]
struct Document {
    path: Option<String>,
    text: Option<String>,
}

impl Document {
    fn read(&self, context: &Context) -> Result<Value, Error> {
        let (name, text) = match (&self.path, &self.text) {
            (Some(path), None) => (path.as_str(), context.read_file(path)?),
            (None, Some(text)) => ("the text", text.clone()),
            _ => return Err(Error::new("give either `path` or `text`")),
        };
        serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|error| Error::new(format!("{name} is not JSON: {error}")))
    }
}

#[derive(Deserialize)]
struct Search {
    query: String,
    limit: Option<usize>,
    #[serde(flatten)]
    document: Document,
}

fn search(context: &Context, input: Search) -> Result<String, Error> {
    let query = Query::parse(&input.query)?;
    let document = input.document.read(context)?;
    let found = query.find(&document);
    let limit = input.limit.unwrap_or(LIMIT);
    let mut lines: Vec<String> = found.iter().take(limit).map(ToString::to_string).collect();
    lines.insert(
        0,
        match found.len() {
            0 => "no match".to_owned(),
            count if count > limit => format!("{count} matches, the first {limit}:"),
            1 => "1 match:".to_owned(),
            count => format!("{count} matches:"),
        },
    );
    Ok(lines.join("\n"))
}

fn shape(context: &Context, document: Document) -> Result<String, Error> {
    Ok(outline::outline(&document.read(context)?))
}

prowess_sdk::export_plugin!(JsonQuery);

#[cfg(test)]
mod tests {
    use prowess_sdk::plugin::HostCall;

    use super::*;

    fn asked(input: Value) -> Result<String, Error> {
        let context = Context::for_tests(|call| match call {
            HostCall::ReadFile { path } if path == "a.json" => {
                Ok(json!({"content": "\u{feff}[{\"b\": 1, \"a\": 2}, {\"b\": 3}]"}))
            }
            other => panic!("{other:?}"),
        });
        search(&context, serde_json::from_value(input)?)
    }

    #[test]
    fn files_and_texts_are_searched() {
        let found = asked(json!({"query": "$[*].b", "path": "a.json"})).unwrap();
        assert_eq!(found, "2 matches:\n1\n3");
        let found = asked(json!({"query": "$[*]", "path": "a.json", "limit": 1})).unwrap();
        assert_eq!(found, "2 matches, the first 1:\n{\"b\":1,\"a\":2}");
        assert_eq!(
            asked(json!({"query": "$.x", "text": "{}"})).unwrap(),
            "no match"
        );
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        let table = [
            (json!({"query": "$"}), "give either `path` or `text`"),
            (
                json!({"query": "$", "path": "p", "text": "t"}),
                "give either `path` or `text`",
            ),
            (
                json!({"query": "$", "text": "{"}),
                "the text is not JSON: EOF while parsing an object at line 1 column 1",
            ),
            (
                json!({"query": "a"}),
                "a query begins with `$`, at character 1 of `a`",
            ),
        ];
        for (input, expected) in table {
            assert_eq!(asked(input).unwrap_err().to_string(), expected);
        }
    }
}
