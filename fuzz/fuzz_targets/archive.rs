//! Any bytes as an archive: refused, or the same in every way of reading it.
#![no_main]

use std::collections::BTreeSet;
use std::io::{Cursor, Read};

use libfuzzer_sys::fuzz_target;
use prowess_archive::{Archive, EntryKind, Limits, walk};

/// Small enough that bombs cost no time.
const LIMITS: Limits = Limits {
    total_bytes: 1 << 20,
    file_bytes: 1 << 19,
    entries: 200,
    ratio: 100,
    ratio_free_bytes: 1 << 16,
    depth: 20,
};

fuzz_target!(|data: &[u8]| {
    let mut seen = 0;
    let walked = walk(Cursor::new(data), &LIMITS, |_, content| {
        // Some of the content, so that the rest has to be drained.
        seen += content.take(100).read_to_end(&mut Vec::new())?;
        Ok(())
    });
    let opened = Archive::open(Cursor::new(data), &LIMITS, |_, _| Ok(()));
    let (Ok(summary), Ok(mut archive)) = (&walked, opened) else {
        assert!(walked.is_err(), "walked and could not be opened");
        return;
    };
    assert_eq!(*summary, archive.summary());
    let members: Vec<_> = archive.members().cloned().collect();
    let paths: BTreeSet<_> = members.iter().map(|member| &member.entry.path).collect();
    assert_eq!(paths.len(), members.len(), "two entries with one path");
    let bytes: u64 = members.iter().map(|member| member.size).sum();
    assert_eq!(bytes, summary.bytes);
    assert!(summary.bytes <= LIMITS.total_bytes && summary.entries <= LIMITS.entries);
    assert!(seen as u64 <= summary.bytes);
    for member in members {
        let path = &member.entry.path;
        if matches!(member.entry.kind, EntryKind::File(_) | EntryKind::HardLink(_)) {
            let content = archive.read(path, 0, usize::MAX).expect("a member is read");
            assert_eq!(content.len() as u64, member.size, "{path}");
        }
        archive.resolve(path);
    }
});
