//! A stack of flags, one bit each.

use super::account::Account;
use super::stack::Stack;

/// A stack of flags.
#[derive(Default)]
pub struct Bits {
    /// The full words.
    pub(super) words: Stack<u64>,
    /// The flags above them, zeros above these.
    pub(super) word: u64,
    pub(super) len: usize,
}

impl Bits {
    pub(super) fn on(account: &Option<Account>) -> Bits {
        Bits {
            words: Stack::on(account.clone()),
            ..Bits::default()
        }
    }

    #[inline]
    pub fn push_flag(&mut self, flag: bool) {
        self.word |= u64::from(flag) << (self.len % 64);
        self.len += 1;
        if self.len.is_multiple_of(64) {
            self.push_word();
        }
    }

    #[inline(never)]
    fn push_word(&mut self) {
        self.words.push(std::mem::take(&mut self.word));
    }

    #[inline]
    fn pop_word(&mut self) {
        self.word = self.words.pop();
    }

    #[inline]
    pub fn pop_flag(&mut self) -> bool {
        if self.len.is_multiple_of(64) {
            self.pop_word();
        }
        self.len -= 1;
        let bit = 1 << (self.len % 64);
        let flag = self.word & bit != 0;
        self.word &= !bit;
        flag
    }

    /// Which of a few ways was taken, in as many bits as tell them apart.
    #[inline]
    pub fn push_label(&mut self, label: u8, bits: u32) {
        debug_assert!(u32::from(label) >> bits == 0, "{label} has more bits");
        let (at, count) = (self.len % 64, bits as usize);
        if at + count < 64 {
            self.word |= u64::from(label) << at;
            self.len += count;
        } else {
            (0..bits).for_each(|k| self.push_flag(label >> k & 1 == 1));
        }
    }

    #[inline]
    pub fn pop_label(&mut self, bits: u32) -> u8 {
        let (at, count) = (self.len % 64, bits as usize);
        if at < count {
            return (0..bits).fold(0, |label, _| label << 1 | self.pop_flag() as u8);
        }
        self.len -= count;
        let label = self.word >> (at - count);
        self.word ^= label << (at - count);
        label as u8
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn copy_from(&mut self, other: &Bits) {
        self.words.copy_from(&other.words);
        (self.word, self.len) = (other.word, other.len);
    }

    pub(super) fn clear(&mut self) {
        self.words.clear();
        (self.word, self.len) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn flags_come_back_in_reverse() {
        let flag = |i: usize| i * i % 7 < 3;
        let mut bits = Bits::default();
        for i in 0..200 {
            bits.push_flag(flag(i));
        }
        for i in (100..200).rev() {
            assert_eq!(bits.pop_flag(), flag(i));
        }
        // Where others were popped.
        for i in 100..200 {
            bits.push_flag(!flag(i));
        }
        assert_eq!(bits.len(), 200);
        for i in (100..200).rev() {
            assert_eq!(bits.pop_flag(), !flag(i));
        }
        for i in (0..100).rev() {
            assert_eq!(bits.pop_flag(), flag(i));
        }
        assert_eq!(bits.len(), 0);
    }

    #[test]
    fn labels_cross_the_ends_of_words() {
        let label = |i: u32| (i * i % 5) as u8;
        let mut bits = Bits::default();
        bits.push_flag(true);
        (0..100).for_each(|i| bits.push_label(label(i), 3));
        assert_eq!(bits.len(), 301);
        for i in (50..100).rev() {
            assert_eq!(bits.pop_label(3), label(i));
        }
        (50..100).for_each(|i| bits.push_label(label(i) ^ 7, 3));
        for i in (50..100).rev() {
            assert_eq!(bits.pop_label(3), label(i) ^ 7);
        }
        assert!((0..50).rev().all(|i| bits.pop_label(3) == label(i)));
        assert!(bits.pop_flag());
        assert_eq!(bits.len(), 0);
    }

    #[test]
    #[should_panic = "nothing left to pop"]
    fn popping_an_empty_stack_is_a_bug() {
        let mut bits = Bits::default();
        bits.push_flag(true);
        bits.pop_flag();
        bits.pop_flag();
    }
}
