//! The open connections, and the choice of one to close if there are too many.
//!
//! A connection waits for us or for its client: for a request, for the rest of one, or until a response was read. If
//! the limit is reached, the one that has waited longest for its client is closed. So slow or idle clients do not block
//! others.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::BoxError;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use tokio::sync::Notify;
use tokio::time::{Instant, Sleep, sleep};

use crate::limits::{BODY, BODY_BYTES, CONNECTION, CONNECTIONS, STREAM_STALL};

/// Marks a response as a stream of events, and remembers when its client last read. Such a connection takes no place of
/// others, and stays open as long as it is read.
#[derive(Clone)]
pub(crate) struct StreamMark(Arc<Mutex<Instant>>);

impl Default for StreamMark {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Instant::now())))
    }
}

impl StreamMark {
    /// The client has read.
    pub(crate) fn touch(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn is_read(&self) -> bool {
        let read = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        read.elapsed() < STREAM_STALL
    }
}

/// Every connection of a server.
#[derive(Default)]
pub(crate) struct Connections {
    open: Mutex<Open>,
    /// One was closed.
    closed: Notify,
}

#[derive(Default)]
struct Open {
    /// Counts turns, so that the oldest can be found.
    turns: u64,
    connections: HashMap<u64, OpenConnection>,
}

struct OpenConnection {
    /// The turn since which it waits for its client, if it does.
    waits_since: Option<u64>,
    /// Bytes of the body of its request.
    bytes: usize,
    /// Its answer is a stream of events.
    stream: Option<StreamMark>,
    evicted: Arc<Notify>,
}

impl Open {
    fn turn(&mut self) -> u64 {
        self.turns += 1;
        self.turns
    }

    /// Ends the one that fits and has waited longest.
    fn evict(&mut self, fits: impl Fn(&OpenConnection) -> bool) {
        let waiting = self.connections.values_mut().filter(|entry| fits(entry));
        let oldest = waiting.min_by_key(|entry| entry.waits_since.unwrap_or(u64::MAX));
        if let Some(entry) = oldest
            && entry.waits_since.take().is_some()
        {
            entry.bytes = 0;
            entry.evicted.notify_one();
        }
    }
}

impl Connections {
    /// Makes room for one more.
    pub(crate) async fn admit(self: &Arc<Self>) -> Arc<Admitted> {
        loop {
            {
                let mut open = self.open();
                let others = open.connections.values().filter(|it| it.stream.is_none());
                if others.count() < CONNECTIONS {
                    let id = open.turn();
                    let evicted = Arc::<Notify>::default();
                    let entry = OpenConnection {
                        waits_since: Some(id),
                        bytes: 0,
                        stream: None,
                        evicted: Arc::clone(&evicted),
                    };
                    open.connections.insert(id, entry);
                    let all = Arc::clone(self);
                    return Arc::new(Admitted { all, id, evicted });
                }
                open.evict(|_| true);
            }
            self.closed.notified().await;
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.open().connections.len()
    }

    /// Done when none is open. Only for one caller, and not while another one admits.
    pub(crate) async fn all_closed(&self) {
        while self.count() > 0 {
            self.closed.notified().await;
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One connection, open until this is dropped.
pub(crate) struct Admitted {
    all: Arc<Connections>,
    id: u64,
    evicted: Arc<Notify>,
}

impl Admitted {
    /// Its request is there, and ours to answer.
    fn wait_for_us(&self) {
        if let Some(entry) = self.all.open().connections.get_mut(&self.id) {
            entry.waits_since = None;
            entry.stream = None;
        }
    }

    /// Its answer is a stream of events.
    pub(crate) fn stream(&self, mark: StreamMark) {
        if let Some(entry) = self.all.open().connections.get_mut(&self.id) {
            entry.waits_since = None;
            entry.bytes = 0;
            entry.stream = Some(mark);
        }
        self.all.closed.notify_one();
    }

    /// Its answer is there, and the client's to read.
    pub(crate) fn wait_for_client(&self) {
        let mut open = self.all.open();
        let turn = open.turn();
        if let Some(entry) = open.connections.get_mut(&self.id) {
            entry.waits_since = Some(turn);
            entry.bytes = 0;
        }
    }

    fn received(&self, bytes: usize) {
        let mut open = self.all.open();
        if let Some(entry) = open.connections.get_mut(&self.id) {
            entry.bytes += bytes;
        }
        let all: usize = open.connections.values().map(|entry| entry.bytes).sum();
        if all > BODY_BYTES {
            open.evict(|entry| entry.bytes > 0);
        }
    }

    /// Done when the connection was open for too long. A stream of events is not, while it is read.
    pub(crate) async fn expired(&self) {
        sleep(CONNECTION).await;
        let is_read = || {
            let open = self.all.open();
            let entry = open.connections.get(&self.id);
            let stream = entry.and_then(|entry| entry.stream.as_ref());
            stream.is_some_and(StreamMark::is_read)
        };
        while is_read() {
            sleep(STREAM_STALL).await;
        }
    }

    /// Done when the connection has to go.
    pub(crate) async fn evicted(&self) {
        self.evicted.notified().await;
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.all.open().connections.remove(&self.id);
        self.all.closed.notify_one();
    }
}

/// The rest of a body did not arrive in time.
#[derive(Debug, thiserror::Error)]
#[error("the request timed out")]
pub(crate) struct SlowBody;

/// The body of a request, counted, and not waited for too long.
pub(crate) struct CountedBody {
    inner: Incoming,
    connection: Arc<Admitted>,
    end: Pin<Box<Sleep>>,
}

impl CountedBody {
    pub(crate) fn new(inner: Incoming, connection: Arc<Admitted>) -> Self {
        if inner.is_end_stream() {
            connection.wait_for_us();
        }
        Self {
            inner,
            connection,
            end: Box::pin(sleep(BODY)),
        }
    }
}

impl Body for CountedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let frame = Pin::new(&mut self.inner).poll_frame(context);
        match &frame {
            Poll::Pending if self.end.as_mut().poll(context).is_ready() => {
                return Poll::Ready(Some(Err(SlowBody.into())));
            }
            Poll::Ready(Some(Ok(frame))) => {
                self.connection
                    .received(frame.data_ref().map_or(0, Bytes::len));
                if self.inner.is_end_stream() {
                    self.connection.wait_for_us();
                }
            }
            Poll::Ready(None) => self.connection.wait_for_us(),
            _ => {}
        }
        frame.map(|frame| frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
