//! The input of tools: their JSON schemas, and the check of a call.

use std::collections::BTreeSet;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, Validator};
use prowess_spec::{Mapping, Node, Resolved, Value as Yaml};
use serde_json::Value;

/// Problems of one input that are reported.
const PROBLEMS: usize = 5;
/// Characters of a value in a message.
const SHOWN: usize = 100;

/// The compiled schema of a tool's input.
#[derive(Debug)]
pub(crate) struct InputSchema {
    validator: Validator,
    /// The only fields there are, if the schema lists fields and says nothing about others.
    fields: Option<BTreeSet<String>>,
}

impl InputSchema {
    /// Compiles a schema. References to other documents are refused, and patterns are those of linear time.
    pub(crate) fn new(schema: &Value) -> Result<Self, String> {
        let options = jsonschema::options().with_pattern_options(PatternOptions::regex());
        let validator = options.build(schema).map_err(|error| {
            let place = error.instance_path().as_str();
            let place = if place.is_empty() { "/" } else { place };
            format!("{place}: {}", shown(&error.masked().to_string()))
        })?;
        Ok(Self {
            validator,
            fields: fields(schema),
        })
    }

    /// What is wrong with an input, for the model that sent it.
    pub(crate) fn problem(&self, input: &Value) -> Option<String> {
        let mut problems: Vec<String> = Vec::new();
        if let (Some(fields), Some(input)) = (&self.fields, input.as_object()) {
            let unknown = input.keys().filter(|name| !fields.contains(*name));
            problems.extend(unknown.map(|name| unknown_field(name, fields)));
        }
        if problems.is_empty() && self.validator.is_valid(input) {
            return None;
        }
        for error in self.validator.iter_errors(input) {
            let place = error.instance_path().as_str().trim_start_matches('/');
            let at = |text: String| match place {
                "" => text,
                place => format!("`{}`: {text}", shown(place)),
            };
            problems.push(match error.kind() {
                ValidationErrorKind::Required { property } => {
                    let name = property.as_str().unwrap_or_default();
                    at(format!("`{}` is missing", shown(name)))
                }
                ValidationErrorKind::AdditionalProperties { unexpected }
                | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                    let names = unexpected.iter().map(|name| format!("`{}`", shown(name)));
                    let names: Vec<String> = names.collect();
                    at(format!("unknown field {}", names.join(", ")))
                }
                _ => at(shown(&error.to_string())),
            });
        }
        let more = problems.len().saturating_sub(PROBLEMS);
        problems.truncate(PROBLEMS);
        if more > 0 {
            problems.push(format!("and {more} more"));
        }
        Some(problems.join("; "))
    }
}

fn unknown_field(name: &str, fields: &BTreeSet<String>) -> String {
    let known: Vec<&str> = fields.iter().map(String::as_str).collect();
    let name = shown(name);
    match known.as_slice() {
        [] => format!("unknown field `{name}`: there are none"),
        known => format!("unknown field `{name}`, known: {}", known.join(", ")),
    }
}

/// The fields of an object whose schema lists fields and leaves open whether there may be others.
fn fields(schema: &Value) -> Option<BTreeSet<String>> {
    const OTHERS: [&str; 9] = [
        "additionalProperties",
        "unevaluatedProperties",
        "patternProperties",
        "propertyNames",
        "$ref",
        "allOf",
        "anyOf",
        "oneOf",
        "if",
    ];
    if OTHERS.iter().any(|keyword| schema.get(keyword).is_some()) {
        return None;
    }
    let properties = schema.get("properties")?.as_object()?;
    Some(properties.keys().cloned().collect())
}

fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// A schema that a manifest holds, as JSON. Numbers are numbers, however they are written.
pub(crate) fn schema_of(mapping: &Mapping) -> Value {
    let members = mapping.entries.iter();
    members
        .map(|entry| (entry.key.clone(), json_of(&entry.value)))
        .collect()
}

fn json_of(node: &Node) -> Value {
    match &node.value {
        Yaml::Mapping(mapping) => schema_of(mapping),
        Yaml::Sequence(items) => items.iter().map(json_of).collect(),
        Yaml::Scalar(scalar) => match scalar.resolve() {
            Resolved::Null => Value::Null,
            Resolved::Bool(value) => value.into(),
            Resolved::Int(value) => value.into(),
            Resolved::Float(value) => value.into(),
            Resolved::Text(text) => text.into(),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(schema: &Value, input: &Value, expected: Option<&str>) {
        let schema = InputSchema::new(schema).unwrap();
        assert_eq!(schema.problem(input).as_deref(), expected, "{input}");
    }

    #[test]
    fn input_is_checked_against_the_schema() {
        let schema = json!({
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "days": {"type": "integer", "maximum": 7},
                "unit": {"enum": ["c", "f"]},
                "at": {"type": "object", "properties": {"hour": {"type": "number"}}, "required": ["hour"]},
            },
            "required": ["city"],
        });
        check(&schema, &json!({"city": "Bern"}), None);
        check(
            &schema,
            &json!({"city": "B", "days": 2.0, "unit": "c", "at": {"hour": 1, "more": 2}}),
            None,
        );
        check(&schema, &json!({}), Some("`city` is missing"));
        check(
            &schema,
            &json!({"town": "B"}),
            Some("unknown field `town`, known: at, city, days, unit; `city` is missing"),
        );
        for (field, value, expected) in [
            ("city", json!(1), "1 is not of type \"string\""),
            ("days", json!(8), "8 is greater than the maximum of 7"),
            ("unit", json!("k"), "\"k\" is not one of \"c\" or \"f\""),
            ("at", json!({}), "`hour` is missing"),
        ] {
            let mut input = json!({"city": "B"});
            input[field] = value;
            check(&schema, &input, Some(&format!("`{field}`: {expected}")));
        }
        check(
            &schema,
            &json!("text"),
            Some("\"text\" is not of type \"object\""),
        );
        let closed = json!({"properties": {"a": {}}, "additionalProperties": false});
        check(&closed, &json!({"b": 1}), Some("unknown field `b`"));
        let open = json!({"properties": {"a": {}}, "additionalProperties": true});
        check(&open, &json!({"b": 1}), None);
        check(&json!({}), &json!({"any": 1}), None);
    }

    #[test]
    fn schemas_that_are_none_are_refused() {
        for schema in [
            json!({"type": "text"}),
            json!({"properties": {"a": {"pattern": "("}}}),
            json!({"properties": {"a": {"pattern": "(?=a)b"}}}),
            json!({"$ref": "https://example.com/schema.json"}),
            json!({"$ref": "file:///etc/passwd"}),
        ] {
            assert!(InputSchema::new(&schema).is_err(), "{schema}");
        }
        // One that refers to itself ends where the input does.
        let schema = json!({"properties": {"next": {"$ref": "#"}}, "additionalProperties": false});
        check(&schema, &json!({"next": {"next": {}}}), None);
    }
}
