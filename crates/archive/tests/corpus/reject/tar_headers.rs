//! Tar headers that can be read in two ways.

use prowess_testing::table;

use super::ProblemName;
use crate::corpus::tar::{Entry, tar, targz};
use crate::corpus::{Row, row, rows_of};

pub(super) fn rows() -> Vec<Row<ProblemName>> {
    let a = || Entry::file("a", "hello");
    let mut rows = rows_of(table![
        "checksum", tar([a().break_sum(0, b"b")]), "Tar::Checksum";
        "checksum of nothing", tar([a().break_sum(148, &[0; 8])]), "Tar::Checksum";
        "signed checksum", tar([signed_sum()]), "Tar::Checksum";
        "second checksum", targz([a(), Entry::file("b", "").break_sum(3, b"x")]), "Tar::Checksum";
        "no magic", targz([a().put(257, &[0; 8])]), "Tar::Magic";
        "other version", tar([a().put(263, b"99")]), "Tar::Magic";
        "negative size", tar([a().size(&[0xff; 12])]), "Tar::Number";
        "minus", tar([a().size(b"-0000000005\0")]), "Tar::Number";
        "no size", tar([a().size(&[0; 12])]), "Tar::Number";
        "decimal size", tar([a().size(b"00000000009\0")]), "Tar::Number";
        "hexadecimal size", tar([a().size(b"0x5\0\0\0\0\0\0\0\0\0")]), "Tar::Number";
        "size with more behind", tar([a().size(b"00005\x00000007")]), "Tar::Number";
        "binary size too large",
        tar([a().size(b"\x80\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff")]),
        "Tar::Number";
        "binary size of exabytes",
        tar([a().size(b"\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff")]),
        "Truncated::Content";
        "strange mode", tar([a().put(100, b"rwxr-xr\0")]), "Tar::Number";
        "strange owner", tar([a().put(108, b"root\0\0\0\0")]), "Tar::Number";
        "strange time", tar([a().put(136, b"yesterday\0\0\0")]), "Tar::Number";
        "name behind the name", tar([a().put(10, b"../x")]), "Tar::Stray";
        "target behind the target", tar([Entry::symlink("l", "a").put(170, b"/x")]), "Tar::Stray";
        "prefix in gnu", tar([a().gnu().put(345, b"p")]), "Tar::Stray";
        "prefix up", tar([a().put(345, b"../..")]), "Name::Traversal";
        "prefix absolute", tar([a().put(345, b"/etc")]), "Name::Absolute";
        "star padding", tar([a().put(508, b"tar\0")]), "Tar::Stray";
        "file with a target", tar([a().put(157, b"b")]), "Tar::Stray";
        "directory with content", tar([Entry::new(b'5', "d", "x")]), "Tar::Content";
        "link with content", tar([Entry::new(b'2', "l", "x").put(157, b"a")]), "Tar::Content";
        "hard link with content", tar([a(), Entry::new(b'1', "h", "x").put(157, b"a")]), "Tar::Content";
        "file with slash", tar([Entry::file("a/", "")]), "Name::Slash";
        "old file with slash", tar([Entry::new(0, "a/", "")]), "Name::Slash";
        "link with slash", tar([Entry::symlink("a/", "b")]), "Name::Slash";
    ]);
    for (kind, what, expected) in [
        (b'3', "character device", "Special"),
        (b'4', "block device", "Special"),
        (b'6', "pipe", "Special"),
        (b'S', "sparse", "Special"),
        (b'M', "continued file", "Special"),
        (b'V', "label", "Special"),
        (b'7', "contiguous", "Tar::Kind"),
        (b'D', "gnu directory", "Tar::Kind"),
        (b'N', "old long name", "Tar::Kind"),
        (b'X', "solaris header", "Tar::Kind"),
        (b'Z', "unknown", "Tar::Kind"),
        (0xff, "unknown byte", "Tar::Kind"),
    ] {
        let entry = Entry::new(kind, "a", "");
        rows.push(row(format!("{what}.tar"), tar([entry.clone()]), expected));
        rows.push(row(format!("{what}.tar.gz"), targz([entry]), expected));
    }
    rows
}

/// A header whose sum counts bytes from 128 on as negative, as some old writers did.
fn signed_sum() -> Entry {
    let mut entry = Entry::file("\u{e9}", "");
    entry.block[148..156].fill(b' ');
    let signed = entry.block.iter().map(|byte| i32::from(byte.cast_signed()));
    let sum = format!("{:06o}\0 ", signed.sum::<i32>());
    entry.break_sum(148, sum.as_bytes())
}
