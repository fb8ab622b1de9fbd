//! The token of clients.

use std::fmt;

use sha2::{Digest, Sha256};

/// A token, stored as a hash.
#[derive(Clone)]
pub(crate) struct Token([u8; 32]);

impl Token {
    pub(crate) fn new(text: &str) -> Self {
        Self(Sha256::digest(text).into())
    }

    /// Whether an `Authorization` header contains the token, in constant time.
    pub(crate) fn opens(&self, authorization: &[u8]) -> bool {
        let Some((scheme, given)) = authorization.split_at_checked(b"bearer ".len()) else {
            return false;
        };
        let given: [u8; 32] = Sha256::digest(given.trim_ascii()).into();
        let differing = self
            .0
            .iter()
            .zip(given)
            .fold(0, |all, (a, b)| all | (a ^ b));
        scheme.eq_ignore_ascii_case(b"bearer ") && std::hint::black_box(differing) == 0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_token_is_accepted() {
        let token = Token::new("s3cr3t");
        for header in ["Bearer s3cr3t", "bearer s3cr3t", "BEARER  s3cr3t "] {
            assert!(token.opens(header.as_bytes()), "{header}");
        }
        for header in [
            "",
            "Bearer",
            "Bearer ",
            "Bearer s3cr3",
            "Bearer s3cr3tt",
            "Bearer S3CR3T",
            "Basic s3cr3t",
            "s3cr3t",
        ] {
            assert!(!token.opens(header.as_bytes()), "{header}");
        }
        assert_eq!(format!("{token:?}"), "***");
    }
}
