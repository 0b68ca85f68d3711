//! Regions: parts of a value, as boxes of elements whose bounds are polynomials.
//!
//! The element `a[i * w + j]` has the two indices `i`, which is multiplied by the stride `w`, and `j`. All atoms in an
//! index have its type, which has no negative numbers.

use crate::passes::inversion::polynomial::Polynomial;
use crate::plan::check::terms::term::{Node, Step, Term, Terms};

/// An index or a bound.
pub type Form = Polynomial<Term>;

/// The values of an index from one bound up to another one, which is not among them.
#[derive(Clone, PartialEq, Debug)]
pub struct Interval {
    /// The first.
    pub lo: Form,
    /// The one behind the last.
    pub hi: Form,
    /// What the index is multiplied by, before the next one is added.
    pub stride: Option<Form>,
}

/// A step into a value.
#[derive(Clone, PartialEq, Debug)]
pub enum Dim {
    /// To a part that is no element.
    Part(Step),
    /// To elements.
    Elements(Interval),
}

/// The parts of a value to which these steps lead: all of it, if there are none.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Region(pub Vec<Dim>);

impl Region {
    /// All of a value.
    pub const ALL: Region = Region(Vec::new());

    /// What a path leads to, and whether that is nothing less than the region.
    pub fn of(terms: &Terms, key: &[Step]) -> (Region, bool) {
        let mut dims = Vec::new();
        for step in key {
            match step {
                Step::Field(_) | Step::Deref | Step::Variant(..) => {
                    dims.push(Dim::Part(step.clone()));
                }
                Step::Index(at) => match terms.form(*at).and_then(|at| intervals(terms, &at)) {
                    Some(found) => dims.extend(found.into_iter().map(Dim::Elements)),
                    None => return (Region(dims), false),
                },
                Step::Range(None, None) => {}
                Step::Head(hi) | Step::Range(None, Some(hi)) => {
                    let hi = terms.form(*hi);
                    let is_exact = hi.is_some();
                    dims.extend(hi.map(|hi| elements(Form::constant(0), hi)));
                    return (Region(dims), is_exact);
                }
                Step::Range(Some(lo), Some(hi)) => {
                    let bounds = terms.form(*lo).zip(terms.form(*hi));
                    let is_exact = bounds.is_some();
                    dims.extend(bounds.map(|(lo, hi)| elements(lo, hi)));
                    return (Region(dims), is_exact);
                }
                _ => return (Region(dims), false),
            }
        }
        (Region(dims), true)
    }

    /// Whether it has no elements, or is of the body of a loop without iterations.
    pub fn is_empty(&self, terms: &Terms) -> bool {
        let never_runs = |index: &Term| {
            let bounds = terms.bounds.get(index);
            bounds.is_some_and(|bounds| is_less(&bounds.last, &bounds.first, terms))
        };
        self.0.iter().any(|dim| match dim {
            Dim::Elements(Interval { lo, hi, .. }) => {
                at_most(hi, lo, terms) || lo.atoms().any(never_runs)
            }
            Dim::Part(_) => false,
        })
    }

    fn has_index(&self, terms: &Terms) -> bool {
        self.0.iter().any(|dim| match dim {
            Dim::Elements(Interval { lo, hi, .. }) => {
                let mut atoms = lo.atoms().chain(hi.atoms());
                atoms.any(|t| matches!(terms.node(*t), Node::Index(_)))
            }
            Dim::Part(_) => false,
        })
    }

    /// Whether all of `part` lies in it.
    pub fn covers(&self, part: &Region, terms: &Terms) -> bool {
        let flat = || part.flat().is_some_and(|part| self.holds(&part, terms));
        self.holds(part, terms) || flat()
    }

    fn holds(&self, part: &Region, terms: &Terms) -> bool {
        let mut is_index = true;
        let mut dims = self.0.iter().zip(&part.0);
        self.0.len() <= part.0.len()
            && dims.all(|dims| match dims {
                (Dim::Elements(all), Dim::Elements(of)) => {
                    // The index that is evaluated is not negative; what is added to a product may be.
                    let from_start = is_index && all.lo.as_constant() == Some(0);
                    is_index = all.stride.is_none();
                    all.stride == of.stride
                        && (from_start || at_most(&all.lo, &of.lo, terms))
                        && at_most(&of.hi, &all.hi, terms)
                }
                (all, of) => {
                    is_index = true;
                    all == of
                }
            })
    }

    /// The region by one index instead of two, if there are two.
    fn flat(&self) -> Option<Region> {
        let outer = self
            .0
            .iter()
            .position(|dim| matches!(dim, Dim::Elements(interval) if interval.stride.is_some()))?;
        let (Dim::Elements(of), Dim::Elements(inner)) = (&self.0[outer], self.0.get(outer + 1)?)
        else {
            return None;
        };
        let stride = of.stride.as_ref()?;
        let last = of.hi.plus(&Form::constant(1), -1)?;
        let mut dims = self.0.clone();
        dims.remove(outer);
        dims[outer] = Dim::Elements(Interval {
            lo: of.lo.times(stride)?.plus(&inner.lo, 1)?,
            hi: last.times(stride)?.plus(&inner.hi, 1)?,
            stride: inner.stride.clone(),
        });
        let flat = Region(dims);
        Some(flat.flat().unwrap_or(flat))
    }

    /// The region by one index, if the inner one of two takes all values below the stride.
    fn without_rows(&self) -> Option<Region> {
        let is_full = |pair: &[Dim]| match pair {
            [Dim::Elements(of), Dim::Elements(inner)] => {
                let starts = inner.lo.as_constant() == Some(0);
                starts && of.stride.as_ref() == Some(&inner.hi)
            }
            _ => false,
        };
        self.0.windows(2).any(is_full).then(|| self.flat())?
    }

    /// The union, if the two differ in one index and one ends where the other begins.
    fn joined(&self, other: &Region) -> Option<Region> {
        let differ = |k: &usize| self.0[*k] != other.0[*k];
        let mut differing = (0..self.0.len().min(other.0.len())).filter(differ);
        let (at, None) = (differing.next()?, differing.next()) else {
            return None;
        };
        let (Dim::Elements(a), Dim::Elements(b)) = (&self.0[at], &other.0[at]) else {
            return None;
        };
        if self.0.len() != other.0.len() || a.stride != b.stride {
            return None;
        }
        let (lo, hi) = match () {
            () if a.hi == b.lo => (&a.lo, &b.hi),
            () if b.hi == a.lo => (&b.lo, &a.hi),
            () => return None,
        };
        let mut joined = self.clone();
        joined.0[at] = Dim::Elements(Interval {
            lo: lo.clone(),
            hi: hi.clone(),
            stride: a.stride.clone(),
        });
        Some(joined)
    }

    /// What a path leads to, within the region: all of that, a part of it, or nothing that is known.
    pub fn behind(&self, key: &[Step], terms: &Terms) -> Option<Region> {
        let (path, is_exact) = Region::of(terms, key);
        if self.0.len() <= path.0.len() {
            return self.covers(&path, terms).then_some(Region::ALL);
        }
        let (outer, inner) = self.0.split_at(path.0.len());
        let outer = Region(outer.to_vec());
        (is_exact && outer.holds(&path, terms)).then(|| Region(inner.to_vec()))
    }
}

/// Enters a region among others, as one with those that it continues.
pub fn add(regions: &mut Vec<Region>, region: Region, terms: &Terms) {
    let region = region.without_rows().unwrap_or(region);
    // What moves with a loop is looked for at the loop's end.
    let mut covering = regions.iter().filter(|known| known.covers(&region, terms));
    if covering.any(|known| *known == region || !region.has_index(terms)) {
        return;
    }
    let joins = regions.iter().enumerate();
    let joins = joins.filter_map(|(k, known)| Some((k, known.joined(&region)?)));
    match joins.into_iter().next() {
        Some((k, joined)) => {
            regions.remove(k);
            add(regions, joined, terms);
        }
        None => regions.push(region),
    }
}

fn elements(lo: Form, hi: Form) -> Dim {
    let stride = None;
    Dim::Elements(Interval { lo, hi, stride })
}

fn unit(at: Form, stride: Option<Form>) -> Option<Interval> {
    let hi = at.plus(&Form::constant(1), 1)?;
    Some(Interval { lo: at, hi, stride })
}

/// The indices of which an index is made.
fn intervals(terms: &Terms, at: &Form) -> Option<Vec<Interval>> {
    let Some((outer, stride, rest)) = split(terms, at) else {
        return Some(vec![unit(at.clone(), None)?]);
    };
    let mut found = intervals(terms, &outer)?;
    found.last_mut()?.stride = Some(stride);
    found.push(unit(rest, None)?);
    Some(found)
}

/// An index as `outer * stride + rest`: the stride is a factor of most products, or divides the coefficients of indices.
fn split(terms: &Terms, at: &Form) -> Option<(Form, Form, Form)> {
    let is_index = |t: &Term| matches!(terms.node(*t), Node::Index(_));
    let products = at.terms().filter(|(atoms, _)| atoms.len() > 1);
    let factors = products.flat_map(|(atoms, _)| atoms.iter().filter(|t| !is_index(t)));
    let factors: Vec<Term> = factors.copied().collect();
    let often = |t: &Term| factors.iter().filter(|other| *other == t).count();
    let by_atom = factors.iter().copied().max_by_key(|t| (often(t), *t));
    let mut outer = Form::constant(0);
    let mut rest = Form::constant(0);
    let product = |atoms: &[Term], n: i128| {
        let start = Some(Form::constant(n));
        atoms
            .iter()
            .fold(start, |all, t| all?.times(&Form::atom(*t)))
    };
    let stride = match by_atom {
        Some(factor) => {
            for (atoms, n) in at.terms() {
                match atoms.iter().position(|t| *t == factor) {
                    Some(k) => {
                        let others = [&atoms[..k], &atoms[k + 1..]].concat();
                        outer = outer.plus(&product(&others, n)?, 1)?;
                    }
                    None => rest = rest.plus(&product(atoms, n)?, 1)?,
                }
            }
            Form::atom(factor)
        }
        None => {
            let of_indices = at
                .terms()
                .filter(|(atoms, n)| !atoms.is_empty() && n.abs() > 1);
            let divisor = of_indices.map(|(_, n)| n.abs()).min()?;
            for (atoms, n) in at.terms() {
                match n % divisor == 0 && !atoms.is_empty() {
                    true => outer = outer.plus(&product(atoms, n / divisor)?, 1)?,
                    false => rest = rest.plus(&product(atoms, n)?, 1)?,
                }
            }
            let constant = rest.terms().find(|(atoms, _)| atoms.is_empty());
            let constant = constant.map_or(0, |(_, n)| n);
            // `8 * (i + 1) + j` is `8 * i + 8 + j`.
            let rows = constant.div_euclid(divisor);
            outer = outer.plus(&Form::constant(rows), 1)?;
            rest = rest.plus(&Form::constant(rows.checked_mul(divisor)?), -1)?;
            Form::constant(divisor)
        }
    };
    Some((outer, stride, rest))
}

/// Whether `a <= b`, whatever the iterations of the loops around.
pub fn at_most(a: &Form, b: &Form, terms: &Terms) -> bool {
    let Some(difference) = b.plus(a, -1) else {
        return false;
    };
    let least = extreme(&difference, false, &|_| true, terms);
    let is_positive = |form: &Form| form.terms().all(|(_, n)| n >= 0);
    is_positive(&difference) || least.is_some_and(|least| is_positive(&least))
}

fn is_less(a: &Form, b: &Form, terms: &Terms) -> bool {
    let next = a.plus(&Form::constant(1), 1);
    next.is_some_and(|next| at_most(&next, b, terms))
}

/// The least or the greatest value over the iterations of the loops of these indices.
pub fn extreme(
    form: &Form,
    is_greatest: bool,
    among: &dyn Fn(Term) -> bool,
    terms: &Terms,
) -> Option<Form> {
    let indices = form.atoms().copied().filter(|t| among(*t));
    // The bounds of inner loops name the indices of outer ones.
    let innermost = indices.filter(|t| terms.bounds.contains_key(t)).max();
    let Some(index) = innermost else {
        return Some(form.clone());
    };
    let of_index = form.terms().filter(|(atoms, _)| atoms.contains(&index));
    let coefficients: Vec<i128> = of_index.map(|(_, n)| n).collect();
    let grows = coefficients.iter().all(|n| *n > 0);
    if !grows && !coefficients.iter().all(|n| *n < 0) {
        return None;
    }
    let bounds = &terms.bounds[&index];
    let end = match grows == is_greatest {
        true => &bounds.last,
        false => &bounds.first,
    };
    extreme(&with(form, index, end)?, is_greatest, among, terms)
}

/// The form with a value in the place of an atom.
pub fn with(form: &Form, atom: Term, value: &Form) -> Option<Form> {
    form.substituted(&|t| match *t == atom {
        true => Some(value.clone()),
        false => Some(Form::atom(*t)),
    })
}
