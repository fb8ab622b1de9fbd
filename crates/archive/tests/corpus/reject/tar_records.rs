//! Headers of tar headers.

use prowess_testing::table;

use super::ProblemName;
use crate::corpus::tar::{Entry, targz};
use crate::corpus::{Row, rows_of};

pub(super) fn rows() -> Vec<Row<ProblemName>> {
    let a = || Entry::file("a", "hello");
    let pax = |key: &str, value: &str| targz([Entry::pax(&[(key, value)]), a()]);
    let raw = |records: &[u8]| targz([Entry::new(b'x', "p", records), a()]);
    let large = "x".repeat(65 * 1024);
    rows_of(table![
        "pax path up", pax("path", "../x"), "Name::Traversal";
        "pax path absolute", pax("path", "/x"), "Name::Absolute";
        "pax path nul", pax("path", "a\0b"), "Name::Control";
        "pax path empty", pax("path", ""), "Tar::Pax";
        "pax path twice", targz([Entry::pax(&[("path", "b"), ("path", "c")]), a()]), "Tar::Twice";
        "pax twice", targz([Entry::pax(&[("mtime", "1")]), Entry::pax(&[("path", "c")]), a()]), "Tar::Twice";
        "pax and gnu name", targz([Entry::pax(&[("path", "b")]), Entry::long(b'L', "c"), a()]), "Tar::Twice";
        "gnu name twice", targz([Entry::long(b'L', "b"), Entry::long(b'L', "c"), a()]), "Tar::Twice";
        "gnu name up", targz([Entry::long(b'L', "../b"), a()]), "Name::Traversal";
        "gnu name with more behind", targz([Entry::long(b'L', "b\0c"), a()]), "Tar::Stray";
        "gnu name empty", targz([Entry::long(b'L', ""), a()]), "Name::Empty";
        "gnu link up", targz([Entry::long(b'K', "../b"), Entry::symlink("l", "cut")]), "Link::Outside";
        "gnu link of a file", targz([Entry::long(b'K', "b"), a()]), "Tar::Stray";
        "pax link up", targz([Entry::pax(&[("linkpath", "../b")]), Entry::symlink("l", "x")]), "Link::Outside";
        "pax link, none in the header",
        targz([Entry::pax(&[("linkpath", "b")]), Entry::symlink("l", "")]),
        "Tar::Stray";
        "gnu link, none in the header", targz([Entry::long(b'K', "b"), Entry::symlink("l", "")]), "Tar::Stray";
        "pax link of a file", pax("linkpath", "b"), "Tar::Stray";
        "pax size smaller", pax("size", "4"), "Tar::Disagree";
        "pax size larger", pax("size", "1000000000000"), "Tar::Disagree";
        "pax size zero", pax("size", "0"), "Tar::Disagree";
        "pax size negative", pax("size", "-5"), "Tar::Pax";
        "pax size of nothing", pax("size", ""), "Tar::Pax";
        "pax sparse", pax("GNU.sparse.major", "1"), "Tar::PaxKey";
        "pax sparse name", pax("GNU.sparse.name", "b"), "Tar::PaxKey";
        "pax sparse map", pax("GNU.sparse.map", "0,1"), "Tar::PaxKey";
        "pax real size", pax("SCHILY.realsize", "1"), "Tar::PaxKey";
        "pax holes", pax("SUN.holesdata", " 0 1"), "Tar::PaxKey";
        "pax binary names", pax("hdrcharset", "BINARY"), "Tar::PaxKey";
        "pax without length", raw(b"path=b\n"), "Tar::Pax";
        "pax length too long", raw(b"99 path=b\n"), "Tar::Pax";
        "pax length too short", raw(b"8 path=b\n"), "Tar::Pax";
        "pax length zero", raw(b"0 path=b\n"), "Tar::Pax";
        "pax without equals", raw(b"9 pathb\n\n"), "Tar::Pax";
        "pax without newline", raw(b"10 path=bb"), "Tar::Pax";
        "pax at the end", targz([a(), Entry::pax(&[("path", "b")])]), "Tar::Orphan";
        "gnu name at the end", targz([a(), Entry::long(b'L', "b")]), "Tar::Orphan";
        "pax before global",
        targz([Entry::pax(&[("path", "b")]), Entry::global(&[("comment", "c")]), a()]),
        "Tar::Orphan";
        "global path", targz([Entry::global(&[("path", "b")]), a()]), "Tar::PaxKey";
        "global size", targz([Entry::global(&[("size", "1")]), a()]), "Tar::PaxKey";
        "global link", targz([Entry::global(&[("linkpath", "b")]), a()]), "Tar::PaxKey";
        "global sparse", targz([Entry::global(&[("GNU.sparse.major", "1")]), a()]), "Tar::PaxKey";
        "large pax", pax("comment", &large), "Metadata";
        "large global pax", targz([Entry::global(&[("comment", &large)]), a()]), "Metadata";
        "large gnu name", targz([Entry::long(b'L', &large), a()]), "Metadata";
        "pax of 8 exabytes",
        targz([Entry::new(b'x', "p", "").size(b"\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff"), a()]),
        "Metadata";
        "global headers without end", targz((0..10_001).map(|_| Entry::global(&[]))), "TooManyEntries";
    ])
}
