//! What statements read, write and increment.

use crate::ir::{AdjArg, Arg, Expr, Func, LoopHead, Place, Stmt, StmtKind};
use crate::passes::checkpoint::Callees;
use crate::passes::sets::names::declared_inside;
use crate::passes::sets::set::VarSet;

/// What a statement does to a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    Read,
    /// A look at the length, or at what else an adjoint takes as its shape.
    Shape,
    Write,
    Increment,
}

/// The variables that statements access.
#[derive(Clone, Default, Debug)]
pub struct Effects {
    pub read: VarSet,
    pub written: VarSet,
    /// Those whose shapes are read, and those that may get another one.
    pub shapes: VarSet,
    pub reshaped: VarSet,
    pub incremented: VarSet,
    /// Whether they put something on the tape, or take it from there.
    pub use_tape: bool,
    /// Whether they run code of the user's that may have an effect.
    pub act: bool,
}

impl Effects {
    /// The effects of these statements, those of inner blocks included. What inner blocks declare is not seen from outside.
    pub fn of(stmts: &[Stmt], callees: Callees<'_>) -> Effects {
        let mut effects = Effects::default();
        each_access(stmts, callees.func, &mut |place, access| {
            let set = match access {
                Access::Read => &mut effects.read,
                Access::Shape => &mut effects.shapes,
                Access::Write => &mut effects.written,
                Access::Increment => &mut effects.incremented,
            };
            set.insert(place.root);
        });
        Stmt::walk_all(stmts, &mut |s| {
            effects.reshaped.extend(s.declared());
            effects
                .reshaped
                .extend(reshaped(s, callees).iter().map(|p| p.root));
            effects.use_tape |= s.uses_tape();
            // A callee may have a hidden state.
            effects.act |= matches!(
                s.kind,
                StmtKind::Passive(..) | StmtKind::Call(_) | StmtKind::Forward(_)
            );
            s.walk_exprs(&mut |e| effects.act |= e.may_have_effect());
        });
        let inner = declared_inside(stmts);
        for set in effects.sets_mut() {
            set.subtract(&inner);
        }
        effects
    }

    fn sets_mut(&mut self) -> [&mut VarSet; 5] {
        [
            &mut self.read,
            &mut self.written,
            &mut self.shapes,
            &mut self.reshaped,
            &mut self.incremented,
        ]
    }

    /// Whether the order of the two matters, where increments commute.
    pub fn conflict_with(&self, other: &Effects) -> bool {
        let meets = |a: &Effects, b: &Effects| {
            let of_b = [&b.read, &b.written, &b.incremented];
            of_b.iter().any(|set| a.written.intersects(set))
                || a.incremented.intersects(&b.read)
                || a.reshaped.intersects(&b.shapes)
        };
        meets(self, other)
            || meets(other, self)
            || self.act && other.act
            || self.use_tape && other.use_tape
    }
}

/// The places that the statement may give another shape.
fn reshaped(stmt: &Stmt, callees: Callees<'_>) -> Vec<Place> {
    match &stmt.kind {
        StmtKind::Reverse { call, .. } => call.written().cloned().collect(),
        _ => callees.reshaped_by(stmt),
    }
}

/// Calls `f` on all places that the statements access, those of inner blocks included. Declared variables are written.
pub fn each_access(stmts: &[Stmt], func: &Func, f: &mut dyn FnMut(&Place, Access)) {
    Stmt::walk_all(stmts, &mut |s| {
        s.walk_exprs(&mut |e| {
            let access = match e {
                Expr::Len(p) if p.is_whole() => Access::Shape,
                _ => Access::Read,
            };
            e.own_places().iter().for_each(|p| f(p, access));
        });
        if let Some(v) = s.declared() {
            f(&func.place(v), Access::Write);
        }
        own_accesses(s, func, f);
    });
}

fn own_accesses(stmt: &Stmt, func: &Func, f: &mut dyn FnMut(&Place, Access)) {
    match &stmt.kind {
        StmtKind::Let(_, None) => {
            let shape = func.shape_taken(stmt);
            shape
                .into_iter()
                .for_each(|v| f(&func.place(v), Access::Shape));
        }
        StmtKind::Incr(place, _) => f(place, Access::Increment),
        StmtKind::Record(_, place) => f(place, Access::Read),
        StmtKind::Swap(..) | StmtKind::Insert(..) | StmtKind::Remove(..) => {
            stmt.written().iter().for_each(|p| change(p, f));
        }
        StmtKind::Passive(_, read) => read.iter().for_each(|p| f(p, Access::Read)),
        StmtKind::Call(call) | StmtKind::Forward(call) => {
            call.args.iter().for_each(|arg| argument(arg, f));
        }
        StmtKind::Reverse { call, adjoints, .. } => {
            for (arg, adjoint) in call.args.iter().zip(adjoints) {
                argument(arg, f);
                match (adjoint, arg) {
                    (AdjArg::Place(place), Arg::Mut(_)) => change(place, f),
                    (AdjArg::Place(place) | AdjArg::Scratch(Some(place)), _) => {
                        f(place, Access::Increment);
                    }
                    (AdjArg::Increment(v), _) => f(&func.place(*v), Access::Write),
                    _ => {}
                }
            }
        }
        StmtKind::Loop(head, _) => {
            let seeds = head.parts().iter().filter_map(|part| part.seed);
            let count = match head {
                LoopHead::Times(n) | LoopHead::ReversedFrom(_, _, n) => Some(*n),
                _ => None,
            };
            seeds
                .chain(count)
                .for_each(|v| f(&func.place(v), Access::Read));
        }
        _ => stmt.written().iter().for_each(|p| f(p, Access::Write)),
    }
}

fn argument(arg: &Arg, f: &mut dyn FnMut(&Place, Access)) {
    match arg {
        Arg::Value(_) => {}
        Arg::Shared(place) => f(place, Access::Read),
        Arg::Mut(place) => change(place, f),
    }
}

fn change(place: &Place, f: &mut dyn FnMut(&Place, Access)) {
    f(place, Access::Read);
    f(place, Access::Write);
}
