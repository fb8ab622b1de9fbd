//! The bytes of a tar archive, counted.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;

use crate::error::Error;
use crate::fields::fill;
use crate::problem::{TarProblem, Within};

const BUFFER: usize = 64 * 1024;

/// A stream that knows how far it has come.
pub(super) struct Stream<R> {
    source: Source<R>,
    at: u64,
}

enum Source<R> {
    Plain(BufReader<R>),
    /// Buffered on both sides, since headers are read in small pieces.
    Gzip(Box<BufReader<GzDecoder<BufReader<R>>>>),
}

impl<R: Read> Stream<R> {
    pub(super) fn plain(reader: R) -> Self {
        let source = Source::Plain(BufReader::with_capacity(BUFFER, reader));
        Self { source, at: 0 }
    }

    pub(super) fn gzip(reader: R) -> Self {
        let packed = BufReader::with_capacity(BUFFER, reader);
        let unpacked = BufReader::with_capacity(BUFFER, GzDecoder::new(packed));
        let source = Source::Gzip(Box::new(unpacked));
        Self { source, at: 0 }
    }

    /// The bytes that were read.
    pub(super) fn position(&self) -> u64 {
        self.at
    }

    /// Fills a buffer as far as possible.
    pub(super) fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        fill(self, buffer).map_err(broken)
    }

    /// The end of the tar stream was seen; the file must end with it.
    ///
    /// A second gzip member is refused as well: some readers continue with it and some do not.
    pub(super) fn finish(self) -> Result<(), Error> {
        let rest = match self.source {
            Source::Plain(mut plain) => plain.fill_buf().map(<[u8]>::is_empty),
            Source::Gzip(gzip) => {
                let mut packed = (*gzip).into_inner().into_inner();
                packed.fill_buf().map(<[u8]>::is_empty)
            }
        };
        if rest.map_err(Error::Read)? {
            Ok(())
        } else {
            Err(TarProblem::Trailing.into())
        }
    }
}

impl<R: Read> Read for Stream<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.source {
            Source::Plain(plain) => plain.read(buffer)?,
            Source::Gzip(gzip) => gzip.read(buffer)?,
        };
        self.at = self.at.saturating_add(read as u64);
        Ok(read)
    }
}

/// Maps an error outside the content of a file.
fn broken(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Error::Truncated {
            within: Within::Compression,
        },
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => TarProblem::Gzip.into(),
        _ => Error::Read(error),
    }
}
