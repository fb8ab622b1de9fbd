//! How many requests a client may send.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::limits::{RATE_CLIENTS, WRONG_TOKENS, WRONG_TOKENS_WINDOW};
use crate::options::TokenId;

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
}

/// The requests of clients, as token buckets: `per_second` a second, and twice that at once.
pub(crate) struct RateLimits {
    per_second: Option<f64>,
    clients: Mutex<Clients>,
}

#[derive(Default)]
struct Clients {
    usage: HashMap<Client, Usage>,
    /// When there was last no room, and unused entries were removed.
    cleaned: Option<Instant>,
}

struct Usage {
    /// Requests that it may send at `at`.
    left: f64,
    at: Instant,
    wrong_tokens: u32,
    /// When the first of them was sent.
    wrong_since: Instant,
}

impl RateLimits {
    pub(crate) fn new(per_second: Option<u32>) -> Self {
        Self {
            per_second: per_second.map(f64::from),
            clients: Mutex::default(),
        }
    }

    /// Counts a request; how long to wait if it is one too many.
    pub(crate) fn request(&self, client: Client, now: Instant) -> Option<Duration> {
        let per_second = self.per_second?;
        self.with(client, now, |usage| {
            let gained = now.duration_since(usage.at).as_secs_f64() * per_second;
            usage.left = (usage.left + gained).min(2.0 * per_second);
            usage.at = now;
            if usage.left >= 1.0 {
                usage.left -= 1.0;
                return None;
            }
            Some(Duration::from_secs_f64((1.0 - usage.left) / per_second))
        })
    }

    /// Counts a wrong token; how long to wait if there were too many.
    pub(crate) fn wrong_token(&self, client: Client, now: Instant) -> Option<Duration> {
        self.with(client, now, |usage| {
            if now.duration_since(usage.wrong_since) >= WRONG_TOKENS_WINDOW {
                usage.wrong_tokens = 0;
            }
            if usage.wrong_tokens == 0 {
                usage.wrong_since = now;
            }
            usage.wrong_tokens = usage.wrong_tokens.saturating_add(1);
            let end = usage.wrong_since + WRONG_TOKENS_WINDOW;
            (usage.wrong_tokens > WRONG_TOKENS).then(|| end.duration_since(now))
        })
    }

    fn with<T>(&self, client: Client, now: Instant, count: impl FnOnce(&mut Usage) -> T) -> T {
        let burst = self.per_second.map_or(0.0, |rate| 2.0 * rate);
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let client = clients.room_for(client, now);
        count(clients.usage.entry(client).or_insert(Usage {
            left: burst,
            at: now,
            wrong_tokens: 0,
            wrong_since: now,
        }))
    }
}

impl Clients {
    /// The client, or what stands for all that have no room.
    fn room_for(&mut self, client: Client, now: Instant) -> Client {
        if self.usage.len() < RATE_CLIENTS || self.usage.contains_key(&client) {
            return client;
        }
        // Once a second at most: otherwise many addresses would cost time, too.
        let second = Duration::from_secs(1);
        let is_due = |then: Instant| now.duration_since(then) >= second;
        if self.cleaned.is_none_or(is_due) {
            self.cleaned = Some(now);
            // After two seconds a bucket is full again.
            self.usage.retain(|_, usage| {
                now.duration_since(usage.at) < 2 * second
                    || (usage.wrong_tokens > 0
                        && now.duration_since(usage.wrong_since) < WRONG_TOKENS_WINDOW)
            });
        }
        if self.usage.len() < RATE_CLIENTS {
            client
        } else {
            Client::Others
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Client {
        Client::address(text.parse().unwrap())
    }

    #[test]
    fn burst_is_twice_the_rate_and_fills_again() {
        let limits = RateLimits::new(Some(10));
        let now = Instant::now();
        let ask = |at| limits.request(address("10.0.0.1"), at);
        assert!((0..20).all(|_| ask(now).is_none()));
        assert_eq!(ask(now), Some(Duration::from_millis(100)));
        let later = now + Duration::from_millis(350);
        assert!((0..3).all(|_| ask(later).is_none()));
        assert!(ask(later).is_some());
        // An hour of silence is worth no more than a burst.
        let later = now + Duration::from_hours(1);
        assert_eq!((0..100).filter(|_| ask(later).is_none()).count(), 20);
        assert!(limits.request(address("10.0.0.2"), now).is_none());
        let token = Client::Token(TokenId::Stored("a".into()));
        assert!(limits.request(token, now).is_none());
    }

    #[test]
    fn no_limit_counts_nothing() {
        let limits = RateLimits::new(None);
        let now = Instant::now();
        assert!((0..1_000).all(|_| limits.request(address("::1"), now).is_none()));
        assert!(limits.clients.lock().unwrap().usage.is_empty());
    }

    #[test]
    fn wrong_tokens_are_forgotten_after_a_minute() {
        let limits = RateLimits::new(None);
        let now = Instant::now();
        let wrong = |at| limits.wrong_token(address("10.0.0.1"), at);
        assert!((0..WRONG_TOKENS).all(|_| wrong(now).is_none()));
        let later = now + Duration::from_secs(20);
        assert_eq!(wrong(later), Some(Duration::from_secs(40)));
        assert!(wrong(now + WRONG_TOKENS_WINDOW).is_none());
    }

    #[test]
    fn networks_of_ipv6_and_mapped_addresses_are_one_client() {
        assert_eq!(address("2001:db8::1"), address("2001:db8::ffff:1:2:3"));
        assert_ne!(address("2001:db8::1"), address("2001:db8:0:1::1"));
        assert_eq!(address("::ffff:10.0.0.1"), address("10.0.0.1"));
    }

    #[test]
    fn table_is_bounded_and_clients_without_room_share_a_bucket() {
        let limits = RateLimits::new(Some(1));
        let now = Instant::now();
        for number in 0..u32::try_from(RATE_CLIENTS).unwrap() + 1_000 {
            let client = Client::Address(std::net::Ipv4Addr::from(number).into());
            limits.request(client, now);
        }
        let known = limits.clients.lock().unwrap().usage.len();
        assert_eq!(known, RATE_CLIENTS + 1);
        assert!(limits.request(address("250.0.0.1"), now).is_some());
        // Those that are silent make room.
        let later = now + Duration::from_secs(10);
        assert!(limits.request(address("250.0.0.1"), later).is_none());
        assert_eq!(limits.clients.lock().unwrap().usage.len(), 1);
    }
}
