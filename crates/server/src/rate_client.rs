//! The clients whose requests are counted.

use std::net::{IpAddr, Ipv6Addr};

use crate::token::TokenId;

/// A client: its token if it has a valid one, else its address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Client {
    Token(TokenId),
    Address(IpAddr),
    /// All clients for which the table has no room.
    Others,
}

impl Client {
    /// An address; those of IPv6 that one subscriber has count as one.
    pub(crate) fn address(address: IpAddr) -> Self {
        Self::Address(match address.to_canonical() {
            IpAddr::V6(address) => {
                let network = u128::from(address) & !u128::from(u64::MAX);
                IpAddr::V6(Ipv6Addr::from(network))
            }
            address @ IpAddr::V4(_) => address,
        })
    }

    /// The name of a count of a client, the same in every server; `None` for those that only this one knows.
    pub(crate) fn key(&self, counted: Counted) -> Option<String> {
        Some(match (self, counted) {
            (Self::Token(TokenId::Stored(id)), Counted::Requests) => format!("token:{id}"),
            (Self::Token(TokenId::Own), Counted::Requests) => "own-token".to_owned(),
            (Self::Address(address), Counted::Requests) => format!("address:{address}"),
            (Self::Address(address), Counted::WrongTokens) => format!("wrong-token:{address}"),
            // Each server has a console token of its own, and others that have no room.
            (Self::Token(_) | Self::Others, _) => return None,
        })
    }

    /// The client and the count with a name.
    pub(crate) fn of_key(key: &str) -> Option<(Self, Counted)> {
        if key == "own-token" {
            return Some((Self::Token(TokenId::Own), Counted::Requests));
        }
        let (kind, name) = key.split_once(':')?;
        let address = || name.parse().ok().map(Self::address);
        match kind {
            "token" => {
                let id = TokenId::Stored(name.into());
                Some((Self::Token(id), Counted::Requests))
            }
            "address" => Some((address()?, Counted::Requests)),
            "wrong-token" => Some((address()?, Counted::WrongTokens)),
            _ => None,
        }
    }
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    Requests,
    WrongTokens,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Client {
        Client::address(text.parse().unwrap())
    }

    #[test]
    fn networks_of_ipv6_and_mapped_addresses_are_one_client() {
        assert_eq!(address("2001:db8::1"), address("2001:db8::ffff:1:2:3"));
        assert_ne!(address("2001:db8::1"), address("2001:db8:0:1::1"));
        assert_eq!(address("::ffff:10.0.0.1"), address("10.0.0.1"));
    }
}
