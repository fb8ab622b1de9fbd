//! Sending a request: what is tried again, and what an answer may be.

use std::error::Error as _;
use std::future::pending;
use std::time::Duration;

use prowess_net::{BodyError, read_body, within};
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Client, Method, Response, StatusCode};
use serde::de::DeserializeOwned;
use url::Url;

use super::error::RegistryError;
use crate::wire::TOTAL_HEADER;

pub(super) const REDIRECTS: usize = 5;
pub(super) const CONNECT: Duration = Duration::from_secs(15);
/// Time without a byte until a registry times out.
pub(super) const SILENCE: Duration = Duration::from_secs(30);
/// Time for a whole request, also of one that comes byte by byte.
const WHOLE: Duration = Duration::from_mins(5);
/// The longest wait that a registry may ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// Bytes of an answer.
const ANSWER_BYTES: usize = 4 * 1024 * 1024;

/// A request that can be sent again.
pub(super) struct Request {
    method: Method,
    url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Request {
    pub(super) fn new(method: Method, url: Url) -> Self {
        Self {
            method,
            url,
            headers: HeaderMap::new(),
            body: Vec::new(),
        }
    }

    /// Whether sending it twice has the effect of sending it once.
    fn is_repeatable(&self) -> bool {
        [Method::GET, Method::PUT].contains(&self.method)
    }
}

/// An answer that is not a refusal.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Vec<u8>,
    /// How many results there are in all.
    pub(super) total: Option<usize>,
    is_html: bool,
}

impl Answer {
    pub(super) fn json<T: DeserializeOwned>(&self, host: &str) -> Result<T, RegistryError> {
        serde_json::from_slice(&self.body).map_err(|error| {
            let begins = self.body.iter().find(|byte| !byte.is_ascii_whitespace());
            let reason = match begins {
                None => "expected JSON, got nothing".to_owned(),
                Some(b'<') => "expected JSON, got HTML".to_owned(),
                Some(_) if self.is_html => "expected JSON, got HTML".to_owned(),
                Some(_) if error.is_eof() => {
                    format!("expected JSON, got {} bytes of it", self.body.len())
                }
                Some(_) if error.is_data() => format!("unexpected JSON: {error}"),
                Some(_) => "expected JSON, got other text".to_owned(),
            };
            RegistryError::Malformed {
                host: host.to_owned(),
                reason,
            }
        })
    }
}

/// Sends a request; once more after a failed connection or an error of the server, if that does no harm, and once more
/// when the registry asks to wait.
pub(super) async fn send(
    client: &Client,
    request: &Request,
    host: &str,
) -> Result<Answer, RegistryError> {
    let unreachable = |reason: String| RegistryError::Unreachable {
        host: host.to_owned(),
        reason,
    };
    let (mut may_retry, mut may_wait) = (request.is_repeatable(), true);
    loop {
        let sent = within(WHOLE, attempt(client, request)).await;
        let Some(sent) = sent else {
            return Err(unreachable(timed_out(WHOLE)));
        };
        match sent {
            Err(BodyError::TooLarge(limit)) => {
                return Err(RegistryError::Malformed {
                    host: host.to_owned(),
                    reason: format!("larger than {limit} bytes"),
                });
            }
            Err(BodyError::Failed(error)) => {
                let is_final = error.is_redirect() || error.is_timeout() || error.is_builder();
                if is_final || !may_retry {
                    return Err(unreachable(reason(&error)));
                }
                may_retry = false;
            }
            Ok((answer, _)) if answer.status.is_server_error() && may_retry => may_retry = false,
            Ok((answer, wait)) if answer.status == StatusCode::TOO_MANY_REQUESTS => {
                match wait.filter(|it| may_wait && *it <= LONGEST_WAIT) {
                    Some(wait) => {
                        may_wait = false;
                        within(wait, pending::<()>()).await;
                    }
                    None => return Err(too_many(host, &answer, wait)),
                }
            }
            Ok((answer, _)) if answer.status.is_success() => return Ok(answer),
            Ok((answer, _)) => {
                return Err(RegistryError::refused(host, answer.status, &answer.body));
            }
        }
    }
}

async fn attempt(
    client: &Client,
    request: &Request,
) -> Result<(Answer, Option<Duration>), BodyError> {
    let response = client
        .request(request.method.clone(), request.url.clone())
        .headers(request.headers.clone())
        .body(request.body.clone())
        .send()
        .await?;
    let status = response.status();
    let wait = number(&response, RETRY_AFTER.as_str()).map(Duration::from_secs);
    let total = number(&response, TOTAL_HEADER);
    let media_type = response.headers().get(CONTENT_TYPE);
    let is_html = media_type.is_some_and(|it| it.as_bytes().starts_with(b"text/html"));
    let body = read_body(response, ANSWER_BYTES).await?;
    let answer = Answer {
        status,
        body,
        total: total.and_then(|it| usize::try_from(it).ok()),
        is_html,
    };
    Ok((answer, wait))
}

fn number(response: &Response, header: &str) -> Option<u64> {
    let value = response.headers().get(header)?;
    value.to_str().ok()?.trim().parse().ok()
}

fn too_many(host: &str, answer: &Answer, wait: Option<Duration>) -> RegistryError {
    let when = match wait {
        Some(wait) => format!("try again in {} s", wait.as_secs()),
        None => "try again later".to_owned(),
    };
    RegistryError::Refused {
        host: host.to_owned(),
        status: answer.status.as_u16(),
        detail: format!("too many requests to {host}; {when}"),
        diagnostics: Vec::new(),
    }
}

fn timed_out(limit: Duration) -> String {
    format!("timed out after {} s", limit.as_secs())
}

/// The root cause; the layers above repeat each other, and the URL.
fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return timed_out(SILENCE);
    }
    let mut last = "the connection failed".to_owned();
    let mut cause = error.source();
    while let Some(error) = cause {
        last = error.to_string();
        cause = error.source();
    }
    last
}
