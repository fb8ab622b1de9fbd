//! A place in a JSON document.

use serde_json::Value;

/// What is at a place: `$.a[0].b`, or `/a/0/b`.
pub(super) fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    if path.is_empty() || path.starts_with('/') {
        return value.pointer(path);
    }
    let path = path.strip_prefix('$').unwrap_or(path);
    let mut here = value;
    for part in path
        .replace('[', ".")
        .split('.')
        .filter(|part| !part.is_empty())
    {
        let part = part.trim_end_matches(']').trim_matches(['"', '\'']);
        here = match here {
            Value::Array(items) => items.get(part.parse::<usize>().ok()?)?,
            Value::Object(members) => members.get(part)?,
            _ => return None,
        };
    }
    Some(here)
}

/// The JSON in an answer: all of it, or what stands between the first fences, or from the first bracket on.
pub(super) fn json_in(text: &str) -> Option<Value> {
    if let Ok(value) = serde_json::from_str(text.trim()) {
        return Some(value);
    }
    if let Some((_, after)) = text.split_once("```") {
        let (_, body) = after.split_once('\n')?;
        let (body, _) = body.split_once("```").unwrap_or((body, ""));
        if let Ok(value) = serde_json::from_str(body.trim()) {
            return Some(value);
        }
    }
    let start = text.find(['{', '['])?;
    let rest = text.get(start..)?;
    serde_json::Deserializer::from_str(rest)
        .into_iter()
        .next()?
        .ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places() {
        let value = json!({"a": [{"b": 1.5, "c d": true}], "e": null});
        for (path, expected) in [
            ("$.a[0].b", Some(json!(1.5))),
            ("a.0.b", Some(json!(1.5))),
            ("/a/0/b", Some(json!(1.5))),
            ("$.a[0]['c d']", Some(json!(true))),
            ("$", Some(value.clone())),
            ("$.e", Some(json!(null))),
            ("$.a[1]", None),
            ("$.a.b", None),
            ("$.x", None),
        ] {
            assert_eq!(at(&value, path), expected.as_ref(), "{path}");
        }
    }

    #[test]
    fn json_somewhere_in_an_answer() {
        for text in [
            "{\"a\": 1}",
            "Here:\n```json\n{\"a\": 1}\n```\nDone.",
            "It is {\"a\": 1}, I think.",
        ] {
            assert_eq!(json_in(text), Some(json!({"a": 1})), "{text}");
        }
        assert_eq!(json_in("no"), None);
        assert_eq!(json_in("{no"), None);
    }
}
