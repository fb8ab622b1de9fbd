//! The progress bar.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use prowess_agent::eval::Progress;

use crate::terminal;

const TICK: Duration = Duration::from_millis(200);

/// A bar on standard error, if a terminal shows it.
pub(super) struct EvalProgress(ProgressBar);

impl EvalProgress {
    pub(super) fn new(of: usize, quiet: bool) -> Self {
        let target = if !quiet && terminal::shows_progress() {
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
        Self(bar)
    }

    pub(super) fn update(&self, progress: &Progress) {
        let line = progress.what.split_whitespace().collect::<Vec<_>>();
        self.0.set_message(terminal::printable(&line.join(" ")));
        self.0.set_position(progress.done as u64);
    }

    /// A line above the bar.
    pub(super) fn note(&self, text: &str) {
        self.0.suspend(|| terminal::note(text));
    }
}

/// Removes the bar.
impl Drop for EvalProgress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
