//! The token of a user for one registry.

use std::fmt;

/// A token. It is in no log and no error.
#[derive(Clone, PartialEq, Eq)]
pub struct RegistryToken(String);

impl RegistryToken {
    /// The token in a text that a user or a program wrote; `None` if there is none in it.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_token = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_token.then(|| Self(text.to_owned()))
    }

    /// The token itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for RegistryToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_one_word_and_never_shown() {
        let token = RegistryToken::new(" secret-1\n").unwrap();
        assert_eq!(token.expose(), "secret-1");
        assert_eq!(format!("{token:?} {:?}", Some(&token)), "*** Some(***)");
        for text in ["", " \n", "two words", "a\nb", "é"] {
            assert!(RegistryToken::new(text).is_none(), "{text:?}");
        }
    }
}
