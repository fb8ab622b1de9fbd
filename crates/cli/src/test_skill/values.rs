//! Values of test files, converted to what a case needs. An error is what was expected.

use std::collections::BTreeMap;

use prowess_sdk::Phase;
use prowess_spec::SkillPath;
use prowess_spec::manifest::{Keyword, Mode};
use serde_json::{Map, Number, Value};
use toml_edit::{Item, Table, Value as TomlValue};

pub(super) fn text(item: &Item) -> Result<String, String> {
    let text = item.as_str().ok_or("a text")?;
    Ok(text.to_owned())
}

pub(super) fn texts(item: &Item) -> Result<Vec<String>, String> {
    let texts = item.as_array().and_then(|array| {
        let texts = array.iter().map(|it| it.as_str().map(str::to_owned));
        texts.collect::<Option<Vec<String>>>()
    });
    texts.ok_or_else(|| "a list of texts".to_owned())
}

pub(super) fn integer(item: &Item) -> Result<i64, String> {
    item.as_integer().ok_or_else(|| "a number".to_owned())
}

pub(super) fn boolean(item: &Item) -> Result<bool, String> {
    item.as_bool().ok_or_else(|| "true or false".to_owned())
}

pub(super) fn yes(item: &Item) -> Result<(), String> {
    let is_true = item.as_bool() == Some(true);
    is_true.then_some(()).ok_or_else(|| "true".to_owned())
}

pub(super) fn phase(item: &Item) -> Result<Phase, String> {
    let phase = text(item)?.parse::<Phase>();
    phase.map_err(|_| format!("one of: {}", Phase::ALL.map(Phase::name).join(", ")))
}

pub(super) fn mode(item: &Item) -> Result<Mode, String> {
    Mode::parse(&text(item)?).ok_or_else(|| format!("one of: {}", Mode::names().join(", ")))
}

pub(super) fn path(item: &Item) -> Result<SkillPath, String> {
    skill_path(&text(item)?)
}

fn skill_path(text: &str) -> Result<SkillPath, String> {
    let expected = |_| format!("a relative path without `..`, not `{text}`");
    SkillPath::parse(text).map_err(expected)
}

/// Paths with their texts, or a list of paths of empty files.
pub(super) fn files(item: &Item) -> Result<Vec<(SkillPath, String)>, String> {
    if let Ok(paths) = texts(item) {
        let empty = |path: &String| Ok((skill_path(path)?, String::new()));
        return paths.iter().map(empty).collect();
    }
    let expected = || "a table of paths and texts".to_owned();
    let table = item.as_table_like().ok_or_else(expected)?;
    let file = |(path, item): (&str, &Item)| {
        let content = item.as_str().ok_or_else(expected)?;
        Ok((skill_path(path)?, content.to_owned()))
    };
    let files: Result<BTreeMap<_, _>, String> = table.iter().map(file).collect();
    Ok(files?.into_iter().collect())
}

pub(super) fn object(item: &Item) -> Result<Map<String, Value>, String> {
    match json(item)? {
        Value::Object(object) => Ok(object),
        _ => Err("a table".to_owned()),
    }
}

/// TOML as JSON; dates are texts.
pub(super) fn json(item: &Item) -> Result<Value, String> {
    match item {
        Item::None => Err("a value".to_owned()),
        Item::Value(value) => json_value(value),
        Item::Table(table) => {
            let entry = |(key, item): (&str, &Item)| Ok((key.to_owned(), json(item)?));
            table.iter().map(entry).collect()
        }
        Item::ArrayOfTables(tables) => {
            let table = |table: &Table| json(&Item::Table(table.clone()));
            tables.iter().map(table).collect()
        }
    }
}

fn json_value(value: &TomlValue) -> Result<Value, String> {
    Ok(match value {
        TomlValue::String(text) => Value::from(text.value().as_str()),
        TomlValue::Integer(number) => Value::from(*number.value()),
        TomlValue::Float(number) => {
            let number = Number::from_f64(*number.value());
            Value::Number(number.ok_or("a finite number")?)
        }
        TomlValue::Boolean(value) => Value::from(*value.value()),
        TomlValue::Datetime(date) => Value::from(date.value().to_string()),
        TomlValue::Array(items) => items.iter().map(json_value).collect::<Result<_, _>>()?,
        TomlValue::InlineTable(table) => {
            let entry = |(key, value): (&str, &TomlValue)| Ok((key.to_owned(), json_value(value)?));
            table.iter().map(entry).collect::<Result<_, String>>()?
        }
    })
}
