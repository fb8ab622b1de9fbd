//! The names of chats.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::SystemTime;

/// The id of a chat: short and unique. It is not a secret.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChatId(String);

/// Digits and letters that are easy to distinguish.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Characters of a new name; five bits each.
const LENGTH: u32 = 12;

impl ChatId {
    /// A name that nothing has yet.
    #[allow(clippy::new_without_default, reason = "each is another")]
    pub fn new() -> Self {
        // The standard library seeds its hashers with randomness of the system's.
        let mut hasher = RandomState::new().build_hasher();
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        hasher.write_u128(now.map_or(0, |now| now.as_nanos()));
        hasher.write_u32(std::process::id());
        let bits = hasher.finish();
        let character = |index: u32| {
            let five = usize::try_from((bits >> (index * 5)) & 31).unwrap_or_default();
            ALPHABET.get(five).map(|byte| char::from(*byte))
        };
        Self((0..LENGTH).filter_map(character).collect())
    }

    /// An id as typed; the chat may not exist.
    pub fn named(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ChatId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
