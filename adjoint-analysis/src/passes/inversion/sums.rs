//! Closed forms of sums over the iterations of loops.
//!
//! **Problem.** An index that an outer loop carries through an inner one grows by the inner loop's trips, which are a
//! polynomial in the outer index: `at += 1` for `j in 0..i` makes `at` the number of pairs below the bound of `i`.
//!
//! **Rule.** In iteration t = 0, 1, .. of T an atom is `first + t · step`. A value that is linear in t, `c0 + c1 · t`, sums
//! up to `c0 · T + c1 · C(T, 2)`. The binomial is an atom, which the runtime computes without overflow
//! ([`PAIRS`]).

use super::polynomial::Polynomial;

/// The runtime function for the number of pairs among so many things.
pub const PAIRS: &str = "__pairs";

/// The values of an atom over the iterations of a loop: `first + t · step`.
#[derive(Clone)]
pub struct Progression<A> {
    /// In the first iteration.
    pub first: Polynomial<A>,
    /// The change from one to the next.
    pub step: Polynomial<A>,
}

/// How often a loop runs.
pub struct Iterations<A> {
    /// T
    pub trips: Polynomial<A>,
    /// C(T, 2)
    pub pairs: Polynomial<A>,
}

/// The smallest and the largest value of an index, if its loop runs at all.
#[derive(Clone)]
pub struct Bounds<A> {
    /// The smallest.
    pub first: Polynomial<A>,
    /// The largest.
    pub last: Polynomial<A>,
}

/// The sum of the values of a polynomial in all iterations, if it is linear in the iteration's number.
pub fn sum<A: Ord + Clone>(
    value: &Polynomial<A>,
    iterations: &Iterations<A>,
    progression: &dyn Fn(&A) -> Option<Progression<A>>,
) -> Option<Polynomial<A>> {
    let mut total = Polynomial::constant(0);
    for (atoms, n) in value.terms() {
        let mut constant = Polynomial::constant(n);
        let mut slope = Polynomial::constant(0);
        for atom in atoms {
            let Progression { first, step } = progression(atom)?;
            let is_quadratic = slope.as_constant() != Some(0) && step.as_constant() != Some(0);
            if is_quadratic {
                return None;
            }
            slope = slope.times(&first)?.plus(&constant.times(&step)?, 1)?;
            constant = constant.times(&first)?;
        }
        total = total.plus(&constant.times(&iterations.trips)?, 1)?;
        total = total.plus(&slope.times(&iterations.pairs)?, 1)?;
    }
    Some(total)
}

/// The number of values from `lo` up to `hi`, where it is `hi - lo` whatever the indices in it are, and never negative.
/// `bounds` are those of indices.
pub fn length<A: Ord + Clone>(
    lo: &Polynomial<A>,
    hi: &Polynomial<A>,
    inclusive: bool,
    bounds: &dyn Fn(&A) -> Option<Bounds<A>>,
) -> Option<Polynomial<A>> {
    if !is_plain(lo) || !is_plain(hi) {
        return None;
    }
    let length = hi.plus(lo, -1)?;
    let length = length.plus(&Polynomial::constant(i128::from(inclusive)), 1)?;
    let mut smallest = length.clone();
    while smallest.as_constant().is_none() {
        let index = smallest.terms().find_map(|(atoms, n)| match atoms {
            [atom] => bounds(atom).map(|b| (atom.clone(), if n > 0 { b.first } else { b.last })),
            _ => None,
        });
        let (index, end) = index?;
        smallest = smallest.substituted(&|a| match *a == index {
            true => Some(end.clone()),
            false => Some(Polynomial::atom(a.clone())),
        })?;
    }
    (smallest.as_constant()? >= 0).then_some(length)
}

/// Whether it is a number, or an atom and a number: such a sum overflows in no loop that ends.
fn is_plain<A: Ord + Clone>(bound: &Polynomial<A>) -> bool {
    let mut atoms = 0;
    let mut plain = true;
    for (product, n) in bound.terms() {
        match product {
            [] => plain &= n.abs() < 1 << 31,
            [_] => {
                atoms += 1;
                plain &= n == 1;
            }
            _ => plain = false,
        }
    }
    plain && atoms <= 1
}
