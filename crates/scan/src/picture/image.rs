//! Text in images, and what stands behind their end.

use super::packed::inflate;
use super::{Inside, Part};

/// Unpacked bytes of one compressed text.
const TEXT_BYTES: usize = 1024 * 1024;

fn parts(text: String, appended: &[u8], named: impl Fn(&str) -> String) -> Inside {
    let mut parts = Vec::new();
    if !text.is_empty() {
        parts.push(Part {
            path: named("text"),
            bytes: text.into_bytes(),
        });
    }
    // A few bytes of padding are usual.
    if appended.iter().filter(|byte| **byte != 0).count() > 8 {
        parts.push(Part {
            path: named("appended"),
            bytes: appended.to_vec(),
        });
    }
    Inside {
        parts,
        complete: false,
    }
}

/// The text chunks of a PNG.
pub(super) fn png(bytes: &[u8], named: impl Fn(&str) -> String) -> Inside {
    let mut text = String::new();
    let mut rest = bytes.get(8..).unwrap_or_default();
    while let (Some(length), Some(kind)) = (rest.first_chunk::<4>(), rest.get(4..8)) {
        let length = u32::from_be_bytes(*length) as usize;
        let Some(data) = rest.get(8..8_usize.saturating_add(length)) else {
            break;
        };
        match kind {
            b"tEXt" => line(&mut text, data),
            b"zTXt" => {
                let start = memchr::memchr(0, data).map_or(data.len(), |at| at + 2);
                let packed = data.get(start..).unwrap_or_default();
                line(
                    &mut text,
                    &inflate(packed, true, TEXT_BYTES).unwrap_or_default(),
                );
            }
            b"iTXt" => international(&mut text, data),
            _ => {}
        }
        rest = rest.get(12 + length..).unwrap_or_default();
        if kind == b"IEND" {
            return parts(text, rest, named);
        }
    }
    parts(text, &[], named)
}

/// Keyword, compression flag and method, language, translated keyword, text.
fn international(text: &mut String, data: &[u8]) {
    let mut fields = data.splitn(2, |byte| *byte == 0);
    fields.next();
    let Some([compressed, _, rest @ ..]) = fields.next() else {
        return;
    };
    let mut fields = rest.splitn(3, |byte| *byte == 0);
    let content = fields.nth(2).unwrap_or_default();
    if *compressed == 1 {
        line(
            text,
            &inflate(content, true, TEXT_BYTES).unwrap_or_default(),
        );
    } else {
        line(text, content);
    }
}

/// Comments and metadata of a JPEG.
pub(super) fn jpeg(bytes: &[u8], named: impl Fn(&str) -> String) -> Inside {
    let mut text = String::new();
    let mut at = 2;
    while let Some([0xff, kind, high, low]) =
        bytes.get(at..at + 4).and_then(|it| it.first_chunk::<4>())
    {
        let length = usize::from(*high) * 256 + usize::from(*low);
        let data = bytes.get(at + 4..at + 2 + length).unwrap_or_default();
        match kind {
            0xfe => line(&mut text, data),
            0xe1..=0xef => line(&mut text, &visible(data)),
            0xda => break,
            _ => {}
        }
        at += 2 + length.max(2);
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let end = memchr::memmem::rfind(rest, b"\xff\xd9").map_or(rest.len(), |end| end + 2);
    parts(text, rest.get(end..).unwrap_or_default(), named)
}

/// Comments of a GIF.
pub(super) fn gif(bytes: &[u8], named: impl Fn(&str) -> String) -> Inside {
    let mut text = String::new();
    for at in memchr::memmem::find_iter(bytes, b"\x21\xfe") {
        let mut rest = bytes.get(at + 2..).unwrap_or_default();
        while let Some((length, after)) = rest.split_first().filter(|(length, _)| **length > 0) {
            let length = usize::from(*length);
            line(&mut text, after.get(..length).unwrap_or_default());
            rest = after.get(length..).unwrap_or_default();
        }
    }
    parts(text, &[], named)
}

/// The runs of visible characters between other bytes.
fn visible(data: &[u8]) -> Vec<u8> {
    data.split(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace())
        .filter(|run| run.len() >= 6)
        .collect::<Vec<_>>()
        .join(&b'\n')
}

fn line(text: &mut String, data: &[u8]) {
    // Bytes that only look like the beginning of a comment are not text.
    let Ok(data) = std::str::from_utf8(data) else {
        return;
    };
    let data = data.replace('\0', ":\n");
    let odd = data.chars().any(|c| c.is_control() && !c.is_whitespace());
    if !odd && data.trim().len() > 3 {
        text.push_str(&data);
        text.push('\n');
    }
}
