//! Links that lead elsewhere.

use prowess_testing::table;

use super::ProblemName;
use crate::corpus::accept::{Item, each, link};
use crate::corpus::tar::{Entry, tar, targz};
use crate::corpus::zip::{File, zip};
use crate::corpus::{Row, row};

pub(super) fn rows() -> Vec<Row<ProblemName>> {
    let mut rows = Vec::new();
    for (what, items, kind) in table![
        "link up", vec![link("l", "..")], "Link::Outside";
        "link to outside", vec![link("l", "../x")], "Link::Outside";
        "link deep to outside", vec![link("a/b/l", "../../../x")], "Link::Outside";
        "link in and out", vec![link("l", "a/../../x")], "Link::Outside";
        "absolute link", vec![link("l", "/etc/passwd")], "Link::Absolute";
        "link to drive", vec![link("l", "C:/x")], "Link::Absolute";
        "link with backslash", vec![link("l", "a\\..\\..")], "Link::Unreadable";
        "link with newline", vec![link("l", "a\nb")], "Link::Unreadable";
        "empty link", vec![link("l", "")], "Link::Unreadable";
        "link not utf-8", vec![link("l", b"\xff")], "Link::Unreadable";
        "link to itself", vec![link("l", "l")], "Link::Loop";
        "links in a circle", vec![link("a", "b"), link("b", "a")], "Link::Loop";
        "outside through a link", vec![link("s/d", ".."), link("x", "s/d/../y")], "Link::Outside";
        "outside through a later link", vec![link("x", "s/d/../y"), link("s/d", "..")], "Link::Outside";
        "outside through three",
        vec![link("a/b", ".."), link("c", "a/b"), link("d/e", "../c/../z")],
        "Link::Outside";
        "long target", vec![link("l", "t".repeat(256))], "Link::Long";
        "target of many parts", vec![link("l", "t/".repeat(40) + "t")], "Link::Long";
    ] {
        rows.extend(each(what, &items, &kind));
    }
    let a = || Entry::file("a", "x");
    for (what, target, kind) in [
        ("hard link to nothing", "b", "Link::NotEarlier"),
        ("hard link to itself", "h", "Link::NotEarlier"),
        ("hard link to outside", "../a", "Link::Outside"),
        ("hard link absolute", "/etc/passwd", "Link::Absolute"),
        ("hard link by case", "A", "Link::NotEarlier"),
        ("hard link to a directory", "d", "Link::NotEarlier"),
        ("hard link through a link", "s/x", "Link::NotEarlier"),
        ("hard link to a link", "s", "Link::NotEarlier"),
        ("hard link to the root", "./", "Link::Unreadable"),
        ("empty hard link", "", "Link::Unreadable"),
    ] {
        let entries = [
            a(),
            Entry::directory("d"),
            Entry::file("d/x", ""),
            Entry::symlink("s", "d"),
            Entry::hard_link("h", target),
        ];
        rows.push(row(format!("{what}.tar"), tar(entries.clone()), kind));
        rows.push(row(format!("{what}.tar.gz"), targz(entries), kind));
    }
    rows.push(row(
        "hard link to later",
        tar([Entry::hard_link("h", "a"), a()]),
        "Link::NotEarlier",
    ));
    rows.push(row(
        "link of 2000 bytes",
        zip([File::symlink("l", "ab/".repeat(700))]),
        "Link::Long",
    ));
    let many = (0..1001).map(|number| link(format!("l{number}"), "a"));
    rows.extend(each(
        "1001 links",
        &many.collect::<Vec<Item>>(),
        &"Metadata",
    ));
    rows
}
