//! Reverse proxies, and the clients behind them.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use axum::http::{HeaderMap, HeaderName};

/// The header in which a proxy names its client, after those that the client itself sent.
const FORWARDED: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The address of a reverse proxy, or a network of them.
///
/// ```
/// use prowess_server::ProxyNetwork;
///
/// assert!("10.0.0.0/8".parse::<ProxyNetwork>().is_ok());
/// assert!("2001:db8::1".parse::<ProxyNetwork>().is_ok());
/// assert!("10.0.0.0/33".parse::<ProxyNetwork>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProxyNetwork {
    address: IpAddr,
    /// Bits that its addresses share.
    prefix: u32,
}

/// A text that is neither an address nor a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid proxy `{}`: expected an address or a network, such as 10.0.0.7 or 10.0.0.0/8", .0.escape_debug())]
pub struct InvalidProxy(String);

impl FromStr for ProxyNetwork {
    type Err = InvalidProxy;

    fn from_str(text: &str) -> Result<Self, InvalidProxy> {
        let invalid = || InvalidProxy(text.to_owned());
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| invalid())?;
        let bits = bits(address);
        let is_number = |prefix: &&str| prefix.bytes().all(|byte| byte.is_ascii_digit());
        let prefix = match prefix {
            None => bits,
            Some(prefix) => Some(prefix)
                .filter(is_number)
                .and_then(|prefix| prefix.parse().ok())
                .filter(|prefix| *prefix <= bits)
                .ok_or_else(invalid)?,
        };
        Ok(Self { address, prefix })
    }
}

impl ProxyNetwork {
    fn contains(&self, address: IpAddr) -> bool {
        let (own, other) = (self.address, address.to_canonical());
        // A shift by all bits: every address is in a network without a prefix.
        let shift = bits(own) - self.prefix;
        let common = |number: u128| number.checked_shr(shift).unwrap_or_default();
        match (own, other) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                common(u32::from(own).into()) == common(u32::from(other).into())
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => common(own.into()) == common(other.into()),
            _ => false,
        }
    }
}

fn bits(address: IpAddr) -> u32 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

/// Who sent a request: the nearest address that is none of the proxies. Only what a proxy wrote is believed, so the list is
/// read from its end, and what follows an address that is no proxy's is whatever a client sent.
pub(crate) fn client(
    proxies: &[ProxyNetwork],
    peer: SocketAddr,
    headers: &HeaderMap,
) -> SocketAddr {
    let is_proxy = |address: IpAddr| proxies.iter().any(|proxy| proxy.contains(address));
    let mut nearest = peer;
    let lists = headers.get_all(FORWARDED).iter().rev();
    let mut named = lists.flat_map(|list| list.to_str().unwrap_or_default().rsplit(','));
    while is_proxy(nearest.ip()) {
        match named.next().and_then(|text| address(text.trim())) {
            Some(address) => nearest = SocketAddr::new(address, 0),
            None => break,
        }
    }
    nearest
}

/// An address, which may have a port.
fn address(text: &str) -> Option<IpAddr> {
    let address = text.parse().ok();
    address.or_else(|| text.parse().ok().map(|socket: SocketAddr| socket.ip()))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn check(proxies: &[&str], peer: &str, lists: &[&str], expected: &str) {
        let parse = |text: &&str| text.parse().unwrap();
        let proxies: Vec<ProxyNetwork> = proxies.iter().map(parse).collect();
        let mut headers = HeaderMap::new();
        for list in lists {
            headers.append(FORWARDED, HeaderValue::from_str(list).unwrap());
        }
        let found = client(
            &proxies,
            SocketAddr::new(peer.parse().unwrap(), 9),
            &headers,
        );
        assert_eq!(found.ip(), expected.parse::<IpAddr>().unwrap(), "{lists:?}");
    }

    #[test]
    fn only_stated_proxies_are_believed() {
        check(&[], "127.0.0.1", &["10.0.0.1"], "127.0.0.1");
        check(&["10.0.0.0/8"], "127.0.0.1", &["1.2.3.4"], "127.0.0.1");
        check(&["127.0.0.1"], "127.0.0.1", &["1.2.3.4"], "1.2.3.4");
        check(&["127.0.0.1"], "::ffff:127.0.0.1", &["1.2.3.4"], "1.2.3.4");
        // What the client wrote itself comes first.
        check(
            &["127.0.0.1"],
            "127.0.0.1",
            &["9.9.9.9, 1.2.3.4"],
            "1.2.3.4",
        );
        check(
            &["127.0.0.1"],
            "127.0.0.1",
            &["9.9.9.9", "1.2.3.4"],
            "1.2.3.4",
        );
        let chain = ["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"];
        check(
            &chain,
            "127.0.0.1",
            &["9.9.9.9, 1.2.3.4,10.9.8.7"],
            "1.2.3.4",
        );
        check(
            &chain,
            "127.0.0.1",
            &["1.2.3.4:55, [2001:db8::7]:80"],
            "1.2.3.4",
        );
        check(&chain, "127.0.0.1", &["2001:db9::1"], "2001:db9::1");
        // Nothing that could be an address.
        for list in ["", "unknown", "1.2.3.4, unknown", "1.2.3.4,"] {
            check(&["127.0.0.1"], "127.0.0.1", &[list], "127.0.0.1");
        }
        check(
            &["0.0.0.0/0"],
            "127.0.0.1",
            &["9.9.9.9, 1.2.3.4"],
            "9.9.9.9",
        );
    }

    #[test]
    fn what_is_no_network_is_refused() {
        for text in [
            "",
            "proxy",
            "10.0.0.0/33",
            "::/129",
            "10.0.0.0/",
            "10.0.0.0/+8",
            "10.0.0.0/8/8",
        ] {
            assert_eq!(
                text.parse::<ProxyNetwork>(),
                Err(InvalidProxy(text.to_owned()))
            );
        }
    }
}
