//! Parts that add nothing where a seed is zero.
//!
//! A sum in the function has the same seed in all iterations. Where that is zero, the loop is not run; where it is not,
//! a product with it needs no test (`scale` is a multiplication then).

use std::collections::HashMap;

use crate::ir::{BinOp, Block, Expr, Func, Part, StmtKind, VarId};
use crate::passes::sets::set::VarSet;
use crate::rules::is_choice;

use super::subscripts::Subscripts;

/// When a value is zero.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Zero {
    Always,
    /// Where this variable is.
    With(VarId),
    Unknown,
}

impl Zero {
    /// Of a sum.
    fn plus(self, other: Zero) -> Zero {
        match (self, other) {
            (Zero::Always, z) | (z, Zero::Always) => z,
            (a, b) if a == b => a,
            _ => Zero::Unknown,
        }
    }
}

/// The seed of a part with this block that all it adds is a multiple of.
pub fn seed(block: &Block, index: VarId, func: &Func) -> Option<VarId> {
    let mut walk = Walk {
        subscripts: Subscripts::of(block, index),
        func,
        locals: HashMap::new(),
        sum: Zero::Always,
    };
    walk.block(block);
    match walk.sum {
        Zero::With(seed) => Some(seed),
        _ => None,
    }
}

/// Replaces `scale` of the part's seed, which is not zero where the part is run.
pub fn multiply_plainly(part: &mut Part, index: VarId) {
    if let Some(seed) = part.seed {
        let subscripts = Subscripts::of_part(&part.block, &part.takes, index);
        let names = copies(&part.block, seed, &subscripts);
        each_expr(&mut part.block, &mut |e| multiply(e, &names));
    }
}

struct Walk<'b> {
    subscripts: Subscripts<'b>,
    func: &'b Func,
    locals: HashMap<VarId, Zero>,
    /// Of all that is added to what outlives the iteration.
    sum: Zero,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Let(v, e) => {
                    let zero = e.as_ref().map_or(Zero::Always, |e| self.zero(e));
                    self.locals.insert(*v, zero);
                }
                StmtKind::Incr(p, e) => {
                    let zero = self.zero(e);
                    let sum = self.locals.get_mut(&p.root).unwrap_or(&mut self.sum);
                    *sum = sum.plus(zero);
                }
                StmtKind::Assign(p, e) if p.is_whole() && self.locals.contains_key(&p.root) => {
                    // It may be in a branch.
                    let zero = self.zero(e);
                    let old = self.locals.entry(p.root).or_insert(Zero::Unknown);
                    *old = old.plus(zero);
                }
                _ => stmt.written().iter().for_each(|p| {
                    *self.locals.get_mut(&p.root).unwrap_or(&mut self.sum) = Zero::Unknown;
                }),
            }
            stmt.each_block(&mut |inner| self.block(inner));
        }
    }

    fn zero(&self, e: &Expr) -> Zero {
        match e {
            Expr::Lit(text, _) if text.parse() == Ok(0.0) => Zero::Always,
            Expr::Read(p) if p.is_whole() && p.ty.is_machine_float() => {
                match self.locals.get(&p.root) {
                    Some(zero) => *zero,
                    None if self.subscripts.is_invariant(e) => Zero::With(p.root),
                    None => Zero::Unknown,
                }
            }
            Expr::Unary(_, a) | Expr::Scale(a, _) => self.zero(a),
            Expr::Binary(BinOp::Add | BinOp::Sub, a, b) => self.zero(a).plus(self.zero(b)),
            Expr::Binary(BinOp::Mul, a, b) if self.is_constant(b) => self.zero(a),
            _ => Zero::Unknown,
        }
    }

    fn is_constant(&self, e: &Expr) -> bool {
        let mut reads = e.reads().into_iter();
        !reads.any(|v| self.func.var(v).ty.carries_floats())
    }
}

/// The variable, and the locals that are copies of it.
fn copies(block: &Block, of: VarId, subscripts: &Subscripts<'_>) -> VarSet {
    let mut names = VarSet::default();
    names.insert(of);
    block.walk(&mut |s| {
        if let StmtKind::Let(v, Some(e)) = &s.kind
            && is_one_of(e, &names)
            && subscripts.is_defined_once(*v)
        {
            names.insert(*v);
        }
    });
    names
}

fn is_one_of(e: &Expr, names: &VarSet) -> bool {
    matches!(e, Expr::Read(p) if p.is_whole() && names.contains(p.root))
}

fn each_expr(block: &mut Block, f: &mut dyn FnMut(&mut Expr)) {
    for stmt in &mut block.stmts {
        stmt.operands_mut().into_iter().for_each(&mut *f);
        for inner in stmt.blocks_mut() {
            each_expr(inner, f);
        }
    }
}

/// Replaces `scale` of a seed that is not zero.
fn multiply(e: &mut Expr, seeds: &VarSet) {
    for child in e.children_mut() {
        multiply(child, seeds);
    }
    if let Expr::Scale(seed, partial) = e
        && is_one_of(seed, seeds)
        && !is_choice(partial)
    {
        *e = Expr::Binary(BinOp::Mul, seed.clone(), partial.clone());
    }
}
