//! Keys, from the bytes that a terminal sends for them.

/// A key that means something to a picker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Character(char),
    Backspace,
    /// Ctrl-U: removes the filter.
    Clear,
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    /// Ctrl-A.
    All,
    Enter,
    /// Esc and Ctrl-C.
    Cancel,
}

/// Whether more bytes may belong to the last key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    Pending,
    Complete,
}

/// Takes whole keys from the start of what was read.
pub(super) fn take_keys(bytes: &mut Vec<u8>, input: Input) -> Vec<Key> {
    let mut keys = Vec::new();
    let mut rest = bytes.as_slice();
    while let Some((key, length)) = first_key(rest, input) {
        keys.extend(key);
        rest = rest.get(length..).unwrap_or_default();
    }
    let left = rest.len();
    bytes.drain(..bytes.len() - left);
    keys
}

/// The first key, if it is one that we know, and its length; `None` if it is not whole.
fn first_key(bytes: &[u8], input: Input) -> Option<(Option<Key>, usize)> {
    let key = match *bytes.first()? {
        0x1b => return escape(bytes, input),
        b'\r' | b'\n' => Key::Enter,
        0x01 => Key::All,
        0x03 => Key::Cancel,
        0x08 | 0x7f => Key::Backspace,
        0x0e => Key::Down,
        0x10 => Key::Up,
        0x15 => Key::Clear,
        0x00..0x20 => return Some((None, 1)),
        _ => return character(bytes, input),
    };
    Some((Some(key), 1))
}

/// Esc alone, or the sequence of a key.
fn escape(bytes: &[u8], input: Input) -> Option<(Option<Key>, usize)> {
    let alone = (input == Input::Complete).then_some((Some(Key::Cancel), 1));
    let rest = match bytes.get(1) {
        Some(b'[' | b'O') => bytes.get(2..).unwrap_or_default(),
        // With Alt.
        Some(_) => return Some((None, 2)),
        None => return alone,
    };
    let is_final = |byte: &u8| (0x40..0x7f).contains(byte);
    let Some(end) = rest.iter().position(is_final) else {
        return (input == Input::Complete).then_some((None, bytes.len()));
    };
    let key = match rest.get(..=end).unwrap_or_default() {
        b"A" => Some(Key::Up),
        b"B" => Some(Key::Down),
        b"H" | b"1~" | b"7~" => Some(Key::Home),
        b"F" | b"4~" | b"8~" => Some(Key::End),
        b"5~" => Some(Key::PageUp),
        b"6~" => Some(Key::PageDown),
        _ => None,
    };
    Some((key, end + 3))
}

fn character(bytes: &[u8], input: Input) -> Option<(Option<Key>, usize)> {
    let start = bytes.get(..bytes.len().min(4)).unwrap_or_default();
    let chunk = start.utf8_chunks().next()?;
    match chunk.valid().chars().next() {
        Some(c) => Some((Some(Key::Character(c)), c.len_utf8())),
        // The rest of a character comes with the next read.
        None if chunk.invalid().len() == bytes.len() && input == Input::Pending => None,
        None => Some((None, chunk.invalid().len().max(1))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_keys() {
        use Key::{Character, Down, End, Enter, Home, PageDown, PageUp, Up};
        for (bytes, expected) in [
            (&b"a \r"[..], &[Character('a'), Character(' '), Enter][..]),
            ("é表".as_bytes(), &[Character('é'), Character('表')]),
            (b"\x1b[A\x1bOB\x1b[5~\x1b[6~", &[Up, Down, PageUp, PageDown]),
            (b"\x1b[H\x1b[F\x1b[1~\x1b[4~", &[Home, End, Home, End]),
            (b"\x1b[1;5C\x1b[200~\x1bx\x02", &[]),
            (
                b"\x7f\x15\x01\x03",
                &[Key::Backspace, Key::Clear, Key::All, Key::Cancel],
            ),
            (b"\xff\xc3(", &[Character('(')]),
        ] {
            let mut bytes = bytes.to_vec();
            assert_eq!(take_keys(&mut bytes, Input::Pending), expected);
            assert_eq!(bytes, b"");
        }
    }

    #[test]
    fn a_part_of_a_key_waits_for_the_rest() {
        for part in [&b"\x1b"[..], b"\x1b[", b"\x1b[5", b"\xe8\xa1"] {
            let mut bytes = part.to_vec();
            assert_eq!(take_keys(&mut bytes, Input::Pending), []);
            assert_eq!(bytes, part);
        }
        let mut bytes = b"\x1b".to_vec();
        assert_eq!(take_keys(&mut bytes, Input::Complete), [Key::Cancel]);
        let mut bytes = b"\x1b[5".to_vec();
        assert_eq!(take_keys(&mut bytes, Input::Complete), []);
        assert_eq!(bytes, b"");
    }
}
