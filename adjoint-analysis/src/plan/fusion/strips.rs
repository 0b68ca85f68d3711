//! Strips of a loop: a loop over them, with a loop over the iterations of one inside (strip-mining).

use crate::ir::construct::usize_lit;
use crate::ir::{Expr, IntTy, Place, Range, Rev, Ty};

/// A counted loop in strips: `for start in starts { let end = ..; for i in iterations { .. } }`.
#[derive(PartialEq, Debug)]
pub struct Strips {
    /// The first iteration of each strip.
    pub starts: Range,
    /// Where a strip ends that begins at `start`.
    pub end: Expr,
    /// The iterations of a strip.
    pub iterations: Range,
}

/// The range in strips of this length; none, if it has a step, or an integer type of which literals are not certain.
pub fn strips(range: &Range, length: usize, [start, end]: [&Place; 2]) -> Option<Strips> {
    let is_certain = matches!(&range.ty, Ty::Int(int) if *int != IntTy::Infer);
    if range.step.is_some() || !is_certain {
        return None;
    }
    let (first, last) = (Expr::Read(start.clone()), Expr::Read(end.clone()));
    let literal = |n: usize| Expr::Lit(n.to_string(), range.ty.clone());
    let integer = |name: &str, args| Expr::Discrete(name.into(), args, range.ty.clone());
    let starts = Range {
        step: Some(usize_lit(length)),
        ..range.clone()
    };
    let (end, iterations) = match range.rev {
        Rev::No => {
            let ahead = literal(length - usize::from(range.inclusive));
            let behind = integer("saturating_add", vec![first.clone(), ahead]);
            let end = integer("min", vec![behind, range.hi.clone()]);
            let iterations = Range {
                lo: first,
                hi: last,
                ..range.clone()
            };
            (end, iterations)
        }
        Rev::AfterStep => return None,
        Rev::BeforeStep => {
            let below = integer("saturating_sub", vec![first.clone(), literal(length - 1)]);
            let end = integer("max", vec![below, range.lo.clone()]);
            let iterations = Range {
                lo: last,
                hi: first,
                inclusive: true,
                ..range.clone()
            };
            (end, iterations)
        }
    };
    Some(Strips {
        starts,
        end,
        iterations,
    })
}
