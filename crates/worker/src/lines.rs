//! Lines of bounded length.

use std::io::{self, BufRead, BufReader, Read};

use prowess_sdk::wire::MAX_LINE;

/// Bytes that are read at once.
const CHUNK: usize = 64 * 1024;

/// The result of a read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line, without its end.
    Whole(Vec<u8>),
    /// The beginning of a line that is too long; where the next one begins is not known.
    TooLong,
    /// End of input.
    End,
}

/// Reads lines.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader: BufReader::with_capacity(CHUNK, reader),
        }
    }

    /// The next line. Text after the last line end is not a line.
    pub(crate) fn next(&mut self) -> io::Result<Line> {
        let mut line = Vec::new();
        let most = u64::try_from(MAX_LINE)
            .unwrap_or(u64::MAX)
            .saturating_add(1);
        let mut rest = self.reader.by_ref().take(most);
        rest.read_until(b'\n', &mut line)?;
        if line.pop_if(|last| *last == b'\n').is_some() {
            return Ok(Line::Whole(line));
        }
        Ok(if line.len() > MAX_LINE {
            Line::TooLong
        } else {
            Line::End
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_and_bounded() {
        let longest = "x".repeat(MAX_LINE);
        let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
        let table = [
            (String::new(), vec![Line::End]),
            ("rest".to_owned(), vec![Line::End]),
            (
                "one\n\ntwo\nrest".to_owned(),
                vec![whole("one"), whole(""), whole("two"), Line::End],
            ),
            (format!("{longest}\n"), vec![whole(&longest), Line::End]),
            (format!("{longest}x\n"), vec![Line::TooLong]),
            (format!("{longest}xxx"), vec![Line::TooLong]),
        ];
        for (text, expected) in table {
            let mut lines = Lines::new(text.as_bytes());
            for line in expected {
                assert!(lines.next().unwrap() == line, "{} bytes", text.len());
            }
        }
    }
}
