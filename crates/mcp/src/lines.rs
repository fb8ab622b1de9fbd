//! Lines of bounded length.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

/// Bytes that are read at once.
const CHUNK: usize = 64 * 1024;

/// Reads lines. Giving up in the middle of one loses nothing.
pub(crate) struct LineReader<R> {
    reader: BufReader<R>,
    limit: usize,
    /// What was read of a line whose end has not come yet.
    line: Vec<u8>,
    /// Whether the rest of the line is passed over, because it is too long.
    skips: bool,
}

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line, without its end.
    Whole(Vec<u8>),
    /// The beginning of a line that is too long; nothing of it is kept.
    TooLong,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(crate) fn new(reader: R, limit: usize) -> Self {
        Self {
            reader: BufReader::with_capacity(CHUNK, reader),
            limit,
            line: Vec::new(),
            skips: false,
        }
    }

    /// The next line; nothing at the end, or where nothing can be read any more.
    pub(crate) async fn next(&mut self) -> Option<Line> {
        loop {
            let read = self.reader.fill_buf().await.ok()?;
            if read.is_empty() {
                return None;
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let part = read.get(..end.unwrap_or(read.len()))?;
            let fits = self.line.len() + part.len() <= self.limit;
            if fits && !self.skips {
                self.line.extend_from_slice(part);
            }
            let taken = part.len() + usize::from(end.is_some());
            self.reader.consume(taken);
            if self.skips {
                self.skips = end.is_none();
                continue;
            }
            if !fits {
                self.line = Vec::new();
                self.skips = end.is_none();
                return Some(Line::TooLong);
            }
            if end.is_some() {
                return Some(Line::Whole(std::mem::take(&mut self.line)));
            }
        }
    }
}

/// Writes a line, and its end behind it.
pub(crate) async fn write_line<W: AsyncWrite + Unpin>(
    writer: &Mutex<W>,
    mut line: Vec<u8>,
) -> io::Result<()> {
    line.push(b'\n');
    let mut writer = writer.lock().await;
    writer.write_all(&line).await?;
    writer.flush().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_line_that_is_too_long_is_passed_over() {
        let text = b"one\n\n12345678\n123456789\ntwo\nrest";
        for chunk in [1, 3, text.len()] {
            let (mut ours, theirs) = tokio::io::duplex(chunk);
            tokio::spawn(async move { ours.write_all(text).await });
            let mut lines = LineReader::new(theirs, 8);
            let mut found = Vec::new();
            while let Some(line) = lines.next().await {
                found.push(line);
            }
            let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
            let expected = [
                whole("one"),
                whole(""),
                whole("12345678"),
                Line::TooLong,
                whole("two"),
            ];
            assert_eq!(found, expected, "{chunk}");
        }
    }
}
