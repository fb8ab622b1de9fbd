//! The OpenAPI document of everything that is served.

mod administration_table;
mod chat_table;
mod operation;
mod registry_table;
mod table;

use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use serde_json::{Map, Value, json};

use crate::answer::Payload;
use operation::Operation;

pub(crate) async fn document(headers: HeaderMap) -> Response {
    let json = HeaderValue::from_static("application/json");
    Payload::new(openapi().to_string(), json).unless_known(&headers)
}

/// The OpenAPI 3.1 document of the service.
pub fn openapi() -> Value {
    let mut paths = Map::new();
    let tables = [
        table::OPERATIONS,
        administration_table::OPERATIONS,
        chat_table::OPERATIONS,
        registry_table::OPERATIONS,
    ];
    for operation in tables.into_iter().flatten() {
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        if let Value::Object(methods) = path {
            methods.insert(operation.method.to_owned(), operation.to_json());
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Prowess",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Skills for agents, over HTTP.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": parse(include_str!("schemas.json")),
            "parameters": parse(include_str!("parameters.json")),
            "responses": {
                "Problem": {
                    "description": "a problem",
                    "content": {"application/problem+json": {"schema": Operation::schema("Problem")}},
                },
            },
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    })
}

/// A file that is part of the program; a test reads it.
fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every `$ref` of a value.
    fn references<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
        match value {
            Value::Object(members) => {
                found.extend(members.get("$ref").and_then(Value::as_str));
                members.values().for_each(|it| references(it, found));
            }
            Value::Array(items) => items.iter().for_each(|it| references(it, found)),
            _ => {}
        }
    }

    #[test]
    fn sv15_every_reference_of_the_document_is_defined_and_used() {
        let document = openapi();
        let mut found = Vec::new();
        references(&document, &mut found);
        for reference in &found {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
        for kind in ["schemas", "parameters"] {
            for name in document["components"][kind].as_object().unwrap().keys() {
                let reference = format!("#/components/{kind}/{name}");
                assert!(found.contains(&&*reference), "{reference} is not used");
            }
        }
    }

    /// The routes of the program text are those of the document.
    #[test]
    fn sv15_every_route_is_in_the_document() {
        let document = openapi();
        let routes = [
            include_str!("../router.rs"),
            include_str!("../health.rs"),
            include_str!("../chats/routes.rs"),
            include_str!("../administration/mod.rs"),
        ];
        let routes = routes.concat();
        let mut quoted: Vec<String> = routes
            .split('"')
            .filter(|text| text.starts_with('/') && !text.contains(' '))
            .map(|path| path.replace("{*", "{"))
            .filter(|path| !path.ends_with('/') || path == "/")
            .collect();
        // The host adds it.
        quoted.push("/mcp".to_owned());
        // These are read by hand, with a test of their own.
        quoted.push(crate::packages::path::SEARCH.to_owned());
        quoted.push(crate::packages::path::INDEX.to_owned());
        let below = crate::packages::path::BELOW_SKILLS.replace("{*path}", "");
        let read = document["paths"].as_object().unwrap().keys();
        quoted.extend(read.filter(|it| it.starts_with(&below)).cloned());
        quoted.sort();
        quoted.dedup();
        let mut documented: Vec<&String> = document["paths"].as_object().unwrap().keys().collect();
        documented.sort();
        assert_eq!(quoted.iter().collect::<Vec<_>>(), documented);
    }
}
