//! The cells of a Jupyter notebook.

use serde_json::Value;

/// The code and the text of a notebook, cell after cell, and every other text in it: outputs and metadata.
pub(super) fn cells(bytes: &[u8]) -> Vec<(&'static str, String)> {
    let Ok(notebook) = serde_json::from_slice::<Value>(bytes) else {
        return Vec::new();
    };
    let mut code = String::new();
    let mut prose = String::new();
    let cells = notebook.get("cells").and_then(Value::as_array);
    for cell in cells.into_iter().flatten() {
        let text = match cell.get("source") {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
            _ => continue,
        };
        let is_code = cell.get("cell_type").and_then(Value::as_str) == Some("code");
        let out = if is_code { &mut code } else { &mut prose };
        out.push_str(&text);
        out.push('\n');
    }
    let mut other = String::new();
    others(&notebook, 0, &mut other);
    [
        ("cells.py", code),
        ("cells.md", prose),
        ("other.txt", other),
    ]
    .into_iter()
    .filter(|(_, text)| !text.is_empty())
    .collect()
}

/// Collects texts that are not the source of a cell.
fn others(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::String(text) if text.len() > 16 => {
            out.push_str(text);
            out.push('\n');
        }
        Value::Array(items) if depth < 64 => {
            for item in items {
                others(item, depth + 1, out);
            }
        }
        Value::Object(fields) if depth < 64 => {
            for (_, item) in fields.iter().filter(|(name, _)| *name != "source") {
                others(item, depth + 1, out);
            }
        }
        _ => {}
    }
}
