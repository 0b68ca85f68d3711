//! Sections of arrays: boxes of elements, by the intervals in which the leading indices lie.
//!
//! `a[i * n + j]` has the two indices `i`, which is multiplied by `n`, and `j`: elements of equal strides are compared by
//! these. The bounds of an interval are sums of a number and of one base: a loop's index, or an expression with one value
//! in all steps.

use std::collections::BTreeMap;

use crate::ir::integers::literal;
use crate::ir::{BinOp, Expr, LoopHead, Place, Proj, Range, VarId};

/// A bound of an interval.
#[derive(Clone, PartialEq, Debug)]
pub struct Bound {
    base: Option<Expr>,
    offset: i128,
}

/// The values of an index from one bound up to another one, which is not among them.
#[derive(Clone, PartialEq, Debug)]
struct Interval {
    lo: Bound,
    hi: Bound,
    /// What the index is multiplied by, before the next one is added.
    stride: Option<Expr>,
}

/// The elements whose leading indices lie in these intervals: all of a value, if there are none.
#[derive(Clone, PartialEq, Debug)]
pub struct Section(Vec<Interval>);

/// A loop's index, and the interval of its values where it counts by one.
struct Index {
    var: VarId,
    values: Option<Interval>,
}

/// The loops and definitions around a place.
pub struct Scope<'a> {
    /// The same expression for each that has this value, if it has one value in all steps.
    canonical: &'a dyn Fn(&Expr) -> Option<Expr>,
    indices: Vec<Index>,
    definitions: BTreeMap<VarId, Expr>,
}

impl Bound {
    const ZERO: Bound = Bound {
        base: None,
        offset: 0,
    };

    fn plus(&self, n: i128) -> Bound {
        Bound {
            offset: self.offset + n,
            ..self.clone()
        }
    }

    /// The number between the index that is the base and the bound.
    fn beyond(&self, index: VarId) -> Option<i128> {
        match &self.base {
            Some(Expr::Read(p)) if p.is_whole() && p.root == index => Some(self.offset),
            _ => None,
        }
    }
}

impl Interval {
    fn unit(at: Bound) -> Interval {
        Interval {
            hi: at.plus(1),
            lo: at,
            stride: None,
        }
    }
}

impl Section {
    /// All of a value.
    pub const ALL: Section = Section(Vec::new());

    /// The bounds of its intervals, each a base and a number, and what their indices are multiplied by.
    pub fn bounds(&self) -> impl Iterator<Item = ([(Option<&Expr>, i128); 2], Option<&Expr>)> {
        self.0.iter().map(|interval| {
            let bounds = [&interval.lo, &interval.hi];
            let bounds = bounds.map(|bound| (bound.base.as_ref(), bound.offset));
            (bounds, interval.stride.as_ref())
        })
    }

    /// Whether it is all of a value.
    pub fn is_all(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether these are the elements before a bound, with one index.
    pub fn is_before(&self, is_end: &dyn Fn(&Expr) -> bool, extent: Option<i128>) -> bool {
        let [only] = &self.0[..] else { return false };
        let from_start = only.lo == Bound::ZERO && only.stride.is_none();
        from_start
            && match &only.hi.base {
                Some(base) => only.hi.offset == 0 && is_end(base),
                None => extent == Some(only.hi.offset),
            }
    }

    /// The section with constants of the code under other names.
    pub fn renamed(&self, rename: &dyn Fn(&Expr) -> Expr) -> Section {
        let bound = |bound: &Bound| Bound {
            base: bound.base.as_ref().map(rename),
            ..bound.clone()
        };
        let intervals = self.0.iter().map(|interval| Interval {
            lo: bound(&interval.lo),
            hi: bound(&interval.hi),
            stride: interval.stride.as_ref().map(rename),
        });
        Section(intervals.collect())
    }

    /// The union, if the two differ in one interval and one ends there where the other begins.
    pub fn joined(&self, other: &Section) -> Option<Section> {
        let differ = |k: &usize| self.0[*k] != other.0[*k];
        let mut differing = (0..self.0.len().min(other.0.len())).filter(differ);
        let (at, None) = (differing.next()?, differing.next()) else {
            return None;
        };
        let (a, b) = (&self.0[at], &other.0[at]);
        if self.0.len() != other.0.len() || a.stride != b.stride {
            return None;
        }
        let (lo, hi) = match () {
            () if a.hi == b.lo => (&a.lo, &b.hi),
            () if b.hi == a.lo => (&b.lo, &a.hi),
            () => return None,
        };
        let mut joined = self.clone();
        (joined.0[at].lo, joined.0[at].hi) = (lo.clone(), hi.clone());
        Some(joined)
    }
}

impl<'a> Scope<'a> {
    /// Around the body of a loop with this index.
    pub fn new(canonical: &'a dyn Fn(&Expr) -> Option<Expr>, index: Option<VarId>) -> Scope<'a> {
        let of_loop = index.map(|var| Index { var, values: None });
        Scope {
            canonical,
            indices: of_loop.into_iter().collect(),
            definitions: BTreeMap::new(),
        }
    }

    /// Enters the definition of a variable that does not change.
    pub fn define(&mut self, v: VarId, e: &Expr) {
        self.definitions.insert(v, e.clone());
    }

    /// Enters a loop.
    pub fn enter(&mut self, head: &LoopHead) {
        let index = match head {
            LoopHead::Counted(var, range) => Some(Index {
                var: *var,
                values: self.values(range),
            }),
            _ => None,
        };
        self.indices.extend(index);
    }

    /// Leaves it.
    pub fn leave(&mut self, head: &LoopHead) {
        if let LoopHead::Counted(..) = head {
            self.indices.pop();
        }
    }

    fn values(&self, range: &Range) -> Option<Interval> {
        let (lo, hi) = (self.bound(&range.lo)?, self.bound(&range.hi)?);
        range.step.is_none().then(|| Interval {
            lo,
            hi: hi.plus(i128::from(range.inclusive)),
            stride: None,
        })
    }

    /// The section of a value that a path from it leads to, and whether it leads to nothing less.
    pub fn section(&self, path: &[Proj]) -> (Section, bool) {
        let mut section = Section::ALL;
        for step in path {
            let dims = match step {
                Proj::Index(e) => self.dims(e),
                Proj::Range(Some(lo), Some(hi)) => {
                    let bounds = self.bound(lo).zip(self.bound(hi));
                    let interval = bounds.map(|(lo, hi)| Interval {
                        lo,
                        hi,
                        stride: None,
                    });
                    section.0.extend(interval);
                    return (section, false);
                }
                _ => None,
            };
            match dims {
                Some(dims) => section.0.extend(dims),
                None => return (section, false),
            }
        }
        (section, true)
    }

    /// The indices of which an index is made.
    fn dims(&self, e: &Expr) -> Option<Vec<Interval>> {
        if let Some(bound) = self.bound(e) {
            return Some(vec![Interval::unit(bound)]);
        }
        let mut terms = Vec::new();
        self.terms(e, &mut terms);
        let product = terms
            .iter()
            .position(|t| matches!(t, Expr::Binary(BinOp::Mul, ..)))?;
        let (outer, stride) = match terms.swap_remove(product) {
            Expr::Binary(BinOp::Mul, a, b) => match ((self.canonical)(b), (self.canonical)(a)) {
                (Some(stride), _) => (a, stride),
                (None, Some(stride)) => (b, stride),
                _ => return None,
            },
            _ => return None,
        };
        let mut dims = self.dims(outer)?;
        dims.last_mut()?.stride = Some(stride);
        dims.push(Interval::unit(self.sum(&terms)?));
        Some(dims)
    }

    /// The terms of a sum, differences with numbers being single terms.
    fn terms<'e>(&'e self, e: &'e Expr, terms: &mut Vec<&'e Expr>) {
        match e {
            Expr::Binary(BinOp::Add, a, b) => {
                self.terms(a, terms);
                self.terms(b, terms);
            }
            Expr::Read(p) if p.is_whole() && self.definitions.contains_key(&p.root) => {
                self.terms(&self.definitions[&p.root], terms);
            }
            e => terms.push(e),
        }
    }

    fn sum(&self, terms: &[&Expr]) -> Option<Bound> {
        terms
            .iter()
            .try_fold(Bound::ZERO, |sum, e| self.add(&sum, &self.bound(e)?))
    }

    fn add(&self, a: &Bound, b: &Bound) -> Option<Bound> {
        let base = match (&a.base, &b.base) {
            (base, None) | (None, base) => base.clone(),
            _ => return None,
        };
        Some(Bound {
            base,
            offset: a.offset.checked_add(b.offset)?,
        })
    }

    fn bound(&self, e: &Expr) -> Option<Bound> {
        match e {
            Expr::Lit(text, _) if literal(text).is_some() => {
                literal(text).map(|offset| Bound { base: None, offset })
            }
            Expr::Binary(BinOp::Add, a, b) => self.add(&self.bound(a)?, &self.bound(b)?),
            Expr::Binary(BinOp::Sub, a, b) => match self.bound(b)? {
                Bound { base: None, offset } => Some(self.bound(a)?.plus(-offset)),
                _ => None,
            },
            Expr::Read(p) if p.is_whole() && self.is_index(p.root) => Some(Bound {
                base: Some(e.clone()),
                offset: 0,
            }),
            Expr::Read(p) if p.is_whole() && self.definitions.contains_key(&p.root) => {
                self.bound(&self.definitions[&p.root])
            }
            e => (self.canonical)(e).map(|base| Bound {
                base: Some(base),
                offset: 0,
            }),
        }
    }

    /// A callee's section of an argument in terms of the call's: `argument` is the value or the length of a parameter.
    pub fn of_callee(
        &self,
        section: &Section,
        argument: &dyn Fn(&Expr) -> Option<Expr>,
    ) -> Option<Section> {
        let value = |e: &Expr| argument_of(e, argument);
        let bound = |bound: &Bound| match &bound.base {
            Some(base) => Some(self.bound(&value(base)?)?.plus(bound.offset)),
            None => Some(bound.clone()),
        };
        let interval = |interval: &Interval| {
            Some(Interval {
                lo: bound(&interval.lo)?,
                hi: bound(&interval.hi)?,
                stride: match &interval.stride {
                    Some(stride) => Some((self.canonical)(&value(stride)?)?),
                    None => None,
                },
            })
        };
        let intervals: Option<Vec<Interval>> = section.0.iter().map(interval).collect();
        intervals.map(Section)
    }

    fn is_index(&self, v: VarId) -> bool {
        self.indices.iter().any(|index| index.var == v)
    }

    /// Whether the section moves with the innermost loop.
    pub fn moves(&self, section: &Section) -> bool {
        let last = self.indices.last();
        last.is_some_and(|index| {
            let is_moving = |bound: &Bound| bound.beyond(index.var).is_some();
            let mut intervals = section.0.iter();
            intervals.any(|interval| is_moving(&interval.lo) || is_moving(&interval.hi))
        })
    }

    /// What the innermost loop covers of sections that each of its iterations covers: those with one index that moves by
    /// the loop's, without gaps.
    pub fn covered_by_loop(&self, section: &Section) -> Option<Section> {
        let index = self.indices.last()?;
        let values = index.values.as_ref()?;
        let mut covered = section.clone();
        let mut moving = 0;
        for interval in &mut covered.0 {
            match (interval.lo.beyond(index.var), interval.hi.beyond(index.var)) {
                (None, None) => {}
                (Some(n), Some(m)) if m == n + 1 => {
                    interval.lo = values.lo.plus(n);
                    interval.hi = values.hi.plus(n);
                    moving += 1;
                }
                _ => return None,
            }
        }
        (moving == 1).then_some(covered)
    }

    /// What the iterations of the innermost loop before this one cover of such sections, where it counts upwards.
    pub fn covered_before(&self, section: &Section) -> Option<Section> {
        let index = self.indices.last()?;
        let mut covered = self.covered_by_loop(section)?;
        for (all, own) in covered.0.iter_mut().zip(&section.0) {
            if own.lo.beyond(index.var).is_some() {
                all.hi = own.lo.clone();
            }
        }
        Some(covered)
    }

    /// What a section is part of, whatever the iteration of the innermost loops beyond the first so many; none, if that
    /// is not known.
    pub fn over_loops(&self, section: &Section, outside: usize) -> Section {
        let mut all = section.clone();
        for index in self.indices[outside..].iter().rev() {
            let mut known = true;
            for interval in &mut all.0 {
                let of = |bound: &Bound| bound.beyond(index.var);
                let (lo, hi) = (of(&interval.lo), of(&interval.hi));
                match (&index.values, lo, hi) {
                    (_, None, None) => {}
                    (Some(values), lo, hi) => {
                        if let Some(n) = lo {
                            interval.lo = values.lo.plus(n);
                        }
                        if let Some(n) = hi {
                            interval.hi = values.hi.plus(n - 1);
                        }
                    }
                    (None, ..) => known = false,
                }
            }
            if !known {
                return Section::ALL;
            }
        }
        all
    }

    /// The number of loops around.
    pub fn depth(&self) -> usize {
        self.indices.len()
    }

    /// Whether all elements of `part` are in `whole`, in this iteration or over all of inner loops.
    pub fn covers(&self, whole: &Section, part: &Section) -> bool {
        (0..=self.depth()).any(|outside| {
            let part = self.over_loops(part, outside);
            let mut dims = whole.0.iter().zip(&part.0).enumerate();
            whole.0.len() <= part.0.len()
                && dims.all(|(k, (whole, of_part))| {
                    // The code evaluates all indices but those that are added to a product, so they are not negative.
                    let is_evaluated = k == 0 || part.0[k - 1].stride.is_none();
                    let from_start = is_evaluated && whole.lo == Bound::ZERO;
                    whole.stride == of_part.stride
                        && (from_start || self.is_at_most(&whole.lo, &of_part.lo))
                        && self.is_at_most(&of_part.hi, &whole.hi)
                })
        })
    }

    fn is_at_most(&self, a: &Bound, b: &Bound) -> bool {
        if a.base == b.base || a.base.is_none() {
            // A base is not negative.
            if a.offset <= b.offset {
                return true;
            }
        }
        let ends = |bound: &Bound| {
            let index = self.indices.iter().find_map(|index| {
                let n = bound.beyond(index.var)?;
                Some((index.values.as_ref()?, n))
            });
            index.map(|(values, n)| [values.lo.plus(n), values.hi.plus(n - 1)])
        };
        if let Some([least, _]) = ends(b) {
            return self.is_at_most(a, &least);
        }
        match ends(a) {
            Some([_, most]) => self.is_at_most(&most, b),
            None => false,
        }
    }
}

/// An expression over parameters, with arguments in their places.
fn argument_of(e: &Expr, argument: &dyn Fn(&Expr) -> Option<Expr>) -> Option<Expr> {
    match e {
        Expr::Lit(..) => Some(e.clone()),
        // A constant of the callee.
        Expr::Discrete(_, args, _) if args.is_empty() => Some(e.clone()),
        Expr::Binary(op, a, b) => {
            let (a, b) = (argument_of(a, argument)?, argument_of(b, argument)?);
            Some(Expr::Binary(*op, Box::new(a), Box::new(b)))
        }
        e => argument(e),
    }
}

/// The place up to the first step that is no field: what the sections are of.
pub fn base(place: &Place) -> &[Proj] {
    let fields = place
        .proj
        .iter()
        .take_while(|p| matches!(p, Proj::Field(_)));
    &place.proj[..fields.count()]
}
