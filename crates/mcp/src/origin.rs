//! Origins of web pages, compared as what they are and not as text.

use axum::http::HeaderMap;
use axum::http::header::ORIGIN;
use url::Url;

/// An origin whose pages may send requests.
#[derive(Clone, Debug)]
pub(crate) struct AllowedOrigin {
    origin: Url,
    any_port: bool,
}

impl AllowedOrigin {
    /// Reads `https://example.com:443` or `http://localhost:*`; nothing matches anything else.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (origin, any_port) = match text.strip_suffix(":*") {
            Some(origin) => (origin, true),
            None => (text, false),
        };
        let origin = Url::parse(origin).ok()?;
        Some(Self { origin, any_port })
    }

    fn allows(&self, origin: &Url) -> bool {
        let (own, other) = (&self.origin, origin);
        own.scheme() == other.scheme()
            && own.host() == other.host()
            && (self.any_port || own.port_or_known_default() == other.port_or_known_default())
    }
}

/// Whether a request comes from a page of one of these origins, or from no page at all.
pub(crate) fn accepts(allowed: &[AllowedOrigin], headers: &HeaderMap) -> bool {
    let mut stated = headers.get_all(ORIGIN).iter();
    let (origin, None) = (stated.next(), stated.next()) else {
        return false;
    };
    let Some(origin) = origin else {
        return true;
    };
    let Some(url) = origin.to_str().ok().and_then(|text| Url::parse(text).ok()) else {
        return false;
    };
    // An origin has no user, path or query.
    let is_whole = url.origin().ascii_serialization().as_bytes() == origin.as_bytes();
    is_whole && allowed.iter().any(|allowed| allowed.allows(&url))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn q45_an_origin_is_compared_whole() {
        let allowed = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
        let allowed = allowed.iter().chain(&["https://example.com:443"]);
        let allowed: Vec<AllowedOrigin> = allowed
            .filter_map(|text| AllowedOrigin::parse(text))
            .collect();
        let check = |origins: &[&str], expected: bool| {
            let mut headers = HeaderMap::new();
            for origin in origins {
                headers.append(ORIGIN, HeaderValue::from_str(origin).unwrap());
            }
            assert_eq!(accepts(&allowed, &headers), expected, "{origins:?}");
        };
        check(&[], true);
        for origin in [
            "http://localhost",
            "http://localhost:47311",
            "http://127.0.0.1:47311",
            "http://[::1]:1",
            "https://example.com",
        ] {
            check(&[origin], true);
        }
        for origin in [
            "http://127.0.0.1:47311.evil",
            "http://127.0.0.1:47311.evil.example",
            "http://127.0.0.1.evil.example",
            "http://127.0.0.1:47311@evil.example",
            "http://evil.example#http://127.0.0.1:1",
            "http://localhost:1/",
            "http://localhost:",
            "https://localhost:1",
            "http://0x7f.1:80",
            "http://2130706433",
            "https://example.com:444",
            "http://example.com",
            "https://evil.example.com",
            "null",
            "localhost",
            "",
        ] {
            check(&[origin], false);
        }
        check(&["http://localhost:1", "http://localhost:1"], false);
        check(&["http://evil.example", "http://localhost:1"], false);
    }
}
