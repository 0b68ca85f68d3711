//! Methods of numbers.

use proc_macro2::Span;
use quote::quote_spanned;

use super::names::{
    BIT_COUNTS, INTEGER_METHODS, PREDICATES, is_arithmetic, is_comparison, is_int_and_float,
    is_integer_only,
};
use crate::ir::{BinOp, Expr, FloatTy, IntTy, Intrinsic, Mode, Place, Ty, UnOp};
use crate::lower::Lower;
use crate::lower::infer::unify::VarKind;
use crate::lower::std_lib::unwrap::conversion_target;
use crate::lower::value::Value;
use crate::mir::code::CaptureMode;
use crate::mir::code::tokens_at;
use crate::refuse::Reason;

impl Lower {
    /// Lowers a method of numbers. Whether `abs`, `min`, `signum` and the like are integer methods is decided once the
    /// types are known ([`crate::lower::finish`]).
    pub fn numeric_method(
        &mut self,
        name: &str,
        receiver: Value,
        args: Vec<Value>,
        span: Span,
    ) -> Value {
        let (e, ty) = self.read(receiver, span);
        let ty = self.shallow(&ty);
        let args: Vec<(Expr, Ty)> = args.into_iter().map(|a| self.read(a, span)).collect();
        let is_int = self.infer.is_int(&ty);
        if !is_int && self.is_foreign_method(name, &e, &ty, &args, span) {
            return self.refuse(span, self.missing_rule(name, &ty));
        }
        if !is_int && let Some(value) = self.float_method(name, &e, &ty, &args, span) {
            return value;
        }
        let mut all = vec![e];
        all.extend(args.iter().map(|(e, _)| e.clone()));
        if PREDICATES.contains(&name) {
            for (_, t) in &args {
                self.unify(&ty, t);
            }
            return match (&all[..], &ty) {
                ([Expr::Read(place)], Ty::Infer(_) | Ty::Unknown) if !self.infer.is_number(&ty) => {
                    self.opaque_predicate(name, place.clone(), span)
                }
                _ => Value::Expr(Expr::Discrete(name.into(), all, Ty::Bool), Ty::Bool),
            };
        }
        let int_intrinsic = is_int && Intrinsic::from_name(name).is_some_and(is_int_and_float);
        if INTEGER_METHODS.contains(&name) || int_intrinsic {
            if !matches!(name, "pow" | "rotate_left" | "rotate_right") {
                for (_, t) in &args {
                    self.unify(&ty, t);
                }
            } else if let Some((_, t)) = args.first() {
                self.unify(t, &Ty::Int(IntTy::U32));
            }
            return Value::Expr(Expr::Discrete(name.into(), all, ty.clone()), ty);
        }
        if name.starts_with("checked_") {
            return self.checked_arithmetic(name, all, &ty, &args);
        }
        if let (true, true, Some(to)) = (
            self.infer.is_number(&ty),
            args.is_empty(),
            conversion_target(name, "to_"),
        ) {
            return self.fallible_conversion(name, all.remove(0), to);
        }
        if BIT_COUNTS.contains(&name) {
            let ty = Ty::Int(IntTy::U32);
            return Value::Expr(Expr::Discrete(name.into(), all, ty.clone()), ty);
        }
        match name {
            "abs_diff" | "unsigned_abs" | "to_bits" => {
                for (_, t) in &args {
                    self.unify(&ty, t);
                }
                let result = match self.shallow(&ty) {
                    Ty::Int(int) => Ty::Int(int.unsigned()),
                    Ty::Float(FloatTy::F64) => Ty::Int(IntTy::U64),
                    Ty::Float(FloatTy::F32) => Ty::Int(IntTy::U32),
                    _ => {
                        let result = self.infer.fresh(VarKind::Int);
                        self.infer.mark_external(&result);
                        result
                    }
                };
                Value::Expr(Expr::Discrete(name.into(), all, result.clone()), result)
            }
            "into" if is_known(&ty) && !self.infer.is_number(&ty) => {
                let what =
                    "`into` of a value that is no number, where no type is told,".to_string();
                self.refuse(span, Reason::Expression(what))
            }
            "into" => {
                if let (true, Expr::Read(place)) = (self.is_uninferred(&ty), &all[0]) {
                    self.check_place("converted", place, span);
                }
                let result = self.fresh_ty();
                Value::Expr(Expr::Cast(Box::new(all.remove(0)), result.clone()), result)
            }
            _ => self.refuse(span, self.missing_rule(name, &ty)),
        }
    }

    /// Lowers a test such as `place.is_empty()` of an unknown type; rustc checks that it yields a `bool`.
    pub fn opaque_predicate(&mut self, name: &str, place: Place, span: Span) -> Value {
        let at = Span::call_site().located_at(span);
        let name = tokens_at(name, at);
        let asked = quote_spanned!(at=> ::adjoint::__private::truth(|| __place_0.#name()));
        let code = self.add_code(asked, vec![CaptureMode::Borrow]);
        Value::Expr(Expr::Code(code, vec![place], Ty::Bool), Ty::Bool)
    }

    /// The reason for which the method of such a value has no rule.
    fn missing_rule(&self, name: &str, ty: &Ty) -> Reason {
        let is_any = |of: &str| {
            let by_trait = ["dyn ", "impl "].iter().any(|k| of.starts_with(k));
            by_trait || self.env.user_type_params.iter().any(|param| param == of)
        };
        match ty {
            Ty::Float(FloatTy::Param(of)) if !self.env.certain_floats.contains(of) => {
                Reason::AnyType(of.clone())
            }
            Ty::Named(of) | Ty::Discrete(of) if is_any(of) => Reason::AnyType(of.clone()),
            _ => Reason::Method(name.into()),
        }
    }

    /// Whether a method named like a number's is one that a trait gives to another type. If the receiver may be a
    /// number, rustc checks that it is one.
    fn is_foreign_method(
        &mut self,
        name: &str,
        e: &Expr,
        ty: &Ty,
        args: &[(Expr, Ty)],
        span: Span,
    ) -> bool {
        let takes = match () {
            () if is_comparison(name) || name == "is_multiple_of" => 1,
            () if PREDICATES.contains(&name) || BIT_COUNTS.contains(&name) || name == "to_bits" => {
                0
            }
            () => args.len(),
        };
        let of_integers = is_integer_only(name);
        if let (Ty::Infer(_) | Ty::Unknown, false, Expr::Read(place)) =
            (ty, self.infer.is_number(ty), e)
        {
            match name {
                "to_bits" => self.check_place("float_of", place, span),
                _ if of_integers => self.check_place("integer_of", place, span),
                _ => {}
            }
        }
        let of_real = self.is_real(ty);
        let real = of_real || args.iter().any(|(_, ty)| self.is_real(ty));
        let number = of_real || self.infer.is_int(ty);
        takes != args.len()
            || real && (of_integers || INTEGER_METHODS.contains(&name))
            || !number && is_known(ty) && is_arithmetic(name) && (real || ty.carries_floats())
    }

    fn is_real(&self, ty: &Ty) -> bool {
        match self.shallow(ty) {
            Ty::Infer(_) => self.infer.is_number(ty) && !self.infer.is_int(ty),
            ty => ty.is_float(),
        }
    }

    /// Records that a method of floats is called on values by its name: if the receiver's type is a type parameter, its
    /// bounds provide the method.
    pub fn record_float_method(&mut self, name: &str, receiver: &Value, args: &[Value]) {
        let by_value = |value: &Value| match value {
            Value::Expr(..) => true,
            Value::Place(p) => self.draft.func.var(p.root).mode == Mode::Owned,
            _ => false,
        };
        let op = Intrinsic::from_name(name).filter(|op| *op != Intrinsic::Powi);
        if let Some(op) = op
            && args.iter().all(by_value)
        {
            let ty = self.value_ty(receiver);
            self.intrinsic_methods.push((op, ty));
        }
    }

    /// `checked_sub` and the like: the tag is true if there is a result; the payload is the result or 0.
    fn checked_arithmetic(
        &mut self,
        name: &str,
        all: Vec<Expr>,
        ty: &Ty,
        args: &[(Expr, Ty)],
    ) -> Value {
        let own = matches!(
            name,
            "checked_add"
                | "checked_sub"
                | "checked_mul"
                | "checked_div"
                | "checked_rem"
                | "checked_div_euclid"
                | "checked_rem_euclid"
        );
        for (_, t) in args {
            match own {
                true => self.unify(ty, t),
                false => self.unify(t, &Ty::Int(IntTy::U32)),
            }
        }
        let option = Expr::Discrete(name.into(), all, Ty::Option(Box::new(ty.clone())));
        let tag = Expr::Discrete("is_some".into(), vec![option.clone()], Ty::Bool);
        let or_zero = vec![option, Expr::Lit("0".into(), ty.clone())];
        let yes = Value::Expr(
            Expr::Discrete("unwrap_or".into(), or_zero, ty.clone()),
            ty.clone(),
        );
        self.some_if(tag, yes)
    }

    /// `to_i64` and the like: the tag is true if the number is in range; the payload is the converted number or 0.
    fn fallible_conversion(&self, name: &str, e: Expr, to: Ty) -> Value {
        let option = Expr::Discrete(
            name.into(),
            vec![e.clone()],
            Ty::Option(Box::new(to.clone())),
        );
        let tag = Expr::Discrete("is_some".into(), vec![option.clone()], Ty::Bool);
        let yes = match to {
            Ty::Float(_) => Expr::Cast(Box::new(e), to.clone()),
            _ => {
                let or_zero = vec![option, Expr::Lit("0".into(), to.clone())];
                Expr::Discrete("unwrap_or".into(), or_zero, to.clone())
            }
        };
        self.some_if(tag, Value::Expr(yes, to))
    }

    /// Lowers a method of floats.
    fn float_method(
        &mut self,
        name: &str,
        e: &Expr,
        ty: &Ty,
        args: &[(Expr, Ty)],
        span: Span,
    ) -> Option<Value> {
        if name == "sin_cos" && args.is_empty() {
            self.infer_float(ty);
            let part = |op| Value::Expr(Expr::Intrinsic(op, vec![e.clone()]), ty.clone());
            let parts = vec![part(Intrinsic::Sin), part(Intrinsic::Cos)];
            return Some(Value::Tuple(
                parts
                    .into_iter()
                    .map(|v| self.copy_to_temp(v, span))
                    .collect(),
            ));
        }
        let operators = [
            ("add", BinOp::Add),
            ("sub", BinOp::Sub),
            ("mul", BinOp::Mul),
            ("div", BinOp::Div),
            ("rem", BinOp::Rem),
        ];
        if let (Some((_, op)), [(r, t)]) = (operators.iter().find(|(n, _)| *n == name), args) {
            self.unify(ty, t);
            self.demand_operator(name, ty, 1, span);
            let both = Expr::Binary(*op, Box::new(e.clone()), Box::new(r.clone()));
            return Some(Value::Expr(both, ty.clone()));
        }
        if name == "neg" && args.is_empty() {
            self.demand_operator(name, ty, 0, span);
            let neg = Expr::Unary(UnOp::Neg, Box::new(e.clone()));
            return Some(Value::Expr(neg, ty.clone()));
        }
        let op = Intrinsic::from_name(name)?;
        if op.arity() != args.len() + 1 {
            return None;
        }
        if let (true, Expr::Read(place)) = (has_zero_derivative(op) && self.is_uninferred(ty), e) {
            self.check_place("stepped", place, span);
        }
        let mut all = vec![e.clone()];
        for (arg, t) in args {
            match op {
                Intrinsic::Powi => self.unify(t, &Ty::Int(IntTy::I32)),
                _ => self.unify(ty, t),
            }
            all.push(arg.clone());
        }
        if !is_int_and_float(op) {
            self.infer_float(ty);
        }
        Some(Value::Expr(Expr::Intrinsic(op, all), ty.clone()))
    }

    /// Whether the type is unknown so far.
    fn is_uninferred(&self, ty: &Ty) -> bool {
        matches!(self.shallow(ty), Ty::Infer(_) | Ty::Unknown) && !self.infer.is_number(ty)
    }

    /// Infers a float for the receiver of a method that only floats have.
    fn infer_float(&mut self, ty: &Ty) {
        if let Ty::Infer(_) = self.shallow(ty) {
            let float = self.infer.fresh(VarKind::Float);
            self.unify(ty, &float);
        }
    }
}

/// Whether the derivative by the receiver is zero, so that the sweeps contain nothing that rustc would reject for other
/// types.
fn has_zero_derivative(op: Intrinsic) -> bool {
    use Intrinsic::{Ceil, DivEuclid, Floor, Round, RoundTiesEven, Signum, Trunc};
    matches!(
        op,
        Ceil | DivEuclid | Floor | Round | RoundTiesEven | Signum | Trunc
    )
}

fn is_known(ty: &Ty) -> bool {
    !matches!(ty, Ty::Infer(_) | Ty::Unknown | Ty::Named(_))
}
