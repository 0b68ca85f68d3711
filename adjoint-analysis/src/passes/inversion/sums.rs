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
    // No integer of the type is negative.
    while smallest.terms().any(|(_, n)| n < 0) {
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
    Some(length)
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

#[cfg(test)]
mod tests {
    use super::{Bounds, Iterations, Progression, length, sum};
    use crate::passes::inversion::polynomial::Polynomial;

    type Form = Polynomial<char>;

    fn number(n: i128) -> Form {
        Polynomial::constant(n)
    }

    fn atom(a: char) -> Form {
        Polynomial::atom(a)
    }

    /// The value, given those of the atoms.
    fn evaluated(form: &Form, values: &dyn Fn(char) -> i128) -> i128 {
        let product =
            |(atoms, n): (&[char], i128)| n * atoms.iter().map(|a| values(*a)).product::<i128>();
        form.terms().map(product).sum()
    }

    /// `3 i m + 2 i - m + 5` over `i = lo, lo + step, ..`.
    #[test]
    fn sums_are_those_of_the_terms() {
        let product = atom('i').times(&atom('m')).unwrap();
        let value = number(5).plus(&product, 3).unwrap();
        let value = value
            .plus(&atom('i'), 2)
            .unwrap()
            .plus(&atom('m'), -1)
            .unwrap();
        for step in [-2, -1, 0, 1, 3] {
            let iterations = Iterations {
                trips: atom('t'),
                pairs: atom('p'),
            };
            let progression = |a: &char| {
                let (first, step) = if *a == 'i' {
                    (atom('l'), step)
                } else {
                    (atom(*a), 0)
                };
                Some(Progression {
                    first,
                    step: number(step),
                })
            };
            let closed = sum(&value, &iterations, &progression).unwrap();
            for (t, lo, m) in [(0, 4, 7), (1, 0, -3), (6, 2, 5), (9, -4, 1)] {
                let at = |i: i128| evaluated(&value, &|a| if a == 'i' { i } else { m });
                let expected: i128 = (0..t).map(|k| at(lo + step * k)).sum();
                let found = evaluated(&closed, &|a| match a {
                    't' => t,
                    'p' => t * (t - 1) / 2,
                    'l' => lo,
                    _ => m,
                });
                assert_eq!(found, expected, "{t} trips from {lo} by {step}, m = {m}");
            }
        }
    }

    #[test]
    fn squares_have_no_closed_form_here() {
        let square = atom('i').times(&atom('i')).unwrap();
        let iterations = Iterations {
            trips: atom('t'),
            pairs: atom('p'),
        };
        let progression = |_: &char| {
            Some(Progression {
                first: number(0),
                step: number(1),
            })
        };
        assert!(sum(&square, &iterations, &progression).is_none());
    }

    /// `i` runs from 0 to `n - 1`.
    #[test]
    fn lengths_are_never_negative() {
        let last = atom('n').plus(&number(-1), 1).unwrap();
        let bounds = |a: &char| {
            (*a == 'i').then(|| Bounds {
                first: number(0),
                last: last.clone(),
            })
        };
        let plus = |a: char, n: i128| atom(a).plus(&number(n), 1).unwrap();
        let cases = [
            (number(0), atom('i'), false, Some(atom('i'))),
            (number(0), atom('i'), true, Some(plus('i', 1))),
            (
                plus('i', 1),
                atom('n'),
                false,
                plus('n', -1).plus(&atom('i'), -1),
            ),
            // One too far for the last `i`, none for the first, and of unknown order.
            (plus('i', 2), atom('n'), false, None),
            (number(1), atom('i'), false, None),
            (number(0), atom('n'), true, Some(plus('n', 1))),
            (atom('m'), atom('n'), false, None),
            (number(3), number(2), false, None),
        ];
        for (lo, hi, inclusive, expected) in cases {
            assert_eq!(
                length(&lo, &hi, inclusive, &bounds),
                expected,
                "{lo:?} to {hi:?}"
            );
        }
    }
}
