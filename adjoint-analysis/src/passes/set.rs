//! Sets of variables, as the data-flow equations use them.

use crate::ir::VarId;

/// A set of variables of one function.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct VarSet {
    words: Vec<u64>,
}

impl VarSet {
    /// Adds a variable; whether it was new.
    pub fn insert(&mut self, v: VarId) -> bool {
        let (word, bit) = (v.index() / 64, 1u64 << (v.index() % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        new
    }

    /// Takes a variable out.
    pub fn remove(&mut self, v: VarId) {
        if let Some(word) = self.words.get_mut(v.index() / 64) {
            *word &= !(1u64 << (v.index() % 64));
        }
    }

    /// Whether the variable is in the set.
    pub fn contains(&self, v: VarId) -> bool {
        self.words
            .get(v.index() / 64)
            .is_some_and(|w| w & (1u64 << (v.index() % 64)) != 0)
    }

    /// `self := self ∪ other`; whether that changed it.
    pub fn union(&mut self, other: &VarSet) -> bool {
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
    pub fn subtract(&mut self, other: &VarSet) {
        for (w, o) in self.words.iter_mut().zip(&other.words) {
            *w &= !o;
        }
    }

    /// The variables, in order.
    pub fn iter(&self) -> impl Iterator<Item = VarId> + '_ {
        let bits = |(i, &w): (usize, &u64)| {
            (0..64)
                .filter(move |b| w & (1 << b) != 0)
                .map(move |b| VarId((i * 64 + b) as u32))
        };
        self.words.iter().enumerate().flat_map(bits)
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|w| *w == 0)
    }
}

impl FromIterator<VarId> for VarSet {
    fn from_iter<I: IntoIterator<Item = VarId>>(iter: I) -> Self {
        let mut set = VarSet::default();
        set.extend(iter);
        set
    }
}

impl Extend<VarId> for VarSet {
    fn extend<I: IntoIterator<Item = VarId>>(&mut self, iter: I) {
        for v in iter {
            self.insert(v);
        }
    }
}
