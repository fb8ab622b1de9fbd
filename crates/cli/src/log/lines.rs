//! Lines on their way to standard error. A thread writes them, many at once, so that no request waits for a reader.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

/// Bytes that wait for a slow reader; lines above that are dropped and counted.
const WAITING: usize = 4 * 1024 * 1024;
/// How long lines are collected after some were written.
const PAUSE: Duration = Duration::from_millis(5);
/// How long the end of the program waits for a slow reader.
const END: Duration = Duration::from_secs(2);

/// Where reports write their lines.
pub(super) struct Lines(Arc<Queue>);

/// Writes the last lines when it is dropped.
pub(crate) struct LogEnd(Arc<Queue>);

#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    dropped: u64,
    state: State,
}

#[derive(Default, PartialEq, Eq)]
enum State {
    #[default]
    Open,
    /// What is there is written, and nothing more comes.
    Closing,
    Closed,
}

impl Lines {
    pub(super) fn start() -> io::Result<(Self, LogEnd)> {
        let queue = Arc::<Queue>::default();
        let writer = Arc::clone(&queue);
        thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || writer.write_all(&mut io::stderr()))?;
        Ok((Self(Arc::clone(&queue)), LogEnd(queue)))
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, line: &[u8]) {
        let mut waiting = self.lock();
        if waiting.bytes.len() + line.len() > WAITING {
            waiting.dropped += 1;
            return;
        }
        let was_empty = waiting.bytes.is_empty();
        waiting.bytes.extend_from_slice(line);
        drop(waiting);
        if was_empty {
            self.changed.notify_all();
        }
    }

    /// Writes until the end.
    fn write_all(&self, out: &mut impl Write) {
        let mut bytes = Vec::new();
        loop {
            let is_idle = |it: &mut Waiting| it.bytes.is_empty() && it.state == State::Open;
            let waiting = self.changed.wait_while(self.lock(), is_idle);
            let mut waiting = waiting.unwrap_or_else(PoisonError::into_inner);
            std::mem::swap(&mut bytes, &mut waiting.bytes);
            let dropped = std::mem::take(&mut waiting.dropped);
            if bytes.is_empty() {
                waiting.state = State::Closed;
                self.changed.notify_all();
                return;
            }
            drop(waiting);
            // A closed standard error is not an error.
            let _ = out.write_all(&bytes);
            if dropped > 0 {
                let _ = writeln!(
                    out,
                    "warning: {dropped} lines of the log were dropped: standard error is read too slowly"
                );
            }
            bytes.clear();
            let is_open = |it: &mut Waiting| it.state == State::Open;
            drop(self.changed.wait_timeout_while(self.lock(), PAUSE, is_open));
        }
    }
}

impl Drop for LogEnd {
    fn drop(&mut self) {
        let mut waiting = self.0.lock();
        waiting.state = State::Closing;
        self.0.changed.notify_all();
        let is_open = |it: &mut Waiting| it.state != State::Closed;
        drop(self.0.changed.wait_timeout_while(waiting, END, is_open));
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = LineWriter<'a>;

    fn make_writer(&'a self) -> LineWriter<'a> {
        LineWriter(&self.0)
    }
}

/// Adds what is written at once, which is a line.
pub(super) struct LineWriter<'a>(&'a Queue);

impl Write for LineWriter<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.add(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// A reader that takes what is written only when it is told to.
    struct Slow {
        go: mpsc::Receiver<()>,
        got: mpsc::Sender<Vec<u8>>,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.go.recv().unwrap();
            self.got.send(bytes.to_vec()).unwrap();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn slow_reader_blocks_nothing_and_dropped_lines_are_counted() {
        let queue = Arc::<Queue>::default();
        let (next, go) = mpsc::channel();
        let (got, lines) = mpsc::channel();
        let writer = Arc::clone(&queue);
        let thread = thread::spawn(move || writer.write_all(&mut Slow { go, got }));
        let line = vec![b'x'; 1024 * 1024];
        for _ in 0..20 {
            queue.add(&line);
        }
        // Enough for whatever was written in one go or in several.
        for _ in 0..100 {
            next.send(()).unwrap();
        }
        drop(LogEnd(Arc::clone(&queue)));
        thread.join().unwrap();
        let all: Vec<u8> = lines.iter().flatten().collect();
        let text = String::from_utf8_lossy(&all);
        let written = text.matches('x').count() / line.len();
        let mut words = text.rsplit("warning: ").next().unwrap().split(' ');
        let dropped: usize = words.next().unwrap().parse().unwrap();
        assert!(dropped > 0, "{text}");
        assert_eq!(written + dropped, 20);
    }
}
