//! Encodings that hide a text, undone within bounds.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_allow_trailing_bits(true)
    .with_decode_padding_mode(DecodePaddingMode::Indifferent);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);

/// base64 of either alphabet, with or without padding; blanks are ignored.
pub(crate) fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let clean: Vec<u8> = text
        .iter()
        .filter(|byte| !byte.is_ascii_whitespace())
        .map(|byte| match byte {
            b'-' => b'+',
            b'_' => b'/',
            other => *other,
        })
        .collect();
    STANDARD.decode(clean).ok()
}

/// base64 of bytes.
pub(crate) fn to_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Pairs of hexadecimal digits; blanks, colons and `\x` between them are ignored.
pub(crate) fn hex(text: &[u8]) -> Option<Vec<u8>> {
    let mut digits = Vec::new();
    for byte in text {
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' | b':' => {}
            _ => digits.push(u8::try_from(char::from(*byte).to_digit(16)?).ok()?),
        }
    }
    if digits.len() % 2 == 1 {
        return None;
    }
    Some(
        digits
            .chunks(2)
            .map(|pair| pair.iter().fold(0_u8, |all, digit| (all << 4) | digit))
            .collect(),
    )
}

/// Bytes as pairs of hexadecimal digits.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or('0');
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

/// base32 of RFC 4648.
pub(crate) fn base32(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut bits = 0_u32;
    let mut count = 0;
    for byte in text {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a',
            b'2'..=b'7' => byte - b'2' + 26,
            b'=' | b'\n' | b' ' => continue,
            _ => return None,
        };
        bits = (bits << 5) | u32::from(digit);
        count += 5;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from((bits >> count) & 255).unwrap_or(0));
            bits &= (1 << count) - 1;
        }
    }
    Some(out)
}

/// Python's `b85decode` (`ascii` false) and `a85decode` (`ascii` true).
pub(crate) fn base85(text: &[u8], ascii: bool) -> Option<Vec<u8>> {
    const ALPHABET: &[u8] =
        b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
    let mut digits: Vec<u32> = Vec::new();
    let text = text.strip_prefix(b"<~").unwrap_or(text);
    let text = text.strip_suffix(b"~>").unwrap_or(text);
    for byte in text {
        if byte.is_ascii_whitespace() {
            continue;
        }
        if ascii && *byte == b'z' {
            digits.extend([0; 5]);
            continue;
        }
        let digit = if ascii {
            byte.checked_sub(b'!').map(usize::from)?
        } else {
            ALPHABET.iter().position(|known| known == byte)?
        };
        if digit > 84 {
            return None;
        }
        digits.push(u32::try_from(digit).ok()?);
    }
    let mut out = Vec::new();
    for group in digits.chunks(5) {
        let missing = 5 - group.len();
        let mut number = 0_u32;
        for at in 0..5 {
            let digit = group.get(at).copied().unwrap_or(84);
            number = number.wrapping_mul(85).wrapping_add(digit);
        }
        let bytes = number.to_be_bytes();
        out.extend(bytes.iter().take(4_usize.saturating_sub(missing)));
    }
    Some(out)
}

/// The letters moved by 13 places.
pub(crate) fn rot13(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            'a'..='m' | 'A'..='M' => char::from_u32(c as u32 + 13).unwrap_or(c),
            'n'..='z' | 'N'..='Z' => char::from_u32(c as u32 - 13).unwrap_or(c),
            other => other,
        })
        .collect()
}

/// What zlib, gzip or bare deflate compressed, up to 1 MiB.
pub(crate) fn inflate(bytes: &[u8]) -> Option<Vec<u8>> {
    crate::picture::inflated(bytes).or_else(|| crate::picture::deflated(bytes))
}

/// Text of UTF-16 with the low byte first, as `-EncodedCommand` holds it.
pub(crate) fn utf16(bytes: &[u8]) -> Option<String> {
    let units: Vec<u16> = bytes
        .chunks(2)
        .map(|pair| {
            let low = pair.first().copied().unwrap_or(0);
            let high = pair.get(1).copied().unwrap_or(0);
            u16::from_le_bytes([low, high])
        })
        .collect();
    String::from_utf16(&units).ok()
}

/// Bytes as text: UTF-8 when it is, else one character for each byte.
pub(crate) fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// Whether a text can be read: letters, and no control characters.
pub(crate) fn is_printable(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
        && text
            .chars()
            .all(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t'))
}
