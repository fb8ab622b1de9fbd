//! URLs, shown without what may be secret in them.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::secret::MASK;

/// A URL. It is shown as the file has it: variables by name, without password and query.
#[derive(Clone, PartialEq, Eq)]
pub struct Url {
    text: Box<str>,
    shown: Box<str>,
}

impl Url {
    /// `text` is the effective value, `written` the value in the file.
    pub(crate) fn new(text: &str, written: &str) -> Self {
        Self {
            text: text.into(),
            shown: mask(written).into(),
        }
    }

    /// A URL that a program has, rather than a file.
    ///
    /// ```
    /// use prowess_config::Url;
    ///
    /// let url = Url::parse("https://token@example.com/api").unwrap();
    /// assert_eq!(url.to_string(), "https://***@example.com/api");
    /// assert!(Url::parse("example").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, url::ParseError> {
        url::Url::parse(text).map(|_| Self::new(text, text))
    }

    /// Whether the connection is encrypted.
    pub fn is_https(&self) -> bool {
        scheme(&self.text).is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("https"))
    }

    /// The name of the server alone, which may be logged. Empty if there is none.
    ///
    /// ```
    /// use prowess_config::Url;
    ///
    /// let host = |text| Url::parse(text).unwrap().host();
    /// assert_eq!(host("https://user:s3cr3t@example.com:8443/a?key=b"), "example.com");
    /// assert_eq!(host("ssh://git@example.com/a"), "example.com");
    /// ```
    pub fn host(&self) -> String {
        let parsed = url::Url::parse(&self.text).ok();
        let host = parsed.as_ref().and_then(url::Url::host_str);
        // The other form of git: `user@host:path`.
        let short = || self.text.split_once('@')?.1.split_once(':').map(|it| it.0);
        host.or_else(short).unwrap_or_default().to_owned()
    }

    /// The URL itself, with everything that is in it.
    pub fn expose(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl Serialize for Url {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.shown)
    }
}

/// `text` without user information (a lone user name stays where it is no token) and query.
///
/// Text that is not a valid URL is masked too, because it can be a mistyped one.
pub(crate) fn mask(text: &str) -> String {
    if text.to_ascii_lowercase().contains("password=") {
        return MASK.to_owned();
    }
    let (scheme, rest) = match scheme(text) {
        Some((scheme, rest)) => (Some(scheme), rest),
        None => (None, text),
    };
    let (rest, query) = match rest.split_once(['?', '#']) {
        // A password may hold the character that would begin a query.
        Some((before, after)) if !after.contains('@') || before.contains('@') => {
            (before, Some(after))
        }
        _ => (rest, None),
    };
    let mut shown = scheme
        .map(|scheme| format!("{scheme}://"))
        .unwrap_or_default();
    match user_information(scheme, rest) {
        Some((_, host)) => shown.extend([MASK, "@", host]),
        None => shown.push_str(rest),
    }
    if query.is_some() {
        shown.extend(["?", MASK]);
    }
    shown
}

/// The text before and after `://`.
pub(crate) fn scheme(text: &str) -> Option<(&str, &str)> {
    text.split_once("://")
}

/// The part before the host when it may be secret, and the rest.
fn user_information<'t>(scheme: Option<&str>, rest: &'t str) -> Option<(&'t str, &'t str)> {
    let (before, host) = rest.rsplit_once('@')?;
    let authority = rest.split('/').next().unwrap_or(rest);
    let password = match (scheme, authority.split_once(':')) {
        // Without a scheme the start of the host is unknown.
        (None, _) => before.contains(':'),
        (Some(_), Some((user, rest))) => {
            let port = rest.bytes().all(|byte| byte.is_ascii_digit());
            !port && !user.contains('@')
        }
        (Some(_), None) => false,
    };
    let web = scheme.is_some_and(|scheme| {
        scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
    });
    let token = web && authority.contains('@');
    (password || token).then_some((before, host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_a_url_are_masked() {
        let check = |text: &str, shown: &str| assert_eq!(mask(text), shown, "{text}");
        check("https://example.com/a.git", "https://example.com/a.git");
        check("https://token@example.com/a", "https://***@example.com/a");
        check("https://u:p@example.com:8/a", "https://***@example.com:8/a");
        check("https://u:p/w@example.com/a", "https://***@example.com/a");
        check("https://u:p?w@example.com/a", "https://***@example.com/a");
        check("https://u:p#w@h?q=1", "https://***@h?q=1");
        check("https://u:p@w@example.com/a", "https://***@example.com/a");
        check(
            "https://example.com/@scope/a",
            "https://example.com/@scope/a",
        );
        check("https://example.com/a?token=x", "https://example.com/a?***");
        check("ssh://git@example.com/a", "ssh://git@example.com/a");
        check("git@example.com:a/b.git", "git@example.com:a/b.git");
        check("u:p@example.com:a/b.git", "***@example.com:a/b.git");
        check("postgres://${USER}:${PW}@h/d", "postgres://***@h/d");
        check("host=h password=p", "***");
        check("https:/u:p@example.com", "***@example.com");
        check("HTTPS://token@h", "HTTPS://***@h");
        check("ssh://git@example.com:22/a", "ssh://git@example.com:22/a");
        check("ssh://u:1@example.com:22/a", "ssh://***@example.com:22/a");
        check("https://example.com:8/@a", "https://example.com:8/@a");
        check("sqlite:a.db", "sqlite:a.db");
        check("${URL}", "${URL}");
    }
}
