//! Locations, states, and the evaluation of expressions to terms.
//!
//! The locations of a variable are the field paths by which the plan names parts of it, the empty
//! path among them. A location holds what is at its path and at no longer one, so the locations of
//! a variable share nothing. What is behind an index belongs to the location before the index.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::state::State;
use super::term::{Cell, Key, Node, Op, Step, Term, Terms};
use crate::ir::integers;
use crate::ir::{
    AdjArg, Arg, BinOp, Call, Expr, Func, Origin, Place, Proj, Stmt, StmtKind, Ty, UnOp, VarId,
};
use crate::passes::checkpoint::Callees;
use crate::plan::Plan;

/// The locations and the terms.
pub struct Evaluator<'a> {
    /// The variable table.
    pub func: &'a Func,
    /// All terms.
    pub terms: Terms,
    paths: Vec<(VarId, Key)>,
    by_root: Vec<Vec<Cell>>,
}

/// A place in a state: its locations, and the steps from there.
#[derive(Clone, PartialEq)]
pub struct Spot {
    /// The steps before the first index.
    fields: Key,
    root: VarId,
    /// The steps from the first index on.
    pub key: Key,
}

impl Spot {
    /// All steps.
    fn whole_key(&self) -> Key {
        [&self.fields[..], &self.key[..]].concat()
    }
}

impl<'a> Evaluator<'a> {
    /// The locations that the plan names.
    pub fn new(plan: &'a Plan) -> Evaluator<'a> {
        let count = plan.func.vars.len();
        let mut values = Evaluator {
            func: &plan.func,
            terms: Terms::default(),
            paths: Vec::new(),
            by_root: vec![Vec::new(); count],
        };
        for v in plan.func.var_ids() {
            values.locate(v, Vec::new());
        }
        for block in [&plan.func.body, &plan.forward, &plan.reverse] {
            block.walk(&mut |s| {
                let mut locate = |p: &Place| values.locate(p.root, fields(p));
                each_place(s, &mut locate);
                plan.callees().places_of_callee(s).iter().for_each(locate);
            });
        }
        values.share_paths();
        values
    }

    /// Gives variables of one type the same paths, so that values are copied part by part.
    fn share_paths(&mut self) {
        let mut of_type: HashMap<&Ty, HashSet<Key>> = HashMap::new();
        for (v, path) in self.paths.iter().filter(|(_, path)| !path.is_empty()) {
            of_type
                .entry(&self.func.var(*v).ty)
                .or_default()
                .insert(path.clone());
        }
        for v in self.func.var_ids() {
            let paths = of_type
                .get(&self.func.var(v).ty)
                .cloned()
                .unwrap_or_default();
            let mut paths: Vec<Key> = paths.into_iter().collect();
            paths.sort();
            paths.into_iter().for_each(|path| self.locate(v, path));
        }
    }

    fn locate(&mut self, root: VarId, path: Key) {
        let known = self.by_root[root.index()]
            .iter()
            .any(|c| self.paths[c.index()].1 == path);
        if !known {
            self.by_root[root.index()].push(Cell(self.paths.len() as u32));
            self.paths.push((root, path));
        }
    }

    /// The number of locations.
    pub fn count(&self) -> usize {
        self.paths.len()
    }

    /// The type of a location that is a whole variable.
    pub fn ty(&self, cell: Cell) -> Option<&'a Ty> {
        self.whole(cell).map(|v| &self.func.var(v).ty)
    }

    /// The variable that the location is all of.
    pub fn whole(&self, cell: Cell) -> Option<VarId> {
        let (v, path) = &self.paths[cell.index()];
        path.is_empty().then_some(*v)
    }

    /// A state in which nothing is in scope.
    pub fn empty(&self) -> State {
        State::empty(self.count())
    }

    /// The locations of a variable.
    pub fn of(&self, v: VarId) -> Vec<Cell> {
        self.by_root[v.index()].clone()
    }

    /// The locations that overlap the place.
    pub fn under(&self, place: &Place) -> Vec<Cell> {
        self.below(place.root, &fields(place))
    }

    fn below(&self, root: VarId, path: &[Step]) -> Vec<Cell> {
        let cells = self.by_root[root.index()].iter().copied();
        cells
            .filter(|c| self.paths[c.index()].1.starts_with(path))
            .collect()
    }

    /// The variable of which the location is a part.
    pub fn root(&self, cell: Cell) -> VarId {
        self.paths[cell.index()].0
    }

    /// The way to a place from a location around it; the empty one, if it is all of the location.
    pub fn way(&mut self, state: &State, place: &Place, cell: Cell) -> Option<Key> {
        let way = self.spot(state, place).whole_key();
        let (root, path) = &self.paths[cell.index()];
        let inside = way.strip_prefix(&path[..]).map(<[Step]>::to_vec);
        let inside = inside.or_else(|| path.starts_with(&way).then(Key::new));
        inside.filter(|_| *root == place.root)
    }

    /// The location at a path behind a place's fields.
    pub fn location(&self, place: &Place, path: &[Step]) -> Option<Cell> {
        let path = [&fields(place)[..], path].concat();
        let mut cells = self.by_root[place.root.index()].iter().copied();
        cells.find(|c| self.paths[c.index()].1 == path)
    }

    /// The locations in `&mut` arguments that the callee is known not to write.
    pub fn left_by_callee(&self, call: &Call, callees: Callees<'_>) -> Vec<Cell> {
        let Some(effect) = callees.effect(call) else {
            return Vec::new();
        };
        let written = effect.written_at(call).flat_map(|p| self.under(&p));
        let written: BTreeSet<Cell> = written.collect();
        let lent = call.written().flat_map(|p| self.under(p));
        lent.filter(|c| !written.contains(c)).collect()
    }

    /// The locations of two places in pairs, if they cover the places and are the same.
    pub fn paired(&self, a: &Place, b: &Place) -> Option<Vec<(Cell, Cell)>> {
        let by_path = |p: &Place| {
            let path = fields(p);
            let cells = self.below(p.root, &path).into_iter();
            let below = |c: Cell| self.paths[c.index()].1[path.len()..].to_vec();
            (path.len() == p.proj.len()).then(|| {
                cells
                    .map(|c| (below(c), c))
                    .collect::<BTreeMap<Key, Cell>>()
            })
        };
        let (a, b) = (by_path(a)?, by_path(b)?);
        a.keys()
            .eq(b.keys())
            .then(|| a.into_values().zip(b.into_values()).collect())
    }

    /// Whether the variable is an adjoint one.
    pub fn is_adjoint(&self, v: VarId) -> bool {
        matches!(self.func.var(v).origin, Origin::Adjoint(_))
    }

    /// Where the place is, its indices evaluated in this state.
    pub fn spot(&mut self, state: &State, place: &Place) -> Spot {
        let fields = fields(place);
        let key = place.proj[fields.len()..]
            .iter()
            .map(|p| self.step(state, p))
            .collect();
        Spot {
            fields,
            root: place.root,
            key,
        }
    }

    fn step(&mut self, state: &State, proj: &Proj) -> Step {
        match proj {
            Proj::Index(e) => Step::Index(self.eval(state, e)),
            Proj::Head(e) => Step::Head(self.eval(state, e)),
            Proj::Tail(e) => Step::Tail(self.eval(state, e)),
            // An open range is the same as a half.
            Proj::Range(Some(lo), None) => Step::Tail(self.eval(state, lo)),
            Proj::Range(None, Some(hi)) => Step::Head(self.eval(state, hi)),
            Proj::Range(lo, hi) => {
                let lo = lo.as_ref().map(|e| self.eval(state, e));
                Step::Range(lo, hi.as_ref().map(|e| self.eval(state, e)))
            }
            Proj::Chunk(at, extent) => {
                let at = self.eval(state, at);
                let size = self
                    .terms
                    .op(Op::Lit(extent.clone(), Ty::USIZE), Vec::new());
                let terms = &mut self.terms;
                let lo = terms.arithmetic("wrapping_mul", &Ty::USIZE, vec![at, size]);
                let hi = terms.arithmetic("wrapping_add", &Ty::USIZE, vec![lo, size]);
                Step::Range(Some(lo), Some(hi))
            }
            Proj::Items => Step::Range(None, None),
            Proj::Single => Step::Range(None, None),
            Proj::Field(_) | Proj::Deref | Proj::Variant(..) => static_step(proj),
        }
    }

    /// The value at a spot; `None` if it is out of scope.
    pub fn get(&mut self, state: &State, spot: &Spot) -> Option<Term> {
        let whole = self.around(state, spot)?;
        Some(self.terms.select(whole, spot.key.clone()))
    }

    /// The value around a spot, where its indices begin.
    fn around(&mut self, state: &State, spot: &Spot) -> Option<Term> {
        let cells = self.below(spot.root, &spot.fields);
        let mut parts = Vec::new();
        for c in &cells {
            let path = self.paths[c.index()].1[spot.fields.len()..].to_vec();
            parts.push((path, state[c.index()]?));
        }
        match &parts[..] {
            [] => None,
            [(_, t)] => Some(*t),
            _ => Some(self.terms.parts(parts)),
        }
    }

    /// Whether two places of one variable may overlap.
    pub fn overlap(&mut self, state: &State, a: &Place, b: &Place) -> bool {
        let (a, b) = (self.spot(state, a), self.spot(state, b));
        !self.terms.disjoint(&a.whole_key(), &b.whole_key())
    }

    /// The value at a place.
    pub fn read(&mut self, state: &State, place: &Place) -> Option<Term> {
        let spot = self.spot(state, place);
        self.get(state, &spot)
    }

    /// Notes, for the current call, that its `&mut` arguments are disjoint from its other arguments.
    pub fn assume_disjoint(&mut self, state: &State, call: &Call) {
        self.terms.disjoint_steps.clear();
        let lent: Vec<(Spot, bool)> = call
            .args
            .iter()
            .filter_map(|arg| Some((self.spot(state, arg.place()?), matches!(arg, Arg::Mut(_)))))
            .collect();
        for (i, (a, a_mut)) in lent.iter().enumerate() {
            for (b, b_mut) in &lent[i + 1..] {
                if a.root == b.root && (*a_mut || *b_mut) {
                    let (a, b) = (a.whole_key(), b.whole_key());
                    self.terms.assume_disjoint(&a, &b);
                }
            }
        }
    }

    /// Drops the facts about the current call.
    pub fn drop_disjointness(&mut self) {
        self.terms.disjoint_steps.clear();
    }

    /// Puts a value at a spot.
    pub fn put(&mut self, state: &mut State, spot: &Spot, value: Term) {
        let cells = self.below(spot.root, &spot.fields);
        let paths: Vec<Key> = cells
            .iter()
            .map(|c| self.paths[c.index()].1[spot.fields.len()..].to_vec())
            .collect();
        let whole = match (&spot.key[..], self.around(state, spot)) {
            ([], _) => value,
            (_, Some(old)) => self.terms.update(old, spot.key.clone(), value),
            _ => self.terms.unknown(),
        };
        for (c, path) in cells.iter().zip(&paths) {
            let new = match cells.len() {
                1 => whole,
                _ => self.terms.part(whole, path, &paths),
            };
            state.set(c.index(), Some(new));
        }
    }

    /// Puts a value at a place.
    pub fn write(&mut self, state: &mut State, place: &Place, value: Term) {
        let spot = self.spot(state, place);
        self.put(state, &spot, value);
    }

    /// Puts a value in a whole variable.
    pub fn set(&mut self, state: &mut State, v: VarId, value: Term) {
        self.put(
            state,
            &Spot {
                fields: Vec::new(),
                root: v,
                key: Vec::new(),
            },
            value,
        );
    }

    /// Ends the life of a variable.
    pub fn forget(&self, state: &mut State, v: VarId) {
        for c in &self.by_root[v.index()] {
            state.set(c.index(), None);
        }
    }

    /// Exchanges the values at two spots.
    pub fn swap(&mut self, state: &mut State, a: &Spot, b: &Spot) {
        if a.root == b.root && a.fields == b.fields && !a.key.is_empty() && !b.key.is_empty() {
            for c in self.below(a.root, &a.fields) {
                let old = state[c.index()];
                let new = old.map(|t| self.terms.swapped(t, a.key.clone(), b.key.clone()));
                state.set(c.index(), new);
            }
            return;
        }
        let (x, y) = (self.get(state, a), self.get(state, b));
        let x = x.unwrap_or_else(|| self.terms.unknown());
        let y = y.unwrap_or_else(|| self.terms.unknown());
        self.put(state, a, y);
        self.put(state, b, x);
    }

    /// The value of an expression. What is not known is equal to nothing.
    pub fn eval(&mut self, state: &State, e: &Expr) -> Term {
        let op = match e {
            Expr::Lit(text, ty) => match (ty, integers::literal(text)) {
                (Ty::Int(_), Some(n)) => return self.terms.integer(n, ty),
                _ => Op::Lit(text.clone(), ty.clone()),
            },
            Expr::Read(p) if self.is_adjoint(p.root) => return self.terms.unknown(),
            Expr::Read(p) => {
                let value = self.read(state, p);
                let value = value.unwrap_or_else(|| self.terms.unknown());
                self.note_length(p, value);
                return value;
            }
            Expr::Len(p) => return self.len(state, p),
            Expr::Unary(op, a) => match (op, e.ty(self.func)) {
                // `!a` is `-a - 1`, a polynomial; a term of `!` is a bool.
                (UnOp::Not, ty @ Ty::Int(_)) => {
                    let a = self.eval(state, a);
                    let opposite = self
                        .terms
                        .op(Op::Discrete("wrapping_neg".into(), ty.clone()), vec![a]);
                    let one = self.terms.integer(1, &ty);
                    return self
                        .terms
                        .op(Op::Discrete("wrapping_sub".into(), ty), vec![opposite, one]);
                }
                (UnOp::Neg, ty @ Ty::Int(_)) => Op::Discrete("wrapping_neg".into(), ty),
                _ => Op::Unary(*op),
            },
            Expr::Binary(op, _, _) => match (wrapping(*op), e.ty(self.func)) {
                (Some(name), ty @ Ty::Int(_)) => Op::Discrete(name.into(), ty),
                _ => Op::Binary(*op),
            },
            Expr::Intrinsic(op, _) => Op::Intrinsic(*op),
            Expr::Partial(name, _) => Op::Partial(name),
            Expr::Scale(..) => Op::Scale,
            Expr::Preaccumulated(value, _) => return self.eval(state, value),
            Expr::Cast(a, ty) if a.ty(self.func) == *ty => return self.eval(state, a),
            Expr::Cast(_, ty) => Op::Cast(ty.clone()),
            Expr::Discrete(name, _, ty) => Op::Discrete(name.clone(), ty.clone()),
            Expr::Select(parts, ty) => {
                let [condition, a, b] = [0, 1, 2].map(|n| self.eval(state, &parts[n]));
                let selected = self.terms.merged(condition, a, b, ty);
                return selected.unwrap_or_else(|| self.terms.unknown());
            }
            Expr::Aggregate(_, ty) => Op::Aggregate(ty.clone()),
            Expr::Repeat(_, _, ty) => Op::Repeat(ty.clone()),
            Expr::Variant(path, fields, ty) => {
                let names = fields.iter().map(|(name, _)| name.clone()).collect();
                Op::Variant(path.clone(), names, ty.clone())
            }
            Expr::Is(p, path) => {
                let value = self.eval(state, &Expr::Read(p.clone()));
                return self.terms.op(Op::Is(path.clone()), vec![value]);
            }
            Expr::ZeroLike(_) => return self.terms.unknown(),
            Expr::Code(code, reads, ty) => {
                let args = reads
                    .iter()
                    .map(|p| self.eval(state, &Expr::Read(p.clone())))
                    .collect();
                return self.terms.op(Op::Code(*code, ty.clone()), args);
            }
        };
        let args: Vec<Term> = e
            .children()
            .into_iter()
            .map(|c| self.eval(state, c))
            .collect();
        if let Expr::Cast(operand, _) = e {
            self.terms.note_cast(args[0], &operand.ty(self.func));
        }
        self.terms.op(op, args)
    }

    /// The length of the aggregate at a place.
    pub fn len(&mut self, state: &State, place: &Place) -> Term {
        if self.is_adjoint(place.root) {
            return self.terms.unknown();
        }
        let is_view = |p: &Proj| matches!(p, Proj::Head(_) | Proj::Tail(_) | Proj::Range(..));
        if let Some((view, rest)) = place.proj.split_last().filter(|(p, _)| is_view(p)) {
            let viewed = Place {
                root: place.root,
                proj: rest.to_vec(),
                ty: Ty::Unknown,
            };
            let len = self.len(state, &viewed);
            let view = self.step(state, view);
            return self.terms.view_len(len, &view);
        }
        let spot = self.spot(state, place);
        let whole = self.below(place.root, &spot.fields).first().copied();
        match (place.known_ty(self.func), whole) {
            // Slices and arrays keep their lengths.
            (Ty::Array(_, extent), _) => self.terms.op(Op::Lit(extent, Ty::USIZE), Vec::new()),
            (Ty::Slice(_), Some(c)) if spot.key.is_empty() => {
                self.terms.op(Op::LenOf(c), Vec::new())
            }
            _ => {
                let base = Spot {
                    key: Vec::new(),
                    ..spot.clone()
                };
                match self.get(state, &base) {
                    Some(t) => {
                        let len = self.terms.len(t, &spot.key);
                        self.len_of_slice(len)
                    }
                    None => self.terms.unknown(),
                }
            }
        }
    }

    /// A slice keeps its length, whatever is written to its elements: a copy of it has that.
    fn note_length(&mut self, p: &Place, value: Term) {
        let is_slice = p.is_whole() && matches!(p.ty, Ty::Slice(_)) && p.ty.keeps_shape();
        let &[c] = &self.by_root[p.root.index()][..] else {
            return;
        };
        let entry = self.node(Node::Entry(c));
        let mut version = value;
        while is_slice && version != entry {
            self.terms.same_length(version, entry, false);
            match self.terms.node(version) {
                Node::Update(before, ..) | Node::Swapped(before, ..) => version = *before,
                _ => break,
            }
        }
    }

    /// The length, or that of the slice if it is the length of a copy.
    fn len_of_slice(&mut self, len: Term) -> Term {
        let of = match self.terms.node(len) {
            Node::Op(Op::Len, args) => args[0],
            _ => return len,
        };
        let Node::Entry(c) = *self.terms.node(of) else {
            return len;
        };
        let whole = self.whole(c).map(|v| &self.func.var(v).ty);
        match whole {
            Some(Ty::Slice(_)) => self.terms.op(Op::LenOf(c), Vec::new()),
            _ => len,
        }
    }

    /// An operator between two values.
    pub fn sum(&mut self, a: Term, b: Term) -> Term {
        self.terms.op(Op::Binary(BinOp::Add), vec![a, b])
    }

    /// An operator between two sizes.
    pub fn integer_operation(&mut self, op: BinOp, operands: [Term; 2]) -> Term {
        match wrapping(op) {
            Some(name) => self.terms.arithmetic(name, &Ty::USIZE, operands.to_vec()),
            None => self.terms.op(Op::Binary(op), operands.to_vec()),
        }
    }

    /// Whether the two states hold the same in every location of the place.
    pub fn same(&self, a: &State, b: &State, cell: Cell) -> bool {
        a[cell.index()] == b[cell.index()]
    }

    /// The term for a location, made by `node`.
    pub fn node(&mut self, node: Node) -> Term {
        self.terms.make(node)
    }
}

/// Whether a value of the type always has as many parts as the one that it replaces.
pub fn has_fixed_shape(ty: &Ty) -> bool {
    match ty {
        Ty::Array(t, _) | Ty::Slice(t) => has_fixed_shape(t),
        Ty::Tuple(ts) => ts.iter().all(has_fixed_shape),
        ty => ty.is_scalar(),
    }
}

/// The steps before the first index.
fn fields(place: &Place) -> Key {
    let is_static = |p: &&Proj| matches!(p, Proj::Field(_) | Proj::Deref | Proj::Variant(..));
    place
        .proj
        .iter()
        .take_while(is_static)
        .map(static_step)
        .collect()
}

fn static_step(proj: &Proj) -> Step {
    match proj {
        Proj::Field(name) => Step::Field(name.clone()),
        Proj::Variant(path, field) => Step::Variant(path.clone(), field.clone()),
        _ => Step::Deref,
    }
}

/// Calls `f` on every place in the statement, those in expressions included, blocks inside not.
pub fn each_place(stmt: &Stmt, f: &mut dyn FnMut(&Place)) {
    stmt.walk_exprs(&mut |e| e.own_places().iter().for_each(&mut *f));
    stmt.written().into_iter().for_each(&mut *f);
    match &stmt.kind {
        StmtKind::Record(_, p) => f(p),
        StmtKind::Passive(_, reads) => reads.iter().for_each(f),
        StmtKind::Call(c) | StmtKind::Forward(c) => {
            c.args.iter().filter_map(|a| a.place()).for_each(f);
        }
        StmtKind::Reverse { call, adjoints, .. } => {
            call.args.iter().filter_map(|a| a.place()).for_each(&mut *f);
            for adjoint in adjoints {
                match adjoint {
                    AdjArg::Place(p) | AdjArg::Scratch(Some(p)) => f(p),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// The function that does the same in wrapping form.
fn wrapping(op: BinOp) -> Option<&'static str> {
    match op {
        BinOp::Add => Some("wrapping_add"),
        BinOp::Sub => Some("wrapping_sub"),
        BinOp::Mul => Some("wrapping_mul"),
        _ => None,
    }
}
