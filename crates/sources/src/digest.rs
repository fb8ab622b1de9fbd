//! Names for things in a cache.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// The first half of a SHA-256 over parts that cannot run into each other, in hexadecimal.
pub(crate) fn digest(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let mut text = String::new();
    for byte in hasher.finalize().iter().take(16) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
