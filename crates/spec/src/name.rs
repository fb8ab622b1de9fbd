//! Names of skills, and replacements for invalid ones.

use std::fmt;

use serde::Serialize;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use crate::limits::NAME_CHARS;

/// A valid skill name: lower-case letters, digits and single inner hyphens, in NFKC.
///
/// ```
/// use prowess_spec::SkillName;
///
/// assert_eq!(SkillName::parse("pdf-report").unwrap().as_str(), "pdf-report");
/// assert!(SkillName::parse("PDF report").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct SkillName(Box<str>);

/// A rule that a name breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameRule {
    /// Empty text.
    Empty,
    /// More than [`NAME_CHARS`] characters; holds how many.
    TooLong(usize),
    /// An upper-case letter.
    Uppercase,
    /// A character that is neither letter, digit nor hyphen; holds the first one.
    Character(char),
    /// A hyphen at the beginning or the end.
    EdgeHyphen,
    /// Two hyphens in a row.
    DoubleHyphen,
}

impl SkillName {
    /// Parses a name, or returns every violated rule.
    pub fn parse(text: &str) -> Result<Self, Vec<NameRule>> {
        let text = text.trim();
        if is_ascii_name(text) {
            return Ok(Self(text.into()));
        }
        let name = normalize(text);
        let broken = broken_rules(&name);
        if broken.is_empty() {
            Ok(Self(name.into()))
        } else {
            Err(broken)
        }
    }

    /// The nearest valid name: lower case, everything else a single hyphen.
    pub fn slug(text: &str) -> Option<Self> {
        let mut slug = String::with_capacity(text.len());
        for c in normalize(text).chars().flat_map(char::to_lowercase) {
            if is_alphanumeric(c) {
                slug.push(c);
            } else if !slug.is_empty() && !slug.ends_with('-') {
                slug.push('-');
            }
        }
        let short: String = slug.chars().take(NAME_CHARS).collect();
        Self::parse(short.trim_end_matches('-')).ok()
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SkillName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for SkillName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// Whether `text` is a valid name in ASCII, without allocating.
pub(crate) fn is_ascii_name(text: &str) -> bool {
    let word = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    bytes.len() <= NAME_CHARS
        && bytes
            .split(|byte| *byte == b'-')
            .all(|part| !part.is_empty() && part.iter().all(word))
}

/// NFKC, without work for ASCII.
pub(crate) fn normalize(text: &str) -> String {
    if text.is_ascii() {
        text.to_owned()
    } else {
        text.nfkc().collect()
    }
}

fn broken_rules(name: &str) -> Vec<NameRule> {
    if name.is_empty() {
        return vec![NameRule::Empty];
    }
    let mut broken = Vec::new();
    let length = name.chars().count();
    if length > NAME_CHARS {
        broken.push(NameRule::TooLong(length));
    }
    if name != name.to_lowercase() {
        broken.push(NameRule::Uppercase);
    }
    if let Some(c) = name.chars().find(|c| *c != '-' && !is_alphanumeric(*c)) {
        broken.push(NameRule::Character(c));
    }
    if name.starts_with('-') || name.ends_with('-') {
        broken.push(NameRule::EdgeHyphen);
    }
    if name.contains("--") {
        broken.push(NameRule::DoubleHyphen);
    }
    broken
}

/// Letters and numbers by general category: `char::is_alphanumeric` would also take combining marks.
fn is_alphanumeric(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    matches!(
        c.general_category_group(),
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[NameRule]) {
        let broken = SkillName::parse(text).err().unwrap_or_default();
        assert_eq!(broken, expected, "{text:?}");
    }

    #[test]
    fn each_broken_rule_is_named() {
        check("a", &[]);
        check("技能", &[]);
        check("навык-1", &[]);
        check("", &[NameRule::Empty]);
        check("Навык", &[NameRule::Uppercase]);
        check("My Skill", &[NameRule::Uppercase, NameRule::Character(' ')]);
        check("--help", &[NameRule::EdgeHyphen, NameRule::DoubleHyphen]);
        check(&"x".repeat(65), &[NameRule::TooLong(65)]);
    }

    #[test]
    fn compatibility_forms_are_one_name() {
        assert_eq!(SkillName::parse("ｐｄｆ"), SkillName::parse("pdf"));
    }

    #[test]
    fn slugs_are_valid_or_absent() {
        let slug = |text: &str| SkillName::slug(text).map(|name| name.to_string());
        assert_eq!(slug("My  Skill_2!").as_deref(), Some("my-skill-2"));
        assert_eq!(slug("--help").as_deref(), Some("help"));
        assert_eq!(slug("../../etc").as_deref(), Some("etc"));
        assert_eq!(slug("!!!"), None);
        assert_eq!(slug(&"ab-".repeat(40)).map(|s| s.len() <= 64), Some(true));
    }
}
