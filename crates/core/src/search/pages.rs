//! A list that grows without moving what is in it.
//!
//! A vector that doubles leaves a hole of its old size, and an index that is being built has several of them.

use super::lexicon::wide;

/// Items of a page. Pages are large, so that an allocator gives each back to the system when it is freed.
const PAGE: u32 = 16_384;

#[derive(Debug)]
pub(super) struct Pages<T> {
    pages: Vec<Vec<T>>,
}

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Self { pages: Vec::new() }
    }
}

impl<T> Pages<T> {
    pub(super) fn push(&mut self, item: T) {
        let is_full = |page: &Vec<T>| page.len() >= wide(PAGE);
        match self.pages.last_mut() {
            Some(page) if !is_full(page) => page.push(item),
            // Most lists are of a few skills, and have one page.
            None => self.pages.push(vec![item]),
            Some(_) => {
                let mut page = Vec::with_capacity(wide(PAGE));
                page.push(item);
                self.pages.push(page);
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        let full = self.pages.len().saturating_sub(1);
        full * wide(PAGE) + self.pages.last().map_or(0, Vec::len)
    }

    #[inline]
    pub(super) fn get(&self, index: u32) -> Option<&T> {
        self.pages.get(wide(index / PAGE))?.get(wide(index % PAGE))
    }

    #[inline]
    pub(super) fn get_mut(&mut self, index: u32) -> Option<&mut T> {
        self.pages
            .get_mut(wide(index / PAGE))?
            .get_mut(wide(index % PAGE))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.pages.iter().flatten()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.pages.iter_mut().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_stay_in_their_places() {
        let mut pages = Pages::default();
        for number in 0..3 * PAGE + 5 {
            assert_eq!(pages.len(), wide(number));
            assert_eq!(pages.get(number), None);
            pages.push(number);
        }
        assert!((0..3 * PAGE + 5).all(|number| pages.get(number) == Some(&number)));
        pages.iter_mut().for_each(|number| *number += 1);
        *pages.get_mut(0).unwrap() = 7;
        assert_eq!(pages.iter().take(3).collect::<Vec<_>>(), [&7, &2, &3]);
    }
}
