//! Forwards the progress of gitoxide.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use gix::progress::tree::{Item, Root};

use crate::remote::{Progress, ProgressReport, begin};

/// The interval of reports.
const EVERY: Duration = Duration::from_millis(100);

/// Watches one fetch.
pub(super) struct Watcher {
    root: Arc<Root>,
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    pub(super) fn new(report: Option<&ProgressReport>) -> Self {
        let root = Root::new();
        let done = Arc::new(AtomicBool::new(false));
        let thread = report.map(|report| {
            begin(Some(report), "connecting");
            let (root, done, report) = (Arc::clone(&root), Arc::clone(&done), Arc::clone(report));
            thread::spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    report_tasks(&root, &report);
                    thread::park_timeout(EVERY);
                }
            })
        });
        Self { root, done, thread }
    }

    /// The progress sink of gitoxide.
    pub(super) fn item(&self) -> Item {
        self.root.add_child("connecting")
    }
}

fn report_tasks(root: &Root, report: &ProgressReport) {
    let mut tasks = Vec::new();
    root.sorted_snapshot(&mut tasks);
    // The last task that counts something is the one that is going on.
    let last = tasks
        .into_iter()
        .rev()
        .find_map(|(_, task)| task.progress.map(|value| (task.name, value)));
    if let Some((name, value)) = last {
        report(&Progress {
            what: name,
            done: value.step.load(Ordering::Relaxed) as u64,
            total: value.done_at.map(|total| total as u64),
        });
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}
