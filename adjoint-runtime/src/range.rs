//! Counted loops by number: how many values a range of integers yields, and which is the k-th.
//!
//! Sweeps run counted loops by trip number, forwards and backwards. Both functions agree with the
//! iterators of `lo..hi` and `lo..=hi` under `.rev()` and `.step_by(s)` for all integer types, up to
//! the limits of the type.

/// Where `.rev()` stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// `lo..hi`, `(lo..hi).step_by(s)`
    Forward,
    /// `(lo..hi).rev()`, `(lo..hi).rev().step_by(s)`
    ReverseThenStep,
    /// `(lo..hi).step_by(s).rev()`
    StepThenReverse,
}

/// An integer type that a counted loop may run over.
pub trait Index: Copy + Ord + 'static {
    /// The number of steps of this width from `lo` up to `last`, modulo the size of the type; at most
    /// `usize::MAX`.
    #[doc(hidden)]
    fn steps(lo: Self, last: Self, step: usize) -> usize;
    /// `self + count·step`, modulo the size of the type.
    #[doc(hidden)]
    fn ahead(self, count: usize, step: usize) -> Self;
    /// `self − count·step`, modulo the size of the type.
    #[doc(hidden)]
    fn back(self, count: usize, step: usize) -> Self;
}

macro_rules! index {
    ($($int:ident as $unsigned:ident),*) => {
        $(
            impl Index for $int {
                #[inline]
                fn steps(lo: Self, last: Self, step: usize) -> usize {
                    let distance = last.wrapping_sub(lo) as $unsigned;
                    let steps = match $unsigned::try_from(step) {
                        Ok(1) => distance,
                        Ok(step) => distance / step,
                        // A step beyond the type leaves only the first value.
                        Err(_) => 0,
                    };
                    usize::try_from(steps).unwrap_or(usize::MAX)
                }

                // The results fit the type, so arithmetic modulo its size is exact.
                #[inline]
                fn ahead(self, count: usize, step: usize) -> Self {
                    self.wrapping_add((count as $int).wrapping_mul(step as $int))
                }

                #[inline]
                fn back(self, count: usize, step: usize) -> Self {
                    self.wrapping_sub((count as $int).wrapping_mul(step as $int))
                }
            }
        )*
    };
}

index!(
    i8 as u8,
    i16 as u16,
    i32 as u32,
    i64 as u64,
    i128 as u128,
    isize as usize,
    u8 as u8,
    u16 as u16,
    u32 as u32,
    u64 as u64,
    u128 as u128,
    usize as usize
);

/// The number of values of `lo..hi` (or `lo..=hi`), every `step`-th of them; `step` is 1 where the
/// loop has no `step_by`.
///
/// A number above `usize::MAX` is given as `usize::MAX`: no loop gets there.
///
/// # Panics
///
/// If `step` is 0, as `step_by` does.
///
/// ```
/// use adjoint_runtime::range::trips;
/// assert_eq!(trips(0u8, 255, true, 1), 256);
/// assert_eq!(trips(-3i32, 4, false, 2), 4);
/// assert_eq!(trips(5usize, 2, false, 1), 0);
/// ```
#[inline]
#[track_caller]
pub fn trips<I: Index>(lo: I, hi: I, inclusive: bool, step: usize) -> usize {
    assert!(step != 0);
    if inclusive {
        if lo <= hi {
            I::steps(lo, hi, step).saturating_add(1)
        } else {
            0
        }
    } else if lo >= hi {
        0
    } else if step == 1 {
        I::steps(lo, hi, 1)
    } else {
        I::steps(lo, hi.back(1, 1), step).saturating_add(1)
    }
}

/// The number of iterations of `while i < bound { i += step }` (`<=` if `inclusive`) from `start`.
///
/// # Panics
///
/// If `i` overflows, as it does there.
///
/// ```
/// use adjoint_runtime::range::trips_up;
/// assert_eq!(trips_up(3u8, 10, false, 3), 3);
/// assert_eq!(trips_up(3u8, 12, true, 3), 4);
/// assert_eq!(trips_up(3u8, 2, true, 1), 0);
/// ```
#[inline]
#[track_caller]
pub fn trips_up<I: Index>(start: I, bound: I, inclusive: bool, step: usize) -> usize {
    let count = trips(start, bound, inclusive, step);
    let end = start.ahead(count, step);
    let over = if inclusive { end > bound } else { end >= bound };
    assert!(count == 0 || over, "attempt to add with overflow");
    count
}

/// The number of iterations of `while i > bound { i -= step }` (`>=` if `inclusive`) from `start`.
///
/// # Panics
///
/// If `i` overflows, as it does there.
///
/// ```
/// use adjoint_runtime::range::trips_down;
/// assert_eq!(trips_down(10u8, 3, false, 3), 3);
/// assert_eq!(trips_down(10i8, -2, true, 3), 5);
/// assert_eq!(trips_down(0u8, 0, false, 1), 0);
/// ```
#[inline]
#[track_caller]
pub fn trips_down<I: Index>(start: I, bound: I, inclusive: bool, step: usize) -> usize {
    let count = trips(bound, start, inclusive, step);
    let end = start.back(count, step);
    let below = if inclusive { end < bound } else { end <= bound };
    assert!(count == 0 || below, "attempt to subtract with overflow");
    count
}

/// The number of iterations of `while i != bound { i += 1 }` from `start`, or of `i -= 1`; modulo the size
/// of the type, as the counter goes without checks.
///
/// ```
/// use adjoint_runtime::range::trips_to;
/// assert_eq!(trips_to(3u8, 10, true), 7);
/// assert_eq!(trips_to(3i8, -10, false), 13);
/// assert_eq!(trips_to(3u8, 2, true), 255);
/// ```
#[inline]
pub fn trips_to<I: Index>(start: I, bound: I, up: bool) -> usize {
    match up {
        true => I::steps(start, bound, 1),
        false => I::steps(bound, start, 1),
    }
}

/// The number of iterations of a counted loop that has `all` of them, and was left in the one of number
/// `left`, from 1; 0 if it was not.
///
/// ```
/// use adjoint_runtime::range::ran;
/// assert_eq!(ran(3, 10), 3);
/// assert_eq!(ran(0, 10), 10);
/// ```
#[inline]
pub fn ran(left: usize, all: usize) -> usize {
    match left {
        0 => all,
        left => left,
    }
}

/// The number of pairs among so many things, modulo the size of the type: what `0 + 1 + .. + (count - 1)` comes to.
///
/// ```
/// use adjoint_runtime::range::pairs;
/// assert_eq!([0, 1, 2, 5].map(pairs), [0, 0, 1, 10]);
/// ```
#[inline]
pub fn pairs(count: usize) -> usize {
    match count % 2 {
        0 => (count / 2).wrapping_mul(count.wrapping_sub(1)),
        _ => count.wrapping_mul(count / 2),
    }
}

/// The value in trip `k` (counted from 0, below [`trips`]) of the range in the given order.
///
/// ```
/// use adjoint_runtime::range::{Order, nth};
/// assert_eq!(nth(10usize, 20, false, 1, Order::Forward, 3), 13);
/// assert_eq!(nth(10usize, 20, false, 1, Order::ReverseThenStep, 0), 19);
/// assert_eq!(nth(10usize, 20, false, 4, Order::StepThenReverse, 0), 18);
/// ```
#[inline]
pub fn nth<I: Index>(lo: I, hi: I, inclusive: bool, step: usize, order: Order, k: usize) -> I {
    match order {
        Order::Forward => lo.ahead(k, step),
        Order::ReverseThenStep => {
            let last = if inclusive { hi } else { hi.back(1, 1) };
            last.back(k, step)
        }
        Order::StepThenReverse => {
            let top = trips(lo, hi, inclusive, step).wrapping_sub(1);
            lo.ahead(top.wrapping_sub(k), step)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Order, nth, trips, trips_down, trips_to, trips_up};

    /// Compares with the iterators of std in all orders, and by exact sizes.
    macro_rules! agree_with_std {
        ($lo:expr, $hi:expr, $step:expr) => {
            let (lo, hi, step) = ($lo, $hi, $step);
            agree(lo, hi, false, step, Order::Forward, (lo..hi).step_by(step));
            let reversed = (lo..hi).rev().step_by(step);
            agree(lo, hi, false, step, Order::ReverseThenStep, reversed);
            let reversed = (lo..hi).step_by(step).rev();
            agree(lo, hi, false, step, Order::StepThenReverse, reversed);
            agree(lo, hi, true, step, Order::Forward, (lo..=hi).step_by(step));
            let reversed = (lo..=hi).rev().step_by(step);
            agree(lo, hi, true, step, Order::ReverseThenStep, reversed);
            let reversed = (lo..=hi).step_by(step).rev();
            agree(lo, hi, true, step, Order::StepThenReverse, reversed);
        };
    }

    #[track_caller]
    fn agree<I: super::Index + std::fmt::Debug>(
        lo: I,
        hi: I,
        inclusive: bool,
        step: usize,
        order: Order,
        expected: impl Iterator<Item = I>,
    ) {
        let mut count = 0;
        for value in expected {
            assert_eq!(nth(lo, hi, inclusive, step, order, count), value);
            count += 1;
        }
        assert_eq!(trips(lo, hi, inclusive, step), count);
    }

    #[test]
    fn all_ranges_of_u8() {
        for lo in u8::MIN..=u8::MAX {
            for hi in u8::MIN..=u8::MAX {
                for step in [1, 2, 7, 255, 256, 1000] {
                    agree_with_std!(lo, hi, step);
                }
            }
        }
    }

    #[test]
    fn all_ranges_of_i8() {
        for lo in i8::MIN..=i8::MAX {
            for hi in i8::MIN..=i8::MAX {
                for step in [1, 3, 127, 128, 129, 255, usize::MAX] {
                    agree_with_std!(lo, hi, step);
                }
            }
        }
    }

    /// Loops of all starts and bounds; [`None`] where the counter overflows.
    #[test]
    fn all_counting_loops_of_a_byte() {
        let quiet =
            |f: &dyn Fn() -> usize| std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).ok();
        std::panic::set_hook(Box::new(|_| {}));
        for start in (0..=255u8).step_by(5) {
            for bound in 0..=255u8 {
                for (step, inclusive) in [(1, false), (1, true), (7, false), (200, true)] {
                    let (mut up, mut down) = (Some((start, 0)), Some((start, 0)));
                    let on = |i: u8| i < bound || inclusive && i == bound;
                    while let Some((i, n)) = up.filter(|(i, _)| on(*i)) {
                        up = i.checked_add(step).map(|i| (i, n + 1));
                    }
                    let on = |i: u8| i > bound || inclusive && i == bound;
                    while let Some((i, n)) = down.filter(|(i, _)| on(*i)) {
                        down = i.checked_sub(step).map(|i| (i, n + 1));
                    }
                    let step = usize::from(step);
                    let counted = quiet(&|| trips_up(start, bound, inclusive, step));
                    assert_eq!(
                        counted,
                        up.map(|(_, n)| n),
                        "{start} up to {bound} by {step}"
                    );
                    let counted = quiet(&|| trips_down(start, bound, inclusive, step));
                    assert_eq!(
                        counted,
                        down.map(|(_, n)| n),
                        "{start} down to {bound} by {step}"
                    );
                }
            }
        }
        drop(std::panic::take_hook());
    }

    #[test]
    fn all_loops_to_a_byte() {
        for start in i8::MIN..=i8::MAX {
            for bound in i8::MIN..=i8::MAX {
                for up in [true, false] {
                    let (mut i, mut n) = (start, 0);
                    while i != bound {
                        i = i.wrapping_add(if up { 1 } else { -1 });
                        n += 1;
                    }
                    assert_eq!(trips_to(start, bound, up), n, "{start} to {bound}");
                    assert_eq!(trips_to(start as u8, bound as u8, up), n);
                }
            }
        }
    }

    #[test]
    fn each_type_at_its_limits() {
        macro_rules! at_limits {
            ($($int:ident)*) => {
                $(for step in [1, 3, 4] {
                    for (lo, hi) in [($int::MIN, $int::MIN + 10), ($int::MAX - 10, $int::MAX)] {
                        agree(lo, hi, false, step, Order::Forward, (lo..hi).step_by(step));
                        let all = (lo..=hi).step_by(step);
                        agree(lo, hi, true, step, Order::Forward, all.clone());
                        let reversed = all.collect::<Vec<_>>().into_iter().rev();
                        agree(lo, hi, true, step, Order::StepThenReverse, reversed);
                        let reversed = (lo..=hi).rev().step_by(step);
                        agree(lo, hi, true, step, Order::ReverseThenStep, reversed);
                    }
                })*
            };
        }
        at_limits!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);
    }

    #[test]
    fn counts_of_whole_types() {
        assert_eq!(trips(i16::MIN, i16::MAX, true, 1), 65_536);
        assert_eq!(trips(isize::MIN, isize::MAX, false, 1), usize::MAX);
        assert_eq!(trips(isize::MIN, isize::MAX, true, 1), usize::MAX);
        assert_eq!(trips(0u128, u128::MAX, true, 1), usize::MAX);
        assert_eq!(trips(0u128, u128::MAX, true, usize::MAX), usize::MAX);
        assert_eq!(trips(usize::MAX, usize::MIN, true, 1), 0);
        assert_eq!(
            nth(isize::MIN, isize::MAX, false, 1, Order::Forward, usize::MAX),
            isize::MAX
        );
    }

    #[test]
    #[should_panic = "step != 0"]
    fn a_step_of_zero_panics() {
        trips(0, 1, false, 0);
    }
}
