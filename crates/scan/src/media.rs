//! The media type of a file, by its first bytes.

/// First bytes, the offset at which they stand, and the media type that they mean.
const MAGIC: &[(&[u8], usize, &str)] = &[
    (b"\x89PNG\r\n", 0, "image/png"),
    (b"\xff\xd8\xff", 0, "image/jpeg"),
    (b"GIF8", 0, "image/gif"),
    (b"WEBP", 8, "image/webp"),
    (b"WAVE", 8, "audio/wav"),
    (b"BM", 0, "image/bmp"),
    (b"\x00\x00\x01\x00", 0, "image/x-icon"),
    (b"%PDF-", 0, "application/pdf"),
    (b"PK\x03\x04", 0, "application/zip"),
    (b"PK\x05\x06", 0, "application/zip"),
    (b"\x1f\x8b", 0, "application/gzip"),
    (b"BZh", 0, "application/x-bzip2"),
    (b"\xfd7zXZ\x00", 0, "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", 0, "application/zstd"),
    (b"7z\xbc\xaf\x27\x1c", 0, "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", 0, "application/vnd.rar"),
    (b"ustar", 257, "application/x-tar"),
    (b"\x7fELF", 0, "application/x-elf"),
    (b"MZ", 0, "application/vnd.microsoft.portable-executable"),
    (b"\xcf\xfa\xed\xfe", 0, "application/x-mach-binary"),
    (b"\xca\xfe\xba\xbe", 0, "application/x-mach-binary"),
    (b"\x00asm", 0, "application/wasm"),
    (b"SQLite format 3\x00", 0, "application/vnd.sqlite3"),
    (b"OTTO", 0, "font/otf"),
    (b"\x00\x01\x00\x00", 0, "font/ttf"),
    (b"wOFF", 0, "font/woff"),
    (b"wOF2", 0, "font/woff2"),
    (b"ID3", 0, "audio/mpeg"),
    (b"OggS", 0, "audio/ogg"),
    (b"ftyp", 4, "video/mp4"),
    (b"\xd0\xcf\x11\xe0", 0, "application/x-ole-storage"),
];

/// How many first bytes are looked at for a NUL.
const HEAD: usize = 8192;

/// The media type of bytes that are not text.
///
/// Short marks such as `BM` begin many a text, so a mark counts only when the bytes do not read as text.
pub(crate) fn binary(bytes: &[u8]) -> Option<&'static str> {
    let head = bytes.get(..HEAD.min(bytes.len())).unwrap_or_default();
    let known = MAGIC.iter().find(|(magic, at, _)| {
        let found = head.get(*at..).unwrap_or_default();
        found.starts_with(magic)
    });
    let text = memchr::memchr(0, head).is_none() && is_mostly_text(head);
    match known {
        Some((magic, _, media)) if !text || (magic.len() > 4 && magic.starts_with(b"%PDF")) => {
            Some(media)
        }
        _ if text => None,
        _ => Some("application/octet-stream"),
    }
}

/// Whether a media type is only looked at or listened to.
pub(crate) fn is_passive(media: &str) -> bool {
    ["image/", "audio/", "video/", "font/"]
        .iter()
        .any(|kind| media.starts_with(kind))
        || media == "application/pdf"
}

/// Whether nine in ten bytes belong to UTF-8 text or to an older encoding of Latin letters.
fn is_mostly_text(head: &[u8]) -> bool {
    let mut odd = head
        .iter()
        .filter(|byte| {
            byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b)
        })
        .count();
    for chunk in head.utf8_chunks() {
        odd += chunk.invalid().len();
    }
    odd * 10 <= head.len()
}

/// Whether the bytes are UTF-16, by their mark or by every other byte being NUL.
pub(crate) fn is_utf16(bytes: &[u8]) -> bool {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return true;
    }
    let head = bytes.get(..HEAD.min(bytes.len())).unwrap_or_default();
    let nul = |parity: usize| {
        head.iter()
            .skip(parity)
            .step_by(2)
            .filter(|byte| **byte == 0)
            .count()
    };
    let half = head.len() / 2;
    half >= 4
        && (nul(1) * 10 >= half * 9 || nul(0) * 10 >= half * 9)
        && nul(0) + nul(1) <= half + half / 10
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: Option<&str>) {
        assert_eq!(binary(bytes), expected, "{}", bytes.escape_ascii());
    }

    #[test]
    fn text_is_not_binary_whatever_it_begins_with() {
        check(b"", None);
        check(b"BMW makes cars\n", None);
        check(b"MZ is a mark\n", None);
        check("日本語のテキスト".as_bytes(), None);
        check(b"caf\xe9 and other Latin text of some length", None);
        check(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Some("image/png"));
        check(b"PK\x03\x04\x14\0\0\0", Some("application/zip"));
        check(b"%PDF-1.7\n%text", Some("application/pdf"));
        check(b"\x01\x02\x03\0", Some("application/octet-stream"));
    }

    #[test]
    fn utf_16_is_recognised() {
        let wide: Vec<u8> = "curl http://x"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert!(is_utf16(&wide));
        assert!(is_utf16(b"\xff\xfea\0"));
        assert!(!is_utf16(b"curl http://x"));
        assert!(!is_utf16(b"\0\0\0\0\0\0\0\0\0\0"));
    }
}
