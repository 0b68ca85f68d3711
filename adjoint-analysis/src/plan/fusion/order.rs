//! The order of a function's statements around its fused loops.
//!
//! A fused loop runs where it was reversed, the last one first. What comes behind it in the forward sweep runs before it,
//! unless it needs what the loop, or another such statement, changes: that is *late*, and runs behind the last fused loop.

use super::effects::Effects;
use super::scope::Scope;
use crate::ir::{Block, Stmt, StmtKind};
use crate::passes::checkpoint::Callees;

/// A fused loop: where it was in both sweeps, and what it is now.
pub struct Fused {
    pub at: usize,
    pub mirror: usize,
    pub stmt: Stmt,
}

/// The statements of both sweeps, and which loops are fused.
pub struct Order {
    forward: Vec<Effects>,
    reverse: Vec<Effects>,
    fused: Vec<Fused>,
}

/// When a statement runs.
#[derive(Clone, Copy)]
enum Time {
    /// In the forward sweep, by number.
    Early(usize),
    /// In the reverse sweep, by number.
    Reverse(usize),
    /// Behind the last fused loop, which has the first number; the second one is the statement's.
    Late(usize, usize),
}

impl Time {
    /// A key by which times are sorted.
    fn key(self) -> (usize, usize, usize) {
        match self {
            Time::Early(n) => (0, n, 0),
            Time::Reverse(n) => (1, n, 0),
            Time::Late(behind, n) => (1, behind, n + 1),
        }
    }
}

impl Order {
    /// The order without any fused loops.
    pub fn of(scope: &Scope, callees: Callees<'_>) -> Order {
        let effects = |stmts: &[Stmt]| -> Vec<Effects> {
            let each = stmts.iter().map(std::slice::from_ref);
            each.map(|stmt| Effects::of(stmt, callees)).collect()
        };
        Order {
            forward: effects(&scope.forward),
            reverse: effects(&scope.reverse),
            fused: Vec::new(),
        }
    }

    /// Fuses the loop if no two statements that then change places depend on each other.
    pub fn try_to_fuse(&mut self, of: Fused) {
        let tape = [
            std::mem::take(&mut self.forward[of.at].use_tape),
            std::mem::take(&mut self.reverse[of.mirror].use_tape),
        ];
        let (at, mirror) = (of.at, of.mirror);
        self.fused.push(of);
        if !self.is_possible() {
            self.fused.pop();
            [self.forward[at].use_tape, self.reverse[mirror].use_tape] = tape;
        }
    }

    /// The statements of the forward sweep that run behind the fused loops.
    fn late(&self) -> Vec<usize> {
        let mut after: Vec<usize> = Vec::new();
        let mut late = Vec::new();
        for (n, effects) in self.forward.iter().enumerate() {
            if self.fused.iter().any(|of| of.at == n) {
                after.push(n);
            } else if after.iter().any(|m| depend(&self.forward[*m], effects)) {
                after.push(n);
                late.push(n);
            }
        }
        late
    }

    /// When each statement runs, in the order of the two sweeps.
    fn times(&self) -> Vec<Time> {
        let (late, last) = (self.late(), self.last());
        let forward = (0..self.forward.len()).map(|n| {
            let fused = self.fused.iter().find(|of| of.at == n);
            match fused {
                Some(of) => Time::Reverse(of.mirror),
                None if late.contains(&n) => Time::Late(last, n),
                None => Time::Early(n),
            }
        });
        let reverse = (0..self.reverse.len()).map(Time::Reverse);
        forward.chain(reverse).collect()
    }

    /// The position of the last fused loop in the reverse sweep.
    fn last(&self) -> usize {
        let mirrors = self.fused.iter().map(|of| of.mirror);
        mirrors.max().unwrap_or_default()
    }

    /// Whether no two statements that change places depend on each other. One of the two runs later than before: it is a fused
    /// loop, or late.
    fn is_possible(&self) -> bool {
        let times = self.times();
        let mut delayed = (0..self.forward.len()).filter(|n| !matches!(times[*n], Time::Early(_)));
        delayed.all(|a| {
            let is_behind = |b: usize| times[a].key() <= times[b].key();
            let own = &self.forward[a];
            let mut forward = self.forward.iter().enumerate().skip(a + 1);
            let mut reverse = self.reverse.iter().zip(self.forward.len()..);
            forward.all(|(b, other)| is_behind(b) || !depend(own, other))
                && reverse.all(|(other, b)| is_behind(b) || !own.conflict_with(other))
        })
    }

    /// Puts the statements into this order. Returns whether there are fused loops.
    pub fn arrange(self, scope: &mut Scope) -> bool {
        if self.fused.is_empty() {
            return false;
        }
        let (late, last) = (self.late(), self.last());
        let (mut early, mut behind) = (Vec::new(), Vec::new());
        for (n, stmt) in std::mem::take(&mut scope.forward).into_iter().enumerate() {
            if late.contains(&n) {
                behind.push(stmt);
            } else if self.fused.iter().all(|of| of.at != n) {
                early.push(stmt);
            }
        }
        scope.forward = early;
        for of in self.fused {
            scope.reverse[of.mirror] = of.stmt;
        }
        if let Some(first) = behind.first() {
            let id = first.id;
            let kind = StmtKind::Replay(Block::default(), Block::new(behind));
            scope.reverse.insert(last + 1, Stmt { id, kind });
        }
        true
    }
}

/// Whether two statements of the forward sweep can't change places: additions are not reordered there.
fn depend(a: &Effects, b: &Effects) -> bool {
    a.conflict_with(b) || a.incremented.intersects(&b.incremented)
}
