//! Constants converted to the float type parameter of a function: `lit(0.5)`, `cast(2.0).unwrap()`. An argument of
//! unknown type that is such a constant gets the float type parameter if another argument of the call has it; rustc
//! rejects a wrong guess.

use crate::ir::{Arg, Block, Call, Expr, FloatTy, StmtKind};
use crate::lower::{Lower, Ty};

impl Lower {
    /// Infers the types of such arguments, once the whole body is lowered.
    pub fn infer_conversions(&mut self, body: &Block) {
        let Some(real) = self.infer.generic_float.clone().map(Ty::Float) else {
            return;
        };
        let (mut made, mut open) = (Vec::new(), Vec::new());
        body.walk(&mut |stmt| {
            stmt.walk_exprs(&mut |e| {
                if let Expr::Cast(_, ty) = e {
                    made.push(self.shallow(ty));
                }
            });
            if let StmtKind::Call(call) = &stmt.kind {
                open.extend(self.unknown_args(&real, call, &made));
                let result = call.result.filter(|_| self.converts_constant(call));
                made.extend(result.map(|v| self.shallow(&self.draft.func.var(v).ty)));
            }
        });
        for ty in open {
            self.unify(&ty, &real);
        }
    }

    /// The unknown types among the call's arguments that conversions `made`, if another argument is a `real`.
    fn unknown_args(&self, real: &Ty, call: &Call, made: &[Ty]) -> Vec<Ty> {
        let values = call.args.iter().filter_map(|arg| match arg {
            Arg::Value(e) => Some(self.shallow(&e.ty(&self.draft.func))),
            _ => None,
        });
        let mut types: Vec<Ty> = values.collect();
        if !types.contains(real) {
            return Vec::new();
        }
        let is_open = |ty: &Ty| matches!(ty, Ty::Infer(_)) && !self.infer.is_number(ty);
        types.retain(|ty| is_open(ty) && made.contains(ty));
        types
    }

    /// Whether the only argument of the call is a primitive float or a constant.
    fn converts_constant(&self, call: &Call) -> bool {
        let [Arg::Value(e)] = call.args.as_slice() else {
            return false;
        };
        let ty = self.shallow(&e.ty(&self.draft.func));
        match e {
            Expr::Code(_, places, _) if places.is_empty() => !self.infer.is_int(&ty),
            _ => match ty {
                Ty::Float(real) => !matches!(real, FloatTy::Param(_)),
                ty => self.infer.is_number(&ty) && !self.infer.is_int(&ty),
            },
        }
    }
}
