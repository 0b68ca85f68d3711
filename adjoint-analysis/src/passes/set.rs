//! Sets of variables and of cells, as the data-flow equations use them.

use std::marker::PhantomData;

use super::cells::Cell;
use crate::ir::VarId;

/// What can be in a set: something numbered from 0.
pub trait Member: Copy {
    /// Its number.
    fn number(self) -> usize;
    /// The one of this number.
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
    words: Vec<u64>,
    of: PhantomData<K>,
}

/// A set of variables of one function.
pub type VarSet = Set<VarId>;

/// A set of cells of one function.
pub type CellSet = Set<Cell>;

impl<K> Default for Set<K> {
    fn default() -> Self {
        Set {
            words: Vec::new(),
            of: PhantomData,
        }
    }
}

impl<K: Member> Set<K> {
    /// Adds a member; whether it was new.
    pub fn insert(&mut self, v: K) -> bool {
        let (word, bit) = (v.number() / 64, 1u64 << (v.number() % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        new
    }

    /// Takes a member out.
    pub fn remove(&mut self, v: K) {
        if let Some(word) = self.words.get_mut(v.number() / 64) {
            *word &= !(1u64 << (v.number() % 64));
        }
    }

    /// Whether it is in the set.
    pub fn contains(&self, v: K) -> bool {
        self.words
            .get(v.number() / 64)
            .is_some_and(|w| w & (1u64 << (v.number() % 64)) != 0)
    }

    /// `self := self ∪ other`; whether that changed it.
    pub fn union(&mut self, other: &Set<K>) -> bool {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut changed = false;
        for (w, o) in self.words.iter_mut().zip(&other.words) {
            changed |= *o & !*w != 0;
            *w |= o;
        }
        changed
    }

    /// `self := self \ other`
    pub fn subtract(&mut self, other: &Set<K>) {
        for (w, o) in self.words.iter_mut().zip(&other.words) {
            *w &= !o;
        }
    }

    /// `self := self ∪ (a ∩ b)`
    pub fn add_common(&mut self, a: &Set<K>, b: &Set<K>) {
        let common = a.words.iter().zip(&b.words).map(|(a, b)| a & b);
        let words = common.collect();
        self.union(&Set {
            words,
            of: PhantomData,
        });
    }

    /// The members, in order.
    pub fn iter(&self) -> impl Iterator<Item = K> + '_ {
        Members {
            words: &self.words,
            at: 0,
            left: self.words.first().copied().unwrap_or(0),
            of: PhantomData,
        }
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|w| *w == 0)
    }
}

/// The members of a set, in order.
struct Members<'a, K> {
    words: &'a [u64],
    /// The word at hand, and what is left of it.
    at: usize,
    left: u64,
    of: PhantomData<K>,
}

impl<K: Member> Iterator for Members<'_, K> {
    type Item = K;

    fn next(&mut self) -> Option<K> {
        while self.left == 0 {
            self.at += 1;
            self.left = *self.words.get(self.at)?;
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
