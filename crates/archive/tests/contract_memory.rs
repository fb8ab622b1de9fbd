//! Row A4 of the contract, its last part: whatever the archive, memory stays under 64 MiB.
//!
//! The archives are written to files; a child process, this test itself, opens each of them in every way there is and
//! reports the most memory that it ever had.
#![cfg(test)]

mod corpus;

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::Command;

use corpus::tar::{Entry, tar};
use corpus::zip::{self, Zip};
use corpus::{deflated_zeros, kind};
use prowess_archive::{Archive, Limits, unpack, walk};

const MOST_KIB: u64 = 64 * 1024;
const PATH: &str = "PROWESS_TEST_BOMB";
const NAME: &str = "a4_memory_stays_under_64_mib";

/// A gzip file around a deflate stream; its sum is not right, and nobody gets that far.
fn gzip_of(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"\x1f\x8b\x08\0\0\0\0\0\0\0".to_vec();
    for part in parts {
        bytes.extend(part);
    }
    bytes.extend([0; 8]);
    bytes
}

/// A stored block, which may be followed by others.
fn stored_block(data: &[u8]) -> Vec<u8> {
    let blocks = data.chunks(60_000).map(|chunk| {
        let length = u16::try_from(chunk.len()).unwrap();
        [
            &[0],
            &length.to_le_bytes()[..],
            &(!length).to_le_bytes(),
            chunk,
        ]
        .concat()
    });
    blocks.collect::<Vec<_>>().concat()
}

/// Long names below many directories; 2,000 of them would be more directories than are allowed.
fn long_names(count: u32) -> impl Iterator<Item = String> {
    (0..count).map(|number| {
        let part = format!("{number:04}{}", "n".repeat(40));
        vec![part; 20].join("/")
    })
}

/// Each bomb and the kind of error that it meets; none means that it is taken.
const BOMBS: &[(&str, Option<&str>)] = &[
    ("zeros.zip", Some("FileTooLarge")),
    ("lying.zip", Some("Size")),
    ("large.zip", None),
    ("entries.zip", Some("TooManyEntries")),
    ("hidden.zip", Some("Zip::Count")),
    ("names.zip", None),
    ("growing.zip", Some("Metadata")),
    ("comments.zip", Some("Metadata")),
    ("links.zip", None),
    ("list.zip", Some("Metadata")),
    ("zeros.tar.gz", Some("FileTooLarge")),
    ("pax.tar.gz", Some("Metadata")),
    ("long.tar.gz", Some("Metadata")),
    ("end.tar.gz", Some("Metadata")),
    ("nested.tar.gz", Some("Tar::Twice")),
    ("globals.tar.gz", None),
    ("entries.tar.gz", Some("TooManyEntries")),
    ("names.tar.gz", None),
    ("copies.tar", Some("TotalTooLarge")),
    ("name.gz", Some("Tar::Gzip")),
];

fn make_zips(directory: &Path) {
    let put = |name: &str, bytes: &[u8]| fs::write(directory.join(name), bytes).unwrap();
    let zeros = deflated_zeros(10 * 1024);

    put(
        "zeros.zip",
        &zip::zip([zip::File::packed("a", zeros.clone(), u32::MAX - 1, 0)]),
    );
    put(
        "lying.zip",
        &zip::zip([zip::File::packed("a", zeros.clone(), 10, 0)]),
    );
    let noise: Vec<u8> = (0_u32..3 << 20)
        .flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes())
        .collect();
    let packed = [stored_block(&noise), vec![3, 0]].concat();
    let (size, crc) = (noise.len().try_into().unwrap(), crc32fast::hash(&noise));
    let large = ["a", "b", "c", "d"].map(|name| zip::File::packed(name, packed.clone(), size, crc));
    put("large.zip", &zip::zip(large));
    let entries = || (0..100_000).map(|number| zip::File::stored(format!("{number}"), ""));
    put("entries.zip", &zip::zip(entries()));
    let hidden = Zip::of(entries())
        .change(|zip| (zip.end.count, zip.end.count_here) = (Some(9_999), Some(9_999)));
    put("hidden.zip", &hidden.bytes());
    put(
        "names.zip",
        &zip::zip(long_names(1_990).map(|name| zip::File::stored(name, ""))),
    );
    let growing = (0..9_000)
        .map(|number| zip::File::stored(format!("{number:04}{}", "\u{fdfa}".repeat(80)), ""));
    put("growing.zip", &zip::zip(growing));
    let commented = (0..200).map(|number| {
        zip::File::stored(format!("{number}"), "").central(|head| head.comment = vec![b'c'; 60_000])
    });
    put("comments.zip", &zip::zip(commented));
    let links = (0..1_000)
        .map(|number| zip::File::symlink(format!("{number}"), "t/".repeat(39) + &"u".repeat(200)));
    put("links.zip", &zip::zip(links));

    // A list of three gigabytes, in a file of holes.
    let mut list = File::create(directory.join("list.zip")).unwrap();
    let end = Zip::default().change(|zip| {
        (zip.end.count, zip.end.count_here) = (Some(9_999), Some(9_999));
        (zip.end.offset, zip.end.size) = (Some(4), Some(3 << 30));
    });
    list.write_all(b"PK\x03\x04").unwrap();
    list.set_len(4 + (3 << 30)).unwrap();
    std::io::Seek::seek(&mut list, std::io::SeekFrom::End(0)).unwrap();
    list.write_all(&end.bytes()).unwrap();
}

fn make_tars(directory: &Path) {
    let put = |name: &str, bytes: &[u8]| fs::write(directory.join(name), bytes).unwrap();
    let header = |name: &str, size: &[u8; 12]| Entry::file(name, "").size(size).block;
    let ten_gigabytes = b"\x80\0\0\0\0\0\0\x02\x80\0\0\0";
    let zeros = deflated_zeros(10 * 1024);
    let first = stored_block(&header("a", ten_gigabytes));
    put("zeros.tar.gz", &gzip_of(&[first, zeros.clone()]));
    let pax = Entry::new(b'x', "p", "").size(ten_gigabytes).block;
    put("pax.tar.gz", &gzip_of(&[stored_block(&pax), zeros.clone()]));
    let long = Entry::new(b'L', "p", "").size(ten_gigabytes).block;
    put(
        "long.tar.gz",
        &gzip_of(&[stored_block(&long), zeros.clone()]),
    );
    put(
        "end.tar.gz",
        &gzip_of(&[stored_block(&tar([Entry::file("a", "")])), zeros.clone()]),
    );
    let nested = (0..20_000).map(|_| Entry::pax(&[("path", "a")]));
    put("nested.tar.gz", &corpus::gzip_stored(&tar(nested)));
    let records = "x".repeat(60_000);
    let globals = (0..200).map(|_| Entry::global(&[("comment", &records)]));
    put(
        "globals.tar.gz",
        &corpus::gzip_stored(&tar(globals.chain([Entry::file("a", "")]))),
    );
    put(
        "entries.tar.gz",
        &corpus::gzip_stored(&tar(
            (0..100_000).map(|number| Entry::file(format!("{number}"), ""))
        )),
    );
    let named =
        long_names(500).flat_map(|name| [Entry::pax(&[("path", &name)]), Entry::file("a", "")]);
    put("names.tar.gz", &corpus::gzip_stored(&tar(named)));
    let copies = (0..9_000).map(|number| Entry::hard_link(format!("{number}"), "a"));
    let one_and_many = [Entry::file("a", vec![7; 1 << 20])]
        .into_iter()
        .chain(copies);
    put("copies.tar", &tar(one_and_many));
    let name = [
        b"\x1f\x8b\x08\x08\0\0\0\0\0\0".to_vec(),
        vec![b'n'; 80 << 20],
    ]
    .concat();
    put("name.gz", &name);
}

/// In the child: takes the archive in every way, and says how that went and what it took.
fn report(path: &Path) {
    let limits = Limits::default();
    let open = || File::open(path).unwrap();
    let walked = walk(open(), &limits, |_, content| {
        content
            .take(64 * 1024)
            .read_to_end(&mut Vec::new())
            .map(|_| ())
    });
    let place = tempfile::tempdir().unwrap();
    unpack(open(), &place.path().join("out"), &limits).err();
    let archive = Archive::open(open(), &limits, |_, _| Ok(()));
    if let Ok(mut archive) = archive {
        let last = archive.members().last().unwrap().entry.path.clone();
        archive.read(&last, 0, 1024).ok();
    }
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let most = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    let kind = walked.err().as_ref().map(kind).unwrap_or_default();
    println!("\nreport {} {kind}", most.trim().trim_end_matches(" kB"));
}

#[test]
fn a4_memory_stays_under_64_mib() {
    if let Some(path) = std::env::var_os(PATH) {
        return report(Path::new(&path));
    }
    let directory = tempfile::tempdir().unwrap();
    make_zips(directory.path());
    make_tars(directory.path());
    for (name, expected) in BOMBS {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", NAME, "--nocapture", "--test-threads=1"])
            .env(PATH, directory.path().join(name))
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = text.lines().find_map(|line| line.strip_prefix("report "));
        let line = line.unwrap_or_else(|| panic!("{name}: {text} {output:?}"));
        let (most, kind) = line.split_once(' ').unwrap();
        let most: u64 = most.parse().unwrap();
        println!("{name}: {most} KiB, {kind}");
        assert_eq!(kind, expected.unwrap_or_default(), "{name}");
        assert!(most < MOST_KIB, "{name} took {most} KiB");
    }
}
