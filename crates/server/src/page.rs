//! The page for people who open the server in a browser.

use axum::http::{HeaderName, header};
use axum::response::IntoResponse;

/// The paths of the page, which says nothing that needs a token.
pub(crate) const PAGE: &str = "/";
pub(crate) const STYLE: &str = "/style.css";

/// No script, and a style of our own.
const POLICY: (HeaderName, &str) = (
    header::CONTENT_SECURITY_POLICY,
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

pub(crate) async fn page() -> impl IntoResponse {
    let media = (header::CONTENT_TYPE, "text/html; charset=utf-8");
    // The fragment of the address has a token; no other site learns even the address.
    let referrer = (header::REFERRER_POLICY, "no-referrer");
    ([media, POLICY, referrer], include_str!("page.html"))
}

pub(crate) async fn style() -> impl IntoResponse {
    let media = (header::CONTENT_TYPE, "text/css; charset=utf-8");
    ([media], include_str!("page.css"))
}
