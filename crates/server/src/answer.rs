//! Responses with conditional requests.

use std::fmt::Write;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use prowess_core::media_type;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::error::{Code, Failure};

/// Bytes, their media type, and their digest.
#[derive(Clone)]
pub(crate) struct Payload {
    pub(crate) bytes: Bytes,
    pub(crate) etag: HeaderValue,
    media: HeaderValue,
}

impl Payload {
    pub(crate) fn new(bytes: impl Into<Bytes>, media: HeaderValue) -> Self {
        let bytes = bytes.into();
        Self {
            etag: etag(&bytes),
            bytes,
            media,
        }
    }

    pub(crate) fn json(value: &impl Serialize) -> Result<Self, Failure> {
        let bytes = serde_json::to_vec(value);
        let bytes = bytes.map_err(|error| Failure::new(Code::Unavailable, error.to_string()))?;
        Ok(Self::new(
            bytes,
            HeaderValue::from_static("application/json"),
        ))
    }

    /// The response for a client that may have it cached.
    pub(crate) fn unless_known(&self, request: &HeaderMap) -> Response {
        if is_known(request, &self.etag) {
            return (StatusCode::NOT_MODIFIED, self.headers(), Body::empty()).into_response();
        }
        (self.headers(), self.bytes.clone()).into_response()
    }

    pub(crate) fn headers(&self) -> [(header::HeaderName, HeaderValue); 2] {
        [
            (header::ETAG, self.etag.clone()),
            (header::CONTENT_TYPE, self.media.clone()),
        ]
    }
}

/// The media type of a file as a header; text is UTF-8.
pub(crate) fn content_type(path: &str, bytes: Option<&[u8]>) -> HeaderValue {
    let media = media_type(path, bytes);
    if media.starts_with("text/") {
        let with_charset = HeaderValue::try_from(format!("{media}; charset=utf-8"));
        return with_charset.unwrap_or(HeaderValue::from_static(media));
    }
    HeaderValue::from_static(media)
}

/// Half of a SHA-256, which is collision-resistant enough.
pub(crate) fn etag(bytes: &[u8]) -> HeaderValue {
    let mut text = String::from("\"");
    for byte in Sha256::digest(bytes).iter().take(16) {
        let _ = write!(text, "{byte:02x}");
    }
    text.push('"');
    // Hexadecimal digits and quotes can be sent.
    HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

/// A JSON response.
pub(crate) fn json_response(body: &impl Serialize) -> Result<Response, Failure> {
    let payload = Payload::json(body)?;
    Ok((payload.headers(), payload.bytes).into_response())
}

/// Whether `If-None-Match` names this `ETag`.
pub(crate) fn is_known(request: &HeaderMap, etag: &HeaderValue) -> bool {
    names(request, &header::IF_NONE_MATCH, etag)
}

/// Whether `If-Match`, if it is there, names this `ETag`.
pub(crate) fn is_match(request: &HeaderMap, etag: &HeaderValue) -> bool {
    !request.contains_key(header::IF_MATCH) || names(request, &header::IF_MATCH, etag)
}

/// Whether a list of `ETag`s contains this one, or `*`.
fn names(request: &HeaderMap, list: &header::HeaderName, etag: &HeaderValue) -> bool {
    let lists = request.get_all(list).iter();
    let mut names = lists
        .filter_map(|list| list.to_str().ok())
        .flat_map(|list| list.split(','))
        .map(str::trim);
    names.any(|name| {
        // A tag that a proxy made weak still matches.
        let strong = name.strip_prefix("W/").unwrap_or(name);
        name == "*" || strong.as_bytes() == etag.as_bytes()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_bytes_are_found_in_lists() {
        let own = etag(b"x");
        let text = own.to_str().unwrap().to_owned();
        let check = |header: &str, expected: bool| {
            let mut headers = HeaderMap::new();
            headers.insert(
                header::IF_NONE_MATCH,
                HeaderValue::from_str(header).unwrap(),
            );
            assert_eq!(is_known(&headers, &own), expected, "{header}");
        };
        check(&text, true);
        check(&format!("W/{text}"), true);
        check(&format!("\"a\", {text} ,\"b\""), true);
        check("*", true);
        check("\"a\"", false);
        check("", false);
        check(text.trim_matches('"'), false);
        assert!(!is_known(&HeaderMap::new(), &own));
        assert_ne!(own, etag(b"y"));
    }
}
