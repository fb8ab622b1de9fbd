//! Figures for monitoring.

use std::fmt::Write as _;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use prowess_core::Health;

use crate::app::App;
use crate::metrics::escaped;

pub(crate) async fn metrics(State(app): State<App>) -> Response {
    let mut out = String::new();
    app.metrics().write(&mut out);
    let catalog = app.skills().catalog();
    let mut gauge = |name: &str, help: &str, rows: &[(String, usize)]| {
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge");
        for (labels, value) in rows {
            let _ = writeln!(out, "{name}{labels} {value}");
        }
    };
    let one = |value: usize| [(String::new(), value)];
    gauge(
        "prowess_skills",
        "Skills that are served.",
        &one(catalog.len()),
    );
    gauge(
        "prowess_skills_invalid",
        "Skills that cannot be loaded.",
        &one(catalog.invalid().count()),
    );
    gauge(
        "prowess_sessions",
        "Open sessions.",
        &one(app.sessions().len()),
    );
    let sources: Vec<(String, usize)> = catalog
        .sources()
        .map(|source| {
            let labels = format!("{{source=\"{}\"}}", escaped(&source.name));
            (labels, usize::from(source.health == Health::Healthy))
        })
        .collect();
    gauge(
        "prowess_source_healthy",
        "Whether a source is healthy.",
        &sources,
    );
    let media = "text/plain; version=0.0.4; charset=utf-8";
    ([(header::CONTENT_TYPE, media)], out).into_response()
}
