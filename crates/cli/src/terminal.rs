//! Printing, and asking, as a well-behaved program does.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, BufRead, IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use prowess_spec::is_hidden;
use serde::Serialize;

/// The start of every color code.
const COLOUR_START: &str = "\u{1b}[";
/// The width without a terminal.
const DEFAULT_WIDTH: usize = 100;
/// Lines of a screen whose size is unknown.
const DEFAULT_HEIGHT: usize = 24;

const RED: Style = AnsiColor::BrightRed.on_default().bold();
const CYAN: Style = AnsiColor::BrightCyan.on_default().bold();
/// A temporary line.
pub(crate) const REMOVED: Style = AnsiColor::Red.on_default();
/// A line that comes.
pub(crate) const ADDED: Style = AnsiColor::Green.on_default();

/// Writes text to standard output. Nothing in it is obeyed by a terminal, wherever it comes from.
pub(crate) fn print(text: &str) -> io::Result<()> {
    write_out(&shown(text))
}

/// Writes text with colours of ours, where they are wanted. Nothing else in it is obeyed; a foreign colour
/// has to be made [`printable`] before.
pub(crate) fn print_styled(text: &str) -> io::Result<()> {
    write_out(&printable_but_colours(text))
}

fn write_out(text: &str) -> io::Result<()> {
    if !text.contains(COLOUR_START) {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        return out.flush();
    }
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// How the content of a skill is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// As text to a terminal, as bytes to a program.
    ForReader,
    /// As bytes.
    Raw,
}

/// Writes what a skill holds: a terminal obeys none of it, a program gets each byte.
pub(crate) fn print_content(bytes: &[u8], content: Content) -> io::Result<()> {
    if content == Content::ForReader && io::stdout().is_terminal() {
        return print(&text_of(bytes));
    }
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Bytes as text; those that are none are written as numbers.
fn text_of(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// A value as JSON that no reader's terminal obeys: what is hidden is written as `\uXXXX`, which is the same string.
pub(crate) fn json(value: &impl Serialize) -> serde_json::Result<String> {
    Ok(visible_json(&serde_json::to_string_pretty(value)?))
}

/// Prints a value as JSON.
pub(crate) fn print_json(value: &impl Serialize) -> io::Result<()> {
    let mut text = json(value)?;
    text.push('\n');
    print(&text)
}

/// The same for JSON that is written already.
pub(crate) fn visible_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| !is_plain_byte(byte)) {
        let (before, special) = rest.split_at(at);
        out.push_str(before);
        let mut chars = special.chars();
        match chars.next() {
            Some(c) if is_hidden(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            c => out.extend(c),
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
    out
}

/// Writes a line to standard error. A closed standard error is not an error.
pub(crate) fn note(text: &str) {
    let text = printable_but_colours(text);
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Prints one of several problems, with a hint.
pub(crate) fn print_problem(message: &str, hint: Option<&str>) {
    note(&format!("{RED}error{RED:#}: {}", printable(message)));
    if let Some(text) = hint {
        self::hint(text);
    }
}

/// Prints a hint.
pub(crate) fn hint(text: &str) {
    note(&format!("{CYAN}hint{CYAN:#}: {}", printable(text)));
}

/// The width to draw for.
pub(crate) fn width() -> usize {
    terminal_size::terminal_size().map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0).max(20))
}

/// The lines of the screen.
pub(crate) fn height() -> usize {
    terminal_size::terminal_size().map_or(DEFAULT_HEIGHT, |(_, height)| usize::from(height.0))
}

/// Whether standard error is a terminal that shows progress.
pub(crate) fn shows_progress() -> bool {
    io::stderr().is_terminal()
}

/// Asks a yes-or-no question; without a terminal the answer is no.
pub(crate) fn confirm(question: &str) -> io::Result<bool> {
    if !can_ask() {
        return Ok(false);
    }
    // What was typed before the question is no answer to it.
    discard_input();
    let mut err = anstream::stderr().lock();
    write!(err, "{} [y/N] ", printable_but_colours(question))?;
    err.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Whether there is a terminal at which a question can be asked and answered.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks at the terminal and returns the typed line; `None` at the end of input.
pub(crate) fn ask(question: &str) -> io::Result<Option<String>> {
    discard_input();
    let mut err = anstream::stderr().lock();
    write!(err, "{question}")?;
    err.flush()?;
    drop(err);
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer)?;
    Ok((read > 0).then_some(answer))
}

/// Whether typed keys are shown, until it is dropped. Hidden keys are not lost: the next prompt gets them.
pub(crate) struct Echo {
    before: bool,
}

impl Echo {
    pub(crate) fn set(on: bool) -> Self {
        Self {
            before: set_echo(on),
        }
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        set_echo(self.before);
    }
}

/// Shows typed keys, or not; whether it did.
fn set_echo(on: bool) -> bool {
    #[cfg(unix)]
    {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let stdin = io::stdin();
        let Ok(mut modes) = tcgetattr(&stdin) else {
            return on;
        };
        let was = modes.local_modes.contains(LocalModes::ECHO);
        if was != on {
            modes.local_modes.set(LocalModes::ECHO, on);
            // A terminal that refuses shows the keys.
            let _ = tcsetattr(&stdin, OptionalActions::Now, &modes);
        }
        was
    }
    #[cfg(not(unix))]
    on
}

/// Discards what was typed before a question: it is not an answer to it.
pub(crate) fn discard_input() {
    #[cfg(unix)]
    let _ = rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush);
}

/// A text of others as one line: what would begin another line is escaped, too.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    const ENDS: [char; 4] = ['\n', '\r', '\u{2028}', '\u{2029}'];
    if !text.contains(ENDS) {
        return shown(text);
    }
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if ENDS.contains(&c) {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    printable(&line).into()
}

/// `text` without anything that a terminal would obey; our own colours come later.
pub(crate) fn printable(text: &str) -> String {
    shown(text).into_owned()
}

/// The same, without a copy of a text that is printable already.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        match c {
            '\u{200d}' if is_emoji(before) && chars.peek().copied().is_some_and(is_emoji) => {
                out.push(c);
            }
            // The end of a line, as some systems write it.
            '\r' if chars.peek() == Some(&'\n') => {}
            c if is_hidden(c) => out.extend(c.escape_default()),
            c => out.push(c),
        }
        before = c;
    }
    out.into()
}

/// Whether a text has only visible characters of ASCII, blanks and line breaks.
fn is_plain(text: &str) -> bool {
    text.bytes().all(is_plain_byte)
}

fn is_plain_byte(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\t')
}

/// Whether a character is a picture, which a joiner makes one of with the next.
fn is_emoji(c: char) -> bool {
    matches!(c, '\u{fe0f}' | '\u{2600}'..='\u{27bf}' | '\u{1f000}'..='\u{1faff}')
}

/// The same, but for colours.
fn printable_but_colours(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(COLOUR_START) {
        out.push_str(&printable(before));
        let parameters = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        rest = if let Some(behind) = parameters.strip_prefix('m') {
            out.push_str(COLOUR_START);
            out.push_str(after.strip_suffix(behind).unwrap_or_default());
            behind
        } else {
            out.push_str(&printable(COLOUR_START));
            after
        };
    }
    out + &printable(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_not_obeyed() {
        assert_eq!(printable("a\u{1b}[31mb\n\tc"), "a\\u{1b}[31mb\n\tc");
        assert_eq!(printable("x\u{202e}y"), "x\\u{202e}y");
        assert_eq!(printable("a\r\nb\rc"), "a\nb\\rc");
        assert_eq!(
            printable_but_colours("\u{1b}[1;31ma\u{1b}[0m\u{1b}[2J\u{1b}]0;t\u{7}\u{1b}["),
            "\u{1b}[1;31ma\u{1b}[0m\\u{1b}[2J\\u{1b}]0;t\\u{7}\\u{1b}["
        );
        assert_eq!(
            visible_json("\"\u{9b}\u{e0041}é\""),
            "\"\\u009b\\udb40\\udc41é\""
        );
        assert_eq!(
            printable("👩\u{200d}💻 a\u{200d}b"),
            "👩\u{200d}💻 a\\u{200d}b"
        );
        assert_eq!(text_of(b"a\x9bb"), "a\\x9bb");
    }
}
