//! HTTP for buckets: our own client, which gives up when nothing moves rather than after a fixed time.

use std::error::Error;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt as _};
use http_body::{Body, Frame, SizeHint};
use http_body_util::StreamBody;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody,
    HttpResponse, HttpResponseBody, HttpService,
};
use reqwest::{Client, Request, Response, Url};
use tokio::time::{Instant, timeout};

use super::limits::{CONNECT_TIMEOUT, IDLE_TIMEOUT, UPLOAD_CHUNK};

/// How often an upload is looked at.
const TICK: Duration = Duration::from_millis(500);

/// The client of one bucket.
#[derive(Clone, Debug)]
pub(super) struct Transport(Client);

impl Transport {
    pub(super) fn new(endpoint: Option<&Url>) -> Result<Self, reqwest::Error> {
        let builder = prowess_net::client_builder(endpoint).connect_timeout(CONNECT_TIMEOUT);
        builder.build().map(Self)
    }
}

impl HttpConnector for Transport {
    fn connect(&self, _: &object_store::ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

#[async_trait::async_trait]
impl HttpService for Transport {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let invalid = |error| HttpError::new(HttpErrorKind::Unknown, error);
        let url = parts.uri.to_string().parse::<Url>().map_err(invalid)?;
        let mut request = Request::new(parts.method, url);
        *request.headers_mut() = parts.headers;
        let sent = Arc::new(AtomicU64::new(0));
        if body.size_hint().exact() != Some(0) {
            let body = CountedBody {
                body,
                rest: Bytes::new(),
                sent: Arc::clone(&sent),
            };
            *request.body_mut() = Some(reqwest::Body::wrap(body));
        }
        let response = while_moving(self.0.execute(request), &sent).await?;
        Ok(answer(response))
    }
}

/// The result of a request, unless no byte of its body is taken for too long.
async fn while_moving(
    request: impl Future<Output = Result<Response, reqwest::Error>>,
    sent: &AtomicU64,
) -> Result<Response, HttpError> {
    let mut request = pin!(request);
    let (mut before, mut moved) = (0, Instant::now());
    loop {
        if let Ok(response) = timeout(TICK, &mut request).await {
            return response.map_err(failure);
        }
        let now = sent.load(Ordering::Relaxed);
        if now != before {
            (before, moved) = (now, Instant::now());
        } else if moved.elapsed() >= IDLE_TIMEOUT {
            return Err(silence());
        }
    }
}

/// A response whose body may be slow, but not silent.
fn answer(response: Response) -> HttpResponse {
    let status = response.status();
    let headers = response.headers().clone();
    let chunks = stream::unfold(Some(response), |response| async {
        let mut response = response?;
        match timeout(IDLE_TIMEOUT, response.chunk()).await {
            Ok(Ok(Some(bytes))) => Some((Ok(Frame::data(bytes)), Some(response))),
            Ok(Ok(None)) => None,
            Ok(Err(error)) => Some((Err(failure(error)), None)),
            Err(_) => Some((Err(silence()), None)),
        }
    });
    let body = HttpResponseBody::new(StreamBody::new(Box::pin(chunks.fuse())));
    let mut response = HttpResponse::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

fn silence() -> HttpError {
    let text = format!("no answer for {} s", IDLE_TIMEOUT.as_secs());
    HttpError::new(
        HttpErrorKind::Timeout,
        io::Error::new(io::ErrorKind::TimedOut, text),
    )
}

fn failure(error: reqwest::Error) -> HttpError {
    let kind = if error.is_connect() {
        HttpErrorKind::Connect
    } else if error.is_timeout() {
        HttpErrorKind::Timeout
    } else if error.is_decode() && !is_interrupted(&error) {
        HttpErrorKind::Decode
    } else {
        HttpErrorKind::Interrupted
    };
    HttpError::new(kind, error.without_url())
}

/// Whether the connection ended early, which reading a body shows as a decoding problem.
fn is_interrupted(error: &reqwest::Error) -> bool {
    let mut source = error.source();
    while let Some(cause) = source {
        if cause.is::<io::Error>() {
            return true;
        }
        source = cause.source();
    }
    false
}

/// A body that is sent in small pieces, each of which is counted.
struct CountedBody {
    body: HttpRequestBody,
    rest: Bytes,
    sent: Arc<AtomicU64>,
}

impl Body for CountedBody {
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HttpError>>> {
        while self.rest.is_empty() {
            match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => {
                    self.rest = frame.into_data().unwrap_or_default();
                }
                other => return other,
            }
        }
        let size = self.rest.len().min(UPLOAD_CHUNK);
        let piece = self.rest.split_to(size);
        self.sent.fetch_add(size as u64, Ordering::Relaxed);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let body = self.body.size_hint().exact().unwrap_or_default();
        SizeHint::with_exact(body + self.rest.len() as u64)
    }
}
