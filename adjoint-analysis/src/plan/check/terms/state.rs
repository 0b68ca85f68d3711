//! States: what each location holds.
//!
//! A state is kept for each statement, and most locations are the same in most of them, so states
//! share what they have in common.

use std::ops::Index;
use std::rc::Rc;

use super::term::Term;

/// The number of locations that are copied together.
const CHUNK: usize = 32;

/// The term in each location; `None` where its variable is out of scope.
#[derive(Clone, Default)]
pub struct State {
    chunks: Vec<Rc<[Option<Term>; CHUNK]>>,
    len: usize,
}

impl State {
    /// Nothing in scope, among so many locations.
    pub fn empty(len: usize) -> State {
        let blank = Rc::new([None; CHUNK]);
        State {
            chunks: vec![blank; len.div_ceil(CHUNK)],
            len,
        }
    }

    /// The number of locations.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Puts a term in a location.
    pub fn set(&mut self, n: usize, term: Option<Term>) {
        if self[n] != term {
            Rc::make_mut(&mut self.chunks[n / CHUNK])[n % CHUNK] = term;
        }
    }
}

impl Index<usize> for State {
    type Output = Option<Term>;

    fn index(&self, n: usize) -> &Option<Term> {
        &self.chunks[n / CHUNK][n % CHUNK]
    }
}
