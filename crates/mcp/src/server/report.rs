//! Reports of requests, for a log.

use std::time::Instant;

/// A request, reported when it ends.
pub(super) struct RequestReport {
    method: &'static str,
    began: Instant,
}

impl RequestReport {
    pub(super) fn new(method: &'static str) -> Self {
        let began = Instant::now();
        Self { method, began }
    }

    /// Reports the call of a tool that is offered.
    pub(super) fn called(&self, tool: &str, is_error: bool) {
        let duration_ms = self.began.elapsed().as_secs_f64() * 1e3;
        tracing::info!(tool, is_error, duration_ms, "tool was called");
    }
}

impl Drop for RequestReport {
    fn drop(&mut self) {
        let duration_ms = self.began.elapsed().as_secs_f64() * 1e3;
        tracing::debug!(method = self.method, duration_ms, "answered over MCP");
    }
}
