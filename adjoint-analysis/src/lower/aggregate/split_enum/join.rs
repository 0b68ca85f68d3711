//! Joins of control flow whose arms have values of `Option` or `Result`.

use std::collections::HashSet;

use proc_macro2::Span;

use super::{EnumKind, SplitEnum, bool_lit, literal_bool};
use crate::ir::Expr;
use crate::lower::value::Value;
use crate::lower::{Lower, Origin, StmtKind, Ty, VarId};

impl Lower {
    /// Declares the destination of several arms with split values; `own` are the arms' own variables.
    pub fn split_enum_destination(
        &mut self,
        arms: &[&Value],
        own: &HashSet<VarId>,
        span: Span,
    ) -> Value {
        let choices: Vec<&SplitEnum> = arms
            .iter()
            .filter_map(|v| match v {
                Value::SplitEnum(c) => Some(&**c),
                _ => None,
            })
            .collect();
        let family = choices[0].kind;
        let mut columns = (Vec::new(), Vec::new());
        for arm in arms {
            let (yes, no) = match arm {
                Value::SplitEnum(c) => (c.payload.clone(), c.err_payload.clone()),
                other => self.payload_samples(other, family),
            };
            columns.0.push(yes);
            columns.1.push(no);
        }
        let yes = self.payload_destination(&columns.0, own, span);
        let no = match family {
            EnumKind::Option | EnumKind::Unknown => Value::Unit,
            EnumKind::Result => self.payload_destination(&columns.1, own, span),
        };
        let first = literal_bool(&choices[0].tag);
        let same =
            choices.len() == arms.len() && choices.iter().all(|c| literal_bool(&c.tag) == first);
        let tag = match first {
            Some(truth) if same => bool_lit(truth),
            _ => {
                let var = self.new_var("value_is", Ty::Bool, Origin::Temp);
                self.emit(span, StmtKind::Let(var, None));
                Expr::Read(self.draft.func.place(var))
            }
        };
        SplitEnum::owned(family, tag, yes, no)
    }

    /// Placeholders of the payload types of an arm's value.
    fn payload_samples(&mut self, arm: &Value, family: EnumKind) -> (Value, Value) {
        let ty = self.value_ty(arm);
        let (yes, no) = (self.fresh_ty(), self.fresh_ty());
        let sample = |ty: Ty| Value::Expr(Expr::Lit("0".into(), ty.clone()), ty);
        if family == EnumKind::Unknown {
            return (sample(yes), Value::Unit);
        }
        let whole = match family {
            EnumKind::Option => Ty::Option(Box::new(yes.clone())),
            _ => Ty::Result(Box::new(yes.clone()), Box::new(no.clone())),
        };
        self.unify(&ty, &whole);
        (sample(yes), sample(no))
    }

    fn payload_destination(&mut self, column: &[Value], own: &HashSet<VarId>, span: Span) -> Value {
        let copied: Vec<Value> = column
            .iter()
            .filter(|v| !matches!(v, Value::Uninit(_)))
            .map(|v| match v {
                // A reference's place may depend on the arm's own variables.
                Value::PlaceRef(p, false) if !p.operands().is_empty() && self.is_copyable(p) => {
                    Value::Place(p.clone())
                }
                v => v.clone(),
            })
            .collect();
        let present: Vec<&Value> = copied.iter().collect();
        let dest = match present.is_empty() {
            true => Value::Uninit(self.fresh_ty()),
            false => self.join_destination(&present, own, span),
        };
        let ty = self.value_ty(&dest);
        for value in column {
            if let Value::Uninit(absent) = value {
                self.unify(&ty, absent);
            }
        }
        dest
    }
}
