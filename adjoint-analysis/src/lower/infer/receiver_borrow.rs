//! Receivers of method calls whose arguments have side effects: `t.hi.process(t.lo.process(x))`.
//!
//! A receiver that the method may change is borrowed while its arguments are evaluated, so these change other parts. If
//! an argument changes the receiver, the method takes it by value, as it was before.

use proc_macro2::Span;

use crate::ir::{Arg, Call, Place, Stmt};
use crate::lower::aggregate::tagged::Choice;
use crate::lower::expr::place_context::{is_made, is_part_of, makes_value};
use crate::lower::std_lib::method::{only_reads, surely_reads, writes};
use crate::lower::std_lib::option::takes_itself;
use crate::lower::value::Value;
use crate::lower::{Arguments, Lower, Mode, StmtKind, Ty};
use crate::mir::code::By;
use crate::mir::labeled::LabeledStmt;

/// The effect of a method's arguments on its receiver.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    Nothing,
    /// They call a method on it whose signature is not visible.
    Unseen,
    Change,
}

impl Lower {
    /// Lowers the receiver of a method: to a copy, if it is an rvalue that the method may change.
    pub fn receiver(&mut self, m: &syn::ExprMethodCall) -> Value {
        let name = m.method.to_string();
        let reads = only_reads(&name);
        let copied = match surely_reads(&name) {
            true => is_part_of(&m.receiver, makes_value),
            false => is_part_of(&m.receiver, |e| makes_value(e) || is_made(e)),
        };
        let receiver = match reads && !copied {
            true => self.expr(&m.receiver),
            false => self.written(&m.receiver),
        };
        let receiver = match receiver {
            // A borrowed iterator is advanced, a moved one is not used again.
            Value::Lent(of, mutable) if matches!(*of, Value::Record(..)) => {
                Value::Lent(of, mutable)
            }
            receiver => receiver.seen_through(),
        };
        let receiver = match reads && !self.is_of_std(&receiver) {
            true => self.unnamed(&m.receiver, receiver),
            false => receiver,
        };
        match &receiver {
            // The `Option` itself is borrowed, together with the reference in it.
            Value::Choice(c) if self.is_reassigned(&c.yes) && takes_itself(&name) => receiver,
            _ => self.found_before(receiver, &m.args, m.method.span()),
        }
    }

    /// Whether the value is known to be of no user type.
    fn is_of_std(&mut self, value: &Value) -> bool {
        match self.value_ty(value) {
            ty @ (Ty::Infer(_) | Ty::Unknown) => self.infer.is_number(&ty),
            ty => !matches!(ty, Ty::Named(_)),
        }
    }

    /// Freezes the receiver's indices if an argument may change them when it is evaluated or called:
    /// `rows[i].fill_with(|| { i += 1; .. })`.
    fn found_before(&mut self, receiver: Value, args: &Arguments, span: Span) -> Value {
        match args.iter().any(|e| !self.changed_by(e, false).is_empty()) {
            true => self.found_now(receiver, span),
            false => receiver,
        }
    }

    /// The value with its indices frozen, so that later changes to them have no effect.
    pub fn found_now(&mut self, value: Value, span: Span) -> Value {
        match value {
            Value::Place(p) => Value::Place(self.settle(p, span)),
            Value::View(p, mutable) => Value::View(self.settle(p, span), mutable),
            Value::Tuple(_) => value.map(|p| self.found_now(p, span)),
            Value::Choice(c) => {
                let yes = self.found_now(c.yes, span);
                let no = self.found_now(c.no, span);
                Value::Choice(Box::new(Choice { yes, no, ..*c }))
            }
            value => value,
        }
    }

    /// The receiver of a method of this name, whose arguments are evaluated first, by the statements `raws`.
    pub fn receiver_beside(
        &mut self,
        receiver: Value,
        name: &str,
        raws: &mut [LabeledStmt],
        span: Span,
    ) -> Value {
        let place = match &receiver {
            _ if Self::is_pure(raws) => return receiver,
            Value::Place(p) | Value::View(p, _) => p.clone(),
            _ => return self.stay(receiver, span),
        };
        let effect = self.effect(raws, &place);
        let known = self.seen_method_of(&receiver, name);
        let mode = known.filter(|known| known.certain).and_then(|k| k.mode());
        let is_lent = match mode {
            Some(mode) => mode != Mode::Owned,
            None => writes(name) && !self.infer.is_number(&place.ty),
        };
        let may_be_lent = mode.is_none() && !only_reads(name);
        if effect == Effect::Nothing || is_lent || (effect == Effect::Unseen && may_be_lent) {
            self.confirm_reading(raws, &place);
            return self.stay(receiver, span);
        }
        self.pin(Value::Place(place), span)
    }

    fn effect(&mut self, raws: &[LabeledStmt], receiver: &Place) -> Effect {
        let mut effect = Effect::Nothing;
        raws.iter().for_each(|raw| {
            raw.each(&mut |stmt| {
                if stmt.written().iter().any(|p| p.may_overlap(receiver)) {
                    effect = effect.max(match self.is_unseen(stmt, receiver) {
                        true => Effect::Unseen,
                        false => Effect::Change,
                    });
                }
            })
        });
        effect
    }

    /// Whether the statement is a call of a method with unknown effect, which can change `place` through its receiver
    /// only.
    fn is_unseen(&mut self, stmt: &Stmt, place: &Place) -> bool {
        let StmtKind::Call(Call { callee, args, .. }) = &stmt.kind else {
            return false;
        };
        let (Some((Arg::Mut(called_on), others)), Some(name)) =
            (args.split_first(), callee.name.strip_prefix('.'))
        else {
            return false;
        };
        let elsewhere = |arg: &Arg| !matches!(arg, Arg::Mut(p) if p.may_overlap(place));
        let known = self.seen_method_of(&Value::Place(called_on.clone()), name);
        let is_seen = known.is_some_and(|known| known.certain && known.mode().is_some());
        !is_seen && others.iter().all(elsewhere)
    }

    /// Makes rustc confirm that such methods don't change the receiver: they are called on a shared reference.
    fn confirm_reading(&mut self, raws: &mut [LabeledStmt], receiver: &Place) {
        raws.iter_mut().for_each(|raw| {
            raw.each_mut(&mut |stmt| {
                let writes = stmt.written().iter().any(|p| p.may_overlap(receiver));
                if !writes || !self.is_unseen(stmt, receiver) {
                    return;
                }
                if let StmtKind::Call(Call { callee, args, .. }) = &mut stmt.kind
                    && let (Some(arg @ Arg::Mut(_)), Some(code)) = (args.first_mut(), callee.path)
                    && let Some(called_on) = arg.place().cloned()
                {
                    *arg = Arg::Shared(called_on);
                    self.draft.code[code.index()].by = vec![By::Borrow];
                }
            });
        });
    }
}
