//! What holds whatever the bytes.
#![cfg(test)]

mod corpus;

use std::fs;
use std::io::Cursor;

use corpus::accept::{Item, directory, each, file, link};
use corpus::tar::{Entry, tar};
use corpus::zip::{Descriptor, File, zip};
use corpus::{gzip, tree};
use proptest::prelude::*;
use prowess_archive::{Archive, EntryKind, Limits, unpack, walk};
use prowess_testing::properties;

/// Takes the bytes in every way; what can be said of the outcome is said here.
fn take(bytes: &[u8]) {
    let limits = Limits::default();
    let place = tempfile::tempdir().unwrap();
    let parent = place.path().join("parent");
    fs::create_dir(&parent).unwrap();
    fs::write(place.path().join("x"), "sentinel").unwrap();
    let walked = walk(Cursor::new(bytes), &limits, |_, _| Ok(()));
    let opened = Archive::open(Cursor::new(bytes), &limits, |_, _| Ok(()));
    let unpacked = unpack(Cursor::new(bytes), &parent.join("out"), &limits);
    assert_eq!(walked.is_ok(), unpacked.is_ok());
    assert_eq!(walked.is_ok(), opened.is_ok());
    if let (Ok(tree), Ok(mut archive)) = (&unpacked, opened) {
        let sum: u64 = tree.members.iter().map(|member| member.size).sum();
        assert_eq!(sum, tree.summary.bytes);
        for member in &tree.members {
            let path = &member.entry.path;
            let there = parent.join("out").join(path.as_str());
            if matches!(
                member.entry.kind,
                EntryKind::File(_) | EntryKind::HardLink(_)
            ) {
                let content = archive.read(path, 0, usize::MAX).unwrap();
                assert_eq!(content, fs::read(&there).unwrap());
            }
            if let Ok(real) = there.canonicalize() {
                let root = parent.join("out").canonicalize().unwrap();
                assert!(
                    real.starts_with(&root),
                    "{path} leads to {}",
                    real.display()
                );
            }
        }
        fs::remove_dir_all(parent.join("out")).unwrap();
    }
    assert_eq!(tree::lines(place.path()), ["parent/", "x=sentinel"]);
}

fn sound() -> Vec<Vec<u8>> {
    let items = [
        directory("d/"),
        file("d/SKILL.md"),
        Item::Program(b"d/run.sh".to_vec(), b"#!/bin/sh\n".to_vec()),
        link("d/l", "../a"),
        link("up", "d"),
        file("a"),
    ];
    let mut all: Vec<Vec<u8>> = each("all", &items, &())
        .into_iter()
        .map(|row| row.bytes)
        .collect();
    all.truncate(2);
    all.push(zip([
        File::deflated("a", "hello".repeat(50)).descriptor(Descriptor::ShortSigned),
        File::stored("b", "b").zip64(),
        File::symlink("l", "a"),
    ]));
    all.push(tar([
        Entry::pax(&[("path", "a/long/name"), ("size", "5")]),
        Entry::file("a", "hello"),
        Entry::long(b'L', "b/long/name"),
        Entry::file("b", "").gnu(),
        Entry::hard_link("h", "a/long/name"),
        Entry::symlink("l", "b/long"),
    ]));
    all
}

/// One change of the bytes.
fn change() -> impl Strategy<Value = (prop::sample::Index, u8, u8)> {
    (any::<prop::sample::Index>(), 0_u8..6, any::<u8>())
}

/// Makes the sums of all headers right again, so that changes get past them.
fn mend(bytes: &mut [u8]) {
    for block in bytes.chunks_exact_mut(512) {
        if &block[257..262] == b"ustar" {
            block[148..156].fill(b' ');
            let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
            block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        }
    }
}

proptest! {
    #![proptest_config(properties(400))]

    #[test]
    fn any_bytes_are_an_archive_or_an_error(
        start in prop::sample::select(vec![&b""[..], b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08\0\0\0\0\0\0\0"]),
        bytes in prop::collection::vec(any::<u8>(), 0..2000),
    ) {
        take(&[start, &bytes].concat());
    }

    #[test]
    fn any_tar_blocks_are_an_archive_or_an_error(
        mut bytes in prop::collection::vec(prop::sample::select(b"\0\0\0\0\0 0157Lxg/.a\xff".to_vec()), 512..4096),
    ) {
        for block in bytes.chunks_exact_mut(512) {
            block[257..265].copy_from_slice(b"ustar\x0000");
        }
        mend(&mut bytes);
        take(&bytes);
        take(&gzip(&bytes));
    }

    #[test]
    fn changed_archives_stay_inside(
        which in 0..4_usize,
        changes in prop::collection::vec(change(), 1..4),
        fixed in any::<bool>(),
    ) {
        let mut bytes = sound().swap_remove(which);
        for (index, how, value) in changes {
            let at = index.index(bytes.len().max(1));
            match how {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, value),
                2 if at < bytes.len() => { bytes.remove(at); }
                _ if at < bytes.len() => bytes[at] = value,
                _ => {}
            }
        }
        if fixed && bytes.get(257..262) == Some(b"ustar") {
            mend(&mut bytes);
            take(&gzip(&bytes));
        }
        take(&bytes);
    }

    #[test]
    fn any_names_stay_inside(
        names in prop::collection::vec("[a./\\\\C:A\u{e9}]{0,8}", 1..5),
        targets in prop::collection::vec("[a./]{1,8}", 1..5),
    ) {
        let mut items: Vec<Item> = Vec::new();
        for (name, target) in names.iter().zip(&targets) {
            items.push(if name.len() % 2 == 0 { file(name) } else { link(name, target) });
        }
        for row in each("names", &items, &()) {
            take(&row.bytes);
        }
    }
}

#[test]
fn the_archives_to_change_are_sound() {
    for bytes in sound() {
        walk(Cursor::new(bytes), &Limits::default(), |_, _| Ok(())).unwrap();
    }
}
