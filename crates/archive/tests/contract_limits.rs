//! The rows A4 and A5 of the contract: each limit, at it and one past it, in bytes that are really unpacked.
#![cfg(test)]

mod corpus;

use std::fs;
use std::io::Cursor;

use corpus::accept::{each, file};
use corpus::attempt::{UNTOUCHED, attack, count, outcome, refused};
use corpus::deflated_zeros;
use corpus::tar::{Entry, tar, targz};
use corpus::zip::{File, zip};
use prowess_archive::limits::{DEPTH, ENTRIES, FILE_BYTES, RATIO, RATIO_FREE_BYTES, TOTAL_BYTES};
use prowess_archive::{Error, Limits, walk};

/// A file with holes, so that gigabytes cost nothing.
fn sparse(parts: &[(u64, &[u8])], length: u64) -> fs::File {
    use std::os::unix::fs::FileExt;
    let file = tempfile::tempfile().unwrap();
    for (at, bytes) in parts {
        file.write_all_at(bytes, *at).unwrap();
    }
    file.set_len(length).unwrap();
    file
}

/// A tar archive of files of zeros, none of which is packed.
fn zeros(sizes: &[u64]) -> fs::File {
    let mut at = 0;
    let mut parts = Vec::new();
    for (number, size) in sizes.iter().enumerate() {
        let field: [u8; 12] = format!("{size:011o}\0").into_bytes().try_into().unwrap();
        parts.push((at, Entry::file(format!("f{number}"), "").size(&field).block));
        at += 512 + size.next_multiple_of(512);
    }
    let parts: Vec<_> = parts.iter().map(|(at, block)| (*at, &**block)).collect();
    sparse(&parts, at + 1024)
}

#[test]
fn a4_the_published_limits() {
    let limits = Limits::default();
    assert_eq!(limits.total_bytes, 104_857_600);
    assert_eq!(limits.file_bytes, 52_428_800);
    assert_eq!(limits.entries, 10_000);
    assert_eq!(limits.ratio, 100);
    assert_eq!(limits.ratio_free_bytes, 1_048_576);
    assert_eq!(limits.depth, 20);
}

#[test]
fn a4_total_at_the_limit_and_one_past_it() {
    let (half, total) = (TOTAL_BYTES / 2, TOTAL_BYTES);
    assert_eq!(outcome(zeros(&[half, half])), Ok(total));
    refused("TotalTooLarge", outcome(zeros(&[half, half, 1])));
    refused("TotalTooLarge", outcome(zeros(&[1, half, half])));
}

#[test]
fn a4_one_file_at_the_limit_and_one_past_it() {
    assert_eq!(outcome(zeros(&[FILE_BYTES])), Ok(FILE_BYTES));
    refused("FileTooLarge", outcome(zeros(&[FILE_BYTES + 1])));
    refused("FileTooLarge", outcome(zeros(&[1 << 32])));
}

#[test]
fn a4_sizes_of_zip_at_the_limit_and_one_past_it() {
    let limits = Limits {
        total_bytes: 30_000,
        file_bytes: 20_000,
        ..Limits::default()
    };
    let makers: [fn(&str, Vec<u8>) -> File; 2] = [
        |name, data| File::stored(name, data),
        |name, data| File::deflated(name, data),
    ];
    for make in makers {
        let of = |sizes: &[usize]| {
            let files = sizes.iter().zip(["a", "b", "c"]);
            zip(files.map(|(size, name)| make(name, vec![7; *size])))
        };
        assert_eq!(count(&of(&[20_000, 10_000]), &limits), Ok(30_000));
        refused("FileTooLarge", count(&of(&[20_001]), &limits));
        refused("TotalTooLarge", count(&of(&[20_000, 10_001]), &limits));
        refused("TotalTooLarge", count(&of(&[20_000, 10_000, 1]), &limits));
    }
}

#[test]
fn a4_entries_at_the_limit_and_one_past_it() {
    let names = |count: u64| (0..count).map(|number| format!("s{number}/SKILL.md"));
    let zips = |count| zip(names(count).map(|name| File::stored(name, "")));
    let tars = |count| targz(names(count).map(|name| Entry::file(name, "")));
    for make in [&zips as &dyn Fn(u64) -> Vec<u8>, &tars] {
        assert_eq!(outcome(Cursor::new(make(ENTRIES))), Ok(0));
        refused("TooManyEntries", outcome(Cursor::new(make(ENTRIES + 1))));
    }
}

#[test]
fn a4_depth_at_the_limit_and_one_past_it() {
    let deep = |parts: usize| "d/".repeat(parts - 1) + "f";
    for row in each("deep", &[file(deep(DEPTH))], &()) {
        assert_eq!(attack(&row.bytes).0, Ok(()));
    }
    for row in each("deeper", &[file(deep(DEPTH + 1))], &()) {
        let (result, left) = attack(&row.bytes);
        refused("Name::Deep", result);
        assert_eq!(left, UNTOUCHED);
    }
}

/// A deflate stream of so many zeros, made longer by empty blocks.
fn padded_zeros(size: usize, blocks: usize) -> Vec<u8> {
    let mut stream = [0, 0, 0, 0xff, 0xff].repeat(blocks);
    stream.extend(corpus::deflate(&vec![0; size]));
    stream
}

/// A size above what is free of any ratio, and a number of blocks with which its ratio is exactly the limit.
fn exact_ratio() -> (usize, usize) {
    let ratio = usize::try_from(RATIO).unwrap();
    let free = usize::try_from(RATIO_FREE_BYTES).unwrap();
    (2 * free / ratio / 5..)
        .find_map(|blocks| {
            // The packed size grows a thousand times more slowly than the size, so that this soon stands still.
            let mut size = 2 * free;
            for _ in 0..8 {
                let next = padded_zeros(size, blocks).len() * ratio;
                if next == size {
                    return Some((size, blocks));
                }
                size = next;
            }
            None
        })
        .unwrap()
}

#[test]
fn a4_ratio_at_the_limit_and_one_past_it() {
    let free = usize::try_from(RATIO_FREE_BYTES).unwrap();
    // A mebibyte may come from next to nothing.
    assert_eq!(
        outcome(Cursor::new(zip([File::deflated("a", vec![0; free])]))),
        Ok(RATIO_FREE_BYTES)
    );
    refused(
        "Ratio",
        outcome(Cursor::new(zip([File::deflated("a", vec![0; free + 1])]))),
    );
    let gzipped = |size: usize| targz([Entry::file("a", vec![0; size])]);
    assert_eq!(outcome(Cursor::new(gzipped(free))), Ok(RATIO_FREE_BYTES));
    refused("Ratio", outcome(Cursor::new(gzipped(free + 1))));
    // Beyond it, a hundred bytes for each packed one.
    let (size, blocks) = exact_ratio();
    let of = |size: usize| {
        let crc = crc32fast::hash(&vec![0; size]);
        let stream = padded_zeros(size, blocks);
        zip([File::packed("zeros", stream, size.try_into().unwrap(), crc)])
    };
    assert_eq!(outcome(Cursor::new(of(size))), Ok(size as u64));
    refused("Ratio", outcome(Cursor::new(of(size + 1))));
    // A bomb does not hide behind a file that does not compress.
    let mut random = 1_u64;
    let noise: Vec<u8> = (0..1 << 20)
        .map(|_| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (random >> 56) as u8
        })
        .collect();
    let hidden = zip([
        File::stored("noise", noise),
        File::deflated("zeros", vec![0; free + 1]),
    ]);
    refused("Ratio", outcome(Cursor::new(hidden)));
}

#[test]
fn a4_many_small_bombs_are_one() {
    let limits = Limits::default();
    let files = (0..40).map(|number| File::deflated(format!("{number}"), vec![0; 1 << 20]));
    refused("Ratio", count(&zip(files), &limits));
    let files = (0..40).map(|number| Entry::file(format!("{number}"), vec![0; 1 << 20]));
    refused("Ratio", count(&targz(files), &limits));
}

#[test]
fn a5_sizes_in_headers_count_for_nothing() {
    let zeros = deflated_zeros(80);
    for (declared, expected) in [(0, "Size"), (1, "Size"), (u32::MAX - 1, "Ratio")] {
        let bytes = zip([File::packed("a", zeros.clone(), declared, 0)]);
        refused(expected, outcome(Cursor::new(bytes)));
    }
    // A huge promise that is not kept is not a huge file.
    let promise = zip([File::deflated("a", "x").both(|head| head.size = 1 << 31)]);
    refused("Size", outcome(Cursor::new(promise)));
    let promise = tar([Entry::file("a", "x").size(b"77777777777\0")]);
    refused("Truncated::Content", outcome(Cursor::new(promise)));
    // What the visitor does not read is counted all the same, and what it reads is bounded.
    let limits = Limits {
        file_bytes: 10,
        ..Limits::default()
    };
    let eleven = zip([File::deflated("a", [b'x'; 11])]);
    refused("FileTooLarge", count(&eleven, &limits));
    let mut seen = Vec::new();
    let walked = walk(Cursor::new(&eleven), &limits, |_, content| {
        // An error that the visitor swallows is not lost.
        let _ = content.read_to_end(&mut seen);
        Ok(())
    });
    assert!(matches!(walked, Err(Error::FileTooLarge { .. })));
    assert!(seen.len() <= 10);
}
