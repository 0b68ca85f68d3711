//! The assignments to numbers that a statement makes at once: one, or those of the components of a small array or tuple.

use crate::ir::construct::{binary, usize_lit};
use crate::ir::{BinOp, Expr, Func, Place, Proj, Stmt, StmtKind, Ty};

/// Arrays of more elements are not taken apart.
const MOST_ELEMENTS: usize = 16;

/// The places and values, whose operands are read before any of the places is written; none, if the statement is another
/// one.
pub fn assignments(func: &Func, stmt: &Stmt) -> Option<Vec<(Place, Expr)>> {
    let mut all = Vec::new();
    match &stmt.kind {
        StmtKind::Let(v, Some(value)) => {
            components(&func.place(*v), value, &func.var(*v).ty, &mut all)?;
        }
        StmtKind::Assign(p, value) => components(p, value, &p.ty, &mut all)?,
        StmtKind::Incr(p, value) if p.ty.is_float() => {
            let before = Expr::Read(p.clone());
            all.push((p.clone(), binary(BinOp::Add, before, value.clone())));
        }
        _ => return None,
    }
    Some(all)
}

fn components(place: &Place, value: &Expr, ty: &Ty, all: &mut Vec<(Place, Expr)>) -> Option<()> {
    let is_scalar = ty.is_float() || matches!(ty, Ty::Int(_) | Ty::Bool);
    let tys: Vec<&Ty> = match ty {
        _ if is_scalar => {
            all.push((place.clone(), value.clone()));
            return Some(());
        }
        Ty::Array(element, count) => {
            let count = count.parse().ok().filter(|n| *n <= MOST_ELEMENTS)?;
            vec![&**element; count]
        }
        Ty::Tuple(tys) => tys.iter().collect(),
        _ => return None,
    };
    for (k, component) in tys.into_iter().enumerate() {
        let step = match ty {
            Ty::Tuple(_) => Proj::Field(k.to_string()),
            _ => Proj::Index(Box::new(usize_lit(k))),
        };
        let value = match value {
            Expr::Aggregate(values, _) => values.get(k)?.clone(),
            Expr::Repeat(value, ..) => (**value).clone(),
            Expr::Read(p) => Expr::Read(p.project(step.clone(), component.clone())),
            _ => return None,
        };
        let place = place.project(step, component.clone());
        components(&place, &value, component, all)?;
    }
    Some(())
}
