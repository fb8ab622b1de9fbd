//! HTTP clients: credentials go to the server that they are for, and to no other.

use std::net::IpAddr;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Response, Url};

/// Why a header cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// The name is not one of a header.
    #[error("invalid header name `{0}`")]
    Name(String),
    /// The value has characters that no header may have. It is not shown: it is a secret.
    #[error("invalid credentials: not allowed in a header")]
    Value,
}

/// Why a body was not read.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// It is too large.
    #[error("the response is larger than {0} bytes")]
    TooLarge(usize),
    /// The connection failed.
    #[error(transparent)]
    Failed(#[from] reqwest::Error),
}

/// A client for `server`: it follows no redirects, and no proxy sees requests to this machine.
pub fn client_builder(server: Option<&Url>) -> ClientBuilder {
    install_tls_provider();
    let builder = Client::builder()
        .redirect(Policy::none())
        .user_agent(concat!("prowess/", env!("CARGO_PKG_VERSION")));
    if server.is_some_and(is_loopback) {
        builder.no_proxy()
    } else {
        builder
    }
}

/// Chooses the implementation of TLS for this process, unless the program chose one already.
pub fn install_tls_provider() {
    // The error says that there is one.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Follows up to `limit` redirects that stay at the origin of `server`.
pub fn same_origin(server: &Url, limit: usize) -> Policy {
    let origin = server.origin();
    Policy::custom(move |attempt| {
        if attempt.previous().len() > limit {
            attempt.error("too many redirects")
        } else if attempt.url().origin() == origin {
            attempt.follow()
        } else {
            let host = attempt.url().host_str().unwrap_or_default().to_owned();
            attempt.error(format!("the server redirects to another origin ({host})"))
        }
    })
}

/// A header with a secret, which is in no log.
pub fn secret_header(name: &str, value: &str) -> Result<HeaderMap, HeaderError> {
    let name = HeaderName::try_from(name).map_err(|_| HeaderError::Name(name.to_owned()))?;
    let mut value = HeaderValue::from_str(value).map_err(|_| HeaderError::Value)?;
    value.set_sensitive(true);
    Ok(HeaderMap::from_iter([(name, value)]))
}

/// Whether a URL is one of this machine.
pub fn is_loopback(url: &Url) -> bool {
    match url.host_str().map(|host| host.trim_matches(['[', ']'])) {
        Some("localhost") => true,
        Some(host) => host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback()),
        None => false,
    }
}

/// Reads a body of at most `limit` bytes.
pub async fn read_body(mut response: Response, limit: usize) -> Result<Vec<u8>, BodyError> {
    let stated = response.content_length();
    if stated.is_some_and(|length| length > limit as u64) {
        return Err(BodyError::TooLarge(limit));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > limit {
            return Err(BodyError::TooLarge(limit));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}
