//! Tar archives that end too early or too late.

use prowess_testing::table;

use super::ProblemName;
use crate::corpus::tar::{Entry, open, tar};
use crate::corpus::{Row, gzip, rows_of};

pub(super) fn rows() -> Vec<Row<ProblemName>> {
    let a = || Entry::file("a", "hello");
    let whole = tar([a()]);
    let packed = gzip(&whole);
    let cut = |length: usize| whole[..length].to_vec();
    let behind = |more: &[u8]| [&*whole, more].concat();
    let mut padded = whole.clone();
    padded.resize(whole.len() + 1024 * 1024 + 1, 0);
    let mut wrong_sum = packed.clone();
    let at = wrong_sum.len() - 8;
    wrong_sum[at] ^= 1;
    let mut wrong_length = packed.clone();
    let at = wrong_length.len() - 1;
    wrong_length[at] ^= 1;
    let lone = [&*open([a()]), &[0; 512], &*open([Entry::file("b", "")])].concat();
    rows_of(table![
        "no end", open([a()]), "Truncated::EndMarker";
        "no end, compressed", gzip(&open([a()])), "Truncated::EndMarker";
        "half an end", cut(512 * 3), "Truncated::EndMarker";
        "truncated end", cut(512 * 4 - 1), "Truncated::EndMarker";
        "truncated padding", cut(512 + 100), "Truncated::Content";
        "truncated content", cut(512 + 3), "Truncated::Content";
        "truncated second header", [&open([a()])[..], &a().block[..100]].concat(), "Truncated::Header";
        "lone zero block", lone.clone(), "Tar::Trailing";
        "lone zero block, compressed", gzip(&lone), "Tar::Trailing";
        "byte behind the end", behind(b"x"), "Tar::Trailing";
        "byte behind the padding", behind(&[&[0; 600][..], b"x"].concat()), "Tar::Trailing";
        "tar behind the end", behind(&whole), "Tar::Trailing";
        "tar behind the end, compressed", gzip(&behind(&whole)), "Tar::Trailing";
        "too much padding", padded.clone(), "Metadata";
        "too much padding, compressed", gzip(&padded), "Metadata";
        "data in the padding", tar([a().change_padding(b'x')]), "Tar::Padding";
        "two members", [packed.clone(), packed.clone()].concat(), "Tar::Trailing";
        "tar in two members", [gzip(&whole[..700]), gzip(&whole[700..])].concat(), "Truncated::Content";
        "byte behind the gzip", [&*packed, b"x"].concat(), "Tar::Trailing";
        "zeros behind the gzip", [&*packed, &[0; 512]].concat(), "Tar::Trailing";
        "gzip checksum", wrong_sum, "Tar::Gzip";
        "gzip length", wrong_length, "Tar::Gzip";
        "gzip without its sum", packed[..packed.len() - 8].to_vec(), "Truncated::Compression";
        "gzip without half its sum", packed[..packed.len() - 4].to_vec(), "Truncated::Compression";
        "gzip cut off", packed[..30].to_vec(), "Truncated::Compression";
        "gzip reserved flag", flagged(&packed), "Tar::Gzip";
        "10,001 entries", tar((0..10_001).map(|number| Entry::file(format!("{number}"), ""))), "TooManyEntries";
    ])
}

fn flagged(packed: &[u8]) -> Vec<u8> {
    let mut bytes = packed.to_vec();
    bytes[3] |= 0x80;
    bytes
}

impl Entry {
    fn change_padding(mut self, padding: u8) -> Self {
        self.padding = padding;
        self
    }
}
