//! Reproducible random numbers (SplitMix64).

/// A generator.
pub struct Random(u64);

impl Random {
    /// A generator whose sequence the seed fixes.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// A generator whose sequence a name fixes.
    pub fn named(name: &str) -> Self {
        Random(
            name.bytes()
                .fold(7, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)),
        )
    }

    /// A number in `lo..hi`.
    pub fn uniform(&mut self, lo: f64, hi: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        lo + (hi - lo) * (z >> 11) as f64 / (1u64 << 53) as f64
    }

    /// `n` numbers in `lo..hi`.
    pub fn vector(&mut self, n: usize, lo: f64, hi: f64) -> Vec<f64> {
        (0..n).map(|_| self.uniform(lo, hi)).collect()
    }
}
