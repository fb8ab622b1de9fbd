//! The stable name of a rule.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use crate::limits::RULE_ID_BYTES;

/// The stable name of a rule, in kebab case.
///
/// ```
/// use prowess_scan::RuleId;
///
/// assert_eq!(RuleId::parse("no-eval").unwrap().as_str(), "no-eval");
/// assert!(RuleId::parse("No Eval").is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct RuleId(Cow<'static, str>);

impl RuleId {
    /// The name `text`, if it is lower case letters and digits with single hyphens between them.
    pub fn parse(text: &str) -> Option<Self> {
        let is_word = |word: &str| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        let valid = text.len() <= RULE_ID_BYTES && text.split('-').all(is_word);
        valid.then(|| Self(Cow::Owned(text.to_owned())))
    }

    /// The name of a rule of this crate; a test checks the names.
    pub(crate) const fn base(text: &'static str) -> Self {
        Self(Cow::Borrowed(text))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kebab_case() {
        for good in ["a", "r1", "download-to-shell"] {
            assert!(RuleId::parse(good).is_some(), "{good}");
        }
        let long = "a".repeat(101);
        for bad in ["", "-", "a-", "-a", "a--b", "A", "a b", "a_b", "é", &long] {
            assert!(RuleId::parse(bad).is_none(), "{bad}");
        }
    }
}
