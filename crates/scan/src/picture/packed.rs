//! Archives and compressed bytes.

use flate2::{Decompress, FlushDecompress, Status};
use prowess_archive::{Limits, read_all};

use super::{Inside, Part};

/// The files of an archive; nothing if it is damaged, locked or too large.
pub(super) fn archive(path: &str, bytes: &[u8], most: usize) -> Inside {
    let most = u64::try_from(most).unwrap_or(u64::MAX);
    let limits = Limits {
        total_bytes: most,
        file_bytes: most,
        ..Limits::default()
    };
    match read_all(bytes, &limits) {
        Ok(files) => Inside {
            parts: files
                .into_iter()
                .map(|(name, bytes)| Part {
                    path: format!("{path}/{name}"),
                    bytes,
                })
                .collect(),
            complete: true,
        },
        Err(_) => Inside::default(),
    }
}

/// The content of a gzip file with one member.
pub(super) fn gzip(bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    let flags = *bytes.get(3)?;
    let mut rest = bytes.get(10..)?;
    if flags & 4 != 0 {
        let length = usize::from(*rest.first()?) + 256 * usize::from(*rest.get(1)?);
        rest = rest.get(2 + length..)?;
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            let end = memchr::memchr(0, rest)?;
            rest = rest.get(end + 1..)?;
        }
    }
    if flags & 2 != 0 {
        rest = rest.get(2..)?;
    }
    inflate(rest, false, most)
}

/// Undoes deflate, with the header of zlib or without.
pub(super) fn inflate(bytes: &[u8], zlib: bool, most: usize) -> Option<Vec<u8>> {
    let mut inflate = Decompress::new(zlib);
    let mut out = Vec::with_capacity(bytes.len().saturating_mul(4).clamp(64, most.max(64)));
    loop {
        let consumed = usize::try_from(inflate.total_in()).ok()?;
        let input = bytes.get(consumed..)?;
        let before = (inflate.total_in(), out.len());
        let status = inflate
            .decompress_vec(input, &mut out, FlushDecompress::Finish)
            .ok()?;
        match status {
            Status::StreamEnd => return Some(out),
            _ if out.len() >= most => return None,
            _ if before == (inflate.total_in(), out.len()) && out.len() < out.capacity() => {
                return None;
            }
            _ => out.reserve(out.capacity().min(most)),
        }
    }
}

pub(super) fn name_without_gz(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".gz").unwrap_or("content")
}
