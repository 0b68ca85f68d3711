//! Makes a failing program small enough to read.
//!
//! Greedy: tries one reduction after another and keeps those after which the program is still
//! valid and still fails.

use std::collections::BTreeMap;

use super::build::{real, renumber, stmt, usize};
use super::campaign::Failure;
use super::oracle::{self, Planner};
use super::{Bounds, Program, excess, wellformed};
use crate::interp::Value;
use crate::ir::{Arg, Block, Call, Expr, Func, LoopHead, Place, StmtId, StmtKind, Ty, VarId};

/// How many reductions are tried at most.
const TRIES: usize = 20_000;

/// One reduction.
#[derive(Clone, Debug)]
enum Edit {
    DropFunc(String),
    /// The statements of a block, counted in textual order, from one, so many.
    Remove(String, usize, usize, usize),
    /// A statement by one of its blocks.
    Inline(String, usize, usize, usize),
    /// An expression, counted in textual order, by one of its operands or a literal.
    Simplify(String, usize, usize),
    /// Removes the snapshots of a loop.
    DropCheckpoint(String, StmtId),
    ShortenInput(usize),
}

/// The smallest program found for which `fails` holds.
pub fn shrink(program: &Program, fails: &dyn Fn(&Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut all = edits(&best);
    let (mut at, mut progress) = (0, false);
    for _ in 0..TRIES {
        if at >= all.len() {
            if !progress {
                break;
            }
            (at, progress) = (0, false);
            all = edits(&best);
            continue;
        }
        match apply(&best, &all[at]) {
            Some(next) if valid(&next) && fails(&next) => {
                best = next;
                progress = true;
                all = edits(&best);
            }
            _ => at += 1,
        }
    }
    best
}

/// A smaller program with a fault of the same kind.
pub fn shrink_failure(failure: &Failure, planner: &Planner<'_>) -> Failure {
    let fault = |p: &Program| oracle::judge(p, planner, failure.seed).err();
    let same = |p: &Program| fault(p).is_some_and(|f| f.is_like(&failure.fault));
    let program = shrink(&failure.program, &same);
    let fault = fault(&program).unwrap_or_else(|| failure.fault.clone());
    Failure {
        seed: failure.seed,
        program,
        fault,
    }
}

/// Whether the program is well formed and runs within the usual bounds.
fn valid(program: &Program) -> bool {
    program
        .module
        .funcs
        .values()
        .all(|f| wellformed::check(f).is_ok())
        && excess(program, 1, &Bounds::default()) == Ok(false)
}

/// All reductions, the large ones first.
fn edits(program: &Program) -> Vec<Edit> {
    let mut all = Vec::new();
    let names = || {
        program
            .module
            .funcs
            .keys()
            .filter(|name| **name != program.entry)
    };
    all.extend(names().cloned().map(Edit::DropFunc));
    for (name, func) in &program.module.funcs {
        let mut at = 0;
        each_block(&func.body, &mut |block| {
            let n = block.stmts.len();
            let mut size = n;
            while size > 0 {
                let starts = (0..=n - size).step_by(size);
                all.extend(starts.map(|i| Edit::Remove(name.clone(), at, i, size)));
                size /= 2;
            }
            for (i, stmt) in block.stmts.iter().enumerate() {
                let arms = 0..stmt.blocks().len();
                all.extend(arms.map(|arm| Edit::Inline(name.clone(), at, i, arm)));
            }
            at += 1;
        });
    }
    for (name, func) in &program.module.funcs {
        let mut copy = func.clone();
        let mut at = 0;
        each_expr(&mut copy.body, &mut |e| {
            let choices = simpler(e).len();
            all.extend((0..choices).map(|choice| Edit::Simplify(name.clone(), at, choice)));
            at += 1;
        });
    }
    for (name, func) in &program.module.funcs {
        let loops = func.checkpoints.keys();
        all.extend(loops.map(|id| Edit::DropCheckpoint(name.clone(), *id)));
    }
    let lists = program.inputs.iter().enumerate();
    all.extend(
        lists
            .filter(|(_, v)| matches!(v, Value::List(_)))
            .map(|(i, _)| Edit::ShortenInput(i)),
    );
    all
}

fn apply(program: &Program, edit: &Edit) -> Option<Program> {
    let mut next = program.clone();
    match edit {
        Edit::DropFunc(name) => {
            next.module.funcs.remove(name)?;
        }
        Edit::Remove(name, block, from, count) => {
            let func = next.module.funcs.get_mut(name)?;
            let block = nth_block(&mut func.body, &mut block.clone())?;
            block.stmts.drain(from..&(from + count));
            tidy(func);
        }
        Edit::Inline(name, block, at, arm) => {
            let func = next.module.funcs.get_mut(name)?;
            let block = nth_block(&mut func.body, &mut block.clone())?;
            inline(block, *at, *arm)?;
            tidy(func);
        }
        Edit::Simplify(name, at, choice) => {
            let func = next.module.funcs.get_mut(name)?;
            let mut count = 0;
            each_expr(&mut func.body, &mut |e| {
                if count == *at
                    && let Some(simple) = simpler(e).into_iter().nth(*choice)
                {
                    *e = simple;
                }
                count += 1;
            });
            tidy(func);
        }
        Edit::DropCheckpoint(name, id) => {
            let func = next.module.funcs.get_mut(name)?;
            func.checkpoints.remove(id);
        }
        Edit::ShortenInput(i) => {
            let Value::List(values) = next.inputs.get_mut(*i)? else {
                return None;
            };
            values.pop()?;
        }
    }
    (next != *program).then_some(next)
}

/// Replaces a statement by the statements of one of its blocks.
fn inline(block: &mut Block, at: usize, arm: usize) -> Option<()> {
    let old = block.stmts.get(at)?;
    let mut new = old.blocks().get(arm)?.stmts.clone();
    if let StmtKind::Loop(LoopHead::Counted(index, range), _) = &old.kind {
        new.insert(0, stmt(StmtKind::Let(*index, Some(range.lo.clone()))));
    }
    block.stmts.splice(at..=at, new);
    Some(())
}

/// What can stand for an expression: operands of the same type, and literals.
fn simpler(e: &Expr) -> Vec<Expr> {
    let Some(ty) = type_of(e) else {
        return Vec::new();
    };
    if matches!(e, Expr::Lit(..)) {
        return Vec::new();
    }
    let literals = match ty {
        Ty::Float(_) => vec![real(1.0), real(0.5)],
        Ty::USIZE => vec![usize(0), usize(1)],
        Ty::Bool => vec![flag(true), flag(false)],
        _ => Vec::new(),
    };
    let operands = e
        .children()
        .into_iter()
        .filter(|c| type_of(c).as_ref() == Some(&ty))
        .cloned();
    let all = literals.into_iter().chain(operands);
    all.filter(|simple| simple != e).collect()
}

fn flag(value: bool) -> Expr {
    Expr::Lit(value.to_string(), Ty::Bool)
}

/// The type of an expression as the generator writes it.
fn type_of(e: &Expr) -> Option<Ty> {
    match e {
        Expr::Lit(_, ty)
        | Expr::Cast(_, ty)
        | Expr::Discrete(_, _, ty)
        | Expr::Select(_, ty)
        | Expr::Aggregate(_, ty)
        | Expr::Repeat(_, _, ty)
        | Expr::Variant(_, _, ty)
        | Expr::Code(_, _, ty) => Some(ty.clone()),
        Expr::Read(place) | Expr::ZeroLike(place) => Some(place.ty.clone()),
        Expr::Is(..) => Some(Ty::Bool),
        Expr::Unary(_, a) | Expr::Preaccumulated(a, _) => type_of(a),
        Expr::Binary(op, ..) if op.is_comparison() => Some(Ty::Bool),
        Expr::Binary(_, a, _) => type_of(a),
        Expr::Intrinsic(..) | Expr::Partial(..) | Expr::Scale(..) => Some(Ty::F64),
        Expr::Len(_) => Some(Ty::USIZE),
    }
}

fn each_block(block: &Block, f: &mut dyn FnMut(&Block)) {
    f(block);
    for stmt in &block.stmts {
        stmt.blocks().into_iter().for_each(|b| each_block(b, f));
    }
}

fn nth_block<'b>(block: &'b mut Block, left: &mut usize) -> Option<&'b mut Block> {
    if *left == 0 {
        return Some(block);
    }
    *left -= 1;
    let mut inner = block
        .stmts
        .iter_mut()
        .flat_map(|stmt| blocks_mut(&mut stmt.kind));
    inner.find_map(|b| nth_block(b, left))
}

fn blocks_mut(kind: &mut StmtKind) -> Vec<&mut Block> {
    match kind {
        StmtKind::If(_, yes, no) => vec![yes, no],
        StmtKind::Loop(_, body) => vec![body],
        _ => Vec::new(),
    }
}

/// Calls `f` on every expression, outer ones first.
fn each_expr(block: &mut Block, f: &mut dyn FnMut(&mut Expr)) {
    fn descend(e: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
        f(e);
        e.children_mut()
            .into_iter()
            .for_each(|child| descend(child, f));
    }
    for stmt in &mut block.stmts {
        operands_mut(&mut stmt.kind)
            .into_iter()
            .for_each(|e| descend(e, f));
        blocks_mut(&mut stmt.kind)
            .into_iter()
            .for_each(|b| each_expr(b, f));
    }
}

fn operands_mut(kind: &mut StmtKind) -> Vec<&mut Expr> {
    match kind {
        StmtKind::Let(_, init) => init.iter_mut().collect(),
        StmtKind::Assign(place, e) | StmtKind::Incr(place, e) => {
            place.operands_mut().into_iter().chain([e]).collect()
        }
        StmtKind::Swap(a, b) => [a.operands_mut(), b.operands_mut()]
            .into_iter()
            .flatten()
            .collect(),
        StmtKind::Insert(place, at, e) => place
            .operands_mut()
            .into_iter()
            .chain(at)
            .chain([e])
            .collect(),
        StmtKind::Remove(_, place, at) => place.operands_mut().into_iter().chain(at).collect(),
        StmtKind::Call(call) => call.args.iter_mut().flat_map(arg_operands_mut).collect(),
        StmtKind::If(condition, ..) | StmtKind::Loop(LoopHead::While(condition), _) => {
            vec![condition]
        }
        StmtKind::Loop(LoopHead::Counted(_, range), _) => range.operands_mut(),
        _ => Vec::new(),
    }
}

fn arg_operands_mut(arg: &mut Arg) -> Vec<&mut Expr> {
    match arg {
        Arg::Value(e) => vec![e],
        Arg::Shared(place) | Arg::Mut(place) => place.operands_mut(),
    }
}

/// Numbers the statements anew and drops the variables that nothing names.
fn tidy(func: &mut Func) {
    renumber(func);
    let mut used: BTreeMap<VarId, VarId> = BTreeMap::new();
    each_var(func, &mut |v| {
        used.insert(*v, *v);
    });
    for (i, new) in used.values_mut().enumerate() {
        *new = VarId(i as u32);
    }
    each_var(func, &mut |v| *v = used[v]);
    let mut id = 0;
    func.vars.retain(|_| {
        id += 1;
        used.contains_key(&VarId(id - 1))
    });
}

/// Calls `f` on every mention of a variable.
fn each_var(func: &mut Func, f: &mut dyn FnMut(&mut VarId)) {
    func.params
        .iter_mut()
        .chain(&mut func.ret)
        .for_each(&mut *f);
    each_stmt(&mut func.body, &mut |kind| match kind {
        StmtKind::Let(var, _) | StmtKind::Loop(LoopHead::Counted(var, _), _) => f(var),
        StmtKind::Assign(place, _) | StmtKind::Incr(place, _) => f(&mut place.root),
        StmtKind::Swap(a, b) => [a, b].into_iter().for_each(|p| f(&mut p.root)),
        StmtKind::Insert(place, ..) => f(&mut place.root),
        StmtKind::Remove(var, place, _) => {
            var.iter_mut().for_each(&mut *f);
            f(&mut place.root);
        }
        StmtKind::Call(Call { result, args, .. }) => {
            result.iter_mut().for_each(&mut *f);
            args.iter_mut()
                .filter_map(arg_place)
                .for_each(|p| f(&mut p.root));
        }
        _ => {}
    });
    each_expr(&mut func.body, &mut |e| match e {
        Expr::Read(place) | Expr::Len(place) | Expr::Is(place, _) => f(&mut place.root),
        Expr::Code(_, places, _) => places.iter_mut().for_each(|p| f(&mut p.root)),
        _ => {}
    });
}

fn arg_place(arg: &mut Arg) -> Option<&mut Place> {
    match arg {
        Arg::Value(_) => None,
        Arg::Shared(place) | Arg::Mut(place) => Some(place),
    }
}

fn each_stmt(block: &mut Block, f: &mut dyn FnMut(&mut StmtKind)) {
    for stmt in &mut block.stmts {
        f(&mut stmt.kind);
        blocks_mut(&mut stmt.kind)
            .into_iter()
            .for_each(|b| each_stmt(b, f));
    }
}
