//! Counts and durations of requests, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::Method;

/// The upper bounds of durations, in seconds.
const BOUNDS: [f64; 8] = [0.001, 0.005, 0.025, 0.1, 0.5, 1.0, 5.0, 30.0];

/// Counts of requests since the start, by route: the number of paths is not bounded.
#[derive(Default)]
pub(crate) struct Metrics(Mutex<BTreeMap<String, BTreeMap<Series, Histogram>>>);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Series {
    method: &'static str,
    status: u16,
}

#[derive(Default)]
struct Histogram {
    /// Counts by bound; the last one is for everything above.
    buckets: [u64; BOUNDS.len() + 1],
    seconds: f64,
}

impl Metrics {
    pub(crate) fn add(&self, method: &Method, route: &str, status: u16, took: Duration) {
        // Any word can be a method.
        let method = match method.as_str() {
            "GET" => "GET",
            "HEAD" => "HEAD",
            "POST" => "POST",
            "PUT" => "PUT",
            "PATCH" => "PATCH",
            "DELETE" => "DELETE",
            _ => "other",
        };
        let series = Series { method, status };
        let seconds = took.as_secs_f64();
        let bucket = BOUNDS.iter().position(|bound| seconds <= *bound);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !all.contains_key(route) {
            all.insert(route.to_owned(), BTreeMap::new());
        }
        let Some(series_of_route) = all.get_mut(route) else {
            return;
        };
        let histogram = series_of_route.entry(series).or_default();
        if let Some(count) = histogram.buckets.get_mut(bucket.unwrap_or(BOUNDS.len())) {
            *count += 1;
        }
        histogram.seconds += seconds;
    }

    pub(crate) fn write(&self, out: &mut String) {
        let name = "prowess_http_request_duration_seconds";
        let _ = writeln!(out, "# HELP {name} Time until the response began.");
        let _ = writeln!(out, "# TYPE {name} histogram");
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all = all.iter().flat_map(|(route, all)| {
            let route = route.as_str();
            all.iter().map(move |(series, it)| (route, series, it))
        });
        for (route, Series { method, status }, histogram) in all {
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

/// A label value.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}
