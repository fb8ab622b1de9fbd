//! A limited number of HTTP sessions: a client can start one with each request.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures_util::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::ServerSseMessage;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::{SessionId, SessionManager};

use crate::limits::{SESSION_IDLE, SESSIONS};

/// At most [`SESSIONS`] sessions; for one more, the idle one that was used longest ago ends.
pub(crate) struct BoundedSessions {
    inner: LocalSessionManager,
    used: Arc<Uses>,
}

impl BoundedSessions {
    pub(crate) fn new() -> Self {
        let mut lifetime = SessionConfig::default();
        lifetime.keep_alive = Some(SESSION_IDLE);
        let mut inner = LocalSessionManager::default();
        inner.session_config = lifetime;
        Self {
            inner,
            used: Arc::default(),
        }
    }
}

/// When each session was used last, and how often it is being used.
#[derive(Default)]
struct Uses(Mutex<Table>);

#[derive(Default)]
struct Table {
    clock: u64,
    sessions: HashMap<SessionId, Use>,
}

#[derive(Default)]
struct Use {
    last: u64,
    streams: usize,
}

impl Uses {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a session and returns those that have to end for it.
    fn add(&self, id: &SessionId) -> Vec<SessionId> {
        let mut table = self.table();
        let mut over = Vec::new();
        while table.sessions.len() >= SESSIONS {
            let sessions = table.sessions.iter();
            let oldest = sessions.min_by_key(|(_, used)| (used.streams > 0, used.last));
            let Some(oldest) = oldest.map(|(id, _)| Arc::clone(id)) else {
                break;
            };
            table.sessions.remove(&oldest);
            over.push(oldest);
        }
        table.sessions.insert(Arc::clone(id), Use::default());
        drop(table);
        self.touch(id, |_| {});
        over
    }

    fn touch(&self, id: &SessionId, change: impl FnOnce(&mut Use)) {
        let mut table = self.table();
        table.clock += 1;
        let clock = table.clock;
        if let Some(used) = table.sessions.get_mut(id) {
            used.last = clock;
            change(used);
        }
    }
}

/// A stream of answers; its session is not idle while a client reads it.
struct InUse<S> {
    inner: Pin<Box<S>>,
    id: SessionId,
    used: Arc<Uses>,
}

impl<S> InUse<S> {
    fn new(inner: S, id: &SessionId, used: &Arc<Uses>) -> Self {
        used.touch(id, |used| used.streams += 1);
        Self {
            inner: Box::pin(inner),
            id: Arc::clone(id),
            used: Arc::clone(used),
        }
    }
}

impl<S: Stream> Stream for InUse<S> {
    type Item = S::Item;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<S::Item>> {
        self.inner.as_mut().poll_next(context)
    }
}

impl<S> Drop for InUse<S> {
    fn drop(&mut self) {
        self.used.touch(&self.id, |used| {
            used.streams = used.streams.saturating_sub(1);
        });
    }
}

impl SessionManager for BoundedSessions {
    type Error = <LocalSessionManager as SessionManager>::Error;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let (id, transport) = self.inner.create_session().await?;
        for over in self.used.add(&id) {
            // Its worker may have ended.
            let _ = self.inner.close_session(&over).await;
        }
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.inner.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.used.table().sessions.remove(id);
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let stream = self.inner.create_stream(id, message).await?;
        Ok(InUse::new(stream, id, &self.used))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        self.used.touch(id, |_| {});
        self.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        // A client that only listens is idle.
        self.used.touch(id, |_| {});
        self.inner.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.used.touch(id, |_| {});
        self.inner.resume(id, last_event_id).await
    }
}
