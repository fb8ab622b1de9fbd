//! When two names are the same on some file system.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// The form in which parts of paths are compared.
///
/// Two parts with one form may be one file somewhere: case, compatibility forms, characters without a width and
/// the trailing dots and spaces that Windows drops make no difference. It is coarser than any one file system,
/// because a refused archive can be renamed and a lost file cannot be found.
pub fn fold(part: &str) -> Cow<'_, str> {
    let trimmed = part.trim_end_matches(['.', ' ']);
    if trimmed.is_ascii() {
        return if trimmed.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Cow::Owned(trimmed.to_ascii_lowercase())
        } else {
            Cow::Borrowed(trimmed)
        };
    }
    // To lower case by way of upper case, since `ß` and `ẞ`, `ς` and `σ` only meet there.
    let folded: String = trimmed
        .chars()
        .filter(|c| !is_ignorable(*c))
        .nfkc()
        .flat_map(char::to_lowercase)
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .nfkc()
        .filter(|c| !is_ignorable(*c))
        .collect();
    // A compatibility form may end with what is dropped, as `…` does.
    Cow::Owned(folded.trim_end_matches(['.', ' ']).to_owned())
}

/// Characters that show nothing by themselves: joiners, marks of direction, selectors.
pub(crate) fn is_ignorable(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &str, other: &str) {
        assert_eq!(fold(one), fold(other), "{one} {other}");
    }

    #[test]
    fn equal_names_of_some_file_system_collide() {
        same("README.md", "readme.MD");
        same("caf\u{e9}", "cafe\u{301}");
        same("CAF\u{c9}", "cafe\u{301}");
        same("\u{fb01}le", "file");
        same("stra\u{df}e", "STRASSE");
        same("\u{1e9e}", "\u{df}");
        same("\u{3c3}", "\u{3c2}");
        same("\u{212a}", "k");
        same("a\u{200d}b", "ab");
        same("a.", "a");
        same("a\u{2026}", "a");
        same("\u{ff21}", "a");
    }

    #[test]
    fn different_names_do_not_collide() {
        assert_ne!(fold("a"), fold("b"));
        assert_ne!(fold("a.b"), fold("ab"));
        assert_ne!(fold("\u{e9}"), fold("e"));
    }
}
