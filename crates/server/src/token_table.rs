//! The tokens that a server accepts. The host stores them; this is what requests are compared with.

use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::scope::Scopes;
use crate::token::hash;

/// A token that is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedToken {
    /// The id, which owns packages and chats.
    pub id: String,
    /// The SHA-256 of the secret.
    pub hash: [u8; 32],
    /// What it allows.
    pub scopes: Scopes,
    /// When it expires, in seconds since 1970.
    pub expires: Option<i64>,
}

impl AcceptedToken {
    /// Creates a token with a random secret, which is returned beside it and stored nowhere.
    pub fn generate(
        scopes: Scopes,
        expires: Option<i64>,
    ) -> Result<(String, Self), getrandom::Error> {
        let (mut id, mut secret) = ([0; 4], [0; 32]);
        getrandom::fill(&mut id)?;
        getrandom::fill(&mut secret)?;
        let secret = format!("prowess_{}", digits(&secret));
        let token = Self {
            id: digits(&id),
            hash: hash(secret.as_bytes()),
            scopes,
            expires,
        };
        Ok((secret, token))
    }

    /// Restores a stored token; `None` if its hash or scopes are malformed.
    pub fn restore(id: &str, hash: &str, scopes: &str, expires: Option<i64>) -> Option<Self> {
        let mut bytes = [0; 32];
        if hash.len() != 64 {
            return None;
        }
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(hash.get(2 * index..2 * index + 2)?, 16).ok()?;
        }
        Some(Self {
            id: id.to_owned(),
            hash: bytes,
            scopes: scopes.parse().ok()?,
            expires,
        })
    }

    /// The hash in hexadecimal digits.
    pub fn hash_text(&self) -> String {
        digits(&self.hash)
    }
}

/// Hexadecimal digits.
pub(crate) fn digits(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The tokens of clients. Clones share them, so a host can replace them while a server runs.
///
/// They are found by the hash of what was sent, so the time of a comparison reveals nothing about a secret.
#[derive(Clone, Default)]
pub struct TokenTable(Arc<RwLock<HashMap<[u8; 32], KnownToken>>>);

struct KnownToken {
    id: Arc<str>,
    scopes: Scopes,
    expires: Option<i64>,
    /// When it was last used, in seconds since 1970; 0 if it was not, or if that was told.
    used: AtomicI64,
}

impl TokenTable {
    /// Replaces all tokens.
    pub fn replace(&self, tokens: impl IntoIterator<Item = AcceptedToken>) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut before = std::mem::take(&mut *known);
        for token in tokens {
            // A use that was not told yet is not lost.
            let used = before.remove(&token.hash).map(|it| it.used);
            let entry = KnownToken {
                id: token.id.into(),
                scopes: token.scopes,
                expires: token.expires,
                used: used.unwrap_or_default(),
            };
            known.insert(token.hash, entry);
        }
    }

    /// Returns when tokens were used since the last call, in seconds since 1970.
    pub fn take_uses(&self) -> Vec<(String, i64)> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let uses = known
            .values()
            .map(|token| (token.id.to_string(), token.used.swap(0, Ordering::Relaxed)));
        uses.filter(|(_, used)| *used > 0).collect()
    }

    /// The id and the scopes of the token with this hash; `None` if it is unknown or expired.
    pub(crate) fn find(&self, hash: &[u8; 32]) -> Option<(Arc<str>, Scopes)> {
        let now = seconds_now();
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let token = known.get(hash)?;
        if token.expires.is_some_and(|expires| expires <= now) {
            return None;
        }
        token.used.store(now, Ordering::Relaxed);
        Some((Arc::clone(&token.id), token.scopes))
    }
}

impl fmt::Debug for TokenTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tokens = self.0.read().unwrap_or_else(PoisonError::into_inner);
        write!(f, "TokenTable({} tokens)", tokens.len())
    }
}

fn seconds_now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    })
}
