//! The registry over HTTP: packages that clients publish, search for and download.

mod change;
mod failure;
mod index;
pub(crate) mod path;
mod read;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{Method, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use prowess_registry::HostedRegistry;
use prowess_registry::wire::PACKAGE_BYTES;

use crate::app::{Part, part};
use crate::error::{Failure, method_not_allowed};
use path::PackagePath;

/// The routes of a registry, for [`crate::router_with`].
pub fn registry_routes(registry: HostedRegistry) -> Router {
    Router::new()
        .route(path::SEARCH, get(read::search))
        .route(path::INDEX, get(index::index))
        .route(path::BELOW_SKILLS, any(package))
        .method_not_allowed_fallback(method_not_allowed)
        .layer(DefaultBodyLimit::max(PACKAGE_BYTES))
        .with_state(registry)
}

/// A request about a package. Its URLs are one route, so the methods of each are decided here.
async fn package(
    State(registry): State<HostedRegistry>,
    path: Part<String>,
    request: Request,
) -> Result<Response, Failure> {
    let path = PackagePath::parse(&part(path)?)?;
    let allowed = path.part.methods();
    let method = request.method().clone();
    if !allowed.split(", ").any(|it| it == method.as_str()) {
        let mut response = method_not_allowed(method).await.into_response();
        let value = header::HeaderValue::from_static(allowed);
        response.headers_mut().insert(header::ALLOW, value);
        return Ok(response);
    }
    match method {
        Method::PUT => change::put(&registry, path, request).await,
        Method::DELETE => change::delete(&registry, path, request).await,
        _ => read::read(&registry, path, request).await,
    }
}
