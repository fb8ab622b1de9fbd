//! Checks the arguments of a call against the schema of a tool.
//!
//! Only the outermost object is looked at: that is where models go wrong, and the tool itself has the last word.

use serde_json::{Map, Value};

/// The problem of the arguments, for the model; `None` if they are acceptable.
pub(crate) fn problem(schema: &Value, arguments: &Value) -> Option<String> {
    let Value::Object(given) = arguments else {
        return Some(match arguments {
            Value::String(text) => {
                let shown: String = text.chars().take(200).collect();
                format!(
                    "invalid arguments: expected a JSON object, got `{}`",
                    shown.escape_debug()
                )
            }
            _ => "invalid arguments: expected a JSON object".to_owned(),
        });
    };
    let none = Map::new();
    let properties = schema
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&none);
    let required = schema.get("required").and_then(Value::as_array);
    let missing = required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .find(|name| !given.contains_key(*name));
    if let Some(name) = missing {
        return Some(format!("`{name}` is missing"));
    }
    if schema.get("additionalProperties") == Some(&Value::Bool(false))
        && let Some(name) = given.keys().find(|name| !properties.contains_key(*name))
    {
        return Some(format!("unknown argument `{}`", name.escape_debug()));
    }
    given
        .iter()
        .find_map(|(name, value)| misfit(name, properties.get(name)?, value))
}

fn misfit(name: &str, schema: &Value, value: &Value) -> Option<String> {
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        let allowed: Vec<String> = allowed.iter().take(20).map(Value::to_string).collect();
        return Some(format!(
            "invalid `{name}`: expected one of {}",
            allowed.join(", ")
        ));
    }
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let fits = types.iter().any(|kind| is(kind, value));
    (!fits).then(|| format!("invalid `{name}`: expected {}", types.join(" or ")))
}

fn is(kind: &str, value: &Value) -> bool {
    match kind {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|it| it.fract() == 0.0)
        }
        // Unknown keywords are left to the tool.
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(arguments: &Value, expected: Option<&str>) {
        let schema = json!({
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "days": {"type": "integer"},
                "unit": {"enum": ["c", "f"]},
                "share": {"type": ["number", "null"]},
            },
            "required": ["city"],
            "additionalProperties": false,
        });
        assert_eq!(
            problem(&schema, arguments).as_deref(),
            expected,
            "{arguments}"
        );
    }

    #[test]
    fn values_are_checked_against_the_schema() {
        check(&json!({"city": "Bern"}), None);
        check(
            &json!({"city": "Bern", "days": 2, "unit": "c", "share": 0.5}),
            None,
        );
        check(&json!({"city": "Bern", "days": 2.0, "share": null}), None);
        check(&json!({}), Some("`city` is missing"));
        check(&json!({"city": 1}), Some("invalid `city`: expected string"));
        check(
            &json!({"city": "B", "days": 2.5}),
            Some("invalid `days`: expected integer"),
        );
        check(
            &json!({"city": "B", "unit": "k"}),
            Some("invalid `unit`: expected one of \"c\", \"f\""),
        );
        check(
            &json!({"city": "B", "town": "C"}),
            Some("unknown argument `town`"),
        );
        check(
            &json!("{\"city\": "),
            Some("invalid arguments: expected a JSON object, got `{\\\"city\\\": `"),
        );
        check(
            &json!([1]),
            Some("invalid arguments: expected a JSON object"),
        );
        assert_eq!(problem(&json!({}), &json!({"any": 1})), None);
        assert_eq!(problem(&json!(true), &json!({"any": 1})), None);
    }
}
