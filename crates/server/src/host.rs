//! Which names the server answers to.
//!
//! A web page can point its own name at this machine and then read the responses as its own (DNS rebinding). It cannot
//! change the name that the browser sends.

use std::collections::BTreeSet;
use std::net::Ipv6Addr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Uri};
use url::Url;

/// Names and addresses in the form that [`plain`] gives them.
#[derive(Clone, Debug)]
pub(crate) struct Hosts(BTreeSet<String>);

impl Default for Hosts {
    fn default() -> Self {
        let loopback = ["localhost", "127.0.0.1", "::1"];
        Self(loopback.map(str::to_owned).into())
    }
}

impl Hosts {
    /// Adds a name or an address, without a port. Returns whether it is valid.
    pub(crate) fn add(&mut self, name: &str) -> bool {
        let plain = match name.parse::<Ipv6Addr>() {
            Ok(address) => Some(address.to_string()),
            Err(_) => name
                .parse::<Authority>()
                .ok()
                .filter(|authority| authority.as_str() == authority.host())
                .and_then(|authority| plain(&authority)),
        };
        plain.is_some_and(|plain| {
            self.0.insert(plain);
            true
        })
    }

    /// Whether a request is meant for us: every name that it states must be ours.
    pub(crate) fn accept(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let mut stated = headers.get_all(HOST).iter();
        let (Some(host), None) = (stated.next(), stated.next()) else {
            return false;
        };
        let host = host.to_str().ok().and_then(|text| text.parse().ok());
        host.is_some_and(|host| self.knows(&host))
            && uri.authority().is_none_or(|named| self.knows(named))
    }

    fn knows(&self, authority: &Authority) -> bool {
        plain(authority).is_some_and(|plain| self.0.contains(&plain))
    }
}

/// Whether a request to a name of ours comes from a page there, or from no page at all.
pub(crate) fn accept_origin(headers: &HeaderMap) -> bool {
    let mut stated = headers.get_all(ORIGIN).iter();
    let (origin, None) = (stated.next(), stated.next()) else {
        return false;
    };
    let Some(origin) = origin else {
        return true;
    };
    let text = |value: &HeaderValue| value.to_str().ok().map(str::to_owned);
    let (origin, host) = (text(origin), headers.get(HOST).and_then(text));
    let (Some(origin), Some(host)) = (origin, host) else {
        return false;
    };
    let Ok(page) = Url::parse(&origin) else {
        return false;
    };
    // Which scheme we have is known to the proxy alone. The port belongs to the origin: another one is another program.
    let own = Url::parse(&format!("{}://{host}", page.scheme()));
    let is_whole = page.origin().ascii_serialization() == origin;
    let is_web = matches!(page.scheme(), "http" | "https");
    is_whole && is_web && own.is_ok_and(|own| own.origin() == page.origin())
}

/// The host alone: lower case, no brackets, no final dot.
fn plain(authority: &Authority) -> Option<String> {
    let host = authority.host();
    // What follows the host must be a port.
    let port = authority.as_str().strip_prefix(host).unwrap_or_default();
    let is_port = port.is_empty() || authority.port_u16().is_some();
    if authority.as_str().contains('@') || host.contains('*') || !is_port {
        return None;
    }
    if let Some(inner) = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
    {
        return Some(inner.parse::<Ipv6Addr>().ok()?.to_string());
    }
    let host = host.strip_suffix('.').unwrap_or(host);
    (!host.is_empty()).then(|| host.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn accepts(hosts: &Hosts, uri: &str, host: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_str(host).unwrap());
        hosts.accept(&uri.parse().unwrap(), &headers)
    }

    #[test]
    fn only_own_host_names_are_accepted() {
        let mut hosts = Hosts::default();
        assert!(hosts.add("Skills.Example.com"));
        assert!(hosts.add("10.0.0.7"));
        assert!(hosts.add("fe80::1"));
        for host in [
            "localhost",
            "LocalHost:8080",
            "localhost.",
            "127.0.0.1:1",
            "[::1]:80",
            "[0:0:0:0:0:0:0:1]",
            "skills.example.com:443",
            "10.0.0.7",
            "[fe80::1]",
        ] {
            assert!(accepts(&hosts, "/", host), "{host}");
        }
        for host in [
            "evil.com",
            "localhost.evil.com",
            "evil.com:localhost",
            "localhost@evil.com",
            "evil.com@localhost",
            "example.com",
            "127.0.0.1.evil.com",
            "127.0.0.1:80.evil.com",
            "localhost:",
            "localhost:99999",
            "0.0.0.0",
            "",
            ":80",
            "::1",
        ] {
            assert!(!accepts(&hosts, "/", host), "{host}");
        }
    }

    #[test]
    fn host_of_the_request_line_is_checked() {
        let hosts = Hosts::default();
        assert!(accepts(&hosts, "http://localhost/api", "localhost"));
        assert!(!accepts(&hosts, "http://evil.com/api", "localhost"));
        assert!(!accepts(&hosts, "http://localhost/api", "evil.com"));
    }

    #[test]
    fn one_host_exactly() {
        let hosts = Hosts::default();
        assert!(!hosts.accept(&Uri::from_static("/"), &HeaderMap::new()));
        let mut headers = HeaderMap::new();
        headers.append(HOST, HeaderValue::from_static("localhost"));
        headers.append(HOST, HeaderValue::from_static("localhost"));
        assert!(!hosts.accept(&Uri::from_static("/"), &headers));
    }

    #[test]
    fn q45_an_origin_is_compared_whole() {
        let accepts = |host: &str, origins: &[&str]| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, HeaderValue::from_str(host).unwrap());
            for origin in origins {
                headers.append(ORIGIN, HeaderValue::from_str(origin).unwrap());
            }
            accept_origin(&headers)
        };
        for (host, origin) in [
            ("127.0.0.1:47311", "http://127.0.0.1:47311"),
            ("LOCALHOST:47311", "http://localhost:47311"),
            ("[::1]:47311", "http://[::1]:47311"),
            ("skills.example.com", "https://skills.example.com"),
            ("skills.example.com:443", "https://skills.example.com"),
        ] {
            assert!(accepts(host, &[origin]), "{origin}");
        }
        assert!(accepts("localhost", &[]));
        let host = "127.0.0.1:47311";
        for origin in [
            "http://127.0.0.1:47311.evil",
            "http://127.0.0.1:47311.evil.example",
            "http://127.0.0.1:47312",
            "http://127.0.0.1",
            "http://localhost:47311",
            "http://127.0.0.1:47311/",
            "http://127.0.0.1:47311/x",
            "http://127.0.0.1:47311@evil.example",
            "http://evil.example@127.0.0.1:47311",
            "http://evil.example/127.0.0.1:47311",
            "http://2130706433:47311",
            "HTTP://127.0.0.1:47311",
            "ftp://127.0.0.1:47311",
            "127.0.0.1:47311",
            "//127.0.0.1:47311",
            "null",
            "",
        ] {
            assert!(!accepts(host, &[origin]), "{origin}");
        }
        let own = "http://127.0.0.1:47311";
        assert!(!accepts(host, &[own, "http://evil.example"]));
        assert!(!accepts(host, &["http://evil.example", own]));
    }

    #[test]
    fn invalid_host_names_are_rejected() {
        for name in ["", "a:80", "http://a", "*.example.com", "u@a", "a b", "a/b"] {
            assert!(!Hosts::default().add(name), "{name}");
        }
    }
}
