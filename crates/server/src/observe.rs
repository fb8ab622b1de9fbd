//! Observation of exchanges.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;

use crate::error::Code;

/// A request and how it was answered.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The method.
    pub method: Method,
    /// The path as it was sent, without the query.
    pub path: String,
    /// The status of the answer.
    pub status: u16,
    /// Why it is an error, if it is.
    pub code: Option<Code>,
    /// How long the answer took to begin.
    pub took: Duration,
    /// The id of the request: that of `x-request-id`, or a new one.
    pub request_id: String,
    /// The address of the client; a proxy that is not trusted hides its clients.
    pub client: Option<SocketAddr>,
    /// Bytes of the answer, if known before it is sent.
    pub bytes: Option<u64>,
}

/// The address of the other end of a connection.
#[derive(Clone, Copy)]
pub(crate) struct ClientAddress(pub(crate) SocketAddr);

type Hear = dyn Fn(&Exchange) + Send + Sync;

/// An optional observer of every exchange.
#[derive(Clone, Default)]
pub(crate) struct Observer(pub(crate) Option<Arc<Hear>>);

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "some" } else { "none" })
    }
}
