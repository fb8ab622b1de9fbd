//! Frames, each with the time at which it is shown.

use vt100::{Parser, Screen};

use super::fixed::fixed;
use super::look::{blank, text};

/// Milliseconds for which the last frame is held.
const HOLD: u64 = 7_000;
/// Milliseconds from one line of an answer to the next.
const LINE: u64 = 130;

/// A recording; its clock is moved by the script.
pub(super) struct Film {
    parser: Parser,
    frames: Vec<Frame>,
    now: u64,
}

/// A screen, and when it is shown.
pub(super) struct Frame {
    /// Milliseconds from the beginning.
    pub(super) at: u64,
    pub(super) screen: Screen,
}

impl Frame {
    /// What can be read on it.
    pub(super) fn text(&self) -> String {
        text(&self.screen)
    }
}

impl Film {
    /// A film that shows an empty screen.
    pub(super) fn new() -> Self {
        Self {
            parser: blank(),
            frames: Vec::new(),
            now: 0,
        }
    }

    pub(super) fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// Milliseconds from the beginning to the end.
    pub(super) fn length(&self) -> u64 {
        self.frames.last().map_or(0, |frame| frame.at) + HOLD
    }

    /// Lets time pass.
    pub(super) fn wait(&mut self, milliseconds: u64) {
        self.now += milliseconds;
    }

    /// Shows what was printed, at once.
    pub(super) fn show(&mut self, printed: &str) {
        self.parser.process(fixed(printed).as_bytes());
        self.frame();
    }

    /// Shows what was printed line by line, so that it can be followed.
    pub(super) fn show_lines(&mut self, printed: &str) {
        for line in fixed(printed).split_inclusive('\n') {
            self.parser.process(line.as_bytes());
            if self.frame() == Kept::Yes {
                self.wait(LINE);
            }
        }
    }

    /// A frame, unless it looks like the one before it, or shows that the program is waiting: when a spinner was
    /// seen is a matter of luck.
    fn frame(&mut self) -> Kept {
        let screen = self.parser.screen().clone();
        let last = self.frames.last();
        let is_same = last
            .is_some_and(|last| last.screen.contents_formatted() == screen.contents_formatted());
        let spins = text(&screen)
            .lines()
            .any(|line| line.starts_with(|c| ('\u{2800}'..='\u{28ff}').contains(&c)));
        if is_same || spins {
            return Kept::No;
        }
        // Two screens at one time: the first is invisible.
        if last.is_some_and(|last| last.at == self.now) {
            self.frames.pop();
        }
        self.frames.push(Frame {
            at: self.now,
            screen,
        });
        Kept::Yes
    }
}

/// Whether a frame was worth keeping.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    Yes,
    No,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(film: &Film) -> Vec<(u64, String)> {
        let frames = film.frames().iter();
        frames.map(|frame| (frame.at, frame.text())).collect()
    }

    #[test]
    fn frames_that_look_the_same_are_one() {
        let mut film = Film::new();
        film.show("a");
        film.wait(100);
        film.show("\rab\u{8}\u{1b}[K");
        film.wait(100);
        film.show("c");
        film.show("d");
        assert_eq!(seen(&film), [(0, "a".to_owned()), (200, "acd".to_owned())]);
        assert_eq!(film.length(), 200 + HOLD);
    }

    #[test]
    fn answers_come_line_by_line_and_without_spinners() {
        let mut film = Film::new();
        film.show_lines("\u{2801} thinking, 0s\r\u{1b}[2Kone\r\n\u{2802} thinking, 1s\r\u{1b}[2Ktwo, 3.4 s\r\n> ");
        assert_eq!(
            seen(&film),
            [
                (0, "one".to_owned()),
                (LINE, "one\ntwo".to_owned()),
                (2 * LINE, "one\ntwo\n>".to_owned()),
            ]
        );
        film.show("\r\u{2803} thinking");
        assert_eq!(film.frames().len(), 3);
    }
}
