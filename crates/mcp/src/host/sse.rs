//! Server-sent events, as far as MCP uses them: the data of each event is a message.

use crate::limits::MESSAGE_BYTES;

/// Takes bytes as they come and hands out the data of each event.
#[derive(Default)]
pub(super) struct Events {
    line: Vec<u8>,
    data: Vec<u8>,
}

/// An event that is longer than any message may be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl Events {
    /// The data of the events that end within `bytes`.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, TooLong> {
        let mut events = Vec::new();
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if self.line.len() + self.data.len() > MESSAGE_BYTES {
                return Err(TooLong);
            }
            if self.line.last() == Some(&b'\n') {
                let line = std::mem::take(&mut self.line);
                events.extend(self.end_of_line(line.trim_ascii_end()));
            }
        }
        Ok(events)
    }

    fn end_of_line(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            return (!data.is_empty()).then_some(data);
        }
        // Comments, ids and retry times are nothing to us.
        if let Some(data) = line.strip_prefix(b"data:") {
            if !self.data.is_empty() {
                self.data.push(b'\n');
            }
            self.data.extend_from_slice(data.trim_ascii_start());
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_joined_from_chunks() {
        let stream = b": hello\r\nid: 1\r\ndata:\r\n\r\nevent: message\ndata: {\"a\":\ndata: 1}\n\ndata: 2\n\n";
        for size in [1, 7, stream.len()] {
            let mut events = Events::default();
            let pieces = stream
                .chunks(size)
                .flat_map(|piece| events.take(piece).unwrap());
            let found: Vec<Vec<u8>> = pieces.collect();
            assert_eq!(found, [b"{\"a\":\n1}".to_vec(), b"2".to_vec()], "{size}");
        }
    }

    #[test]
    fn endless_event_is_rejected() {
        let mut events = Events::default();
        let piece = vec![b'x'; MESSAGE_BYTES / 2 + 1];
        assert!(events.take(&piece).is_ok());
        assert_eq!(events.take(&piece), Err(TooLong));
    }
}
