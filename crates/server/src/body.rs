//! JSON bodies of requests.

use std::error::Error;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use hyper::body::Body as _;
use serde::de::DeserializeOwned;

use crate::connections::SlowBody;
use crate::error::{Code, Failure};
use crate::limits::JSON_BYTES;

/// A body of JSON. Its content type must say so: a page of another origin cannot send that without asking first.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let media = request.headers().get(header::CONTENT_TYPE);
        let media = media
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let media = media.split(';').next().unwrap_or_default().trim();
        if !media.eq_ignore_ascii_case("application/json") {
            let message = "expected a body with the content type `application/json`";
            return Err(Failure::new(Code::UnsupportedMediaType, message));
        }
        // One that says so is not waited for.
        if request.body().size_hint().lower() > JSON_BYTES as u64 {
            return Err(too_large(JSON_BYTES));
        }
        let bytes = Bytes::from_request(request, state).await;
        let bytes = bytes.map_err(|error| body_error(&error, JSON_BYTES))?;
        // A list would be read as the fields of an object.
        if bytes.trim_ascii_start().first() == Some(&b'[') {
            let message = "invalid JSON body: expected an object";
            return Err(Failure::new(Code::InvalidRequest, message));
        }
        let value = serde_json::from_slice(&bytes);
        let value = value.map_err(|error| {
            Failure::new(Code::InvalidRequest, format!("invalid JSON body: {error}"))
        })?;
        Ok(Self(value))
    }
}

/// Why a body cannot be read.
pub(crate) fn body_error(error: &BytesRejection, limit: usize) -> Failure {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        too_large(limit)
    } else if is_slow(error) {
        let message = "the body of the request did not arrive in time";
        Failure::new(Code::TimedOut, message)
    } else {
        Failure::new(Code::InvalidRequest, error.body_text().to_lowercase())
    }
}

pub(crate) fn too_large(limit: usize) -> Failure {
    let message = format!("the body is too large: at most {limit} bytes allowed");
    Failure::new(Code::TooLarge, message)
}

/// Whether the client was too slow: the cause is somewhere below the errors of the crates in between.
fn is_slow(error: &(dyn Error + 'static)) -> bool {
    error.is::<SlowBody>() || error.source().is_some_and(is_slow)
}
