//! What the reverse sweep finds in the scope of the forward sweep, so that it is neither recorded nor restored.

use super::effects::Effects;
use crate::ir::{Expr, FloatTy, IntTy, Mode, Origin, Place, RecordId, Stmt, StmtKind, Ty, VarId};
use crate::passes::checkpoint::Callees;
use crate::passes::sets::set::VarSet;
use crate::plan::build::zero;
use crate::plan::{Plan, RecordKind};

/// The statements of the forward sweep, and those of the reverse sweep, which follows it in one scope.
pub struct Scope {
    pub forward: Vec<Stmt>,
    pub reverse: Vec<Stmt>,
}

impl Scope {
    /// Leaves locals where they are, and puts numbers that are recorded outside of inner loops into locals. `ret` is declared
    /// around the function. Returns whether there were any.
    pub fn share(&mut self, plan: &mut Plan, ret: Option<VarId>) -> bool {
        let before = self.records();
        self.share_locals(ret);
        for record in self.records() {
            self.put_into_local(record, plan);
        }
        self.records().len() < before.len()
    }

    /// Whether the reverse sweep gives the variable another value than it has behind the forward sweep.
    pub fn changes_behind(&self, v: VarId, callees: Callees<'_>) -> bool {
        Effects::of(&self.reverse, callees).written.contains(v)
    }

    /// The records that are made outside of inner loops.
    fn records(&self) -> Vec<RecordId> {
        let mut found = Vec::new();
        each_outside_of_loops(&self.forward, &mut |s| found.extend(recorded(s)));
        found.dedup();
        found
    }

    /// Locals of the function have their last values where the reverse sweep starts, which begins by declaring them again.
    fn share_locals(&mut self, ret: Option<VarId>) {
        let mut declared: VarSet = self.forward.iter().filter_map(Stmt::declared).collect();
        declared.extend(ret);
        let mut unneeded: Vec<RecordId> = Vec::new();
        let mut again = VarSet::default();
        self.reverse.retain(|s| match &s.kind {
            StmtKind::Let(v, _) if declared.contains(*v) => {
                again.insert(*v);
                false
            }
            StmtKind::Restore(record, place) if again.contains(place.root) => {
                let is_last = place.is_whole() && is_last_value(&self.forward, *record, place.root);
                if is_last {
                    unneeded.push(*record);
                }
                !is_last
            }
            _ => true,
        });
        self.forward
            .retain(|s| recorded(s).is_none_or(|record| !unneeded.contains(&record)));
    }

    /// Puts a number into a local instead of the record. Arms that make the record assign to it, for which it needs a value
    /// before, and so a type that has one.
    fn put_into_local(&mut self, record: RecordId, plan: &mut Plan) {
        let made_at = self.forward.iter().position(|s| makes(s, record));
        let (Some(ty), Some(at)) = (number(&plan.record(record).kind), made_at) else {
            return;
        };
        let stmt = &self.forward[at];
        let (id, value) = (stmt.id, recorded(stmt).and_then(|_| recorded_value(stmt)));
        let is_generic = matches!(ty, Ty::Float(FloatTy::Param(_)));
        if is_generic && value.is_none() {
            return;
        }
        let name = format!("value_{}", record.0);
        let blank = zero(&ty);
        let local = plan.func.add_var(&name, ty, Mode::Owned, Origin::Temp);
        let place = plan.func.place(local);
        if value.is_some() {
            self.forward[at].kind = StmtKind::Let(local, value);
        } else {
            replace_record(&mut self.forward[at], record, &place);
            let kind = StmtKind::Let(local, blank);
            self.forward.insert(at, Stmt { id, kind });
        }
        let declared: VarSet = self.forward.iter().filter_map(Stmt::declared).collect();
        for stmt in &mut self.reverse {
            replace_restore(stmt, record, &place, &declared);
        }
    }
}

/// Calls `f` on the statements and those of their arms.
fn each_outside_of_loops(stmts: &[Stmt], f: &mut dyn FnMut(&Stmt)) {
    for stmt in stmts {
        f(stmt);
        if !matches!(stmt.kind, StmtKind::Loop(..)) {
            stmt.blocks()
                .iter()
                .for_each(|b| each_outside_of_loops(&b.stmts, f));
        }
    }
}

fn recorded(stmt: &Stmt) -> Option<RecordId> {
    match stmt.kind {
        StmtKind::Record(record, _) | StmtKind::RecordControl(record, _) => Some(record),
        _ => None,
    }
}

fn recorded_value(stmt: &Stmt) -> Option<Expr> {
    match &stmt.kind {
        StmtKind::Record(_, place) => Some(Expr::Read(place.clone())),
        StmtKind::RecordControl(_, value) => Some(value.clone()),
        _ => None,
    }
}

/// Whether the statement makes the record, outside of inner loops.
fn makes(stmt: &Stmt, record: RecordId) -> bool {
    let mut makes = false;
    each_outside_of_loops(std::slice::from_ref(stmt), &mut |s| {
        makes |= recorded(s) == Some(record);
    });
    makes
}

/// Whether the record is of what the variable holds at the end of the block.
fn is_last_value(block: &[Stmt], record: RecordId, v: VarId) -> bool {
    let at = block.iter().position(|s| recorded(s) == Some(record));
    at.is_some_and(|at| {
        let mut written = false;
        Stmt::walk_all(&block[at..], &mut |s| {
            written |= s.written().iter().any(|p| p.root == v);
        });
        !written
    })
}

/// The type of a local that holds what is recorded, if it is a number of a certain type.
fn number(kind: &RecordKind) -> Option<Ty> {
    match kind {
        RecordKind::Value(ty) => {
            let is_certain = !matches!(ty, Ty::Float(FloatTy::Infer) | Ty::Int(IntTy::Infer));
            (ty.is_scalar() && is_certain).then(|| ty.clone())
        }
        RecordKind::Flag => Some(Ty::Bool),
        RecordKind::Label(_) => Some(Ty::Int(IntTy::U8)),
        RecordKind::Count => Some(Ty::USIZE),
    }
}

fn replace_record(stmt: &mut Stmt, record: RecordId, local: &Place) {
    if recorded(stmt) == Some(record)
        && let Some(value) = recorded_value(stmt)
    {
        stmt.kind = StmtKind::Assign(local.clone(), value);
    }
    for block in stmt.blocks_mut() {
        for inner in &mut block.stmts {
            replace_record(inner, record, local);
        }
    }
}

fn replace_restore(stmt: &mut Stmt, record: RecordId, local: &Place, declared: &VarSet) {
    let value = Expr::Read(local.clone());
    match &stmt.kind {
        StmtKind::Restore(r, place) if *r == record => {
            stmt.kind = StmtKind::Assign(place.clone(), value);
        }
        StmtKind::RestoreControl(r, v) if *r == record => {
            stmt.kind = match declared.contains(*v) {
                true => StmtKind::Assign(Place::var(*v, local.ty.clone()), value),
                false => StmtKind::Let(*v, Some(value)),
            };
        }
        _ => {}
    }
    for block in stmt.blocks_mut() {
        for inner in &mut block.stmts {
            replace_restore(inner, record, local, declared);
        }
    }
}
