//! Lines that cannot become too long.

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line, without its end.
    Whole,
    /// More than a line may hold.
    TooLong,
    /// Nothing more.
    End,
}

/// Reads the next line into `line`, which keeps its room.
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
            // Half a line is no message.
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
