//! Every archive of the corpus: those to accept give their tree, those to reject leave no trace.
#![cfg(test)]

mod corpus;

use std::fs;
use std::io::Cursor;
use std::path::Path;

use corpus::{Row, accept, kind, reject, tree};
use prowess_archive::{Archive, EntryKind, Limits, unpack, walk};

/// A place with something beside the destination, which must not change.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir_all(place.path().join("parent")).unwrap();
    fs::write(place.path().join("x"), "sentinel").unwrap();
    fs::write(place.path().join("parent/x"), "sentinel").unwrap();
    place
}

fn accepted(row: &Row<Vec<&str>>) -> Result<(), String> {
    let limits = Limits::default();
    let place = place();
    let before = tree::lines(place.path());
    let destination = place.path().join("parent/out");
    let reader = || Cursor::new(&row.bytes);
    let unpacked = unpack(reader(), &destination, &limits).map_err(|error| error.to_string())?;
    let lines = tree::lines(&destination);
    if lines != row.expected {
        return Err(format!("unpacks to {lines:?}"));
    }
    // What is read in place is what is unpacked.
    let mut archive = Archive::open(reader(), &limits, |_, _| Ok(())).unwrap();
    let members: Vec<_> = archive.members().cloned().collect();
    assert_eq!(members, unpacked.members, "{}", row.name);
    for member in &members {
        let path = &member.entry.path;
        if matches!(
            member.entry.kind,
            EntryKind::File(_) | EntryKind::HardLink(_)
        ) {
            let content = archive.read(path, 0, usize::MAX).unwrap();
            let written = fs::read(destination.join(path.as_str())).unwrap();
            assert_eq!(content, written, "{}: {path}", row.name);
            assert_eq!(content.len() as u64, member.size, "{}: {path}", row.name);
        }
    }
    fs::remove_dir_all(&destination).unwrap();
    assert_eq!(tree::lines(place.path()), before, "{}", row.name);
    Ok(())
}

fn rejected(row: &Row<&str>) -> Result<(), String> {
    let limits = Limits::default();
    let place = place();
    let before = tree::lines(place.path());
    let parent = place.path().join("parent");
    let outcomes = |parent: &Path| {
        let reader = || Cursor::new(&row.bytes);
        [
            unpack(reader(), &parent.join("out"), &limits).err(),
            walk(reader(), &limits, |_, _| Ok(())).err(),
            Archive::open(reader(), &limits, |_, _| Ok(())).err(),
        ]
    };
    for error in outcomes(&parent) {
        let kind = error.as_ref().map(kind);
        if kind.as_deref() != Some(row.expected) {
            return Err(format!("{kind:?} instead of {}: {error:?}", row.expected));
        }
        let error = error.unwrap().of("some.zip").to_string();
        assert!(
            error.starts_with("`some.zip`") && error.len() < 2000,
            "{error}"
        );
        assert!(!error.contains(char::is_control), "{error}");
    }
    assert_eq!(tree::lines(place.path()), before, "{}", row.name);
    Ok(())
}

fn report(failures: &[String]) {
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n"));
}

#[test]
fn accept_all() {
    let rows = accept::rows();
    assert!(rows.len() >= 80, "{}", rows.len());
    let outcome = |row: &Row<_>| {
        accepted(row)
            .err()
            .map(|why| format!("{}: {why}", row.name))
    };
    report(&rows.iter().filter_map(outcome).collect::<Vec<_>>());
}

#[test]
fn reject_all() {
    let rows = reject::rows();
    assert!(rows.len() >= 300, "{}", rows.len());
    let outcome = |row: &Row<_>| {
        rejected(row)
            .err()
            .map(|why| format!("{}: {why}", row.name))
    };
    report(&rows.iter().filter_map(outcome).collect::<Vec<_>>());
}
