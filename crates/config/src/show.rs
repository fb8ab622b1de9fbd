//! Which values may be shown, and how.

use serde_json::Value;
use toml::Spanned;
use toml::de::DeValue;

use crate::address::mask;
use crate::layer::{Log, Stated, span_of};
use crate::secret::MASK;

/// How the value of a key is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// As the file has it.
    Plain,
    /// As the file has it, without password and query.
    Url,
    /// As the file has it, if it is the name of a variable.
    Variable,
    /// Never.
    Secret,
}

impl Log {
    /// Keeps a value out of the text that problems show, where it has to be.
    pub(crate) fn conceal(&mut self, stated: &Stated<'_>, how: Shown) {
        let text = stated.value.as_str();
        let secret = match how {
            Shown::Plain => return,
            Shown::Url => text.is_some_and(|text| mask(text) != text),
            Shown::Variable => text.is_some_and(|text| !is_shouted(text)),
            Shown::Secret => true,
        };
        if secret {
            self.hidden.push((stated.layer, stated.span));
        }
        self.hide_inside(stated.layer, stated.value);
    }

    /// Keeps every string of a value out of the text that problems show.
    pub(crate) fn hide_texts(&mut self, layer: usize, value: &Spanned<DeValue<'_>>) {
        if value.get_ref().is_str() {
            self.hidden.push((layer, span_of(value)));
        }
        self.hide_inside(layer, value.get_ref());
    }

    fn hide_inside(&mut self, layer: usize, value: &DeValue<'_>) {
        match value {
            DeValue::Array(items) => {
                for item in items {
                    self.hide_texts(layer, item);
                }
            }
            DeValue::Table(table) => {
                for (_, item) in table {
                    self.hide_texts(layer, item);
                }
            }
            _ => {}
        }
    }
}

/// Whether `text` looks like a variable name rather than a key.
fn is_shouted(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// A value as it may be shown.
pub(crate) fn shown(value: &DeValue<'_>, how: Shown) -> Value {
    match (how, value) {
        (Shown::Secret, _) => MASK.into(),
        (Shown::Variable, DeValue::String(text)) if !is_shouted(text) => MASK.into(),
        (Shown::Url, DeValue::String(text)) => mask(text).into(),
        (_, DeValue::String(text)) => text.as_ref().into(),
        (_, DeValue::Boolean(flag)) => (*flag).into(),
        (_, DeValue::Integer(number)) => {
            match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => number.into(),
                Err(_) => number.to_string().into(),
            }
        }
        (_, DeValue::Float(number)) => match number.as_str().parse::<f64>() {
            Ok(number) => number.into(),
            Err(_) => number.as_str().into(),
        },
        (_, DeValue::Datetime(date)) => date.to_string().into(),
        (_, DeValue::Array(items)) => items
            .iter()
            .map(|item| shown(item.get_ref(), how))
            .collect(),
        (_, DeValue::Table(table)) => {
            let entries = table.iter().map(|(name, value)| {
                let name = name.get_ref().to_string();
                (name, shown(value.get_ref(), how))
            });
            Value::Object(entries.collect())
        }
    }
}
