//! A stack of flags, one bit each.

use super::account::Account;
use super::stack::{Stack, empty};

/// A stack of flags. Its methods are those of the tape, in whose place it stands where a loop has a frame.
#[derive(Default)]
pub struct Bits {
    pub(super) words: Stack<u64>,
    pub(super) len: usize,
}

impl Bits {
    pub(super) fn on(account: &Option<Account>) -> Bits {
        Bits {
            words: Stack::on(account.clone()),
            len: 0,
        }
    }

    #[inline]
    pub fn push_flag(&mut self, flag: bool) {
        let bit = self.len % 64;
        match self.words.last_mut() {
            // A bit above the top may still hold a popped flag.
            Some(word) if bit != 0 => *word = *word & !(1 << bit) | u64::from(flag) << bit,
            _ => self.words.push(u64::from(flag)),
        }
        self.len += 1;
    }

    #[inline]
    pub fn pop_flag(&mut self) -> bool {
        let Some(word) = self.words.last() else {
            empty()
        };
        self.len -= 1;
        let bit = self.len % 64;
        let flag = word >> bit & 1 == 1;
        if bit == 0 {
            self.words.pop();
        }
        flag
    }

    /// Which of a few ways was taken, in as many bits as tell them apart.
    #[inline]
    pub fn push_label(&mut self, label: u8, bits: u32) {
        for k in 0..bits {
            self.push_flag(label >> k & 1 == 1);
        }
    }

    #[inline]
    pub fn pop_label(&mut self, bits: u32) -> u8 {
        (0..bits).fold(0, |label, _| label << 1 | self.pop_flag() as u8)
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn copy_from(&mut self, other: &Bits) {
        self.words.copy_from(&other.words);
        self.len = other.len;
    }

    pub(super) fn clear(&mut self) {
        self.words.clear();
        self.len = 0;
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
        // Over popped bits that were set differently.
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
    #[should_panic = "nothing left to pop"]
    fn popping_an_empty_stack_is_a_bug() {
        let mut bits = Bits::default();
        bits.push_flag(true);
        bits.pop_flag();
        bits.pop_flag();
    }
}
