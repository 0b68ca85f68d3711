//! The loops around the statement at hand.

use crate::ir::{BinOp, Expr, LoopHead, Place, VarId};

/// A loop of at most so many iterations may have fewer than an array has elements.
const SHORT: i64 = 8;

/// The loops around a statement.
#[derive(Clone, Copy, Default)]
pub struct Nest {
    /// How many there are.
    pub depth: usize,
    /// How many there are that are not known to have few iterations.
    pub long: usize,
    /// The index of the innermost one.
    index: Option<VarId>,
}

impl Nest {
    /// The loops around the body of a loop.
    pub fn inside(self, head: &LoopHead) -> Nest {
        let (index, is_short) = match head {
            LoopHead::Counted(v, range) => {
                let distance = range.literal_distance();
                (Some(*v), distance.is_some_and(|n| n <= SHORT))
            }
            _ => (None, false),
        };
        Nest {
            depth: self.depth + 1,
            long: self.long + usize::from(!is_short),
            index,
        }
    }

    /// Whether iterations read elements at known distances: others are read faster from records, which follow one another.
    pub fn reads_in_order(&self, e: &Expr) -> bool {
        let is_index =
            |e: &Expr| matches!(e, Expr::Read(p) if p.is_whole() && Some(p.root) == self.index);
        let is_literal = |e: &Expr| matches!(e, Expr::Lit(..));
        let is_direct = |e: &Expr| {
            let mut is_direct = true;
            e.walk(&mut |e| is_direct &= e.own_places().iter().all(Place::is_whole));
            is_direct
        };
        let mut in_order = true;
        e.walk(&mut |e| {
            if let Expr::Binary(BinOp::Mul, a, b) = e {
                in_order &= [(a, b), (b, a)]
                    .iter()
                    .all(|(a, b)| !is_index(a) || is_literal(b));
            }
            let mut indices = e.own_places().iter().flat_map(|p| p.operands());
            in_order &= indices.all(is_direct);
        });
        in_order
    }
}
