//! `swap`, `replace` and `take` of `std::mem` on references: the referents stay unchanged.

use proc_macro2::Span;
use syn::spanned::Spanned;

use crate::ir::{Expr, Place, Proj};
use crate::lower::aggregate::reference_arrays::is_ref_array;
use crate::lower::aggregate::split_enum::{EnumKind, SplitEnum};
use crate::lower::expr::strip_parens;
use crate::lower::value::Value;
use crate::lower::{Lower, StmtKind, Ty};
use crate::refuse::Reason;

impl Lower {
    /// Lowers `swap`, `replace` and `take` of `mem` on references themselves; `None` for other arguments.
    pub fn lower_mem_on_refs(
        &mut self,
        name: &str,
        args: &[&syn::Expr],
        span: Span,
    ) -> Option<Value> {
        if let Some(moved) = self.lower_mem_on_enums(name, args, span) {
            return Some(moved);
        }
        let first = self.reference_argument(args.first()?)?;
        match (name, args) {
            ("swap", [_, second]) => {
                let second = self.reference_argument(second)?;
                self.swap_references(&first, &second, span);
                Some(Value::Unit)
            }
            ("replace" | "take", _)
                if self.refuse_chosen_ref(&Value::PlaceRef(first.clone(), true), span) =>
            {
                Some(Value::Diverges)
            }
            ("replace", [_, new]) => {
                let new = self.expr(new);
                let old = self.snapshot_ref(first.clone(), span);
                let old_is_mut = self.reference_at(&first).is_some_and(|r| r.mutable);
                match new {
                    Value::PlaceRef(to, _) => self.rebind(&first, to, span),
                    other => self.refuse_use(&other, span, Reason::NotAPlace),
                }
                Some(Value::PlaceRef(old, old_is_mut))
            }
            ("take", [_]) => {
                let old = self.snapshot_ref(first.clone(), span);
                let old_is_mut = self.reference_at(&first).is_some_and(|r| r.mutable);
                let nothing = Expr::Lit("0".into(), Ty::USIZE);
                let element = match self.shallow(&first.ty).element() {
                    Some(element) => element.clone(),
                    None => self.fresh_ty(),
                };
                let none = Proj::Range(None, Some(Box::new(nothing)));
                let empty = first.project(none, Ty::Slice(Box::new(element)));
                self.rebind(&first, empty, span);
                Some(Value::PlaceRef(old, old_is_mut))
            }
            _ => None,
        }
    }

    /// The same for `Option`s and `Result`s that hold references.
    fn lower_mem_on_enums(&mut self, name: &str, args: &[&syn::Expr], span: Span) -> Option<Value> {
        let first = self.mut_enum_arg(args.first()?)?;
        let second = match (name, args) {
            ("swap", [_, second]) => Value::SplitEnum(Box::new(self.mut_enum_arg(second)?)),
            ("replace", [_, new]) => self.expr(new),
            ("take", [_]) => self.known_variant(EnumKind::Option, false, Value::Unit),
            _ => return None,
        };
        let new = self.copy_to_temp(second.clone(), span);
        let old = self.owned_split_enum("taken", first.clone(), false, span);
        let old = Value::SplitEnum(Box::new(old));
        self.store_split_enum(&first, new, span);
        match (name, second) {
            ("swap", Value::SplitEnum(second)) => {
                self.store_split_enum(&second, old, span);
                Some(Value::Unit)
            }
            _ => Some(old),
        }
    }

    /// The referent of `&mut o`, if `o` is a split `Option` or `Result` that holds a reassignable reference.
    fn mut_enum_arg(&mut self, arg: &syn::Expr) -> Option<SplitEnum> {
        let syn::Expr::Reference(r) = strip_parens(arg) else {
            return None;
        };
        if let syn::Expr::Index(_) = strip_parens(&r.expr) {
            return None;
        }
        match self.named_value(&r.expr)? {
            Value::SplitEnum(c) if c.by_ref.is_none() && self.is_rebindable(&c.payload) => Some(*c),
            _ => None,
        }
    }

    /// Makes each of two references point to the referent of the other.
    pub fn swap_references(&mut self, a: &Place, b: &Place, span: Span) {
        let views = [a, b].map(|p| Value::PlaceRef(p.clone(), true));
        if views.iter().any(|view| self.refuse_chosen_ref(view, span)) {
            return;
        }
        let (Some(first), Some(second)) = (self.rebindable_var(a), self.rebindable_var(b)) else {
            let what = "a reference that changes what it points to";
            self.refuse(span, Reason::Reference(what.into()));
            return;
        };
        self.unify(&a.ty, &b.ty);
        let (a, b) = (self.draft.func.place(first), self.draft.func.place(second));
        self.emit(span, StmtKind::Swap(a, b));
    }

    /// The reference `r` of an argument `&mut r`, or of an argument that refers to a reference: `a`, `&mut *a`.
    fn reference_argument(&mut self, arg: &syn::Expr) -> Option<Place> {
        let syn::Expr::Reference(r) = strip_parens(arg) else {
            return self.inner_reference(arg);
        };
        r.mutability?;
        match strip_parens(&r.expr) {
            syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => {
                self.inner_reference(&u.expr)
            }
            inner => match self.named_value(inner)? {
                Value::PlaceRef(place, _) => Some(place),
                Value::RefToAggregate(..) => {
                    let what = "a reference to a reference that is assigned again";
                    self.refuse(r.span(), Reason::Reference(what.into()));
                    None
                }
                _ => None,
            },
        }
    }

    /// The reference that the named reference refers to.
    fn inner_reference(&mut self, named: &syn::Expr) -> Option<Place> {
        match self.named_value(named)? {
            Value::RefToAggregate(of, _) => match *of {
                Value::PlaceRef(place, _) => Some(place),
                _ => None,
            },
            _ => None,
        }
    }

    /// The value of a variable, of its field, or of an element of a list of references; nothing is moved out.
    pub fn named_value(&mut self, e: &syn::Expr) -> Option<Value> {
        let e = strip_parens(e);
        if let syn::Expr::Index(element) = e {
            let list = self.named_value(&element.expr)?.strip_ref();
            return matches!(&list, Value::Tuple(parts) if is_ref_array(parts))
                .then(|| self.named_element(element));
        }
        let is_name = match e {
            syn::Expr::Path(_) => true,
            syn::Expr::Field(f) => matches!(strip_parens(&f.base), syn::Expr::Path(_)),
            _ => false,
        };
        is_name.then(|| self.in_block(|l| l.expr(e)).1)
    }

    fn named_element(&mut self, element: &syn::ExprIndex) -> Value {
        let (raws, value) = self.in_block(|l| l.expr(&syn::Expr::Index(element.clone())));
        if raws.is_empty() {
            return value;
        }
        let what = "an element, chosen at run time, of an array of references";
        self.refuse(element.span(), Reason::Reference(what.into()))
    }
}
