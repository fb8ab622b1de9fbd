//! Frontmatter as values: whole, in order, each with its place in the file.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::span::Span;

/// A value and its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// The position in the original file.
    pub span: Span,
}

/// A YAML value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Text, a number, a boolean or null, as it was written.
    Scalar(Scalar),
    /// A list.
    Sequence(Vec<Node>),
    /// Keys and values.
    Mapping(Mapping),
}

/// A scalar, stored as its source text so that `1.10` stays `1.10`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// The text, quotes and escapes resolved.
    pub text: String,
    /// Its style.
    pub style: Style,
}

/// How a scalar was written, as far as it decides the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes on one or more lines: may be a number, a boolean or null.
    Plain,
    /// In quotes or as a block: always text.
    Quoted,
}

/// The meaning of a scalar in the YAML 1.2 core schema.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Resolved<'a> {
    /// Nothing, `~` or `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number that fits.
    Int(i64),
    /// A number with a fraction, or too large for an integer.
    Float(f64),
    /// Anything else.
    Text(&'a str),
}

/// A mapping in source order, each key once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mapping {
    /// The entries, in source order.
    pub entries: Vec<MappingEntry>,
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct MappingEntry {
    /// The key's text.
    pub key: String,
    /// The position of the key.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

impl Mapping {
    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The entry of `key`.
    pub fn entry(&self, key: &str) -> Option<&MappingEntry> {
        self.entries.iter().find(|entry| entry.key == key)
    }
}

impl Node {
    /// The scalar, if it is one.
    pub const fn as_scalar(&self) -> Option<&Scalar> {
        match &self.value {
            Value::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The mapping, if it is one.
    pub const fn as_mapping(&self) -> Option<&Mapping> {
        match &self.value {
            Value::Mapping(mapping) => Some(mapping),
            _ => None,
        }
    }

    /// Whether the value is null.
    pub fn is_null(&self) -> bool {
        self.as_scalar()
            .is_some_and(|scalar| scalar.resolve() == Resolved::Null)
    }

    /// The value as compact JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Value {
    /// The type of value, for messages: `a list`, `a mapping`, `a number`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sequence(_) => "a list",
            Self::Mapping(_) => "a mapping",
            Self::Scalar(scalar) => match scalar.resolve() {
                Resolved::Null => "null",
                Resolved::Bool(_) => "a boolean",
                Resolved::Int(_) | Resolved::Float(_) => "a number",
                Resolved::Text(_) => "text",
            },
        }
    }
}

impl Scalar {
    /// Plain text as it would stand in a file without quotes.
    pub fn plain(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            style: Style::Plain,
        }
    }

    /// The meaning in the YAML 1.2 core schema.
    pub fn resolve(&self) -> Resolved<'_> {
        resolve(&self.text, self.style)
    }

    /// Whether a YAML 1.1 or 1.2 reader would take it for something other than text.
    pub fn is_ambiguous(&self) -> bool {
        const OLD_BOOLEANS: [&str; 8] = ["y", "yes", "on", "true", "n", "no", "off", "false"];
        self.style == Style::Plain
            && (!matches!(self.resolve(), Resolved::Text(_))
                || OLD_BOOLEANS.contains(&self.text.to_ascii_lowercase().as_str()))
    }
}

pub(crate) fn resolve(text: &str, style: Style) -> Resolved<'_> {
    match style {
        Style::Quoted => Resolved::Text(text),
        Style::Plain => resolve_plain(text),
    }
}

fn resolve_plain(text: &str) -> Resolved<'_> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Resolved::Null,
        "true" | "True" | "TRUE" => Resolved::Bool(true),
        "false" | "False" | "FALSE" => Resolved::Bool(false),
        _ if !text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) => {
            Resolved::Text(text)
        }
        _ => resolve_number(text).unwrap_or(Resolved::Text(text)),
    }
}

fn resolve_number(text: &str) -> Option<Resolved<'static>> {
    if let Some(digits) = text.strip_prefix("0x") {
        return resolve_radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return resolve_radix(digits, 8);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
        return Some(Resolved::Float(f64::INFINITY * sign));
    }
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Some(Resolved::Float(f64::NAN));
    }
    let digits_only = unsigned.bytes().all(|byte| byte.is_ascii_digit());
    if digits_only && !unsigned.is_empty() {
        return Some(match text.parse() {
            Ok(number) => Resolved::Int(number),
            Err(_) => Resolved::Float(text.parse().ok()?),
        });
    }
    // `f64` would also parse `infinity` and the like; YAML has digits, a point and an exponent.
    let shape = |byte: u8| byte.is_ascii_digit() || b".eE+-".contains(&byte);
    let has_digit = unsigned.bytes().any(|byte| byte.is_ascii_digit());
    if has_digit && unsigned.bytes().all(shape) {
        return text.parse().ok().map(Resolved::Float);
    }
    None
}

fn resolve_radix(digits: &str, radix: u32) -> Option<Resolved<'static>> {
    if digits.starts_with(['+', '-']) {
        return None;
    }
    i64::from_str_radix(digits, radix).ok().map(Resolved::Int)
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.value {
            Value::Scalar(scalar) => scalar.serialize(serializer),
            Value::Sequence(items) => serializer.collect_seq(items),
            Value::Mapping(mapping) => mapping.serialize(serializer),
        }
    }
}

impl Serialize for Scalar {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.resolve() {
            Resolved::Null => serializer.serialize_unit(),
            Resolved::Bool(value) => serializer.serialize_bool(value),
            // A number that JSON would write differently stays text: `1.10` may be a version.
            Resolved::Int(value) if value.to_string() == self.text => {
                serializer.serialize_i64(value)
            }
            Resolved::Float(value) if format!("{value:?}") == self.text => {
                serializer.serialize_f64(value)
            }
            Resolved::Int(_) | Resolved::Float(_) => serializer.serialize_str(&self.text),
            Resolved::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl Serialize for Mapping {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.entries.len()))?;
        for entry in &self.entries {
            map.serialize_entry(&entry.key, &entry.value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Resolved<'_>) {
        assert_eq!(Scalar::plain(text).resolve(), expected, "{text:?}");
    }

    #[test]
    fn plain_scalars_follow_the_core_schema() {
        check("", Resolved::Null);
        check("~", Resolved::Null);
        check("True", Resolved::Bool(true));
        check("yes", Resolved::Text("yes"));
        check("0", Resolved::Int(0));
        check("-17", Resolved::Int(-17));
        check("007", Resolved::Int(7));
        check("0x1F", Resolved::Int(31));
        check("0o17", Resolved::Int(15));
        check("0x-1", Resolved::Text("0x-1"));
        check("1.10", Resolved::Float(1.1));
        check(".5", Resolved::Float(0.5));
        check("1e3", Resolved::Float(1000.0));
        check("-.inf", Resolved::Float(f64::NEG_INFINITY));
        check("1.2.3", Resolved::Text("1.2.3"));
        check("2026-11-15", Resolved::Text("2026-11-15"));
        check("+", Resolved::Text("+"));
        check("...", Resolved::Text("..."));
        check("1_000", Resolved::Text("1_000"));
        check("99999999999999999999", Resolved::Float(1e20));
    }

    #[test]
    fn yaml_1_1_booleans_are_ambiguous() {
        for text in ["yes", "No", "on", "true", "1", "null", "1.5"] {
            assert!(Scalar::plain(text).is_ambiguous(), "{text}");
        }
        for text in ["pdf", "yesterday", "1.2.3"] {
            assert!(!Scalar::plain(text).is_ambiguous(), "{text}");
        }
    }
}
