//! Functions and the calls between them.

use super::options::is_option;
use super::reals::holds_reals;
use super::writer::{Induction, Known, Writer, is_grid, is_list, row_len};
use crate::gen_program::build::ret;
use crate::gen_program::build::{self, array, binary, call, slice, stmt, sub, usize};
use crate::gen_program::random::Random;
use crate::gen_program::{Bounds, Signature};
use crate::ir::{
    Arg, BinOp, Checkpoint, Expr, Func, IntTy, Mode, Place, Proj, Stmt, StmtKind, Ty, VarId,
};

/// A parameter, as callers see it.
#[derive(Clone, Debug)]
pub(in crate::gen_program) struct ParamSig {
    pub(in crate::gen_program) ty: Ty,
    pub(in crate::gen_program) mode: Mode,
    /// How many elements the function relies on.
    pub(in crate::gen_program) min_len: usize,
    /// Whether it says how deep a recursion goes.
    pub(in crate::gen_program) depth: bool,
}

/// Draws the parameters of a function.
pub(in crate::gen_program) fn signature(
    rng: &mut Random,
    bounds: &Bounds,
    name: String,
    depth: bool,
) -> Signature {
    let count = rng.between(1, bounds.params);
    let mut params: Vec<ParamSig> = (0..count).map(|_| parameter(rng)).collect();
    if !params.iter().any(|p| p.ty.carries_floats()) {
        params.push(param(slice(), Mode::Mut, 2));
    }
    if depth {
        let at = rng.below(params.len() + 1);
        let depth = ParamSig {
            depth: true,
            ..param(Ty::USIZE, Mode::Owned, 0)
        };
        params.insert(at, depth);
    }
    let written = params
        .iter()
        .any(|p| p.mode == Mode::Mut && p.ty.carries_floats());
    let ret = match rng.below(13) {
        0..3 if written => None,
        3 => Some(Ty::Tuple(vec![Ty::F64; 2])),
        4 => Some(array(Ty::F64, 2)),
        5 if written => Some(Ty::USIZE),
        6 => Some(Ty::Vec(Box::new(Ty::F64))),
        7 => Some(Ty::Option(Box::new(Ty::F64))),
        _ => Some(Ty::F64),
    };
    Signature { name, params, ret }
}

fn param(ty: Ty, mode: Mode, min_len: usize) -> ParamSig {
    ParamSig {
        ty,
        mode,
        min_len,
        depth: false,
    }
}

fn parameter(rng: &mut Random) -> ParamSig {
    let vec = |t| Ty::Vec(Box::new(t));
    let len = rng.between(1, 4);
    match rng.below(23) {
        0..2 => param(Ty::F64, Mode::Owned, 0),
        2..5 => param(slice(), Mode::Shared, len),
        5..9 => param(slice(), Mode::Mut, len),
        9 | 10 => param(Ty::F64, Mode::Mut, 0),
        11 => param(Ty::F64, Mode::Shared, 0),
        12 => param(Ty::USIZE, Mode::Owned, 0),
        13 => param(
            array(Ty::F64, 3),
            *rng.pick(&[Mode::Owned, Mode::Shared, Mode::Mut]),
            3,
        ),
        14 => param(
            Ty::Tuple(vec![Ty::F64; 2]),
            *rng.pick(&[Mode::Owned, Mode::Mut]),
            0,
        ),
        15 | 16 => param(
            Ty::Vec(Box::new(Ty::F64)),
            *rng.pick(&[Mode::Shared, Mode::Mut, Mode::Mut]),
            len - 1,
        ),
        17 => param(vec(Ty::F64), Mode::Owned, len - 1),
        18 => param(
            vec(vec(Ty::F64)),
            *rng.pick(&[Mode::Shared, Mode::Mut, Mode::Mut]),
            len - 1,
        ),
        19 => param(
            Ty::Slice(Box::new(Ty::USIZE)),
            *rng.pick(&[Mode::Shared, Mode::Mut]),
            len,
        ),
        20 => param(Ty::USIZE, Mode::Mut, 0),
        21 => param(
            Ty::Option(Box::new(Ty::F64)),
            *rng.pick(&[Mode::Owned, Mode::Shared, Mode::Mut, Mode::Mut]),
            0,
        ),
        _ => param(
            array(array(Ty::F64, 2), 2),
            *rng.pick(&[Mode::Shared, Mode::Mut]),
            2,
        ),
    }
}

/// Draws the body of a function that has this signature.
pub(in crate::gen_program) fn function(
    rng: &mut Random,
    bounds: &Bounds,
    me: &Signature,
    callees: &[Signature],
) -> Func {
    let func = build::func(&me.name);
    let budget = bounds.budget;
    let mut w = Writer {
        rng,
        bounds,
        callees,
        func,
        scope: Vec::new(),
        inductions: Vec::new(),
        tallies: Vec::new(),
        nesting: 0,
        budget,
    };
    let mut depth = None;
    for p in &me.params {
        let name = match (&p.ty, p.mode) {
            _ if p.depth => "depth",
            (Ty::Int(_), _) => "n",
            (_, Mode::Mut) => "y",
            _ => "x",
        };
        let var = w.know_param(name, p.ty.clone(), p.mode, p.min_len);
        if p.depth {
            depth = Some(var);
        }
        if p.mode == Mode::Mut && p.ty == Ty::USIZE && w.rng.chance(50) {
            w.inductions.push(Induction {
                var,
                ty: IntTy::Usize,
                writable: true,
            });
        }
    }
    let mut body = w.body_of(me, depth);
    build::number(&mut body);
    let mut marked = Vec::new();
    body.walk(&mut |s| {
        if matches!(s.kind, StmtKind::Loop(..)) && w.rng.chance(w.bounds.checkpoints) {
            marked.push(s.id);
        }
    });
    let mut func = w.func;
    func.body = body;
    let checkpoint = |id| {
        (
            id,
            Checkpoint {
                snapshots: build::usize(2),
                disk: None,
            },
        )
    };
    func.checkpoints = marked.into_iter().map(checkpoint).collect();
    func
}

impl Writer<'_> {
    fn body_of(&mut self, me: &Signature, depth: Option<VarId>) -> crate::ir::Block {
        // What changes its shape is assigned where it has a value, or last, as lowering does.
        let early = self.rng.chance(40) && me.ret.as_ref().is_some_and(Ty::has_static_shape);
        let ret = me.ret.clone().map(|ty| ret(&mut self.func, ty));
        let mut first = Vec::new();
        if let (true, Some(ret)) = (early, ret) {
            first.push(self.assign_ret(ret));
            self.know_result(ret);
        }
        let mut body = self.block(self.bounds.top, |w| {
            let mut last = Vec::new();
            // Most functions are called, or they would not matter.
            if let Some(callee) = w.callees.last().cloned()
                && w.rng.chance(70)
            {
                last.extend(w.call_of(&callee, None));
            }
            if let Some(depth) = depth {
                last.extend(w.recursion(me, depth));
            }
            if let (false, Some(ret)) = (early, ret) {
                last.push(w.assign_ret(ret));
            }
            last
        });
        body.stmts.splice(0..0, first);
        body
    }

    fn assign_ret(&mut self, ret: VarId) -> Stmt {
        let value = match self.func.var(ret).ty.clone() {
            Ty::Float(_) => self.summary(),
            ty @ Ty::Option(_) => self.something_or_nothing(&ty),
            ty => {
                let n = self.rng.between(1, 2);
                self.new_value(&ty, n)
            }
        };
        stmt(StmtKind::Assign(self.whole(ret), value))
    }

    /// What is returned; a `Vec` has an element at least.
    fn know_result(&mut self, var: VarId) {
        let is_vec = matches!(self.func.var(var).ty, Ty::Vec(_));
        let known = self.know(var, true);
        if is_vec {
            known.min_len = 1;
        }
    }

    /// `if depth > 0 { .. me(depth - 1, ..) .. }`
    fn recursion(&mut self, me: &Signature, depth: VarId) -> Vec<Stmt> {
        let condition = binary(BinOp::Gt, self.read(depth), usize(0));
        let deeper = sub(self.read(depth), usize(1));
        let yes = self.block(2, |w| {
            let mut stmts = w.call_of(me, Some(deeper));
            stmts.extend(w.statement());
            stmts
        });
        let no = if self.rng.chance(50) {
            self.block(2, |_| Vec::new())
        } else {
            Default::default()
        };
        vec![stmt(StmtKind::If(condition, yes, no))]
    }

    /// A call of some earlier function.
    pub(in crate::gen_program) fn call(&mut self) -> Option<Vec<Stmt>> {
        let at = self.rng.below(self.callees.len());
        let callee = self.callees[at].clone();
        Some(self.call_of(&callee, None))
    }

    /// A call, with what has to be declared before it; a recursion gets `depth`.
    fn call_of(&mut self, callee: &Signature, depth: Option<Expr>) -> Vec<Stmt> {
        let mut args = Args::default();
        let mut params = callee.params.iter().peekable();
        while let Some(p) = params.next() {
            let split = params
                .peek()
                .filter(|q| is_written_slice(p) && is_written_slice(q));
            if let Some(q) = split
                && self.rng.chance(80)
                && let Some((head, tail)) = self.halves(&args, p.min_len, q.min_len)
            {
                args.mutably.push(head.root);
                args.all.extend([Arg::Mut(head), Arg::Mut(tail)]);
                params.next();
                continue;
            }
            let arg = match p.mode {
                Mode::Owned => Arg::Value(self.value_arg(p, depth.clone())),
                Mode::Shared => Arg::Shared(self.reference_arg(p, &mut args)),
                Mode::Mut => Arg::Mut(self.reference_arg(p, &mut args)),
            };
            args.all.push(arg);
        }
        let result = match &callee.ret {
            // What has a shape of its own is not dropped.
            Some(ty) if !ty.has_static_shape() || self.rng.chance(92) => {
                Some(build::local(&mut self.func, "r", ty.clone()))
            }
            _ => None,
        };
        args.before
            .push(stmt(StmtKind::Call(call(result, &callee.name, args.all))));
        if let Some(result) = result {
            self.know_result(result);
        }
        args.before
    }

    fn value_arg(&mut self, p: &ParamSig, depth: Option<Expr>) -> Expr {
        match (&p.ty, depth) {
            (Ty::Int(_), Some(depth)) if p.depth => depth,
            (Ty::Int(_), _) if p.depth => usize(self.rng.below(3)),
            (Ty::Int(_), _) => self.natural_below(7),
            (ty @ Ty::Option(_), _) => self.something_or_nothing(ty),
            (ty, _) => {
                let same = self.some(|k| k.ty == *ty && k.min_len >= p.min_len);
                match same.filter(|_| self.rng.chance(40)) {
                    Some(k) => self.read(k.var),
                    None => self.new_value(ty, p.min_len),
                }
            }
        }
    }

    /// One list as two written halves.
    fn halves(&mut self, args: &Args, head: usize, tail: usize) -> Option<(Place, Place)> {
        let list = self.some(|k| {
            k.writable && is_list(&k.ty) && k.min_len >= head + tail && args.free(k.var)
        })?;
        let spare = list.min_len - head - tail;
        let mid = match self.rng.chance(50) {
            true => usize(head + self.rng.below(spare + 1)),
            false => build::add(usize(head), self.natural_below(spare + 1)),
        };
        let whole = self.whole(list.var);
        let at = |step: fn(Box<Expr>) -> Proj| whole.project(step(Box::new(mid.clone())), slice());
        Some((at(Proj::Head), at(Proj::Tail)))
    }

    /// A place for a reference parameter; a new variable where there is none.
    fn reference_arg(&mut self, p: &ParamSig, args: &mut Args) -> Place {
        let place = self.existing_arg(p, args).unwrap_or_else(|| {
            let ty = match &p.ty {
                Ty::Slice(t) => array((**t).clone(), p.min_len + self.rng.below(2)),
                ty => ty.clone(),
            };
            let value = self.new_value(&ty, p.min_len);
            let (var, declared) = self.declare("a", ty.clone(), Some(value));
            args.before.push(declared);
            let known = self.know(var, true);
            if let Ty::Vec(_) = ty {
                known.min_len = p.min_len;
            }
            self.whole(var)
        });
        match p.mode {
            Mode::Mut => args.mutably.push(place.root),
            _ => args.shared.push(place.root),
        }
        place
    }

    /// A place that is there for a reference parameter.
    fn existing_arg(&mut self, p: &ParamSig, args: &Args) -> Option<Place> {
        let write = p.mode == Mode::Mut;
        let usable = |k: &Known| {
            (holds_reals(k) || is_option(&k.ty) || !p.ty.carries_floats())
                && (k.writable || !write)
                && !args.mutably.contains(&k.var)
                && (!write || args.free(k.var))
        };
        match &p.ty {
            Ty::Float(_) => {
                let known = self.some(|k| usable(k) && holds_reals(k))?;
                Some(self.real_in(&known))
            }
            Ty::Slice(t) => {
                let rows =
                    |k: &Known| t.is_float() && is_grid(&k.ty) && row_len(&k.ty) >= p.min_len;
                let list = |k: &Known| k.ty.element() == Some(&**t) && k.min_len >= p.min_len;
                let known = self.some(|k| usable(k) && (rows(k) || list(k)))?;
                Some(match is_grid(&known.ty) {
                    true => self.row_of(&known).0,
                    false if self.rng.chance(35) => self.view_of(&known, p.min_len).0,
                    false => self.whole(known.var),
                })
            }
            Ty::Vec(_) => self.vec_arg(p, &usable),
            ty => {
                let fits = |k: &Known| !write || !is_option(&k.ty) || k.min_len == 0;
                let known = self.some(|k| usable(k) && k.ty == *ty && fits(k))?;
                Some(self.whole(known.var))
            }
        }
    }

    /// A `Vec`, or one that is an element of another. The callee may shorten it to the length that it relies
    /// on, no further.
    fn vec_arg(&mut self, p: &ParamSig, usable: &dyn Fn(&Known) -> bool) -> Option<Place> {
        let write = p.mode == Mode::Mut;
        let spanned = self.all(|k| write && self.is_spanned(k.var));
        let fits = |k: &Known| match write {
            true => k.min_len == p.min_len && spanned.iter().all(|s| s.var != k.var),
            false => k.min_len >= p.min_len,
        };
        let rows = |k: &Known| {
            let enough = p.min_len == 1 || p.min_len == 0 && !write;
            k.ty.element() == Some(&p.ty) && k.min_len > 0 && enough
        };
        let known = self.some(|k| usable(k) && (k.ty == p.ty && fits(k) || rows(k)))?;
        Some(match known.ty == p.ty {
            true => self.whole(known.var),
            false => self.row_of(&known).0,
        })
    }
}

/// The arguments drawn so far, and what they borrow.
#[derive(Default)]
struct Args {
    before: Vec<Stmt>,
    all: Vec<Arg>,
    mutably: Vec<VarId>,
    shared: Vec<VarId>,
}

impl Args {
    fn free(&self, var: VarId) -> bool {
        !self.mutably.contains(&var) && !self.shared.contains(&var)
    }
}

fn is_written_slice(p: &ParamSig) -> bool {
    p.ty == slice() && p.mode == Mode::Mut
}
