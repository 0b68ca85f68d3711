//! Calls of visible functions, replaced by their bodies: `[FLAT]` §7.1.
//!
//! A reference parameter is the place that is lent; any other variable of the callee is a new one.

use super::substitution::Substitution;
use crate::ir::construct::{derived, usize_lit};
use crate::ir::{
    Arg, Block, Call, Expr, FloatTy, Func, IntTy, LoopHead, Mode, Origin, Place, Proj, Stmt,
    StmtId, StmtKind, Ty, VarId,
};
use crate::passes::activity::Boundary;

/// Functions of more statements are inlined nowhere, and nothing more in functions that have so many.
const MOST_STATEMENTS: usize = 600;

/// Whether a call of this function is replaced.
type IsSelected<'s> = &'s dyn Fn(&Call, &Func) -> bool;

/// The function without the calls of functions that have a body for this; `origins` maps each statement id to the user's
/// statement.
pub fn inline(
    func: Func,
    boundary: &Boundary,
    origins: &mut Vec<StmtId>,
    is_selected: IsSelected<'_>,
) -> Func {
    let mut pass = Inline {
        func,
        boundary,
        is_selected,
        origins,
    };
    let mut body = std::mem::take(&mut pass.func.body);
    pass.block(&mut body);
    pass.func.body = body;
    pass.func
}

/// Whether calls of the function can be replaced: it consists of assignments, branches and counted loops of numbers, without code
/// and types that only rustc understands.
pub fn is_body(func: &Func) -> bool {
    let mut vars = func.vars.iter();
    let (mut all, mut count) = (vars.all(|var| is_of_numbers(&var.ty, var.mode)), 0);
    func.body.walk(&mut |s| {
        count += 1;
        all &= match &s.kind {
            StmtKind::Loop(head, _) => matches!(head, LoopHead::Counted(..)),
            StmtKind::Let(..)
            | StmtKind::Assign(..)
            | StmtKind::Incr(..)
            | StmtKind::Swap(..)
            | StmtKind::If(..)
            | StmtKind::Break => true,
            _ => false,
        };
        s.walk_exprs(&mut |e| {
            all &= match e {
                // A path may be relative to the function's own type.
                Expr::Code(..) | Expr::Is(..) | Expr::Variant(..) => false,
                Expr::Lit(_, ty) | Expr::Cast(_, ty) => is_of_numbers(ty, Mode::Owned),
                _ => true,
            };
        });
    });
    all && count <= MOST_STATEMENTS
}

/// Whether the type is the same in every function: numbers, and arrays and tuples of them; what is lent may be a struct.
fn is_of_numbers(ty: &Ty, mode: Mode) -> bool {
    match ty {
        Ty::Float(float) => matches!(float, FloatTy::F32 | FloatTy::F64),
        Ty::Int(int) => *int != IntTy::Infer,
        Ty::Array(element, extent) => {
            extent.parse::<usize>().is_ok() && is_of_numbers(element, mode)
        }
        Ty::Slice(element) | Ty::Vec(element) => is_of_numbers(element, mode),
        Ty::Tuple(parts) => parts.iter().all(|ty| is_of_numbers(ty, mode)),
        Ty::Named(_) => mode != Mode::Owned,
        ty => *ty == Ty::Bool,
    }
}

/// Gives arrays of a literal length that length, which may be code.
pub fn literal_counts(mut func: Func) -> Func {
    counts_in_block(&mut func.body);
    func
}

struct Inline<'a> {
    func: Func,
    boundary: &'a Boundary,
    is_selected: IsSelected<'a>,
    origins: &'a mut Vec<StmtId>,
}

impl Inline<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            stmt.blocks_mut().into_iter().for_each(|b| self.block(b));
            let body = match &stmt.kind {
                StmtKind::Call(call) => self.inlined(stmt.id, call),
                _ => None,
            };
            match body {
                Some(mut body) => block.stmts.append(&mut body),
                None => block.stmts.push(stmt),
            }
        }
    }

    /// The statements in the place of a call.
    fn inlined(&mut self, id: StmtId, call: &Call) -> Option<Vec<Stmt>> {
        let is_full = self.origins.len() > MOST_STATEMENTS;
        if is_full || self.boundary.inactive.contains(call, &self.func) {
            return None;
        }
        let callee = self.boundary.summary(call, &self.func)?.body.clone()?;
        let params = || callee.params.iter().zip(&call.args);
        if !(self.is_selected)(call, &callee)
            || !params().all(|(v, arg)| fits(&callee, *v, arg, call))
        {
            return None;
        }
        let (mut substitution, mut out) = (Substitution::default(), Vec::new());
        for (v, arg) in params() {
            match arg {
                Arg::Value(value) => {
                    let own = self.copy(&callee, *v, &mut substitution);
                    let value = match value {
                        // A literal without a type of its own has the parameter's.
                        Expr::Lit(text, _) => Expr::Lit(text.clone(), callee.var(*v).ty.clone()),
                        value => value.clone(),
                    };
                    let kind = StmtKind::Let(own, Some(value));
                    out.push(derived(self.origins, id, kind));
                }
                Arg::Shared(place) | Arg::Mut(place) => substitution.insert(*v, place),
            }
        }
        for v in callee.var_ids().filter(|v| !callee.params.contains(v)) {
            self.copy(&callee, v, &mut substitution);
        }
        let (stmts, value) = split_result(&callee);
        let ret = callee.ret.filter(|_| value.is_none());
        out.extend(ret.map(|ret| {
            let ret = substitution.var(ret);
            derived(self.origins, id, StmtKind::Let(ret, None))
        }));
        for stmt in stmts {
            let stmt = substitution.stmt(stmt);
            out.push(self.renumbered(id, stmt));
        }
        if let Some(result) = call.result {
            let value = value.cloned().map(|mut value| {
                substitution.expr(&mut value);
                value
            });
            let of_variable = || Some(Expr::Read(substitution.place(&callee.place(ret?))));
            let value = value.or_else(of_variable);
            out.push(derived(self.origins, id, StmtKind::Let(result, value)));
        }
        Some(out)
    }

    /// A new variable for one of the callee's.
    fn copy(&mut self, callee: &Func, v: VarId, substitution: &mut Substitution) -> VarId {
        let Place { root: of, ty, .. } = callee.place(v);
        // Emitted code declares variables of its own, such as `end`.
        let function = callee.name.rsplit(' ').next().unwrap_or_default();
        let variable = callee.var(of).name.trim_start_matches("r#");
        let name = format!("{function}_{variable}");
        let own = self.func.add_var(&name, ty, Mode::Owned, Origin::Temp);
        substitution.insert(v, &self.func.place(own));
        own
    }

    fn renumbered(&mut self, of: StmtId, mut stmt: Stmt) -> Stmt {
        for inner in stmt.blocks_mut() {
            let stmts = std::mem::take(&mut inner.stmts);
            inner.stmts = stmts.into_iter().map(|s| self.renumbered(of, s)).collect();
        }
        derived(self.origins, of, stmt.kind)
    }
}

/// Whether the argument can stand for the parameter: a place whose indices the call does not change, of the same type or used
/// by elements.
fn fits(callee: &Func, v: VarId, arg: &Arg, call: &Call) -> bool {
    let var = callee.var(v);
    let place = match (var.mode, arg) {
        (Mode::Owned, Arg::Value(_)) => return true,
        (Mode::Owned, _) | (_, Arg::Value(_)) => return false,
        (_, Arg::Shared(place) | Arg::Mut(place)) => place,
    };
    let mut indices = Vec::new();
    place.each_operand(&mut |e| indices.extend(e.reads()));
    let is_fixed = !call.written().any(|p| indices.contains(&p.root));
    is_fixed && (place.ty == var.ty || is_used_by_elements(callee, v))
}

/// Whether the function only uses elements and parts of the sequence, and its length.
fn is_used_by_elements(func: &Func, v: VarId) -> bool {
    let is_element =
        |p: &Place| p.root != v || matches!(p.proj.first(), Some(Proj::Index(_) | Proj::Range(..)));
    let mut all = matches!(func.var(v).ty, Ty::Slice(_));
    func.body.walk(&mut |s| {
        s.each_own_place(&mut |p| all &= is_element(p));
        s.walk_exprs(&mut |e| {
            let is_len = matches!(e, Expr::Len(_));
            let mut places = e.own_places().iter();
            all &= places.all(|p| (is_len && p.is_whole()) || is_element(p));
        });
    });
    all
}

/// The statements of a function, and the result's value, if its last statement alone assigns that.
fn split_result(func: &Func) -> (&[Stmt], Option<&Expr>) {
    let all = &func.body.stmts[..];
    if let [stmts @ .., last] = all
        && let StmtKind::Assign(p, value) = &last.kind
        && p.is_whole()
        && func.ret == Some(p.root)
        && Stmt::mentions(all, p.root) == 1
    {
        return (stmts, Some(value));
    }
    (all, None)
}

fn counts_in_block(block: &mut Block) {
    for stmt in &mut block.stmts {
        stmt.operands_mut().into_iter().for_each(counts_in);
        stmt.blocks_mut().into_iter().for_each(counts_in_block);
    }
}

fn counts_in(e: &mut Expr) {
    if let Expr::Repeat(_, count, Ty::Array(_, length)) = e
        && let Ok(length) = length.parse()
    {
        **count = usize_lit(length);
    }
    e.children_mut().into_iter().for_each(counts_in);
}
