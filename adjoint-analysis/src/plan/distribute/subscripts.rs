//! By how much an index changes from one iteration of a loop to the next.

use std::collections::HashMap;

use super::sums::Sum;
use crate::ir::{BinOp, Block, Expr, Place, Proj, StmtKind, VarId};
use crate::passes::sets::set::VarSet;

/// The variables of a loop's body, by how they change.
pub struct Subscripts<'b> {
    index: VarId,
    /// The values of locals that are declared with one and not written again.
    definitions: HashMap<VarId, &'b Expr>,
    /// What the body writes or declares, the index included.
    varying: VarSet,
}

/// An element that is another one in each iteration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Element {
    /// The position of the index among the projections of the place.
    pub at: usize,
    /// By how much the index changes; not zero.
    pub change: i64,
}

impl<'b> Subscripts<'b> {
    /// Of a loop with this index.
    pub fn of(body: &'b Block, index: VarId) -> Subscripts<'b> {
        let mut definitions = HashMap::new();
        let mut varying = VarSet::default();
        let mut written = VarSet::default();
        varying.insert(index);
        body.walk(&mut |s| {
            if let StmtKind::Let(v, Some(e)) = &s.kind {
                definitions.insert(*v, e);
            }
            varying.extend(s.declared());
            written.extend(s.written().iter().map(|p| p.root));
        });
        definitions.retain(|v, _| !written.contains(*v));
        varying.extend(written.iter());
        Subscripts {
            index,
            definitions,
            varying,
        }
    }

    /// The same for a part that takes these locals, which have another value in each iteration.
    pub fn of_part(block: &'b Block, takes: &[VarId], index: VarId) -> Subscripts<'b> {
        let mut subscripts = Subscripts::of(block, index);
        subscripts.varying.extend(takes.iter().copied());
        subscripts
    }

    /// By how much the value of the expression changes, if that is known.
    pub fn change(&self, e: &Expr) -> Option<i64> {
        match e {
            Expr::Read(p) if p.is_whole() && p.root == self.index => Some(1),
            Expr::Read(p) if p.is_whole() && self.definitions.contains_key(&p.root) => {
                self.change(self.definitions[&p.root])
            }
            Expr::Binary(BinOp::Add, a, b) => self.change(a)?.checked_add(self.change(b)?),
            Expr::Binary(BinOp::Sub, a, b) => self.change(a)?.checked_sub(self.change(b)?),
            Expr::Binary(BinOp::Mul, a, b) => match (&**a, &**b) {
                (Expr::Lit(n, _), e) | (e, Expr::Lit(n, _)) => {
                    self.change(e)?.checked_mul(n.parse().ok()?)
                }
                _ => self.is_invariant(e).then_some(0),
            },
            _ => self.is_invariant(e).then_some(0),
        }
    }

    /// How much greater the first index is than the second, if that is one number in all iterations.
    pub fn distance(&self, a: &Expr, b: &Expr) -> Option<i64> {
        let mut difference = Sum::default();
        difference.add(a, 1, &|v| self.definition(v))?;
        difference.add(b, -1, &|v| self.definition(v))?;
        difference.terms.is_empty().then_some(difference.constant)
    }

    /// The value of a local that is declared with one and not written again.
    pub fn definition(&self, v: VarId) -> Option<&'b Expr> {
        self.definitions.get(&v).copied()
    }

    /// Whether the value of the expression changes by the same number from each iteration to the next.
    pub fn is_linear(&self, e: &Expr) -> bool {
        match e {
            Expr::Read(p) if p.is_whole() && p.root == self.index => true,
            Expr::Read(p) if p.is_whole() && self.definitions.contains_key(&p.root) => {
                self.is_linear(self.definitions[&p.root])
            }
            Expr::Binary(BinOp::Add | BinOp::Sub, a, b) => self.is_linear(a) && self.is_linear(b),
            Expr::Binary(BinOp::Mul, a, b) => {
                let is_multiple = |a, b| self.is_invariant(a) && self.is_linear(b);
                is_multiple(a, b) || is_multiple(b, a)
            }
            e => self.is_invariant(e),
        }
    }

    /// Whether the expression reads nothing that varies.
    pub fn is_invariant(&self, e: &Expr) -> bool {
        let mut invariant = true;
        e.walk(&mut |e| {
            let varies = |p: &Place| self.varying.contains(p.root);
            invariant &= !matches!(e, Expr::Code(..)) && !e.own_places().iter().any(varies);
        });
        invariant
    }

    /// Whether the value of the expression is the same in all iterations.
    pub fn is_fixed_value(&self, e: &Expr) -> bool {
        self.is_invariant(&self.resolved(e))
    }

    /// Whether the variable is a local that has one value in an iteration.
    pub fn is_defined_once(&self, v: VarId) -> bool {
        self.definitions.contains_key(&v)
    }

    /// The element of the place, if one index changes and nothing else does.
    pub fn element(&self, place: &Place) -> Option<Element> {
        let mut found = None;
        for (at, step) in place.proj.iter().enumerate() {
            for e in step.operands() {
                match (self.change(e)?, step) {
                    (0, _) => {}
                    (change, Proj::Index(_)) if found.is_none() => {
                        found = Some(Element { at, change });
                    }
                    _ => return None,
                }
            }
        }
        found
    }

    /// The index in terms of what is defined outside of the body, and of the loop's index.
    pub fn resolved(&self, e: &Expr) -> Expr {
        match e {
            Expr::Read(p) if p.is_whole() && self.definitions.contains_key(&p.root) => {
                self.resolved(self.definitions[&p.root])
            }
            Expr::Binary(op, a, b) => {
                Expr::Binary(*op, Box::new(self.resolved(a)), Box::new(self.resolved(b)))
            }
            e => e.clone(),
        }
    }

    /// What the expression is where the loop's index is `lo`, in terms of what is defined outside of the body.
    pub fn in_front(&self, e: &Expr, lo: &Expr) -> Option<Expr> {
        let mut at_start = self.resolved(e);
        at_start.replace_reads(self.index, lo);
        self.is_invariant(&at_start).then_some(at_start)
    }

    /// Whether all operands of the place are the same in all iterations.
    pub fn is_fixed(&self, place: &Place) -> bool {
        place.operands().iter().all(|e| self.is_invariant(e))
    }
}
