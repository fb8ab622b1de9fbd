//! Numbers that look random, and where they start.

use std::time::SystemTime;

/// `SplitMix64`.
pub struct Random(u64);

impl Random {
    /// A generator that starts at `seed`.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The same in every run, unless `PROWESS_SEED` says otherwise; the seed is printed. Tests differ by `number`.
    pub fn of_run(number: u64) -> Self {
        let seed = stated_seed().unwrap_or_default();
        println!("PROWESS_SEED={seed}");
        Self(seed.rotate_left(32) ^ number)
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not zero.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next_u64() % end as u64).unwrap()
    }

    /// True once in `times`.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of several items.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Bytes.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length)
            .map(|_| self.next_u64().to_le_bytes()[0])
            .collect()
    }

    /// Shuffles items in place.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// The seed of this run, if `PROWESS_SEED` says it.
fn stated_seed() -> Option<u64> {
    let seed = std::env::var("PROWESS_SEED").ok()?;
    Some(seed.parse().expect("PROWESS_SEED is a number"))
}

/// The seed of a test that tries other cases in every run.
pub fn new_seed() -> u64 {
    let seed = stated_seed().unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        u64::from(now.unwrap().subsec_nanos())
    });
    println!("PROWESS_SEED={seed} repeats this");
    seed
}
