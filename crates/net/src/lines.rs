//! Lines of bounded length.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// Bytes that are read at once.
const CHUNK: usize = 64 * 1024;

/// Reads lines. A call that is cancelled loses nothing.
pub struct LineReader<R> {
    reader: BufReader<R>,
    limit: usize,
    /// What was read of a line whose end has not come yet.
    line: Vec<u8>,
    /// Whether the rest of the line is skipped, because it is too long.
    skips: bool,
}

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// A line, without its end.
    Whole(Vec<u8>),
    /// A line that is too long; the next call returns the line after it.
    TooLong,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Reads lines of at most `limit` bytes.
    pub fn new(reader: R, limit: usize) -> Self {
        Self {
            reader: BufReader::with_capacity(CHUNK, reader),
            limit,
            line: Vec::new(),
            skips: false,
        }
    }

    /// The next line; none at the end, or if reading fails. Bytes after the last line end are no line.
    pub async fn next(&mut self) -> Option<Line> {
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

    /// Gives a line's memory back, so that the next line needs none.
    pub fn reuse(&mut self, mut line: Vec<u8>) {
        if self.line.is_empty() {
            line.clear();
            self.line = line;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    #[tokio::test]
    async fn a_line_that_is_too_long_is_skipped() {
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
