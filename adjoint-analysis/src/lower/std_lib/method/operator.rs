//! Operators called as methods: `a.mul(b)`, `z.add_assign(x)`.

use proc_macro2::{Ident, Span};
use quote::quote_spanned;

use crate::ir::{BinOp, FloatTy};
use crate::lower::expr::operator::{OPERATORS, VisibleOperator, operator_trait};
use crate::lower::types::lower_type;
use crate::lower::value::Value;
use crate::lower::{Lower, Ty};
use crate::mir::code::tokens_at;

impl Lower {
    /// `a.mul(b)` of a type with visible operators; `a.add_assign(b)` of such a type and of floats.
    pub fn operator_method(
        &mut self,
        m: &syn::ExprMethodCall,
        receiver: &Value,
        args: &[Value],
    ) -> Option<Value> {
        let (name, span) = (&*m.method.to_string(), m.method.span());
        let (operator, _) = OPERATORS.iter().find(|(_, method)| *method == name)?;
        if args.len() != usize::from(name != "neg") || self.env.signatures.has_method(name) {
            return None;
        }
        let assigned = operator.strip_suffix("Assign");
        let ty = self.value_ty(receiver);
        let others = args.iter().map(|arg| self.operand_ty(operator, &ty, arg));
        let others: Vec<Ty> = others.collect();
        let is_known = |ty: &Ty| matches!(ty, Ty::Named(_)) || ty.is_float() && ty.is_known();
        if !others.iter().all(is_known) {
            return None;
        }
        match (&ty, assigned) {
            (Ty::Named(of), _) if self.has_operator(operator, of) => {
                let others = others.iter().map(Ty::to_string).collect::<Vec<_>>();
                if args.iter().any(|arg| matches!(arg, Value::PlaceRef(..))) {
                    return None;
                }
                self.demand_operator_of(name, of, &others, span);
                let (left, operands) = match assigned {
                    Some(_) => (Some(self.place_of(receiver.clone(), span)), args.to_vec()),
                    None => {
                        // The referent of a `&mut` is copied.
                        let left = match receiver.clone() {
                            Value::PlaceRef(p, true) => Value::Place(p),
                            left => left,
                        };
                        (None, [&[left], args].concat())
                    }
                };
                Some(self.emit_operator_call(operator, left, operands, span))
            }
            // The receiver's place is evaluated before the argument.
            (Ty::Float(_), Some(_))
                if m.args.iter().any(|e| !self.changed_by(e, false).is_empty()) =>
            {
                None
            }
            (Ty::Float(_), Some(op)) => {
                let op = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Rem]
                    .into_iter()
                    .find(|known| operator_trait(*known) == Some(op))?;
                let (Value::Place(p) | Value::PlaceRef(p, true)) = receiver else {
                    return None;
                };
                let (e, other) = self.read(args[0].clone(), span);
                self.unify(&ty, &other);
                self.emit_update(op, p.clone(), e, span);
                Some(Value::Unit)
            }
            _ => None,
        }
    }

    /// The type of the right operand; for a literal, that of the type's only operator.
    fn operand_ty(&mut self, operator: &str, left: &Ty, right: &Value) -> Ty {
        let ty = self.value_ty(right);
        let Ty::Named(of) = left else { return ty };
        let open = matches!(ty, Ty::Infer(_) | Ty::Float(FloatTy::Infer));
        if !open || !self.infer.is_number(&ty) {
            return ty;
        }
        let mut own = self.operators_of(operator, of);
        match (
            own.next().and_then(VisibleOperator::right_operand),
            own.next(),
        ) {
            (Some(only), None) => lower_type(only, &self.env).0,
            _ => ty,
        }
    }

    fn operators_of<'o>(
        &'o self,
        operator: &'o str,
        of: &'o str,
    ) -> impl Iterator<Item = &'o VisibleOperator> {
        self.env
            .operators
            .iter()
            .filter(move |o| o.matches(operator, of))
    }

    /// Whether an operator of the type is visible.
    fn has_operator(&self, operator: &str, of: &str) -> bool {
        self.operators_of(operator, of).next().is_some()
    }

    /// Emits a check that no other trait than the operator's gives the type a method of this name: with that trait in
    /// scope, the call would be ambiguous.
    pub fn demand_operator(&mut self, name: &str, ty: &Ty, args: usize, span: Span) {
        let ty = self.shallow(ty);
        if let Ty::Float(_) = ty {
            let ty = ty.to_string();
            let others: Vec<String> = (0..args).map(|_| ty.clone()).collect();
            self.demand_operator_of(name, &ty, &others, span);
        }
    }

    /// The same, with the types as text.
    fn demand_operator_of(&mut self, name: &str, ty: &str, others: &[String], span: Span) {
        let key = (
            name.to_string(),
            [&[ty.to_string()], others].concat().join(", "),
        );
        if self.emitted_checks.contains(&key) {
            return;
        }
        let (ty, method) = (tokens_at(ty, span), Ident::new(name, span));
        let operator = OPERATORS.iter().find(|(_, method)| *method == name);
        let operator = operator.map(|(operator, _)| Ident::new(operator, span));
        let types = others.iter().map(|ty| tokens_at(ty, span));
        let b: Vec<Ident> = others.iter().map(|_| Ident::new("b", span)).collect();
        let code = quote_spanned! {span=> {
            use ::core::ops::#operator as _;
            let _ = |mut a: #ty, #(#b: #types),*| a.#method(#(#b),*);
        }};
        self.hoist_check(code, key, span);
    }
}
