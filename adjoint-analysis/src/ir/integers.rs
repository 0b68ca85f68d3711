//! Widths, signs and literals of Rust's integer types.

use super::IntTy;

impl IntTy {
    /// Whether there are negative values. An inferred type is taken as `i32`, rustc's default.
    pub fn is_signed(self) -> bool {
        self.name().starts_with('i') || self == IntTy::Infer
    }

    /// The number of bits, where it is the same on all targets and known.
    pub fn fixed_bits(self) -> Option<u32> {
        match self {
            IntTy::I8 | IntTy::U8 => Some(8),
            IntTy::I16 | IntTy::U16 => Some(16),
            IntTy::I32 | IntTy::U32 => Some(32),
            IntTy::I64 | IntTy::U64 => Some(64),
            IntTy::I128 | IntTy::U128 => Some(128),
            IntTy::Isize | IntTy::Usize | IntTy::Infer => None,
        }
    }

    /// The least and the greatest number of bits on targets of 32 and of 64 bits, where the type is known.
    pub fn bit_range(self) -> Option<(u32, u32)> {
        match (self, self.fixed_bits()) {
            (_, Some(bits)) => Some((bits, bits)),
            (IntTy::Isize | IntTy::Usize, _) => Some((32, 64)),
            _ => None,
        }
    }
}

impl IntTy {
    /// Whether a cast from this type to the other one keeps all bits, so that the cast back gives the value again: the
    /// other type is at least as wide on each target.
    pub fn fits_bits_of(self, to: IntTy) -> bool {
        match (self.fixed_bits(), to.fixed_bits()) {
            (Some(from), Some(to)) => from <= to,
            // Both have the width of a pointer.
            (None, None) => self.bit_range().is_some() && to.bit_range().is_some(),
            _ => {
                let ranges = self.bit_range().zip(to.bit_range());
                ranges.is_some_and(|((_, from), (to, _))| from <= to)
            }
        }
    }

    /// Whether the product of each value of this type and the factor, which is not 0, is a value of the other type on
    /// each target.
    pub fn multiples_fit(self, factor: i128, to: IntTy) -> bool {
        let limits = |ty: IntTy, bits: u32| match ty.is_signed() {
            true => (i128::MIN >> (128 - bits), i128::MAX >> (128 - bits)),
            // The upper half of `u128` is of no interest.
            false => (0, i128::MAX >> (127 - bits.min(127))),
        };
        let (Some((_, from)), Some((to_bits, _))) = (self.bit_range(), to.bit_range()) else {
            return false;
        };
        if from > 64 || factor == 0 {
            return false;
        }
        let ((lo, hi), (least, most)) = (limits(self, from), limits(to, to_bits));
        let fits = |n: i128| {
            n.checked_mul(factor)
                .is_some_and(|n| least <= n && n <= most)
        };
        fits(lo) && fits(hi)
    }
}

/// The inverse of an odd number modulo 2 to the number of bits, which is at most 64.
pub fn inverse_of_odd(odd: i128, bits: u32) -> u64 {
    let odd = odd as u64;
    // Each step doubles the number of low bits that are right, from the 3 of the number itself.
    let steps = 0..5;
    let all = steps.fold(odd, |inverse, _| {
        let excess = odd.wrapping_mul(inverse);
        inverse.wrapping_mul(2u64.wrapping_sub(excess))
    });
    all & (u64::MAX >> (64 - bits))
}

/// The value of a literal's text, without a suffix.
pub fn literal(text: &str) -> Option<i128> {
    let digits: String = text.chars().filter(|c| *c != '_').collect();
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = digits.strip_prefix(prefix) {
            return i128::from_str_radix(digits, radix).ok();
        }
    }
    digits.parse().ok()
}
