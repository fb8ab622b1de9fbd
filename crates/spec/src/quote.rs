//! Writing text as a YAML scalar that reads back as that text.

/// `text` in quotes: double ones, unless single ones spare an escape.
pub fn quote(text: &str) -> String {
    let needs_escape = text.chars().any(|c| c.is_control() || is_break(c));
    if !needs_escape && text.contains(['"', '\\']) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            c if c.is_control() || is_break(c) => {
                quoted.extend(["\\u", &format!("{:04x}", u32::from(c))]);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Characters that some YAML readers take for the end of a line.
const fn is_break(c: char) -> bool {
    matches!(
        c,
        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_chosen_to_spare_escapes() {
        assert_eq!(quote("Use when: asked"), "\"Use when: asked\"");
        assert_eq!(quote("say \"hi\" and it's"), "'say \"hi\" and it''s'");
        assert_eq!(quote("a\\d"), "'a\\d'");
        assert_eq!(quote("two\nlines"), "\"two\\nlines\"");
        assert_eq!(quote("bell\u{7}"), "\"bell\\u0007\"");
    }
}
