//! The recording as an asciicast, version 2: a header, then a line for each change of the screen.

use std::fmt::Write as _;

use anyhow::Result;
use serde_json::{Value, json};

use super::film::Film;
use super::look::{self, COLUMNS, ROWS, blank};

/// Players show it, and it is the only place for a remark.
const TITLE: &str = "prowess chat with the demo model; by cargo xtask record, which draws the line at the shell's prompt: everything after it is what the program printed, with a fixed id and without times";

/// The file.
pub(super) fn write(film: &Film) -> Result<String> {
    let header = json!({
        "version": 2,
        "width": COLUMNS,
        "height": ROWS,
        "title": TITLE,
        "env": {"TERM": "xterm-256color"},
    });
    let mut text = format!("{header}\n");
    let mut before = blank().screen().clone();
    for frame in film.frames() {
        event(&mut text, frame.at, &frame.screen.contents_diff(&before))?;
        before = frame.screen.clone();
    }
    // Players that begin again wait until here.
    event(&mut text, film.length(), "")?;
    Ok(text)
}

fn event(file: &mut String, at: u64, output: &str) -> Result<()> {
    let output = serde_json::to_string(output)?;
    let (seconds, rest) = (at / 1_000, at % 1_000);
    writeln!(file, "[{seconds}.{rest:03}, \"o\", {output}]")?;
    Ok(())
}

/// The text of each screen of a file; as many as can be read.
pub(super) fn screens(file: &str) -> Vec<String> {
    let mut parser = blank();
    let mut screens = Vec::new();
    for line in file.lines().skip(1) {
        let event: Value = serde_json::from_str(line).unwrap_or_default();
        let output = event.get(2).and_then(Value::as_str).unwrap_or_default();
        // The end is no screen.
        if !output.is_empty() {
            parser.process(output.as_bytes());
            screens.push(look::text(parser.screen()));
        }
    }
    screens
}

#[cfg(test)]
mod tests {
    use super::super::film::Frame;
    use super::*;

    #[test]
    fn what_is_written_can_be_replayed() {
        let mut film = Film::new();
        film.show("$ prowess");
        film.wait(1_050);
        film.show_lines("\r\n\u{1b}[1m\"bold\"\u{1b}[0m \u{1b}[2mdim\u{1b}[0m\r\n> ");
        for line in 0..40 {
            film.wait(10);
            film.show(&format!("line {line}\r\n"));
        }
        let written = write(&film).unwrap();
        let texts: Vec<String> = film.frames().iter().map(Frame::text).collect();
        assert_eq!(screens(&written), texts);
        let lines: Vec<&str> = written.lines().collect();
        assert!(lines[0].contains("\"version\":2") && lines[0].contains("\"width\":96"));
        assert!(lines[1].starts_with("[0.000, \"o\", "), "{}", lines[1]);
        assert!(lines[2].starts_with("[1.050, \"o\", "), "{}", lines[2]);
    }
}
