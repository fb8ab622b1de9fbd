//! A file as a stream.

use std::fs::File;
use std::io::{self, Read};

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use tokio::task::{JoinHandle, spawn_blocking};

use super::limits::CHUNK;

/// A piece of a file, and the rest of the file.
pub(super) struct Piece {
    bytes: Bytes,
    file: File,
    left: u64,
}

/// Reads the next piece of `left` bytes of a file.
pub(super) fn read_piece(mut file: File, left: u64) -> io::Result<Piece> {
    let size = usize::try_from(left).map_or(CHUNK, |left| left.min(CHUNK));
    let mut bytes = Vec::with_capacity(size);
    // Into memory that was not cleared before.
    (&mut file).take(size as u64).read_to_end(&mut bytes)?;
    if bytes.len() < size {
        return Err(io::Error::new(
            io::ErrorKind::UnexpectedEof,
            "the package became shorter while it was read",
        ));
    }
    Ok(Piece {
        left: left - size as u64,
        bytes: bytes.into(),
        file,
    })
}

enum Next {
    Piece(Piece),
    Reading(JoinHandle<io::Result<Piece>>),
}

/// A file from its first piece on. While a piece is sent, the next one is read: one change of threads for each, and
/// no thread that waits for a slow client.
pub(super) fn stream(first: Piece) -> BoxStream<'static, io::Result<Bytes>> {
    stream::unfold(Some(Next::Piece(first)), |next| async move {
        let piece = match next? {
            Next::Piece(piece) => Ok(piece),
            Next::Reading(task) => task.await.unwrap_or_else(|error| Err(error.into())),
        };
        match piece {
            Err(error) => Some((Err(error), None)),
            Ok(Piece { bytes, file, left }) => {
                let next = || Next::Reading(spawn_blocking(move || read_piece(file, left)));
                (!bytes.is_empty()).then(|| (Ok(bytes), (left > 0).then(next)))
            }
        }
    })
    .fuse()
    .boxed()
}
