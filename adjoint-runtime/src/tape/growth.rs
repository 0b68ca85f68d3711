//! How the memory of a stack grows.
//!
//! `Vec` doubles: after the longest sweep, up to half of the memory is never used. A stack doubles while it is small, and
//! grows by a quarter from then on.

/// The bytes up to which a stack doubles.
const DOUBLES: usize = 1 << 20;

/// The bytes that a stack starts with.
const FIRST: usize = 512;

/// Makes room for as many more values.
#[inline(always)]
pub(super) fn make_room<T>(stack: &mut Vec<T>, more: usize) {
    if stack.capacity() - stack.len() < more {
        grow(stack, more);
    }
}

/// The same for values that a loop pushes if it runs to its end: so many in each trip, where they are wanted. It may panic
/// before, so too many of them are no error.
#[inline(always)]
pub(super) fn expect<T>(stack: &mut Vec<T>, trips: usize, numbers: &[(bool, usize)]) {
    let wanted = numbers.iter().filter(|(wanted, _)| *wanted);
    let more = trips.saturating_mul(wanted.map(|(_, number)| number).sum());
    if stack.capacity() - stack.len() < more {
        grow_if_possible(stack, more);
    }
}

#[cold]
#[inline(never)]
fn grow<T>(stack: &mut Vec<T>, more: usize) {
    stack.reserve_exact(growth(stack, more));
}

#[cold]
#[inline(never)]
fn grow_if_possible<T>(stack: &mut Vec<T>, more: usize) {
    // Without the memory, the pushes fail, if they come.
    let _ = stack.try_reserve_exact(growth(stack, more));
}

/// For how many more values room is made where it is for at least `more`.
fn growth<T>(stack: &Vec<T>, more: usize) -> usize {
    let size = size_of::<T>().max(1);
    let held = stack.capacity();
    let ahead = match held * size < DOUBLES {
        true => held.max(FIRST / size),
        false => held / 4,
    };
    // What is free already counts, so that the new capacity is that of the old one and `ahead`.
    let free = held - stack.len();
    more.max(free + ahead)
}

#[cfg(test)]
mod tests {
    use super::super::stack::{close_frame, open_frame, push_block, push_onto};
    use super::*;

    /// Asserts that the stack holds at most a quarter more than these values take, once it is no longer small.
    #[track_caller]
    fn assert_within_a_quarter(stack: &Vec<f64>, values: usize) {
        let [held, used] = [stack.capacity(), values].map(|n| n * size_of::<f64>());
        assert!(
            held <= used + used / 4 || held <= 2 * DOUBLES,
            "{held} bytes for {used}"
        );
    }

    #[test]
    fn pushes_grow_by_a_quarter_in_few_steps() {
        let mut stack = Vec::new();
        let mut steps = 0;
        for i in 0..2_000_000 {
            let before = stack.capacity();
            push_onto(&mut stack, i as f64);
            steps += usize::from(stack.capacity() != before);
            assert_within_a_quarter(&stack, stack.len());
        }
        assert!(stack.capacity() * size_of::<f64>() > 2 * DOUBLES);
        // 512 bytes double 11 times to 1 MiB; from there to 16 MB, it is some 13 quarters.
        assert!(steps <= 26, "{steps}");
        assert!(stack.iter().enumerate().all(|(i, x)| *x == i as f64));
    }

    #[test]
    fn a_long_frame_gets_what_it_needs() {
        let mut stack = Vec::new();
        open_frame(&mut stack, 1_000_000).fill(1.0);
        assert_eq!(stack.capacity(), 1_000_000);
        for _ in 0..100 {
            open_frame(&mut stack, 50_000);
            push_block(&mut stack, &[2.0; 1000]);
            assert_within_a_quarter(&stack, stack.len());
        }
        let (held, longest) = (stack.capacity(), stack.len());
        close_frame(&mut stack, longest - 10);
        push_block(&mut stack, &[3.0; 1000]);
        assert_eq!((stack.capacity(), stack[9], stack[10]), (held, 1.0, 3.0));
    }

    #[test]
    fn what_a_loop_pushes_is_reserved_once() {
        let mut stack = vec![1.0; 7];
        expect(&mut stack, 100_000, &[(true, 1), (false, 9), (true, 2)]);
        let held = stack.capacity();
        assert_eq!(held, 300_007);
        (0..300_000).for_each(|i| push_onto(&mut stack, f64::from(i)));
        assert_eq!(
            (stack.capacity(), stack[7], stack[300_006]),
            (held, 0.0, 299_999.0)
        );
        // It is there already.
        close_frame(&mut stack, 300_000);
        expect(&mut stack, 1000, &[(true, 300)]);
        assert_eq!(stack.capacity(), held);
    }

    #[test]
    fn a_loop_that_can_not_end_is_no_error() {
        let mut stack = vec![1.0];
        expect(&mut stack, usize::MAX, &[(true, 1)]);
        expect(&mut stack, usize::MAX, &[(true, usize::MAX)]);
        expect(&mut stack, usize::MAX / 16, &[(true, 1)]);
        push_onto(&mut stack, 2.0);
        assert_eq!(stack, [1.0, 2.0]);
    }

    #[test]
    fn a_short_stack_doubles() {
        let mut stack = Vec::new();
        push_onto(&mut stack, 1.0);
        assert_eq!(stack.capacity() * size_of::<f64>(), FIRST);
        push_block(&mut stack, &[2.0; 64]);
        assert_eq!(stack.capacity() * size_of::<f64>(), 2 * FIRST);
        push_block(&mut stack, &[2.0; 1000]);
        assert_eq!(stack.capacity(), 1065);
    }

    #[test]
    fn values_of_any_size_are_held() {
        let mut large = Vec::new();
        push_onto(&mut large, [1.0; 1000]);
        push_onto(&mut large, [2.0; 1000]);
        assert_eq!(large[1], [2.0; 1000]);
        let mut empty = Vec::new();
        push_onto(&mut empty, ());
        assert_eq!(empty.len(), 1);
    }
}
