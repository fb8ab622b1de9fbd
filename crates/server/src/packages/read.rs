//! Reading packages.

use std::ops::Range as Bounds;

use axum::body::Body;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prowess_registry::wire::{AuditVerdict, SearchFilter, TOTAL_HEADER};
use prowess_registry::{HostedRegistry, PackageName, VersionSpec};
use semver::Version;
use serde::Deserialize;

use super::path::{PackagePart, PackagePath};
use crate::answer::{Payload, is_known};
use crate::app::{Parameters, parameters};
use crate::error::{Code, Failure, method_not_allowed};
use crate::files::{outside, set_content_range, wanted};
use crate::limits::{FOUND, QUERY_CHARS};
use crate::range::Range;

/// Results of one search.
const RESULTS: usize = 100;

/// A response that never changes. Caches of others must not have it: it may need a token.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("private, max-age=31536000, immutable");

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Search {
    q: String,
    limit: Option<usize>,
    offset: usize,
    permission: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    licence: Option<String>,
    code: Option<bool>,
    verdict: Option<AuditVerdict>,
    owner: Option<String>,
}

pub(super) async fn search(
    State(registry): State<HostedRegistry>,
    headers: HeaderMap,
    search: Parameters<Search>,
) -> Result<Response, Failure> {
    let search = parameters(search)?;
    if search.q.chars().count() > QUERY_CHARS {
        let message = format!("the query is too long: at most {QUERY_CHARS} characters allowed");
        return Err(Failure::new(Code::InvalidRequest, message));
    }
    let limit = search.limit.unwrap_or(FOUND).min(RESULTS);
    let filter = SearchFilter {
        permission: search.permission,
        kind: search.kind,
        licence: search.licence,
        code: search.code,
        verdict: search.verdict,
        owner: search.owner,
    };
    let found = registry.search(search.q, filter, search.offset, limit);
    let (found, total) = found.await?;
    let mut response = Payload::json(&found)?.unless_known(&headers);
    let total_header = HeaderName::from_static(TOTAL_HEADER);
    response
        .headers_mut()
        .insert(total_header, HeaderValue::from(total));
    Ok(response)
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct DiffFrom {
    from: Option<Version>,
}

pub(super) async fn read(
    registry: &HostedRegistry,
    path: PackagePath,
    request: Request,
) -> Result<Response, Failure> {
    let PackagePath { name, part } = path;
    let headers = request.headers();
    let payload = match part {
        PackagePart::Package => Payload::json(&registry.package(&name).await?)?,
        PackagePart::Versions => Payload::json(&registry.versions(&name).await?)?,
        PackagePart::Owners => Payload::json(&registry.owners(&name).await?)?,
        PackagePart::Version(spec) => Payload::json(&registry.version(&name, &spec).await?)?,
        PackagePart::Manifest(spec) => {
            let yaml = HeaderValue::from_static("application/yaml");
            let manifest = registry.manifest(&name, &spec).await?;
            return Ok(cached(
                Payload::new(manifest, yaml).unless_known(headers),
                &spec,
            ));
        }
        PackagePart::Signature(spec) => {
            let text = HeaderValue::from_static("text/plain; charset=utf-8");
            let signature = registry.signature(&name, &spec).await?;
            return Ok(cached(
                Payload::new(signature, text).unless_known(headers),
                &spec,
            ));
        }
        PackagePart::Download(spec) => {
            return download(registry, &name, &spec, request.method(), headers).await;
        }
        PackagePart::Diff(spec) => {
            let from = parameters(Query::<DiffFrom>::try_from_uri(request.uri()))?.from;
            Payload::json(&registry.diff(&name, &spec, from.as_ref()).await?)?
        }
        PackagePart::Owner(_) | PackagePart::Unyank(_) => {
            return Err(method_not_allowed(Method::GET).await);
        }
    };
    Ok(payload.unless_known(headers))
}

/// What an exact version says about itself never changes.
fn cached(mut response: Response, spec: &VersionSpec) -> Response {
    if matches!(spec, VersionSpec::Exact(_)) {
        response
            .headers_mut()
            .insert(header::CACHE_CONTROL, IMMUTABLE);
    }
    response
}

async fn download(
    registry: &HostedRegistry,
    name: &PackageName,
    spec: &VersionSpec,
    method: &Method,
    request: &HeaderMap,
) -> Result<Response, Failure> {
    let version = registry.downloaded(name, spec).await?;
    let size = version.size;
    let digest = version.digest.to_string();
    let etag = format!("\"{}\"", digest.trim_start_matches("sha256:"));
    let value = |text: String| HeaderValue::try_from(text).map_err(|_| unnamed());
    let etag = value(etag)?;
    let file = format!("{}-{}.tar.gz", name.skill(), version.version);
    let fixed = [
        (header::ETAG, etag.clone()),
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/gzip"),
        ),
        (header::ACCEPT_RANGES, HeaderValue::from_static("bytes")),
        (
            HeaderName::from_static("digest"),
            value(format!("sha-256={}", STANDARD.encode(version.digest.0)))?,
        ),
        (
            header::CONTENT_DISPOSITION,
            value(format!("attachment; filename=\"{file}\""))?,
        ),
    ];
    if is_known(request, &etag) {
        return Ok(cached(
            (StatusCode::NOT_MODIFIED, fixed).into_response(),
            spec,
        ));
    }
    let (status, bounds) = match wanted(request, Some(&etag), size) {
        Range::Whole => (StatusCode::OK, None),
        Range::Part { start, end } => (StatusCode::PARTIAL_CONTENT, Some(start..end)),
        Range::Outside => return Ok(outside(size)),
    };
    let Bounds { start, end } = bounds.clone().unwrap_or(0..size);
    let body = if *method == Method::HEAD {
        Body::empty()
    } else {
        let opened = registry.download(name, &version, bounds.clone()).await?;
        Body::from_stream(opened.stream)
    };
    let length = [(header::CONTENT_LENGTH, HeaderValue::from(end - start))];
    let mut response = (status, fixed, length, body).into_response();
    if bounds.is_some() {
        set_content_range(&mut response, start, end, size);
    }
    Ok(cached(response, spec))
}

fn unnamed() -> Failure {
    Failure::new(Code::Unavailable, "the package cannot be sent")
}
