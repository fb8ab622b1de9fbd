//! Results of tools within the limit of a chat.

use prowess_core::without_cut_tag;
use serde_json::Value;

use crate::limits::TOOL_RESULT_BYTES;

/// Bytes of a text that count as much as one member of a list.
const ITEM_BYTES: usize = 16;

/// As much of a result as the model gets; whether it was cut. JSON stays JSON: its longest texts and lists are cut.
pub(crate) fn fitted(content: String) -> (String, bool) {
    if content.len() <= TOOL_RESULT_BYTES {
        return (content, false);
    }
    let note = format!(
        "[cut: {} bytes, at most {TOOL_RESULT_BYTES} allowed]",
        content.len()
    );
    let json = serde_json::from_str(&content).ok();
    let json = json.filter(Value::is_object);
    let cut = json.and_then(|value| cut_json(&value, &note));
    (cut.unwrap_or_else(|| cut_text(content, &note)), true)
}

/// Adds a sentence to a result: as a member of a JSON object, else below it.
pub(crate) fn add_notice(content: &mut String, notice: &str) {
    let json = serde_json::from_str(content).ok();
    if let Some(Value::Object(mut members)) = json {
        members.insert("notice".to_owned(), notice.into());
        *content = Value::Object(members).to_string();
    } else {
        content.push_str("\n\n");
        content.push_str(notice);
    }
}

fn cut_text(mut content: String, note: &str) -> String {
    let room = TOOL_RESULT_BYTES - note.len() - 1;
    content.truncate(content.floor_char_boundary(room));
    content.truncate(without_cut_tag(&content).len());
    content.push('\n');
    content.push_str(note);
    content
}

/// The object with a note, and with texts and lists as long as they can be.
fn cut_json(value: &Value, note: &str) -> Option<String> {
    let (mut fits, mut low, mut high) = (None, 0, TOOL_RESULT_BYTES);
    while low < high {
        let length = low + (high - low).div_ceil(2);
        let mut cut = shortened(value, length);
        if let Some(members) = cut.as_object_mut() {
            let was_there = members.get_mut("truncated").map(|it| *it = true.into());
            if was_there.is_none() {
                members.insert("notice".to_owned(), note.into());
            }
        }
        let text = cut.to_string();
        if text.len() <= TOOL_RESULT_BYTES {
            (fits, low) = (Some(text), length);
        } else {
            high = length - 1;
        }
    }
    fits
}

fn shortened(value: &Value, length: usize) -> Value {
    match value {
        Value::String(text) if text.len() > length => {
            let end = text.floor_char_boundary(length);
            let text = text.get(..end).unwrap_or_default();
            format!("{}…", without_cut_tag(text)).into()
        }
        Value::Array(items) => {
            let items = items.iter().take(length / ITEM_BYTES);
            items.map(|item| shortened(item, length)).collect()
        }
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| (key.clone(), shortened(value, length)))
            .collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn text_is_cut_on_a_character() {
        let (text, cut) = fitted("é".repeat(TOOL_RESULT_BYTES));
        assert!(cut && text.len() <= TOOL_RESULT_BYTES && text.ends_with("allowed]"));
        assert_eq!(fitted("short".to_owned()), ("short".to_owned(), false));
    }

    #[test]
    fn json_is_cut_inside() {
        let long = "\"\n".repeat(TOOL_RESULT_BYTES);
        let many: Vec<usize> = (0..TOOL_RESULT_BYTES).collect();
        for value in [
            json!({"exit_code": 0, "stdout": long, "truncated": false}),
            json!({"data": {"a": long, "b": long}, "notice": "stays"}),
            json!({"skills": many}),
        ] {
            let (text, cut) = fitted(value.to_string());
            let read: Value = serde_json::from_str(&text).unwrap();
            assert!(cut && text.len() <= TOOL_RESULT_BYTES);
            assert!(text.len() > TOOL_RESULT_BYTES / 4, "{}", text.len());
            assert!(read["truncated"] == true || read["notice"].is_string());
        }
    }
}
