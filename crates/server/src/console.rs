//! The files of the web console, which are part of the program.

use std::io::Write as _;
use std::sync::LazyLock;

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::answer::{etag, is_known};

/// The paths of the console, which say nothing that needs a token.
pub(crate) const PATHS: [&str; 4] = ["/", "/app.js", "/app.css", "/icon.svg"];

/// Scripts and styles of our own, requests to this server only, and no text that becomes markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// A file with its headers.
struct Asset {
    bytes: &'static [u8],
    compressed: Vec<u8>,
    media: &'static str,
    etag: HeaderValue,
}

impl Asset {
    fn new(bytes: &'static [u8], media: &'static str) -> Self {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        // Writing to memory does not fail.
        let compressed = encoder.write_all(bytes).and_then(|()| encoder.finish());
        Self {
            bytes,
            compressed: compressed.unwrap_or_default(),
            media,
            etag: etag(bytes),
        }
    }

    fn answer(&self, request: &HeaderMap) -> Response {
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static(self.media)),
            (header::ETAG, self.etag.clone()),
            (
                header::CONTENT_SECURITY_POLICY,
                HeaderValue::from_static(POLICY),
            ),
            // The fragment of the address has a token; no other site learns even the address.
            (
                header::REFERRER_POLICY,
                HeaderValue::from_static("no-referrer"),
            ),
            (
                HeaderName::from_static("cross-origin-opener-policy"),
                HeaderValue::from_static("same-origin"),
            ),
            (header::VARY, HeaderValue::from_static("accept-encoding")),
        ];
        if is_known(request, &self.etag) {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        let accepted = request.get(header::ACCEPT_ENCODING);
        let accepted = accepted.and_then(|it| it.to_str().ok()).unwrap_or_default();
        let takes_gzip = accepted.split(',').any(|it| it.trim() == "gzip");
        if takes_gzip && !self.compressed.is_empty() {
            let encoding = [(header::CONTENT_ENCODING, "gzip")];
            return (headers, encoding, self.compressed.clone()).into_response();
        }
        (headers, self.bytes).into_response()
    }
}

macro_rules! asset {
    ($handler:ident, $file:literal, $media:literal) => {
        pub(crate) async fn $handler(headers: HeaderMap) -> Response {
            static ASSET: LazyLock<Asset> =
                LazyLock::new(|| Asset::new(include_bytes!($file), $media));
            ASSET.answer(&headers)
        }
    };
}

asset!(
    page,
    "../console/dist/index.html",
    "text/html; charset=utf-8"
);
asset!(
    script,
    "../console/dist/app.js",
    "text/javascript; charset=utf-8"
);
asset!(style, "../console/dist/app.css", "text/css; charset=utf-8");
asset!(icon, "../console/dist/icon.svg", "image/svg+xml");
