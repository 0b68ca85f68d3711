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

    /// The members, in order.
    pub fn iter(&self) -> impl Iterator<Item = K> + '_ {
        let bits = |(i, &w): (usize, &u64)| {
            (0..64)
                .filter(move |b| w & (1 << b) != 0)
                .map(move |b| K::of_number((i * 64 + b) as u32))
        };
        self.words.iter().enumerate().flat_map(bits)
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|w| *w == 0)
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
