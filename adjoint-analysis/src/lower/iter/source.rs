//! Iterator sources: sequences, their methods, and functions that return iterators.

use std::rc::Rc;

use proc_macro2::Span;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::Producer;
use crate::ir::construct::{binary, usize_lit};
use crate::ir::{BinOp, Expr, Place, Proj, Ty};
use crate::lower::aggregate::reference_arrays::is_ref_array;
use crate::lower::expr::strip_parens;
use crate::lower::inline::closure::Callable;
use crate::lower::value::Value;
use crate::lower::{Lower, Origin, StmtKind};
use crate::mir::code::CaptureMode;
use crate::refuse::Reason;

/// Methods of sequences that return an iterator.
pub const SOURCES: &[&str] = &[
    "iter",
    "iter_mut",
    "into_iter",
    "chunks",
    "chunks_mut",
    "chunks_exact",
    "chunks_exact_mut",
    "rchunks",
    "rchunks_mut",
    "rchunks_exact",
    "rchunks_exact_mut",
    "windows",
    "as_flattened",
    "as_flattened_mut",
    "chunk_by",
    "chunk_by_mut",
];

/// Methods that borrow an iterator and advance it.
pub const ADVANCING: &[&str] = &[
    "next",
    "next_back",
    "nth",
    "nth_back",
    "peek",
    "by_ref",
    "all",
    "any",
    "find",
    "rfind",
    "find_map",
    "rposition",
    "position",
    "try_fold",
];

/// Whether the method takes items from the front, one by one.
fn takes_from_front(name: &str) -> bool {
    let others = ["next_back", "nth_back", "peek", "rfind", "rposition"];
    ADVANCING.contains(&name) && !others.contains(&name)
}

impl Lower {
    /// The iterator of a value, as by `IntoIterator::into_iter`.
    pub fn producer(&mut self, value: Value, span: Span) -> Option<Rc<Producer>> {
        if let Some(items) = self.inline_into_iter(&value, span) {
            return Some(items);
        }
        if let Some(items) = self.map_items(&value, span) {
            return Some(items);
        }
        if let Some(items) = self.opaque_items(&value, span) {
            return Some(items);
        }
        let value = self.range_of_value(&value, span).unwrap_or(value);
        if matches!(value, Value::RefStruct(..) | Value::RefToAggregate(..))
            && let Some(items) = self.user_iterator_items(value.clone(), span)
        {
            return Some(items);
        }
        let value = value.strip_ref();
        if self.enum_kind_of(&value).is_some() {
            let value = self.captured_value(value, span);
            return Some(Rc::new(Producer::of_option(value)));
        }
        let value = self.copy_if_reassigned(value, span);
        if let Some(items) = self.user_iterator_items(value.clone(), span) {
            return Some(items);
        }
        match value {
            Value::Iter(p) => Some(p),
            Value::PlaceRef(p, mutable) if self.is_sequence(&p) => {
                let p = self.deref_boxes(&p);
                let p = self.freeze_place(p, span);
                Some(Rc::new(Producer::Elements(p, Some(mutable))))
            }
            Value::Diverges => None,
            Value::Tuple(parts) if is_ref_array(&parts) => {
                let parts = parts
                    .into_iter()
                    .map(|p| self.copy_to_temp(p, span))
                    .collect();
                Some(Rc::new(Producer::References(parts)))
            }
            Value::Place(p) if self.is_sequence(&p) => {
                let p = self.deref_boxes(&p);
                let p = self.freeze_place(p, span);
                let p = match self.shallow(&p.ty) {
                    Ty::Array(..) => self.copied_array(p, span),
                    _ => p,
                };
                Some(Rc::new(Producer::Elements(p, None)))
            }
            Value::Expr(e, ty) if self.shallow(&ty).element().is_some() => {
                let value = self.hoist_table(Value::Expr(e, ty), span);
                if let Value::PlaceRef(p, _) = value {
                    return Some(Rc::new(Producer::Elements(p, None)));
                }
                let (e, ty) = self.read(value, span);
                let place = self.temp(span, "items", e, ty);
                Some(Rc::new(Producer::Elements(place, None)))
            }
            Value::Expr(Expr::Code(..), _) => match self.hoist_table(value, span) {
                Value::PlaceRef(p, _) => {
                    let element = self.fresh_ty();
                    self.infer.mark_sequence(&p.ty, &element);
                    Some(Rc::new(Producer::Elements(p, Some(false))))
                }
                other => {
                    self.refuse_use(&other, span, Reason::Iterator("this value".into()));
                    None
                }
            },
            Value::PlaceRef(p, mutable) if self.may_be_sequence(&p) => {
                let p = self.assumed_items(p, span);
                Some(Rc::new(Producer::Elements(p, Some(mutable))))
            }
            Value::Place(p) if self.may_be_sequence(&p) => {
                let p = self.assumed_items(p, span);
                Some(Rc::new(Producer::Elements(p, None)))
            }
            other => {
                self.refuse_use(&other, span, Reason::Iterator("this value".into()));
                None
            }
        }
    }

    /// The items of a place of which only rustc knows whether it is a sequence or an `Option`.
    fn assumed_items(&mut self, place: Place, span: Span) -> Place {
        let place = self.freeze_place(place, span);
        let element = self.fresh_ty();
        self.infer.mark_sequence(&place.ty, &element);
        place.project(Proj::Items, Ty::Slice(Box::new(element)))
    }

    /// Emits a check that an unknown call result, which is assumed to be a sequence, is one.
    pub fn check_iterable(&mut self, value: &Value, span: Span) {
        let made = |p: &Place| p.is_whole() && self.draft.func.var(p.root).origin == Origin::Temp;
        if let Value::Place(p) = value
            && made(p)
            && self.may_be_sequence(p)
        {
            let check = quote_spanned!(span=> ::adjoint::__private::demand::items(__place_0));
            let (code, places) =
                self.capture_with(check, vec![p.clone()], vec![CaptureMode::Borrow]);
            self.emit(span, StmtKind::Passive(code, places));
        }
    }

    /// Whether the type of the place is unknown, but not a number.
    fn may_be_sequence(&self, place: &Place) -> bool {
        matches!(self.shallow(&place.ty), Ty::Infer(_)) && !self.infer.is_number(&place.ty)
    }

    fn is_sequence(&self, place: &Place) -> bool {
        let place = self.deref_boxes(place);
        self.shallow(&place.ty).element().is_some()
    }

    /// Iterator sources, adapters and consumers; `None` for other methods.
    pub fn iterator_method(
        &mut self,
        name: &str,
        receiver: &Value,
        m: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let span = m.method.span();
        if let Value::Iter(p) = receiver {
            let named = matches!(strip_parens(&m.receiver), syn::Expr::Path(_));
            match (&**p, name, m.args.first()) {
                (Producer::Cursor(p, at), "next" | "peek", None) => {
                    return Some(self.next_item(p, at, name == "next", span));
                }
                (Producer::Cursor(p, at), "nth", Some(n)) => {
                    return Some(self.nth_item(p, at, n, span));
                }
                (Producer::Cursor(p, at), "next_back" | "nth_back", n)
                    if matches!(&**p, Producer::WithoutBack(..)) =>
                {
                    return self.next_back_item((p, at), n, span);
                }
                (Producer::Cursor(p, at), "next_if", Some(f)) => {
                    return self.next_item_if(p, at, f, span);
                }
                _ => {}
            }
            if let (true, Producer::Cursor(..)) = (named && takes_from_front(name), &**p) {
                let left = self.remaining_items(p, span);
                return Some(match name {
                    "by_ref" => Value::Iter(left),
                    name => self.adapter(name, left, m, span),
                });
            }
            if named && ADVANCING.contains(&name) {
                let what = format!("an iterator with a name that `{name}` advances");
                return Some(self.refuse(span, Reason::Iterator(what)));
            }
            return Some(self.adapter(name, p.clone(), m, span));
        }
        if let Some(value) = self.user_iterator_method(name, receiver, m) {
            return Some(value);
        }
        if let (Value::Tuple(parts), "iter" | "iter_mut" | "into_iter") = (receiver, name)
            && is_ref_array(parts)
        {
            return self.producer(receiver.clone(), span).map(Value::Iter);
        }
        if name == "concat" && m.args.is_empty() && self.is_list_of_lists(receiver, span) {
            let lists = self.producer(receiver.clone(), span)?;
            let items = Rc::new(Producer::FlatMap(lists, None, false));
            return Some(self.collect(&items, m, span));
        }
        if let Some(items) = self.text_items(name, receiver, m) {
            return Some(items);
        }
        if !matches!(name, "map") && !SOURCES.contains(&name) {
            return None;
        }
        let place = self.iterated_place(name, receiver, span)?;
        let place = match name {
            "iter" | "iter_mut" if self.may_be_sequence(&place) => self.assumed_items(place, span),
            _ => self.freeze_place(place, span),
        };
        let size = |l: &mut Self| {
            let message = match name {
                "windows" => "window size must be non-zero",
                _ => "chunk size must be non-zero",
            };
            Some(l.nonzero_size(m.args.first()?, message))
        };
        let mutable = name.ends_with("_mut");
        let producer = match name {
            "iter" | "iter_mut" => Producer::Elements(place, Some(mutable)),
            "into_iter" => {
                return self.producer(receiver.clone(), span).map(Value::Iter);
            }
            "chunks" | "chunks_mut" | "chunks_exact" | "chunks_exact_mut" => {
                let size = size(self)?;
                Producer::Chunks {
                    of: place,
                    size,
                    exact: name.contains("exact"),
                    mutable,
                }
            }
            "rchunks" | "rchunks_mut" => Producer::ChunksFromEnd {
                of: place,
                size: size(self)?,
                mutable,
            },
            "rchunks_exact" | "rchunks_exact_mut" => {
                let size = size(self)?;
                let rest = binary(BinOp::Rem, Expr::Len(place.clone()), size.clone());
                let rest = self.stable_operand(rest, Ty::USIZE, span);
                Producer::ChunksFromEnd {
                    of: self.slice(&place, Some(rest), None),
                    size,
                    mutable,
                }
            }
            "windows" => Producer::Windows {
                of: place,
                size: size(self)?,
            },
            "as_flattened" | "as_flattened_mut" => Producer::Flattened {
                size: self.inner_extent(&place, span)?,
                of: place,
                mutable,
            },
            "chunk_by" | "chunk_by_mut" => Producer::ChunkBy {
                within: self.callable(m.args.first()?)?,
                of: place,
                mutable,
            },
            "map" if matches!(self.shallow(&place.ty), Ty::Array(..)) => {
                return Some(self.array_map(place, m, span));
            }
            _ => return None,
        };
        Some(Value::Iter(Rc::new(producer)))
    }

    /// The size of a chunk or step, with an assertion that it is not zero, as in std.
    pub(super) fn nonzero_size(&mut self, e: &syn::Expr, message: &str) -> Expr {
        let size = self.eval_usize(e);
        if let Expr::Read(place) = &size {
            let code = quote!(::core::assert!(__place_0 != 0, #message));
            let code = self.add_code(code, vec![CaptureMode::Value]);
            self.emit(e.span(), StmtKind::Passive(code, vec![place.clone()]));
        }
        size
    }

    /// The length of the arrays in a sequence.
    fn inner_extent(&mut self, place: &Place, span: Span) -> Option<Expr> {
        let element = place.ty.element().cloned().map(|ty| self.shallow(&ty));
        match element {
            Some(ty @ Ty::Array(..)) => Some(Expr::Len(Place {
                ty,
                ..self.element(place, usize_lit(0), span)
            })),
            _ => {
                self.refuse(span, Reason::Extent);
                None
            }
        }
    }

    /// A copy of an array that is iterated by value, unless nothing can change it.
    pub(super) fn copied_array(&mut self, array: Place, span: Span) -> Place {
        if self.is_read_only(&array) {
            return array;
        }
        let ty = array.ty.clone();
        self.temp(span, "items", Expr::Read(array), ty)
    }

    /// Whether a concatenated value is a list of lists. A value of unknown type is assumed to be one, which rustc
    /// checks.
    fn is_list_of_lists(&mut self, value: &Value, span: Span) -> bool {
        if let Value::Place(p) | Value::PlaceRef(p, _) = value {
            let p = self.deref_boxes(p);
            self.infer_list_place(&p, "concat", span);
            if let Some(Ty::Infer(_)) = self.shallow(&p.ty).element().map(|ty| self.shallow(ty)) {
                let (rows, row) = (self.shallow(&p.ty), self.fresh_ty());
                let row = Ty::Slice(Box::new(row));
                self.unify(&rows, &Ty::Slice(Box::new(row)));
            }
        }
        let element = match value {
            Value::Tuple(parts) if is_ref_array(parts) => parts.first().map(|p| self.value_ty(p)),
            value => self.value_ty(value).element().map(|ty| self.shallow(ty)),
        };
        element.is_some_and(|ty| ty.element().is_some())
    }

    /// The place of the sequence that a method iterates over.
    fn iterated_place(&mut self, name: &str, receiver: &Value, span: Span) -> Option<Place> {
        let table = match name {
            "iter" => self.table_items(receiver.clone(), span),
            _ => self.hoist_table(receiver.clone(), span),
        };
        let place = match table {
            Value::Place(place) | Value::PlaceRef(place, _) => place,
            Value::Expr(e, ty) if self.shallow(&ty).element().is_some() => {
                self.temp(span, "items", e, ty)
            }
            _ => return None,
        };
        let place = self.deref_boxes(&place);
        match self.shallow(&place.ty) {
            ty if ty.element().is_some() => Some(place),
            // Only sequences have these methods, so no check is needed.
            Ty::Infer(_) if matches!(name, "iter" | "iter_mut") && self.may_be_sequence(&place) => {
                Some(place)
            }
            Ty::Infer(_) if name != "map" && !self.infer.is_number(&place.ty) => {
                self.infer_list_place(&place, name, span);
                let element = self.fresh_ty();
                self.infer.mark_sequence(&place.ty, &element);
                Some(place)
            }
            Ty::Named(of) if name != "map" && !self.env.signatures.has_method(name) => {
                self.check_type("list", &of, span);
                let element = self.infer.fresh_external();
                Some(Place {
                    ty: Ty::Slice(Box::new(element)),
                    ..place
                })
            }
            _ => None,
        }
    }

    /// Copies a value into an iterator at its creation; a value that owns memory is moved.
    pub fn captured_value(&mut self, value: Value, span: Span) -> Value {
        let ty = match self.value_ty(&value) {
            Ty::Option(held) | Ty::Result(held, _) => self.shallow(&held),
            ty => ty,
        };
        match value {
            Value::Place(p) if matches!(ty, Ty::Vec(_) | Ty::Boxed(_)) => Value::Place(p),
            value => self.copy_to_temp(value, span).not_unique(),
        }
    }

    /// Iterators made by functions, such as `iter::repeat(x)`; `None` for other functions.
    pub fn iterator_function(&mut self, name: &str, args: &[Value], span: Span) -> Option<Value> {
        let producer = match (name, args) {
            ("repeat", [value]) => {
                Producer::Repeat(Box::new(self.captured_value(value.clone(), span)))
            }
            ("repeat_n", [value, n]) => {
                let value = self.captured_value(value.clone(), span);
                let (n, ty) = self.read(n.clone(), span);
                self.unify(&ty, &Ty::USIZE);
                let n = self.stable_operand(n, Ty::USIZE, span);
                Producer::Take(Rc::new(Producer::Repeat(Box::new(value))), n)
            }
            ("once", [value]) => Producer::Once(Box::new(self.captured_value(value.clone(), span))),
            ("empty", []) => Producer::Empty,
            ("zip", [a, b]) => {
                let a = self.producer(a.clone(), span)?;
                return Some(self.zip(a, b.clone(), span));
            }
            ("successors", [first, Value::Closure(f)]) => {
                let f = Callable::Closure(f.clone());
                Producer::Successors(Box::new(self.captured_value(first.clone(), span)), f)
            }
            ("from_fn", [Value::Closure(f)]) => Producer::FromFn(Callable::Closure(f.clone())),
            _ => return None,
        };
        Some(Value::Iter(Rc::new(producer)))
    }
}
