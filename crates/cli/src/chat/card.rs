//! A tool call, in one line.

use anstyle::{AnsiColor, Style};
use serde_json::Value;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::terminal::printable;

const DONE: Style = AnsiColor::Green.on_default();
const FAILED: Style = AnsiColor::Red.on_default();
const DIM: Style = Style::new().dimmed();

/// A call that is over.
pub(super) struct Card<'a> {
    pub(super) tool: &'a str,
    pub(super) arguments: &'a Value,
    pub(super) is_error: bool,
    pub(super) duration_ms: u64,
    pub(super) bytes: usize,
}

impl Card<'_> {
    /// The line, for a terminal of that width.
    pub(super) fn line(&self, width: usize) -> String {
        let (mark, style) = if self.is_error {
            ("✗", FAILED)
        } else {
            ("✓", DONE)
        };
        let tool = printable(self.tool);
        let cost = match self.duration_ms {
            0 => size(self.bytes),
            ms => format!("{ms} ms, {}", size(self.bytes)),
        };
        let taken = 4 + tool.width() + 2 + cost.width() + 1;
        let room = width.saturating_sub(taken).max(8);
        let given = shortened(&brief(self.arguments), room);
        format!("  {style}{mark}{style:#} {tool} {given} {DIM}{cost}{DIM:#}")
    }
}

/// Arguments for people: what is most of interest without its name, the rest with it.
pub(super) fn brief(arguments: &Value) -> String {
    let Value::Object(map) = arguments else {
        return one_line(arguments);
    };
    let parts = map.iter().map(|(name, value)| match name.as_str() {
        "id" | "name" | "path" | "query" | "command" => one_line(value),
        _ => format!("{name}={}", one_line(value)),
    });
    parts.collect::<Vec<_>>().join(" ")
}

fn one_line(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    printable(&words.join(" "))
}

/// `text` in at most that many columns.
pub(super) fn shortened(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut cut = String::new();
    let mut width = 1;
    for c in text.chars() {
        width += c.width().unwrap_or_default();
        if width > columns {
            break;
        }
        cut.push(c);
    }
    cut.push('…');
    cut
}

/// A size, formatted for users.
#[allow(clippy::cast_precision_loss, reason = "it is rounded anyway")]
pub(super) fn size(bytes: usize) -> String {
    match bytes {
        0..1_024 => format!("{bytes} bytes"),
        1_024..1_048_576 => format!("{:.1} KB", bytes as f64 / 1_024.0),
        _ => format!("{:.1} MB", bytes as f64 / 1_048_576.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_are_shown_in_one_line() {
        assert_eq!(brief(&json!({"id": "pdf", "path": "a\nb"})), "pdf a b");
        assert_eq!(brief(&json!({"n": 3, "query": "x"})), "n=3 x");
        assert_eq!(
            brief(&json!("not an\u{1b}[31m object")),
            "not an\\u{1b}[31m object"
        );
        assert_eq!(brief(&json!({})), "");
    }

    #[test]
    fn card_fits_the_width() {
        let arguments = json!({"query": "日本".repeat(80)});
        let card = Card {
            tool: "search_files",
            arguments: &arguments,
            is_error: false,
            duration_ms: 12,
            bytes: 2_048,
        };
        for width in [40, 60, 100] {
            let line = anstream::adapter::strip_str(&card.line(width)).to_string();
            assert!(line.width() <= width, "{width}: {line}");
        }
        assert_eq!(
            (size(10), size(2_048), size(3 << 20)),
            (
                "10 bytes".to_owned(),
                "2.0 KB".to_owned(),
                "3.0 MB".to_owned()
            )
        );
    }
}
