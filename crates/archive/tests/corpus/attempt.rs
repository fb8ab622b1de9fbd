//! Taking an archive, and what is left behind.

use std::fs;
use std::io::{Cursor, Read, Seek};

use prowess_archive::{Limits, unpack, walk};

use super::{kind, tree};

pub(crate) fn count(bytes: &[u8], limits: &Limits) -> Result<u64, String> {
    let walked = walk(Cursor::new(bytes), limits, |_, _| Ok(()));
    walked
        .map(|summary| summary.bytes)
        .map_err(|error| kind(&error))
}

/// What became of a reader under the published limits.
pub(crate) fn outcome(reader: impl Read + Seek) -> Result<u64, String> {
    let walked = walk(reader, &Limits::default(), |_, _| Ok(()));
    walked
        .map(|summary| summary.bytes)
        .map_err(|error| kind(&error))
}

pub(crate) fn refused<T: std::fmt::Debug>(expected: &str, result: Result<T, String>) {
    assert_eq!(result.unwrap_err(), expected);
}

/// Unpacks beside a sentinel, and says what is there afterwards.
pub(crate) fn attack(bytes: &[u8]) -> (Result<(), String>, Vec<String>) {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("parent")).unwrap();
    fs::write(place.path().join("x"), "sentinel").unwrap();
    let destination = place.path().join("parent/out");
    let result = unpack(Cursor::new(bytes), &destination, &Limits::default());
    (
        result.map(|_| ()).map_err(|error| kind(&error)),
        tree::lines(place.path()),
    )
}

pub(crate) const UNTOUCHED: [&str; 2] = ["parent/", "x=sentinel"];
