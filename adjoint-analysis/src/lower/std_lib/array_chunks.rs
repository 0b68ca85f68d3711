//! Arrays of fixed extent in slices: `x[..3].try_into().unwrap()`, `x.first_chunk::<3>()`, `x.as_chunks_mut::<3>().0`.
//!
//! A reference to such an array is a place that ends in a [`Proj::Chunk`] of the slice.

use std::rc::Rc;

use proc_macro2::{Span, TokenStream};
use quote::quote;

use crate::ir::construct::{binary, saturating_sub, usize_lit};
use crate::ir::{BinOp, Expr, Place, Proj};
use crate::lower::expr::strip_parens;
use crate::lower::iter::Producer;
use crate::lower::types::ungrouped;
use crate::lower::value::Value;
use crate::lower::{Lower, StmtKind, Ty};
use crate::mir::code::CaptureMode;
use crate::refuse::Reason;

/// The part of a slice that becomes an array.
#[derive(Clone, Copy, PartialEq)]
enum ArrayPart {
    /// The whole slice.
    Whole,
    /// The elements at the front; the flag is true if the rest is returned as well.
    First(bool),
    /// The elements at the end; the flag is true if the rest is returned as well.
    Last(bool),
}

impl ArrayPart {
    /// The part that a method takes, by its name with or without `_mut`.
    fn from_method(name: &str) -> Option<ArrayPart> {
        Some(match name.strip_suffix("_mut").unwrap_or(name) {
            "try_into" => ArrayPart::Whole,
            "first_chunk" => ArrayPart::First(false),
            "split_first_chunk" => ArrayPart::First(true),
            "last_chunk" => ArrayPart::Last(false),
            "split_last_chunk" => ArrayPart::Last(true),
            _ => return None,
        })
    }
}

impl Lower {
    /// Lowers `slice.try_into()`, `slice.first_chunk::<N>()` and the like, unwrapped by `end`; `None` for other
    /// methods.
    pub fn array_method(
        &mut self,
        m: &syn::ExprMethodCall,
        end: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let name = m.method.to_string();
        let taken = ArrayPart::from_method(&name).filter(|_| m.args.is_empty())?;
        let span = m.method.span();
        let expected = self.expected_ty.take().map(|ty| self.shallow(&ty));
        let value = self.expr(&m.receiver);
        if let (ArrayPart::Whole, Some(Ty::Int(_))) = (taken, &expected) {
            let ty = expected.unwrap_or(Ty::Unknown);
            let narrowed = self.integer_try_from(value, ty, span);
            return Some(self.method_on(narrowed, end));
        }
        let Some(extent) = turbofish_extent(m).or_else(|| expected_extent(taken, expected)) else {
            return Some(self.refuse(span, Reason::Extent));
        };
        let from = match self.frozen_slice(value, &name, span) {
            Ok(from) => from,
            Err(refused) => return Some(refused),
        };
        self.check_extent(taken, &extent, &from, end, span);
        Some(self.array_in(&from, taken, &extent, name.ends_with("_mut"), span))
    }

    /// Lowers `slice.first_chunk::<N>()` and the like to an `Option`, and `slice.as_chunks::<N>()`.
    pub fn chunk_method(
        &mut self,
        name: &str,
        receiver: &Value,
        m: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let (span, mutable) = (m.method.span(), name.ends_with("_mut"));
        let in_chunks = matches!(name.strip_suffix("_mut").unwrap_or(name), "as_chunks");
        let taken = ArrayPart::from_method(name).filter(|taken| *taken != ArrayPart::Whole);
        if (taken.is_none() && !in_chunks) || !m.args.is_empty() {
            return None;
        }
        let extent = turbofish_extent(m).unwrap_or_else(|| self.infer.open_extent(span));
        let from = match self.frozen_slice(receiver.clone(), name, span) {
            Ok(from) => from,
            Err(refused) => return Some(refused),
        };
        let Some(taken) = taken else {
            return Some(self.lower_as_chunks(from, extent, mutable, span));
        };
        let n = Lower::extent(&from, &extent);
        let enough = binary(BinOp::Ge, Expr::Len(from.clone()), n);
        let enough = self.freeze_tag(enough, span);
        let array = self.array_in(&from, taken, &extent, mutable, span);
        Some(self.some_if(enough, array))
    }

    /// Lowers `<[f64; 3]>::try_from(slice)` and `<&[f64; 3]>::try_from(slice)`, unwrapped by `end`.
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
        let from = match self.frozen_slice(value, "try_into", last.span()) {
            Ok(from) => from,
            Err(refused) => return Some(refused),
        };
        self.check_extent(ArrayPart::Whole, &extent, &from, end, last.span());
        let array = self.chunk(&from, usize_lit(0), &extent);
        Some(match ungrouped(target) {
            syn::Type::Reference(r) => Value::PlaceRef(array, r.mutability.is_some()),
            _ => {
                let ty = array.ty.clone();
                Value::Expr(Expr::Read(array), ty)
            }
        })
    }

    /// The slice of a value, with its bounds frozen.
    fn frozen_slice(&mut self, value: Value, name: &str, span: Span) -> Result<Place, Value> {
        let (Value::Place(from) | Value::PlaceRef(from, _)) = self.hoist_table(value, span) else {
            return Err(self.refuse(span, Reason::Method(name.into())));
        };
        let from = self.deref_boxes(&from);
        let from = self.freeze_place(from, span);
        if self.shallow(&from.ty).element().is_none() {
            let element = self.fresh_ty();
            self.infer.mark_sequence(&from.ty, &element);
            let ty = Ty::Slice(Box::new(element));
            return Ok(Place { ty, ..from });
        }
        Ok(from)
    }

    /// The `at`-th array of this extent in a slice.
    pub fn chunk(&self, from: &Place, at: Expr, extent: &str) -> Place {
        let element = self.shallow(&from.ty).element().cloned();
        let element = Box::new(element.unwrap_or(Ty::Unknown));
        let ty = Ty::Array(element, extent.to_string());
        from.project(Proj::Chunk(Box::new(at), extent.to_string()), ty)
    }

    /// The extent as a number: the length of an array of this extent, at any place.
    pub fn extent(from: &Place, extent: &str) -> Expr {
        let ty = Ty::Array(Box::new(Ty::USIZE), extent.to_string());
        Expr::Len(Place { ty, ..from.clone() })
    }

    /// The array in a slice that is long enough, with the rest if that is returned as well.
    fn array_in(
        &mut self,
        from: &Place,
        taken: ArrayPart,
        extent: &str,
        mutable: bool,
        span: Span,
    ) -> Value {
        let n = Lower::extent(from, extent);
        let mid = match taken {
            ArrayPart::Whole | ArrayPart::First(false) => {
                let array = self.chunk(from, usize_lit(0), extent);
                return match taken {
                    ArrayPart::Whole => Value::Place(array),
                    _ => Value::PlaceRef(array, mutable),
                };
            }
            ArrayPart::First(true) => n,
            ArrayPart::Last(_) => saturating_sub(Expr::Len(from.clone()), n),
        };
        let mid = Box::new(self.stable_operand(mid, Ty::USIZE, span));
        let element = self.shallow(&from.ty).element().cloned();
        let ty = Ty::Slice(Box::new(element.unwrap_or(Ty::Unknown)));
        let head = from.project(Proj::Head(mid.clone()), ty.clone());
        let tail = from.project(Proj::Tail(mid), ty);
        let view = |p: Place| Value::PlaceRef(p, mutable);
        let first = |l: &Self, p: &Place| view(l.chunk(p, usize_lit(0), extent));
        match taken {
            ArrayPart::First(_) => Value::Tuple(vec![first(self, &head), view(tail)]),
            ArrayPart::Last(true) => Value::Tuple(vec![view(head), first(self, &tail)]),
            _ => first(self, &tail),
        }
    }

    /// Lowers `as_chunks::<N>()`: the arrays, which can be iterated over or indexed, and the remainder.
    fn lower_as_chunks(&mut self, from: Place, extent: String, mutable: bool, span: Span) -> Value {
        let n = Lower::extent(&from, &extent);
        let over = binary(BinOp::Rem, Expr::Len(from.clone()), n);
        let at = binary(BinOp::Sub, Expr::Len(from.clone()), over);
        let at = self.stable_operand(at, Ty::USIZE, span);
        let rest = self.slice(&from, Some(at), None);
        let arrays = Producer::Arrays {
            of: from,
            extent,
            mutable,
        };
        let arrays = Value::Iter(Rc::new(arrays));
        Value::Tuple(vec![arrays, Value::PlaceRef(rest, mutable)])
    }

    /// Lowers `array::from_ref(&x)` and `slice::from_mut(&mut x)`: an array with the referent as its only element.
    pub fn single_element_array(&mut self, name: &str, value: Value, span: Span) -> Value {
        let mutable = name == "from_mut";
        let of = match value {
            Value::Place(p) | Value::PlaceRef(p, _) => p,
            Value::Diverges => return Value::Diverges,
            _ if mutable => {
                let what = "`from_mut` of what is no single value";
                return self.refuse(span, Reason::Expression(what.into()));
            }
            value => self.place_of(value, span),
        };
        let element = Box::new(self.shallow(&of.ty));
        let array = of.project(Proj::Single, Ty::Array(element, "1".into()));
        Value::PlaceRef(array, mutable)
    }

    /// Emits the user's own `unwrap` or `expect`, which panics if the slice has another length.
    fn check_extent(
        &mut self,
        taken: ArrayPart,
        extent: &str,
        from: &Place,
        end: &syn::ExprMethodCall,
        span: Span,
    ) {
        let extent: TokenStream = extent.parse().unwrap_or_default();
        let made = match taken {
            ArrayPart::Whole => quote!(<&[_; #extent]>::try_from(&__place_0[..])),
            ArrayPart::First(_) => quote!(__place_0.first_chunk::<{ #extent }>()),
            ArrayPart::Last(_) => quote!(__place_0.last_chunk::<{ #extent }>()),
        };
        let (end, message) = (&end.method, &end.args);
        let (message, places) = self.capture(quote!(#message));
        if !places.is_empty() {
            return;
        }
        let message = self.draft.code[message.index()].tokens.clone();
        let code = self.add_code(quote!(#made.#end(#message)), vec![CaptureMode::Borrow]);
        self.emit(span, StmtKind::Passive(code, vec![from.clone()]));
    }
}

/// `3` of `first_chunk::<3>`
fn turbofish_extent(m: &syn::ExprMethodCall) -> Option<String> {
    let args = &m.turbofish.as_ref()?.args;
    args.first().map(crate::lower::types::text)
}

/// The extent of the expected array type.
fn expected_extent(taken: ArrayPart, expected: Option<Ty>) -> Option<String> {
    let array = match (taken, expected?) {
        (ArrayPart::First(true), Ty::Tuple(parts)) => parts.into_iter().next()?,
        (ArrayPart::Last(true), Ty::Tuple(parts)) => parts.into_iter().nth(1)?,
        (_, ty) => ty,
    };
    match array {
        Ty::Array(_, extent) => Some(extent),
        _ => None,
    }
}

/// Whether the expression converts a slice to an array, so that an annotation determines its type.
pub fn converts_to_array(m: &syn::ExprMethodCall) -> bool {
    let unwraps = m.method == "unwrap" || m.method == "expect";
    unwraps
        && matches!(strip_parens(&m.receiver), syn::Expr::MethodCall(inner)
            if ArrayPart::from_method(&inner.method.to_string()).is_some())
}
