//! The rules about statements without blocks: what they read, write and declare.

use super::Validator;
use crate::ir::{AdjArg, Arg, Call, Expr, Place, StmtKind, Ty, VarId};

impl Validator<'_> {
    pub(super) fn simple_stmt(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Let(v, init) => self.bind(*v, init.as_ref()),
            StmtKind::Assign(place, e) => self.assign(place, e),
            StmtKind::Incr(place, e) => self.increment(place, e),
            StmtKind::Swap(a, b) => self.swap(a, b),
            StmtKind::Insert(place, at, e) => {
                let value = self.expr(e);
                let element = self.resized_vec(place, at.as_ref());
                self.agree(&element, &value, "the element", "the value put in");
            }
            StmtKind::Remove(v, place, at) => {
                let element = self.resized_vec(place, at.as_ref());
                if let Some(v) = v.filter(|v| self.declare(*v, true)) {
                    let declared = &self.func.var(v).ty;
                    self.agree(
                        declared,
                        &element,
                        &format!("`{}`", self.name(v)),
                        "the element",
                    );
                }
            }
            StmtKind::Call(call) => self.call(call),
            StmtKind::Passive(_, reads) => reads.iter().for_each(|place| self.read(place)),
            StmtKind::If(..) | StmtKind::Loop(..) | StmtKind::Break => {}
            kind => self.plan_stmt(kind),
        }
    }

    fn plan_stmt(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Zero(place) => {
                self.only_in_plans("`zero`");
                self.write(place);
            }
            StmtKind::Record(_, place) => {
                self.only_in_plans("`record`");
                self.read(place);
            }
            StmtKind::Restore(_, place) => {
                self.only_in_plans("`restore`");
                self.write(place);
            }
            StmtKind::RecordControl(_, e) => {
                self.only_in_plans("`record`");
                self.control(e);
            }
            StmtKind::RestoreControl(_, v) => {
                self.only_in_plans("`way`");
                self.declare(*v, true);
            }
            StmtKind::Forward(call) => {
                self.only_in_plans("`forward`");
                self.call(call);
            }
            StmtKind::Reverse {
                call,
                adjoints,
                seed,
            } => {
                self.only_in_plans("`reverse`");
                self.call(call);
                self.adjoints(call, adjoints);
                if let Some(seed) = seed {
                    self.expr(seed);
                }
            }
            _ => {}
        }
    }

    /// Checks a `Vec` whose length changes, and returns its element type.
    fn resized_vec(&mut self, place: &Place, at: Option<&Expr>) -> Ty {
        if let Some(at) = at {
            self.integer(at, "an index");
        }
        self.read_var(place.root);
        self.write(place);
        match place.known_ty(self.func) {
            Ty::Vec(element) => *element,
            ty => {
                self.require(matches!(ty, Ty::Unknown | Ty::Named(_)), || {
                    format!("a value of type {ty} does not grow or shrink")
                });
                Ty::Unknown
            }
        }
    }

    fn bind(&mut self, id: VarId, init: Option<&Expr>) {
        let ty = init.map(|e| self.expr(e));
        if self.declare(id, ty.is_some())
            && let Some(ty) = ty
        {
            let declared = &self.func.var(id).ty;
            self.agree(declared, &ty, &format!("`{}`", self.name(id)), "its value");
        }
    }

    fn assign(&mut self, place: &Place, e: &Expr) {
        let ty = self.expr(e);
        self.write(place);
        self.agree(
            &place.known_ty(self.func),
            &ty,
            "the place",
            "the value assigned",
        );
    }

    fn increment(&mut self, place: &Place, e: &Expr) {
        let ty = self.expr(e);
        self.read(place);
        self.require_writable(place.root);
        let real = place.known_ty(self.func);
        self.require(real.carries_floats(), || {
            format!("`+=` on a place of type {real}, not on reals")
        });
        self.agree(&real, &ty, "the place", "the increment");
    }

    fn swap(&mut self, a: &Place, b: &Place) {
        for place in [a, b] {
            self.read(place);
            self.require_writable(place.root);
        }
        let (a, b) = (a.known_ty(self.func), b.known_ty(self.func));
        self.agree(&a, &b, "one place", "the other");
    }

    fn call(&mut self, call: &Call) {
        for arg in &call.args {
            match arg {
                Arg::Value(e) => {
                    self.expr(e);
                }
                Arg::Shared(place) => self.read(place),
                Arg::Mut(place) => {
                    self.read(place);
                    self.require_writable(place.root);
                }
            }
        }
        if let Some(result) = call.result {
            self.declare(result, true);
        }
    }

    fn adjoints(&mut self, call: &Call, adjoints: &[AdjArg]) {
        self.require(call.result.is_none(), || "`reverse` returns nothing".into());
        let (args, count) = (call.args.len(), adjoints.len());
        self.require(args == count, || {
            format!("`reverse` has {args} arguments and {count} adjoints")
        });
        for (arg, adjoint) in call.args.iter().zip(adjoints) {
            self.adjoint(arg, adjoint);
        }
    }

    fn adjoint(&mut self, arg: &Arg, adjoint: &AdjArg) {
        let by_value = matches!(arg, Arg::Value(_));
        match adjoint {
            AdjArg::None => return,
            AdjArg::Ignored | AdjArg::Increment(_) => self.require(by_value, || {
                "a reference argument has an adjoint in place, not an increment".into()
            }),
            AdjArg::Place(_) | AdjArg::Scratch(_) => self.require(!by_value, || {
                "an argument by value has an increment, not an adjoint in place".into()
            }),
        }
        match adjoint {
            AdjArg::Increment(v) => {
                self.declare(*v, true);
            }
            AdjArg::Place(place) | AdjArg::Scratch(Some(place)) => {
                self.read(place);
                self.require_writable(place.root);
                if let Some(primal) = arg.place() {
                    let (primal, adjoint) = (primal.known_ty(self.func), place.known_ty(self.func));
                    self.agree(&primal, &adjoint, "the argument", "its adjoint");
                }
            }
            AdjArg::None | AdjArg::Ignored | AdjArg::Scratch(None) => {}
        }
    }
}
