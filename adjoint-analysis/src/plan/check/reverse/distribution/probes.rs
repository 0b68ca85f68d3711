//! By how much an index changes from one iteration to the next, tried with random values.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::ir::{BinOp, Expr, Place, Proj, Stmt, StmtKind, VarId};
use crate::passes::sets::set::VarSet;

/// How many times an index is tried. What differs by one number in all of them is linear, except with a probability of
/// about 2⁻⁶⁴ in each (the lemma of Schwartz and Zippel).
const TRIES: u64 = 4;

/// Evaluates indices in two adjacent iterations.
pub struct Probes<'b> {
    index: VarId,
    definitions: HashMap<VarId, &'b Expr>,
    /// What may have another value in each iteration.
    varying: VarSet,
}

impl<'b> Probes<'b> {
    /// Of the body with these statements.
    pub fn new(index: VarId, stmts: &[&'b Stmt], written: &VarSet) -> Probes<'b> {
        let mut varying = written.clone();
        let mut definitions = HashMap::new();
        for stmt in stmts {
            varying.extend(stmt.declared());
            if let StmtKind::Let(v, Some(e)) = &stmt.kind
                && !written.contains(*v)
            {
                definitions.insert(*v, e);
            }
        }
        Probes {
            index,
            definitions,
            varying,
        }
    }

    /// By how much the value changes from one iteration to the next, if always by the same.
    pub fn change(&self, e: &Expr) -> Option<u64> {
        let at = |n: u64| {
            let start = hash((n, "start"));
            let before = self.value(e, start, n);
            self.value(e, start.wrapping_add(1), n).wrapping_sub(before)
        };
        let first = at(0);
        (1..TRIES).all(|n| at(n) == first).then_some(first)
    }

    /// Whether an expression in front of the loop has the value that another one has in the iteration with the index `lo`.
    pub fn is_at_start(&self, in_front: &Expr, e: &Expr, lo: &Expr) -> bool {
        (0..TRIES).all(|n| {
            // Whatever the loop's index is in front of it.
            let outside = hash((n, "outside"));
            let start = self.value(lo, outside, n);
            self.value(in_front, outside, n) == self.value(e, start, n)
        })
    }

    /// Whether the place is another element in each iteration: one index changes, and nothing else.
    pub fn is_another_element(&self, place: &Place) -> bool {
        let mut changing = 0;
        for step in &place.proj {
            for e in step.operands() {
                match (self.change(e), step) {
                    (Some(0), _) => {}
                    (Some(_), Proj::Index(_)) => changing += 1,
                    _ => return false,
                }
            }
        }
        changing == 1
    }

    /// The value of an integer expression where the loop's index has this one; all else depends on the number of the
    /// try.
    fn value(&self, e: &Expr, at: u64, n: u64) -> u64 {
        let value = |e: &Expr| self.value(e, at, n);
        match e {
            Expr::Read(p) if p.is_whole() && p.root == self.index => at,
            Expr::Read(p) if p.is_whole() && self.definitions.contains_key(&p.root) => {
                value(self.definitions[&p.root])
            }
            Expr::Lit(text, _) => text.parse().unwrap_or_else(|_| hash(text)),
            Expr::Binary(BinOp::Add, a, b) => value(a).wrapping_add(value(b)),
            Expr::Binary(BinOp::Sub, a, b) => value(a).wrapping_sub(value(b)),
            Expr::Binary(BinOp::Mul, a, b) => value(a).wrapping_mul(value(b)),
            e => self.opaque(e, at, n),
        }
    }

    /// A number for anything else, which is the same only where all that it reads is.
    fn opaque(&self, e: &Expr, at: u64, n: u64) -> u64 {
        let mut hasher = DefaultHasher::new();
        (n, std::mem::discriminant(e)).hash(&mut hasher);
        e.each_child(&mut |child| self.value(child, at, n).hash(&mut hasher));
        for p in e.own_places() {
            p.root.hash(&mut hasher);
            if self.varying.contains(p.root) || p.root == self.index {
                at.hash(&mut hasher);
            }
        }
        let mut plain = e.clone();
        for child in plain.children_mut() {
            *child = Expr::Lit(String::new(), crate::ir::Ty::Unit);
        }
        format!("{plain:?}").hash(&mut hasher);
        hasher.finish()
    }
}

fn hash(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}
