//! Where compilers hold values.

/// The value, by way of memory: what it was before and what it is from now on are two variables for a compiler, which so may
/// hold the former in a register where it must not hold the latter in one.
#[inline(always)]
pub fn by_memory<T: Copy>(value: T) -> T {
    std::hint::black_box(value)
}

#[cfg(test)]
mod tests {
    use super::by_memory;

    #[test]
    fn values_stay_the_same_in_each_bit() {
        for x in [0.0, -0.0, 1.5, f64::INFINITY, f64::NAN] {
            assert_eq!(by_memory(x).to_bits(), x.to_bits());
        }
    }
}
