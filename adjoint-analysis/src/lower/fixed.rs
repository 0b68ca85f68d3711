//! Arrays of fixed extent made of slices: `x[..3].try_into().unwrap()`, `x.first_chunk::<3>().unwrap()`.
//!
//! They are copies, also where the source has a shared reference: nothing can change what it refers to
//! while it is there. A `&mut` one would have to be the slice itself, which has another type.

use proc_macro2::{Span, TokenStream};
use quote::quote;

use super::code::By;
use super::expr::strip_parens;
use super::types::ungrouped;
use super::value::Value;
use super::{Lower, Origin, StmtKind, Ty};
use crate::ir::{Expr, Place};
use crate::refuse::Reason;

/// How a slice is taken for an array.
enum Taken {
    /// All of it.
    Whole,
    /// The elements in front.
    First,
    /// The elements at the end.
    Last,
}

impl Lower {
    /// `slice.try_into()`, `slice.first_chunk::<N>()`, `slice.last_chunk::<N>()`, to be unwrapped by
    /// `end`; `None` for other methods.
    pub fn array_method(
        &mut self,
        m: &syn::ExprMethodCall,
        end: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let taken = match m.method.to_string().as_str() {
            "try_into" => Taken::Whole,
            "first_chunk" => Taken::First,
            "last_chunk" => Taken::Last,
            _ => return None,
        };
        if !m.args.is_empty() {
            return None;
        }
        let span = m.method.span();
        let expected = self.expected.take().map(|ty| self.shallow(&ty));
        let value = self.expr(&m.receiver);
        let extent = match (turbofish_extent(m), &expected) {
            (Some(extent), _) => Some(extent),
            (None, Some(Ty::Array(_, extent))) => Some(extent.clone()),
            _ => None,
        };
        if let (Taken::Whole, Some(Ty::Int(_))) = (&taken, &expected) {
            let ty = expected.unwrap_or(Ty::Unknown);
            let (e, _) = self.read(value, span);
            return Some(Value::Expr(Expr::Cast(Box::new(e), ty.clone()), ty));
        }
        let Some(extent) = extent else {
            let what = "a conversion into an array whose type is not written here";
            return Some(self.refuse(span, Reason::Expression(what.into())));
        };
        let array = self.array_of(value, &taken, &extent, end, span);
        Some(match (array, taken) {
            (Value::Place(p), Taken::First | Taken::Last) => Value::View(p, false),
            (array, _) => array,
        })
    }

    /// `<[f64; 3]>::try_from(slice)`, `<&[f64; 3]>::try_from(slice)`, to be unwrapped by `end`.
    pub fn array_conversion(
        &mut self,
        c: &syn::ExprCall,
        end: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let (syn::Expr::Path(p), [x]) =
            (strip_parens(&c.func), &*c.args.iter().collect::<Vec<_>>())
        else {
            return None;
        };
        let last = &p.path.segments.last()?.ident;
        let target = &p.qself.as_ref().filter(|_| last == "try_from")?.ty;
        let Ty::Array(_, extent) = self.named_type(target) else {
            return None;
        };
        let value = self.expr(x);
        let array = self.array_of(value, &Taken::Whole, &extent, end, last.span());
        Some(match (array, ungrouped(target)) {
            (Value::Place(p), syn::Type::Reference(_)) => Value::View(p, false),
            (array, _) => array,
        })
    }

    fn array_of(
        &mut self,
        slice: Value,
        taken: &Taken,
        extent: &str,
        end: &syn::ExprMethodCall,
        span: Span,
    ) -> Value {
        let (from, mutable) = match slice {
            Value::View(p, mutable) => (p, mutable),
            Value::Place(p) => (p, false),
            other => {
                self.refuse_use(&other, span, Reason::Method("try_into".into()));
                return Value::Never;
            }
        };
        if mutable {
            let what = "a `&mut` to an array within a slice";
            return self.refuse(span, Reason::Reference(what.into()));
        }
        let from = self.unboxed(&from);
        let from = self.settle(from, span);
        self.must_have_extent(taken, extent, &from, end, span);
        let element = match self.shallow(&from.ty).element() {
            Some(element) => element.clone(),
            None => {
                let element = self.fresh();
                self.infer.index(&from.ty, &element);
                element
            }
        };
        let ty = Ty::Array(Box::new(element), extent.to_string());
        let var = self.new_var("array", ty.clone(), Origin::Temp);
        self.emit(span, StmtKind::Let(var, None));
        let array = Place::var(var, ty);
        let from = match taken {
            Taken::Last => {
                let lo = vec![Expr::Len(from.clone()), Expr::Len(array.clone())];
                let lo = Expr::Discrete("saturating_sub".into(), lo, Ty::USIZE);
                let lo = self.fix(lo, Ty::USIZE, span);
                self.slice(&from, Some(lo), None, span)
            }
            _ => from,
        };
        self.each(Expr::Len(array.clone()), span, |l, k| {
            let (value, target) = (
                l.element(&from, k.clone(), span),
                l.element(&array, k, span),
            );
            l.assign_place(target, Value::Place(value), span);
        });
        Value::Place(array)
    }

    /// The user's own panic, where the slice has another length.
    fn must_have_extent(
        &mut self,
        taken: &Taken,
        extent: &str,
        from: &Place,
        end: &syn::ExprMethodCall,
        span: Span,
    ) {
        let extent: TokenStream = extent.parse().unwrap_or_default();
        let made = match taken {
            Taken::Whole => quote!(<&[_; #extent]>::try_from(&__place_0[..])),
            Taken::First => quote!(__place_0.first_chunk::<{ #extent }>()),
            Taken::Last => quote!(__place_0.last_chunk::<{ #extent }>()),
        };
        let (end, message) = (&end.method, &end.args);
        let (message, places) = self.capture(quote!(#message));
        if !places.is_empty() {
            return;
        }
        let message = self.code[message.index()].tokens.clone();
        let code = self.add_code(quote!(#made.#end(#message)), vec![By::Borrow]);
        self.emit(span, StmtKind::Passive(code, vec![from.clone()]));
    }
}

/// `3` of `first_chunk::<3>`
fn turbofish_extent(m: &syn::ExprMethodCall) -> Option<String> {
    let args = &m.turbofish.as_ref()?.args;
    args.first().map(super::types::text)
}

/// Whether the expression is a slice made an array, whose type the annotation tells.
pub fn makes_array(m: &syn::ExprMethodCall) -> bool {
    let unwraps = m.method == "unwrap" || m.method == "expect";
    unwraps
        && matches!(strip_parens(&m.receiver), syn::Expr::MethodCall(inner)
            if inner.method == "try_into" || inner.method == "first_chunk" || inner.method == "last_chunk")
}
