//! A place in a JSON document.

use std::fmt;

use serde_json::Value;

/// A place in a JSON document: `$.a[0].b`, `a.0.b`, or `/a/0/b`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonPath {
    text: String,
    steps: Vec<String>,
}

impl JsonPath {
    /// Parses a path; what would name several places is refused.
    pub fn parse(text: &str) -> Result<Self, String> {
        let steps = if text.starts_with('/') {
            text.split('/').skip(1).map(unescaped).collect()
        } else {
            steps(text.strip_prefix('$').unwrap_or(text))?
        };
        let text = text.to_owned();
        Ok(Self { text, steps })
    }

    /// The value at the path.
    pub(super) fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.steps.iter().try_fold(value, |here, step| match here {
            Value::Array(items) => items.get(step.parse::<usize>().ok()?),
            Value::Object(members) => members.get(step),
            _ => None,
        })
    }
}

impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn unescaped(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// The steps of `.a[0]['b c']`; the first dot may be missing.
fn steps(text: &str) -> Result<Vec<String>, String> {
    let mut steps = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (step, after) = if let Some(inside) = rest.strip_prefix('[') {
            bracketed(inside)?
        } else {
            let name = rest.strip_prefix('.').unwrap_or(rest);
            let end = name.find(['.', '[']).unwrap_or(name.len());
            let (name, after) = name.split_at(end);
            match name {
                "" => return Err("missing name after a dot".to_owned()),
                "*" => return Err(one_place("*")),
                name => (name.to_owned(), after),
            }
        };
        steps.push(step);
        rest = after;
    }
    Ok(steps)
}

/// A step in brackets, and what follows it.
fn bracketed(inside: &str) -> Result<(String, &str), String> {
    let unclosed = || "unclosed bracket".to_owned();
    if let Some(quote) = inside.chars().next().filter(|c| matches!(c, '\'' | '"')) {
        let name = inside.strip_prefix(quote).unwrap_or(inside);
        let (name, after) = name.split_once(quote).ok_or_else(unclosed)?;
        let after = after.strip_prefix(']').ok_or_else(unclosed)?;
        return Ok((name.to_owned(), after));
    }
    let (number, after) = inside.split_once(']').ok_or_else(unclosed)?;
    if number.parse::<usize>().is_err() {
        return Err(one_place(&format!("[{number}]")));
    }
    Ok((number.to_owned(), after))
}

fn one_place(part: &str) -> String {
    format!("`{part}` selects more than one value; write a path such as `$.a[0].b`")
}

/// The JSON in an answer: the whole text, the content of the first code fence, or the text from the first bracket on.
pub(super) fn json_in(text: &str) -> Option<Value> {
    if let Ok(value) = serde_json::from_str(text.trim()) {
        return Some(value);
    }
    let fenced = || {
        let (_, after) = text.split_once("```")?;
        let (_, body) = after.split_once('\n')?;
        let (body, _) = body.split_once("```").unwrap_or((body, ""));
        serde_json::from_str(body.trim()).ok()
    };
    let from_bracket = || {
        let rest = text.get(text.find(['{', '['])?..)?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter();
        values.next()?.ok()
    };
    fenced().or_else(from_bracket)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places() {
        let value = json!({"a": [{"b": 1.5, "c d": true, "e.f": 2}], "e": null, "g/h": 3});
        for (path, expected) in [
            ("$.a[0].b", Some(json!(1.5))),
            ("a.0.b", Some(json!(1.5))),
            ("/a/0/b", Some(json!(1.5))),
            ("/g~1h", Some(json!(3))),
            ("$.a[0]['c d']", Some(json!(true))),
            ("$.a[0][\"e.f\"]", Some(json!(2))),
            ("$", Some(value.clone())),
            ("$.e", Some(json!(null))),
            ("$.a[1]", None),
            ("$.a.b", None),
            ("$.x", None),
        ] {
            let parsed = JsonPath::parse(path).unwrap();
            assert_eq!(parsed.of(&value), expected.as_ref(), "{path}");
        }
    }

    #[test]
    fn invalid_paths_are_errors() {
        for (path, reason) in [
            ("$..a", "missing name after a dot"),
            ("$.a.", "missing name after a dot"),
            (
                "$.a[*]",
                "`[*]` selects more than one value; write a path such as `$.a[0].b`",
            ),
            (
                "$.*",
                "`*` selects more than one value; write a path such as `$.a[0].b`",
            ),
            (
                "$.a[-1]",
                "`[-1]` selects more than one value; write a path such as `$.a[0].b`",
            ),
            ("$.a[0", "unclosed bracket"),
            ("$.a['b]", "unclosed bracket"),
        ] {
            assert_eq!(JsonPath::parse(path).unwrap_err(), reason, "{path}");
        }
    }

    #[test]
    fn json_is_found_in_an_answer() {
        for text in [
            "{\"a\": 1}",
            "Here:\n```json\n{\"a\": 1}\n```\nDone.",
            "Here:\r\n```json\r\n{\"a\": 1}\r\n```\r\n",
            "It is {\"a\": 1}, I think.",
            "`x` ``` y {\"a\": 1}",
        ] {
            assert_eq!(json_in(text), Some(json!({"a": 1})), "{text}");
        }
        assert_eq!(json_in("no"), None);
        assert_eq!(json_in("{no"), None);
    }
}
