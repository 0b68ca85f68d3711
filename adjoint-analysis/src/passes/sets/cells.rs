//! Cells: the parts of variables that the analyses distinguish.
//!
//! The cells of a variable are the paths of names (fields, boxes, halves of a split) by which the function reaches
//! parts of it, the empty path among them. A cell contains everything at its path that isn't in a cell with a longer
//! path. Everything behind an index, a range or a variant of an enum belongs to the cell before it: for an array, any
//! element.
//!
//! The halves of `split_at_mut` are disjoint, so `x.head(m)` and `x.tail(m)` are cells of `x`, if all
//! splits of `x` are at the same `m`, which is assigned once. Where the scope of `m` starts anew, in a
//! loop, an element may have changed halves; there the analyses merge the cells of `x`
//! ([`Cells::moved`]).

use std::borrow::Cow;
use std::collections::HashMap;

use super::set::{CellSet, VarSet};
use crate::ir::stmt::id;
use crate::ir::{Expr, Func, Origin, Place, Proj, StmtKind, VarId};
use crate::passes::fixed_lengths::FixedLengths;

id! {
    /// A cell of one function.
    Cell
}

/// The cells of a function.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    paths: Vec<(VarId, Vec<Proj>)>,
    of_var: Vec<Vec<Cell>>,
    splits: Vec<Split>,
    fixed_lengths: FixedLengths,
}

/// All splits of one place.
#[derive(Clone, Debug)]
struct Split {
    root: VarId,
    base: Vec<Proj>,
    at: Expr,
}

impl Cells {
    /// The cells that the function names.
    pub fn of(func: &Func) -> Cells {
        Cells::new(func, splits(func))
    }

    /// The same, but a split array is one cell. Whether an array is recorded is decided for the whole: its halves may
    /// be exchanged.
    pub fn of_whole_arrays(func: &Func) -> Cells {
        Cells::new(func, Vec::new())
    }

    fn new(func: &Func, splits: Vec<Split>) -> Cells {
        let mut cells = Cells {
            of_var: vec![Vec::new(); func.vars.len()],
            splits,
            fixed_lengths: FixedLengths::of(func),
            ..Cells::default()
        };
        for v in func.var_ids() {
            cells.add(v, &[]);
        }
        each_place(func, &mut |p| cells.name(p));
        cells
    }

    /// Distinguishes the cell at a place.
    pub fn name(&mut self, place: &Place) {
        let n = self.named_len(place);
        self.add(place.root, &place.proj[..n]);
    }

    fn add(&mut self, root: VarId, path: &[Proj]) {
        let known = |c: &Cell| self.paths[c.index()].1 == path;
        if self.of_var[root.index()].iter().any(known) {
            return;
        }
        self.of_var[root.index()].push(Cell(self.paths.len() as u32));
        self.paths.push((root, path.to_vec()));
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.paths.len()
    }

    /// The variable that the cell is a part of.
    pub fn var(&self, cell: Cell) -> VarId {
        self.paths[cell.index()].0
    }

    /// The cells of a variable; none, if it is not one of the function's.
    pub fn of_var(&self, v: VarId) -> &[Cell] {
        self.of_var.get(v.index()).map_or(&[], Vec::as_slice)
    }

    /// The cells that the place overlaps.
    pub fn touched(&self, place: &Place) -> Cow<'_, [Cell]> {
        match self.of_var(place.root) {
            only @ [_] => Cow::Borrowed(only),
            _ => Cow::Owned(self.at_and_below(place.root, &place.proj[..self.named_len(place)])),
        }
    }

    /// The cells of the part at `path` of the place's value.
    pub fn part(&self, place: &Place, path: &[Proj]) -> Cow<'_, [Cell]> {
        match self.is_exact(place) {
            true => Cow::Owned(self.at_and_below(place.root, &[&place.proj, path].concat())),
            false => self.touched(place),
        }
    }

    /// The cells needed to evaluate the expression again; see [`Expr::needs`].
    pub fn needs(&self, e: &Expr, func: &Func) -> Vec<Cell> {
        let mut read = Vec::new();
        e.walk(&mut |e| match e {
            Expr::Read(p) | Expr::Is(p, _) => read.extend_from_slice(&self.touched(p)),
            Expr::Code(_, reads, _) => {
                for p in reads {
                    read.extend_from_slice(&self.touched(p));
                }
            }
            Expr::Len(p) | Expr::ZeroLike(p) if !self.keeps_length(p, func) => {
                read.extend_from_slice(&self.touched(p));
            }
            _ => {}
        });
        read
    }

    /// The `Vec`s of which nothing changes the length.
    pub fn fixed_lengths(&self) -> &FixedLengths {
        &self.fixed_lengths
    }

    /// Whether the place's length needs no value.
    pub fn keeps_length(&self, place: &Place, func: &Func) -> bool {
        place.has_fixed_length(func) || self.fixed_lengths.contains(place.root)
    }

    /// The variables of the cells.
    pub fn vars(&self, set: &CellSet) -> VarSet {
        set.iter().map(|c| self.var(c)).collect()
    }

    /// Whether the place covers its cells exactly, so that writing it writes them in full.
    pub fn is_exact(&self, place: &Place) -> bool {
        self.named_len(place) == place.proj.len()
    }

    /// The path of a cell relative to a place that contains it.
    pub fn below<'a>(&'a self, cell: Cell, place: &Place) -> &'a [Proj] {
        let path = &self.paths[cell.index()].1;
        path.get(place.proj.len()..).unwrap_or(&[])
    }

    /// For each split at a variable, the cells whose elements may change halves when the variable is assigned.
    pub fn moved(&self, v: VarId) -> impl Iterator<Item = Vec<Cell>> + '_ {
        let at_v = move |s: &&Split| s.at.reads().contains(&v);
        let whole = |s: &Split| self.at_and_below(s.root, &s.base);
        self.splits.iter().filter(at_v).map(whole)
    }

    /// The cells at and below a path; the enclosing one, if it has none of its own.
    fn at_and_below(&self, root: VarId, path: &[Proj]) -> Vec<Cell> {
        let all = self.of_var(root);
        if let [only] = all {
            return vec![*only];
        }
        let path_of = |c: &&Cell| &self.paths[c.index()].1;
        let known = (0..=path.len()).rev().find_map(|n| {
            let cell = all.iter().find(|c| path_of(c)[..] == path[..n])?;
            Some((n, *cell))
        });
        match known {
            Some((n, cell)) if n < path.len() => vec![cell],
            _ => {
                let below = |c: &&Cell| path_of(c).starts_with(path);
                all.iter().filter(below).copied().collect()
            }
        }
    }

    /// The number of leading projections of the place that are names.
    fn named_len(&self, place: &Place) -> usize {
        let name = |(i, step): (usize, &Proj)| match step {
            Proj::Field(_) | Proj::Deref => true,
            Proj::Head(at) | Proj::Tail(at) => self
                .splits
                .iter()
                .any(|s| s.root == place.root && s.base == place.proj[..i] && s.at == **at),
            Proj::Index(_)
            | Proj::Range(..)
            | Proj::Chunk(..)
            | Proj::Single
            | Proj::Items
            | Proj::Variant(..) => false,
        };
        place
            .proj
            .iter()
            .enumerate()
            .take_while(|p| name(*p))
            .count()
    }
}

/// The path of a place that is split, and the midpoint, if it is the same in all splits.
type SplitAt = (Vec<Proj>, Option<Expr>);

/// The places that are always split at the same point.
fn splits(func: &Func) -> Vec<Split> {
    let mut seen: HashMap<VarId, Vec<SplitAt>> = HashMap::new();
    each_place(func, &mut |p| {
        for (i, step) in p.proj.iter().enumerate() {
            let (Proj::Head(at) | Proj::Tail(at)) = step else {
                continue;
            };
            let known = seen.entry(p.root).or_default();
            match known.iter_mut().find(|(base, _)| *base == p.proj[..i]) {
                Some((_, other)) => *other = other.take().filter(|e| *e == **at),
                None => known.push((p.proj[..i].to_vec(), Some((**at).clone()))),
            }
        }
    });
    if seen.is_empty() {
        return Vec::new();
    }
    let mut written = Vec::new();
    func.body
        .walk(&mut |s| written.extend(s.written().iter().map(|p| p.root)));
    let fixed = |e: &Expr| match e {
        Expr::Lit(..) => true,
        Expr::Read(p) => {
            let loops = func.var(p.root).origin == Origin::Index;
            p.is_whole() && !loops && !written.contains(&p.root)
        }
        _ => false,
    };
    let of_root = |(root, splits): (VarId, Vec<SplitAt>)| {
        splits.into_iter().filter_map(move |(base, at)| {
            let at = at?;
            Some(Split { root, base, at })
        })
    };
    let all = seen.into_iter().flat_map(of_root);
    all.filter(|s| fixed(&s.at)).collect()
}

/// Calls `f` on every place that the function names.
fn each_place<'a>(func: &'a Func, f: &mut dyn FnMut(&'a Place)) {
    func.body.walk(&mut |s| {
        s.own_places().into_iter().for_each(&mut *f);
        if let StmtKind::Call(call) = &s.kind {
            call.written().for_each(&mut *f);
        }
        s.walk_exprs(&mut |e| e.own_places().iter().for_each(&mut *f));
    });
}
