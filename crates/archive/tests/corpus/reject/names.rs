//! Names that are no paths inside, and names that are one.

use prowess_testing::table;

use super::ProblemName;
use crate::corpus::accept::{directory, each, file, link};
use crate::corpus::tar::{Entry, tar};
use crate::corpus::zip::{File, zip};
use crate::corpus::{Row, row};

pub(super) fn names() -> Vec<Row<ProblemName>> {
    let long = "n".repeat(256);
    let many = "a/".repeat(20) + "a";
    let mut rows = Vec::new();
    for (what, name, kind) in [
        ("up", &b"../x"[..], "Name::Traversal"),
        ("up inside", b"a/../../x", "Name::Traversal"),
        ("up and back", b"a/../b", "Name::Traversal"),
        ("only up", b"..", "Name::Traversal"),
        ("up behind dots", b"./../x", "Name::Traversal"),
        ("absolute", b"/etc/x", "Name::Absolute"),
        ("two slashes", b"//x", "Name::Absolute"),
        ("drive", b"C:/x", "Name::Drive"),
        ("drive without root", b"c:x", "Name::Drive"),
        ("drive inside", b"a/c:/x", "Name::Drive"),
        ("backslash", b"..\\x", "Name::Backslash"),
        ("backslash root", b"\\x", "Name::Backslash"),
        ("share", b"\\\\host\\x", "Name::Backslash"),
        ("harmless backslash", b"a\\x", "Name::Backslash"),
        ("newline", b"a\nb", "Name::Control"),
        ("escape", b"a\x1b[2J", "Name::Control"),
        ("delete", b"a\x7f", "Name::Control"),
        ("c1", "a\u{9b}".as_bytes(), "Name::Control"),
        ("not utf-8", b"\xff\xfe", "Name::NotUtf8"),
        ("overlong slash", b"..\xc0\xafx", "Name::NotUtf8"),
        ("empty part", b"a//b", "Name::Part"),
        ("dot part", b"a/./b", "Name::Part"),
        ("empty part behind dot", b".//a", "Name::Part"),
        ("long part", long.as_bytes(), "Name::Long"),
        ("many parts", many.as_bytes(), "Name::Deep"),
    ] {
        rows.extend(each(what, &[file(name)], &kind));
    }
    rows.extend(each(
        "up directory",
        &[directory("../d/")],
        &"Name::Traversal",
    ));
    rows.extend(each("up link", &[link("../l", "a")], &"Name::Traversal"));
    rows.push(row(
        "nul.zip",
        zip([File::stored("a\0b", "")]),
        "Name::Control",
    ));
    rows.push(row("nul.tar", tar([Entry::file("a\0b", "")]), "Tar::Stray"));
    rows.push(row(
        "empty name.zip",
        zip([File::stored("", "")]),
        "Name::Empty",
    ));
    rows.push(row(
        "empty name.tar",
        tar([Entry::file("", "")]),
        "Name::Empty",
    ));
    rows.push(row(
        "root file.tar",
        tar([Entry::file("./", "")]),
        "Name::Slash",
    ));
    let whole = "abcdefgh/".repeat(128);
    rows.push(row(
        "long name.zip",
        zip([File::stored(whole + "i", "")]),
        "Name::Long",
    ));
    rows
}

pub(super) fn collisions() -> Vec<Row<ProblemName>> {
    let mut rows = Vec::new();
    for (what, items, kind) in table![
        "twice", vec![file("a"), file("a")], "Collision";
        "twice with dot", vec![file("a"), file("./a")], "Collision";
        "by case", vec![file("a"), file("A")], "Collision";
        "by case above", vec![file("a/x"), file("A/y")], "Collision";
        "by composition", vec![file("\u{e9}"), file("e\u{301}")], "Collision";
        "by compatibility", vec![file("\u{fb01}"), file("fi")], "Collision";
        "by width", vec![file("\u{ff21}"), file("a")], "Collision";
        "by sharp s", vec![file("\u{df}"), file("SS")], "Collision";
        "by kelvin", vec![file("\u{212a}"), file("k")], "Collision";
        "by joiner", vec![file("a\u{200d}"), file("a")], "Collision";
        "by last dot", vec![file("a."), file("a")], "Collision";
        "directory twice", vec![directory("a/"), directory("a/")], "Collision";
        "root twice", vec![directory("./"), directory("./"), file("a")], "Collision";
        "directory by case", vec![directory("a/"), directory("A/")], "Collision";
        "file and directory", vec![file("a"), directory("a/")], "Collision";
        "directory and file", vec![directory("a/"), file("a")], "Collision";
        "file and below", vec![file("a"), file("a/b")], "NotADirectory";
        "below and file", vec![file("a/b"), file("a")], "NotADirectory";
        "file and below by case", vec![file("a"), file("A/b")], "Collision";
        "below a link", vec![link("a", "b"), file("a/x")], "NotADirectory";
        "below a link to here", vec![link("a", "."), file("a/x")], "NotADirectory";
        "link over directory", vec![file("a/x"), link("a", "b")], "NotADirectory";
        "link twice", vec![link("a", "b"), link("a", "c")], "Collision";
        "link and file", vec![link("a", "b"), file("a")], "Collision";
    ] {
        rows.extend(each(what, &items, &kind));
    }
    rows
}
