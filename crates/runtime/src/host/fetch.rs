//! HTTP requests to public hosts.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use prowess_net::{BodyError, client_builder, read_body};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Method, Response, StatusCode, Url};
use serde_json::{Value, json};

use crate::limits::{FETCH_BYTES, REDIRECTS};

/// Allowed hosts of private networks, as `host` or `host:port`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrivateHosts(pub Vec<String>);

impl PrivateHosts {
    fn contains(&self, host: &str, port: u16) -> bool {
        let with_port = format!("{host}:{port}");
        self.0
            .iter()
            .any(|named| named.eq_ignore_ascii_case(host) || named.eq_ignore_ascii_case(&with_port))
    }
}

/// A request.
pub(crate) struct Fetch<'a> {
    pub(crate) url: &'a str,
    pub(crate) method: Option<&'a str>,
    pub(crate) headers: &'a BTreeMap<String, String>,
    pub(crate) body: Option<&'a str>,
}

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    #[error("invalid URL `{0}`: expected http or https")]
    Url(String),
    #[error("`{host}` is {address}, which is not on the public network")]
    Private { host: String, address: IpAddr },
    #[error("`{0}` cannot be sent")]
    Header(String),
    #[error("unknown host `{0}`")]
    Unknown(String),
    #[error("more than {REDIRECTS} redirects")]
    Redirects,
    #[error("the response has more than {FETCH_BYTES} bytes")]
    TooLarge,
    #[error("{0}")]
    Failed(String),
}

/// Sends a request and follows redirects, checking the target of each.
pub(crate) async fn fetch(
    fetch: &Fetch<'_>,
    private: &PrivateHosts,
    time: Duration,
) -> Result<Value, FetchError> {
    let mut url = parse(fetch.url)?;
    let method = fetch.method.unwrap_or("GET").to_ascii_uppercase();
    let mut method = Method::from_bytes(method.as_bytes())
        .map_err(|_| FetchError::Header(format!("method {method}")))?;
    let mut headers = headers(fetch.headers)?;
    let mut body = fetch.body.map(str::to_owned);
    let whole = async {
        for _ in 0..=REDIRECTS {
            let answer = once(&url, &method, &headers, body.as_deref(), private).await?;
            let Some(next) = redirect(&url, &answer)? else {
                return read(answer).await;
            };
            if !matches!(
                answer.status(),
                StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
            ) {
                method = Method::GET;
                body = None;
            }
            // Headers and body are only for their origin.
            if next.origin() != url.origin() {
                headers.clear();
            }
            url = next;
        }
        Err(FetchError::Redirects)
    };
    match tokio::time::timeout(time, whole).await {
        Ok(answer) => answer,
        Err(_) => Err(FetchError::Failed(format!(
            "timed out after {} s",
            time.as_secs()
        ))),
    }
}

fn parse(text: &str) -> Result<Url, FetchError> {
    let url = Url::parse(text).map_err(|_| FetchError::Url(text.to_owned()))?;
    if matches!(url.scheme(), "http" | "https") && url.host().is_some() {
        Ok(url)
    } else {
        Err(FetchError::Url(text.to_owned()))
    }
}

fn headers(given: &BTreeMap<String, String>) -> Result<HeaderMap, FetchError> {
    let mut headers = HeaderMap::new();
    for (name, value) in given {
        let wrong = || FetchError::Header(format!("header {name}"));
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
        let value = HeaderValue::from_str(value).map_err(|_| wrong())?;
        headers.insert(name, value);
    }
    Ok(headers)
}

async fn once(
    url: &Url,
    method: &Method,
    headers: &HeaderMap,
    body: Option<&str>,
    private: &PrivateHosts,
) -> Result<Response, FetchError> {
    let host = url.host_str().unwrap_or_default();
    let addresses = addresses(url, host, private).await?;
    // Resolved once and checked, so that a second lookup cannot give another address.
    let client = client_builder(None)
        .no_proxy()
        .resolve_to_addrs(host, &addresses)
        .build();
    let failed = |error: reqwest::Error| FetchError::Failed(error.without_url().to_string());
    let mut request = client
        .map_err(failed)?
        .request(method.clone(), url.clone())
        .headers(headers.clone());
    if let Some(body) = body {
        request = request.body(body.to_owned());
    }
    let response = request.send().await;
    let status = response.as_ref().ok().map(|it| it.status().as_u16());
    tracing::debug!(host, status, "fetched for a skill");
    response.map_err(failed)
}

async fn addresses(
    url: &Url,
    host: &str,
    private: &PrivateHosts,
) -> Result<Vec<SocketAddr>, FetchError> {
    let port = url.port_or_known_default().unwrap_or(80);
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let found = tokio::net::lookup_host((bare, port)).await;
    let found: Vec<SocketAddr> = match found {
        Ok(found) => found.collect(),
        Err(_) => return Err(FetchError::Unknown(host.to_owned())),
    };
    if !private.contains(bare, port)
        && let Some(inside) = found.iter().find(|address| !is_public(address.ip()))
    {
        return Err(FetchError::Private {
            host: host.to_owned(),
            address: inside.ip(),
        });
    }
    Ok(found)
}

fn redirect(from: &Url, answer: &Response) -> Result<Option<Url>, FetchError> {
    if !answer.status().is_redirection() {
        return Ok(None);
    }
    let Some(location) = answer.headers().get(LOCATION) else {
        return Ok(None);
    };
    let location = location.to_str().unwrap_or_default();
    let next = from
        .join(location)
        .map_err(|_| FetchError::Url(location.to_owned()))?;
    parse(next.as_str()).map(Some)
}

async fn read(answer: Response) -> Result<Value, FetchError> {
    let status = answer.status().as_u16();
    let pairs = answer.headers().iter();
    let headers: BTreeMap<String, String> = pairs
        .map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.as_str().to_owned(), value)
        })
        .collect();
    let body = read_body(answer, FETCH_BYTES)
        .await
        .map_err(|error| match error {
            BodyError::TooLarge(_) => FetchError::TooLarge,
            BodyError::Failed(error) => FetchError::Failed(error.without_url().to_string()),
        })?;
    let body = String::from_utf8_lossy(&body);
    Ok(json!({"status": status, "headers": headers, "body": body}))
}

/// Whether an address is on the public network.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_multicast()
        || address.is_documentation();
    let reserved = a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && (18..20).contains(&b));
    !special && !reserved
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let inner = |high: u16, low: u16| {
        let bits = u32::from(high) << 16 | u32::from(low);
        is_public_v4(Ipv4Addr::from_bits(bits))
    };
    if let Some(mapped) = address.to_ipv4_mapped() {
        return is_public_v4(mapped);
    }
    match address.segments() {
        // Embedded IPv4 addresses: NAT64 and 6to4.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => inner(high, low),
        // Teredo, other special assignments, and documentation.
        [0x2001, 0..=0x01ff | 0x0db8, ..] | [0x3fff, 0..=0x0fff, ..] => false,
        [first, ..] => (first & 0xe000) == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_addresses() {
        for (text, public) in [
            ("1.1.1.1", true),
            ("93.184.216.34", true),
            ("2606:4700::1111", true),
            ("64:ff9b::101:101", true),
            ("0.0.0.0", false),
            ("10.0.0.1", false),
            ("100.64.0.1", false),
            ("127.0.0.1", false),
            ("127.255.255.254", false),
            ("169.254.169.254", false),
            ("172.16.0.1", false),
            ("172.31.255.255", false),
            ("192.0.0.8", false),
            ("192.168.1.1", false),
            ("198.18.0.1", false),
            ("224.0.0.1", false),
            ("255.255.255.255", false),
            ("::", false),
            ("::1", false),
            ("::ffff:127.0.0.1", false),
            ("::ffff:10.0.0.1", false),
            ("::127.0.0.1", false),
            ("64:ff9b::7f00:1", false),
            ("64:ff9b:1::1", false),
            ("2002:7f00:1::", false),
            ("2002:a00:1::", false),
            ("2001:db8::1", false),
            ("2001::1", false),
            ("fc00::1", false),
            ("fe80::1", false),
            ("ff02::1", false),
        ] {
            let address: IpAddr = text.parse().unwrap();
            assert_eq!(is_public(address), public, "{text}");
        }
    }
}
