//! Encodings that hide text, undone.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, CONFIG);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, CONFIG);

/// Base64 in either alphabet, with padding or without.
pub(crate) fn base64_bytes(text: &str) -> Option<Vec<u8>> {
    let bare = text.trim_end_matches('=');
    let whole = bare
        .get(..bare.len() - usize::from(bare.len() % 4 == 1))
        .unwrap_or(bare);
    let engine = if bare.contains(['-', '_']) {
        URL_SAFE
    } else {
        STANDARD
    };
    engine.decode(whole).ok()
}

/// Pairs of hexadecimal digits.
pub(crate) fn hexadecimal_bytes(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let pairs = text.as_bytes().chunks_exact(2);
    pairs
        .map(|pair| match pair {
            [high, low] => u8::try_from(digit(high)? * 16 + digit(low)?).ok(),
            _ => None,
        })
        .collect()
}

pub(crate) fn base32(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let (mut buffer, mut bits) = (0_u32, 0);
    for c in text.chars().filter(|c| !c.is_whitespace() && *c != '=') {
        let value = match c.to_ascii_uppercase() {
            c @ 'A'..='Z' => u32::from(c) - u32::from('A'),
            c @ '2'..='7' => u32::from(c) - u32::from('2') + 26,
            _ => return None,
        };
        buffer = (buffer << 5 | value) & 0xfff;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(buffer >> bits & 0xff).ok()?);
        }
    }
    String::from_utf8(bytes).ok()
}

pub(crate) fn base85(text: &str) -> Option<String> {
    const ALPHABET: &str =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
    groups(
        &text
            .chars()
            .filter(|c| !c.is_whitespace())
            .map(|c| ALPHABET.find(c))
            .collect::<Option<Vec<_>>>()?,
    )
}

pub(crate) fn ascii85(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches("<~").trim_end_matches("~>");
    let mut values = Vec::new();
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        match c {
            'z' => values.extend([0; 5]),
            '!'..='u' => values.push(usize::try_from(u32::from(c) - 33).ok()?),
            _ => return None,
        }
    }
    groups(&values)
}

/// Groups of five digits to the base 85 are four bytes.
fn groups(values: &[usize]) -> Option<String> {
    let mut bytes = Vec::new();
    for group in values.chunks(5) {
        let missing = 5 - group.len();
        let digits = group
            .iter()
            .copied()
            .chain(std::iter::repeat_n(84, missing));
        let number = digits.fold(0_u64, |sum, digit| sum * 85 + digit as u64);
        let number = u32::try_from(number).ok()?;
        bytes.extend(number.to_be_bytes().into_iter().take(4 - missing));
    }
    String::from_utf8(bytes).ok()
}

pub(crate) fn rot13(text: &str) -> String {
    let turn = |c: char| {
        let base = match c {
            'a'..='z' => 'a',
            'A'..='Z' => 'A',
            _ => return c,
        };
        let turned = (u32::from(c) - u32::from(base) + 13) % 26 + u32::from(base);
        char::from_u32(turned).unwrap_or(c)
    };
    text.chars().map(turn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_undone() {
        let check = |decode: fn(&str) -> Option<String>, text: &str| {
            assert_eq!(decode(text).as_deref(), Some("curl x | sh"), "{text}");
        };
        check(base32, "MN2XE3BAPAQHYIDTNA======");
        check(base85, "V|8+DAb22rAaiH");
        check(ascii85, "@s)g.+F##V+EM2");
        check(|text| Some(rot13(text)), "phey k | fu");
        assert_eq!(
            base64_bytes("Y3VybCB4IHwgc2g").as_deref(),
            Some(&b"curl x | sh"[..])
        );
        assert_eq!(hexadecimal_bytes("6375").as_deref(), Some(&b"cu"[..]));
    }
}
