//! `/.well-known/agent-skills/index.json`: every package, for clients of the standard.

use std::collections::HashSet;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use prowess_registry::{HostedRegistry, ListingEntry};
use serde_json::json;

use super::path::PackagePath;
use crate::answer::is_known;

const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// Entries that are sent at once.
const PART: usize = 500;

/// Sends the index in parts, so that a large registry needs no memory for it.
///
/// Names in it are those of skills. Of packages with the same one, a package without an owner is listed, or else the first.
pub(super) async fn index(State(registry): State<HostedRegistry>, headers: HeaderMap) -> Response {
    let (changes, mut packages) = registry.listing();
    let json = HeaderValue::from_static("application/json");
    let Ok(etag) = HeaderValue::try_from(format!("\"changes-{changes}\"")) else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let known = [(header::ETAG, etag.clone()), (header::CONTENT_TYPE, json)];
    if is_known(&headers, &etag) {
        return (StatusCode::NOT_MODIFIED, known).into_response();
    }
    let mut names = HashSet::new();
    let mut next = Some(format!(r#"{{"$schema":"{SCHEMA}","skills":["#));
    let parts = std::iter::from_fn(move || {
        let mut text = next.take()?;
        for _ in 0..PART {
            let Some(package) = packages.next() else {
                text.push_str("]}\n");
                return Some(text);
            };
            let is_first = names.is_empty();
            if names.insert(package.name.skill().clone()) {
                if !is_first {
                    text.push(',');
                }
                text.push_str(&entry(&package));
            }
        }
        next = Some(String::new());
        Some(text)
    });
    let parts = parts.map(|text| Ok::<_, std::convert::Infallible>(Bytes::from(text)));
    (known, Body::from_stream(stream::iter(parts))).into_response()
}

fn entry(package: &ListingEntry) -> String {
    let entry = json!({
        "name": package.name.skill(),
        "type": "archive",
        "description": package.description,
        "url": PackagePath::download(&package.name, &package.version),
        "digest": package.digest,
    });
    entry.to_string()
}
