//! How the memory of a stack grows.
//!
//! `Vec` doubles: after the longest sweep, up to half of the memory is never used. A stack doubles while it is small, and
//! grows by a quarter from then on. Where the tape has a limit, it grows up to that.

use std::panic::Location;

use super::account::Site;
use super::stack::Stack;

/// The bytes up to which a stack doubles.
const DOUBLES: usize = 1 << 20;

/// The bytes that a stack starts with.
pub(super) const FIRST: usize = 512;

impl<T> Stack<T> {
    /// Makes room for as many more values.
    #[inline(always)]
    pub(super) fn make_room(&mut self, more: usize) {
        if self.free() < more {
            self.grow(more, None);
        }
    }

    /// The same for the frame of the loop that calls, which no other one need contain.
    #[inline(always)]
    #[track_caller]
    pub(super) fn make_room_for_frame(&mut self, more: usize) {
        if self.free() < more {
            self.grow(more, Some(Location::caller()));
        }
    }

    /// The same for values that a loop pushes if it runs to its end: so many in each trip, where they are wanted. It may
    /// panic before, so too many of them are no error.
    #[inline(always)]
    pub(super) fn expect(&mut self, trips: usize, numbers: &[(bool, usize)]) {
        let wanted = numbers.iter().filter(|(wanted, _)| *wanted);
        let more = trips.saturating_mul(wanted.map(|(_, number)| number).sum());
        if self.free() < more {
            self.grow_if_possible(more);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize, site: Option<Site>) {
        let mut ahead = growth(self, more);
        if let Some(account) = &self.account {
            let (free, holder) = (self.free(), account.holder(site));
            ahead = free + account.charge(holder, size::<T>(), ahead - free, more - free);
        }
        self.reserve(ahead);
    }

    #[cold]
    #[inline(never)]
    fn grow_if_possible(&mut self, more: usize) {
        // Without the memory, the pushes fail, if they come.
        let (ahead, free) = (growth(self, more), self.free());
        let account = self.account.as_ref();
        if account.is_some_and(|account| !account.charge_if_free(size::<T>(), ahead - free)) {
            return;
        }
        let is_refused = !self.try_reserve(ahead);
        if let (true, Some(account)) = (is_refused, &self.account) {
            account.release(account.holder(None), (ahead - free) * size::<T>());
        }
    }
}

fn size<T>() -> usize {
    size_of::<T>().max(1)
}

/// For how many more values room is made where it is for at least `more`.
fn growth<T>(stack: &Stack<T>, more: usize) -> usize {
    let held = stack.capacity();
    let ahead = match held * size::<T>() < DOUBLES {
        true => held.max(FIRST / size::<T>()),
        false => held / 4,
    };
    // What is free already counts, so that the new capacity is that of the old one and `ahead`.
    more.max(stack.free() + ahead)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts that the stack holds at most a quarter more than these values take, once it is no longer small.
    #[track_caller]
    fn assert_within_a_quarter(stack: &Stack<f64>, values: usize) {
        let [held, used] = [stack.capacity(), values].map(|n| n * size_of::<f64>());
        assert!(
            held <= used + used / 4 || held <= 2 * DOUBLES,
            "{held} bytes for {used}"
        );
    }

    #[test]
    fn pushes_grow_by_a_quarter_in_few_steps() {
        let mut stack = Stack::default();
        let mut steps = 0;
        for i in 0..2_000_000 {
            let before = stack.capacity();
            stack.push(i as f64);
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
        let mut stack = Stack::default();
        stack.open_frame(1_000_000).fill(1.0);
        assert_eq!(stack.capacity(), 1_000_000);
        for _ in 0..100 {
            stack.open_frame(50_000);
            stack.push_block(&[2.0; 1000]);
            assert_within_a_quarter(&stack, stack.len());
        }
        let (held, longest) = (stack.capacity(), stack.len());
        stack.close_frame(longest - 10);
        stack.push_block(&[3.0; 1000]);
        assert_eq!((stack.capacity(), stack[9], stack[10]), (held, 1.0, 3.0));
    }

    #[test]
    fn what_a_loop_pushes_is_reserved_once() {
        let mut stack = Stack::default();
        stack.push_block(&[1.0; 7]);
        stack.expect(100_000, &[(true, 1), (false, 9), (true, 2)]);
        let held = stack.capacity();
        assert_eq!(held, 300_007);
        (0..300_000).for_each(|i| stack.push(f64::from(i)));
        assert_eq!(
            (stack.capacity(), stack[7], stack[300_006]),
            (held, 0.0, 299_999.0)
        );
        // It is there already.
        stack.close_frame(300_000);
        stack.expect(1000, &[(true, 300)]);
        assert_eq!(stack.capacity(), held);
    }

    #[test]
    fn a_loop_that_can_not_end_is_no_error() {
        let mut stack = Stack::default();
        stack.push(1.0);
        stack.expect(usize::MAX, &[(true, 1)]);
        stack.expect(usize::MAX, &[(true, usize::MAX)]);
        stack.expect(usize::MAX / 16, &[(true, 1)]);
        stack.push(2.0);
        assert_eq!(stack[..], [1.0, 2.0]);
    }

    #[test]
    fn a_short_stack_doubles() {
        let mut stack = Stack::default();
        stack.push(1.0);
        assert_eq!(stack.capacity() * size_of::<f64>(), FIRST);
        stack.push_block(&[2.0; 64]);
        assert_eq!(stack.capacity() * size_of::<f64>(), 2 * FIRST);
        stack.push_block(&[2.0; 1000]);
        assert_eq!(stack.capacity(), 1065);
    }

    #[test]
    fn values_of_any_size_are_held() {
        let mut large = Stack::default();
        large.push([1.0; 1000]);
        large.push([2.0; 1000]);
        assert_eq!(large[1], [2.0; 1000]);
        let mut empty = Stack::default();
        empty.push(());
        assert_eq!(empty.len(), 1);
    }
}
