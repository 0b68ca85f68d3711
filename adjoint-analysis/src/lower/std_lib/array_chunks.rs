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
use crate::mir::code::By;
use crate::refuse::Reason;

/// The part of a slice that becomes an array.
#[derive(Clone, Copy, PartialEq)]
enum Taken {
    /// The whole slice.
    Whole,
    /// The elements at the front; the flag is true if the rest is returned as well.
    First(bool),
    /// The elements at the end; the flag is true if the rest is returned as well.
    Last(bool),
}

impl Taken {
    /// The part that a method takes, by its name with or without `_mut`.
    fn by(name: &str) -> Option<Taken> {
        Some(match name.strip_suffix("_mut").unwrap_or(name) {
            "try_into" => Taken::Whole,
            "first_chunk" => Taken::First(false),
            "split_first_chunk" => Taken::First(true),
            "last_chunk" => Taken::Last(false),
            "split_last_chunk" => Taken::Last(true),
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
        let taken = Taken::by(&name).filter(|_| m.args.is_empty())?;
        let span = m.method.span();
        let expected = self.expected.take().map(|ty| self.shallow(&ty));
        let value = self.expr(&m.receiver);
        if let (Taken::Whole, Some(Ty::Int(_))) = (taken, &expected) {
            let ty = expected.unwrap_or(Ty::Unknown);
            let narrowed = self.narrowed(value, ty, span);
            return Some(self.method_on(narrowed, end));
        }
        let Some(extent) = turbofish_extent(m).or_else(|| wanted_extent(taken, expected)) else {
            return Some(self.refuse(span, Reason::Extent));
        };
        let from = match self.sliced(value, &name, span) {
            Ok(from) => from,
            Err(refused) => return Some(refused),
        };
        self.must_have_extent(taken, &extent, &from, end, span);
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
        let taken = Taken::by(name).filter(|taken| *taken != Taken::Whole);
        if (taken.is_none() && !in_chunks) || !m.args.is_empty() {
            return None;
        }
        let extent = turbofish_extent(m).unwrap_or_else(|| self.infer.open_extent(span));
        let from = match self.sliced(receiver.clone(), name, span) {
            Ok(from) => from,
            Err(refused) => return Some(refused),
        };
        let Some(taken) = taken else {
            return Some(self.in_chunks(from, extent, mutable, span));
        };
        let n = Lower::extent(&from, &extent);
        let enough = binary(BinOp::Ge, Expr::Len(from.clone()), n);
        let enough = self.flag(enough, span);
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
        let from = match self.sliced(value, "try_into", last.span()) {
            Ok(from) => from,
            Err(refused) => return Some(refused),
        };
        self.must_have_extent(Taken::Whole, &extent, &from, end, last.span());
        let array = self.chunk(&from, usize_lit(0), &extent);
        Some(match ungrouped(target) {
            syn::Type::Reference(r) => Value::View(array, r.mutability.is_some()),
            _ => {
                let ty = array.ty.clone();
                Value::Expr(Expr::Read(array), ty)
            }
        })
    }

    /// The slice of a value, with its bounds frozen.
    fn sliced(&mut self, value: Value, name: &str, span: Span) -> Result<Place, Value> {
        let (Value::Place(from) | Value::View(from, _)) = self.table(value, span) else {
            return Err(self.refuse(span, Reason::Method(name.into())));
        };
        let from = self.unboxed(&from);
        let from = self.settle(from, span);
        if self.shallow(&from.ty).element().is_none() {
            let element = self.fresh();
            self.infer.index(&from.ty, &element);
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
        taken: Taken,
        extent: &str,
        mutable: bool,
        span: Span,
    ) -> Value {
        let n = Lower::extent(from, extent);
        let mid = match taken {
            Taken::Whole | Taken::First(false) => {
                let array = self.chunk(from, usize_lit(0), extent);
                return match taken {
                    Taken::Whole => Value::Place(array),
                    _ => Value::View(array, mutable),
                };
            }
            Taken::First(true) => n,
            Taken::Last(_) => saturating_sub(Expr::Len(from.clone()), n),
        };
        let mid = Box::new(self.fix(mid, Ty::USIZE, span));
        let element = self.shallow(&from.ty).element().cloned();
        let ty = Ty::Slice(Box::new(element.unwrap_or(Ty::Unknown)));
        let head = from.project(Proj::Head(mid.clone()), ty.clone());
        let tail = from.project(Proj::Tail(mid), ty);
        let view = |p: Place| Value::View(p, mutable);
        let first = |l: &Self, p: &Place| view(l.chunk(p, usize_lit(0), extent));
        match taken {
            Taken::First(_) => Value::Tuple(vec![first(self, &head), view(tail)]),
            Taken::Last(true) => Value::Tuple(vec![view(head), first(self, &tail)]),
            _ => first(self, &tail),
        }
    }

    /// Lowers `as_chunks::<N>()`: the arrays, which can be iterated over or indexed, and the remainder.
    fn in_chunks(&mut self, from: Place, extent: String, mutable: bool, span: Span) -> Value {
        let n = Lower::extent(&from, &extent);
        let over = binary(BinOp::Rem, Expr::Len(from.clone()), n);
        let at = binary(BinOp::Sub, Expr::Len(from.clone()), over);
        let at = self.fix(at, Ty::USIZE, span);
        let rest = self.slice(&from, Some(at), None);
        let arrays = Producer::Arrays {
            of: from,
            extent,
            mutable,
        };
        let arrays = Value::Iter(Rc::new(arrays));
        Value::Tuple(vec![arrays, Value::View(rest, mutable)])
    }

    /// Lowers `array::from_ref(&x)` and `slice::from_mut(&mut x)`: an array with the referent as its only element.
    pub fn as_single(&mut self, name: &str, value: Value, span: Span) -> Value {
        let mutable = name == "from_mut";
        let of = match value {
            Value::Place(p) | Value::View(p, _) => p,
            Value::Never => return Value::Never,
            _ if mutable => {
                let what = "`from_mut` of what is no single value";
                return self.refuse(span, Reason::Expression(what.into()));
            }
            value => self.place_of(value, span),
        };
        let element = Box::new(self.shallow(&of.ty));
        let array = of.project(Proj::Single, Ty::Array(element, "1".into()));
        Value::View(array, mutable)
    }

    /// Emits the user's own `unwrap` or `expect`, which panics if the slice has another length.
    fn must_have_extent(
        &mut self,
        taken: Taken,
        extent: &str,
        from: &Place,
        end: &syn::ExprMethodCall,
        span: Span,
    ) {
        let extent: TokenStream = extent.parse().unwrap_or_default();
        let made = match taken {
            Taken::Whole => quote!(<&[_; #extent]>::try_from(&__place_0[..])),
            Taken::First(_) => quote!(__place_0.first_chunk::<{ #extent }>()),
            Taken::Last(_) => quote!(__place_0.last_chunk::<{ #extent }>()),
        };
        let (end, message) = (&end.method, &end.args);
        let (message, places) = self.capture(quote!(#message));
        if !places.is_empty() {
            return;
        }
        let message = self.draft.code[message.index()].tokens.clone();
        let code = self.add_code(quote!(#made.#end(#message)), vec![By::Borrow]);
        self.emit(span, StmtKind::Passive(code, vec![from.clone()]));
    }
}

/// `3` of `first_chunk::<3>`
fn turbofish_extent(m: &syn::ExprMethodCall) -> Option<String> {
    let args = &m.turbofish.as_ref()?.args;
    args.first().map(crate::lower::types::text)
}

/// The extent of the expected array type.
fn wanted_extent(taken: Taken, expected: Option<Ty>) -> Option<String> {
    let array = match (taken, expected?) {
        (Taken::First(true), Ty::Tuple(parts)) => parts.into_iter().next()?,
        (Taken::Last(true), Ty::Tuple(parts)) => parts.into_iter().nth(1)?,
        (_, ty) => ty,
    };
    match array {
        Ty::Array(_, extent) => Some(extent),
        _ => None,
    }
}

/// Whether the expression converts a slice to an array, so that an annotation determines its type.
pub fn makes_array(m: &syn::ExprMethodCall) -> bool {
    let unwraps = m.method == "unwrap" || m.method == "expect";
    unwraps
        && matches!(strip_parens(&m.receiver), syn::Expr::MethodCall(inner)
            if Taken::by(&inner.method.to_string()).is_some())
}
