//! Publishing, yanking, and owners.

use axum::body::Bytes;
use axum::extract::FromRequest as _;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Query, Request};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::body::Body as _;
use prowess_registry::wire::{PACKAGE_BYTES, SIGNATURE_HEADER};
use prowess_registry::{HostedRegistry, PackageName, Publisher, VersionSpec};
use semver::Version;
use serde::Deserialize;

use super::path::{PackagePart, PackagePath};
use crate::answer::json_response;
use crate::app::parameters;
use crate::body::{body_error, too_large};
use crate::error::{Code, Failure, method_not_allowed};
use crate::requester::Requester;

/// Characters of a reason.
const REASON_CHARS: usize = 500;
/// Characters of the name of an owner.
const OWNER_CHARS: usize = 100;

pub(super) async fn put(
    registry: &HostedRegistry,
    path: PackagePath,
    request: Request,
) -> Result<Response, Failure> {
    let PackagePath { name, part } = path;
    let by = publisher(&request)?;
    match part {
        PackagePart::Version(spec) => {
            let version = exact(&spec)?;
            let signature = signature(request.headers())?;
            let bytes = body(request).await?;
            let published = registry.publish(&name, &version, bytes, signature, &by);
            let (is_new, receipt) = published.await?;
            let mut response = json_response(&receipt)?;
            if is_new {
                *response.status_mut() = StatusCode::CREATED;
            }
            Ok(response)
        }
        PackagePart::Unyank(spec) => {
            registry.yank(&name, &exact(&spec)?, None, &by).await?;
            Ok(StatusCode::NO_CONTENT.into_response())
        }
        PackagePart::Owner(owner) => set_owner(registry, &name, &owner, true, &by).await,
        _ => Err(method_not_allowed(Method::PUT).await),
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct YankReason {
    reason: String,
}

pub(super) async fn delete(
    registry: &HostedRegistry,
    path: PackagePath,
    request: Request,
) -> Result<Response, Failure> {
    let PackagePath { name, part } = path;
    let by = publisher(&request)?;
    match part {
        PackagePart::Version(spec) => {
            let reason = Query::<YankReason>::try_from_uri(request.uri());
            let reason = parameters(reason)?.reason;
            let is_plain = !reason.contains(|c: char| c.is_control());
            if !is_plain || reason.chars().count() > REASON_CHARS {
                let message = format!(
                    "invalid `reason`: expected one line of at most {REASON_CHARS} characters"
                );
                return Err(Failure::new(Code::InvalidRequest, message));
            }
            registry
                .yank(&name, &exact(&spec)?, Some(&reason), &by)
                .await?;
            Ok(StatusCode::NO_CONTENT.into_response())
        }
        PackagePart::Owner(owner) => set_owner(registry, &name, &owner, false, &by).await,
        _ => Err(method_not_allowed(Method::DELETE).await),
    }
}

async fn set_owner(
    registry: &HostedRegistry,
    name: &PackageName,
    owner: &str,
    is_owner: bool,
    by: &Publisher,
) -> Result<Response, Failure> {
    let is_plain = !owner.contains(|c: char| c.is_control());
    if !is_plain || owner.chars().count() > OWNER_CHARS {
        return Err(Failure::new(
            Code::InvalidRequest,
            "invalid owner: expected the id or the name of a token",
        ));
    }
    registry.set_owner(name, owner, is_owner, by).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Only a token with a name can own something.
fn publisher(request: &Request) -> Result<Publisher, Failure> {
    let requester = request.extensions().get::<Requester>();
    let publisher = requester.and_then(Requester::publisher);
    publisher.ok_or_else(|| Failure::new(Code::Unauthorised, "missing token"))
}

fn exact(spec: &VersionSpec) -> Result<Version, Failure> {
    match spec {
        VersionSpec::Exact(version) => Ok(version.clone()),
        VersionSpec::Latest => {
            let message = "expected a version such as 1.2.0 instead of `latest`";
            Err(Failure::new(Code::InvalidRequest, message))
        }
    }
}

/// The signature of a package, if it has one.
fn signature(headers: &HeaderMap) -> Result<Option<String>, Failure> {
    let Some(header) = headers.get(SIGNATURE_HEADER) else {
        return Ok(None);
    };
    let bytes = STANDARD.decode(header.as_bytes()).ok();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    let invalid = || {
        let message = format!("invalid `{SIGNATURE_HEADER}`: expected the Base64 of a signature");
        Failure::new(Code::InvalidRequest, message)
    };
    text.map(Some).ok_or_else(invalid)
}

async fn body(request: Request) -> Result<Bytes, Failure> {
    // One that says so is not waited for.
    if request.body().size_hint().lower() > PACKAGE_BYTES as u64 {
        return Err(too_large(PACKAGE_BYTES));
    }
    let bytes: Result<Bytes, BytesRejection> = Bytes::from_request(request, &()).await;
    bytes.map_err(|error| body_error(&error, PACKAGE_BYTES))
}
