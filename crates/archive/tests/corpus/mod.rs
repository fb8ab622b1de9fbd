//! Archives that are built byte by byte, so that every field can lie.
#![allow(dead_code, reason = "each test uses its own part")]
#![allow(clippy::too_many_lines, reason = "a table is as long as its rows")]

pub(crate) mod accept;
pub(crate) mod attempt;
pub(crate) mod reject;
pub(crate) mod tar;
pub(crate) mod tree;
pub(crate) mod zip;

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use prowess_archive::Error;

/// An archive and what is to become of it.
pub(crate) struct Row<T> {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) expected: T,
}

pub(crate) fn row<T>(name: impl Into<String>, bytes: Vec<u8>, expected: T) -> Row<T> {
    Row {
        name: name.into(),
        bytes,
        expected,
    }
}

pub(crate) fn rows_of<T, S: Into<String>, const N: usize>(
    table: [(S, Vec<u8>, T); N],
) -> Vec<Row<T>> {
    let rows = table.map(|(name, bytes, expected)| row(name, bytes, expected));
    rows.into()
}

pub(crate) fn deflate(data: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// Gzip that does not compress, for what is large and need not be small.
pub(crate) fn gzip_stored(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// A deflate stream of `mebibytes` times a million zeros, made by repeating one block.
pub(crate) fn deflated_zeros(mebibytes: usize) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&vec![0; 1 << 20]).unwrap();
    encoder.flush().unwrap();
    let block = encoder.get_ref().clone();
    let mut stream = block.repeat(mebibytes);
    // An empty last block.
    stream.extend([0x03, 0x00]);
    stream
}

/// The kind of an error, short enough for a table.
pub(crate) fn kind(error: &Error) -> String {
    let first =
        |text: String| -> String { text.chars().take_while(|c| c.is_alphanumeric()).collect() };
    match error {
        Error::Name { problem, .. } => format!("Name::{}", first(format!("{problem:?}"))),
        Error::Link { problem, .. } => format!("Link::{}", first(format!("{problem:?}"))),
        Error::Truncated { within } => format!("Truncated::{}", first(format!("{within:?}"))),
        Error::Zip(problem) => format!("Zip::{}", first(format!("{problem:?}"))),
        Error::Tar(problem) => format!("Tar::{}", first(format!("{problem:?}"))),
        other => first(format!("{other:?}")),
    }
}
