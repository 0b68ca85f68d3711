//! Plain, compound and destructuring assignment.

use quote::ToTokens;
use syn::spanned::Spanned;

use super::strip_parens;
use crate::ir::{BinOp, Expr, FloatTy, Place, UnOp};
use crate::lower::aggregate::assign_in_arms::push_assign_into_arms;
use crate::lower::span;
use crate::lower::tokens::identifiers;
use crate::lower::value::{Binding, Value};
use crate::lower::{Lower, Mode, StmtKind, Ty};
use crate::refuse::Reason;

impl Lower {
    /// `left = right`; the right side is evaluated first.
    pub fn assign(&mut self, a: &syn::ExprAssign) -> Value {
        if let (true, syn::Expr::Path(p)) =
            (self.names_rebindable_option(&a.left), strip_parens(&a.left))
            && let Some(name) = p.path.get_ident()
            && let Some(in_arms) = push_assign_into_arms(name, &a.right)
        {
            return self.expr(&in_arms);
        }
        let by_reference = self.names_rebindable_ref(&a.left);
        let outer = std::mem::replace(&mut self.keep_reference, by_reference);
        if self.names_rebindable_option(&a.left) {
            let payload = self.fresh_ty();
            self.expected_ty = Some(Ty::Option(Box::new(payload)));
        }
        let value = match self.depends_on_expected(&a.right) || self.may_hold_object(&a.left) {
            true => {
                let ty = self.probe_type(&a.left);
                self.expr_as(&a.right, Some(&ty))
            }
            false => self.expr(&a.right),
        };
        self.expected_ty = None;
        self.keep_reference = outer;
        if matches!(value, Value::Diverges) {
            return Value::Diverges;
        }
        self.assign_to(&a.left, value);
        Value::Unit
    }

    /// The type of a place expression, lowered without emitting its statements.
    pub fn probe_type(&mut self, left: &syn::Expr) -> Ty {
        let (_, ty) = self.in_block(|l| {
            let place = l.expr(left);
            l.value_ty(&place)
        });
        ty
    }

    /// Whether the left side names a reassignable reference.
    fn names_rebindable_ref(&self, left: &syn::Expr) -> bool {
        match strip_parens(left) {
            syn::Expr::Tuple(t) => t.elems.iter().any(|e| self.names_rebindable_ref(e)),
            syn::Expr::Path(p) => p.path.get_ident().is_some_and(|name| {
                matches!(
                    self.lookup(&name.to_string()),
                    Some(Binding::Value(Value::PlaceRef(..)))
                )
            }),
            syn::Expr::Unary(u) if is_dereference(left) => match strip_parens(&u.expr) {
                syn::Expr::Path(p) => p.path.get_ident().is_some_and(|name| {
                    matches!(self.lookup(&name.to_string()), Some(Binding::Value(Value::RefToAggregate(of, _)))
                        if matches!(**of, Value::PlaceRef(..)))
                }),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether the left side names a reassignable `Option` of a reference.
    fn names_rebindable_option(&self, left: &syn::Expr) -> bool {
        let syn::Expr::Path(p) = strip_parens(left) else {
            return false;
        };
        let name = p.path.get_ident().map(ToString::to_string);
        match name.and_then(|name| self.lookup(&name)) {
            Some(Binding::Value(Value::SplitEnum(c))) => {
                self.as_ref_source(c).is_some() || self.is_rebindable(&c.payload)
            }
            _ => false,
        }
    }

    /// Assigns a value to a left side: a place, `_`, or a tuple or array of these.
    fn assign_to(&mut self, left: &syn::Expr, value: Value) {
        let span = span::of_expr(left);
        match strip_parens(left) {
            syn::Expr::Infer(_) => self.force_eval(&value, span),
            syn::Expr::Tuple(t) => {
                let value = self.copy_to_temp(value, span);
                let parts = self.components(value, t.elems.len(), span);
                for (left, part) in t.elems.iter().zip(parts) {
                    self.assign_to(left, part);
                }
            }
            syn::Expr::Array(t) => {
                let value = self.copy_to_temp(value, span);
                let parts = self.elements(value, t.elems.len(), span);
                for (left, part) in t.elems.iter().zip(parts) {
                    self.assign_to(left, part);
                }
            }
            syn::Expr::Index(element) if self.assign_ref_element(element, &value) => {}
            left => {
                let outer = std::mem::take(&mut self.out);
                let place = self.lower_mut_place(left);
                let raws = std::mem::replace(&mut self.out, outer);
                let value = match Self::is_pure(&raws) {
                    true => value,
                    false => self.copy_to_temp(value, span),
                };
                self.out.extend(raws);
                if matches!(value, Value::PlaceRef(..)) && self.refuse_chosen_ref(&place, span) {
                    return;
                }
                let place = match (place, &value) {
                    (Value::PlaceRef(p, true), Value::Expr(..) | Value::Place(_))
                        if is_field_expr(left) =>
                    {
                        Value::Place(p)
                    }
                    // The store would overwrite the referent instead of the reference.
                    (Value::Place(_), Value::PlaceRef(..)) if is_dereference(left) => {
                        let what = "a reference that is assigned by way of another one";
                        self.refuse(span, Reason::Reference(what.into()));
                        return;
                    }
                    (place, _) => place,
                };
                self.store(place, value, span);
            }
        }
    }

    /// Stores the value in the place.
    pub fn store(&mut self, place: Value, value: Value, span: proc_macro2::Span) {
        match (place, value) {
            (Value::SplitEnum(dest), value) => self.store_split_enum(&dest, value, span),
            (
                place @ (Value::Tuple(_) | Value::RefStruct(..)),
                Value::RefToAggregate(value, false),
            ) => {
                self.store(place, *value, span);
            }
            (Value::RefStruct(of, places), Value::RefStruct(other, parts))
                if of.name == other.name =>
            {
                self.store(Value::Tuple(places), Value::Tuple(parts), span);
            }
            (Value::Tuple(places), Value::Tuple(parts)) if places.len() == parts.len() => {
                let pairs = places.into_iter().zip(parts);
                let other = pairs.filter(|(place, part)| !is_same_ref(place, part));
                let (places, parts): (Vec<_>, Vec<_>) = other.unzip();
                let parts: Vec<Value> = parts
                    .into_iter()
                    .map(|v| self.copy_to_temp(v, span))
                    .collect();
                for (place, part) in places.into_iter().zip(parts) {
                    self.store(place, part, span);
                }
            }
            (Value::Tuple(places), value) => {
                let value = self.copy_to_temp(value, span);
                let parts = self.components(value, places.len(), span);
                for (place, part) in places.into_iter().zip(parts) {
                    self.store(place, part, span);
                }
            }
            (Value::Place(place), Value::PlaceRef(to, mutable)) => {
                let kept = !mutable && self.is_copyable(&to);
                self.unassigned.retain(|v| !kept || *v != place.root);
                if !self.init_as_reference(place.root, to.clone(), mutable, span) {
                    self.store_referent(place, to, mutable, span);
                }
            }
            (Value::Place(place), value) => {
                self.unassigned.retain(|v| *v != place.root);
                self.assign_place(place, value, span);
            }
            (Value::PlaceRef(reference, _), Value::PlaceRef(to, _)) => {
                self.rebind(&reference, to, span)
            }
            (other, _) => self.refuse_use(&other, span, Reason::NotAPlace),
        }
    }

    /// Stores the referent instead of the reference, which is equivalent for a shared reference.
    fn store_referent(
        &mut self,
        place: Place,
        from: Place,
        mutable: bool,
        span: proc_macro2::Span,
    ) {
        if mutable {
            let what = "a `&mut` reference kept in a variable";
            self.refuse(span, Reason::Reference(what.into()));
        }
        self.assign_place(place, Value::Place(from), span);
    }

    /// `place = value`
    pub fn assign_place(&mut self, place: Place, value: Value, span: proc_macro2::Span) {
        if let Value::SplitEnum(c) = value {
            return self.rebuild_enum_at(&place, *c, span);
        }
        let value = self.coerce_boxed_slice(&place.ty, value, span);
        let (e, ty) = self.read(value, span);
        self.unify(&place.ty, &ty);
        // A place of slice type may be a `Vec`, whose length the assignment changes.
        let ty = match self.shallow(&place.ty) {
            Ty::Slice(_) => Ty::Unknown,
            _ => place.ty.clone(),
        };
        self.emit(span, StmtKind::Assign(Place { ty, ..place }, e));
    }

    /// `left op= right`. For numbers, the right side is evaluated first.
    pub fn compound_assign(&mut self, op: BinOp, b: &syn::ExprBinary) -> Value {
        let span = span::across(&b.left, &b.right);
        let wanted = self.looks_like_struct(&b.left) || self.has_struct_operand(op, b);
        if wanted && matches!(op, BinOp::Add | BinOp::Sub) {
            self.expect_struct(&b.right);
        }
        let first = match self.evaluates_left_first(b) {
            Some(true) => Some(match self.lower_mut_place(&b.left) {
                Value::Place(place) => Value::Place(self.freeze_place(place, span)),
                Value::PlaceRef(place, mutable) => {
                    Value::PlaceRef(self.freeze_place(place, span), mutable)
                }
                other => other,
            }),
            Some(false) => None,
            None => {
                let what = "an index beside a right side that changes it, where the type of the element is not visible,";
                return self.refuse(span, Reason::Expression(what.into()));
            }
        };
        let right = self.expr(&b.right);
        if matches!(right, Value::Diverges) {
            return Value::Diverges;
        }
        let outer = std::mem::take(&mut self.out);
        let left = match first {
            Some(left) => left,
            None => self.lower_mut_place(&b.left),
        };
        let raws = std::mem::replace(&mut self.out, outer);
        let right = match Self::is_pure(&raws) {
            true => right,
            false => self.copy_to_temp(right, span),
        };
        self.out.extend(raws);
        let place = match left {
            Value::Place(place) => place,
            Value::PlaceRef(place, true) if is_field_expr(&b.left) => place,
            other => {
                self.refuse_use(&other, b.left.span(), Reason::NotAPlace);
                return Value::Unit;
            }
        };
        let wanted = wanted || self.looks_like_struct(&b.right);
        if self.user_assign(op, &place, &right, wanted, span::of_operator(&b.op)) {
            return Value::Unit;
        }
        let (e, ty) = self.read(right, span);
        if !matches!(op, BinOp::Shl | BinOp::Shr) {
            self.unify(&place.ty, &ty);
        }
        self.emit_update(op, place, e, span);
        Value::Unit
    }

    /// Whether the expression is `&e` or the name of a reference.
    fn is_reference_expr(&self, e: &syn::Expr) -> bool {
        match strip_parens(e) {
            syn::Expr::Reference(_) => true,
            syn::Expr::Path(p) => {
                let name = p.path.get_ident().map(ToString::to_string);
                match name.and_then(|name| self.lookup(&name)) {
                    Some(Binding::Var(v)) => self.draft.func.var(*v).mode != Mode::Owned,
                    Some(Binding::Value(value)) => matches!(value, Value::PlaceRef(..)),
                    None => false,
                }
            }
            _ => false,
        }
    }

    /// Whether the left place is evaluated before the right side, where the order matters: rustc does so except for
    /// primitive numbers. `None` if only rustc knows the type.
    fn evaluates_left_first(&mut self, b: &syn::ExprBinary) -> Option<bool> {
        let meets = |l: &Self, e: &syn::Expr, other: &syn::Expr| {
            let mut named = Vec::new();
            identifiers(&other.to_token_stream(), &mut named);
            l.changed_by(e, false)
                .iter()
                .any(|name| named.contains(name))
        };
        let indices = index_exprs(&b.left);
        let depends = indices
            .iter()
            .any(|i| meets(self, &b.right, i) || meets(self, i, &b.right));
        // Calls of functions with hidden state make the order observable, too.
        let calls = |e: &syn::Expr| self.closure_effects(&syn::parse_quote!(|| #e)).hidden_state;
        let both_call = indices.iter().any(|i| calls(i)) && calls(&b.right);
        if !(depends || both_call) {
            return Some(false);
        }
        match self.probe_type(&b.left) {
            Ty::Float(FloatTy::Param(_)) | Ty::Named(_) => Some(true),
            // With a reference on the right, rustc calls the operator's method, as for other types.
            _ if self.is_reference_expr(&b.right) => Some(true),
            ty if self.infer.is_number(&ty) || ty.is_scalar() => Some(false),
            _ if !depends => Some(false),
            _ => None,
        }
    }

    /// `place op= e`. Sums of reals stay increments, which need no old value (`[TBR]` §5.1).
    pub fn emit_update(&mut self, op: BinOp, place: Place, e: Expr, span: proc_macro2::Span) {
        let ty = self.shallow(&place.ty);
        let discrete = matches!(ty, Ty::Int(_) | Ty::Bool) || self.infer.is_int(&ty);
        let kind = match op {
            BinOp::Add if !discrete => StmtKind::Incr(place, e),
            BinOp::Sub if !discrete => StmtKind::Incr(place, Expr::Unary(UnOp::Neg, Box::new(e))),
            _ => {
                let old = Box::new(Expr::Read(place.clone()));
                StmtKind::Assign(place, Expr::Binary(op, old, Box::new(e)))
            }
        };
        self.emit(span, kind);
    }
}

/// The indices in a place expression.
fn index_exprs(place: &syn::Expr) -> Vec<&syn::Expr> {
    match strip_parens(place) {
        syn::Expr::Index(i) => {
            let mut all = index_exprs(&i.expr);
            all.push(&i.index);
            all
        }
        syn::Expr::Field(f) => index_exprs(&f.base),
        syn::Expr::Unary(u) => index_exprs(&u.expr),
        syn::Expr::MethodCall(m) => index_exprs(&m.receiver)
            .into_iter()
            .chain(&m.args)
            .collect(),
        _ => Vec::new(),
    }
}

/// Whether the expression is a field of a tuple, which is a place even if the tuple is split into references.
fn is_field_expr(e: &syn::Expr) -> bool {
    matches!(strip_parens(e), syn::Expr::Field(_))
}

/// `*r`
fn is_dereference(e: &syn::Expr) -> bool {
    matches!(strip_parens(e), syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)))
}

/// Whether both values are references to the same place.
pub fn is_same_ref(a: &Value, b: &Value) -> bool {
    matches!((a, b), (Value::PlaceRef(a, _), Value::PlaceRef(b, _)) if a == b)
}
