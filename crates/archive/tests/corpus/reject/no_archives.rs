//! What is no archive, or one of nothing.

use super::ProblemName;
use crate::corpus::tar::{Entry, tar, targz};
use crate::corpus::zip::{File, zip};
use crate::corpus::{Row, gzip, row};

pub(super) fn rows() -> Vec<Row<ProblemName>> {
    let mut zeros = tar([]);
    zeros.resize(10_240, 0);
    vec![
        row("no bytes", Vec::new(), "NoBytes"),
        row("text", b"# SKILL\n".repeat(100), "NotAnArchive"),
        row("one byte", vec![b'P'], "NotAnArchive"),
        row("rar", b"Rar!\x1a\x07\x00".repeat(100), "NotAnArchive"),
        row(
            "seven zip",
            b"7z\xbc\xaf\x27\x1c".repeat(100),
            "NotAnArchive",
        ),
        row("zeros", zeros.clone(), "NotAnArchive"),
        row("zip signature alone", b"PK\x03\x04".to_vec(), "Zip::NoEnd"),
        row("zip without entries", zip([]), "NoEntries"),
        row("zip of the root", zip([File::directory("./")]), "NoEntries"),
        row(
            "tar of the root",
            tar([Entry::directory("./")]),
            "NoEntries",
        ),
        row(
            "tar of a comment",
            tar([Entry::global(&[("comment", "x")])]),
            "NoEntries",
        ),
        row("gzip of zeros", gzip(&zeros), "NoEntries"),
        row("gzip of nothing", gzip(b""), "Truncated::EndMarker"),
        row("gzip of text", gzip(&b"text ".repeat(200)), "Tar::Magic"),
        row(
            "gzip of gzip",
            gzip(&targz([Entry::file("a", "x".repeat(2000))])),
            "Truncated::Header",
        ),
        row(
            "gzip of zip",
            gzip(&zip([File::stored("a", "x".repeat(2000))])),
            "Tar::Magic",
        ),
        row(
            "gzip signature alone",
            b"\x1f\x8b".to_vec(),
            "Truncated::Compression",
        ),
        row(
            "other gzip method",
            b"\x1f\x8b\x07\0\0\0\0\0\0\0".repeat(9),
            "Tar::Gzip",
        ),
    ]
}
