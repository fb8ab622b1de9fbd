//! Many short lists of bytes that grow at the same time.
//!
//! A list is a chain of blocks, each larger than the one before, and blocks are parts of pages. Growing moves nothing and
//! frees nothing, so that an index that is being built takes little more memory than its postings.

use super::lexicon::{narrow, wide};

/// Bytes of a page: so many that an allocator gives each back to the system when it is freed.
const PAGE: u32 = 1 << 20;
/// Bytes of the first block of a list: most words occur in one skill.
const FIRST_BLOCK: u32 = 8;
/// A block is twice as large as the one before, so many times.
const LARGEST_STEP: u32 = 4;
/// Bytes at the start of a block that say where the next one is.
const LINK: u32 = 4;

/// The blocks of all lists.
#[derive(Debug, Default)]
pub(super) struct Pool {
    pages: Vec<Vec<u8>>,
}

/// One list.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Chain {
    /// The first block. Blocks start at multiples of eight, so that there is room for the step of the last one.
    first: u32,
    /// Where the next byte goes.
    at: u32,
    /// The end of the last block; zero for a list without blocks.
    end: u32,
}

impl Chain {
    const STEP: u32 = 0b111;

    fn first(self) -> u32 {
        self.first & !Self::STEP
    }

    fn step(self) -> u32 {
        self.first & Self::STEP
    }
}

fn size(step: u32) -> u32 {
    FIRST_BLOCK << step
}

impl Pool {
    /// Appends to a list. A pool of four gigabytes is full; what comes later is lost.
    #[inline]
    pub(super) fn push(&mut self, chain: &mut Chain, byte: u8) {
        if chain.at == chain.end {
            self.grow(chain);
        }
        if chain.at == chain.end {
            return;
        }
        let page = self.pages.get_mut(wide(chain.at / PAGE));
        if let Some(slot) = page.and_then(|page| page.get_mut(wide(chain.at % PAGE))) {
            *slot = byte;
            chain.at += 1;
        }
    }

    #[cold]
    fn grow(&mut self, chain: &mut Chain) {
        let is_first = chain.end == 0;
        let step = if is_first { 0 } else { chain.step() + 1 }.min(LARGEST_STEP);
        let Some(start) = self.block(size(step)) else {
            return;
        };
        if is_first {
            chain.first = start;
        } else {
            let block = chain.end - size(chain.step());
            let link = self.bytes_mut(block, LINK);
            link.copy_from_slice(&start.to_le_bytes());
        }
        chain.at = start + LINK;
        chain.end = start + size(step);
        chain.first = chain.first() | step;
    }

    /// A new block in one page; none if the pool is full.
    fn block(&mut self, size: u32) -> Option<u32> {
        let has_room = |page: &Vec<u8>| page.len() + wide(size) <= wide(PAGE);
        if !self.pages.last().is_some_and(has_room) {
            // Ends of blocks are numbers, too.
            if self.pages.len() + 1 >= wide(u32::MAX / PAGE) {
                return None;
            }
            self.pages.push(Vec::with_capacity(wide(PAGE)));
        }
        let number = narrow(self.pages.len().saturating_sub(1));
        let page = self.pages.last_mut()?;
        let start = number * PAGE + narrow(page.len());
        page.resize(page.len() + wide(size), 0);
        Some(start)
    }

    fn bytes_mut(&mut self, start: u32, length: u32) -> &mut [u8] {
        let page = self.pages.get_mut(wide(start / PAGE));
        let offset = wide(start % PAGE);
        page.and_then(|page| page.get_mut(offset..offset + wide(length)))
            .unwrap_or_default()
    }

    fn bytes(&self, start: u32, length: u32) -> &[u8] {
        let page = self.pages.get(wide(start / PAGE));
        let offset = wide(start % PAGE);
        page.and_then(|page| page.get(offset..offset + wide(length)))
            .unwrap_or_default()
    }

    /// Copies a list to the end of `bytes`.
    pub(super) fn copy(&self, chain: &Chain, bytes: &mut Vec<u8>) {
        if chain.end == 0 {
            return;
        }
        let mut start = chain.first();
        let mut step = 0;
        while let Some((link, block)) = self.bytes(start, size(step)).split_first_chunk() {
            if start + size(step) == chain.end {
                let length = wide(chain.at - start - LINK);
                bytes.extend_from_slice(block.get(..length).unwrap_or_default());
                return;
            }
            bytes.extend_from_slice(block);
            start = u32::from_le_bytes(*link);
            step = (step + 1).min(LARGEST_STEP);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_grow_at_the_same_time_stay_apart() {
        let mut pool = Pool::default();
        let mut chains = [Chain::default(); 3];
        for round in 0..900_000_u32 {
            for (chain, number) in chains.iter_mut().zip(1..) {
                if round % number == 0 {
                    pool.push(chain, ((round * number) & 0xff) as u8);
                }
            }
        }
        for (chain, number) in chains.iter().zip(1..) {
            let expected: Vec<u8> = (0..900_000_u32)
                .filter(|round| round % number == 0)
                .map(|round| ((round * number) & 0xff) as u8)
                .collect();
            let mut copied = vec![7];
            pool.copy(chain, &mut copied);
            assert_eq!(copied.split_off(1), expected);
        }
    }

    #[test]
    fn an_empty_list_is_empty() {
        let mut copied = Vec::new();
        Pool::default().copy(&Chain::default(), &mut copied);
        assert!(copied.is_empty());
    }
}
