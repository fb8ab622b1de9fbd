//! Downloads that survive broken connections: what came is kept, and the rest is asked for.

use std::error::Error as _;
use std::time::Duration;

use prowess_net::{client_builder, same_origin};
use prowess_sources::{Network, Progress, RemoteOptions};
use reqwest::header::{CONTENT_RANGE, ETAG, HeaderMap, HeaderValue, IF_RANGE, RANGE};
use reqwest::{Client, Response, StatusCode};
use url::Url;

use super::FetchError;

/// How often a broken transfer is resumed.
const ATTEMPTS: usize = 5;
const REDIRECTS: usize = 5;
const CONNECT: Duration = Duration::from_secs(15);
/// Time without a byte until a server times out.
const SILENCE: Duration = Duration::from_secs(30);

/// Downloads a file of at most `limit` bytes; `None` if the server does not have it.
pub(super) async fn download(
    url: &Url,
    limit: usize,
    remote: &RemoteOptions,
) -> Result<Option<Vec<u8>>, FetchError> {
    download_with(url, limit, remote, HeaderMap::new()).await
}

/// The same with credentials, which go to the origin of the URL and to no other.
pub(super) async fn download_with(
    url: &Url,
    limit: usize,
    remote: &RemoteOptions,
    credentials: HeaderMap,
) -> Result<Option<Vec<u8>>, FetchError> {
    if remote.network == Network::Offline {
        return Err(FetchError::Offline(url.to_string()));
    }
    let transfer = Transfer {
        url: url.clone(),
        limit,
        remote: remote.clone(),
        credentials,
    };
    let done = prowess_net::run(async move { transfer.run().await }).await;
    let done = done.unwrap_or_else(|error| Err(Broken::Interrupted(error.to_string())));
    let url = url.to_string();
    done.map_err(|broken| match broken {
        Broken::Status(status) => FetchError::Refused { url, status },
        Broken::Interrupted(reason) | Broken::Refused(reason) => FetchError::Server { url, reason },
    })
}

struct Transfer {
    url: Url,
    limit: usize,
    remote: RemoteOptions,
    credentials: HeaderMap,
}

/// What came so far.
#[derive(Default)]
struct Received {
    bytes: Vec<u8>,
    /// The name of this content, if the server has one for it.
    etag: Option<HeaderValue>,
    /// Bytes of the whole file, if the server said so.
    total: Option<u64>,
}

impl Transfer {
    async fn run(&self) -> Result<Option<Vec<u8>>, Broken> {
        let client = client_builder(Some(&self.url))
            .default_headers(self.credentials.clone())
            .redirect(same_origin(&self.url, REDIRECTS))
            .connect_timeout(CONNECT)
            .read_timeout(SILENCE)
            .build()
            .map_err(|error| Broken::Refused(reason(&error)))?;
        let mut received = Received::default();
        let mut attempt = 0;
        loop {
            let before = received.bytes.len();
            match self.part(&client, &mut received).await {
                Ok(found) => return Ok(found.then_some(received.bytes)),
                Err(Broken::Interrupted(reason)) => {
                    attempt += 1;
                    let came = received.bytes.len();
                    if attempt >= ATTEMPTS && came <= before {
                        return Err(Broken::Refused(format!("{reason} (after {came} bytes)")));
                    }
                    if attempt >= 10 * ATTEMPTS {
                        return Err(Broken::Refused(format!("{reason} ({attempt} times)")));
                    }
                }
                Err(refused) => return Err(refused),
            }
        }
    }

    /// Receives what is missing; returns whether the server has the file.
    async fn part(&self, client: &Client, received: &mut Received) -> Result<bool, Broken> {
        let mut request = client.get(self.url.clone());
        match &received.etag {
            Some(etag) if !received.bytes.is_empty() => {
                let range = format!("bytes={}-", received.bytes.len());
                request = request.header(RANGE, range).header(IF_RANGE, etag.clone());
            }
            // Without a name for its content, the rest may be of another file.
            _ => *received = Received::default(),
        }
        let response = request.send().await.map_err(|error| broken(&error))?;
        match response.status() {
            StatusCode::OK => {
                let etag = response.headers().get(ETAG);
                let etag = etag.filter(|it| !it.as_bytes().starts_with(b"W/"));
                *received = Received {
                    bytes: Vec::new(),
                    etag: etag.cloned(),
                    total: response.content_length(),
                };
            }
            StatusCode::PARTIAL_CONTENT => {
                let reason = mismatch(response.headers(), received);
                if let Some(reason) = reason {
                    let message = format!("malformed response: {reason}");
                    return Err(Broken::Refused(message));
                }
            }
            StatusCode::NOT_FOUND | StatusCode::GONE => return Ok(false),
            status if status.is_server_error() => {
                return Err(Broken::Interrupted(format!("the server returned {status}")));
            }
            status => return Err(Broken::Status(status)),
        }
        self.receive(response, received).await?;
        Ok(true)
    }

    async fn receive(&self, mut response: Response, received: &mut Received) -> Result<(), Broken> {
        let Received { bytes, total, .. } = received;
        let total = *total;
        let too_large = || Broken::Refused(format!("larger than {} bytes", self.limit));
        if total.is_some_and(|total| total > self.limit as u64) {
            return Err(too_large());
        }
        while let Some(chunk) = response.chunk().await.map_err(|error| broken(&error))? {
            if bytes.len() + chunk.len() > self.limit {
                return Err(too_large());
            }
            bytes.extend_from_slice(&chunk);
            if let Some(report) = &self.remote.progress {
                report(&Progress {
                    what: format!(
                        "downloading from {}",
                        self.url.host_str().unwrap_or_default()
                    ),
                    done: bytes.len() as u64,
                    total,
                });
            }
        }
        // A part may end before the file does.
        match total {
            Some(total) if total != bytes.len() as u64 => {
                Err(Broken::Interrupted("the transfer ended early".to_owned()))
            }
            _ => Ok(()),
        }
    }
}

enum Broken {
    /// Another attempt may succeed.
    Interrupted(String),
    Refused(String),
    /// The answer to a request that the server refuses.
    Status(StatusCode),
}

fn broken(error: &reqwest::Error) -> Broken {
    let reason = reason(error);
    // A server that is silent for so long is not asked again.
    if error.is_redirect() || error.is_builder() || error.is_connect() || error.is_timeout() {
        Broken::Refused(reason)
    } else {
        Broken::Interrupted(reason)
    }
}

/// Why a part is not the rest of what came.
fn mismatch(headers: &HeaderMap, received: &Received) -> Option<&'static str> {
    let range = headers.get(CONTENT_RANGE);
    let range = range.and_then(|it| it.to_str().ok()?.strip_prefix("bytes "));
    let (range, total) = range.and_then(|it| it.split_once('/')).unwrap_or_default();
    let start = range.split_once('-').map(|(start, _)| start.parse());
    let other_total = |total: u64| received.total.is_some_and(|it| it != total);
    if start != Some(Ok(received.bytes.len())) {
        Some("wrong range")
    } else if total.parse().is_ok_and(other_total) {
        Some("wrong size")
    } else if headers.get(ETAG).is_some() && headers.get(ETAG) != received.etag.as_ref() {
        Some("a part of another file")
    } else {
        None
    }
}

/// The root cause; the layers above repeat each other.
fn reason(error: &reqwest::Error) -> String {
    let mut last = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        last = error.to_string();
        cause = error.source();
    }
    if error.is_timeout() {
        return format!("timed out after {} s", SILENCE.as_secs());
    }
    if error.is_redirect() {
        return format!("{last}; use the URL that it leads to, if you trust it");
    }
    last
}
