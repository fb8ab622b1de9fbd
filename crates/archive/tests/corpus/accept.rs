//! Archives that are unpacked, with the tree that comes out.

use prowess_testing::table;

use super::tar::{Entry, open, pax_records, tar, targz};
use super::zip::{Descriptor, File, Zip, extra, zip};
use super::{Row, gzip, rows_of};

/// Something that both formats can hold.
#[derive(Clone)]
pub(crate) enum Item {
    File(Vec<u8>, Vec<u8>),
    Program(Vec<u8>, Vec<u8>),
    Directory(Vec<u8>),
    Link(Vec<u8>, Vec<u8>),
}

pub(crate) fn file(name: impl AsRef<[u8]>) -> Item {
    Item::File(name.as_ref().to_vec(), b"x".to_vec())
}

pub(crate) fn directory(name: impl AsRef<[u8]>) -> Item {
    Item::Directory(name.as_ref().to_vec())
}

pub(crate) fn link(name: impl AsRef<[u8]>, target: impl AsRef<[u8]>) -> Item {
    Item::Link(name.as_ref().to_vec(), target.as_ref().to_vec())
}

impl Item {
    pub(crate) fn zip(&self) -> File {
        match self {
            Self::File(name, data) => File::deflated(name, data),
            Self::Program(name, data) => File::stored(name, data).mode(0o100_755),
            Self::Directory(name) => File::directory(name),
            Self::Link(name, target) => File::symlink(name, target),
        }
    }

    /// Long names in a pax header.
    pub(crate) fn tar(&self) -> Vec<Entry> {
        let (Self::File(name, _) | Self::Program(name, _)) = self else {
            return match self {
                Self::Link(name, target) if target.len() > 100 => {
                    let target = String::from_utf8(target.clone()).unwrap();
                    let pax = Entry::pax(&[("linkpath", &target)]);
                    vec![pax, Entry::symlink(name, "cut")]
                }
                Self::Link(name, target) => vec![Entry::symlink(name, target)],
                Self::Directory(name) => vec![Entry::directory(name)],
                Self::File(..) | Self::Program(..) => Vec::new(),
            };
        };
        let (data, mode) = match self {
            Self::Program(_, data) => (data, 0o755),
            Self::File(_, data) => (data, 0o644),
            _ => unreachable!(),
        };
        if name.len() <= 100 {
            return vec![Entry::file(name, data).mode(mode)];
        }
        let name = String::from_utf8(name.clone()).unwrap();
        let pax = Entry::pax(&[("path", &name)]);
        vec![pax, Entry::file("short", data).mode(mode)]
    }
}

/// The same things in each format.
pub(crate) fn each<T: Clone>(name: &str, items: &[Item], expected: &T) -> Vec<Row<T>> {
    let entries: Vec<Entry> = items.iter().flat_map(Item::tar).collect();
    rows_of(table![
        format!("{name}.zip"), zip(items.iter().map(Item::zip)), expected.clone();
        format!("{name}.tar"), tar(entries.clone()), expected.clone();
        format!("{name}.tar.gz"), targz(entries), expected.clone();
    ])
}

type Lines = Vec<&'static str>;

pub(crate) fn rows() -> Vec<Row<Lines>> {
    let mut rows = in_each_format();
    rows.extend(zips());
    rows.extend(tars());
    rows
}

fn in_each_format() -> Vec<Row<Lines>> {
    let program = Item::Program(b"run.sh".to_vec(), b"#!".to_vec());
    let tables: [(&str, Vec<Item>, Lines); 15] = table![
        "one file", vec![file("a")], vec!["a=x"];
        "deep", vec![file("a/b/c")], vec!["a/", "a/b/", "a/b/c=x"];
        "directory", vec![directory("a/")], vec!["a/"];
        "directory before", vec![directory("a/"), file("a/b")], vec!["a/", "a/b=x"];
        "directory after", vec![file("a/b"), directory("a/")], vec!["a/", "a/b=x"];
        "root directory", vec![directory("./"), file("./a")], vec!["a=x"];
        "program", vec![program], vec!["run.sh*=#!"];
        "empty file", vec![Item::File(b"a".to_vec(), Vec::new())], vec!["a="];
        "unicode", vec![file("\u{e9}/\u{4e2d}")], vec!["\u{e9}/", "\u{e9}/\u{4e2d}=x"];
        "dots", vec![file("..."), file("a..b"), file(".hidden")], vec!["...=x", ".hidden=x", "a..b=x"];
        "same name elsewhere", vec![file("a/x"), file("b/X")], vec!["a/", "a/x=x", "b/", "b/X=x"];
        "link", vec![file("a"), link("l", "a")], vec!["a=x", "l -> a"];
        "link before", vec![link("l", "d/a"), file("d/a")], vec!["d/", "d/a=x", "l -> d/a"];
        "link up", vec![file("a"), link("d/l", "../a")], vec!["a=x", "d/", "d/l -> ../a"];
        "links in a row", vec![link("a", "b"), link("b", "c"), file("c")], vec!["a -> b", "b -> c", "c=x"];
    ];
    let each_one = |(name, items, lines): &(&str, Vec<Item>, Lines)| each(name, items, lines);
    tables.iter().flat_map(each_one).collect()
}

fn zips() -> Vec<Row<Lines>> {
    let a = || File::deflated("a", "hello");
    let hello = || vec!["a=hello"];
    let unix_times = extra(0x5455, &[3, 0, 0, 0, 0]);
    let same_name = extra(
        0x7075,
        &[&[1][..], &crc32fast::hash(b"a").to_le_bytes(), b"a"].concat(),
    );
    rows_of(table![
        "stored", zip([File::stored("a", "hello")]), hello();
        "deflated", zip([a()]), hello();
        "descriptor", zip([a().descriptor(Descriptor::Short)]), hello();
        "signed descriptor", zip([a().descriptor(Descriptor::ShortSigned)]), hello();
        "long descriptor", zip([a().descriptor(Descriptor::Long)]), hello();
        "long signed descriptor", zip([a().descriptor(Descriptor::LongSigned)]), hello();
        "descriptors in a row",
        zip([
            a().descriptor(Descriptor::Short),
            File::stored("b", "").descriptor(Descriptor::ShortSigned),
            File::stored("c", "c"),
        ]),
        vec!["a=hello", "b=", "c=c"];
        "local zip64", zip([a().zip64()]), hello();
        "comment", Zip::of([a()]).change(|zip| zip.end.comment = b"hi".to_vec()).bytes(), hello();
        "entry comment", zip([a().central(|head| head.comment = b"hi".to_vec())]), hello();
        "times", zip([a().both(|head| head.extra.clone_from(&unix_times))]), hello();
        "unicode name field", zip([a().both(|head| head.extra.clone_from(&same_name))]), hello();
        "no utf-8 flag", zip([a().both(|head| head.flags = 0)]), hello();
        "from windows", zip([a().central(|head| (head.made_by, head.attributes) = (0, 0x20))]), hello();
        "no mode", zip([a().mode(0)]), hello();
        "setuid", zip([a().mode(0o104_755)]), vec!["a*=hello"];
        "sticky and setgid", zip([a().mode(0o103_644)]), hello();
        "group may execute", zip([a().mode(0o100_654)]), vec!["a*=hello"];
        "listed in another order", listed_backwards(), vec!["a=hello", "b=x"];
        "zip inside zip", zip([File::stored("in.zip", zip([a()]))]), vec![inner_zip()];
        "directory without bit", zip([File::directory("d/").mode(0)]), vec!["d/"];
        "deflated directory", zip([File::deflated("d/", "").mode(0o040_755)]), vec!["d/"];
    ])
}

/// What the directory shows of the archive in the archive.
fn inner_zip() -> &'static str {
    let bytes = zip([File::deflated("a", "hello")]);
    format!("in.zip={}", bytes.escape_ascii()).leak()
}

fn listed_backwards() -> Vec<u8> {
    // The records have one length, so that two of them can change places.
    let mut bytes = zip([File::deflated("a", "hello"), File::deflated("b", "x")]);
    let end = bytes.len() - 22;
    let record = 46 + 1;
    bytes[end - 2 * record..end].rotate_left(record);
    bytes
}

fn tars() -> Vec<Row<Lines>> {
    let a = || Entry::file("a", "hello");
    let hello = || vec!["a=hello"];
    let long = "d".repeat(60) + "/" + &"f".repeat(60);
    let long_lines = || -> Lines {
        let (directory, file) = long.split_once('/').unwrap();
        vec![
            format!("{directory}/").leak(),
            format!("{directory}/{file}=hello").leak(),
        ]
    };
    let padded = |length: usize| {
        let mut bytes = tar([a()]);
        bytes.resize(bytes.len() + length, 0);
        bytes
    };
    rows_of(table![
        "gnu header", tar([a().gnu()]), hello();
        "old file", tar([a().put(156, &[0])]), hello();
        "directory without slash", tar([Entry::directory("d")]), vec!["d/"];
        "prefix", tar([a().put(345, b"p/q")]), vec!["p/", "p/q/", "p/q/a=hello"];
        "pax path", targz([Entry::pax(&[("path", &long)]), a()]), long_lines();
        "gnu long name", targz([Entry::long(b'L', &long), a().gnu()]), long_lines();
        "gnu long link", tar([Entry::long(b'K', "b"), Entry::symlink("l", "cut").gnu()]), vec!["l -> b"];
        "pax link",
        tar([Entry::pax(&[("linkpath", "b"), ("path", "m")]), Entry::symlink("l", "c")]),
        vec!["m -> b"];
        "pax size", tar([Entry::pax(&[("size", "5")]), a()]), hello();
        "pax times and owners",
        tar([Entry::pax(&[("mtime", "1.5"), ("uname", "me"), ("SCHILY.xattr.user.x", "=\n")]), a()]),
        hello();
        "pax charset", tar([Entry::pax(&[("hdrcharset", "ISO-IR 10646 2000 UTF-8")]), a()]), hello();
        "global comment", targz([Entry::global(&[("comment", "0123abcd")]), a()]), hello();
        "empty pax", tar([Entry::new(b'x', "p", pax_records(&[])), a()]), hello();
        "binary size", tar([a().size(b"\x80\0\0\0\0\0\0\0\0\0\0\x05")]), hello();
        "size with blanks", tar([a().size(b"         5 \0")]), hello();
        "setuid", tar([a().mode(0o6755)]), vec!["a*=hello"];
        "setgid and sticky", tar([a().mode(0o3644)]), hello();
        "hard link", tar([a(), Entry::hard_link("b", "a")]), vec!["a=hello", "b=hello"];
        "hard link of a hard link",
        targz([a().mode(0o755), Entry::hard_link("b", "./a"), Entry::hard_link("d/c", "b")]),
        vec!["a*=hello", "b*=hello", "d/", "d/c*=hello"];
        "padded to a record", padded(9 * 1024), hello();
        "padded, compressed", gzip(&padded(1024 * 1024)), hello();
        "padded oddly", padded(7), hello();
        "full last block", tar([Entry::file("a", [b'y'; 512])]), vec![full_block()];
        "tar inside tar", gzip(&tar([Entry::file("in.tar", open([]))])), vec!["in.tar="];
    ])
}

fn full_block() -> &'static str {
    let content = [b'y'; 512];
    format!("a={} bytes, {:08x}", 512, crc32fast::hash(&content)).leak()
}
