//! The tokens that a server accepts. The host stores them; this is what requests are compared with.

use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::scope::Scopes;
use crate::token::hash;

/// A token that is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedToken {
    /// The id, for [`TokenTable::take_uses`].
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
pub struct TokenTable {
    tokens: Arc<RwLock<HashMap<[u8; 32], AcceptedToken>>>,
    uses: Arc<Mutex<HashMap<String, i64>>>,
}

impl TokenTable {
    /// Replaces all tokens.
    pub fn replace(&self, tokens: impl IntoIterator<Item = AcceptedToken>) {
        let tokens = tokens.into_iter().map(|token| (token.hash, token));
        let mut known = self.tokens.write().unwrap_or_else(PoisonError::into_inner);
        *known = tokens.collect();
    }

    /// Returns when tokens were used since the last call, in seconds since 1970.
    pub fn take_uses(&self) -> Vec<(String, i64)> {
        let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        uses.drain().collect()
    }

    /// The id and the scopes of a secret; `None` if it is unknown or expired.
    pub(crate) fn find(&self, secret: &[u8]) -> Option<(String, Scopes)> {
        let now = seconds_now();
        let (id, scopes) = {
            let tokens = self.tokens.read().unwrap_or_else(PoisonError::into_inner);
            let token = tokens.get(&hash(secret))?;
            if token.expires.is_some_and(|expires| expires <= now) {
                return None;
            }
            (token.id.clone(), token.scopes)
        };
        let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        uses.insert(id.clone(), now);
        Some((id, scopes))
    }
}

impl fmt::Debug for TokenTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tokens = self.tokens.read().unwrap_or_else(PoisonError::into_inner);
        write!(f, "TokenTable({} tokens)", tokens.len())
    }
}

fn seconds_now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    })
}
