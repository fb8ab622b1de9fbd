//! One request: bounded in size and time, to one origin only.

use std::error::Error as _;
use std::time::{Duration, Instant};

use prowess_config::Http;
use prowess_core::SourceError;
use prowess_core::wire::Problem;
use prowess_net::{BodyError, client_builder, read_body, same_origin, secret_header};
use reqwest::header::{
    ACCEPT, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, IF_NONE_MATCH, RANGE,
};
use reqwest::{Client, Response, StatusCode, Url};

use super::{BODY_BYTES, ERROR_BYTES, IDLE, REDIRECTS};

/// A client of one server.
#[derive(Clone)]
pub(super) struct Endpoint {
    client: Client,
    base: Url,
    timeout: Duration,
}

/// A response of a server.
pub(super) enum Fetched {
    /// The requested data.
    Found(Found),
    /// The cached data is current.
    NotModified,
    /// Not found.
    Missing,
    /// The file ends before the range; its length, if known.
    Beyond(Option<u64>),
    /// The file is not one of the skill's.
    Denied,
}

/// A range of a file, at least one byte.
#[derive(Clone, Copy)]
pub(super) struct Part {
    offset: u64,
    last: u64,
}

impl Part {
    pub(super) fn new(offset: u64, limit: usize) -> Self {
        let last = offset.saturating_add(limit as u64).saturating_sub(1);
        Self { offset, last }
    }
}

/// The requested data.
pub(super) struct Found {
    pub(super) bytes: Vec<u8>,
    pub(super) etag: Option<String>,
    pub(super) content_type: Option<String>,
    /// The length of the whole, where only a part came.
    pub(super) whole: Option<u64>,
}

impl Endpoint {
    pub(super) fn new(options: &Http) -> Result<Self, SourceError> {
        let base = Url::parse(options.url.expose())
            .map_err(|error| unavailable(format!("invalid URL: {error}")))?;
        if base.query().is_some() || base.fragment().is_some() {
            let message = "invalid URL: a query or a fragment is not allowed";
            return Err(unavailable(message.to_owned()));
        }
        let headers = match &options.auth {
            None => HeaderMap::new(),
            Some(auth) => {
                let (name, value) = auth.header();
                secret_header(name, &value).map_err(|error| unavailable(error.to_string()))?
            }
        };
        let client = client_builder(Some(&base))
            .default_headers(headers)
            .redirect(same_origin(&base, REDIRECTS))
            .connect_timeout(options.timeout)
            .timeout(options.timeout)
            // Shorter than the keep-alive of servers, so that a connection is not closed during use.
            .pool_idle_timeout(IDLE)
            .build()
            .map_err(|error| unavailable(reason(&error)))?;
        Ok(Self {
            client,
            base,
            timeout: options.timeout,
        })
    }

    /// The server.
    pub(super) fn host(&self) -> &str {
        self.base.host_str().unwrap_or_default()
    }

    /// Requests `path`, which starts with `/` and is encoded.
    pub(super) async fn get(
        &self,
        path: &str,
        etag: Option<&str>,
        part: Option<Part>,
    ) -> Result<Fetched, SourceError> {
        let url = format!("{}{path}", self.base.as_str().trim_end_matches('/'));
        let mut request = self.client.get(url);
        if let Some(etag) = etag {
            request = request.header(IF_NONE_MATCH, etag);
        }
        request = match part {
            Some(Part { offset, last }) => request.header(RANGE, format!("bytes={offset}-{last}")),
            None => request.header(ACCEPT, "application/json, */*;q=0.1"),
        };
        let began = Instant::now();
        let response = request.send().await;
        let duration_ms = began.elapsed().as_secs_f64() * 1e3;
        let status = response.as_ref().ok().map(|it| it.status().as_u16());
        tracing::debug!(host = self.host(), status, duration_ms, "fetched");
        let response = response.map_err(|error| self.failed(error))?;
        match (response.status(), part) {
            (StatusCode::OK, _) => self.read(response).await.map(Fetched::Found),
            (StatusCode::PARTIAL_CONTENT, Some(part)) => {
                let whole = size_of_whole(&response, part.offset)?;
                let mut found = self.read(response).await?;
                found.whole = Some(whole);
                Ok(Fetched::Found(found))
            }
            (StatusCode::NOT_MODIFIED, _) => Ok(Fetched::NotModified),
            (StatusCode::NOT_FOUND | StatusCode::GONE, _) => Ok(Fetched::Missing),
            (StatusCode::RANGE_NOT_SATISFIABLE, Some(_)) => {
                let size = content_range(&response).and_then(|(_, size)| size.parse().ok());
                Ok(Fetched::Beyond(size))
            }
            (status @ (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN), _) => {
                if part.is_some() && code(response).await.as_deref() == Some("access-denied") {
                    return Ok(Fetched::Denied);
                }
                Err(unavailable(format!(
                    "access denied ({status}); check the credentials"
                )))
            }
            (status, _) => Err(unavailable(format!("the server returned {status}"))),
        }
    }

    async fn read(&self, response: Response) -> Result<Found, SourceError> {
        let text = |name: HeaderName| {
            let value = response.headers().get(name)?;
            value.to_str().ok().map(str::to_owned)
        };
        let mut found = Found {
            bytes: Vec::new(),
            etag: text(ETAG),
            content_type: text(CONTENT_TYPE),
            whole: None,
        };
        found.bytes = read_body(response, BODY_BYTES)
            .await
            .map_err(|error| match error {
                BodyError::TooLarge(limit) => {
                    let limit = limit / (1024 * 1024);
                    unavailable(format!("the response is larger than {limit} MiB"))
                }
                BodyError::Failed(error) => self.failed(error),
            })?;
        Ok(found)
    }

    fn failed(&self, error: reqwest::Error) -> SourceError {
        if error.is_timeout() {
            let seconds = self.timeout.as_secs_f32();
            return unavailable(format!("timed out after {seconds} s"));
        }
        unavailable(reason(&error.without_url()))
    }
}

/// The two halves of `bytes 0-9/100`, without the unit.
fn content_range(response: &Response) -> Option<(&str, &str)> {
    let range = response.headers().get(CONTENT_RANGE)?.to_str().ok()?;
    range.strip_prefix("bytes ")?.split_once('/')
}

/// The total length from a range response, which must match the requested range.
fn size_of_whole(response: &Response, offset: u64) -> Result<u64, SourceError> {
    let size = content_range(response).and_then(|(range, size)| {
        let start: u64 = range.split_once('-')?.0.parse().ok()?;
        size.parse().ok().filter(|_| start == offset)
    });
    let other = || unavailable("malformed response: wrong range".to_owned());
    size.ok_or_else(other)
}

/// The stable word of an error.
async fn code(mut response: Response) -> Option<String> {
    let mut bytes = Vec::new();
    while bytes.len() < ERROR_BYTES
        && let Ok(Some(chunk)) = response.chunk().await
    {
        bytes.extend_from_slice(&chunk);
    }
    let problem: Problem = serde_json::from_slice(&bytes).ok()?;
    Some(problem.code)
}

pub(super) fn unavailable(reason: String) -> SourceError {
    SourceError::Unavailable(reason)
}

/// The root cause of an error; the layers above repeat each other.
fn reason(error: &reqwest::Error) -> String {
    let mut causes = Vec::new();
    let mut cause = error.source();
    while let Some(error) = cause {
        causes.push(error.to_string());
        cause = error.source();
    }
    let last = causes.pop().unwrap_or_else(|| error.to_string());
    let kind = if error.is_connect() {
        "cannot connect to the server"
    } else if error.is_redirect() {
        "redirect refused"
    } else {
        "the connection was interrupted"
    };
    format!("{kind}: {last}")
}
