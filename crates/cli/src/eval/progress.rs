//! The progress bar.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use prowess_agent::eval::Progress;
use serde::{Deserialize, Serialize};

use crate::terminal;

const TICK: Duration = Duration::from_millis(200);

/// A line of `--progress-json`.
#[derive(Serialize, Deserialize)]
pub(crate) struct ProgressLine {
    /// Chats that are finished.
    pub(crate) done: u64,
    /// All chats.
    pub(crate) total: u64,
}

/// A bar on standard error, if a terminal shows it, or lines of JSON.
pub(super) struct EvalProgress {
    bar: ProgressBar,
    total: u64,
    lines: bool,
}

impl EvalProgress {
    pub(super) fn new(of: usize, quiet: bool, lines: bool) -> Self {
        let target = if !quiet && !lines && terminal::shows_progress() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(of as u64), target);
        let template = "{spinner} {bar:24} {pos} of {len}, {elapsed}: {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(TICK);
        let progress = Self {
            bar,
            total: of as u64,
            lines,
        };
        progress.line(0);
        progress
    }

    fn line(&self, done: u64) {
        let total = self.total;
        if self.lines
            && let Ok(line) = serde_json::to_string(&ProgressLine { done, total })
        {
            terminal::note(&line);
        }
    }

    pub(super) fn update(&self, progress: &Progress) {
        let line = progress.what.split_whitespace().collect::<Vec<_>>();
        self.bar.set_message(terminal::printable(&line.join(" ")));
        self.bar.set_position(progress.done as u64);
        self.line(progress.done as u64);
    }

    /// A line above the bar.
    pub(super) fn note(&self, text: &str) {
        self.bar.suspend(|| terminal::note(text));
    }
}

/// Removes the bar.
impl Drop for EvalProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
