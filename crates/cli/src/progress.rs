//! Progress for somebody who is kept waiting, and for nobody else.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::terminal;

/// How long a person waits before there is something to look at.
const PATIENCE: Duration = Duration::from_millis(500);

/// A line on standard error that appears only when work takes long and a terminal shows it.
pub(crate) struct Progress {
    bar: ProgressBar,
    start: Instant,
    wanted: bool,
}

impl Progress {
    /// Progress of nobody knows how many things called `noun`.
    pub(crate) fn new(noun: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let template = format!("{{spinner}} {{pos}} {noun}, {{elapsed}}");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        Self {
            bar,
            start: Instant::now(),
            wanted: terminal::shows_progress(),
        }
    }

    /// One thing is done.
    pub(crate) fn step(&self) {
        if !self.wanted {
            return;
        }
        self.bar.inc(1);
        if self.bar.is_hidden() && self.start.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// All is done; the line goes.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A line on standard error while something far away is fetched.
pub(crate) struct Waiting {
    bar: ProgressBar,
    wanted: bool,
}

impl Waiting {
    pub(crate) fn new(quiet: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed}") {
            bar.set_style(style);
        }
        Self {
            bar,
            wanted: !quiet && terminal::shows_progress(),
        }
    }

    /// Shows how far it is.
    pub(crate) fn tell(&self, progress: &prowess_sources::Progress) {
        if !self.wanted {
            return;
        }
        if self.bar.is_hidden() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.bar.enable_steady_tick(Duration::from_millis(100));
        }
        let what = terminal::printable(&progress.what);
        self.bar.set_message(match (progress.done, progress.total) {
            (0, None) => what,
            (done, None) => format!("{what}: {done}"),
            (done, Some(total)) => format!("{what}: {done} of {total}"),
        });
    }

    /// The line goes.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
