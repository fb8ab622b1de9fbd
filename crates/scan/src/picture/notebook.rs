//! The cells of a Jupyter notebook.

use serde_json::Value;

/// The code and the text of a notebook, cell after cell.
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
    [("cells.py", code), ("cells.md", prose)]
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .collect()
}
