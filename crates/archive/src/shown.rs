//! Texts of strangers in our messages.

use std::fmt;

use crate::fold::is_ignorable;

/// A text of the archive, made fit to be shown: escaped, and not too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown(Box<str>);

impl Shown {
    const CHARS: usize = 200;

    pub(crate) fn new(bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        let bytes = bytes.get(..Self::CHARS * 4).unwrap_or(bytes);
        let text = String::from_utf8_lossy(bytes);
        let mut shown = String::new();
        for character in text.chars().take(Self::CHARS) {
            if character.is_control() || is_ignorable(character) {
                shown.extend(character.escape_default());
            } else {
                shown.push(character);
            }
        }
        if text.chars().nth(Self::CHARS).is_some() {
            shown.push('…');
        }
        Self(shown.into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
