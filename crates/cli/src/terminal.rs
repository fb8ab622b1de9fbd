//! Printing, and asking, as a well-behaved program does.

use std::io::{self, BufRead, IsTerminal, Write};

use anstyle::{AnsiColor, Style};

/// Width to draw for when there is no terminal to ask.
const DEFAULT_WIDTH: usize = 100;

const RED: Style = AnsiColor::BrightRed.on_default().bold();
const CYAN: Style = AnsiColor::BrightCyan.on_default().bold();
/// A line that goes.
pub(crate) const REMOVED: Style = AnsiColor::Red.on_default();
/// A line that comes.
pub(crate) const ADDED: Style = AnsiColor::Green.on_default();

/// Writes data to standard output, colours only where they are wanted.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes a line for people to standard error. Nothing depends on it, so a closed one is no failure.
pub(crate) fn note(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Prints an error with its causes.
pub(crate) fn print_error(error: &anyhow::Error) {
    note(&format!(
        "{RED}error{RED:#}: {}",
        printable(&format!("{error:#}"))
    ));
}

/// Prints what went wrong with one thing among many, and what to do about it.
pub(crate) fn print_problem(message: &str, hint: Option<&str>) {
    note(&format!("{RED}error{RED:#}: {}", printable(message)));
    if let Some(text) = hint {
        self::hint(text);
    }
}

/// Says what to type.
pub(crate) fn hint(text: &str) {
    note(&format!("{CYAN}hint{CYAN:#}: {}", printable(text)));
}

/// Whether the reader of our output went away: that is its right.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// The width to draw for.
pub(crate) fn width() -> usize {
    terminal_size::terminal_size().map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0).max(20))
}

/// Whether standard error shows progress to somebody.
pub(crate) fn shows_progress() -> bool {
    io::stderr().is_terminal()
}

/// Asks a yes-or-no question; no terminal means no.
pub(crate) fn confirm(question: &str) -> io::Result<bool> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(false);
    }
    let mut err = anstream::stderr().lock();
    write!(err, "{question} [y/N] ")?;
    err.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Asks at the terminal and returns the line that is typed after the question; nothing at the end of input.
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

/// Discards what was typed before a question: it is not an answer to it.
pub(crate) fn discard_input() {
    #[cfg(unix)]
    let _ = rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush);
}

/// `text` without anything that a terminal would obey; our own colours come later.
pub(crate) fn printable(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let visible = matches!(c, '\n' | '\t') || !(c.is_control() || turns_text(c));
            let kept = visible.then_some(c);
            let escaped = (!visible).then(|| c.escape_default()).into_iter().flatten();
            kept.into_iter().chain(escaped)
        })
        .collect()
}

/// Whether a character makes a terminal show text in another order than it is.
fn turns_text(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_not_obeyed() {
        assert_eq!(printable("a\u{1b}[31mb\n\tc"), "a\\u{1b}[31mb\n\tc");
        assert_eq!(printable("x\u{202e}y"), "x\\u{202e}y");
    }
}
