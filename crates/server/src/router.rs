//! The routes.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::Uri;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use prowess_core::Skills;

use crate::app::App;
use crate::error::{Code, Failure, method_not_allowed};
use crate::guard::guard;
use crate::limits::{FILE_BYTES, IMPORT_BYTES, JSON_BYTES};
use crate::options::ApiOptions;
use crate::{
    check, console, files, health, import, monitoring, openapi, sessions, skills, writing,
};

/// Everything that is served. Clones share what they keep.
pub fn router(skills: Skills, options: ApiOptions) -> Router {
    router_with(skills, options, Router::new())
}

/// The same with further routes, to which the same access control applies.
pub fn router_with(skills: Skills, options: ApiOptions, more: Router) -> Router {
    let app = App::new(skills, options);
    Router::new()
        .route("/api/skills", get(skills::list).post(writing::create))
        .route(
            "/api/skills/{id}",
            get(skills::skill)
                .put(writing::update)
                .delete(writing::remove),
        )
        .route("/api/skills/{id}/files", get(files::list))
        .route(
            "/api/skills/{id}/files/{*path}",
            get(files::file)
                .put(writing::put_file)
                .layer(DefaultBodyLimit::max(FILE_BYTES))
                .delete(writing::remove_file),
        )
        .route(
            "/api/import",
            post(import::import).layer(DefaultBodyLimit::max(IMPORT_BYTES)),
        )
        .route("/api/check", post(check::check))
        .route("/api/skill-collections", get(skills::collections))
        .route("/api/catalog", get(skills::catalog))
        .route("/api/sessions", post(sessions::create))
        .route(
            "/api/sessions/{id}",
            get(sessions::show).delete(sessions::remove),
        )
        .route("/api/sessions/{id}/turn", post(sessions::turn))
        .route("/api/sessions/{id}/call", post(sessions::call))
        .route("/", get(console::page))
        .route("/app.js", get(console::script))
        .route("/app.css", get(console::style))
        .route("/icon.svg", get(console::icon))
        .route(health::PATH, get(health::health))
        .route(health::READY, get(health::ready))
        .route("/openapi.json", get(openapi::document))
        .route("/metrics", get(monitoring::metrics))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(DefaultBodyLimit::max(JSON_BYTES))
        .with_state(app.clone())
        .merge(more)
        .layer(from_fn_with_state(app, guard))
}

async fn not_found(uri: Uri) -> Failure {
    let nested = uri.path().starts_with("/api/skills/");
    let message = if nested {
        "not found; encode the `/` of a skill id as `%2F`"
    } else {
        "not found; `/openapi.json` lists every request"
    };
    Failure::new(Code::NotFound, message)
}
