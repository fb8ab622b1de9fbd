//! Figures for monitoring, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use prowess_core::Health;

use crate::app::App;

/// The upper bounds of durations, in seconds.
const BOUNDS: [f64; 8] = [0.001, 0.005, 0.025, 0.1, 0.5, 1.0, 5.0, 30.0];

/// Counts of requests since the start.
#[derive(Default)]
pub(crate) struct Metrics(Mutex<BTreeMap<Series, Histogram>>);

/// The route, not the path: the number of routes is bounded.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Series {
    method: &'static str,
    route: String,
    status: u16,
}

#[derive(Default)]
struct Histogram {
    /// Counts by bound; the last one is for everything above.
    buckets: [u64; BOUNDS.len() + 1],
    seconds: f64,
}

impl Metrics {
    pub(crate) fn add(
        &self,
        method: &axum::http::Method,
        route: &str,
        status: u16,
        took: Duration,
    ) {
        // Any word can be a method.
        let method = match method.as_str() {
            "GET" => "GET",
            "HEAD" => "HEAD",
            "POST" => "POST",
            "PUT" => "PUT",
            "DELETE" => "DELETE",
            _ => "other",
        };
        let series = Series {
            method,
            route: route.to_owned(),
            status,
        };
        let seconds = took.as_secs_f64();
        let bucket = BOUNDS.iter().position(|bound| seconds <= *bound);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let histogram = all.entry(series).or_default();
        if let Some(count) = histogram.buckets.get_mut(bucket.unwrap_or(BOUNDS.len())) {
            *count += 1;
        }
        histogram.seconds += seconds;
    }

    fn write(&self, out: &mut String) {
        let name = "prowess_http_request_duration_seconds";
        let _ = writeln!(out, "# HELP {name} Time until the response began.");
        let _ = writeln!(out, "# TYPE {name} histogram");
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (series, histogram) in &*all {
            let Series {
                method,
                route,
                status,
            } = series;
            let labels = format!(
                "method=\"{method}\",route=\"{}\",status=\"{status}\"",
                escaped(route)
            );
            let bounds = BOUNDS.iter().map(ToString::to_string);
            let bounds = bounds.chain(["+Inf".to_owned()]);
            let mut total = 0;
            for (bound, count) in bounds.zip(histogram.buckets) {
                total += count;
                let _ = writeln!(out, "{name}_bucket{{{labels},le=\"{bound}\"}} {total}");
            }
            let _ = writeln!(out, "{name}_sum{{{labels}}} {}", histogram.seconds);
            let _ = writeln!(out, "{name}_count{{{labels}}} {total}");
        }
    }
}

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

/// A label value.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}
