//! The token of clients.

use std::fmt;
use std::sync::Arc;

use sha2::{Digest, Sha256};

/// A token, stored as a hash.
#[derive(Clone)]
pub(crate) struct Token([u8; 32]);

impl Token {
    pub(crate) fn new(text: &str) -> Self {
        Self(Sha256::digest(text).into())
    }

    /// Whether this is the hash of the secret, in constant time.
    pub(crate) fn is(&self, hash: &[u8; 32]) -> bool {
        let pairs = self.0.iter().zip(hash);
        let differing = pairs.fold(0, |all, (a, b)| all | (a ^ b));
        std::hint::black_box(differing) == 0
    }
}

/// Which token it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TokenId {
    /// The one of [`crate::ApiOptions::token`].
    Own,
    /// The one of the console.
    Console,
    /// One of the table.
    Stored(Arc<str>),
}

impl TokenId {
    /// Who owns what is made with the token. A stored id has only hexadecimal digits, so it is none of the words.
    pub(crate) fn owner(&self) -> &str {
        match self {
            Self::Own => "admin",
            Self::Console => "console",
            Self::Stored(id) => id,
        }
    }
}

pub(crate) fn hash(secret: &[u8]) -> [u8; 32] {
    Sha256::digest(secret).into()
}

/// The secret of an `Authorization` header.
pub(crate) fn bearer(authorization: &[u8]) -> Option<&[u8]> {
    let (scheme, secret) = authorization.split_at_checked(b"bearer ".len())?;
    (scheme.eq_ignore_ascii_case(b"bearer ")).then(|| secret.trim_ascii())
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
            assert!(
                bearer(header.as_bytes()).is_some_and(|it| token.is(&hash(it))),
                "{header}"
            );
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
            assert!(
                !bearer(header.as_bytes()).is_some_and(|it| token.is(&hash(it))),
                "{header}"
            );
        }
        assert_eq!(format!("{token:?}"), "***");
    }
}
