//! Constants that become values of the float that a function is generic over: `lit(0.5)`, `cast(2.0).unwrap()`. Handed
//! to a function beside such a value, they are taken for others; rustc says so if they aren't.

use crate::ir::{Arg, Block, Call, Expr, FloatTy, StmtKind};
use crate::lower::{Lower, Ty};

impl Lower {
    /// Settles the types of such arguments, once the whole body has been seen.
    pub fn settle_conversions(&mut self, body: &Block) {
        let Some(real) = self.infer.generic.clone().map(Ty::Float) else {
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
                open.extend(self.open_beside(&real, call, &made));
                let result = call.result.filter(|_| self.is_of_constant(call));
                made.extend(result.map(|v| self.shallow(&self.draft.func.var(v).ty)));
            }
        });
        for ty in open {
            self.unify(&ty, &real);
        }
    }

    /// The types of arguments of which nothing is known but that they are `made`, beside one of this type.
    fn open_beside(&self, real: &Ty, call: &Call, made: &[Ty]) -> Vec<Ty> {
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

    /// Whether a function is called with nothing but a float of Rust's own, or a constant.
    fn is_of_constant(&self, call: &Call) -> bool {
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
