//! Polynomials over ℤ: the values of sums and products of integers.
//!
//! An operation that did not overflow gives the same as its wrapping form, and wrapping forms are exact modulo 2^w. So
//! polynomials that are equal over ℤ stand for equal values.

use std::collections::BTreeMap;

/// How many terms a polynomial may have.
const MAX_TERMS: usize = 24;
/// How many atoms a product may have.
const MAX_DEGREE: usize = 4;

/// Products of atoms, each in ascending order, with their coefficients, which are not 0. The empty product is 1.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Polynomial<A> {
    terms: BTreeMap<Vec<A>, i128>,
}

impl<A: Ord + Clone> Polynomial<A> {
    /// A number.
    pub fn constant(value: i128) -> Self {
        let terms = [(Vec::new(), value)].into_iter();
        Polynomial {
            terms: terms.filter(|(_, n)| *n != 0).collect(),
        }
    }

    /// A value of which nothing is known.
    pub fn atom(atom: A) -> Self {
        Polynomial {
            terms: BTreeMap::from([(vec![atom], 1)]),
        }
    }

    /// The products and their coefficients.
    pub fn terms(&self) -> impl Iterator<Item = (&[A], i128)> {
        self.terms.iter().map(|(atoms, n)| (&atoms[..], *n))
    }

    /// The atoms in its products.
    pub fn atoms(&self) -> impl Iterator<Item = &A> {
        self.terms.keys().flatten()
    }

    /// The number that it is.
    pub fn as_constant(&self) -> Option<i128> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    /// The atom that it is.
    pub fn as_atom(&self) -> Option<&A> {
        let mut terms = self.terms();
        match (terms.next(), terms.next()) {
            (Some(([atom], 1)), None) => Some(atom),
            _ => None,
        }
    }

    /// The polynomial with other coefficients.
    pub fn mapped(&self, coefficient: &dyn Fn(i128) -> i128) -> Option<Self> {
        let mut sum = Polynomial::constant(0);
        for (atoms, n) in &self.terms {
            let terms = BTreeMap::from([(atoms.clone(), coefficient(*n))]);
            sum = sum.plus(&Polynomial { terms }, 1)?;
        }
        Some(sum)
    }

    /// `self + other · times`; `None` where it grows too large.
    pub fn plus(&self, other: &Self, times: i128) -> Option<Self> {
        let mut terms = self.terms.clone();
        for (atoms, n) in &other.terms {
            let sum = terms.entry(atoms.clone()).or_default();
            *sum = n.checked_mul(times)?.checked_add(*sum)?;
        }
        terms.retain(|_, n| *n != 0);
        (terms.len() <= MAX_TERMS).then_some(Polynomial { terms })
    }

    /// `self · other`; `None` where it grows too large.
    pub fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Polynomial::constant(0);
        for (a, n) in &self.terms {
            for (b, m) in &other.terms {
                let mut atoms = [&a[..], &b[..]].concat();
                atoms.sort();
                let term = Polynomial {
                    terms: BTreeMap::from([(atoms, n.checked_mul(*m)?)]),
                };
                product = product.plus(&term, 1)?;
            }
        }
        let degree = product.terms.keys().map(Vec::len).max();
        (degree.unwrap_or(0) <= MAX_DEGREE).then_some(product)
    }

    /// The polynomial with a polynomial in the place of each atom.
    pub fn substituted(&self, value: &dyn Fn(&A) -> Option<Self>) -> Option<Self> {
        let mut sum = Polynomial::constant(0);
        for (atoms, n) in &self.terms {
            let mut product = Polynomial::constant(*n);
            for atom in atoms {
                product = product.times(&value(atom)?)?;
            }
            sum = sum.plus(&product, 1)?;
        }
        Some(sum)
    }
}
