//! Activity analysis: `[TBR]` §4, Figures 2–5.
//!
//! **Problem.** An adjoint statement is needed only where a value depends on an independent and
//! influences a dependent, both in a differentiable way.
//!
//! **Sets.** `varied` at a point: the cells ([`super::sets::cells`]) whose value may depend on an
//! independent. `useful` at a point: the cells whose value may influence a dependent. `active` =
//! varied ∩ useful. `varied` flows forward from the independents, `useful` backward from the
//! dependents; a loop is iterated to the local fixpoint, which terminates as the sets grow. Each
//! caller has independents and dependents of its own among ours, so a cell carries not one bit but a
//! mask: the parameters that it may depend on, the outputs that it may influence. As the flows are
//! unions of flows from single independents, the masks answer for every caller at once.
//!
//! **Equations**, for `v = e` with `Dep(e)` the cells that `e` depends on differentiably:
//!
//! ```text
//! varied_out = varied_in \ {v if killed} ∪ {v if Dep(e) ∩ varied_in ≠ ∅}
//! useful_in  = useful_out \ {v if killed} ∪ (Dep(e) if v ∈ useful_out)
//! ```
//!
//! An assignment kills the cells that it writes in full, a loop the arrays that it overwrites
//! ([`super::tbr::regions`]). A call makes each output depend on each input, unless its body is visible, then on those
//! of its [`Summary`], or its handle can be queried: then the masks have bits that represent its outputs and arguments
//! ([`self::links`]).
//!
//! DIVERGENCE `[TBR]`: `Dep` is not synthesised as a matrix per structure and composed; the two
//! flows run over the statements themselves. The matrix of the whole function is what the masks at its
//! end hold.

use std::collections::BTreeSet;

use self::inactive::Inactive;
use self::links::{Candidate, Links};
use self::summary::{ContextPolicy, Summaries, Summary};
use super::sets::cells::{Cell, Cells};
use super::sets::set::VarSet;
use crate::ir::demand::{RESULT_BIT, output_bit, param_bit};
use crate::ir::{Call, Demand, Expr, Func, Mode, Place, Proj, StmtId, StmtKind, VarId};
use crate::rules::{self, Partial};

pub mod bits;
pub mod excluded;
pub mod inactive;
pub mod links;
pub mod summary;
mod useful;
mod varied;

/// The result: the sets at each statement, by statement id.
#[derive(Clone, Debug, Default)]
pub struct Activity {
    /// Varied just before the statement.
    pub varied_in: Vec<VarSet>,
    /// Varied just after the statement.
    pub varied_out: Vec<VarSet>,
    /// Useful just before the statement.
    pub useful_in: Vec<VarSet>,
    /// Useful just after the statement.
    pub useful_out: Vec<VarSet>,
    /// Active anywhere: these variables have adjoints.
    pub active: VarSet,
    /// Functions whose floats are taken as constants.
    pub inactive: Inactive,
    /// The cells that the analyses distinguish.
    pub cells: Cells,
    /// `Dep` of the function.
    pub depends: Vec<u64>,
    /// The calls whose callees are queried for their `Dep`.
    pub links: Links,
    masks: Vec<Masks>,
    /// For each variable, the parameters that any of its values depends on; a parameter depends on itself.
    wrt: Vec<u64>,
    /// The arguments that calls overwrite in full, by position.
    overwritten: BTreeSet<(StmtId, usize)>,
    /// The independents and the dependents.
    boundary: (u64, u64),
    /// Whether callers differ only in whether they want any derivative: adjoints follow the shapes of resized values,
    /// and then all of them have to.
    all_or_nothing: bool,
    /// The result; its adjoint exists only for callers that want it.
    ret: Option<VarId>,
}

/// The cells of the variables that a statement names, and their masks.
#[derive(Clone, Debug, Default)]
struct Masks {
    cells: Vec<Cell>,
    varied_in: Vec<u64>,
    varied_out: Vec<u64>,
    useful_out: Vec<u64>,
}

/// What the analysis starts from.
#[derive(Clone, Debug, Default)]
pub struct Boundary {
    /// The independents.
    pub independents: VarSet,
    /// The dependents.
    pub dependents: VarSet,
    /// Functions whose floats are taken as constants.
    pub inactive: Inactive,
    /// Functions whose bodies are known.
    pub summaries: Summaries,
    /// The names of those whose calls may lead back to this function.
    pub recursive: BTreeSet<String>,
    /// Whether functions that see this one may have snapshots, for which they look at its effect.
    pub states_effect: bool,
}

impl Boundary {
    /// Whether all reals are independent and all outputs dependent. If not, callers assume that each output depends on
    /// everything.
    pub fn is_whole(&self, func: &Func) -> bool {
        let real = |v: &&VarId| func.var(**v).ty.carries_floats();
        let written = |v: &&VarId| func.var(**v).mode == Mode::Mut;
        let params = || func.params.iter().filter(real);
        let mut outputs = params().filter(written).chain(func.ret.iter().filter(real));
        let mut inputs = params();
        inputs.all(|v| self.independents.contains(*v))
            && outputs.all(|v| self.dependents.contains(*v))
    }

    /// How the number of the callee's contexts is bounded.
    pub fn context_policy(&self, call: &Call, func: &Func) -> ContextPolicy {
        if self.recursive.contains(&call.callee.function()) {
            return ContextPolicy::Recursive;
        }
        match self.summary(call, func) {
            Some(_) => ContextPolicy::Exact,
            None => ContextPolicy::Limited,
        }
    }

    /// The summary of the callee. That of a method is used only if it is called on `self`.
    pub fn summary(&self, call: &Call, func: &Func) -> Option<&Summary> {
        let receiver = call.args.first().and_then(crate::ir::Arg::place);
        let of_self = |p: &Place| {
            let var = func.var(p.root);
            var.name == "self" && func.params.contains(&p.root) && p.is_whole()
        };
        let is_method = call.callee.is_method();
        let known = self.summaries.get(&call.callee.name);
        known.filter(|s| {
            let fits = s.reads.len() == call.args.len();
            fits && (!is_method || receiver.is_some_and(of_self))
        })
    }
}

/// Runs the analysis; without `enabled`, every real is active from its first value on.
pub fn activity(func: &Func, boundary: &Boundary, statements: usize, enabled: bool) -> Activity {
    let sets = || vec![VarSet::default(); statements];
    let mut result = Activity {
        varied_in: sets(),
        varied_out: sets(),
        useful_in: sets(),
        useful_out: sets(),
        active: VarSet::default(),
        inactive: boundary.inactive.clone(),
        cells: Cells::of(func),
        depends: Vec::new(),
        links: Links::default(),
        masks: vec![Masks::default(); statements],
        wrt: vec![0; func.vars.len()],
        overwritten: BTreeSet::new(),
        boundary: boundary_masks(func, boundary),
        all_or_nothing: resizes(func),
        ret: func.ret,
    };
    for (k, p) in func.params.iter().enumerate() {
        result.wrt[p.index()] = param_bit(k);
    }
    func.body.walk(&mut |s| {
        let named = named_vars(s).into_iter();
        let of_var = |v| result.cells.of_var(v).iter().copied();
        result.masks[s.id.index()]
            .cells
            .extend(named.flat_map(of_var));
    });
    if enabled && !result.all_or_nothing {
        result.links = links(func, boundary, &result.cells);
    }
    varied::flow(func, boundary, &mut result, enabled);
    useful::flow(func, boundary, &mut result, enabled);
    result.active = active_anywhere(func, &result);
    result.active.union(&boundary.independents);
    result.active.union(&boundary.dependents);
    result
}

/// The calls of functions that are not visible but have a handle.
fn links(func: &Func, boundary: &Boundary, cells: &Cells) -> Links {
    let mut calls = Vec::new();
    func.body.walk(&mut |s| {
        if let StmtKind::Call(call) = &s.kind
            && call.callee.has_handle()
            && boundary.summary(call, func).is_none()
            && !boundary.inactive.contains(call, func)
        {
            let real = |k: &usize| !argument_cells(&call.args[*k], func, cells).is_empty();
            calls.push(Candidate {
                call: s.id,
                callee: &call.callee,
                outputs: outputs(call, func).iter().map(|(o, _)| *o).collect(),
                arguments: (0..call.args.len()).filter(real).collect(),
            });
        }
    });
    Links::of(func.params.len(), calls.into_iter())
}

/// Whether a value changes its shape in the function. Then all adjoints are used for any caller that wants a
/// derivative, whatever is varied.
pub fn resizes(func: &Func) -> bool {
    let mut found = false;
    func.body.walk(&mut |s| {
        let resized = |p: &&Place| !p.ty.keeps_shape();
        found |= !matches!(s.kind, StmtKind::Incr(..)) && s.written().iter().any(resized);
    });
    found
}

/// The independents and the dependents as masks.
pub fn boundary_masks(func: &Func, boundary: &Boundary) -> (u64, u64) {
    let bits = |set: &VarSet, bit: fn(usize) -> u64| {
        let params = func.params.iter().enumerate();
        let of = params.filter(|(_, v)| set.contains(**v));
        of.fold(0, |mask, (k, _)| mask | bit(k))
    };
    let ret = func.ret.filter(|r| boundary.dependents.contains(*r));
    let of = bits(&boundary.dependents, output_bit) | ret.map_or(0, |_| RESULT_BIT);
    (bits(&boundary.independents, param_bit), of)
}

impl Activity {
    /// The parameters that the value at the place depends on just before the statement.
    pub fn varied_before(&self, id: StmtId, place: &Place) -> u64 {
        self.all_or(self.mask(id, |m| &m.varied_in, place), self.boundary.0)
    }

    /// The parameters that the value at the place depends on just after the statement.
    pub fn varied_after(&self, id: StmtId, place: &Place) -> u64 {
        self.all_or(self.mask(id, |m| &m.varied_out, place), self.boundary.0)
    }

    /// The outputs that the value at the place influences just after the statement.
    pub fn useful_after(&self, id: StmtId, place: &Place) -> u64 {
        let of = self.mask(id, |m| &m.useful_out, place);
        match self.is_result(place) {
            true => of,
            false => self.all_or(of, self.boundary.1),
        }
    }

    fn is_result(&self, place: &Place) -> bool {
        self.ret == Some(place.root)
    }

    fn all_or(&self, mask: u64, all: u64) -> u64 {
        match self.all_or_nothing && mask != 0 {
            true => all,
            false => mask,
        }
    }

    fn mask(&self, id: StmtId, of: fn(&Masks) -> &[u64], place: &Place) -> u64 {
        let touched = self.cells.touched(place);
        let masks = &self.masks[id.index()];
        let all = masks.cells.iter().zip(of(masks));
        let here = all.filter(|(c, _)| touched.contains(c));
        here.fold(0, |all, (_, m)| all | m)
    }

    /// Whether the value that the statement writes at the place is active.
    pub fn writes_active(&self, id: StmtId, place: &Place) -> bool {
        self.varied_after(id, place) != 0 && self.useful_after(id, place) != 0
    }

    /// Whether the value at the place that the statement reads can carry a derivative.
    pub fn reads_active(&self, id: StmtId, place: &Place) -> bool {
        self.varied_before(id, place) != 0 && self.active.contains(place.root)
    }

    /// The parameters that an argument of a call depends on, as passed to the callee. An overwritten argument counts as
    /// varied for every caller to which its adjoint is useful, because the callee has to clear the adjoint.
    pub fn varied_argument(&self, id: StmtId, k: usize, place: &Place) -> u64 {
        let before = self.varied_before(id, place);
        match self.overwritten.contains(&(id, k)) {
            true => before | self.links.parameters(self.wrt[place.root.index()]),
            false => before,
        }
    }

    /// Whether a call has an adjoint: something varied goes in and something useful comes out.
    pub fn call_is_active(&self, func: &Func, id: StmtId, call: &Call) -> bool {
        !self.inactive.contains(call, func)
            && outputs(call, func)
                .iter()
                .any(|(_, p)| self.writes_active(id, p))
    }

    /// The callers for which the adjoint of a write runs: it propagates the adjoint, or at least clears it. Clearing
    /// doesn't depend on the answers of callees.
    pub fn demand_of_write(&self, id: StmtId, place: &Place) -> Demand {
        let wrt = self.links.parameters(self.wrt[place.root.index()]);
        let of = self.links.results(self.useful_after(id, place));
        match self.demand(wrt, of) {
            demand if of != 0 && self.is_result(place) => Demand::new(demand.wrt, of),
            demand => demand,
        }
    }

    /// The callers for which the increment of a by-value argument is added: all to which any of its operands is varied.
    pub fn demand_of_increment(&self, wrt: u64) -> Demand {
        Demand::new(wrt, self.boundary.1)
    }

    /// The callers to which the variable is varied anywhere.
    pub fn demand_of_variable(&self, v: VarId) -> Demand {
        self.demand(self.wrt[v.index()], 0)
    }

    /// A demand. An empty or unknown mask is widened to all, as is any mask if adjoints follow shapes.
    pub fn demand(&self, wrt: u64, of: u64) -> Demand {
        let or = |mask, all| {
            if mask == 0 || self.all_or_nothing {
                all
            } else {
                mask
            }
        };
        Demand::new(or(wrt, self.boundary.0), or(of, self.boundary.1))
    }
}

fn active_anywhere(func: &Func, result: &Activity) -> VarSet {
    let mut active = VarSet::default();
    func.body.walk(&mut |s| {
        let i = s.id.index();
        let masks = &result.masks[i];
        let after = masks.varied_out.iter().zip(&masks.useful_out);
        for (c, (varied, useful)) in masks.cells.iter().zip(after) {
            if *varied != 0 && *useful != 0 {
                active.insert(result.cells.var(*c));
            }
        }
        active.add_common(&result.varied_in[i], &result.useful_in[i]);
        // Swapped variables carry each other's values, so both or none have adjoints.
        if let StmtKind::Swap(a, b) = &s.kind
            && (active.contains(a.root) || active.contains(b.root))
        {
            active.extend([a.root, b.root]);
        }
    });
    active
        .iter()
        .filter(|v| func.var(*v).ty.carries_floats())
        .collect()
}

/// The places whose reals are in `Dep(e)`, each with the part of the value that depends on it; the whole value if its
/// parts can't be distinguished.
pub fn dependencies<'a>(e: &'a Expr, func: &Func) -> Vec<(&'a Place, Vec<Proj>)> {
    let mut found = Vec::new();
    collect(e, func, &mut Vec::new(), &mut found);
    found
}

fn collect<'a>(
    e: &'a Expr,
    func: &Func,
    part: &mut Vec<Proj>,
    found: &mut Vec<(&'a Place, Vec<Proj>)>,
) {
    match e {
        Expr::Read(p) if p.ty.carries_floats() => found.push((p, part.clone())),
        Expr::Unary(_, a) if a.ty(func).carries_floats() => collect(a, func, part, found),
        Expr::Cast(a, ty) if ty.carries_floats() && a.ty(func).carries_floats() => {
            collect(a, func, part, found);
        }
        Expr::Binary(op, a, b) if rules::binary(*op).is_some() && a.ty(func).carries_floats() => {
            collect(a, func, part, found);
            collect(b, func, part, found);
        }
        Expr::Preaccumulated(_, gradient) => {
            let inputs = gradient.iter().map(|[input, _]| input);
            inputs.for_each(|input| collect(input, func, part, found));
        }
        Expr::Intrinsic(op, args) => {
            for (arg, partial) in args.iter().zip(rules::intrinsic(*op)) {
                if *partial != Partial::Zero {
                    collect(arg, func, part, found);
                }
            }
        }
        Expr::Aggregate(parts, crate::ir::Ty::Tuple(_)) => {
            for (k, e) in parts.iter().enumerate() {
                part.push(Proj::Field(k.to_string()));
                collect(e, func, part, found);
                part.pop();
            }
        }
        Expr::Aggregate(parts, crate::ir::Ty::Boxed(_)) => {
            for e in parts {
                part.push(Proj::Deref);
                collect(e, func, part, found);
                part.pop();
            }
        }
        Expr::Variant(_, fields, _) => {
            for (field, e) in fields {
                part.push(Proj::Field(field.clone()));
                collect(e, func, part, found);
                part.pop();
            }
        }
        Expr::Aggregate(parts, _) => {
            for e in parts {
                collect(e, func, part, found);
            }
        }
        Expr::Repeat(value, ..) => collect(value, func, part, found),
        _ => {}
    }
}

/// Whether one of two paths from the same value is a prefix of the other.
fn paths_overlap(a: &[Proj], b: &[Proj]) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

/// The cells that the part at `part` of the value of `e` depends on.
fn part_cells(e: &Expr, part: &[Proj], func: &Func, cells: &Cells) -> Vec<Cell> {
    let mut all = Vec::new();
    for (place, of) in dependencies(e, func) {
        if !paths_overlap(&of, part) {
            continue;
        }
        // A plain copy maps each part to the same part.
        let inner = part.get(of.len()..).unwrap_or(&[]);
        let copied = matches!(e, Expr::Read(_) | Expr::Aggregate(..) | Expr::Variant(..));
        all.extend_from_slice(&match copied {
            true => cells.part(place, inner),
            false => cells.touched(place),
        });
    }
    all
}

/// The places that a call can write, with their positions among its outputs: its result and its `&mut` arguments with
/// floats.
pub fn outputs(call: &Call, func: &Func) -> Vec<(usize, Place)> {
    let result = call.result.map(|v| (0, func.place(v)));
    let args = call.args.iter().enumerate();
    let written = args.filter_map(|(k, arg)| match arg {
        crate::ir::Arg::Mut(p) => Some((k + 1, p.clone())),
        _ => None,
    });
    let all = result.into_iter().chain(written);
    all.filter(|(_, p)| p.ty.carries_floats()).collect()
}

/// The cells that the reals of an argument are in.
fn argument_cells(arg: &crate::ir::Arg, func: &Func, cells: &Cells) -> Vec<Cell> {
    match arg {
        crate::ir::Arg::Value(e) => part_cells(e, &[], func, cells),
        crate::ir::Arg::Shared(p) | crate::ir::Arg::Mut(p) if p.ty.carries_floats() => {
            cells.touched(p).into_owned()
        }
        _ => Vec::new(),
    }
}

/// Whether the output at a position depends on the argument at a position.
fn depends(summary: Option<&Summary>, output: usize, argument: usize) -> bool {
    let mask = summary.and_then(|s| s.depends.get(output).copied());
    mask.is_none_or(|mask| mask & param_bit(argument) != 0)
}

/// Whether the call overwrites the whole place.
fn kills(summary: Option<&Summary>, output: usize, place: &Place, cells: &Cells) -> bool {
    output == 0 || (!depends(summary, output, output - 1) && cells.is_exact(place))
}

/// The variables that a statement names or declares.
fn named_vars(stmt: &crate::ir::Stmt) -> Vec<VarId> {
    let mut vars: Vec<VarId> = stmt.declared().into_iter().collect();
    vars.extend(stmt.own_places().iter().map(|p| p.root));
    stmt.walk_exprs(&mut |e| vars.extend(e.own_places().iter().map(|p| p.root)));
    vars.sort();
    vars.dedup();
    vars
}

/// The state of a flow: a mask for each cell.
type State = Vec<u64>;

/// `a := a ∪ b`; returns whether `a` changed.
fn join(a: &mut State, b: &State) -> bool {
    let mut changed = false;
    for (a, b) in a.iter_mut().zip(b) {
        changed |= *b & !*a != 0;
        *a |= b;
    }
    changed
}

fn any(state: &State, cells: &[Cell]) -> u64 {
    cells.iter().fold(0, |m, c| m | state[c.index()])
}

/// The variables with a cell in the state.
fn vars_in(state: &State, cells: &Cells) -> VarSet {
    let mut set = VarSet::default();
    for (i, mask) in state.iter().enumerate() {
        if *mask != 0 {
            set.insert(cells.var(Cell(i as u32)));
        }
    }
    set
}

/// Adds the state to the masks of the cells that a statement names.
fn add_masks(state: &State, cells: &[Cell], masks: &mut Vec<u64>) {
    masks.resize(cells.len(), 0);
    for (mask, cell) in masks.iter_mut().zip(cells) {
        *mask |= state[cell.index()];
    }
}

/// Exchanges the masks of two places.
fn exchange(state: &mut State, a: &Place, b: &Place, cells: &Cells) {
    let (in_a, in_b) = (cells.touched(a), cells.touched(b));
    match (&in_a[..], &in_b[..]) {
        ([x], [y]) if cells.is_exact(a) && cells.is_exact(b) => state.swap(x.index(), y.index()),
        _ => {
            let both = any(state, &in_a) | any(state, &in_b);
            for c in in_a.iter().chain(&*in_b) {
                state[c.index()] |= both;
            }
        }
    }
}

/// Merges the halves of a split whose midpoint is assigned again: elements may have changed halves.
fn move_between_halves(state: &mut State, v: VarId, cells: &Cells) {
    for group in cells.moved(v) {
        let all = any(state, &group);
        group.iter().for_each(|c| state[c.index()] |= all);
    }
}
