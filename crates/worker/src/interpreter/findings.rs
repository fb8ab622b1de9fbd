//! The result of a scanner.

use prowess_sdk::wire::Finding;
use starlark::values::Value;
use starlark::values::dict::DictRef;
use starlark::values::list::ListRef;

use crate::error::{WorkerError, shape};

const SEVERITIES: [&str; 5] = ["critical", "high", "medium", "low", "info"];

fn found(value: Option<Value<'_>>) -> String {
    value.map_or("absent".to_owned(), |value| {
        format!("a value of type `{}`", value.get_type())
    })
}

/// Reads a list of findings; nothing is the same as an empty one.
pub(super) fn findings(value: Value<'_>) -> Result<Vec<Finding>, WorkerError> {
    if value.is_none() {
        return Ok(Vec::new());
    }
    let list = ListRef::from_value(value).ok_or_else(|| {
        let expected = "a list of dicts with rule, severity, file, message and optionally line";
        shape("result of a scanner", expected, found(Some(value)))
    })?;
    list.iter()
        .enumerate()
        .map(|(at, value)| finding(at, value))
        .collect()
}

fn finding(at: usize, value: Value<'_>) -> Result<Finding, WorkerError> {
    let dict = DictRef::from_value(value).ok_or_else(|| {
        let expected = "a dict with rule, severity, file, message and optionally line";
        shape(format!("finding {at}"), expected, found(Some(value)))
    })?;
    let text = |name: &str| {
        let value = dict.get_str(name);
        let text = value.and_then(Value::unpack_str).map(str::to_owned);
        text.ok_or_else(|| {
            shape(
                format!("`{name}` of finding {at}"),
                "a string",
                found(value),
            )
        })
    };
    let severity = text("severity")?;
    if !SEVERITIES.contains(&severity.as_str()) {
        let what = format!("`severity` of finding {at}");
        let expected = "critical, high, medium, low or info";
        return Err(shape(what, expected, format!("`{severity}`")));
    }
    let line = match dict.get_str("line") {
        None => None,
        Some(line) if line.is_none() => None,
        Some(line) => {
            let number = line
                .unpack_i32()
                .and_then(|line| usize::try_from(line).ok());
            let number = number.filter(|number| *number > 0).ok_or_else(|| {
                let what = format!("`line` of finding {at}");
                shape(what, "a positive integer", line.to_repr())
            })?;
            Some(number)
        }
    };
    Ok(Finding {
        rule: text("rule")?,
        severity,
        file: text("file")?,
        line,
        message: text("message")?,
    })
}
