//! Archives, sound ones and ones with something changed.

use prowess_testing::Random;

use crate::corpus::gzip;
use crate::corpus::tar::{self, Entry};
use crate::corpus::zip::{Descriptor, File, Head, Zip, extra};

/// An archive, and how it is called.
pub(crate) struct Made {
    pub(crate) bytes: Vec<u8>,
    pub(crate) ending: &'static str,
}

pub(crate) fn archive(random: &mut Random) -> Made {
    let things = things(random);
    let (bytes, ending) = match random.below(4) {
        0 | 1 => (zip(&things, random), "zip"),
        2 => (tar(&things, random), "tar"),
        _ => (gzip(&tar(&things, random)), "tar.gz"),
    };
    Made { bytes, ending }
}

enum Thing {
    File(String, Vec<u8>, u32),
    Directory(String),
    Symlink(String, String),
    HardLink(String, String),
}

fn name(random: &mut Random) -> String {
    const PARTS: [&str; 24] = [
        "a",
        "b",
        "c",
        "d",
        "SKILL.md",
        "references",
        "scripts",
        "run.sh",
        "x.txt",
        ".hidden",
        "...",
        "a b",
        "\u{e9}t\u{e9}",
        "\u{4e2d}\u{6587}",
        "emoji \u{1f600}",
        "ab:c",
        "-rf",
        "$(id)",
        "'",
        "#",
        "%2e%2e",
        "~",
        "long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-name",
        "data.json",
    ];
    let parts: Vec<&str> = (0..=random.below(4))
        .map(|_| *random.pick(&PARTS))
        .collect();
    parts.join("/")
}

fn things(random: &mut Random) -> Vec<Thing> {
    let mut things = Vec::new();
    let mut files: Vec<String> = Vec::new();
    let mut taken: Vec<String> = Vec::new();
    for _ in 0..=random.below(7) {
        let name = name(random);
        // Mostly names that can stand beside each other, so that most archives are sound.
        let below = |one: &str, other: &str| one.starts_with(&format!("{other}/"));
        let clashes = |other: &String| *other == name || below(&name, other) || below(other, &name);
        if taken.iter().any(clashes) && !random.one_in(30) {
            continue;
        }
        taken.push(name.clone());
        match random.below(12) {
            0 | 1 => things.push(Thing::Directory(name)),
            2 => {
                let up = "../".repeat(name.matches('/').count() + usize::from(random.one_in(25)));
                let target = files.last().cloned().unwrap_or_else(|| "a".to_owned());
                things.push(Thing::Symlink(name, up + &target));
            }
            3 if !files.is_empty() => {
                things.push(Thing::HardLink(name, random.pick(&files).clone()));
            }
            _ => {
                let length = *random.pick(&[0, 1, 5, 100, 511, 512, 513, 3000]);
                let content = if random.one_in(3) {
                    random.bytes(length)
                } else {
                    vec![b'z'; length]
                };
                let mode = *random.pick(&[0o644, 0o644, 0o755, 0o600, 0o700, 0o4755, 0o664, 0o777]);
                files.push(name.clone());
                things.push(Thing::File(name, content, mode));
            }
        }
    }
    things
}

fn zip(things: &[Thing], random: &mut Random) -> Vec<u8> {
    let mut files = Vec::new();
    for thing in things {
        let file = match thing {
            Thing::Directory(name) => File::directory(format!("{name}/")),
            Thing::Symlink(name, target) => File::symlink(name, target),
            // Zip has no hard links.
            Thing::HardLink(name, _) => File::stored(name, "copy"),
            Thing::File(name, content, mode) => {
                let file = if random.one_in(2) {
                    File::stored(name, content)
                } else {
                    File::deflated(name, content)
                };
                file.mode(0o100_000 | mode)
            }
        };
        files.push(decorate(file, random));
    }
    let mut zip = Zip::of(files);
    if random.one_in(5) {
        zip.end.comment = random.bytes(9);
    }
    match random.below(5) {
        0 => change_field(&mut zip, random),
        1 => change_layout(&mut zip, random),
        _ => {}
    }
    let mut bytes = zip.bytes();
    if random.one_in(5) {
        change_bytes(&mut bytes, random);
    }
    bytes
}

/// What different writers do differently, all of it sound.
fn decorate(file: File, random: &mut Random) -> File {
    let ascii = file.central.name.is_ascii();
    let unicode = [
        &[1][..],
        &crc32fast::hash(&file.central.name).to_le_bytes(),
        &file.central.name,
    ]
    .concat();
    match random.below(16) {
        0 => file.descriptor(Descriptor::Short),
        1 => file.descriptor(Descriptor::ShortSigned),
        2 => file.zip64(),
        3 => file.both(|head| head.extra = extra(0x5455, &[1, 0, 0, 0, 0])),
        4 => file.both(|head| head.extra = extra(0x7875, &[1, 4, 0, 0, 0, 0, 4, 0, 0, 0, 0])),
        5 => file.both(|head| head.extra = extra(0x7075, &unicode)),
        6 => file.central(|head| head.comment = b"comment".to_vec()),
        7 if ascii => file.both(|head| head.flags = 0),
        8 => file.both(|head| head.flags = 0),
        _ => file,
    }
}

fn change_field(zip: &mut Zip, random: &mut Random) {
    if zip.files.is_empty() {
        return;
    }
    let which = random.below(zip.files.len());
    let file = &mut zip.files[which];
    let (field, value, side) = (
        random.below(12),
        random.next_u64().to_le_bytes(),
        random.below(3),
    );
    let small = u16::from(value[0] % 12);
    let change = |head: &mut Head| match field {
        0 => head.crc = head.crc.wrapping_add(small.into()),
        1 => head.size = head.size.wrapping_add(small.into()),
        2 => head.packed = head.packed.wrapping_sub(small.into()),
        3 => head.method = small,
        4 => head.flags ^= 1 << small,
        5 => head.name.push(b'x'),
        6 => head.name = b"../x".to_vec(),
        7 => head.extra = value[..usize::from(small.min(8))].to_vec(),
        8 => head.needs = small * 6,
        9 => head.made_by = small << 8,
        10 => head.attributes = u32::from(value[0]) << 28 | 0o755 << 16,
        _ => head.offset = Some(small.into()),
    };
    if side != 1 {
        change(&mut file.local);
    }
    if side != 0 {
        change(&mut file.central);
    }
}

fn change_layout(zip: &mut Zip, random: &mut Random) {
    let junk = random.bytes(4);
    let count = u16::try_from(zip.files.len()).unwrap();
    match random.below(9) {
        0 => zip.prefix = junk,
        1 => zip.before_list = junk,
        2 => zip.after_list = junk,
        3 => zip.suffix = junk,
        4 => (zip.end.count, zip.end.count_here) = (Some(count + 1), Some(count + 1)),
        5 => zip.end.count = Some(count.wrapping_sub(1)),
        6 => zip.end.comment = Zip::of([File::stored("other", "")]).bytes(),
        7 if !zip.files.is_empty() => {
            let which = random.below(zip.files.len());
            zip.files[which].is_listed = false;
        }
        8 if !zip.files.is_empty() => {
            let which = random.below(zip.files.len());
            let copy = zip.files[which].clone();
            zip.files.push(copy);
        }
        _ => {}
    }
}

fn tar(things: &[Thing], random: &mut Random) -> Vec<u8> {
    let mut entries = Vec::new();
    if random.one_in(8) {
        entries.push(Entry::global(&[("comment", "0123456789abcdef")]));
    }
    if random.one_in(6) {
        entries.push(Entry::directory("./"));
    }
    for thing in things {
        let dotted = if random.one_in(6) { "./" } else { "" };
        let (name, kind, target, content, mode) = match thing {
            Thing::File(name, content, mode) => {
                (name, *random.pick(b"000\0"), "", &content[..], *mode)
            }
            Thing::Directory(name) => (name, b'5', "", &b""[..], 0o755),
            Thing::Symlink(name, target) => (name, b'2', &**target, &b""[..], 0o777),
            Thing::HardLink(name, target) => (name, b'1', &**target, &b""[..], 0o644),
        };
        let slash = if kind == b'5' && random.one_in(2) {
            "/"
        } else {
            ""
        };
        let name = format!("{dotted}{name}{slash}");
        entries.extend(named(kind, &name, target, content, mode, random));
    }
    if random.one_in(3) && !entries.is_empty() {
        let which = random.below(entries.len());
        change_header(&mut entries, which, random);
    }
    let mut bytes = tar::tar(entries);
    if random.one_in(4) {
        bytes.resize(bytes.len().next_multiple_of(10_240), 0);
    }
    if random.one_in(6) {
        change_bytes(&mut bytes, random);
    }
    bytes
}

/// An entry whose name may have to be told in one of three ways.
fn named(
    kind: u8,
    name: &str,
    target: &str,
    content: &[u8],
    mode: u32,
    random: &mut Random,
) -> Vec<Entry> {
    let short = |text: &str| text.len() <= 100;
    let way = random.below(8);
    let entry = |name: &str, target: &str| {
        Entry::new(kind, name, content)
            .put(157, target.as_bytes())
            .mode(mode)
    };
    // Writers leave as much of the target in the header as fits.
    let cut = if target.is_empty() || random.one_in(20) {
        ""
    } else {
        "cut"
    };
    if way == 0 {
        let mut entries = vec![Entry::long(b'L', name)];
        if !target.is_empty() {
            entries.push(Entry::long(b'K', target));
        }
        entries.push(entry("cut", cut).gnu());
        return entries;
    }
    if way == 1 || !short(name) || !short(target) {
        let size = content.len().to_string();
        let mut records = vec![("path", name), ("mtime", "1234567890.5"), ("size", &size)];
        if !target.is_empty() {
            records.push(("linkpath", target));
        }
        return vec![Entry::pax(&records), entry("cut", cut)];
    }
    if way == 2
        && let Some((prefix, rest)) = name.split_once('/')
        && !rest.is_empty()
        && prefix != "."
    {
        return vec![entry(rest, target).put(345, prefix.as_bytes())];
    }
    let entry = entry(name, target);
    vec![if way == 3 { entry.gnu() } else { entry }]
}

fn change_header(entries: &mut Vec<Entry>, which: usize, random: &mut Random) {
    let entry = entries[which].clone();
    let value = random.next_u64().to_le_bytes();
    entries[which] = match random.below(16) {
        0 => entry.put(156, &[*random.pick(b"0123456759xgLKSVMDN")]),
        1 => entry.put(random.below(100), &value[..1]),
        2 => entry.size(
            &format!("{:011o}\0", random.below(2000))
                .into_bytes()
                .try_into()
                .unwrap(),
        ),
        3 => entry.size(b"\x80\0\0\0\0\0\0\0\0\0\0\x05"),
        4 => entry.put(257, b"ustar  \0"),
        5 => entry.put(345, b"prefix"),
        6 => entry.put(157, b"a"),
        7 => entry.put(157, b"../../x"),
        8 => entry.break_sum(random.below(512), &value[..1]),
        9 => entry.put(263 + random.below(80), &value[..2]),
        10 => entry.put(500, &value),
        // Anywhere but in the mode, which must leave files readable.
        11..15 => {
            let at = random.below(500);
            entry.put(if at < 100 { at } else { at + 8 }, &value[..1])
        }
        _ => {
            entries.insert(which, Entry::pax(&[("path", "renamed")]));
            return;
        }
    };
}

fn change_bytes(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len());
    match random.below(6) {
        0 => bytes.truncate(at),
        1 => {
            bytes.remove(at);
        }
        2 => bytes.insert(at, random.next_u64().to_le_bytes()[0]),
        3 => bytes.extend(random.bytes(3)),
        _ => bytes[at] ^= 1 << random.below(8),
    }
}
