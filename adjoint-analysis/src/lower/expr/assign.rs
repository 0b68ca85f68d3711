//! Plain, compound and destructuring assignment.

use quote::ToTokens;
use syn::spanned::Spanned;

use super::strip_parens;
use crate::ir::{BinOp, Expr, FloatTy, Place, UnOp};
use crate::lower::aggregate::assign_in_arms::assigned_in_arms;
use crate::lower::span;
use crate::lower::tokens::words;
use crate::lower::value::{Binding, Value};
use crate::lower::{Lower, Mode, StmtKind, Ty};
use crate::refuse::Reason;

impl Lower {
    /// `left = right`; the right side is evaluated first.
    pub fn assign(&mut self, a: &syn::ExprAssign) -> Value {
        if let (true, syn::Expr::Path(p)) = (self.names_option(&a.left), strip_parens(&a.left))
            && let Some(name) = p.path.get_ident()
            && let Some(in_arms) = assigned_in_arms(name, &a.right)
        {
            return self.expr(&in_arms);
        }
        let by_reference = self.names_reference(&a.left);
        let outer = std::mem::replace(&mut self.by_reference, by_reference);
        if self.names_option(&a.left) {
            let payload = self.fresh();
            self.expected = Some(Ty::Option(Box::new(payload)));
        }
        let value = match self.takes_type(&a.right) || self.may_hold_object(&a.left) {
            true => {
                let ty = self.type_of(&a.left);
                self.expr_as(&a.right, Some(&ty))
            }
            false => self.expr(&a.right),
        };
        self.expected = None;
        self.by_reference = outer;
        if matches!(value, Value::Never) {
            return Value::Never;
        }
        self.assign_to(&a.left, value);
        Value::Unit
    }

    /// The type of a place expression, lowered without emitting its statements.
    pub fn type_of(&mut self, left: &syn::Expr) -> Ty {
        let (_, ty) = self.in_block(|l| {
            let place = l.expr(left);
            l.value_ty(&place)
        });
        ty
    }

    /// Whether the left side names a reassignable reference.
    fn names_reference(&self, left: &syn::Expr) -> bool {
        match strip_parens(left) {
            syn::Expr::Tuple(t) => t.elems.iter().any(|e| self.names_reference(e)),
            syn::Expr::Path(p) => p.path.get_ident().is_some_and(|name| {
                matches!(
                    self.lookup(&name.to_string()),
                    Some(Binding::Value(Value::View(..)))
                )
            }),
            syn::Expr::Unary(u) if is_dereference(left) => match strip_parens(&u.expr) {
                syn::Expr::Path(p) => p.path.get_ident().is_some_and(|name| {
                    matches!(self.lookup(&name.to_string()), Some(Binding::Value(Value::Lent(of, _)))
                        if matches!(**of, Value::View(..)))
                }),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether the left side names a reassignable `Option` of a reference.
    fn names_option(&self, left: &syn::Expr) -> bool {
        let syn::Expr::Path(p) = strip_parens(left) else {
            return false;
        };
        let name = p.path.get_ident().map(ToString::to_string);
        match name.and_then(|name| self.lookup(&name)) {
            Some(Binding::Value(Value::Choice(c))) => {
                self.viewed_option(c).is_some() || self.is_reassigned(&c.yes)
            }
            _ => false,
        }
    }

    /// Assigns a value to a left side: a place, `_`, or a tuple or array of these.
    fn assign_to(&mut self, left: &syn::Expr, value: Value) {
        let span = span::of(left);
        match strip_parens(left) {
            syn::Expr::Infer(_) => self.look_at(&value, span),
            syn::Expr::Tuple(t) => {
                let value = self.pin(value, span);
                let parts = self.components(value, t.elems.len(), span);
                for (left, part) in t.elems.iter().zip(parts) {
                    self.assign_to(left, part);
                }
            }
            syn::Expr::Array(t) => {
                let value = self.pin(value, span);
                let parts = self.elements(value, t.elems.len(), span);
                for (left, part) in t.elems.iter().zip(parts) {
                    self.assign_to(left, part);
                }
            }
            syn::Expr::Index(element) if self.assign_listed(element, &value) => {}
            left => {
                let outer = std::mem::take(&mut self.out);
                let place = self.written(left);
                let raws = std::mem::replace(&mut self.out, outer);
                let value = match Self::is_pure(&raws) {
                    true => value,
                    false => self.pin(value, span),
                };
                self.out.extend(raws);
                if matches!(value, Value::View(..)) && self.refuse_chosen(&place, span) {
                    return;
                }
                let place = match (place, &value) {
                    (Value::View(p, true), Value::Expr(..) | Value::Place(_)) if is_part(left) => {
                        Value::Place(p)
                    }
                    // The store would overwrite the referent instead of the reference.
                    (Value::Place(_), Value::View(..)) if is_dereference(left) => {
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
            (Value::Choice(dest), value) => self.store_choice(&dest, value, span),
            (place @ (Value::Tuple(_) | Value::Record(..)), Value::Lent(value, false)) => {
                self.store(place, *value, span);
            }
            (Value::Record(of, places), Value::Record(other, parts)) if of.name == other.name => {
                self.store(Value::Tuple(places), Value::Tuple(parts), span);
            }
            (Value::Tuple(places), Value::Tuple(parts)) if places.len() == parts.len() => {
                let pairs = places.into_iter().zip(parts);
                let other = pairs.filter(|(place, part)| !is_same_view(place, part));
                let (places, parts): (Vec<_>, Vec<_>) = other.unzip();
                let parts: Vec<Value> = parts.into_iter().map(|v| self.pin(v, span)).collect();
                for (place, part) in places.into_iter().zip(parts) {
                    self.store(place, part, span);
                }
            }
            (Value::Tuple(places), value) => {
                let value = self.pin(value, span);
                let parts = self.components(value, places.len(), span);
                for (place, part) in places.into_iter().zip(parts) {
                    self.store(place, part, span);
                }
            }
            (Value::Place(place), Value::View(to, mutable)) => {
                let kept = !mutable && self.is_copied(&to);
                self.undecided.retain(|v| !kept || *v != place.root);
                if !self.refer(place.root, to.clone(), mutable, span) {
                    self.keep_value(place, to, mutable, span);
                }
            }
            (Value::Place(place), value) => {
                self.undecided.retain(|v| *v != place.root);
                self.assign_place(place, value, span);
            }
            (Value::View(reference, _), Value::View(to, _)) => self.point(&reference, to, span),
            (other, _) => self.refuse_use(&other, span, Reason::NotAPlace),
        }
    }

    /// Stores the referent instead of the reference, which is equivalent for a shared reference.
    fn keep_value(&mut self, place: Place, from: Place, mutable: bool, span: proc_macro2::Span) {
        if mutable {
            let what = "a `&mut` reference kept in a variable";
            self.refuse(span, Reason::Reference(what.into()));
        }
        self.assign_place(place, Value::Place(from), span);
    }

    /// `place = value`
    pub fn assign_place(&mut self, place: Place, value: Value, span: proc_macro2::Span) {
        if let Value::Choice(c) = value {
            return self.assign_choice(&place, *c, span);
        }
        let value = self.as_boxed_slice(&place.ty, value, span);
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
        let wanted = self.looks_like_struct(&b.left) || self.makes_struct(op, b);
        if wanted && matches!(op, BinOp::Add | BinOp::Sub) {
            self.want_struct(&b.right);
        }
        let first = match self.left_is_first(b) {
            Some(true) => Some(match self.written(&b.left) {
                Value::Place(place) => Value::Place(self.settle(place, span)),
                Value::View(place, mutable) => Value::View(self.settle(place, span), mutable),
                other => other,
            }),
            Some(false) => None,
            None => {
                let what = "an index beside a right side that changes it, where the type of the element is not visible,";
                return self.refuse(span, Reason::Expression(what.into()));
            }
        };
        let right = self.expr(&b.right);
        if matches!(right, Value::Never) {
            return Value::Never;
        }
        let outer = std::mem::take(&mut self.out);
        let left = match first {
            Some(left) => left,
            None => self.written(&b.left),
        };
        let raws = std::mem::replace(&mut self.out, outer);
        let right = match Self::is_pure(&raws) {
            true => right,
            false => self.pin(right, span),
        };
        self.out.extend(raws);
        let place = match left {
            Value::Place(place) => place,
            Value::View(place, true) if is_part(&b.left) => place,
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
        self.update(op, place, e, span);
        Value::Unit
    }

    /// Whether the expression is `&e` or the name of a reference.
    fn is_reference(&self, e: &syn::Expr) -> bool {
        match strip_parens(e) {
            syn::Expr::Reference(_) => true,
            syn::Expr::Path(p) => {
                let name = p.path.get_ident().map(ToString::to_string);
                match name.and_then(|name| self.lookup(&name)) {
                    Some(Binding::Var(v)) => self.draft.func.var(*v).mode != Mode::Owned,
                    Some(Binding::Value(value)) => matches!(value, Value::View(..)),
                    None => false,
                }
            }
            _ => false,
        }
    }

    /// Whether the left place is evaluated before the right side, where the order matters: rustc does so except for
    /// primitive numbers. `None` if only rustc knows the type.
    fn left_is_first(&mut self, b: &syn::ExprBinary) -> Option<bool> {
        let meets = |l: &Self, e: &syn::Expr, other: &syn::Expr| {
            let mut named = Vec::new();
            words(&other.to_token_stream(), &mut named);
            l.changed_by(e, false)
                .iter()
                .any(|name| named.contains(name))
        };
        let indices = indices(&b.left);
        let depends = indices
            .iter()
            .any(|i| meets(self, &b.right, i) || meets(self, i, &b.right));
        // Calls of functions with hidden state make the order observable, too.
        let calls = |e: &syn::Expr| self.writes(&syn::parse_quote!(|| #e)).calls;
        let both_call = indices.iter().any(|i| calls(i)) && calls(&b.right);
        if !(depends || both_call) {
            return Some(false);
        }
        match self.type_of(&b.left) {
            Ty::Float(FloatTy::Param(_)) | Ty::Named(_) => Some(true),
            // With a reference on the right, rustc calls the operator's method, as for other types.
            _ if self.is_reference(&b.right) => Some(true),
            ty if self.infer.is_number(&ty) || ty.is_scalar() => Some(false),
            _ if !depends => Some(false),
            _ => None,
        }
    }

    /// `place op= e`. Sums of reals stay increments, which need no old value (`[TBR]` §5.1).
    pub fn update(&mut self, op: BinOp, place: Place, e: Expr, span: proc_macro2::Span) {
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
fn indices(place: &syn::Expr) -> Vec<&syn::Expr> {
    match strip_parens(place) {
        syn::Expr::Index(i) => {
            let mut all = indices(&i.expr);
            all.push(&i.index);
            all
        }
        syn::Expr::Field(f) => indices(&f.base),
        syn::Expr::Unary(u) => indices(&u.expr),
        syn::Expr::MethodCall(m) => indices(&m.receiver).into_iter().chain(&m.args).collect(),
        _ => Vec::new(),
    }
}

/// Whether the expression is a field of a tuple, which is a place even if the tuple is split into references.
fn is_part(e: &syn::Expr) -> bool {
    matches!(strip_parens(e), syn::Expr::Field(_))
}

/// `*r`
fn is_dereference(e: &syn::Expr) -> bool {
    matches!(strip_parens(e), syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)))
}

/// Whether both values are references to the same place.
pub fn is_same_view(a: &Value, b: &Value) -> bool {
    matches!((a, b), (Value::View(a, _), Value::View(b, _)) if a == b)
}
