//! Progress on standard error, shown in a terminal only.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use prowess_sources::ProgressReport;

use crate::terminal;

/// The delay before progress is shown.
const DELAY: Duration = Duration::from_millis(500);

/// A line on standard error that appears only when work takes long and a terminal shows it.
pub(crate) struct Progress {
    bar: ProgressBar,
    start: Instant,
    wanted: bool,
}

impl Progress {
    /// Progress of an unknown number of things called `noun`.
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
        if self.bar.is_hidden() && self.start.elapsed() > DELAY {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Done; removes the line.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A line on standard error while a search index is built.
pub(crate) struct IndexProgress {
    bar: ProgressBar,
    start: Instant,
    wanted: bool,
}

impl IndexProgress {
    pub(crate) fn new(quiet: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("indexing {pos} of {len} skills, {elapsed}")
        {
            bar.set_style(style);
        }
        Self {
            bar,
            start: Instant::now(),
            wanted: !quiet && terminal::shows_progress(),
        }
    }

    pub(crate) fn set(&self, done: usize, total: usize) {
        if !self.wanted {
            return;
        }
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
        if self.bar.is_hidden() && self.start.elapsed() > DELAY {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A line on standard error during a slow fetch.
pub(crate) struct FetchProgress {
    bar: ProgressBar,
    /// Shows the line after a delay; `None` without a terminal.
    clock: Option<JoinHandle<()>>,
    done: Arc<AtomicBool>,
}

impl FetchProgress {
    pub(crate) fn new(quiet: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed}") {
            bar.set_style(style);
        }
        let done = Arc::new(AtomicBool::new(false));
        let clock = (!quiet && terminal::shows_progress()).then(|| {
            let (bar, done) = (bar.clone(), Arc::clone(&done));
            thread::spawn(move || {
                thread::park_timeout(DELAY);
                if !done.load(Ordering::Relaxed) && !bar.message().is_empty() {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(Duration::from_millis(100));
                }
            })
        });
        Self { bar, clock, done }
    }

    fn update(bar: &ProgressBar, progress: &prowess_sources::Progress) {
        let what = terminal::printable(&progress.what);
        bar.set_message(match (progress.done, progress.total) {
            (0, None) => what,
            (done, None) => format!("{what}: {done}"),
            (done, Some(total)) => format!("{what}: {done} of {total}"),
        });
    }

    /// The progress sink of sources.
    pub(crate) fn report(&self) -> ProgressReport {
        let bar = self.bar.clone();
        Arc::new(move |progress| Self::update(&bar, progress))
    }
}

/// Removes the line.
impl Drop for FetchProgress {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(clock) = self.clock.take() {
            clock.thread().unpark();
            let _ = clock.join();
        }
        self.bar.finish_and_clear();
    }
}
