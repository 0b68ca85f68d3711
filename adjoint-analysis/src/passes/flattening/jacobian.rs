//! The Jacobian of a function without loops and calls, by the local Jacobians of its runs.
//!
//! **Problem.** A Jacobian in rows takes a reverse sweep for each row, which makes the partials anew. Here each run's local
//! Jacobian is accumulated once, where the run is, and the rows pass through these:
//!
//! ```text
//! forward   for each run k: its statements, its partials, J_k by elimination ([`super::order`])
//! reverse   for each run k from the last one, for each row ȳ: x̄ += J_kᵀ ȳ
//! ```
//!
//! The arm of a branch that was taken is in a variable, and so are the entries of the J_k, since nothing runs twice.
//! Adjoints that are 0 or 1 by construction are known as such: most rows begin with one 1.
//!
//! Reals are at static places: variables, their fields, and elements by literal indices. So no use is ambiguous.

mod forward;
mod reverse;
mod values;

use std::collections::BTreeMap;

use self::values::Adjoint;
use super::inline::inline;
use super::runs::Mentions;
use super::unroll::{Limits, unroll};
use crate::ir::construct::usize_lit;
use crate::ir::{Block, Expr, Func, Mode, Place, Proj, Stmt, StmtId, Ty, VarId};
use crate::passes::activity::{Activity, Boundary, activity};
use crate::passes::sets::set::VarSet;

/// Above this number of rows times vertices, nothing is tried.
const MOST_PRODUCTS: usize = 2_000;

/// Functions of more statements are left to the sweeps.
const MOST_STATEMENTS: usize = 600;

/// Loops of more iterations, or that become more statements, are left to the sweeps.
const LIMITS: Limits = Limits {
    iterations: MOST_STATEMENTS,
    statements: MOST_STATEMENTS,
};

/// Functions with more variables than this are left to the sweeps: rustc's recursion on the scopes of variables goes deep.
const MOST_VARIABLES: usize = 1_000;

/// A function that computes the value and the Jacobian.
#[derive(Clone, PartialEq, Debug)]
pub struct DirectJacobian {
    /// The function's variables, and new ones; its body runs the function and computes the entries.
    pub func: Func,
    /// The entries that are not 0 by construction.
    pub entries: Vec<Entry>,
    /// The number of rows: the reals of the dependents.
    pub rows: usize,
}

/// An entry.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// The position of the output among the reals of the returned value and of the `&mut` parameters.
    pub row: usize,
    /// The position of the parameter that the input is in.
    pub param: usize,
    /// The position of the input among the parameter's reals.
    pub index: usize,
    /// Its value behind the body.
    pub value: Expr,
}

/// The Jacobian of a function, if it can be computed in this way.
pub fn direct(func: &Func, statements: usize, boundary: &Boundary) -> Option<DirectJacobian> {
    let outputs = outputs(func, &boundary.dependents)?;
    let mut origins = (0..statements as u32).map(StmtId).collect();
    let func = inline(func.clone(), boundary, &mut origins, &|_, _| true);
    let func = unroll(func, &mut origins, LIMITS);
    if origins.len() > MOST_STATEMENTS {
        return None;
    }
    let activity = activity(&func, boundary, origins.len(), true);
    let variables = func.vars.len();
    let mut are_plain = true;
    func.body.walk(&mut |s| {
        s.each_named_var(&mut |v| are_plain &= is_plain(&func.var(v).ty));
    });
    if !are_plain || !func.params.iter().all(|v| is_plain_param(&func, *v)) {
        return None;
    }
    let body = func.body.clone();
    let mut pass = Direct {
        mentions: Mentions::of(&func),
        func,
        activity: &activity,
        declared: Vec::new(),
        budget: MOST_PRODUCTS / outputs.len().max(1),
    };
    let mut out = Vec::new();
    let pieces = pass.forward(&body, false, &mut out)?;
    let unit = |place: &Place| Adjoints::from([(key(place)?, Adjoint::One)]).into();
    let rows: Option<Vec<Adjoints>> = outputs.iter().map(unit).collect();
    let mut rows = rows?;
    pass.reverse(&pieces, &mut rows, &mut out);
    if pass.func.vars.len() > variables + MOST_VARIABLES {
        return None;
    }
    let mut entries = Vec::new();
    for (row, adjoints) in rows.iter().enumerate() {
        for (key, adjoint) in adjoints {
            if boundary.independents.contains(key.0) {
                let (param, index) = input(&pass.func, key)?;
                let value = pass.value(adjoint);
                entries.push(Entry {
                    row,
                    param,
                    index,
                    value,
                });
            }
        }
    }
    let mut stmts = std::mem::take(&mut pass.declared);
    stmts.append(&mut out);
    pass.func.body = Block::new(stmts);
    Some(DirectJacobian {
        func: pass.func,
        entries,
        rows: outputs.len(),
    })
}

/// The reals of the dependents: of the returned value, then of `&mut` parameters.
fn outputs(func: &Func, dependents: &VarSet) -> Option<Vec<Place>> {
    let lent = func
        .params
        .iter()
        .filter(|v| func.var(**v).mode == Mode::Mut);
    let all = func.ret.iter().chain(lent);
    let mut outputs = Vec::new();
    for v in all.filter(|v| dependents.contains(**v)) {
        outputs.append(&mut reals(&func.place(*v))?);
    }
    Some(outputs)
}

/// The reals at a place, if their number is known.
fn reals(place: &Place) -> Option<Vec<Place>> {
    match &place.ty {
        Ty::Array(element, count) if **element == Ty::F64 => {
            let count: usize = count.parse().ok()?;
            let element = |k| place.index(usize_lit(k), Ty::F64);
            Some((0..count).map(element).collect())
        }
        Ty::Tuple(all) if all.iter().all(|ty| *ty == Ty::F64) => {
            let field = |k: usize| place.project(Proj::Field(k.to_string()), Ty::F64);
            Some((0..all.len()).map(field).collect())
        }
        ty if *ty == Ty::F64 => Some(vec![place.clone()]),
        ty if !ty.carries_floats() => Some(Vec::new()),
        _ => None,
    }
}

/// Whether the parameter holds discrete values, a real or a sequence of reals; one that is lent has a known length.
fn is_plain_param(func: &Func, v: VarId) -> bool {
    let var = func.var(v);
    match &var.ty {
        Ty::Slice(element) => **element == Ty::F64 && var.mode != Mode::Mut,
        Ty::Tuple(_) => false,
        _ => reals(&func.place(v)).is_some(),
    }
}

/// Whether values of the type are `f64`s, integers, truth values, or arrays and tuples of them.
fn is_plain(ty: &Ty) -> bool {
    match ty {
        Ty::Array(element, _) | Ty::Slice(element) => is_plain(element),
        Ty::Tuple(all) => all.iter().all(is_plain),
        ty => *ty == Ty::F64 || matches!(ty, Ty::Int(_) | Ty::Bool),
    }
}

/// Whether the types of all that the statement reads are known.
fn reads_plain_values(stmt: &Stmt) -> bool {
    let mut all = true;
    stmt.walk_exprs(&mut |e| {
        if let Expr::Read(p) = e {
            all &= is_plain(&p.ty);
        }
    });
    all
}

/// A static place.
type Key = (VarId, Vec<String>);

/// The key of a place, if that is static.
fn key(place: &Place) -> Option<Key> {
    let step = |proj: &Proj| match proj {
        Proj::Field(name) => Some(name.clone()),
        Proj::Index(e) => match &**e {
            Expr::Lit(text, _) => Some(format!("[{text}]")),
            _ => None,
        },
        _ => None,
    };
    let steps: Option<Vec<String>> = place.proj.iter().map(step).collect();
    Some((place.root, steps?))
}

/// The position of a parameter, and that of a real in it.
fn input(func: &Func, (v, steps): &Key) -> Option<(usize, usize)> {
    let param = func.params.iter().position(|param| param == v)?;
    let index = match &steps[..] {
        [] => 0,
        [step] => step.strip_prefix('[')?.strip_suffix(']')?.parse().ok()?,
        _ => return None,
    };
    Some((param, index))
}

type Adjoints = BTreeMap<Key, Adjoint>;

/// What the rows pass through.
enum Piece {
    Run {
        /// What the run assigns.
        assigned: Vec<Key>,
        /// The local Jacobian: inputs, outputs, values.
        entries: Vec<(Key, Key, Adjoint)>,
    },
    Branch {
        /// Whether the first arm was taken.
        taken: VarId,
        arms: [Vec<Piece>; 2],
    },
}

struct Direct<'a> {
    func: Func,
    mentions: Mentions,
    activity: &'a Activity,
    /// What is declared in front of the body.
    declared: Vec<Stmt>,
    /// How many vertices there may be more.
    budget: usize,
}
