//! Variable identification: `[FLAT]` §4.
//!
//! An address set is a place with the versions that the integers in its indices have. Two places of different variables are
//! disjoint, since references lend without aliases. Of one variable, they are compared step by step: different fields are
//! disjoint, and so are indices with a difference that is a constant other than 0.

use std::collections::BTreeMap;

use crate::ir::{BinOp, Expr, Place, Proj, Ty, VarId};

/// How the addresses of two places are related.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// They must be one.
    Same,
    /// They can't overlap.
    Disjoint,
    /// They may overlap.
    Unknown,
}

/// A variable, and how often it has been written.
type Version = (VarId, usize);

/// What has been written so far.
#[derive(Clone, Default, Debug)]
pub struct Versions {
    writes: BTreeMap<VarId, usize>,
    /// Integers that are sums of others.
    sums: BTreeMap<Version, Sum>,
}

impl Versions {
    /// Notes an assignment to a place, of a value of this type.
    pub fn assign(&mut self, place: &Place, value: &Expr, value_ty: &Ty) {
        let is_sum = place.is_whole() && matches!(value_ty, Ty::Int(_));
        let sum = is_sum.then(|| Sum::of(value, self));
        *self.writes.entry(place.root).or_default() += 1;
        if let Some(sum) = sum {
            self.sums.insert(self.version(place.root), sum);
        }
    }

    fn version(&self, v: VarId) -> Version {
        (v, self.writes.get(&v).copied().unwrap_or_default())
    }

    fn of(&self, e: &Expr) -> Vec<Version> {
        e.reads().into_iter().map(|v| self.version(v)).collect()
    }
}

/// A place at a point of the code.
#[derive(Clone, PartialEq, Debug)]
pub struct Address {
    /// The place.
    pub place: Place,
    steps: Vec<Step>,
}

#[derive(Clone, PartialEq, Debug)]
enum Step {
    Field(String),
    Index(Sum),
    /// Any other step, with the versions of what it reads.
    Other(Proj, Vec<Version>),
}

/// A term of a sum: an expression with the versions of what it reads.
type Term = (Expr, Vec<Version>);

/// A sum of multiples of terms, and a constant.
#[derive(Clone, PartialEq, Default, Debug)]
struct Sum {
    terms: Vec<(Term, i128)>,
    constant: i128,
}

impl Address {
    /// The address of a place.
    pub fn of(place: &Place, versions: &Versions) -> Address {
        let step = |proj: &Proj| match proj {
            Proj::Field(name) => Step::Field(name.clone()),
            Proj::Index(e) => Step::Index(Sum::of(e, versions)),
            other => {
                let mut reads = Vec::new();
                for e in other.operands() {
                    reads.extend(versions.of(e));
                }
                Step::Other(other.clone(), reads)
            }
        };
        Address {
            place: place.clone(),
            steps: place.proj.iter().map(step).collect(),
        }
    }

    /// How two addresses are related.
    pub fn relation(&self, other: &Address) -> Relation {
        if self.place.root != other.place.root {
            return Relation::Disjoint;
        }
        let mut all = Relation::Same;
        for (a, b) in self.steps.iter().zip(&other.steps) {
            match a.relation(b) {
                Relation::Disjoint => return Relation::Disjoint,
                // Behind different steps, equal ones lead elsewhere.
                Relation::Unknown => all = Relation::Unknown,
                Relation::Same => {}
            }
        }
        match self.steps.len() == other.steps.len() {
            true => all,
            false => Relation::Unknown,
        }
    }
}

impl Step {
    fn relation(&self, other: &Step) -> Relation {
        match (self, other) {
            (Step::Index(a), Step::Index(b)) => match a.has_terms_of(b) && b.has_terms_of(a) {
                true if a.constant == b.constant => Relation::Same,
                true => Relation::Disjoint,
                false => Relation::Unknown,
            },
            (a, b) if a == b => Relation::Same,
            (Step::Field(_), Step::Field(_)) => Relation::Disjoint,
            _ => Relation::Unknown,
        }
    }
}

impl Sum {
    fn of(e: &Expr, versions: &Versions) -> Sum {
        let mut sum = Sum::default();
        sum.add(e, 1, versions);
        sum
    }

    fn add(&mut self, e: &Expr, times: i128, versions: &Versions) {
        let literal = |e: &Expr| match e {
            Expr::Lit(text, _) => text.parse::<i128>().ok(),
            _ => None,
        };
        match e {
            Expr::Binary(BinOp::Add, a, b) => {
                self.add(a, times, versions);
                self.add(b, times, versions);
            }
            Expr::Binary(BinOp::Sub, a, b) => {
                self.add(a, times, versions);
                self.add(b, -times, versions);
            }
            Expr::Binary(BinOp::Mul, a, b) => match (literal(a), literal(b)) {
                (Some(n), _) => self.add(b, times * n, versions),
                (_, Some(n)) => self.add(a, times * n, versions),
                _ => self.add_term((e.clone(), versions.of(e)), times),
            },
            Expr::Read(p) if p.is_whole() => match versions.sums.get(&versions.version(p.root)) {
                Some(sum) => self.add_sum(sum, times),
                None => self.add_term((e.clone(), versions.of(e)), times),
            },
            e => match literal(e) {
                Some(n) => self.constant += times * n,
                None => self.add_term((e.clone(), versions.of(e)), times),
            },
        }
    }

    fn add_sum(&mut self, other: &Sum, times: i128) {
        self.constant += times * other.constant;
        for (term, n) in &other.terms {
            self.add_term(term.clone(), times * n);
        }
    }

    fn add_term(&mut self, term: Term, times: i128) {
        match self.terms.iter_mut().find(|(known, _)| *known == term) {
            Some((_, n)) => *n += times,
            None => self.terms.push((term, times)),
        }
        self.terms.retain(|(_, n)| *n != 0);
    }

    fn has_terms_of(&self, other: &Sum) -> bool {
        other.terms.iter().all(|term| self.terms.contains(term))
    }
}
