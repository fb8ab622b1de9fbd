//! Zip archives with bytes where none should be, and records that point elsewhere.

use prowess_testing::table;

use super::ProblemName;
use crate::corpus::zip::{File, Zip, zip};
use crate::corpus::{Row, rows_of};

pub(super) fn rows() -> Vec<Row<ProblemName>> {
    let a = || File::deflated("a", "hello");
    let b = || File::stored("b", "world");
    let with = |change: fn(&mut Zip)| Zip::of([a(), b()]).change(change).bytes();
    let whole = zip([a(), b()]);
    let inner = zip([File::stored("evil", "")]);
    let shell = [b"#!/bin/sh\nexit\n", &*whole].concat();
    rows_of(table![
        "prepended", with(|zip| zip.prefix = b"PK\x03\x04".to_vec()), "Zip::Gap";
        "prepended and hidden",
        with(|zip| { zip.prefix = b"PK\x03\x04".to_vec(); zip.end.offset = Some(4); }),
        "Zip::Directory";
        "self-extracting", shell, "NotAnArchive";
        "trailing byte", with(|zip| zip.suffix = vec![0]), "Zip::NoEnd";
        "trailing line", with(|zip| zip.suffix = b"\n".to_vec()), "Zip::NoEnd";
        "trailing zip", [whole.clone(), inner.clone()].concat(), "Zip::Directory";
        "trailing 70,000 bytes", with(|zip| zip.suffix = vec![0; 70_000]), "Zip::NoEnd";
        "comment shorter than said", with(|zip| zip.end.comment_length = Some(1)), "Zip::NoEnd";
        "comment longer than said",
        with(|zip| { zip.end.comment = b"hidden".to_vec(); zip.end.comment_length = Some(2); }),
        "Zip::NoEnd";
        "zip in the comment",
        Zip::of([a()]).change(|zip| zip.end.comment.clone_from(&inner)).bytes(),
        "Zip::ManyEnds";
        "end in the comment",
        with(|zip| { zip.end.comment = [b"PK\x05\x06", &[0; 18][..]].concat(); }),
        "Zip::ManyEnds";
        "end in the comment, unsound",
        with(|zip| { zip.end.comment = [b"PK\x05\x06", &[1; 20][..]].concat(); }),
        "Zip::NoEnd";
        "two ends that fit", two_ends(), "Zip::ManyEnds";
        "gap before the list", with(|zip| zip.before_list = vec![0]), "Zip::Trailing";
        "gap after the list", with(|zip| zip.after_list = vec![0]), "Zip::Directory";
        "gap in the central directory",
        with(|zip| { zip.after_list = vec![0]; zip.end.size = Some(46 * 2 + 2 + 1); }),
        "Zip::Count";
        "gap between entries", zip([a(), b().change(|file| file.before = vec![0])]), "Zip::Gap";
        "gap before entries", zip([a().change(|file| file.before = vec![b'P', b'K', 3, 4])]), "Zip::Gap";
        "hidden entry first", zip([a().change(|file| file.is_listed = false), b()]), "Zip::Gap";
        "hidden entry between",
        zip([a(), b().change(|file| file.is_listed = false), File::stored("c", "")]),
        "Zip::Gap";
        "hidden entry last", zip([a(), b().change(|file| file.is_listed = false)]), "Zip::Trailing";
        "entry listed twice",
        zip([a(), a().change(|file| { file.local.signature = 0; file.central.offset = Some(0); })]),
        "Zip::Overlap";
        "two names for one entry", overlapping(), "Zip::Overlap";
        "quoted overlap", quoted_overlap(), "Zip::Overlap";
        "entry in an entry", entry_in_an_entry(), "Zip::Overlap";
        "entry past the end", zip([a(), b().central(|head| head.offset = Some(1 << 30))]), "Zip::Gap";
        "content past the list", zip([a().both(|head| head.packed = 1 << 20)]), "Zip::Directory";
        "one entry too many declared",
        with(|zip| (zip.end.count, zip.end.count_here) = (Some(3), Some(3))),
        "Zip::Count";
        "one entry too few declared",
        with(|zip| (zip.end.count, zip.end.count_here) = (Some(1), Some(1))),
        "Zip::Count";
        "no entries declared",
        with(|zip| (zip.end.count, zip.end.count_here) = (Some(0), Some(0))),
        "Zip::Count";
        "counts differ", with(|zip| zip.end.count = Some(3)), "Zip::Parts";
        "second disk", with(|zip| zip.end.disk = 1), "Zip::Parts";
        "list on second disk", with(|zip| zip.end.list_disk = 1), "Zip::Parts";
        "zip64 count",
        with(|zip| (zip.end.count, zip.end.count_here) = (Some(u16::MAX), Some(u16::MAX))),
        "Zip::Zip64";
        "zip64 offset", with(|zip| zip.end.offset = Some(u32::MAX)), "Zip::Zip64";
        "zip64 locator", with(|zip| zip.after_list = [b"PK\x06\x07", &[0; 16][..]].concat()), "Zip::Zip64";
        "zip64 locator in a comment",
        zip([a().central(|head| { head.comment = [b"PK\x06\x07", &[0; 16][..]].concat(); })]),
        "Zip::Zip64";
        "list elsewhere", with(|zip| zip.end.offset = Some(0)), "Zip::Directory";
        "list larger than the file", with(|zip| zip.end.size = Some(1 << 20)), "Zip::Directory";
        "list of a gigabyte", with(|zip| zip.end.size = Some(1 << 30)), "Metadata";
        "10,001 entries",
        zip((0..10_001).map(|number| File::stored(format!("{number}"), ""))),
        "TooManyEntries";
        "truncated in the end", whole[..whole.len() - 1].to_vec(), "Zip::NoEnd";
        "truncated in the central directory", whole[..whole.len() - 40].to_vec(), "Zip::NoEnd";
        "truncated in an entry", whole[..40].to_vec(), "Zip::NoEnd";
        "truncated at the front", whole[1..].to_vec(), "NotAnArchive";
    ])
}

/// Two records, each with a comment that reaches to the end.
fn two_ends() -> Vec<u8> {
    let inner = [b"PK\x05\x06", &[0; 16][..], &22_u16.to_le_bytes()].concat();
    let zip = Zip::of([File::stored("a", inner)]);
    // The content of the entry is an end record whose comment is all the rest.
    let mut bytes = zip.bytes();
    let rest = u16::try_from(bytes.len() - (31 + 22)).unwrap();
    bytes[31 + 20..31 + 22].copy_from_slice(&rest.to_le_bytes());
    bytes
}

/// Two list entries for the same bytes.
fn overlapping() -> Vec<u8> {
    let first = File::stored("a", "hello");
    let second = File::stored("b", "hello").central(|head| head.offset = Some(0));
    let mut zip = Zip::of([first.clone()]);
    zip.files.push(second);
    let bytes = zip.bytes();
    // The second entry itself is cut out again.
    let length = 31 + 5;
    let mut cut = bytes[..length].to_vec();
    cut.extend(&bytes[2 * length..]);
    let end = cut.len() - 22;
    cut[end + 16..end + 20].copy_from_slice(&u32::try_from(length).unwrap().to_le_bytes());
    cut
}

/// The bomb of overlapping entries: each quotes the header of the next and shares its content.
fn quoted_overlap() -> Vec<u8> {
    let second = File::deflated("b", vec![0; 4096]);
    let tail = zip([second.clone()]);
    let header = &tail[..31];
    // A stored block that holds the header of the second entry, then its content.
    let length = u16::try_from(header.len()).unwrap();
    let mut quoted = vec![0];
    quoted.extend(length.to_le_bytes());
    quoted.extend((!length).to_le_bytes());
    quoted.extend(header);
    let all = [&*quoted, &second.content].concat();
    let first = File::packed("a", all, 31 + 4096, 0).change(|file| file.content = quoted);
    zip([first, second])
}

fn entry_in_an_entry() -> Vec<u8> {
    let inner = zip([File::stored("b", "hello")])[..31 + 5].to_vec();
    let outer = File::stored("a", &inner);
    let hidden = File::stored("b", "hello").central(|head| head.offset = Some(31));
    let mut zip = Zip::of([outer]);
    zip.files.push(hidden);
    zip.bytes()
}
