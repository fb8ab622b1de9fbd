//! What `record` is asked to do: make the recording, then write it or compare it with the one that is there.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::film::{Film, Frame};
use super::place::Place;
use super::{cast, story, svg};
use crate::generate::Mode;
use crate::run::output;
use crate::workspace::Workspace;

const CAST: &str = "docs/chat.cast";
const SVG: &str = "docs/chat.svg";
/// A page with the picture in it should not feel it.
const SVG_BYTES: usize = 200 * 1024;

/// Records the session, and writes it or fails when the one that is there shows something else.
pub(crate) fn record(workspace: &Workspace, mode: Mode) -> Result<()> {
    let program = build(workspace)?;
    let place = Place::new(workspace)?;
    let film = story::play(place.command(&program))?;

    let animation = svg::write(&film);
    if animation.len() > SVG_BYTES {
        bail!("{SVG} would take {} bytes", animation.len());
    }
    let files = [(CAST, cast::write(&film)?), (SVG, animation)];
    match mode {
        Mode::Write => {
            for (name, text) in files {
                let path = workspace.root().join(name);
                fs::write(&path, text)
                    .with_context(|| format!("cannot write {}", path.display()))?;
                println!("wrote {name}");
            }
            Ok(())
        }
        Mode::Check => {
            let is_stale = |(name, text): &(&str, String)| {
                let found = fs::read_to_string(workspace.root().join(name));
                !found.is_ok_and(|found| found == *text)
            };
            if files.iter().any(is_stale) {
                let old = fs::read_to_string(workspace.root().join(CAST)).unwrap_or_default();
                bail!(
                    "{CAST} or {SVG} is out of date; run `cargo xtask record`\n{}",
                    difference(&old, &film)
                );
            }
            Ok(())
        }
    }
}

/// The program, in the variant that has the same dependencies as this one: they are compiled already.
fn build(workspace: &Workspace) -> Result<PathBuf> {
    let messages = output(workspace.cargo().args([
        "build",
        "--locked",
        "--quiet",
        "--package",
        "xtask",
        "--package",
        "prowess-cli",
        "--bin",
        "prowess",
        "--message-format",
        "json-render-diagnostics",
    ]))?;
    executable(&messages).context("cargo built no `prowess`")
}

/// The path of the one program among cargo's messages.
fn executable(messages: &str) -> Option<PathBuf> {
    messages.lines().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        message.get("executable")?.as_str().map(PathBuf::from)
    })
}

/// The first screen on which an older recording and this one differ.
fn difference(old: &str, film: &Film) -> String {
    let old = cast::screens(old);
    let new: Vec<String> = film.frames().iter().map(Frame::text).collect();
    let first = (0..old.len().max(new.len())).find(|at| old.get(*at) != new.get(*at));
    let Some(first) = first else {
        return "the text is the same; colours or times are not".to_owned();
    };
    let lines = |screens: &[String]| -> Vec<String> {
        let screen = screens.get(first).map(String::as_str).unwrap_or_default();
        screen.lines().map(str::to_owned).collect()
    };
    let (old, new) = (lines(&old), lines(&new));
    let mut text = format!("screen {first}, - as recorded, + as it is now:\n");
    for row in 0..old.len().max(new.len()) {
        match (old.get(row), new.get(row)) {
            (Some(old), Some(new)) if old == new => {
                let _ = writeln!(text, "  {old}");
            }
            (old, new) => {
                for (mark, line) in [('-', old), ('+', new)] {
                    if let Some(line) = line {
                        let _ = writeln!(text, "{mark} {line}");
                    }
                }
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_among_messages() {
        let messages = concat!(
            "{\"reason\":\"compiler-artifact\",\"executable\":null}\n",
            "no message\n",
            "{\"reason\":\"compiler-artifact\",\"executable\":\"/t/prowess\"}\n",
            "{\"reason\":\"build-finished\",\"success\":true}\n"
        );
        assert_eq!(executable(messages), Some(PathBuf::from("/t/prowess")));
        assert_eq!(executable("{}"), None);
    }

    #[test]
    fn the_first_screen_that_differs_is_shown() {
        let film = |words: &[&str]| {
            let mut film = Film::new();
            for word in words {
                film.show(word);
                film.wait(10);
            }
            film
        };
        let old = cast::write(&film(&["one\r\n", "two ", "three"])).unwrap();
        assert_eq!(
            difference(&old, &film(&["one\r\n", "too ", "three"])),
            "screen 1, - as recorded, + as it is now:\n  one\n- two\n+ too\n"
        );
        assert_eq!(
            difference(&old, &film(&["one\r\n", "two "])),
            "screen 2, - as recorded, + as it is now:\n- one\n- two three\n"
        );
        assert_eq!(
            difference(&old, &film(&["one\r\n", "\u{1b}[1mtwo ", "three"])),
            "the text is the same; colours or times are not"
        );
    }
}
