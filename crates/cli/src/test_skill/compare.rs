//! Compares the result of a case with what it expects.

use prowess_spec::SkillPath;
use serde_json::Value;

use super::case::Expectation;

/// Characters of a value that a message shows.
const SHOWN: usize = 1_000;

/// The result of an action.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) text: String,
    /// The result, if it is more than a text.
    pub(super) value: Option<Value>,
    /// Why the action failed.
    pub(super) error: Option<String>,
    /// The exit code of a script.
    pub(super) exit_code: Option<i64>,
    /// The expected files, as far as they exist.
    pub(super) files: Vec<(SkillPath, Vec<u8>)>,
}

/// Says what does not hold.
pub(super) fn compare(expected: &Expectation, answer: &Answer) -> Result<(), String> {
    compare_error(expected, answer)?;
    if let Some(whole) = &expected.whole {
        compare_value(whole, answer, Extent::Whole)?;
    }
    if let Some(part) = &expected.part {
        compare_value(part, answer, Extent::Part)?;
    }
    for text in &expected.contains {
        if !answer.text.contains(text) {
            return Err(texts_differ("a text that contains", text, &answer.text));
        }
    }
    for (path, text) in &expected.files {
        let found = answer.files.iter().find(|(found, _)| found == path);
        let Some((_, bytes)) = found else {
            return Err(format!("`{path}` does not exist"));
        };
        if bytes != text.as_bytes() {
            let found = String::from_utf8_lossy(bytes);
            return Err(format!(
                "`{path}`: {}",
                texts_differ("the text", text, &found)
            ));
        }
    }
    Ok(())
}

fn compare_error(expected: &Expectation, answer: &Answer) -> Result<(), String> {
    if let Some(code) = answer.exit_code {
        match expected.exit_code {
            Some(wanted) if wanted != code => {
                let error = answer.error.as_deref().unwrap_or_default();
                return Err(format!(
                    "expected exit code {wanted}, got {code}\n{}",
                    clip(error)
                ));
            }
            // The exit code was expected, and so was its error.
            Some(_) if expected.error.is_none() => return Ok(()),
            _ => {}
        }
    }
    match (&expected.error, &answer.error) {
        (None, None) => Ok(()),
        (None, Some(error)) => Err(clip(error)),
        (Some(text), None) => Err(texts_differ("an error that contains", text, &answer.text)),
        (Some(text), Some(error)) if error.contains(text) => Ok(()),
        (Some(text), Some(error)) => Err(texts_differ("an error that contains", text, error)),
    }
}

/// How much of a value has to be there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Whole,
    /// Objects may have more keys.
    Part,
}

fn compare_value(expected: &Value, answer: &Answer, extent: Extent) -> Result<(), String> {
    let parsed;
    let value = match (&answer.value, expected) {
        (Some(value), _) => value,
        (None, Value::String(text)) if *text == answer.text => return Ok(()),
        (None, Value::String(text)) => return Err(texts_differ("the text", text, &answer.text)),
        (None, _) => {
            let json = serde_json::from_str::<Value>(&answer.text);
            let Ok(json) = json else {
                return Err(difference("JSON", &expected.to_string(), &answer.text));
            };
            parsed = json;
            &parsed
        }
    };
    if matches(expected, value, extent) {
        return Ok(());
    }
    let what = match extent {
        Extent::Whole => "",
        Extent::Part => "at least",
    };
    Err(difference(what, &expected.to_string(), &value.to_string()))
}

fn matches(expected: &Value, value: &Value, extent: Extent) -> bool {
    match (expected, value) {
        (Value::Object(expected), Value::Object(value)) => {
            let is_there = |(key, expected): (&String, &Value)| {
                value
                    .get(key)
                    .is_some_and(|it| matches(expected, it, extent))
            };
            let fits = extent == Extent::Part || expected.len() == value.len();
            fits && expected.iter().all(is_there)
        }
        (Value::Array(expected), Value::Array(value)) => {
            let mut pairs = expected.iter().zip(value);
            expected.len() == value.len() && pairs.all(|(a, b)| matches(a, b, extent))
        }
        // 3 and 3.0 are one number, whatever language printed it.
        (Value::Number(expected), Value::Number(value)) => {
            expected == value
                || (expected.is_f64() || value.is_f64()) && expected.as_f64() == value.as_f64()
        }
        (expected, value) => expected == value,
    }
}

fn difference(what: &str, expected: &str, got: &str) -> String {
    let space = if what.is_empty() { "" } else { " " };
    format!(
        "expected {what}{space}{}\ngot      {}",
        clip(expected),
        clip(got)
    )
}

/// The same for texts, each on one line.
fn texts_differ(what: &str, expected: &str, got: &str) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    difference(what, &quoted(expected), &quoted(got))
}

fn clip(text: &str) -> String {
    let text = text.trim_end();
    let more = text.chars().count().saturating_sub(SHOWN);
    if more == 0 {
        return text.to_owned();
    }
    let shown: String = text.chars().take(SHOWN).collect();
    format!("{shown}… ({more} more characters)")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parts_allow_more_keys_and_numbers_have_one_form() {
        let check = |expected: Value, value: Value| {
            let whole = matches(&expected, &value, Extent::Whole);
            (whole, matches(&expected, &value, Extent::Part))
        };
        assert_eq!(check(json!({"a": 3}), json!({"a": 3.0})), (true, true));
        assert_eq!(
            check(json!({"a": 3}), json!({"a": 3, "b": 1})),
            (false, true)
        );
        assert_eq!(
            check(json!([{"a": 1}]), json!([{"a": 1, "b": 2}])),
            (false, true)
        );
        assert_eq!(check(json!([1]), json!([1, 2])), (false, false));
        assert_eq!(check(json!({"a": 1}), json!({"a": "1"})), (false, false));
        // Large numbers are not compared as floats.
        let large = json!(9_007_199_254_740_993_i64);
        assert_eq!(
            check(large, json!(9_007_199_254_740_992_i64)),
            (false, false)
        );
    }
}
