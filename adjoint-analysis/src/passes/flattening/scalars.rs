//! Scalar replacement: arrays of a few elements that are only used by literal indices become variables.
//!
//! The analyses know an array as one cell. As variables of their own, its elements are active, recorded and overwritten one
//! by one.

use std::collections::BTreeMap;

use crate::ir::construct::{derived, usize_lit};
use crate::ir::{Block, Expr, Func, Mode, Origin, Place, Proj, StmtId, StmtKind, Ty, VarId};
use crate::passes::sets::set::VarSet;

/// Arrays of more elements stay as they are.
const MOST_ELEMENTS: usize = 16;

/// The function without these arrays; `origins` maps each statement id to the user's statement.
pub fn replace(mut func: Func, origins: &mut Vec<StmtId>) -> Func {
    // Elements may be arrays themselves.
    loop {
        let arrays = arrays(&func);
        if arrays.is_empty() {
            return func;
        }
        let mut elements = BTreeMap::new();
        for v in arrays.iter() {
            let var = func.var(v).clone();
            if let Some((element, count)) = extent(&var.ty) {
                let (element, count) = (element.clone(), count);
                let own = (0..count).map(|k| {
                    // Emitted code declares variables with numbers of their own.
                    let name = format!("{}_at_{k}", var.name);
                    func.add_var(&name, element.clone(), Mode::Owned, var.origin)
                });
                elements.insert(v, own.collect());
            }
        }
        let mut body = std::mem::take(&mut func.body);
        let mut pass = Scalars {
            func: &mut func,
            elements,
            origins,
        };
        pass.block(&mut body);
        func.body = body;
    }
}

/// The element type and the number of elements, if these are few.
fn extent(ty: &Ty) -> Option<(&Ty, usize)> {
    match ty {
        Ty::Array(element, count) if element.has_static_shape() => {
            let count = count.parse().ok().filter(|n| *n <= MOST_ELEMENTS)?;
            Some((element, count))
        }
        _ => None,
    }
}

/// The own arrays that are used by literal indices, and set as a whole by values that are written out or in other places.
fn arrays(func: &Func) -> VarSet {
    let is_own = |v: &VarId| {
        let var = func.var(*v);
        let is_local = matches!(var.origin, Origin::Local | Origin::Temp);
        is_local
            && var.mode == Mode::Owned
            && extent(&var.ty).is_some()
            && var.ty.holds_only_reals()
    };
    let mut found = Found {
        func,
        arrays: func.var_ids().filter(is_own).collect(),
    };
    let mut declared = VarSet::default();
    func.body.walk(&mut |s| {
        declared.extend(s.all_declared());
        match &s.kind {
            StmtKind::Let(_, None) => {}
            StmtKind::Let(_, Some(value)) if is_written_out(value, func) => {}
            StmtKind::Assign(p, value) if p.is_whole() && is_written_out(value, func) => {}
            _ => {
                s.declared().iter().for_each(|v| found.drop(*v));
                s.each_own_place(&mut |p| found.see(p));
            }
        }
        // An argument of a call is a variable, with an adjoint for what the callee gives back.
        let is_call = matches!(s.kind, StmtKind::Call(_));
        s.walk_exprs(&mut |e| {
            if is_call || !matches!(e, Expr::Read(p) if p.is_whole()) {
                e.own_places().iter().for_each(|p| found.see(p));
            }
        });
    });
    let arrays = found.arrays;
    arrays.iter().filter(|v| declared.contains(*v)).collect()
}

/// The arrays found so far.
struct Found<'f> {
    func: &'f Func,
    arrays: VarSet,
}

impl Found<'_> {
    fn drop(&mut self, v: VarId) {
        self.arrays.remove(v);
    }

    /// Drops the array of a place that is not in an element with a literal index.
    fn see(&mut self, place: &Place) {
        let index = match place.proj.first() {
            Some(Proj::Index(e)) => literal(e),
            _ => None,
        };
        let (_, count) = extent(&self.func.var(place.root).ty).unwrap_or((&Ty::Unit, 0));
        if index.is_none_or(|k| k >= count) {
            self.drop(place.root);
        }
    }
}

/// Whether each element is written out, or in another array of the type.
fn is_written_out(e: &Expr, func: &Func) -> bool {
    match (e, extent(&e.ty(func))) {
        (Expr::Aggregate(parts, _), Some((_, count))) => parts.len() == count,
        (Expr::Read(_), Some(_)) => true,
        (Expr::Repeat(value, ..), Some(_)) => matches!(**value, Expr::Lit(..)),
        _ => false,
    }
}

fn literal(e: &Expr) -> Option<usize> {
    match e {
        Expr::Lit(text, Ty::Int(_)) => text.parse().ok(),
        _ => None,
    }
}

struct Scalars<'a> {
    func: &'a mut Func,
    elements: BTreeMap<VarId, Vec<VarId>>,
    origins: &'a mut Vec<StmtId>,
}

impl Scalars<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            stmt.operands_mut().into_iter().for_each(|e| self.expr(e));
            stmt.own_places_mut()
                .into_iter()
                .for_each(|p| self.place(p));
            stmt.blocks_mut().into_iter().for_each(|b| self.block(b));
            match &stmt.kind {
                StmtKind::Let(v, value) if self.elements.contains_key(v) => {
                    self.declare(stmt.id, *v, value.as_ref(), block);
                }
                StmtKind::Assign(p, value) if self.elements.contains_key(&p.root) => {
                    self.assign(stmt.id, p.root, value, block);
                }
                _ => block.stmts.push(stmt),
            }
        }
    }

    fn declare(&mut self, id: StmtId, v: VarId, value: Option<&Expr>, block: &mut Block) {
        for (k, element) in self.elements[&v].iter().enumerate() {
            let value = value.map(|value| component(value, k));
            let kind = StmtKind::Let(*element, value);
            block.stmts.push(derived(self.origins, id, kind));
        }
    }

    /// Assigns to all elements; their new values may depend on the old ones.
    fn assign(&mut self, id: StmtId, v: VarId, value: &Expr, block: &mut Block) {
        let elements = self.elements[&v].clone();
        let is_free = elements.iter().all(|element| {
            let mut reads = value.reads().into_iter();
            !reads.any(|read| read == *element)
        });
        let mut values: Vec<Expr> = (0..elements.len()).map(|k| component(value, k)).collect();
        if !is_free {
            for (element, value) in elements.iter().zip(&mut values) {
                let var = self.func.var(*element).clone();
                let new = self
                    .func
                    .add_var(&var.name, var.ty, Mode::Owned, Origin::Temp);
                let read = Expr::Read(self.func.place(new));
                let kind = StmtKind::Let(new, Some(std::mem::replace(value, read)));
                block.stmts.push(derived(self.origins, id, kind));
            }
        }
        for (element, value) in elements.iter().zip(values) {
            let kind = StmtKind::Assign(self.func.place(*element), value);
            block.stmts.push(derived(self.origins, id, kind));
        }
    }

    fn expr(&self, e: &mut Expr) {
        if let Expr::Read(p) = e
            && p.is_whole()
            && let Some(elements) = self.elements.get(&p.root)
        {
            let read = |v: &VarId| Expr::Read(self.func.place(*v));
            *e = Expr::Aggregate(elements.iter().map(read).collect(), p.ty.clone());
            return;
        }
        e.children_mut().into_iter().for_each(|e| self.expr(e));
        e.own_places_mut().iter_mut().for_each(|p| self.place(p));
    }

    fn place(&self, place: &mut Place) {
        let Some(elements) = self.elements.get(&place.root) else {
            return;
        };
        if let Some(Proj::Index(e)) = place.proj.first()
            && let Some(element) = literal(e).and_then(|k| elements.get(k))
        {
            place.root = *element;
            place.proj.remove(0);
        }
    }
}

/// The element of a value that is written out.
fn component(value: &Expr, k: usize) -> Expr {
    match value {
        Expr::Aggregate(parts, _) => parts[k].clone(),
        Expr::Repeat(value, ..) => (**value).clone(),
        Expr::Read(p) => match &p.ty {
            Ty::Array(element, _) => Expr::Read(p.index(usize_lit(k), (**element).clone())),
            _ => value.clone(),
        },
        _ => value.clone(),
    }
}
