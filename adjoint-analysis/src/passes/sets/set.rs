//! Sets of variables and of cells, as the data-flow equations use them.

use std::marker::PhantomData;

use super::cells::Cell;
use crate::ir::{StmtId, VarId};

/// A type of set members, which are numbered from 0.
pub trait Member: Copy {
    /// Its number.
    fn number(self) -> usize;
    /// The member with this number.
    fn of_number(number: u32) -> Self;
}

impl Member for VarId {
    fn number(self) -> usize {
        self.index()
    }

    fn of_number(number: u32) -> VarId {
        VarId(number)
    }
}

impl Member for StmtId {
    fn number(self) -> usize {
        self.index()
    }

    fn of_number(number: u32) -> StmtId {
        StmtId(number)
    }
}

impl Member for Cell {
    fn number(self) -> usize {
        self.index()
    }

    fn of_number(number: u32) -> Cell {
        Cell(number)
    }
}

/// A set, one bit for each possible member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Set<K> {
    /// The first word, which is often the only one.
    first: u64,
    others: Vec<u64>,
    of: PhantomData<K>,
}

/// A set of variables of one function.
pub type VarSet = Set<VarId>;

/// A set of cells of one function.
pub type CellSet = Set<Cell>;

impl<K> Default for Set<K> {
    fn default() -> Self {
        Set {
            first: 0,
            others: Vec::new(),
            of: PhantomData,
        }
    }
}

/// The word and the bit of a member.
fn position(number: usize) -> (usize, u64) {
    (number / 64, 1u64 << (number % 64))
}

impl<K: Member> Set<K> {
    /// Adds a member; returns whether it was new.
    pub fn insert(&mut self, v: K) -> bool {
        let (word, bit) = position(v.number());
        let word = match word.checked_sub(1) {
            None => &mut self.first,
            Some(word) => {
                if self.others.len() <= word {
                    self.others.resize(word + 1, 0);
                }
                &mut self.others[word]
            }
        };
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Removes a member.
    pub fn remove(&mut self, v: K) {
        let (word, bit) = position(v.number());
        match word.checked_sub(1) {
            None => self.first &= !bit,
            Some(word) => {
                if let Some(word) = self.others.get_mut(word) {
                    *word &= !bit;
                }
            }
        }
    }

    /// Whether it is in the set.
    pub fn contains(&self, v: K) -> bool {
        let (word, bit) = position(v.number());
        self.word(word).is_some_and(|word| word & bit != 0)
    }

    fn word(&self, word: usize) -> Option<u64> {
        match word.checked_sub(1) {
            None => Some(self.first),
            Some(word) => self.others.get(word).copied(),
        }
    }

    /// `self := self ∪ other`; returns whether it changed.
    pub fn union(&mut self, other: &Set<K>) -> bool {
        let mut changed = other.first & !self.first != 0;
        self.first |= other.first;
        if self.others.len() < other.others.len() {
            self.others.resize(other.others.len(), 0);
        }
        for (w, o) in self.others.iter_mut().zip(&other.others) {
            changed |= *o & !*w != 0;
            *w |= o;
        }
        changed
    }

    /// `self := self \ other`
    pub fn subtract(&mut self, other: &Set<K>) {
        self.first &= !other.first;
        for (w, o) in self.others.iter_mut().zip(&other.others) {
            *w &= !o;
        }
    }

    /// `self := self ∪ (a ∩ b)`
    pub fn add_common(&mut self, a: &Set<K>, b: &Set<K>) {
        let others = a.others.iter().zip(&b.others).map(|(a, b)| a & b);
        self.union(&Set {
            first: a.first & b.first,
            others: others.collect(),
            of: PhantomData,
        });
    }

    /// Whether the sets have a common member.
    pub fn intersects(&self, other: &Set<K>) -> bool {
        let mut others = self.others.iter().zip(&other.others);
        self.first & other.first != 0 || others.any(|(a, b)| a & b != 0)
    }

    /// The members, in order.
    pub fn iter(&self) -> impl Iterator<Item = K> + '_ {
        Members {
            set: self,
            at: 0,
            left: self.first,
        }
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.first == 0 && self.others.iter().all(|w| *w == 0)
    }
}

/// The members of a set, in order.
struct Members<'a, K> {
    set: &'a Set<K>,
    /// The current word, and the bits left in it.
    at: usize,
    left: u64,
}

impl<K: Member> Iterator for Members<'_, K> {
    type Item = K;

    fn next(&mut self) -> Option<K> {
        while self.left == 0 {
            self.at += 1;
            self.left = self.set.word(self.at)?;
        }
        let bit = self.left.trailing_zeros();
        self.left &= self.left - 1;
        Some(K::of_number(self.at as u32 * 64 + bit))
    }
}

impl<K: Member> FromIterator<K> for Set<K> {
    fn from_iter<I: IntoIterator<Item = K>>(iter: I) -> Self {
        let mut set = Set::default();
        set.extend(iter);
        set
    }
}

impl<K: Member> Extend<K> for Set<K> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, iter: I) {
        for v in iter {
            self.insert(v);
        }
    }
}
