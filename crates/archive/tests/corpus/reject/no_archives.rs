//! What is no archive, or one of nothing.

use prowess_testing::table;

use super::ProblemName;
use crate::corpus::tar::{Entry, tar, targz};
use crate::corpus::zip::{File, zip};
use crate::corpus::{Row, gzip, rows_of};

pub(super) fn rows() -> Vec<Row<ProblemName>> {
    let mut zeros = tar([]);
    zeros.resize(10_240, 0);
    rows_of(table![
        "no bytes", Vec::new(), "NoBytes";
        "text", b"# SKILL\n".repeat(100), "NotAnArchive";
        "one byte", vec![b'P'], "NotAnArchive";
        "rar", b"Rar!\x1a\x07\x00".repeat(100), "NotAnArchive";
        "seven zip", b"7z\xbc\xaf\x27\x1c".repeat(100), "NotAnArchive";
        "zeros", zeros.clone(), "NotAnArchive";
        "zip signature alone", b"PK\x03\x04".to_vec(), "Zip::NoEnd";
        "zip without entries", zip([]), "NoEntries";
        "zip of the root", zip([File::directory("./")]), "NoEntries";
        "tar of the root", tar([Entry::directory("./")]), "NoEntries";
        "tar of a comment", tar([Entry::global(&[("comment", "x")])]), "NoEntries";
        "gzip of zeros", gzip(&zeros), "NoEntries";
        "gzip of nothing", gzip(b""), "Truncated::EndMarker";
        "gzip of text", gzip(&b"text ".repeat(200)), "Tar::Magic";
        "gzip of gzip", gzip(&targz([Entry::file("a", "x".repeat(2000))])), "Truncated::Header";
        "gzip of zip", gzip(&zip([File::stored("a", "x".repeat(2000))])), "Tar::Magic";
        "gzip signature alone", b"\x1f\x8b".to_vec(), "Truncated::Compression";
        "other gzip method", b"\x1f\x8b\x07\0\0\0\0\0\0\0".repeat(9), "Tar::Gzip";
    ])
}
