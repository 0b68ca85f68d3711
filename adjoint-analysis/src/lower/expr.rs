//! Lowering of expressions to values.

pub(super) mod assign;
pub mod field;
pub(super) mod index;
pub(super) mod index_invariance;
pub mod macros;
pub mod operator;
pub(super) mod path;
pub(super) mod place_context;

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::aggregate::reference_arrays::is_ref_array;
use super::infer::expectation::{ParamType, by_value, repeat_by_value};
use super::infer::unify::VarKind;
use super::iter::Producer;
use super::opaque::code::is_assemblable;
use super::span;
use super::types::{lower_type, text};
use super::value::Value;
use super::{Lower, Ty};
use crate::ir::{BinOp, Expr, FloatTy, IntTy, Place, Proj, UnOp, base_name};
use crate::refuse::Reason;

/// Nesting limit of expressions: deeper ones are refused, as they would overflow the stack.
const MAX_DEPTH: usize = 400;

impl Lower {
    /// Lowers an expression whose expected type is known, as by an annotation.
    pub fn expr_as(&mut self, e: &syn::Expr, expected: Option<&Ty>) -> Value {
        let special = matches!(
            expected,
            Some(Ty::Option(_) | Ty::Result(..) | Ty::Named(_))
        );
        if self.depends_on_expected(e) || (special && is_sum_or_try(e)) {
            self.expected_ty = expected.cloned();
        }
        // The expected name may be an alias of a number type. A method call shows by its method what it makes.
        let of_method = matches!(strip_parens(e), syn::Expr::MethodCall(_));
        self.is_statement = of_method && expected == Some(&Ty::Unit);
        if let (Some(Ty::Named(_)), false) = (expected, of_method) {
            self.expect_struct(e);
        }
        let value = with_expected_args(self.expr_with_hint(e, expected), expected);
        let value = match expected {
            Some(expected) => self.coerce_to_object(value, expected, span::of_expr(e)),
            None => value,
        };
        if let (Value::Expr(_, ty) | Value::Place(Place { ty, .. }), Some(expected)) =
            (&value, expected)
        {
            let ty = ty.clone();
            self.note_number_alias(expected, &ty);
            self.unify(&ty, expected);
        }
        value
    }

    /// Lowers an expression.
    pub fn expr(&mut self, e: &syn::Expr) -> Value {
        self.expr_with_hint(e, None)
    }

    /// Lowers an expression; the arms of a block, `if` or `match` are lowered with the expected type.
    pub fn expr_with_hint(&mut self, e: &syn::Expr, expected: Option<&Ty>) -> Value {
        self.expr_depth += 1;
        let value = match self.expr_depth > MAX_DEPTH {
            true => self.refuse(
                e.span(),
                Reason::Expression("an expression nested this deeply".into()),
            ),
            false => self.expr_kind(e, expected),
        };
        self.expr_depth -= 1;
        value
    }

    fn expr_kind(&mut self, e: &syn::Expr, expected: Option<&Ty>) -> Value {
        if let Some(found) = self.lower_opaque(e, expected) {
            return found;
        }
        let span = span::of_expr(e);
        match e {
            syn::Expr::Lit(l) => self.literal(&l.lit),
            syn::Expr::Paren(p) => self.expr_with_hint(&p.expr, expected),
            syn::Expr::Group(g) => self.expr_with_hint(&g.expr, expected),
            syn::Expr::Path(p) => self.path(p),
            syn::Expr::Unary(u) => self.unary(u),
            syn::Expr::Binary(b) => self.binary_expr(b),
            syn::Expr::Assign(a) => self.assign(a),
            syn::Expr::Index(i) => self.index(i),
            syn::Expr::Field(f) => {
                let written = self.in_mutable_place;
                let value = self.field(f);
                match written {
                    true => value,
                    false => self.copied_part(value),
                }
            }
            syn::Expr::Reference(r) => self.reference(r),
            syn::Expr::Cast(c) => self.cast(c),
            syn::Expr::Tuple(t) if t.elems.is_empty() => Value::Unit,
            syn::Expr::Tuple(t) => {
                let takes = match expected {
                    Some(Ty::Tuple(types)) => types.iter().cloned().map(by_value).collect(),
                    _ => Vec::new(),
                };
                Value::Tuple(self.operands_expected(t.elems.iter(), takes))
            }
            syn::Expr::Array(a) => self.array(a, expected.and_then(Ty::element)),
            syn::Expr::Repeat(r) => self.repeat(r, expected.and_then(Ty::element)),
            syn::Expr::Block(b) => self.labeled_block(b, expected),
            syn::Expr::If(i) => self.if_expr(i, expected),
            syn::Expr::Match(m) => self.match_expr(m, expected),
            syn::Expr::ForLoop(f) => self.for_loop(f),
            syn::Expr::While(w) => self.while_loop(w),
            syn::Expr::Loop(l) => self.loop_expr(l),
            syn::Expr::Break(b) => self.break_expr(b),
            syn::Expr::Continue(c) => self.continue_expr(c),
            syn::Expr::Return(r) => self.return_expr(r),
            syn::Expr::Call(c) => self.call(c, expected),
            syn::Expr::MethodCall(m) => self.method_call(m),
            syn::Expr::Macro(m) => self.macro_value(&m.mac, expected),
            syn::Expr::Range(r) => self.range_value(r),
            syn::Expr::Closure(c) => self.closure(c),
            syn::Expr::Try(t) => self.try_expr(t),
            syn::Expr::Struct(s) => self.struct_literal(s, expected),
            syn::Expr::Let(l) => {
                let cond = self.refuse_let(l);
                Value::Expr(cond, Ty::Bool)
            }
            _ => {
                let what = match e {
                    syn::Expr::Unsafe(_) => "an `unsafe` block",
                    syn::Expr::Async(_) | syn::Expr::Await(_) => "`async` code",
                    syn::Expr::Const(_) => "a `const` block",
                    syn::Expr::RawAddr(_) => "a raw pointer",
                    _ => "this expression",
                };
                self.refuse(span, Reason::Expression(what.into()))
            }
        }
    }

    /// Lowers expressions in order. If a later one has statements, the earlier values are copied to temporaries first,
    /// so that it can't change them.
    pub fn operands<'a>(&mut self, exprs: impl Iterator<Item = &'a syn::Expr>) -> Vec<Value> {
        self.operands_with(exprs, &mut |l, e| l.expr(e))
    }

    /// [`Lower::operands`] with an expected type for each expression.
    pub fn operands_expected<'a>(
        &mut self,
        exprs: impl Iterator<Item = &'a syn::Expr>,
        takes: Vec<Option<ParamType>>,
    ) -> Vec<Value> {
        let mut takes = takes.into_iter();
        self.operands_with(exprs, &mut |l, e| {
            let taken = takes.next().flatten();
            l.lower_coerced(e, taken.filter(|_| !l.may_be_mut_array(e)))
        })
    }

    /// [`Lower::operands`] with a given lowering for each expression.
    pub fn operands_with<'a>(
        &mut self,
        exprs: impl Iterator<Item = &'a syn::Expr>,
        lower: &mut dyn FnMut(&mut Lower, &'a syn::Expr) -> Value,
    ) -> Vec<Value> {
        let mut values: Vec<Value> = Vec::new();
        for e in exprs {
            let outer = std::mem::take(&mut self.out);
            let value = lower(self, e);
            let raws = std::mem::replace(&mut self.out, outer);
            if !Self::is_pure(&raws) {
                values = values
                    .into_iter()
                    .map(|v| self.copy_to_temp(v, span::of_expr(e)))
                    .collect();
            }
            self.out.extend(raws);
            values.push(value);
        }
        values
    }

    fn literal(&mut self, lit: &syn::Lit) -> Value {
        match lit {
            syn::Lit::Float(f) => {
                let ty = match f.suffix() {
                    "f32" => Ty::Float(FloatTy::F32),
                    "f64" => Ty::F64,
                    _ => self.infer.fresh(VarKind::PrimitiveFloat),
                };
                Value::Expr(Expr::Lit(f.base10_digits().to_string(), ty.clone()), ty)
            }
            syn::Lit::Int(i) => {
                let ty = match i.suffix() {
                    "f32" => Ty::Float(FloatTy::F32),
                    "f64" => Ty::F64,
                    "" => self.infer.fresh(VarKind::Int),
                    name => IntTy::from_name(name).map_or(Ty::Unknown, Ty::Int),
                };
                Value::Expr(Expr::Lit(i.base10_digits().to_string(), ty.clone()), ty)
            }
            syn::Lit::Bool(b) => Value::Expr(Expr::Lit(b.value.to_string(), Ty::Bool), Ty::Bool),
            other => {
                let (code, places) = self.capture(quote::quote!(#other));
                let ty = match other {
                    syn::Lit::Char(_) => Ty::Discrete("char".into()),
                    syn::Lit::Byte(_) => Ty::Int(IntTy::U8),
                    _ => Ty::Discrete("&str".into()),
                };
                Value::Expr(Expr::Code(code, places, ty.clone()), ty)
            }
        }
    }

    fn unary(&mut self, u: &syn::ExprUnary) -> Value {
        let wanted = self.take_struct_expectation() || self.looks_like_struct(&u.expr);
        let value = self.expr(&u.expr);
        let span = u.span();
        match u.op {
            syn::UnOp::Deref(_) => match value {
                Value::Place(p) => match self.shallow(&p.ty) {
                    Ty::Boxed(inner) => Value::Place(p.project(Proj::Deref, *inner)),
                    // A by-value binding of a pattern is no reference, so the operand is a box.
                    Ty::Infer(_)
                        if self.is_by_value_binding(&p) && !self.infer.is_number(&p.ty) =>
                    {
                        let inner = self.infer.fresh_external();
                        self.unify(&p.ty, &Ty::Boxed(Box::new(inner.clone())));
                        Value::Place(p.project(Proj::Deref, inner))
                    }
                    Ty::Named(_) | Ty::Unknown => self.refuse(
                        span,
                        Reason::Expression("a dereference of this type".into()),
                    ),
                    _ => Value::Place(p),
                },
                value => Lower::deref_value(value),
            },
            syn::UnOp::Neg(_) => self.negation(value, wanted, span),
            _ => {
                let (e, ty) = self.read(value, span);
                Value::Expr(Expr::Unary(UnOp::Not, Box::new(e)), ty)
            }
        }
    }

    /// Whether a pattern bound the place by value.
    fn is_by_value_binding(&self, p: &Place) -> bool {
        is_variant_payload(p) || p.is_whole() && self.untyped_payloads.contains(&p.root)
    }

    fn negation(&mut self, value: Value, wanted: bool, span: Span) -> Value {
        if let Some(value) = self.user_negation(&value, wanted, span) {
            return value;
        }
        match self.read(value, span) {
            (Expr::Lit(text, ty), _) if !text.starts_with('-') => {
                Value::Expr(Expr::Lit(format!("-{text}"), ty.clone()), ty)
            }
            (e, ty) => Value::Expr(Expr::Unary(UnOp::Neg, Box::new(e)), ty),
        }
    }

    fn binary_expr(&mut self, b: &syn::ExprBinary) -> Value {
        let span = span::across(&b.left, &b.right);
        let wanted = self.take_struct_expectation();
        if let Some(op) = compound_op(&b.op) {
            return self.compound_assign(op, b);
        }
        let Some(op) = binary_op(&b.op) else {
            return self.refuse(span, Reason::Expression("this operator".into()));
        };
        if matches!(op, BinOp::And | BinOp::Or) {
            return self.short_circuit(op, &b.left, &b.right);
        }
        let wanted = wanted || self.has_struct_operand(op, b);
        let wanting = if wanted { Some(op) } else { None };
        let mut values = self.binary_operands(b, wanting).into_iter();
        let (Some(l), Some(r)) = (values.next(), values.next()) else {
            return Value::Diverges;
        };
        if matches!(l, Value::Diverges) || matches!(r, Value::Diverges) {
            return Value::Diverges;
        }
        let wanted = wanted || self.looks_like_struct(&b.left) || self.looks_like_struct(&b.right);
        if let Some(value) = self.user_binary(op, &l, &r, wanted, span::of_operator(&b.op)) {
            return value;
        }
        self.binary(op, l, r, span)
    }

    /// An operator applied to two values.
    pub fn binary(&mut self, op: BinOp, l: Value, r: Value, span: Span) -> Value {
        // A comparison of references compares their referents.
        let [l, r] = [l, r].map(|value| match value {
            Value::SplitEnum(c) if op.is_comparison() => {
                Value::SplitEnum(Box::new(Lower::deref_split_enum(*c)))
            }
            value => value,
        });
        let (l, lt) = self.read(l, span);
        let (r, rt) = self.read(r, span);
        match op {
            BinOp::Shl | BinOp::Shr => self.infer_integer(&l, &lt, span),
            _ if self.is_text_and_unknown(&lt, &rt) => {}
            _ => self.unify(&lt, &rt),
        }
        let (l, r) = self.comparable_operands((l, &lt), (r, &rt));
        let ty = if op.is_comparison() { Ty::Bool } else { lt };
        Value::Expr(Expr::Binary(op, Box::new(l), Box::new(r)), ty)
    }

    /// `a && b`, `a || b`: the right side is evaluated only where the left one does not decide.
    fn short_circuit(&mut self, op: BinOp, left: &syn::Expr, right: &syn::Expr) -> Value {
        let (span, l) = (span::of_expr(left), self.expr(left));
        let (l, _) = self.read(l, span);
        let outer = std::mem::take(&mut self.out);
        let r = self.expr(right);
        let (r, _) = self.read(r, span);
        let raws = std::mem::replace(&mut self.out, outer);
        if raws.is_empty() {
            return Value::Expr(Expr::Binary(op, Box::new(l), Box::new(r)), Ty::Bool);
        }
        let flag = self.temp(span, "test", l, Ty::Bool);
        let mut raws = raws;
        let id = self.stmt_id(span);
        raws.push(super::LabeledStmt::Stmt(super::Stmt {
            id,
            kind: super::StmtKind::Assign(flag.clone(), r),
        }));
        let id = self.stmt_id(span);
        let read = Expr::Read(flag.clone());
        let (then, els) = match op {
            BinOp::And => (raws, Vec::new()),
            _ => (Vec::new(), raws),
        };
        self.out.push(super::LabeledStmt::If(id, read, then, els));
        Value::Place(flag)
    }

    fn reference(&mut self, r: &syn::ExprReference) -> Value {
        let value = match self.named_closure(&r.expr) {
            Some(closure) => Value::Closure(closure),
            None if r.mutability.is_some() => self.lower_mut_place(&r.expr),
            None => self.expr(&r.expr),
        };
        let value = match (strip_parens(&r.expr), value) {
            // A reference to a block's value refers to a temporary.
            (syn::Expr::Block(_), value) if r.mutability.is_none() => {
                self.copy_to_temp(value, r.span())
            }
            (syn::Expr::Call(_), Value::Place(p)) => self.unaliased_result(p, r.span()),
            (_, value) => value,
        };
        match value {
            Value::Iter(p) if r.mutability.is_some() && matches!(&*p, Producer::Cursor(..)) => {
                Value::Iter(self.remaining_items(&p, r.span()))
            }
            Value::Iter(_) if r.mutability.is_some() => {
                self.refuse(r.span(), Reason::Iterator("a borrowed iterator".into()))
            }
            Value::Expr(Expr::Code(..), _) => match self.hoist_table(value, r.span()) {
                Value::PlaceRef(p, _) => Value::PlaceRef(p, r.mutability.is_some()),
                other => Value::PlaceRef(self.place_of(other, r.span()), r.mutability.is_some()),
            },
            Value::Closure(c) => Value::Closure(c.with_reference(r.mutability.is_some())),
            Value::Tuple(_) | Value::RefStruct(..) => self.borrow_split(value, r),
            value if r.mutability.is_some() && self.is_rebindable(&value) => {
                Value::RefToAggregate(Box::new(value), true)
            }
            Value::Iter(_) | Value::Diverges | Value::RefToAggregate(..) => value,
            Value::SplitEnum(c) => Value::SplitEnum(Box::new(self.borrow_split_enum(
                *c,
                r.mutability.is_some(),
                r.span(),
            ))),
            other => Value::PlaceRef(self.place_of(other, r.span()), r.mutability.is_some()),
        }
    }

    /// A reference to a split tuple or struct.
    fn borrow_split(&mut self, value: Value, r: &syn::ExprReference) -> Value {
        let (mutable, span) = (r.mutability.is_some(), r.span());
        let is_place = matches!(
            strip_parens(&r.expr),
            syn::Expr::Path(_) | syn::Expr::Field(_) | syn::Expr::Index(_) | syn::Expr::Unary(_)
        );
        let is_written = mutable && is_place;
        match &value {
            // A tuple of references stands for a reference to it, and a tuple that can be assembled is assembled only
            // where it is passed to a callee.
            Value::Tuple(parts)
                if !is_written && (is_ref_array(parts) || is_assemblable(&value)) =>
            {
                value
            }
            _ if is_place => Value::RefToAggregate(Box::new(value), mutable),
            _ => Value::RefToAggregate(
                Box::new(self.owned_value("t", value, mutable, span)),
                mutable,
            ),
        }
    }

    fn cast(&mut self, c: &syn::ExprCast) -> Value {
        let boxed = lower_type(&c.ty, &self.env).0;
        if let Ty::Boxed(_) = boxed {
            return self.expr_as(&c.expr, Some(&boxed));
        }
        let value = self.expr(&c.expr);
        let (e, from) = self.read(value, c.span());
        let ty = match &*c.ty {
            syn::Type::Infer(_) => self.fresh_ty(),
            ty => self.declared_type(ty),
        };
        Value::Expr(self.cast_to(e, &from, ty.clone()), ty)
    }

    fn array(&mut self, a: &syn::ExprArray, expected: Option<&Ty>) -> Value {
        let element = self.fresh_ty();
        let mut parts = Vec::new();
        let values =
            self.operands_expected(a.elems.iter(), repeat_by_value(a.elems.len(), expected));
        let as_references = is_ref_array(&values)
            && values.iter().any(
                |v| matches!(v, Value::PlaceRef(p, mutable) if *mutable || !self.is_copyable(p)),
            );
        if as_references {
            return Value::Tuple(values);
        }
        for (value, e) in values.into_iter().zip(&a.elems) {
            let value = self.refuse_mut_ref(value, span::of_expr(e));
            let (part, ty) = self.read(value, span::of_expr(e));
            self.unify(&element, &ty);
            parts.push(part);
        }
        let ty = Ty::Array(Box::new(element), a.elems.len().to_string());
        Value::Expr(Expr::Aggregate(parts, ty.clone()), ty)
    }

    /// `[value; len]`
    fn repeat(&mut self, r: &syn::ExprRepeat, expected: Option<&Ty>) -> Value {
        let (value, len) = (&r.expr, &r.len);
        let v = self.lower_coerced(value, expected.cloned().and_then(by_value));
        let (e, element) = self.read(v, value.span());
        let ty = Ty::Array(Box::new(element), text(len));
        let (code, places) = self.capture(quote::quote!(#len));
        let count = Expr::Code(code, places, Ty::USIZE);
        Value::Expr(Expr::Repeat(Box::new(e), Box::new(count), ty.clone()), ty)
    }

    /// Whether the expected type determines what the expression makes: `collect`, `array::from_fn`, `into`.
    pub fn depends_on_expected(&self, e: &syn::Expr) -> bool {
        match strip_parens(e) {
            syn::Expr::MethodCall(m) if super::std_lib::array_chunks::converts_to_array(m) => true,
            syn::Expr::MethodCall(m) => {
                let told = ["collect", "partition", "into"];
                told.iter().any(|name| m.method == name) && m.turbofish.is_none()
            }
            syn::Expr::Call(c) => match strip_parens(&c.func) {
                syn::Expr::Path(p) => is_from_fn(&self.resolve_import(p)),
                func => matches!(func, syn::Expr::Closure(_)),
            },
            _ => false,
        }
    }
}

/// Gives a value that user code makes by its type's name alone, `Mean::default()`, the expected generic arguments.
fn with_expected_args(value: Value, expected: Option<&Ty>) -> Value {
    match (value, expected) {
        (Value::Expr(Expr::Code(code, of, Ty::Named(name)), _), Some(told @ Ty::Named(full)))
            if base_name(full) == name =>
        {
            Value::Expr(Expr::Code(code, of, told.clone()), told.clone())
        }
        (value, _) => value,
    }
}

/// Whether the value is made by `sum`, `product` or `try_fold`, and so may be an `Option`, a `Result` or a user type.
fn is_sum_or_try(e: &syn::Expr) -> bool {
    let syn::Expr::MethodCall(m) = strip_parens(e) else {
        return false;
    };
    let adds_up = m.method == "sum" || m.method == "product";
    adds_up && m.turbofish.is_none() || super::iter::is_try_method(m)
}

/// `std::array::from_fn`
pub fn is_from_fn(p: &syn::ExprPath) -> bool {
    let mut names = p.path.segments.iter().rev().map(|s| &s.ident);
    names.next().is_some_and(|n| n == "from_fn") && names.next().is_some_and(|n| n == "array")
}

/// The expression inside parentheses.
pub fn strip_parens(e: &syn::Expr) -> &syn::Expr {
    match e {
        syn::Expr::Paren(p) => strip_parens(&p.expr),
        syn::Expr::Group(g) => strip_parens(&g.expr),
        _ => e,
    }
}

/// The IR operator of a binary operator; `None` for compound assignments.
pub fn binary_op(op: &syn::BinOp) -> Option<BinOp> {
    Some(match op {
        syn::BinOp::Add(_) => BinOp::Add,
        syn::BinOp::Sub(_) => BinOp::Sub,
        syn::BinOp::Mul(_) => BinOp::Mul,
        syn::BinOp::Div(_) => BinOp::Div,
        syn::BinOp::Rem(_) => BinOp::Rem,
        syn::BinOp::BitAnd(_) => BinOp::BitAnd,
        syn::BinOp::BitOr(_) => BinOp::BitOr,
        syn::BinOp::BitXor(_) => BinOp::BitXor,
        syn::BinOp::Shl(_) => BinOp::Shl,
        syn::BinOp::Shr(_) => BinOp::Shr,
        syn::BinOp::And(_) => BinOp::And,
        syn::BinOp::Or(_) => BinOp::Or,
        syn::BinOp::Eq(_) => BinOp::Eq,
        syn::BinOp::Ne(_) => BinOp::Ne,
        syn::BinOp::Lt(_) => BinOp::Lt,
        syn::BinOp::Le(_) => BinOp::Le,
        syn::BinOp::Gt(_) => BinOp::Gt,
        syn::BinOp::Ge(_) => BinOp::Ge,
        _ => return None,
    })
}

/// The operator of a compound assignment.
pub fn compound_op(op: &syn::BinOp) -> Option<BinOp> {
    Some(match op {
        syn::BinOp::AddAssign(_) => BinOp::Add,
        syn::BinOp::SubAssign(_) => BinOp::Sub,
        syn::BinOp::MulAssign(_) => BinOp::Mul,
        syn::BinOp::DivAssign(_) => BinOp::Div,
        syn::BinOp::RemAssign(_) => BinOp::Rem,
        syn::BinOp::BitAndAssign(_) => BinOp::BitAnd,
        syn::BinOp::BitOrAssign(_) => BinOp::BitOr,
        syn::BinOp::BitXorAssign(_) => BinOp::BitXor,
        syn::BinOp::ShlAssign(_) => BinOp::Shl,
        syn::BinOp::ShrAssign(_) => BinOp::Shr,
        _ => return None,
    })
}

/// Whether the place is the payload of a variant.
pub fn is_variant_payload(place: &Place) -> bool {
    matches!(place.proj.last(), Some(Proj::Variant(..)))
}
