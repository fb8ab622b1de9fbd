//! The JSON schema of a configuration file, for editors.

use serde_json::{Map, Value, json};

use crate::config;
use crate::shape::{Field, FieldType, Need, Shape};

/// The JSON schema of `prowess.toml`, generated from the keys that the reader requests.
pub fn json_schema() -> Value {
    let mut schema = table(&config::shape());
    if let Value::Object(schema) = &mut schema {
        let dialect = "https://json-schema.org/draft/2020-12/schema";
        schema.insert("$schema".to_owned(), dialect.into());
        schema.insert("title".to_owned(), "prowess.toml".into());
    }
    schema
}

fn table(shape: &Shape) -> Value {
    let properties: Map<String, Value> = shape
        .fields
        .iter()
        .map(|field| (field.name.to_owned(), property(field)))
        .collect();
    let required: Vec<&str> = shape
        .fields
        .iter()
        .filter(|field| field.need == Need::Required)
        .map(|field| field.name)
        .collect();
    let mut schema = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    });
    if !required.is_empty() {
        put(&mut schema, "required", json!(required));
    }
    if !shape.choice.is_empty() {
        let choice: Vec<Value> = shape
            .choice
            .iter()
            .map(|key| json!({ "required": [key] }))
            .collect();
        put(&mut schema, "oneOf", choice.into());
    }
    if !shape.only_with.is_empty() {
        let dependent: Map<String, Value> = shape
            .only_with
            .iter()
            .map(|(key, other)| ((*key).to_owned(), json!([other])))
            .collect();
        put(&mut schema, "dependentRequired", dependent.into());
    }
    schema
}

fn property(field: &Field) -> Value {
    let mut schema = kind(&field.kind);
    put(&mut schema, "description", field.about.into());
    if let Need::Default(value) = &field.need {
        put(&mut schema, "default", value.clone());
    }
    schema
}

fn kind(kind_of_value: &FieldType) -> Value {
    match kind_of_value {
        FieldType::Flag => json!({ "type": "boolean" }),
        FieldType::Number { least, greatest } => {
            json!({ "type": "integer", "minimum": least, "maximum": greatest })
        }
        FieldType::Share => json!({ "type": "number", "exclusiveMinimum": 0, "maximum": 1 }),
        FieldType::Text => json!({ "type": "string" }),
        FieldType::Keyword(words) => json!({ "enum": words }),
        FieldType::Scalar => json!({ "type": ["string", "integer", "number", "boolean"] }),
        FieldType::List(item) => json!({ "type": "array", "items": kind(item) }),
        FieldType::Map(item) => json!({ "type": "object", "additionalProperties": kind(item) }),
        FieldType::Table(shape) => table(shape),
        FieldType::Tables(shapes) => {
            let shapes: Vec<Value> = shapes.iter().map(table).collect();
            json!({ "type": "array", "items": { "oneOf": shapes } })
        }
    }
}

fn put(schema: &mut Value, key: &str, value: Value) {
    if let Value::Object(schema) = schema {
        schema.insert(key.to_owned(), value);
    }
}
