//! What happens in the recording.

use std::process::Command;

use anyhow::{Context, Result};

use super::film::Film;
use super::terminal::{Terminal, Wanted};

/// Drawn by us, because no shell takes part: the program is started when the line is complete.
const SHELL: &str = "\u{1b}[1m$ \u{1b}[0m";
const COMMAND: &str = "prowess chat";
const PROMPT: &str = "> ";

/// One action of the user.
enum Act {
    /// Types, each key when the one before it can be seen.
    Type(&'static str),
    /// Presses one key, which says something and leads to a line.
    Press(Key, &'static str, &'static str),
    /// Reads for so many milliseconds.
    Read(u64),
}

/// A key that does more than to appear.
#[derive(Clone, Copy)]
enum Key {
    Enter,
    Tab,
    /// Ctrl-D.
    End,
}

impl Key {
    fn bytes(self) -> &'static str {
        match self {
            Self::Enter => "\r",
            Self::Tab => "\t",
            Self::End => "\u{4}",
        }
    }
}

const STORY: &[Act] = &[
    Act::Read(1_600),
    Act::Type("/"),
    Act::Read(500),
    Act::Press(Key::Tab, "/sql-review", "> /"),
    Act::Read(2_600),
    Act::Type("re"),
    Act::Read(900),
    Act::Press(Key::Tab, "/release-notes", "> /release-notes "),
    Act::Read(400),
    Act::Type("for version 2"),
    Act::Read(500),
    Act::Press(Key::Enter, "tokens in", PROMPT),
    Act::Read(3_600),
    Act::Type("Why did the nightly build fail?"),
    Act::Read(500),
    Act::Press(Key::Enter, "load_skill", PROMPT),
    Act::Read(3_800),
    Act::Type(":cost"),
    Act::Read(700),
    Act::Press(Key::Enter, "requests", PROMPT),
    Act::Read(3_000),
];

/// Milliseconds after a key, for a fast typist.
fn after(key: char) -> u64 {
    match key {
        ' ' => 95,
        'a' | 'e' | 'i' | 'o' | 'u' => 50,
        _ => 65,
    }
}

/// Plays the story with a program.
pub(super) fn play(program: Command) -> Result<Film> {
    let mut film = Film::new();
    film.show(SHELL);
    film.wait(900);
    for key in COMMAND.chars() {
        film.show(key.encode_utf8(&mut [0; 4]));
        film.wait(after(key));
    }
    film.wait(400);

    let mut terminal = Terminal::start(program)?;
    let greeting = terminal
        .until(&Wanted {
            said: "Ctrl-D",
            line: PROMPT.to_owned(),
        })
        .context("the chat does not begin")?;
    film.show("\r\n");
    film.wait(250);
    film.show(&String::from_utf8_lossy(&greeting));
    for act in STORY {
        act.play(&mut terminal, &mut film)?;
    }
    terminal.press(Key::End.bytes())?;
    let goodbye = terminal.end()?;
    film.show(&String::from_utf8_lossy(&goodbye));
    Ok(film)
}

impl Act {
    fn play(&self, terminal: &mut Terminal, film: &mut Film) -> Result<()> {
        match self {
            Self::Read(milliseconds) => film.wait(*milliseconds),
            Self::Type(keys) => {
                for key in keys.chars() {
                    let mut line = terminal.line();
                    line.push(key);
                    terminal.press(key.encode_utf8(&mut [0; 4]))?;
                    let printed = terminal
                        .until(&Wanted { said: "", line })
                        .with_context(|| format!("typing {keys:?}"))?;
                    film.show(&String::from_utf8_lossy(&printed));
                    film.wait(after(key));
                }
            }
            Self::Press(key, said, line) => {
                terminal.press(key.bytes())?;
                let wanted = Wanted {
                    said,
                    line: (*line).to_owned(),
                };
                let printed = terminal
                    .until(&wanted)
                    .with_context(|| format!("waiting for {said:?}"))?;
                let printed = String::from_utf8_lossy(&printed);
                match key {
                    Key::Enter => film.show_lines(&printed),
                    Key::Tab | Key::End => film.show(&printed),
                }
            }
        }
        Ok(())
    }
}
