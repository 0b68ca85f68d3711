//! A small deterministic source of random numbers (splitmix64).

/// The state.
pub struct Random(u64);

impl Random {
    /// The source that this seed starts.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Less than `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// From `lo` to `hi`, both included.
    pub fn between(&mut self, lo: usize, hi: usize) -> usize {
        lo + self.below(hi - lo + 1)
    }

    /// True in that many of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of these, which are not none.
    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// One of these by their weights, which are not all 0.
    pub fn weighted<T: Copy>(&mut self, all: &[(usize, T)]) -> T {
        let mut left = self.below(all.iter().map(|(w, _)| w).sum());
        for (weight, value) in all {
            if left < *weight {
                return *value;
            }
            left -= weight;
        }
        all[0].1
    }

    /// A real of at least `lo` and less than `hi`.
    pub fn real(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}
