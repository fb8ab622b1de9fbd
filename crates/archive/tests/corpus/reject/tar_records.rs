//! Headers of tar headers.

use super::ProblemName;
use crate::corpus::tar::{Entry, targz};
use crate::corpus::{Row, row};

pub(super) fn rows() -> Vec<Row<ProblemName>> {
    let a = || Entry::file("a", "hello");
    let pax = |key: &str, value: &str| targz([Entry::pax(&[(key, value)]), a()]);
    let raw = |records: &[u8]| targz([Entry::new(b'x', "p", records), a()]);
    let large = "x".repeat(65 * 1024);
    vec![
        row("pax path up", pax("path", "../x"), "Name::Traversal"),
        row("pax path absolute", pax("path", "/x"), "Name::Absolute"),
        row("pax path nul", pax("path", "a\0b"), "Name::Control"),
        row("pax path empty", pax("path", ""), "Tar::Pax"),
        row(
            "pax path twice",
            targz([Entry::pax(&[("path", "b"), ("path", "c")]), a()]),
            "Tar::Twice",
        ),
        row(
            "pax twice",
            targz([
                Entry::pax(&[("mtime", "1")]),
                Entry::pax(&[("path", "c")]),
                a(),
            ]),
            "Tar::Twice",
        ),
        row(
            "pax and gnu name",
            targz([Entry::pax(&[("path", "b")]), Entry::long(b'L', "c"), a()]),
            "Tar::Twice",
        ),
        row(
            "gnu name twice",
            targz([Entry::long(b'L', "b"), Entry::long(b'L', "c"), a()]),
            "Tar::Twice",
        ),
        row(
            "gnu name up",
            targz([Entry::long(b'L', "../b"), a()]),
            "Name::Traversal",
        ),
        row(
            "gnu name with more behind",
            targz([Entry::long(b'L', "b\0c"), a()]),
            "Tar::Stray",
        ),
        row(
            "gnu name empty",
            targz([Entry::long(b'L', ""), a()]),
            "Name::Empty",
        ),
        row(
            "gnu link up",
            targz([Entry::long(b'K', "../b"), Entry::symlink("l", "cut")]),
            "Link::Outside",
        ),
        row(
            "gnu link of a file",
            targz([Entry::long(b'K', "b"), a()]),
            "Tar::Stray",
        ),
        row(
            "pax link up",
            targz([
                Entry::pax(&[("linkpath", "../b")]),
                Entry::symlink("l", "x"),
            ]),
            "Link::Outside",
        ),
        row(
            "pax link, none in the header",
            targz([Entry::pax(&[("linkpath", "b")]), Entry::symlink("l", "")]),
            "Tar::Stray",
        ),
        row(
            "gnu link, none in the header",
            targz([Entry::long(b'K', "b"), Entry::symlink("l", "")]),
            "Tar::Stray",
        ),
        row("pax link of a file", pax("linkpath", "b"), "Tar::Stray"),
        row("pax size smaller", pax("size", "4"), "Tar::Disagree"),
        row(
            "pax size larger",
            pax("size", "1000000000000"),
            "Tar::Disagree",
        ),
        row("pax size zero", pax("size", "0"), "Tar::Disagree"),
        row("pax size negative", pax("size", "-5"), "Tar::Pax"),
        row("pax size of nothing", pax("size", ""), "Tar::Pax"),
        row("pax sparse", pax("GNU.sparse.major", "1"), "Tar::PaxKey"),
        row(
            "pax sparse name",
            pax("GNU.sparse.name", "b"),
            "Tar::PaxKey",
        ),
        row(
            "pax sparse map",
            pax("GNU.sparse.map", "0,1"),
            "Tar::PaxKey",
        ),
        row("pax real size", pax("SCHILY.realsize", "1"), "Tar::PaxKey"),
        row("pax holes", pax("SUN.holesdata", " 0 1"), "Tar::PaxKey"),
        row(
            "pax binary names",
            pax("hdrcharset", "BINARY"),
            "Tar::PaxKey",
        ),
        row("pax without length", raw(b"path=b\n"), "Tar::Pax"),
        row("pax length too long", raw(b"99 path=b\n"), "Tar::Pax"),
        row("pax length too short", raw(b"8 path=b\n"), "Tar::Pax"),
        row("pax length zero", raw(b"0 path=b\n"), "Tar::Pax"),
        row("pax without equals", raw(b"9 pathb\n\n"), "Tar::Pax"),
        row("pax without newline", raw(b"10 path=bb"), "Tar::Pax"),
        row(
            "pax at the end",
            targz([a(), Entry::pax(&[("path", "b")])]),
            "Tar::Orphan",
        ),
        row(
            "gnu name at the end",
            targz([a(), Entry::long(b'L', "b")]),
            "Tar::Orphan",
        ),
        row(
            "pax before global",
            targz([
                Entry::pax(&[("path", "b")]),
                Entry::global(&[("comment", "c")]),
                a(),
            ]),
            "Tar::Orphan",
        ),
        row(
            "global path",
            targz([Entry::global(&[("path", "b")]), a()]),
            "Tar::PaxKey",
        ),
        row(
            "global size",
            targz([Entry::global(&[("size", "1")]), a()]),
            "Tar::PaxKey",
        ),
        row(
            "global link",
            targz([Entry::global(&[("linkpath", "b")]), a()]),
            "Tar::PaxKey",
        ),
        row(
            "global sparse",
            targz([Entry::global(&[("GNU.sparse.major", "1")]), a()]),
            "Tar::PaxKey",
        ),
        row("large pax", pax("comment", &large), "Metadata"),
        row(
            "large global pax",
            targz([Entry::global(&[("comment", &large)]), a()]),
            "Metadata",
        ),
        row(
            "large gnu name",
            targz([Entry::long(b'L', &large), a()]),
            "Metadata",
        ),
        row(
            "pax of 8 exabytes",
            targz([
                Entry::new(b'x', "p", "").size(b"\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff"),
                a(),
            ]),
            "Metadata",
        ),
        row(
            "global headers without end",
            targz((0..10_001).map(|_| Entry::global(&[]))),
            "TooManyEntries",
        ),
    ]
}
