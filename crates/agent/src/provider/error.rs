//! Why a model does not answer.

use std::time::Duration;

/// Why a model does not answer. None of them holds a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// The name is unknown.
    #[error("unknown provider `{}`{}", name.escape_debug(), meant(nearest))]
    UnknownProvider {
        /// The reference.
        name: String,
        /// Similar names.
        nearest: Vec<String>,
    },
    /// The provider has no default base URL.
    #[error("the provider `{provider}` needs a `base_url`")]
    NoAddress {
        /// The provider.
        provider: String,
    },
    /// The base URL is invalid.
    #[error("invalid base URL `{}`", url.escape_debug())]
    BadAddress {
        /// The URL.
        url: String,
    },
    /// The key is missing.
    #[error("missing key for `{provider}`: {variable} is not set")]
    NoKey {
        /// The provider.
        provider: String,
        /// Where the key belongs.
        variable: String,
    },
    /// The key is not accepted.
    #[error("`{provider}` {}: {reason}", refused(variable.as_deref()))]
    KeyRefused {
        /// The provider.
        provider: String,
        /// Where the key came from.
        variable: Option<String>,
        /// The message of the provider.
        reason: String,
    },
    /// The provider does not know the model, or the place.
    #[error("`{provider}` does not know the model `{model}`: {reason}")]
    NoModel {
        /// The provider.
        provider: String,
        /// The model.
        model: String,
        /// The message of the provider.
        reason: String,
    },
    /// The provider answered with a failure.
    #[error("`{provider}` answered {status}: {reason}")]
    Status {
        /// The provider.
        provider: String,
        /// The HTTP status.
        status: u16,
        /// The message.
        reason: String,
        /// How long it wants us to wait.
        retry_after: Option<Duration>,
    },
    /// The provider reported an error within the answer.
    #[error("`{provider}` reports: {reason}")]
    Reported {
        /// The provider.
        provider: String,
        /// The message.
        reason: String,
        /// Whether it may be different in a moment.
        passing: bool,
    },
    /// It cannot be reached.
    #[error("cannot reach `{provider}`: {reason}")]
    Unreachable {
        /// The provider.
        provider: String,
        /// Why.
        reason: String,
    },
    /// The provider timed out.
    #[error("timed out after {seconds} s without data from {host}")]
    Silent {
        /// The server.
        host: String,
        /// How long.
        seconds: u64,
        /// The key of `[model]` that says so.
        setting: &'static str,
    },
    /// The answer ended in the middle.
    #[error("the answer of `{provider}` is incomplete: {reason}")]
    BrokeOff {
        /// The provider.
        provider: String,
        /// How.
        reason: String,
    },
    /// The response is malformed.
    #[error("malformed response from `{provider}`: {reason}")]
    Nonsense {
        /// The provider.
        provider: String,
        /// The problem.
        reason: String,
    },
}

fn meant(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        near => format!("; did you mean {}?", near.join(", ")),
    }
}

fn refused(variable: Option<&str>) -> String {
    match variable {
        Some(name) => format!("rejected the key in {name}"),
        None => "requires a key".to_owned(),
    }
}

impl ProviderError {
    /// Whether the same request may succeed in a moment.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Status { status, .. } => matches!(status, 408 | 425 | 429 | 500..),
            Self::Reported { passing, .. } => *passing,
            Self::Unreachable { .. } | Self::BrokeOff { .. } => true,
            // After minutes of silence the user decides.
            _ => false,
        }
    }

    /// Whether the request exceeded the context window. Providers share no error code for it.
    pub fn is_too_long(&self) -> bool {
        let Self::Status {
            status: 400 | 413 | 422,
            reason,
            ..
        } = self
        else {
            return false;
        };
        let reason = reason.to_lowercase();
        let signs = [
            "too long",
            "too many tokens",
            "too large",
            "context length",
            "context window",
            "context size",
            "context_length",
            "maximum number of tokens",
        ];
        signs.iter().any(|sign| reason.contains(sign))
    }

    /// How long the provider wants us to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(status: u16, passing: bool) {
        let error = ProviderError::Status {
            provider: "p".to_owned(),
            status,
            reason: String::new(),
            retry_after: None,
        };
        assert_eq!(error.is_passing(), passing, "{status}");
    }

    #[test]
    fn context_overflow_is_recognized() {
        let check = |status: u16, reason: &str, expected: bool| {
            let error = ProviderError::Status {
                provider: "p".to_owned(),
                status,
                reason: reason.to_owned(),
                retry_after: None,
            };
            assert_eq!(error.is_too_long(), expected, "{status}: {reason}");
        };
        check(
            400,
            "prompt is too long: 210000 tokens > 200000 maximum",
            true,
        );
        check(
            400,
            "This model's maximum context length is 8192 tokens",
            true,
        );
        check(413, "Request too large", true);
        check(400, "Invalid value: 'tool'", false);
        check(500, "context length", false);
    }

    #[test]
    fn transient_errors_are_recognized() {
        for status in [408, 429, 500, 502, 503, 504, 529] {
            check(status, true);
        }
        for status in [400, 402, 413, 422] {
            check(status, false);
        }
    }
}
