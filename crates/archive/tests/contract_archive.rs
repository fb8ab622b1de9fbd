//! The rows A1 to A10 of the contract; A4 and A5 are in `contract_limits.rs` and `contract_memory.rs`.
#![cfg(test)]

mod corpus;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Cursor, Read};
use std::path::Path;

use corpus::accept::{Item, directory, each, file, link};
use corpus::attempt::{UNTOUCHED, attack, count, refused};
use corpus::tar::{Entry, tar, targz};
use corpus::zip::{File, zip};
use corpus::{gzip, kind, tree};
use prowess_archive::{Archive, EntryKind, Error, Format, Limits, Mode, unpack, walk};
use prowess_spec::SkillPath;

fn path(text: &str) -> SkillPath {
    SkillPath::parse(text).unwrap()
}

#[test]
fn a1_one_skill_at_the_root_one_in_a_folder_many() {
    let skill = |prefix: &str| {
        let name = |end: &str| format!("{prefix}{end}").into_bytes();
        vec![
            Item::File(name("SKILL.md"), b"---\nname: x\n---\n".to_vec()),
            Item::File(name("references/a.md"), b"about a".to_vec()),
            Item::Program(name("scripts/run.sh"), b"#!/bin/sh\n".to_vec()),
        ]
    };
    let many: Vec<Item> = (0..200)
        .flat_map(|number| skill(&format!("s{number}/")))
        .collect();
    for (items, first) in [(skill(""), ""), (skill("pdf/"), "pdf/"), (many, "s0/")] {
        for row in each("skill", &items, &()) {
            let mut heads = BTreeMap::new();
            let mut archive = Archive::open(
                Cursor::new(&row.bytes),
                &Limits::default(),
                |entry, content| {
                    if entry.path.as_str().ends_with("SKILL.md") {
                        let mut head = Vec::new();
                        content.take(64 * 1024).read_to_end(&mut head)?;
                        heads.insert(entry.path.clone(), head);
                    }
                    Ok(())
                },
            )
            .unwrap();
            assert_eq!(archive.members().len(), items.len());
            assert_eq!(heads.len(), items.len() / 3);
            let skill = path(&format!("{first}SKILL.md"));
            assert_eq!(heads[&skill], b"---\nname: x\n---\n");
            assert_eq!(archive.read(&skill, 4, 4).unwrap(), b"name");
            let reference = path(&format!("{first}references/a.md"));
            assert_eq!(archive.read(&reference, 0, 100).unwrap(), b"about a");
            assert_eq!(archive.read(&reference, 6, 100).unwrap(), b"a");
            assert_eq!(archive.read(&reference, 7, 100).unwrap(), b"");
            assert_eq!(archive.read(&reference, u64::MAX, 100).unwrap(), b"");
            let script = archive.get(&path(&format!("{first}scripts/run.sh")));
            let script = script.unwrap();
            assert_eq!(script.entry.kind, EntryKind::File(Mode::Executable));
            assert_eq!(script.size, 10);
            let missing = archive.read(&path("none"), 0, 1).unwrap_err();
            assert!(matches!(missing, Error::NoSuchEntry(_)));
        }
    }
}

#[test]
fn a1_the_bytes_decide_what_it_is() {
    for (row, format) in
        each("x", &[file("a")], &())
            .iter()
            .zip([Format::Zip, Format::Tar, Format::TarGz])
    {
        let summary = walk(Cursor::new(&row.bytes), &Limits::default(), |_, _| Ok(()));
        assert_eq!(summary.unwrap().format, format);
    }
}

#[test]
fn a1_files_are_read_through_links_that_stay_inside() {
    let items = [
        file("a/x"),
        directory("empty/"),
        link("d", "a"),
        link("b/l", "../d/x"),
        link("gone", "nothing"),
    ];
    for row in each("links", &items, &()) {
        let limits = Limits::default();
        let mut archive = Archive::open(Cursor::new(&row.bytes), &limits, |_, _| Ok(())).unwrap();
        assert_eq!(archive.read(&path("d/x"), 0, 9).unwrap(), b"x");
        assert_eq!(archive.read(&path("b/l"), 0, 9).unwrap(), b"x");
        assert_eq!(archive.resolve(&path("b/l")), Some(path("a/x")));
        assert_eq!(archive.resolve(&path("d")), Some(path("a")));
        assert_eq!(archive.resolve(&path("gone")), None);
        let symlink = archive.get(&path("d")).unwrap();
        assert_eq!(symlink.entry.kind, EntryKind::Symlink("a".into()));
        for (name, expected) in [
            ("a", "NotAFile"),
            ("empty", "NotAFile"),
            ("gone", "NoSuchEntry"),
        ] {
            let error = archive.read(&path(name), 0, 9).unwrap_err();
            assert_eq!(kind(&error), expected);
        }
    }
}

#[test]
fn a2_names_that_leave_write_nothing() {
    for (name, expected) in [
        ("../x", "Name::Traversal"),
        ("../../x", "Name::Traversal"),
        ("a/../../../x", "Name::Traversal"),
        ("/x", "Name::Absolute"),
        ("C:/x", "Name::Drive"),
        ("..\\..\\x", "Name::Backslash"),
    ] {
        for row in each(name, &[file("before"), file(name), file("after")], &()) {
            let (result, left) = attack(&row.bytes);
            refused(expected, result);
            assert_eq!(left, UNTOUCHED);
        }
    }
    refused("Name::Control", attack(&zip([File::stored("x\0", "")])).0);
    refused("Name::Empty", attack(&zip([File::stored("", "")])).0);
    refused("Name::Empty", attack(&tar([Entry::file("", "")])).0);
}

#[test]
fn a3_links_outside_are_refused_and_none_is_followed() {
    for items in [
        vec![link("l", "../../x")],
        vec![link("l", "/etc/passwd")],
        vec![link("s/d", ".."), link("l", "s/d/../../x")],
        vec![link("l", "../.."), file("l/x")],
        vec![link("l", "../../x"), file("l")],
    ] {
        for row in each("links", &items, &()) {
            let (result, left) = attack(&row.bytes);
            assert!(result.is_err());
            assert_eq!(left, UNTOUCHED);
        }
    }
    // The link is there, and what it leads to is not written through it.
    for row in each("inside", &[link("l", "a"), file("a")], &()) {
        let (result, left) = attack(&row.bytes);
        assert_eq!(result, Ok(()));
        let there = ["parent/out/", "parent/out/a=x", "parent/out/l -> a"];
        assert!(
            there.iter().all(|line| left.contains(&(*line).to_owned())),
            "{left:?}"
        );
    }
}

#[test]
fn a3_hard_links_are_copies_that_count() {
    let mebibyte = vec![b'y'; 1 << 20];
    let links = |count: usize| {
        let mut entries = vec![Entry::file("a", &mebibyte)];
        entries.extend((0..count).map(|number| Entry::hard_link(format!("h{number}"), "a")));
        tar(entries)
    };
    let limits = Limits {
        total_bytes: 4 << 20,
        ..Limits::default()
    };
    assert_eq!(count(&links(3), &limits), Ok(4 << 20));
    refused("TotalTooLarge", count(&links(4), &limits));
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    unpack(Cursor::new(links(1)), &out, &limits).unwrap();
    fs::write(out.join("h0"), "changed").unwrap();
    assert_eq!(fs::read(out.join("a")).unwrap(), mebibyte);
}

#[test]
fn a6_names_that_are_one_name_somewhere() {
    for pair in [
        ["a", "a"],
        ["SKILL.md", "skill.md"],
        ["caf\u{e9}.md", "cafe\u{301}.md"],
        ["CAF\u{c9}.md", "cafe\u{301}.md"],
        ["\u{fb01}.md", "fi.md"],
        ["x/a", "X/b"],
        ["\u{e9}/a", "e\u{301}/b"],
    ] {
        for row in each("pair", &pair.map(file), &()) {
            let (result, left) = attack(&row.bytes);
            refused("Collision", result);
            assert_eq!(left, UNTOUCHED);
        }
    }
}

#[test]
fn a7_headers_that_disagree_and_trailing_data() {
    let a = || File::deflated("a", "hello");
    let disagree = [
        a().local(|head| head.name = b"b".to_vec()),
        a().local(|head| head.size = 4),
        a().local(|head| head.method = 0),
        a().local(|head| head.crc = 0),
    ];
    for file in disagree {
        refused("Zip::Disagree", attack(&zip([file])).0);
    }
    let whole = zip([a()]);
    refused("Zip::NoEnd", attack(&[&*whole, b"x"].concat()).0);
    let whole = tar([Entry::file("a", "")]);
    refused("Tar::Trailing", attack(&[&*whole, b"x"].concat()).0);
    refused(
        "Tar::Trailing",
        attack(&[gzip(&whole), gzip(&whole)].concat()).0,
    );
}

#[test]
fn a7_an_archive_inside_is_a_file() {
    let inner = zip([File::stored("evil", "")]);
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    let bytes = zip([File::stored("inner.zip", &inner)]);
    let tree = unpack(Cursor::new(bytes), &out, &Limits::default()).unwrap();
    assert_eq!(tree.members.len(), 1);
    assert_eq!(fs::read(out.join("inner.zip")).unwrap(), inner);
}

#[test]
fn a8_what_is_no_archive_says_so_by_name() {
    for (bytes, expected) in [
        (Vec::new(), "`x.zip`: the archive is empty"),
        (b"hello".to_vec(), "`x.zip`: not a zip or tar archive"),
        (zip([]), "`x.zip`: contains no entries"),
        (
            zip([File::stored("a", "")])[..50].to_vec(),
            "`x.zip`: malformed zip archive: missing end record, or data after it",
        ),
        (
            tar([Entry::file("a", "hello")])[..600].to_vec(),
            "`x.zip`: truncated within a file",
        ),
        (
            zip([File::stored("a", "").both(|head| head.crc = 1)]),
            "`x.zip`: the content of the entry `a` is corrupt: checksum mismatch",
        ),
    ] {
        let place = tempfile::tempdir().unwrap();
        let out = place.path().join("out");
        let error = unpack(Cursor::new(bytes), &out, &Limits::default()).unwrap_err();
        assert_eq!(error.of("x.zip").to_string(), expected);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }
}

#[test]
fn a8_every_truncation_leaves_nothing() {
    let place = tempfile::tempdir().unwrap();
    let zip = zip([
        File::deflated("a/b", "hello".repeat(9)),
        File::stored("c", "x"),
    ]);
    let targz = targz([Entry::file("a/b", "hello".repeat(9)), Entry::file("c", "x")]);
    for whole in [zip, targz] {
        for length in 0..whole.len() {
            let cut = Cursor::new(&whole[..length]);
            let out = place.path().join("out");
            unpack(cut, &out, &Limits::default()).unwrap_err();
        }
    }
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn a8_the_destination_is_new_or_nothing_happens() {
    let place = tempfile::tempdir().unwrap();
    let bytes = zip([File::stored("a", "x")]);
    let to = |name: &str| {
        unpack(
            Cursor::new(&bytes),
            &place.path().join(name),
            &Limits::default(),
        )
    };
    fs::create_dir(place.path().join("empty")).unwrap();
    fs::write(place.path().join("file"), "x").unwrap();
    std::os::unix::fs::symlink("nowhere", place.path().join("dangling")).unwrap();
    let before = tree::lines(place.path());
    for name in ["empty", "file", "dangling"] {
        assert!(matches!(to(name), Err(Error::Exists(_))), "{name}");
    }
    assert!(matches!(to("missing/out"), Err(Error::Destination { .. })));
    assert_eq!(tree::lines(place.path()), before);
    to("out").unwrap();
    assert_eq!(fs::read(place.path().join("out/a")).unwrap(), b"x");
}

/// A reader that fails after so many bytes.
struct Failing(Cursor<Vec<u8>>, u64);

impl Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.position() >= self.1 {
            return Err(io::Error::other("the disk is gone"));
        }
        let length = buffer.len().min(64);
        self.0.read(&mut buffer[..length])
    }
}

impl io::Seek for Failing {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

#[test]
fn a8_a_reader_that_fails_leaves_nothing() {
    let bytes = tar([Entry::file("a", "x".repeat(2000)), Entry::file("b", "")]);
    let place = tempfile::tempdir().unwrap();
    for after in 0..bytes.len() as u64 {
        let reader = Failing(Cursor::new(bytes.clone()), after);
        let error = unpack(reader, &place.path().join("out"), &Limits::default()).unwrap_err();
        assert_eq!(kind(&error), "Read");
    }
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn a8_a_visitor_that_fails_is_named() {
    for row in each("x", &[file("a"), directory("d/"), link("l", "a")], &()) {
        for refuse in ["a", "d", "l"] {
            let walked = walk(Cursor::new(&row.bytes), &Limits::default(), |entry, _| {
                if entry.path.as_str() == refuse {
                    return Err(io::Error::other("no room"));
                }
                Ok(())
            });
            let expected = format!("cannot pass on `{refuse}`: no room");
            assert_eq!(walked.unwrap_err().to_string(), expected);
        }
    }
}

#[test]
fn a9_modes_are_0644_or_0755() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    for (bits, expected) in [
        (0o644, 0o644),
        (0o755, 0o755),
        (0o4755, 0o755),
        (0o2755, 0o755),
        (0o1777, 0o755),
        (0o6644, 0o644),
        (0o000, 0o644),
        (0o777, 0o755),
        (0o666, 0o644),
        (0o010, 0o755),
    ] {
        let zipped = zip([
            File::stored("f", "").mode(0o100_000 | bits),
            File::directory("d/").mode(0o040_000 | bits),
        ]);
        let tarred = targz([
            Entry::file("f", "").mode(bits),
            Entry::directory("d").mode(bits),
        ]);
        for bytes in [zipped, tarred] {
            let place = tempfile::tempdir().unwrap();
            let out = place.path().join("out");
            unpack(Cursor::new(bytes), &out, &Limits::default()).unwrap();
            // The umask of whoever runs the tests may take more away.
            let umask = mode(&out) ^ 0o755;
            assert_eq!(mode(&out.join("f")), expected & !umask, "{bits:o}");
            assert_eq!(mode(&out.join("d")), 0o755 & !umask, "{bits:o}");
        }
    }
}

#[test]
fn a9_devices_pipes_and_sparse_files() {
    for mode in [0o010_644, 0o020_644, 0o060_644, 0o140_644] {
        let (result, left) = attack(&zip([File::stored("a", "").mode(mode)]));
        refused("Special", result);
        assert_eq!(left, UNTOUCHED);
    }
    for entry in [b'3', b'4', b'6', b'S'] {
        let (result, left) = attack(&targz([Entry::new(entry, "a", "")]));
        refused("Special", result);
        assert_eq!(left, UNTOUCHED);
    }
    let sparse = [
        Entry::pax(&[("GNU.sparse.major", "1")]),
        Entry::file("a", ""),
    ];
    refused("Tar::PaxKey", attack(&targz(sparse)).0);
}

#[test]
fn a10_a_failed_unpack_leaves_nothing_behind() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    let bytes = zip([File::stored("a/SKILL.md", "x"), File::symlink("l", "a")]);
    unpack(Cursor::new(&bytes[1..]), &out, &Limits::default()).unwrap_err();
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    let tree = unpack(Cursor::new(&bytes), &out, &Limits::default()).unwrap();
    assert_eq!(tree.members.len(), 2);
    assert_eq!(fs::read(out.join("l/SKILL.md")).unwrap(), b"x");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
}
