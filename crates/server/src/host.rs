//! Which names the server answers to.
//!
//! A web page can point its own name at this machine and then read the responses as its own (DNS rebinding). It cannot
//! change the name that the browser sends.

use std::collections::BTreeSet;
use std::net::Ipv6Addr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri};

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

    /// Whether a request comes from one of our own pages, or from no page at all.
    pub(crate) fn accept_origin(&self, headers: &HeaderMap) -> bool {
        let Some(origin) = headers.get(ORIGIN) else {
            return true;
        };
        let origin = origin
            .to_str()
            .ok()
            .and_then(|text| text.parse::<Uri>().ok());
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        // The port belongs to the origin: another one is another program.
        origin
            .and_then(|origin| origin.into_parts().authority)
            .is_some_and(|authority| {
                self.knows(&authority)
                    && host.is_some_and(|host| authority.as_str().eq_ignore_ascii_case(host))
            })
    }

    fn knows(&self, authority: &Authority) -> bool {
        plain(authority).is_some_and(|plain| self.0.contains(&plain))
    }
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
    fn invalid_host_names_are_rejected() {
        for name in ["", "a:80", "http://a", "*.example.com", "u@a", "a b", "a/b"] {
            assert!(!Hosts::default().add(name), "{name}");
        }
    }
}
