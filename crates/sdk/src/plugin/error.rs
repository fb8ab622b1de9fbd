//! Why code of a plugin gave up.

use std::fmt;

use crate::wire::{Failure, code};

/// Why code of a plugin gave up. Any error becomes one with `?`; so does what the host refused.
///
/// ```
/// use prowess_sdk::plugin::Error;
///
/// fn port(text: &str) -> Result<u16, Error> {
///     let port: u16 = text.parse()?;
///     if port == 0 {
///         return Err(Error::new("port 0 cannot be reached"));
///     }
///     Ok(port)
/// }
/// assert_eq!(port("0").unwrap_err().to_string(), "port 0 cannot be reached");
/// assert!(port("http").is_err());
/// ```
// It does not implement `std::error::Error`: otherwise `?` could not convert other errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Failure);

impl Error {
    /// An error with a message for users and models.
    pub fn new(message: impl Into<String>) -> Self {
        Self(Failure {
            code: code::FAILED,
            message: message.into(),
        })
    }

    /// The contributions for the host.
    pub(super) fn into_failure(self) -> Failure {
        self.0
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        Self(failure)
    }
}

impl<E: std::error::Error> From<E> for Error {
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(below) = cause {
            message.push_str(": ");
            message.push_str(&below.to_string());
            cause = below.source();
        }
        Self::new(message)
    }
}
