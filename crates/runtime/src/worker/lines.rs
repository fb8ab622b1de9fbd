//! Reads lines of bounded length.

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// The result of reading a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line without its terminator.
    Whole,
    /// A line that is too long.
    TooLong,
    /// The end of the stream.
    End,
}

/// Reads the next line into `line`, reusing its memory.
pub(super) async fn next(
    reader: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
    limit: usize,
) -> Line {
    line.clear();
    loop {
        let Ok(available) = reader.fill_buf().await else {
            return Line::End;
        };
        if available.is_empty() {
            // An incomplete line is no message.
            return Line::End;
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let (taken, whole) = match end {
            Some(end) => (end, true),
            None => (available.len(), false),
        };
        if line.len() + taken > limit {
            return Line::TooLong;
        }
        line.extend_from_slice(available.get(..taken).unwrap_or_default());
        reader.consume(taken + usize::from(whole));
        if whole {
            return Line::Whole;
        }
    }
}
