//! The environment variables that a file names.

use std::collections::BTreeSet;

use toml::de::{DeTable, DeValue};

use crate::expand::variables;

/// The ending of keys whose value is the name of a variable.
const KEY_ENDING: &str = "_env";

/// Every variable that a file names, as `${NAME}` or as the value of a key such as `api_key_env`.
pub(crate) fn of_file(file: &DeTable<'_>) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    each_text(file, &mut |key, text| {
        named.extend(variables(text).map(str::to_owned));
        if key.ends_with(KEY_ENDING) {
            named.insert(text.to_owned());
        }
    });
    named
}

/// Calls `visit` with each text of a table and the key that it belongs to, at any depth.
pub(crate) fn each_text(table: &DeTable<'_>, visit: &mut impl FnMut(&str, &str)) {
    for (key, value) in table {
        each_text_of(key.get_ref(), value.get_ref(), visit);
    }
}

fn each_text_of(key: &str, value: &DeValue<'_>, visit: &mut impl FnMut(&str, &str)) {
    match value {
        DeValue::String(text) => visit(key, text),
        DeValue::Array(items) => {
            for item in items {
                each_text_of(key, item.get_ref(), visit);
            }
        }
        DeValue::Table(table) => each_text(table, visit),
        _ => {}
    }
}
