//! Whether two texts are nearly the same, by a few bytes of each.
//!
//! Every run of four words has a hash. The hashes fall into sixteen bins, and the smallest of each bin is the sketch: the
//! more runs two texts share, the more of these are equal.

/// Bins of a sketch.
pub(super) const BINS: usize = 16;
/// Words in a run.
const RUN: usize = 4;
/// Fewer filled bins say little.
const FEWEST: usize = 6;

/// The smallest hash in each bin, shortened; zero for an empty bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sketch(pub(super) [u16; BINS]);

impl Sketch {
    /// Whether at least three quarters of the runs are probably shared.
    pub(super) fn is_near(&self, other: &Self) -> bool {
        let mut both = 0;
        let mut equal = 0;
        for (left, right) in self.0.iter().zip(other.0) {
            if *left != 0 || right != 0 {
                both += 1;
                equal += usize::from(*left == right);
            }
        }
        both >= FEWEST && equal * 4 >= both * 3
    }
}

/// Makes a sketch from the hashes of words.
#[derive(Debug)]
pub(super) struct Sketcher {
    smallest: [u64; BINS],
    last: [u64; RUN],
    words: usize,
}

impl Default for Sketcher {
    fn default() -> Self {
        Self {
            smallest: [u64::MAX; BINS],
            last: [0; RUN],
            words: 0,
        }
    }
}

impl Sketcher {
    pub(super) fn add(&mut self, word: u32) {
        self.last.rotate_left(1);
        if let Some(last) = self.last.last_mut() {
            *last = u64::from(word);
        }
        self.words += 1;
        if self.words < RUN {
            return;
        }
        let hash = self.last.iter().fold(0_u64, |hash, word| {
            (hash.rotate_left(17) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        let hash = hash ^ (hash >> 29);
        if let Some(smallest) = self.smallest.get_mut((hash & 0xf) as usize) {
            *smallest = (*smallest).min(hash >> 4);
        }
    }

    pub(super) fn finish(&self) -> Sketch {
        Sketch(self.smallest.map(|hash| match hash {
            u64::MAX => 0,
            hash => ((hash & 0xffff) as u16).max(1),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch(words: impl Iterator<Item = u32>) -> Sketch {
        let mut sketcher = Sketcher::default();
        words.for_each(|word| sketcher.add(word.wrapping_mul(0x85eb_ca6b)));
        sketcher.finish()
    }

    #[test]
    fn near_copies_are_recognised() {
        let text = sketch(0..400);
        assert!(text.is_near(&sketch((0..390).chain(1000..1010))));
        assert!(!text.is_near(&sketch(0..150)));
        assert!(!text.is_near(&sketch(1000..1400)));
        assert!(!sketch(0..3).is_near(&sketch(0..3)));
    }
}
