//! An answer on its way into a pipe, as it arrives.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use prowess_agent::wire::AgentEvent;

/// Writes the text of an answer. Texts around tool calls are paragraphs; the last line ends with one line break.
#[derive(Default)]
pub(super) struct AnswerPipe(Mutex<State>);

#[derive(Default)]
struct State {
    /// Something was written.
    begun: bool,
    /// Something was written since the last tool call.
    is_streamed: bool,
    /// The last line has no end yet.
    is_open: bool,
    /// Line breaks that are written if more follows.
    breaks: usize,
    failure: Option<io::Error>,
}

impl AnswerPipe {
    /// Writes the text of an event, unless skills may still change it.
    pub(super) fn write(&self, event: &AgentEvent, may_change: bool) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            AgentEvent::Text { delta } if !may_change => {
                state.text(delta, &mut io::stdout().lock());
            }
            AgentEvent::ToolStarted { .. } => {
                state.end_line(&mut io::stdout().lock());
                state.is_streamed = false;
                state.breaks = 1;
            }
            _ => {}
        }
    }

    /// Writes the answer if it was not streamed, and ends the last line.
    pub(super) fn end(self, answer: &str) -> io::Result<()> {
        let mut state = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let out = &mut io::stdout().lock();
        if !state.is_streamed {
            state.text(answer, out);
        }
        state.end_line(out);
        state.failure.map_or(Ok(()), Err)
    }
}

impl State {
    fn text(&mut self, text: &str, out: &mut impl Write) {
        let kept = text.trim_end_matches('\n');
        if !kept.is_empty() {
            let breaks = if self.begun { self.breaks } else { 0 };
            self.breaks = 0;
            self.put(&format!("{}{kept}", "\n".repeat(breaks)), out);
            (self.begun, self.is_streamed, self.is_open) = (true, true, true);
        }
        self.breaks += text.len() - kept.len();
    }

    fn end_line(&mut self, out: &mut impl Write) {
        if std::mem::take(&mut self.is_open) {
            self.put("\n", out);
        }
    }

    fn put(&mut self, text: &str, out: &mut impl Write) {
        if self.failure.is_none() {
            let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
            self.failure = written.err();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_at_the_end_wait_for_more_text() {
        let (mut state, mut out) = (State::default(), Vec::new());
        for part in ["\n", "a", "\n", "\n", "b\n\n\n"] {
            state.text(part, &mut out);
        }
        assert_eq!(String::from_utf8(out).unwrap(), "a\n\nb");
        assert_eq!(state.breaks, 3);
    }
}
