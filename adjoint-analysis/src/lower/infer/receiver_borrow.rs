//! Receivers of method calls whose arguments have side effects: `t.hi.process(t.lo.process(x))`.
//!
//! A receiver that the method may change is borrowed while its arguments are evaluated, so these change other parts. If
//! an argument changes the receiver, the method takes it by value, as it was before.

use proc_macro2::Span;

use crate::ir::{Arg, Call, Place, Stmt};
use crate::lower::aggregate::split_enum::SplitEnum;
use crate::lower::expr::place_context::{is_call, is_copying_expr, is_projection_of};
use crate::lower::std_lib::method::{is_always_readonly, is_readonly, writes_list};
use crate::lower::std_lib::option::borrows_receiver;
use crate::lower::value::Value;
use crate::lower::{Arguments, Lower, Mode, StmtKind, Ty};
use crate::mir::code::CaptureMode;
use crate::mir::labeled::LabeledStmt;

/// The effect of a method's arguments on its receiver.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    Nothing,
    /// They call a method on it whose signature is not visible.
    Unknown,
    Change,
}

impl Lower {
    /// Lowers the receiver of a method: to a copy, if it is an rvalue that the method may change.
    pub fn lower_receiver(&mut self, m: &syn::ExprMethodCall) -> Value {
        let name = m.method.to_string();
        let reads = is_readonly(&name);
        let copied = match is_always_readonly(&name) {
            true => is_projection_of(&m.receiver, is_copying_expr),
            false => is_projection_of(&m.receiver, |e| is_copying_expr(e) || is_call(e)),
        };
        let receiver = match reads && !copied {
            true => self.expr(&m.receiver),
            false => self.lower_mut_place(&m.receiver),
        };
        let receiver = match receiver {
            // A borrowed iterator is advanced, a moved one is not used again.
            Value::RefToAggregate(of, mutable) if matches!(*of, Value::RefStruct(..)) => {
                Value::RefToAggregate(of, mutable)
            }
            receiver => receiver.strip_ref(),
        };
        let receiver = match reads && !self.is_std_value(&receiver) {
            true => self.materialize_rvalue(&m.receiver, receiver),
            false => receiver,
        };
        match &receiver {
            // The `Option` itself is borrowed, together with the reference in it.
            Value::SplitEnum(c) if self.is_rebindable(&c.payload) && borrows_receiver(&name) => {
                receiver
            }
            _ => self.freeze_before_args(receiver, &m.args, m.method.span()),
        }
    }

    /// Whether the value is known to be of no user type.
    fn is_std_value(&mut self, value: &Value) -> bool {
        match self.value_ty(value) {
            ty @ (Ty::Infer(_) | Ty::Unknown) => self.infer.is_number(&ty),
            ty => !matches!(ty, Ty::Named(_)),
        }
    }

    /// Freezes the receiver's indices if an argument may change them when it is evaluated or called:
    /// `rows[i].fill_with(|| { i += 1; .. })`.
    fn freeze_before_args(&mut self, receiver: Value, args: &Arguments, span: Span) -> Value {
        match args.iter().any(|e| !self.changed_by(e, false).is_empty()) {
            true => self.freeze_value(receiver, span),
            false => receiver,
        }
    }

    /// The value with its indices frozen, so that later changes to them have no effect.
    pub fn freeze_value(&mut self, value: Value, span: Span) -> Value {
        match value {
            Value::Place(p) => Value::Place(self.freeze_place(p, span)),
            Value::PlaceRef(p, mutable) => Value::PlaceRef(self.freeze_place(p, span), mutable),
            Value::Tuple(_) => value.map_parts(|p| self.freeze_value(p, span)),
            Value::SplitEnum(c) => {
                let yes = self.freeze_value(c.payload, span);
                let no = self.freeze_value(c.err_payload, span);
                Value::SplitEnum(Box::new(SplitEnum {
                    payload: yes,
                    err_payload: no,
                    ..*c
                }))
            }
            value => value,
        }
    }

    /// The receiver of a method of this name, whose arguments are evaluated first, by the statements `raws`.
    pub fn receiver_with_args(
        &mut self,
        receiver: Value,
        name: &str,
        raws: &mut [LabeledStmt],
        span: Span,
    ) -> Value {
        let place = match &receiver {
            _ if Self::is_pure(raws) => return receiver,
            Value::Place(p) | Value::PlaceRef(p, _) => p.clone(),
            _ => return self.freeze_receiver(receiver, span),
        };
        let effect = self.effect_on(raws, &place);
        let known = self.resolve_receiver_method(&receiver, name);
        let mode = known.filter(|known| known.certain).and_then(|k| k.mode());
        let is_lent = match mode {
            Some(mode) => mode != Mode::Owned,
            None => writes_list(name) && !self.infer.is_number(&place.ty),
        };
        let may_be_lent = mode.is_none() && !is_readonly(name);
        if effect == Effect::Nothing || is_lent || (effect == Effect::Unknown && may_be_lent) {
            self.check_shared_receiver(raws, &place);
            return self.freeze_receiver(receiver, span);
        }
        self.copy_to_temp(Value::Place(place), span)
    }

    fn effect_on(&mut self, raws: &[LabeledStmt], receiver: &Place) -> Effect {
        let mut effect = Effect::Nothing;
        raws.iter().for_each(|raw| {
            raw.each(&mut |stmt| {
                if stmt.written().iter().any(|p| p.may_overlap(receiver)) {
                    effect = effect.max(match self.has_unknown_effect(stmt, receiver) {
                        true => Effect::Unknown,
                        false => Effect::Change,
                    });
                }
            })
        });
        effect
    }

    /// Whether the statement is a call of a method with unknown effect, which can change `place` through its receiver
    /// only.
    fn has_unknown_effect(&mut self, stmt: &Stmt, place: &Place) -> bool {
        let StmtKind::Call(Call { callee, args, .. }) = &stmt.kind else {
            return false;
        };
        let (Some((Arg::Mut(called_on), others)), Some(name)) =
            (args.split_first(), callee.name.strip_prefix('.'))
        else {
            return false;
        };
        let elsewhere = |arg: &Arg| !matches!(arg, Arg::Mut(p) if p.may_overlap(place));
        let known = self.resolve_receiver_method(&Value::Place(called_on.clone()), name);
        let is_seen = known.is_some_and(|known| known.certain && known.mode().is_some());
        !is_seen && others.iter().all(elsewhere)
    }

    /// Makes rustc confirm that such methods don't change the receiver: they are called on a shared reference.
    fn check_shared_receiver(&mut self, raws: &mut [LabeledStmt], receiver: &Place) {
        raws.iter_mut().for_each(|raw| {
            raw.each_mut(&mut |stmt| {
                let writes = stmt.written().iter().any(|p| p.may_overlap(receiver));
                if !writes || !self.has_unknown_effect(stmt, receiver) {
                    return;
                }
                if let StmtKind::Call(Call { callee, args, .. }) = &mut stmt.kind
                    && let (Some(arg @ Arg::Mut(_)), Some(code)) = (args.first_mut(), callee.path)
                    && let Some(called_on) = arg.place().cloned()
                {
                    *arg = Arg::Shared(called_on);
                    self.draft.code[code.index()].modes = vec![CaptureMode::Borrow];
                }
            });
        });
    }
}
