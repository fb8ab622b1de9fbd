//! Converts errors of a provider.

use std::time::{Duration, SystemTime};

use genai::Error;
use genai::webc::StreamTimeout;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::catalogue::Timeouts;
use super::error::ProviderError;
use crate::limits::ERROR_CHARS;

/// Whose failure it is, and what must not be shown of it.
#[derive(Clone)]
pub(super) struct Whose {
    pub(super) provider: String,
    pub(super) model: String,
    pub(super) variable: Option<String>,
    pub(super) key: Option<String>,
    /// The server, as it is shown.
    pub(super) host: String,
    pub(super) timeouts: Timeouts,
}

impl Whose {
    /// A failure of genai's.
    pub(super) fn failed(&self, error: &Error) -> ProviderError {
        if let Some(status) = error.status() {
            let text = match error {
                Error::HttpError { body, .. } => body.clone(),
                other => other.to_string(),
            };
            return self.status(status.as_u16(), &text, error.headers());
        }
        let provider = self.provider.clone();
        match error {
            Error::WebStream {
                error: inner,
                cause,
                ..
            } => self.broken(&**inner, cause),
            Error::ChatResponse { body, .. } => {
                let reason = self.said(&body.to_string());
                let passing = [
                    "overloaded",
                    "rate_limit",
                    "server_error",
                    "api_error",
                    "timeout",
                ];
                let passing = passing.iter().any(|word| body.to_string().contains(word));
                ProviderError::Reported {
                    provider,
                    reason,
                    passing,
                }
            }
            Error::WebModelCall { webc_error, .. } | Error::WebAdapterCall { webc_error, .. } => {
                ProviderError::Unreachable {
                    provider,
                    reason: self.said(&webc_error.to_string()),
                }
            }
            other => ProviderError::Nonsense {
                provider,
                reason: self.said(&other.to_string()),
            },
        }
    }

    /// No data came in time.
    pub(super) fn silent(&self, begun: bool) -> ProviderError {
        let (time, setting) = if begun {
            (self.timeouts.between_bytes, "between_bytes_seconds")
        } else {
            (self.timeouts.first_byte, "first_byte_seconds")
        };
        ProviderError::Silent {
            host: self.host.clone(),
            seconds: time.as_secs(),
            setting,
        }
    }

    fn broken(
        &self,
        error: &(dyn std::error::Error + Send + Sync + 'static),
        cause: &str,
    ) -> ProviderError {
        let provider = self.provider.clone();
        if let Some(error) = error.downcast_ref::<Error>() {
            return self.failed(error);
        }
        if error.downcast_ref::<StreamTimeout>().is_some() {
            return self.silent(false);
        }
        let reason = self.said(&chain(error, cause));
        match error.downcast_ref::<reqwest::Error>() {
            Some(error) if error.is_connect() || error.is_request() || error.is_timeout() => {
                ProviderError::Unreachable { provider, reason }
            }
            _ => ProviderError::BrokeOff { provider, reason },
        }
    }

    fn status(&self, status: u16, body: &str, headers: Option<&HeaderMap>) -> ProviderError {
        let provider = self.provider.clone();
        let reason = self.said(body);
        match status {
            401 | 403 => ProviderError::KeyRefused {
                provider,
                variable: self.variable.clone(),
                reason,
            },
            404 => ProviderError::NoModel {
                provider,
                model: self.model.clone(),
                reason,
            },
            _ => ProviderError::Status {
                provider,
                status,
                reason,
                retry_after: headers.and_then(|headers| retry_after(headers, SystemTime::now())),
            },
        }
    }

    /// The message of a provider, without secrets.
    fn said(&self, text: &str) -> String {
        let parsed: Option<Value> = serde_json::from_str(text).ok();
        let message = parsed.as_ref().and_then(|value| {
            ["/error/message", "/message", "/error", "/0/error/message"]
                .iter()
                .find_map(|path| value.pointer(path)?.as_str())
        });
        let mut text = message.unwrap_or(text).trim().to_owned();
        if let Some(key) = self.key.as_deref().filter(|key| !key.is_empty()) {
            text = text.replace(key, "***");
        }
        let one_line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let shown: String = one_line
            .chars()
            .filter(|c| !c.is_control())
            .take(ERROR_CHARS)
            .collect();
        if shown.is_empty() {
            "no reason given".to_owned()
        } else {
            shown
        }
    }
}

/// An error with what caused it; the address in it is the user's own.
fn chain(error: &(dyn std::error::Error + 'static), first: &str) -> String {
    let mut text = first.to_owned();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        next = cause.source();
    }
    text
}

/// How long a provider wants us to wait: milliseconds, seconds, or until a date.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |name: &str| text(name)?.parse::<f64>().ok();
    let seconds = number("retry-after-ms")
        .map(|ms| ms / 1_000.0)
        .or_else(|| number("retry-after"));
    if let Some(seconds) = seconds {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(text("retry-after")?).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whose() -> Whose {
        Whose {
            provider: "openai".to_owned(),
            model: "m".to_owned(),
            variable: Some("OPENAI_API_KEY".to_owned()),
            key: Some("sk-secret".to_owned()),
            host: "h".to_owned(),
            timeouts: Timeouts::default(),
        }
    }

    #[test]
    fn error_messages_are_short_and_hold_no_key() {
        let said = |text: &str| whose().said(text);
        assert_eq!(
            said(r#"{"error":{"message":"Incorrect key sk-secret\nprovided"}}"#),
            "Incorrect key *** provided"
        );
        assert_eq!(said(r#"{"error":"model not found"}"#), "model not found");
        assert_eq!(said("<html>  gone </html>"), "<html> gone </html>");
        assert_eq!(said(""), "no reason given");
        assert_eq!(said(&"x".repeat(10_000)).len(), ERROR_CHARS);
    }

    #[test]
    fn retry_after_is_parsed() {
        let check = |name: &'static str, value: &'static str, expected: Option<Duration>| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            let now = httpdate::parse_http_date("Wed, 21 Oct 2026 07:28:00 GMT").unwrap();
            assert_eq!(retry_after(&headers, now), expected, "{name}: {value}");
        };
        check("retry-after", "7", Some(Duration::from_secs(7)));
        check("retry-after-ms", "250", Some(Duration::from_millis(250)));
        check("retry-after", "-1", None);
        let date = "Wed, 21 Oct 2026 07:28:09 GMT";
        check("retry-after", date, Some(Duration::from_secs(9)));
        let past = "Wed, 21 Oct 2015 07:28:00 GMT";
        check("retry-after", past, Some(Duration::ZERO));
        check("retry-after", "soon", None);
        check("retry-after", "nan", None);
    }

    #[test]
    fn kinds_of_failures() {
        let status = |status| whose().status(status, "no", None);
        assert_eq!(
            status(401).to_string(),
            "`openai` rejected the key in OPENAI_API_KEY: no"
        );
        assert_eq!(
            status(404).to_string(),
            "`openai` does not know the model `m`: no"
        );
        assert_eq!(status(500).to_string(), "`openai` answered 500: no");
    }
}
