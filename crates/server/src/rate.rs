//! How many requests a client may send.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::limits::{RATE_CLIENTS, RATE_DEBT, WRONG_TOKENS, WRONG_TOKENS_WINDOW};
use crate::rate_client::{Client, Counted};

/// The requests of clients, as token buckets: `per_second` a second, and twice that at once. A clone shares them.
///
/// Servers with the same clients behind a load balancer exchange what they count: each takes its counts, gives them to
/// the others, and deducts theirs.
///
/// ```
/// use prowess_server::ApiOptions;
///
/// let (here, there) = (ApiOptions::default().rate_limit(Some(10)), ApiOptions::default().rate_limit(Some(10)));
/// // About once a second, in both directions:
/// there.rate_limits().deduct(here.rate_limits().take_counts());
/// ```
#[derive(Clone, Default)]
pub struct RateLimits(Arc<Inner>);

#[derive(Default)]
struct Inner {
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
    /// Requests that it may send at `at`; less than none after it sent too many to other servers.
    left: f64,
    at: Instant,
    wrong_tokens: u32,
    /// When the first of them was sent.
    wrong_since: Instant,
    /// Counted since the counts were last taken.
    new: NewCounts,
}

#[derive(Default)]
struct NewCounts {
    requests: u32,
    wrong_tokens: u32,
}

impl fmt::Debug for RateLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RateLimits")
            .field(&self.0.per_second)
            .finish()
    }
}

impl RateLimits {
    pub(crate) fn new(per_second: Option<u32>) -> Self {
        Self(Arc::new(Inner {
            per_second: per_second.map(f64::from),
            clients: Mutex::default(),
        }))
    }

    /// Whether there is a limit.
    pub fn is_limited(&self) -> bool {
        self.0.per_second.is_some()
    }

    /// Counts a request; how long to wait if it is one too many.
    pub(crate) fn request(&self, client: Client, now: Instant) -> Option<Duration> {
        let per_second = self.0.per_second?;
        self.with(client, now, |usage| {
            usage.fill(per_second, now);
            if usage.left >= 1.0 {
                usage.left -= 1.0;
                usage.new.requests = usage.new.requests.saturating_add(1);
                return None;
            }
            Some(Duration::from_secs_f64((1.0 - usage.left) / per_second))
        })
    }

    /// Counts a wrong token; how long to wait if there were too many.
    pub(crate) fn wrong_token(&self, client: Client, now: Instant) -> Option<Duration> {
        self.with(client, now, |usage| {
            usage.new.wrong_tokens = usage.new.wrong_tokens.saturating_add(1);
            usage.add_wrong_tokens(1, now);
            let end = usage.wrong_since + WRONG_TOKENS_WINDOW;
            (usage.wrong_tokens > WRONG_TOKENS).then(|| end.duration_since(now))
        })
    }

    /// What each client has sent since the last call, for other servers with the same clients. Only requests that were
    /// answered count.
    pub fn take_counts(&self) -> Vec<(String, i64)> {
        let mut counts = Vec::new();
        for (client, usage) in &mut self.lock().usage {
            let new = std::mem::take(&mut usage.new);
            for (kind, count) in [
                (Counted::Requests, new.requests),
                (Counted::WrongTokens, new.wrong_tokens),
            ] {
                if count > 0
                    && let Some(key) = client.key(kind)
                {
                    counts.push((key, i64::from(count)));
                }
            }
        }
        counts
    }

    /// Deducts what other servers have counted. A debt is limited: after [`RATE_DEBT`](crate::limits::RATE_DEBT) a
    /// client may send again.
    pub fn deduct(&self, counts: impl IntoIterator<Item = (String, i64)>) {
        self.deduct_at(counts, Instant::now());
    }

    fn deduct_at(&self, counts: impl IntoIterator<Item = (String, i64)>, now: Instant) {
        for (key, count) in counts {
            let (Some((client, kind)), Ok(count)) = (Client::of_key(&key), u32::try_from(count))
            else {
                continue;
            };
            if kind == Counted::Requests && !self.is_limited() {
                continue;
            }
            let per_second = self.0.per_second.unwrap_or_default();
            let mut clients = self.lock();
            let client = clients.room_for(client, per_second, now);
            // Clients without room must not pay for each other's requests elsewhere.
            if client == Client::Others {
                continue;
            }
            let usage = clients.usage_of(client, per_second, now);
            match kind {
                Counted::Requests => {
                    usage.fill(per_second, now);
                    let least = -RATE_DEBT.as_secs_f64() * per_second;
                    usage.left = (usage.left - f64::from(count)).max(least);
                }
                Counted::WrongTokens => usage.add_wrong_tokens(count, now),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Clients> {
        let clients = self.0.clients.lock();
        clients.unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, client: Client, now: Instant, count: impl FnOnce(&mut Usage) -> T) -> T {
        let per_second = self.0.per_second.unwrap_or_default();
        let mut clients = self.lock();
        let client = clients.room_for(client, per_second, now);
        count(clients.usage_of(client, per_second, now))
    }
}

impl Usage {
    /// What may be sent at a time, given what was left before.
    fn left_at(&self, per_second: f64, now: Instant) -> f64 {
        let gained = now.duration_since(self.at).as_secs_f64() * per_second;
        (self.left + gained).min(2.0 * per_second)
    }

    fn fill(&mut self, per_second: f64, now: Instant) {
        self.left = self.left_at(per_second, now);
        self.at = now;
    }

    fn add_wrong_tokens(&mut self, count: u32, now: Instant) {
        if now.duration_since(self.wrong_since) >= WRONG_TOKENS_WINDOW {
            self.wrong_tokens = 0;
        }
        if self.wrong_tokens == 0 {
            self.wrong_since = now;
        }
        self.wrong_tokens = self.wrong_tokens.saturating_add(count);
    }
}

impl Clients {
    fn usage_of(&mut self, client: Client, per_second: f64, now: Instant) -> &mut Usage {
        self.usage.entry(client).or_insert(Usage {
            left: 2.0 * per_second,
            at: now,
            wrong_tokens: 0,
            wrong_since: now,
            new: NewCounts::default(),
        })
    }

    /// The client, or what stands for all that have no room.
    fn room_for(&mut self, client: Client, per_second: f64, now: Instant) -> Client {
        if self.usage.len() < RATE_CLIENTS || self.usage.contains_key(&client) {
            return client;
        }
        // Once a second at most: otherwise many addresses would cost time, too.
        let second = Duration::from_secs(1);
        let is_due = |then: Instant| now.duration_since(then) >= second;
        if self.cleaned.is_none_or(is_due) {
            self.cleaned = Some(now);
            // A new entry would be the same as one whose bucket is full again.
            self.usage.retain(|_, usage| {
                usage.left_at(per_second, now) < 2.0 * per_second
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
    use crate::token::TokenId;

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
        assert!(limits.lock().usage.is_empty());
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
    fn table_is_bounded_and_clients_without_room_share_a_bucket() {
        let limits = RateLimits::new(Some(1));
        let now = Instant::now();
        for number in 0..u32::try_from(RATE_CLIENTS).unwrap() + 1_000 {
            let client = Client::Address(std::net::Ipv4Addr::from(number).into());
            limits.request(client, now);
        }
        let known = limits.lock().usage.len();
        assert_eq!(known, RATE_CLIENTS + 1);
        assert!(limits.request(address("250.0.0.1"), now).is_some());
        // Those that are silent make room.
        let later = now + Duration::from_secs(10);
        assert!(limits.request(address("250.0.0.1"), later).is_none());
        assert_eq!(limits.lock().usage.len(), 1);
    }

    #[test]
    fn counts_are_taken_once_and_have_the_same_name_everywhere() {
        let limits = RateLimits::new(Some(1));
        let now = Instant::now();
        let clients = [
            Client::Token(TokenId::Own),
            Client::Token(TokenId::Stored("3f".into())),
            address("10.0.0.1"),
            address("2001:db8::1"),
        ];
        for client in &clients {
            // The third is refused, and does not count.
            assert_eq!(
                (0..3)
                    .filter(|_| limits.request(client.clone(), now).is_none())
                    .count(),
                2
            );
        }
        limits.request(Client::Token(TokenId::Console), now);
        limits.wrong_token(address("10.0.0.1"), now);
        let mut counts = limits.take_counts();
        counts.sort();
        let expected = [
            ("address:10.0.0.1", 2),
            ("address:2001:db8::", 2),
            ("own-token", 2),
            ("token:3f", 2),
            ("wrong-token:10.0.0.1", 1),
        ];
        assert_eq!(counts, expected.map(|(key, count)| (key.to_owned(), count)));
        assert_eq!(limits.take_counts(), []);
        let other = RateLimits::new(Some(1));
        other.deduct_at(counts, now);
        for client in clients {
            assert!(other.request(client, now).is_some());
        }
        // What others counted is not counted again.
        assert_eq!(other.take_counts(), []);
    }

    #[test]
    fn malformed_counts_are_ignored() {
        let limits = RateLimits::new(Some(1));
        let counts = [
            ("", 1),
            ("address:x", 1),
            ("other:1", 1),
            ("own-token", -5),
            ("own-token", i64::MAX),
        ];
        limits.deduct(counts.map(|(key, count)| (key.to_owned(), count)));
        assert!(limits.lock().usage.is_empty());
    }

    #[test]
    fn debt_is_paid_with_time_and_limited() {
        let limits = RateLimits::new(Some(10));
        let now = Instant::now();
        let deduct = |count, at| limits.deduct_at([("address:10.0.0.1".to_owned(), count)], at);
        let ask = |at| limits.request(address("10.0.0.1"), at);
        // 20 are allowed at once; 35 were sent elsewhere.
        deduct(35, now);
        assert_eq!(ask(now), Some(Duration::from_millis(1_600)));
        let later = now + Duration::from_millis(1_600);
        assert!(ask(later).is_none());
        assert!(ask(later).is_some());
        deduct(1_000_000, later);
        assert!(ask(later + RATE_DEBT).is_some());
        assert!(ask(later + RATE_DEBT + Duration::from_millis(100)).is_none());
    }

    #[test]
    fn debt_stays_when_room_is_made() {
        let limits = RateLimits::new(Some(1));
        let now = Instant::now();
        limits.deduct_at([("own-token".to_owned(), 12)], now);
        for number in 0..u32::try_from(RATE_CLIENTS).unwrap() {
            let client = Client::Address(std::net::Ipv4Addr::from(number).into());
            limits.request(client, now);
        }
        let later = now + Duration::from_secs(5);
        assert!(limits.request(address("250.0.0.1"), later).is_none());
        assert!(limits.request(Client::Token(TokenId::Own), later).is_some());
    }

    #[test]
    fn wrong_tokens_of_other_servers_count() {
        let limits = RateLimits::new(None);
        let now = Instant::now();
        let counts = [("wrong-token:10.0.0.1".to_owned(), i64::from(WRONG_TOKENS))];
        limits.deduct_at(counts, now);
        assert!(limits.wrong_token(address("10.0.0.2"), now).is_none());
        assert!(limits.wrong_token(address("10.0.0.1"), now).is_some());
        assert!(
            limits
                .wrong_token(address("10.0.0.1"), now + WRONG_TOKENS_WINDOW)
                .is_none()
        );
    }

    /// A client that sends as much as it can to `replicas` servers, for a minute of simulated time.
    fn answered(replicas: usize, is_exchanging: bool) -> usize {
        let limits: Vec<_> = (0..replicas).map(|_| RateLimits::new(Some(10))).collect();
        let begin = Instant::now();
        let mut answered = 0;
        for tenth in 0..600 {
            let now = begin + Duration::from_millis(tenth * 100);
            for limits in &limits {
                while limits.request(address("10.0.0.1"), now).is_none() {
                    answered += 1;
                }
            }
            if is_exchanging && tenth % 10 == 9 {
                let counts: Vec<_> = limits.iter().map(RateLimits::take_counts).collect();
                for (reader, limits) in limits.iter().enumerate() {
                    for (writer, counts) in counts.iter().enumerate() {
                        if reader != writer {
                            limits.deduct_at(counts.clone(), now);
                        }
                    }
                }
            }
        }
        answered
    }

    #[test]
    fn servers_that_exchange_allow_the_limit_together() {
        // A minute, and the burst.
        assert_eq!(answered(1, false), 619);
        assert_eq!(answered(3, false), 3 * 619);
        for replicas in 2..=8 {
            let together = answered(replicas, true);
            assert!((600..=660).contains(&together), "{replicas}: {together}");
        }
    }
}
