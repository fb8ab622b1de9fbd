//! The schema for editors and the reader know the same keys.
#![cfg(test)]

mod support;

use std::collections::BTreeSet;

use prowess_config::{ProblemKind, json_schema};
use serde_json::Value;
use support::World;

/// A table of the schema, and the file that opens it.
struct Table {
    opening: String,
    /// The dotted key of the table, as problems have it.
    path: String,
    keys: BTreeSet<String>,
}

fn collect(schema: &Value, path: &str, opening: &str, tables: &mut Vec<Table>) {
    let Some(properties) = schema["properties"].as_object() else {
        return;
    };
    assert_eq!(schema["additionalProperties"], false, "{path}");
    tables.push(Table {
        opening: opening.to_owned(),
        path: path.to_owned(),
        keys: properties.keys().cloned().collect(),
    });
    for (name, property) in properties {
        assert!(property["description"].is_string(), "{path}.{name}");
        let below = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        let header = match opening.rfind("[[") {
            Some(_) => {
                let tail = below.trim_start_matches("skills.repositories.r.");
                format!("{opening}[skills.repositories.{tail}]\n")
            }
            None => format!("[{below}]\n"),
        };
        collect(property, &below, &header, tables);
        for variant in property["items"]["oneOf"].as_array().into_iter().flatten() {
            let opening = match variant["properties"]["type"]["enum"][0].as_str() {
                Some(kind) => format!("[[{below}]]\nname = 'r'\ntype = '{kind}'\n"),
                None => format!("[[{below}]]\nname = 'r'\n"),
            };
            collect(variant, &format!("{below}.r"), &opening, tables);
        }
    }
}

/// Whether the reader knows `key` in `table`.
fn is_known(table: &Table, key: &str) -> bool {
    // Every repository has these two already, every registry has a name.
    let stated: &[&str] = match table.path.as_str() {
        "skills.repositories.r" => &["name", "type"],
        "registries.r" => &["name"],
        _ => &[],
    };
    if stated.contains(&key) {
        return true;
    }
    // A date is a value that no key takes, so that only keys are told apart.
    let text = format!("{}{key} = 2024-01-01\n", table.opening);
    let path = if table.path.is_empty() {
        key.to_owned()
    } else {
        format!("{}.{key}", table.path)
    };
    let error = World::with(&text).load().unwrap_err();
    let mut problems = error.problems().iter();
    !problems.any(|problem| {
        problem.key() == path && matches!(problem.kind(), ProblemKind::UnknownKey { .. })
    })
}

#[test]
fn schema_and_reader_know_the_same_keys() {
    let mut tables = Vec::new();
    collect(&json_schema(), "", "", &mut tables);
    // The root, eight tables, a registry, seven kinds of repository; `ref`, three of `auth`, two of `header`.
    assert_eq!(tables.len(), 23);
    let mut keys: BTreeSet<String> = tables.iter().flat_map(|t| t.keys.clone()).collect();
    keys.extend(["unknown", "Name", "max-skills"].map(str::to_owned));
    for table in &tables {
        for key in &keys {
            let known = table.keys.contains(key);
            assert_eq!(is_known(table, key), known, "{key} in {}", table.opening);
        }
    }
}

#[test]
fn schema_and_reader_have_the_same_defaults() {
    let entries = prowess_config::SkillsConfig::default();
    let mut count = 0;
    for (section, table) in json_schema()["properties"].as_object().unwrap() {
        // A list of tables has no defaults.
        for (name, property) in table["properties"].as_object().into_iter().flatten() {
            let key = format!("{section}.{name}");
            let found = entries.entries().iter().find(|entry| entry.key == key);
            assert_eq!(
                found.map(|entry| &entry.value),
                property.get("default"),
                "{key}"
            );
            count += usize::from(found.is_some());
        }
    }
    assert_eq!(count, entries.entries().len());
}

#[test]
fn a_table_of_the_schema() {
    let schema = json_schema();
    let mcp = &schema["properties"]["skills"]["properties"]["repositories"]["items"]["oneOf"][6];
    insta::assert_snapshot!(serde_json::to_string(mcp).unwrap(), @r#"
    {"type":"object","additionalProperties":false,"properties":{"name":{"type":"string","description":"Short name of the repository."},"type":{"enum":["mcp"],"description":"Type of the repository."},"enabled":{"type":"boolean","description":"Whether to use the repository.","default":true},"command":{"type":"array","items":{"type":"string"},"description":"Program and arguments."},"url":{"type":"string","description":"URL of the server."},"env":{"type":"object","additionalProperties":{"type":"string"},"description":"Environment variables of the program."},"auth":{"type":"object","additionalProperties":false,"properties":{"bearer":{"type":"string","description":"A token."},"header":{"type":"object","additionalProperties":false,"properties":{"name":{"type":"string","description":"Its name."},"value":{"type":"string","description":"Its value."}},"required":["name","value"],"description":"A custom header."}},"oneOf":[{"required":["bearer"]},{"required":["header"]}],"description":"Credentials."}},"required":["name","type"],"oneOf":[{"required":["command"]},{"required":["url"]}],"dependentRequired":{"env":["command"],"auth":["url"]}}
    "#);
}
