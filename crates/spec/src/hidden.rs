//! Characters that a reader does not see, or that change what a reader sees.

/// Whether a character is a control (but for a tab or the end of a line), turns text around, has no width, or is a
/// tag: something to hide text, or a different text, from a person.
pub fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}' // fillers
        | '\u{61c}' | '\u{180b}'..='\u{180f}' // Arabic and Mongolian marks
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' // no width, direction
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => true, // tags, and the variation selectors beside them
        c => c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visible_text_is_not_hidden() {
        for c in ['a', ' ', '\n', '\t', 'é', '漢', '🦀', '\u{fe0f}', '\u{301}'] {
            assert!(!is_hidden(c), "{c:?}");
        }
        for c in [
            '\u{1b}',
            '\u{7}',
            '\u{8}',
            '\r',
            '\u{7f}',
            '\u{9b}',
            '\u{202e}',
            '\u{200b}',
            '\u{e0041}',
        ] {
            assert!(is_hidden(c), "{c:?}");
        }
    }
}
