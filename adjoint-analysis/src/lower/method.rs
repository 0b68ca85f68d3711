//! Method calls.

use super::choice::{Choice, Family};
use super::infer::Kind;
use super::value::{Value, usize_lit};
use super::{Lower, StmtKind, Ty};
use crate::ir::{BinOp, Expr, FloatTy, IntTy, Intrinsic, Place, Proj};
use crate::refuse::Reason;
use proc_macro2::Span;

/// Methods of numbers that yield `bool`.
const PREDICATES: &[&str] = &[
    "is_nan",
    "is_infinite",
    "is_finite",
    "is_normal",
    "is_sign_positive",
    "is_sign_negative",
    "is_positive",
    "is_negative",
    "is_power_of_two",
    "is_lt",
    "is_le",
    "is_gt",
    "is_ge",
    "is_eq",
    "is_ne",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
];

/// Integer methods that yield the receiver's type.
const INTEGER: &[&str] = &[
    "pow",
    "wrapping_add",
    "wrapping_sub",
    "wrapping_mul",
    "wrapping_neg",
    "saturating_add",
    "saturating_sub",
    "saturating_mul",
    "div_ceil",
    "next_multiple_of",
    "isqrt",
    "rotate_left",
    "rotate_right",
    "swap_bytes",
    "reverse_bits",
    "next_power_of_two",
    "not",
    "reverse",
    "then",
];

/// Whether numbers have a method of this name.
fn is_std(name: &str) -> bool {
    let other = ["sin_cos", "into", "abs_diff", "unsigned_abs", "to_bits"];
    let prefixes = [
        "checked_",
        "wrapping_",
        "saturating_",
        "overflowing_",
        "to_",
        "as_",
    ];
    Intrinsic::from_name(name).is_some()
        || [PREDICATES, INTEGER, COUNTS, &other, OF_OPTIONS, OF_VECS]
            .iter()
            .any(|l| l.contains(&name))
        || prefixes.iter().any(|p| name.starts_with(p))
}

/// Methods of `Vec`s and conversions.
const OF_VECS: &[&str] = &[
    "push",
    "pop",
    "insert",
    "remove",
    "truncate",
    "resize",
    "extend",
    "extend_from_slice",
    "clear",
    "append",
    "drain",
    "retain",
    "dedup",
    "try_into",
];

/// Methods of `Option` and iterators, whose receiver has to be known.
const OF_OPTIONS: &[&str] = &[
    "map",
    "and_then",
    "unwrap_or",
    "map_or",
    "ok",
    "err",
    "zip",
    "enumerate",
    "rev",
    "sum",
    "product",
    "fold",
    "filter",
    "collect",
    "take",
    "skip",
];

/// Integer methods that yield `u32`.
const COUNTS: &[&str] = &[
    "count_ones",
    "count_zeros",
    "leading_zeros",
    "trailing_zeros",
    "ilog2",
    "ilog10",
];

impl Lower {
    /// `receiver.method(args)`
    pub fn method_call(&mut self, m: &syn::ExprMethodCall) -> Value {
        if let Some(value) = self.unwrapped(m) {
            return value;
        }
        let receiver = self.expr(&m.receiver);
        self.method_on(receiver, m)
    }

    /// The method called on a receiver that has been evaluated.
    pub fn method_on(&mut self, receiver: Value, m: &syn::ExprMethodCall) -> Value {
        let span = m.method.span();
        let name = m.method.to_string();
        if matches!(receiver, Value::Never) {
            return Value::Never;
        }
        if self.was_refused(&receiver) {
            return receiver;
        }
        if let Some(value) = self.bool_method(&name, &receiver, m) {
            return value;
        }
        if let Some(value) = self.iterator_method(&name, &receiver, m) {
            return value;
        }
        if let Some(value) = self.growth_method(&name, &receiver, m) {
            return value;
        }
        if let Some(value) = self.list_method(&name, &receiver, m) {
            return value;
        }
        if let Some(value) = self.sorting_method(&name, &receiver, m) {
            return value;
        }
        if let Some(value) = self.option_method(&name, &receiver, m) {
            return value;
        }
        if self.refuse_unknown_receiver(&name, &receiver, span) {
            return Value::Never;
        }
        let outer = std::mem::take(&mut self.out);
        let args = self.operands(m.args.iter());
        let raws = std::mem::replace(&mut self.out, outer);
        let receiver = match Self::is_pure(&raws) {
            true => receiver,
            false => self.pin(receiver, span),
        };
        self.out.extend(raws);
        if args.iter().any(|a| matches!(a, Value::Never)) {
            return Value::Never;
        }
        if let Some(value) = self.sequence_method(&name, &receiver, &args, span) {
            return value;
        }
        if matches!(name.as_str(), "clone" | "to_owned") {
            return self.copy_of(receiver, span);
        }
        let receiver = match receiver {
            Value::Place(p) => Value::Place(self.unboxed(&p)),
            Value::View(p, mutable) => Value::View(self.unboxed(&p), mutable),
            other => other,
        };
        if let ("total_cmp" | "partial_cmp" | "cmp", [other]) = (name.as_str(), args.as_slice()) {
            return self.order(&name, receiver, other.clone(), span);
        }
        match self.value_ty(&receiver) {
            Ty::Named(of) if self.is_number_alias(&name, args.len()) => {
                self.demand("float", &of, span);
            }
            Ty::Named(_)
                if name == "len" && args.is_empty() && !self.env.receivers.contains_key("len") =>
            {
                let place = self.place_of(receiver, span);
                return Value::Expr(Expr::Len(place), Ty::USIZE);
            }
            Ty::Named(_) => return self.user_method(m, receiver, args),
            Ty::Discrete(_) if matches!(name.as_str(), "to_string" | "to_owned" | "into") => {
                let (e, _) = self.read(receiver, span);
                let ty = Ty::Discrete("::std::string::String".into());
                return Value::Expr(Expr::Discrete(name, vec![e], ty.clone()), ty);
            }
            ty @ (Ty::Infer(_) | Ty::Unknown) if !self.infer.is_number(&ty) && !is_std(&name) => {
                match &receiver {
                    // Its method does not tell the type to the reverse sweep.
                    Value::Place(p) if self.method_results.contains(&p.root) && p.is_whole() => {
                        return self.refuse(span, Reason::Receiver(name));
                    }
                    Value::Place(_) | Value::View(..) => {
                        return self.user_method(m, receiver, args);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        self.numeric_method(&name, receiver, args, span)
    }

    /// Methods that `Option`s, iterators and arrays have, of a value whose type is not known.
    fn refuse_unknown_receiver(&mut self, name: &str, receiver: &Value, span: Span) -> bool {
        let ty = self.value_ty(receiver);
        let unknown = matches!(ty, Ty::Infer(_) | Ty::Unknown | Ty::Named(_))
            && !self.infer.is_number(&ty)
            && !self.env.receivers.contains_key(name);
        let refused = unknown && OF_OPTIONS.contains(&name);
        if refused {
            self.refuse_use(receiver, span, Reason::Receiver(name.into()));
        }
        refused
    }

    /// Whether a method of a type of unknown meaning is one that floats have: the type may be an alias.
    fn is_number_alias(&self, name: &str, args: usize) -> bool {
        let float = Intrinsic::from_name(name).is_some_and(|op| op.arity() == args + 1);
        let other = matches!(name, "sin_cos" | "is_nan" | "is_finite" | "is_infinite");
        (float || other) && !self.env.receivers.contains_key(name)
    }

    /// `flag.then(|| ..)`, `flag.then_some(..)`
    fn bool_method(
        &mut self,
        name: &str,
        receiver: &Value,
        m: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let (span, arg) = (m.method.span(), m.args.first()?);
        if !matches!(name, "then" | "then_some") || self.value_ty(receiver) != Ty::Bool {
            return None;
        }
        let (test, _) = self.read(receiver.clone(), span);
        if name == "then_some" {
            let flag = self.flag(test, span);
            let value = self.expr(arg);
            let value = self.pin(value, span);
            let then = (Vec::new(), self.variant_value("Some", value));
            let els = (Vec::new(), self.variant_value("None", Value::Unit));
            return Some(self.branch(span, flag, then, els));
        }
        let f = self.callable(arg)?;
        let then = self.in_block(|l| {
            let value = l.apply(&f, Vec::new(), span);
            match value {
                Value::Never => Value::Never,
                value => l.variant_value("Some", value),
            }
        });
        let els = (Vec::new(), self.variant_value("None", Value::Unit));
        Some(self.branch(span, test, then, els))
    }

    /// Notes that a type of the user's has to be what its use takes it for; rustc says so if it isn't.
    pub fn demand(&mut self, what: &str, ty: &str, span: Span) {
        let key = (what.to_string(), ty.to_string());
        if self.demands.contains(&key) {
            return;
        }
        let tokens = |text: &str| text.parse::<proc_macro2::TokenStream>().unwrap_or_default();
        let at = |mut token: proc_macro2::TokenTree| {
            token.set_span(span);
            token
        };
        let what = tokens(what);
        let ty: proc_macro2::TokenStream = tokens(ty).into_iter().map(at).collect();
        let tokens = quote::quote_spanned!(span=> ::adjoint::__private::demand::#what::<#ty>());
        let code = self.add_code(tokens, Vec::new());
        let id = self.stmt_id(span);
        let kind = StmtKind::Passive(code, Vec::new());
        self.hoisted
            .push(super::Raw::Stmt(super::Stmt { id, kind }));
        self.demands.push(key);
    }

    /// The value as a copy of its own.
    fn copy_of(&mut self, value: Value, span: Span) -> Value {
        match value {
            Value::View(p, _) | Value::Place(p) => {
                let ty = p.ty.clone();
                Value::Expr(Expr::Read(p), ty)
            }
            other => {
                let (e, ty) = self.read(other, span);
                Value::Expr(e, ty)
            }
        }
    }

    /// Methods of arrays, slices and `Vec`s.
    fn sequence_method(
        &mut self,
        name: &str,
        receiver: &Value,
        args: &[Value],
        span: Span,
    ) -> Option<Value> {
        let receiver = &self.table(receiver.clone(), span);
        let (Value::Place(place) | Value::View(place, _)) = receiver else {
            return None;
        };
        let place = self.unboxed(place);
        if let (Ty::Infer(_), "len" | "is_empty" | "split_at" | "split_at_mut") =
            (self.shallow(&place.ty), name)
        {
            // Only sequences have these.
            let element = Box::new(self.fresh());
            self.unify(&place.ty, &Ty::Slice(element));
        }
        let ty = self.shallow(&place.ty);
        let element = ty.element()?.clone();
        let mutable = !matches!(receiver, Value::View(_, false));
        Some(match (name, args) {
            ("len", []) => Value::Expr(Expr::Len(place), Ty::USIZE),
            ("is_empty", []) => {
                let len = Expr::Len(place);
                Value::Expr(
                    Expr::Binary(BinOp::Eq, Box::new(len), Box::new(usize_lit(0))),
                    Ty::Bool,
                )
            }
            ("as_slice" | "as_ref" | "as_mut_slice" | "as_mut" | "borrow", []) => {
                Value::View(place, mutable && name.contains("mut"))
            }
            ("split_at" | "split_at_mut", [at]) => {
                let (e, ty) = self.read(at.clone(), span);
                self.unify(&ty, &Ty::USIZE);
                let mid = self.fix(e, Ty::USIZE, span);
                let place = self.anchor(place, span);
                self.halves(&place, &mid, &element, name.ends_with("mut"))
            }
            ("first" | "first_mut", []) => self.element_if_there(&place, usize_lit(0), name, span),
            ("last" | "last_mut", []) => {
                let len = Box::new(Expr::Len(place.clone()));
                let last = vec![
                    Expr::Discrete(
                        "checked_sub".into(),
                        vec![*len, usize_lit(1)],
                        Ty::Option(Box::new(Ty::USIZE)),
                    ),
                    usize_lit(0),
                ];
                let last = Expr::Discrete("unwrap_or".into(), last, Ty::USIZE);
                self.element_if_there(&place, last, name, span)
            }
            ("split_first" | "split_first_mut" | "split_last" | "split_last_mut", []) => {
                self.end_apart(&place, name, span)
            }
            ("copy_within", [range, at]) => {
                self.copy_within(place, range.clone(), at.clone(), span);
                Value::Unit
            }
            ("get" | "get_mut", [at]) if !matches!(at, Value::Iter(_)) => {
                let (e, ty) = self.read(at.clone(), span);
                self.unify(&ty, &Ty::USIZE);
                self.element_if_there(&place, e, name, span)
            }
            ("swap", [i, j]) => {
                let mut at = |v: &Value| {
                    let (e, ty) = self.read(v.clone(), span);
                    self.unify(&ty, &Ty::USIZE);
                    self.element(&place, e, span)
                };
                let (a, b) = (at(i), at(j));
                self.emit(span, StmtKind::Swap(a, b));
                Value::Unit
            }
            ("copy_from_slice" | "clone_from_slice", [from]) => {
                let from = self.place_of(from.clone(), span);
                self.copy_slice(place, from, span);
                Value::Unit
            }
            ("to_vec" | "into_vec", []) => {
                let whole = match ty {
                    Ty::Slice(_) => place,
                    _ => place.project(
                        Proj::Range(None, None),
                        Ty::Slice(Box::new(element.clone())),
                    ),
                };
                Value::Expr(Expr::Read(whole), Ty::Vec(Box::new(element)))
            }
            ("swap_with_slice", [other]) => {
                let other = self.place_of(other.clone(), span);
                self.swap_slices(&place, &other, span);
                Value::Unit
            }
            ("reverse", []) => {
                self.reverse_slice(&place, span);
                Value::Unit
            }
            ("rotate_left" | "rotate_right", [by]) => {
                let (e, ty) = self.read(by.clone(), span);
                self.unify(&ty, &Ty::USIZE);
                self.rotate(&place, e, name == "rotate_left", span);
                Value::Unit
            }
            ("fill", [value]) => {
                let (e, ty) = self.read(value.clone(), span);
                self.unify(&ty, &element);
                self.fill(place, e, element, span);
                Value::Unit
            }
            _ => return None,
        })
    }

    /// `split_first()`, `split_last()`: the element at an end and the others, if there is one.
    fn end_apart(&mut self, place: &Place, name: &str, span: Span) -> Value {
        let mutable = name.ends_with("_mut");
        let len = self.fix(Expr::Len(place.clone()), Ty::USIZE, span);
        let tag = Expr::Binary(BinOp::Gt, Box::new(len.clone()), Box::new(usize_lit(0)));
        let tag = self.flag(tag, span);
        let before = Expr::Discrete("saturating_sub".into(), vec![len, usize_lit(1)], Ty::USIZE);
        let (at, rest) = match name.starts_with("split_first") {
            true => (usize_lit(0), (Some(usize_lit(1)), None)),
            false => {
                let last = self.fix(before, Ty::USIZE, span);
                (last.clone(), (None, Some(last)))
            }
        };
        let element = self.element(place, at, span);
        let rest = self.slice(place, rest.0, rest.1, span);
        let parts = vec![Value::View(element, mutable), Value::View(rest, mutable)];
        Value::Choice(Box::new(Choice {
            family: Family::Option,
            tag,
            yes: Value::Tuple(parts),
            no: Value::Unit,
            by_ref: None,
        }))
    }

    /// A reference to an element, if there is one of this index.
    fn element_if_there(&mut self, place: &Place, index: Expr, name: &str, span: Span) -> Value {
        let index = self.fix(index, Ty::USIZE, span);
        let len = Box::new(Expr::Len(place.clone()));
        let tag = Expr::Binary(BinOp::Lt, Box::new(index.clone()), len);
        let element = self.element(place, index, span);
        let yes = Value::View(element, name.ends_with("_mut"));
        Value::Choice(Box::new(Choice {
            family: Family::Option,
            tag,
            yes,
            no: Value::Unit,
            by_ref: None,
        }))
    }

    /// `split_at(mid)`
    fn halves(&mut self, place: &Place, mid: &Expr, element: &Ty, mutable: bool) -> Value {
        let ty = Ty::Slice(Box::new(element.clone()));
        let head = place.project(Proj::Head(Box::new(mid.clone())), ty.clone());
        let tail = place.project(Proj::Tail(Box::new(mid.clone())), ty);
        Value::Tuple(vec![Value::View(head, mutable), Value::View(tail, mutable)])
    }

    /// Methods of numbers. Which of `abs`, `min`, `signum` and the like are of integers is settled
    /// when the types are known ([`super::finish`]).
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
        if !is_int && let Some(value) = self.real_method(name, &e, &ty, &args, span) {
            return value;
        }
        let mut all = vec![e];
        all.extend(args.iter().map(|(e, _)| e.clone()));
        if PREDICATES.contains(&name) {
            for (_, t) in &args {
                self.unify(&ty, t);
            }
            return Value::Expr(Expr::Discrete(name.into(), all, Ty::Bool), Ty::Bool);
        }
        let int_intrinsic = is_int
            && matches!(
                name,
                "abs"
                    | "min"
                    | "max"
                    | "clamp"
                    | "signum"
                    | "rem_euclid"
                    | "div_euclid"
                    | "midpoint"
            );
        if INTEGER.contains(&name) || int_intrinsic {
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
            return self.checked(name, all, &ty, &args);
        }
        if COUNTS.contains(&name) {
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
                    _ => self.infer.fresh(Kind::Int),
                };
                Value::Expr(Expr::Discrete(name.into(), all, result.clone()), result)
            }
            "into" => {
                let result = self.fresh();
                Value::Expr(Expr::Cast(Box::new(all.remove(0)), result.clone()), result)
            }
            _ => self.refuse(span, Reason::Method(name.into())),
        }
    }

    /// `checked_sub` and the like: whether there is a result, and the result or 0.
    fn checked(&mut self, name: &str, all: Vec<Expr>, ty: &Ty, args: &[(Expr, Ty)]) -> Value {
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
        Value::Choice(Box::new(Choice {
            family: Family::Option,
            tag,
            yes,
            no: Value::Unit,
            by_ref: None,
        }))
    }

    /// Methods of reals.
    fn real_method(
        &mut self,
        name: &str,
        e: &Expr,
        ty: &Ty,
        args: &[(Expr, Ty)],
        span: Span,
    ) -> Option<Value> {
        if name == "sin_cos" && args.is_empty() {
            self.restrict_to_float(ty);
            let part = |op| Value::Expr(Expr::Intrinsic(op, vec![e.clone()]), ty.clone());
            let parts = vec![part(Intrinsic::Sin), part(Intrinsic::Cos)];
            return Some(Value::Tuple(
                parts.into_iter().map(|v| self.pin(v, span)).collect(),
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
            let both = Expr::Binary(*op, Box::new(e.clone()), Box::new(r.clone()));
            return Some(Value::Expr(both, ty.clone()));
        }
        if name == "neg" && args.is_empty() {
            let neg = Expr::Unary(crate::ir::UnOp::Neg, Box::new(e.clone()));
            return Some(Value::Expr(neg, ty.clone()));
        }
        let op = Intrinsic::from_name(name)?;
        if op.arity() != args.len() + 1 {
            return None;
        }
        let mut all = vec![e.clone()];
        for (arg, t) in args {
            match op {
                Intrinsic::Powi => self.unify(t, &Ty::Int(IntTy::I32)),
                _ => self.unify(ty, t),
            }
            all.push(arg.clone());
        }
        let shared = matches!(
            op,
            Intrinsic::Abs
                | Intrinsic::Min
                | Intrinsic::Max
                | Intrinsic::Clamp
                | Intrinsic::Signum
                | Intrinsic::RemEuclid
                | Intrinsic::DivEuclid
                | Intrinsic::Midpoint
        );
        if !shared {
            self.restrict_to_float(ty);
        }
        Some(Value::Expr(Expr::Intrinsic(op, all), ty.clone()))
    }

    /// A method that only reals have says that its receiver is one.
    fn restrict_to_float(&mut self, ty: &Ty) {
        if let Ty::Infer(_) = self.shallow(ty) {
            let float = self.infer.fresh(Kind::Float);
            self.unify(ty, &float);
        }
    }
}
