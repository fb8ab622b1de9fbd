//! JSON bodies of requests.

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use serde::de::DeserializeOwned;

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
        let bytes = Bytes::from_request(request, state).await;
        let bytes = bytes.map_err(|error| body_error(&error, JSON_BYTES))?;
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
        let message = format!("the body is too large: at most {limit} bytes allowed");
        Failure::new(Code::TooLarge, message)
    } else {
        Failure::new(Code::InvalidRequest, error.body_text().to_lowercase())
    }
}
