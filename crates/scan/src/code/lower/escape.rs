//! Escapes inside of quoted texts, and numbers.

/// `\x41`, `\u0041`, `\u{41}`, `\101`, `\n` and their kind replaced. Bytes of `\x` are characters of that code.
pub(super) fn unescape(text: &str, octal: bool) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let Some(escape) = chars.next() else {
            out.push('\\');
            break;
        };
        let code = match escape {
            'n' => Some(10),
            't' => Some(9),
            'r' => Some(13),
            'a' => Some(7),
            'b' => Some(8),
            'f' => Some(12),
            'v' => Some(11),
            'e' | 'E' => Some(27),
            '\n' => continue,
            'x' => digits(&mut chars, 2, 16),
            'u' if chars.peek() == Some(&'{') => {
                chars.next();
                let code = digits(&mut chars, 6, 16);
                if chars.peek() == Some(&'}') {
                    chars.next();
                }
                code
            }
            'u' => digits(&mut chars, 4, 16),
            'U' => digits(&mut chars, 8, 16),
            '0'..='7' if octal => {
                let mut code = escape.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    let Some(digit) = chars.peek().and_then(|c| c.to_digit(8)) else {
                        break;
                    };
                    code = code * 8 + digit;
                    chars.next();
                }
                Some(code)
            }
            '0' => Some(0),
            _ => None,
        };
        match code {
            Some(code) => out.push(char::from_u32(code).unwrap_or('\u{fffd}')),
            None if matches!(escape, '\\' | '\'' | '"' | '`' | '/' | '$' | '{' | '}') => {
                out.push(escape);
            }
            None => {
                out.push('\\');
                out.push(escape);
            }
        }
    }
    out
}

fn digits(
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    most: usize,
    radix: u32,
) -> Option<u32> {
    let mut code: Option<u32> = None;
    for _ in 0..most {
        let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else {
            break;
        };
        code = Some(code.unwrap_or(0).wrapping_mul(radix).wrapping_add(digit));
        chars.next();
    }
    code
}

/// A number as Python and JavaScript write it; nothing for one with a fraction.
pub(super) fn integer(text: &str) -> Option<i64> {
    let text: String = text
        .chars()
        .filter(|c| *c != '_')
        .collect::<String>()
        .to_ascii_lowercase();
    let text = text.trim_end_matches(['n', 'l', 'j']);
    if let Some(hex) = text.strip_prefix("0x") {
        return i64::from_str_radix(hex, 16).ok();
    }
    if let Some(octal) = text.strip_prefix("0o") {
        return i64::from_str_radix(octal, 8).ok();
    }
    if let Some(binary) = text.strip_prefix("0b") {
        return i64::from_str_radix(binary, 2).ok();
    }
    text.parse().ok()
}
