//! The text of a PDF, as far as it can be read without laying out pages.

use super::packed::inflate;

/// Strings, scripts and metadata of the document and of its compressed streams.
pub(super) fn text(bytes: &[u8], most: usize) -> String {
    let mut out = String::new();
    let mut rest = bytes;
    while let Some(at) = memchr::memmem::find(rest, b"stream") {
        let head = rest.get(..at).unwrap_or_default();
        strings(head, &mut out);
        let body = rest.get(at + 6..).unwrap_or_default();
        let body = body.strip_prefix(b"\r").unwrap_or(body);
        let body = body.strip_prefix(b"\n").unwrap_or(body);
        let end = memchr::memmem::find(body, b"endstream").unwrap_or(body.len());
        let data = body.get(..end).unwrap_or_default();
        let dictionary = head
            .get(head.len().saturating_sub(512)..)
            .unwrap_or_default();
        let is_image = memchr::memmem::find(dictionary, b"/Image").is_some();
        if !is_image {
            match inflate(
                data,
                true,
                most.saturating_sub(out.len()).min(4 * 1024 * 1024),
            ) {
                Some(inner) => strings(&inner, &mut out),
                None => strings(data, &mut out),
            }
        }
        rest = body.get(end + 9..).unwrap_or_default();
        if out.len() > most / 2 {
            break;
        }
    }
    strings(rest, &mut out);
    out
}

/// Literal strings; those of one text operator follow each other without a break.
fn strings(bytes: &[u8], out: &mut String) {
    let mut depth = 0_usize;
    let mut escaped = false;
    let mut since = 0_usize;
    for byte in bytes {
        match (byte, escaped) {
            (b'(', false) => {
                if depth == 0 && since > 24 && !out.ends_with('\n') {
                    out.push('\n');
                }
                depth += 1;
            }
            (b')', false) => {
                depth = depth.saturating_sub(1);
                since = 0;
            }
            (b'\\', false) if depth > 0 => {
                escaped = true;
                continue;
            }
            _ if depth > 0 && (byte.is_ascii_graphic() || *byte == b' ') => {
                out.push(char::from(*byte));
            }
            _ => since += 1,
        }
        escaped = false;
    }
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}
