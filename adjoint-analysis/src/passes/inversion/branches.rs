//! What a branch leaves in integers, as a definition of G_A: `if c { v = a } else { v = b }` is `v = select(c, a, b)`,
//! which loses bits, but can be evaluated again.

use std::collections::BTreeMap;

use super::graph::{each_write, is_integer};
use crate::ir::{Block, Expr, Func, StmtKind, VarId};
use crate::passes::control::trips::leaves;

/// The values of integers at a point of an arm, in terms of what variables hold before the branch; `None`: unknown.
type Values = BTreeMap<VarId, Option<Expr>>;

/// The integers that a branch without `break` writes, in terms of what variables hold before it.
pub fn behind_branch(func: &Func, test: &Expr, arms: [&Block; 2]) -> Vec<(VarId, Expr)> {
    let mut values = Values::new();
    branch(func, test, arms, &mut values);
    let known = values.into_iter().filter_map(|(v, e)| Some((v, e?)));
    known.collect()
}

fn branch(func: &Func, test: &Expr, arms: [&Block; 2], values: &mut Values) {
    let condition = value(func, test, values);
    let is_left = arms.iter().any(|arm| leaves(arm));
    let ends = arms.map(|arm| {
        let mut end = values.clone();
        block(func, arm, &mut end);
        end
    });
    let written = ends[0].keys().chain(ends[1].keys());
    for v in written.copied().collect::<Vec<_>>() {
        let sides = ends.each_ref().map(|end| read(func, v, end));
        let selected = match (&condition, sides) {
            _ if is_left => None,
            (_, [Some(a), Some(b)]) if a == b => Some(a),
            (Some(c), [Some(a), Some(b)]) => {
                let ty = func.var(v).ty.clone();
                Some(Expr::Select(Box::new([c.clone(), a, b]), ty))
            }
            _ => None,
        };
        values.insert(v, selected);
    }
}

fn block(func: &Func, block: &Block, values: &mut Values) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Let(v, Some(e)) => {
                let value = value(func, e, values).filter(|_| is_integer(func, *v));
                values.insert(*v, value);
            }
            StmtKind::Assign(p, e) if p.is_whole() => {
                let value = value(func, e, values).filter(|_| is_integer(func, p.root));
                values.insert(p.root, value);
            }
            StmtKind::If(test, then, els) => branch(func, test, [then, els], values),
            _ => each_write(stmt, &mut |v| {
                values.insert(v, None);
            }),
        }
    }
}

fn read(func: &Func, v: VarId, values: &Values) -> Option<Expr> {
    let before = || Some(Expr::Read(func.place(v)));
    values.get(&v).cloned().unwrap_or_else(before)
}

/// The expression in terms of what variables hold before the branch.
fn value(func: &Func, e: &Expr, values: &Values) -> Option<Expr> {
    if let Expr::Read(p) = e
        && p.is_whole()
    {
        return read(func, p.root, values);
    }
    if e.own_places().iter().any(|p| values.contains_key(&p.root)) {
        return None;
    }
    let mut e = e.clone();
    for child in e.children_mut() {
        *child = value(func, child, values)?;
    }
    Some(e)
}
