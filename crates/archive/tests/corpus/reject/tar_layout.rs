//! Tar archives that end too early or too late.

use super::ProblemName;
use crate::corpus::tar::{Entry, open, tar};
use crate::corpus::{Row, gzip, row};

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
    vec![
        row("no end", open([a()]), "Truncated::EndMarker"),
        row(
            "no end, compressed",
            gzip(&open([a()])),
            "Truncated::EndMarker",
        ),
        row("half an end", cut(512 * 3), "Truncated::EndMarker"),
        row("truncated end", cut(512 * 4 - 1), "Truncated::EndMarker"),
        row("truncated padding", cut(512 + 100), "Truncated::Content"),
        row("truncated content", cut(512 + 3), "Truncated::Content"),
        row(
            "truncated second header",
            [&open([a()])[..], &a().block[..100]].concat(),
            "Truncated::Header",
        ),
        row("lone zero block", lone.clone(), "Tar::Trailing"),
        row("lone zero block, compressed", gzip(&lone), "Tar::Trailing"),
        row("byte behind the end", behind(b"x"), "Tar::Trailing"),
        row(
            "byte behind the padding",
            behind(&[&[0; 600][..], b"x"].concat()),
            "Tar::Trailing",
        ),
        row("tar behind the end", behind(&whole), "Tar::Trailing"),
        row(
            "tar behind the end, compressed",
            gzip(&behind(&whole)),
            "Tar::Trailing",
        ),
        row("too much padding", padded.clone(), "Metadata"),
        row("too much padding, compressed", gzip(&padded), "Metadata"),
        row(
            "data in the padding",
            tar([a().change_padding(b'x')]),
            "Tar::Padding",
        ),
        row(
            "two members",
            [packed.clone(), packed.clone()].concat(),
            "Tar::Trailing",
        ),
        row(
            "tar in two members",
            [gzip(&whole[..700]), gzip(&whole[700..])].concat(),
            "Truncated::Content",
        ),
        row(
            "byte behind the gzip",
            [&*packed, b"x"].concat(),
            "Tar::Trailing",
        ),
        row(
            "zeros behind the gzip",
            [&*packed, &[0; 512]].concat(),
            "Tar::Trailing",
        ),
        row("gzip checksum", wrong_sum, "Tar::Gzip"),
        row("gzip length", wrong_length, "Tar::Gzip"),
        row(
            "gzip without its sum",
            packed[..packed.len() - 8].to_vec(),
            "Truncated::Compression",
        ),
        row(
            "gzip without half its sum",
            packed[..packed.len() - 4].to_vec(),
            "Truncated::Compression",
        ),
        row(
            "gzip cut off",
            packed[..30].to_vec(),
            "Truncated::Compression",
        ),
        row("gzip reserved flag", flagged(&packed), "Tar::Gzip"),
        row(
            "10,001 entries",
            tar((0..10_001).map(|number| Entry::file(format!("{number}"), ""))),
            "TooManyEntries",
        ),
    ]
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
