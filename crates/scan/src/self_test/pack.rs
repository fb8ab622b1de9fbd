//! Encodings and archives, written.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compress, Compression, FlushCompress};

pub(super) fn base64(text: impl AsRef<[u8]>) -> String {
    STANDARD.encode(text)
}

pub(super) fn hexadecimal(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn base32(text: &str) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut out = String::new();
    for chunk in text.as_bytes().chunks(5) {
        let mut group = [0_u8; 5];
        for (to, from) in group.iter_mut().zip(chunk) {
            *to = *from;
        }
        let number = group
            .iter()
            .fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        let digits = (chunk.len() * 8).div_ceil(5);
        for index in 0..8 {
            let digit = usize::try_from(number >> (35 - 5 * index) & 31).unwrap_or_default();
            let letter = ALPHABET.get(digit).copied().unwrap_or(b'A');
            out.push(if index < digits {
                char::from(letter)
            } else {
                '='
            });
        }
    }
    out
}

/// Deflate, with the header of zlib or without.
fn deflate(bytes: &[u8], zlib: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 128);
    let mut compress = Compress::new(Compression::best(), zlib);
    // The room is enough for bytes that cannot be compressed.
    let _ = compress.compress_vec(bytes, &mut out, FlushCompress::Finish);
    out
}

pub(super) fn zlib(bytes: &[u8]) -> Vec<u8> {
    deflate(bytes, true)
}

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    out.extend(deflate(bytes, false));
    out.extend(crc.sum().to_le_bytes());
    out.extend(u32::try_from(bytes.len()).unwrap_or_default().to_le_bytes());
    out
}

/// A zip archive with stored files.
pub(super) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut central = Vec::new();
    for (name, content) in files {
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let size = u32::try_from(content.len())
            .unwrap_or_default()
            .to_le_bytes();
        let offset = u32::try_from(out.len()).unwrap_or_default();
        // Version, UTF-8 names, no compression, the first day of 1980.
        let mut header = vec![0x14, 0, 0, 8, 0, 0, 0, 0, 0x21, 0];
        header.extend(crc.sum().to_le_bytes());
        header.extend(size);
        header.extend(size);
        header.extend(u16::try_from(name.len()).unwrap_or_default().to_le_bytes());
        header.extend([0, 0]);
        out.extend(b"PK\x03\x04");
        out.extend(&header);
        out.extend(name.as_bytes());
        out.extend(*content);
        central.extend(b"PK\x01\x02\x14\0");
        central.extend(&header);
        central.extend([0; 10]);
        central.extend(offset.to_le_bytes());
        central.extend(name.as_bytes());
    }
    let start = u32::try_from(out.len()).unwrap_or_default();
    let count = u16::try_from(files.len()).unwrap_or_default().to_le_bytes();
    let length = u32::try_from(central.len()).unwrap_or_default();
    out.extend(central);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count);
    out.extend(count);
    out.extend(length.to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0, 0]);
    out
}

/// A tar archive with one file.
pub(super) fn tar(name: &str, content: &[u8]) -> Vec<u8> {
    let mut header = vec![0_u8; 512];
    let mut put = |at: usize, bytes: &[u8]| {
        for (to, from) in header.iter_mut().skip(at).zip(bytes) {
            *to = *from;
        }
    };
    put(0, name.as_bytes());
    put(100, b"0000644\0");
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{:011o}\0", content.len()).as_bytes());
    put(136, b"00000000000\0");
    put(148, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    let sum = format!("{sum:06o}\0 ");
    for (to, from) in header.iter_mut().skip(148).zip(sum.as_bytes()) {
        *to = *from;
    }
    header.extend(content);
    header.resize(header.len().next_multiple_of(512) + 1024, 0);
    header
}

/// A PNG of one pixel with a text chunk.
pub(super) fn png(text: &str) -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |kind: &[u8], data: &[u8]| {
        let mut crc = flate2::Crc::new();
        crc.update(kind);
        crc.update(data);
        out.extend(u32::try_from(data.len()).unwrap_or_default().to_be_bytes());
        out.extend(kind);
        out.extend(data);
        out.extend(crc.sum().to_be_bytes());
    };
    chunk(b"IHDR", &[0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
    chunk(b"tEXt", format!("Comment\0{text}").as_bytes());
    chunk(b"IDAT", &zlib(&[0, 0]));
    chunk(b"IEND", b"");
    out
}
