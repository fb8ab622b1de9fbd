//! The bytes of all posting lists: in memory, or in a file of which only the blocks that are needed are read.
//!
//! Of a large index a query needs a few lists in a hundred thousand. A block holds whole lists and has a checksum, which
//! is verified when the block is read. It is cached from then on.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::codec::checksum;
use super::lexicon::{narrow, wide};

/// A block ends after the list that makes it this large.
const BLOCK: usize = 16 * 1024;

/// Bytes that can be read from any position, such as a file. They must not change: replace a file instead of writing to it.
pub trait IndexFile: Send + Sync {
    /// Fills `bytes` with what begins at `start`; an error if there are fewer.
    fn read_exact_at(&self, bytes: &mut [u8], start: u64) -> io::Result<()>;
}

#[cfg(unix)]
impl IndexFile for std::fs::File {
    fn read_exact_at(&self, bytes: &mut [u8], start: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, bytes, start)
    }
}

/// Lists one after the other.
#[derive(Clone, Debug)]
pub(super) enum Lists {
    Memory(Vec<u8>),
    Stored(Arc<StoredLists>),
}

impl Default for Lists {
    fn default() -> Self {
        Self::Memory(Vec::new())
    }
}

/// Lists in a file.
pub(super) struct StoredLists {
    file: Box<dyn IndexFile>,
    blocks: Vec<StoredBlock>,
    is_damaged: AtomicBool,
}

struct StoredBlock {
    block: Block,
    /// Empty if it is damaged.
    bytes: OnceLock<Box<[u8]>>,
}

/// Some lists, and their checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) sum: u64,
}

impl Block {
    fn range(&self) -> Range<usize> {
        wide(self.start)..wide(self.end)
    }

    pub(super) fn is_intact(&self, bytes: &[u8]) -> bool {
        bytes.len() == self.range().len() && checksum(bytes) == self.sum
    }
}

/// The blocks of lists that end at these positions.
pub(super) fn blocks(bytes: &[u8], ends: impl Iterator<Item = u32>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut start = 0;
    let mut close = |start: &mut usize, end: usize| {
        let sum = checksum(bytes.get(*start..end).unwrap_or_default());
        blocks.push(Block {
            start: narrow(*start),
            end: narrow(end),
            sum,
        });
        *start = end;
    };
    for end in ends.map(wide) {
        if end.saturating_sub(start) >= BLOCK {
            close(&mut start, end);
        }
    }
    if start < bytes.len() {
        close(&mut start, bytes.len());
    }
    blocks
}

impl Lists {
    /// Lists of a file, whose blocks follow each other from its beginning.
    pub(super) fn stored(file: Box<dyn IndexFile>, blocks: Vec<Block>) -> Self {
        let blocks = blocks.into_iter().map(|block| StoredBlock {
            block,
            bytes: OnceLock::new(),
        });
        Self::Stored(Arc::new(StoredLists {
            file,
            blocks: blocks.collect(),
            is_damaged: AtomicBool::new(false),
        }))
    }

    /// The list at a position; empty if it is damaged.
    pub(super) fn get(&self, range: Range<usize>) -> &[u8] {
        match self {
            Self::Memory(bytes) => bytes.get(range).unwrap_or_default(),
            Self::Stored(lists) => lists.get(range),
        }
    }

    /// Whether a list could not be read so far.
    pub(super) fn is_damaged(&self) -> bool {
        match self {
            Self::Memory(_) => false,
            Self::Stored(lists) => lists.is_damaged.load(Ordering::Relaxed),
        }
    }

    /// All of them.
    pub(super) fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Self::Memory(bytes) => bytes.into(),
            Self::Stored(lists) => {
                let all = lists.blocks.iter().flat_map(|it| lists.read(it));
                all.copied().collect()
            }
        }
    }
}

impl PartialEq for Lists {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl fmt::Debug for StoredLists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blocks = self.blocks.len();
        f.debug_struct("StoredLists")
            .field("blocks", &blocks)
            .finish_non_exhaustive()
    }
}

impl StoredLists {
    fn get(&self, range: Range<usize>) -> &[u8] {
        if range.is_empty() {
            return &[];
        }
        let at = self
            .blocks
            .partition_point(|it| it.block.range().end <= range.start);
        let list = self.blocks.get(at).and_then(|it| {
            let start = range.start.checked_sub(it.block.range().start)?;
            self.read(it).get(start..start + range.len())
        });
        list.unwrap_or_default()
    }

    fn read<'b>(&self, stored: &'b StoredBlock) -> &'b [u8] {
        stored.bytes.get_or_init(|| {
            let mut bytes = vec![0; stored.block.range().len()];
            let start = u64::from(stored.block.start);
            let is_read = self.file.read_exact_at(&mut bytes, start).is_ok();
            if !is_read || !stored.block.is_intact(&bytes) {
                self.is_damaged.store(true, Ordering::Relaxed);
                bytes.clear();
            }
            bytes.into()
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Remembers what was read.
    struct Watched(Vec<u8>, Arc<Mutex<Vec<u64>>>);

    impl IndexFile for Watched {
        fn read_exact_at(&self, bytes: &mut [u8], start: u64) -> io::Result<()> {
            self.1.lock().unwrap().push(start);
            let start = usize::try_from(start).unwrap();
            bytes.copy_from_slice(&self.0[start..start + bytes.len()]);
            Ok(())
        }
    }

    #[test]
    fn a_block_is_read_once_and_only_if_it_is_needed() {
        let bytes: Vec<u8> = (0..=u8::MAX).cycle().take(5 * BLOCK + 7).collect();
        let middle = 2 * BLOCK + 100;
        let ends = [100, BLOCK + 9, BLOCK + 9, middle, 4 * BLOCK, bytes.len()];
        let blocks = blocks(&bytes, ends.into_iter().map(narrow));
        let starts: Vec<u32> = blocks.iter().map(|block| block.start).collect();
        assert_eq!(starts, [0, BLOCK + 9, middle, 4 * BLOCK].map(narrow));

        let reads = Arc::new(Mutex::new(Vec::new()));
        let mut file = bytes.clone();
        file[middle] ^= 1;
        let lists = Lists::stored(Box::new(Watched(file, Arc::clone(&reads))), blocks);
        for (start, end) in [(100, BLOCK + 9), (0, 100), (4 * BLOCK, bytes.len())] {
            assert_eq!(lists.get(start..end), &bytes[start..end]);
        }
        assert!(lists.get(BLOCK + 9..BLOCK + 9).is_empty());
        assert_eq!(*reads.lock().unwrap(), [0, 4 * BLOCK as u64]);
        assert!(!lists.is_damaged());
        assert!(lists.get(middle..4 * BLOCK).is_empty());
        assert!(lists.is_damaged());
    }
}
