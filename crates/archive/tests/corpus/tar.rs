//! A writer of tar archives that lies when told to.

pub(crate) const BLOCK: usize = 512;

/// One header and what follows it.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) block: Vec<u8>,
    pub(crate) content: Vec<u8>,
    /// What fills the last block.
    pub(crate) padding: u8,
}

impl Entry {
    pub(crate) fn new(kind: u8, name: impl AsRef<[u8]>, content: impl AsRef<[u8]>) -> Self {
        let content = content.as_ref().to_vec();
        let mut entry = Self {
            block: vec![0; BLOCK],
            padding: 0,
            content,
        };
        let size = format!("{:011o}\0", entry.content.len());
        for (at, field) in [
            (0, name.as_ref()),
            (100, b"0000644\0"),
            (108, b"0000000\0"),
            (116, b"0000000\0"),
            (124, size.as_bytes()),
            (136, b"00000000000\0"),
            (156, &[kind]),
            (257, b"ustar\x0000"),
        ] {
            entry.block[at..at + field.len()].copy_from_slice(field);
        }
        entry.sum()
    }

    pub(crate) fn file(name: impl AsRef<[u8]>, content: impl AsRef<[u8]>) -> Self {
        Self::new(b'0', name, content)
    }

    pub(crate) fn directory(name: impl AsRef<[u8]>) -> Self {
        Self::new(b'5', name, "").put(100, b"0000755\0")
    }

    pub(crate) fn symlink(name: impl AsRef<[u8]>, target: impl AsRef<[u8]>) -> Self {
        Self::new(b'2', name, "").put(157, target.as_ref())
    }

    pub(crate) fn hard_link(name: impl AsRef<[u8]>, target: impl AsRef<[u8]>) -> Self {
        Self::new(b'1', name, "").put(157, target.as_ref())
    }

    pub(crate) fn pax(records: &[(&str, &str)]) -> Self {
        Self::new(b'x', "PaxHeaders/x", pax_records(records))
    }

    pub(crate) fn global(records: &[(&str, &str)]) -> Self {
        Self::new(b'g', "pax_global_header", pax_records(records))
    }

    /// A GNU long name (`L`) or long link target (`K`).
    pub(crate) fn long(kind: u8, text: &str) -> Self {
        Self::new(kind, "././@LongLink", format!("{text}\0")).gnu()
    }

    /// Overwrites a part of the header; the sum is made right again.
    pub(crate) fn put(mut self, at: usize, field: &[u8]) -> Self {
        self.block[at..at + field.len()].copy_from_slice(field);
        self.sum()
    }

    pub(crate) fn mode(self, mode: u32) -> Self {
        self.put(100, format!("{mode:07o}\0").as_bytes())
    }

    pub(crate) fn size(self, field: &[u8; 12]) -> Self {
        self.put(124, field)
    }

    pub(crate) fn gnu(self) -> Self {
        self.put(257, b"ustar  \0")
    }

    pub(crate) fn sum(mut self) -> Self {
        self.block[148..156].fill(b' ');
        let sum: u32 = self.block.iter().map(|byte| u32::from(*byte)).sum();
        self.block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        self
    }

    /// Overwrites a part of the header behind the back of the sum.
    pub(crate) fn break_sum(mut self, at: usize, field: &[u8]) -> Self {
        self.block[at..at + field.len()].copy_from_slice(field);
        self
    }
}

/// Records with their right lengths.
pub(crate) fn pax_records(records: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (key, value) in records {
        let rest = key.len() + value.len() + 3;
        let mut length = rest + 1;
        while length != rest + length.to_string().len() {
            length = rest + length.to_string().len();
        }
        bytes.extend(format!("{length} {key}={value}\n").bytes());
    }
    bytes
}

/// The entries, without an end.
pub(crate) fn open(entries: impl IntoIterator<Item = Entry>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in entries {
        bytes.extend(&entry.block);
        bytes.extend(&entry.content);
        bytes.resize(bytes.len().next_multiple_of(BLOCK), entry.padding);
    }
    bytes
}

pub(crate) fn tar(entries: impl IntoIterator<Item = Entry>) -> Vec<u8> {
    let mut bytes = open(entries);
    bytes.resize(bytes.len() + 2 * BLOCK, 0);
    bytes
}

pub(crate) fn targz(entries: impl IntoIterator<Item = Entry>) -> Vec<u8> {
    super::gzip(&tar(entries))
}
