//! The shape of a document.

use std::collections::BTreeMap;

use serde_json::Value;

/// Paths that are listed at most.
const PATHS: usize = 300;

/// Every path once, in the order of the document, with the types that stand there and how often.
pub(crate) fn outline(document: &Value) -> String {
    let mut seen = Seen::default();
    seen.visit("$", document);
    let mut lines: Vec<String> = seen
        .order
        .iter()
        .take(PATHS)
        .map(|path| seen.line(path))
        .collect();
    if seen.order.len() > PATHS {
        lines.push(format!("and {} more paths", seen.order.len() - PATHS));
    }
    lines.join("\n")
}

#[derive(Default)]
struct Seen {
    order: Vec<String>,
    counts: BTreeMap<String, BTreeMap<&'static str, usize>>,
}

impl Seen {
    fn visit(&mut self, path: &str, value: &Value) {
        let counts = self.counts.entry(path.to_owned()).or_insert_with(|| {
            self.order.push(path.to_owned());
            BTreeMap::new()
        });
        *counts.entry(kind(value)).or_default() += 1;
        match value {
            Value::Array(items) => {
                let below = format!("{path}[*]");
                for item in items {
                    self.visit(&below, item);
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    self.visit(&format!("{path}{}", step(name)), member);
                }
            }
            _ => {}
        }
    }

    fn line(&self, path: &str) -> String {
        let counts = self.counts.get(path).into_iter().flatten();
        let kinds = counts.map(|(kind, count)| match count {
            1 => (*kind).to_owned(),
            _ => format!("{count} {kind}"),
        });
        format!("{path}: {}", kinds.collect::<Vec<_>>().join(", "))
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// A name as a query has it.
fn step(name: &str) -> String {
    let is_plain = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    if is_plain {
        format!(".{name}")
    } else {
        format!("['{}']", name.replace('\\', "\\\\").replace('\'', "\\'"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::query::Query;

    #[test]
    fn each_path_stands_once() {
        let document = json!({"b": [{"x": 1}, {"x": null, "a key": true}], "a": "text"});
        let expected = "$: object\n$.b: array\n$.b[*]: 2 object\n$.b[*].x: null, number\n\
                        $.b[*]['a key']: boolean\n$.a: string";
        assert_eq!(outline(&document), expected);
    }

    #[test]
    fn a_path_of_the_outline_is_a_query() {
        let document = json!({"it's": {"a\\b": {"": {"ü-1": [7]}}}});
        for line in outline(&document).lines() {
            let (path, _) = line.rsplit_once(": ").unwrap();
            assert_eq!(
                Query::parse(path).unwrap().find(&document).len(),
                1,
                "{path}"
            );
        }
    }

    #[test]
    fn a_document_with_many_names_is_cut() {
        let members = (0..1000).map(|at| (format!("k{at}"), json!(at)));
        let document = Value::Object(members.collect());
        assert!(outline(&document).ends_with("\nand 701 more paths"));
    }
}
