//! Methods of arrays, slices and `Vec`s.

use proc_macro2::Span;

use crate::ir::construct::{binary, usize_lit};
use crate::ir::{BinOp, Expr, Place, Proj, StmtKind, Ty};
use crate::lower::Lower;
use crate::lower::value::Value;

impl Lower {
    /// Lowers a method of an array, slice or `Vec`.
    pub fn sequence_method(
        &mut self,
        name: &str,
        receiver: &Value,
        args: &[Value],
        span: Span,
    ) -> Option<Value> {
        let receiver = &self.hoist_table(receiver.clone(), span);
        let made;
        let place = match receiver {
            Value::Place(place) | Value::PlaceRef(place, _) => place,
            // An rvalue: `[x, y].to_vec()`.
            Value::Expr(_, ty) if self.shallow(ty).element().is_some() => {
                made = self.place_of(receiver.clone(), span);
                &made
            }
            _ => return None,
        };
        let place = self.deref_boxes(place);
        if matches!((name, args), ("len", [])) {
            self.infer_list_by_len(&place, span);
        }
        let of_lists = matches!(
            name,
            "split_at"
                | "split_at_mut"
                | "first"
                | "first_mut"
                | "last"
                | "last_mut"
                | "split_first"
                | "split_first_mut"
                | "split_last"
                | "split_last_mut"
                | "fill_with"
                | "copy_from_slice"
                | "clone_from_slice"
                | "copy_within"
                | "swap_with_slice"
        ) || (matches!(name, "to_vec" | "as_slice" | "as_mut_slice")
            && args.is_empty())
            || self.is_index_swap(name, args);
        if of_lists {
            self.infer_list_place(&place, name, span);
        }
        let ty = self.shallow(&place.ty);
        let element = ty.element()?.clone();
        let mutable = !matches!(receiver, Value::PlaceRef(_, false));
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
                let place = self.as_slice(place, Box::new(element));
                Value::PlaceRef(place, mutable && name.contains("mut"))
            }
            ("split_at" | "split_at_mut", [at]) => {
                let (e, ty) = self.read(at.clone(), span);
                self.unify(&ty, &Ty::USIZE);
                let mid = self.stable_operand(e, Ty::USIZE, span);
                let place = self.snapshot_ref(place, span);
                self.split_halves(&place, &mid, &element, name.ends_with("mut"))
            }
            ("split_at_checked" | "split_at_mut_checked", [at]) => {
                let (e, ty) = self.read(at.clone(), span);
                self.unify(&ty, &Ty::USIZE);
                let mid = self.stable_operand(e, Ty::USIZE, span);
                let place = self.snapshot_ref(place, span);
                let fits = Expr::Binary(
                    BinOp::Le,
                    Box::new(mid.clone()),
                    Box::new(Expr::Len(place.clone())),
                );
                let fits = self.freeze_tag(fits, span);
                let halves =
                    self.split_halves(&place, &mid, &element, name == "split_at_mut_checked");
                self.some_if(fits, halves)
            }
            ("first" | "first_mut", []) => self.checked_element(&place, usize_lit(0), name, span),
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
                self.checked_element(&place, last, name, span)
            }
            ("split_first" | "split_first_mut" | "split_last" | "split_last_mut", []) => {
                self.split_end(&place, name, span)
            }
            ("copy_within", [range, at]) => {
                self.copy_within(place, range.clone(), at.clone(), span);
                Value::Unit
            }
            ("get" | "get_mut", [range @ Value::Iter(_)]) => {
                self.checked_slice(&place, range, name, span)?
            }
            ("get" | "get_mut", [at]) => {
                let (e, ty) = self.read(at.clone(), span);
                self.unify(&ty, &Ty::USIZE);
                self.checked_element(&place, e, name, span)
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
                // A place typed as a slice may be an array or a `Vec`.
                let whole = match ty {
                    Ty::Slice(_) if place.is_unsized(&self.draft.func) => place,
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
            ("fill_with", [Value::Closure(f)]) => {
                self.counted_loop(Expr::Len(place.clone()), span, |l, k| {
                    let value = l.inline_closure(f, Vec::new(), span);
                    let target = l.element(&place, k, span);
                    l.store(Value::Place(target), value, span);
                });
                Value::Unit
            }
            ("each_ref", []) if matches!(ty, Ty::Array(..)) => Value::PlaceRef(place, false),
            ("each_mut", []) => self.element_refs(&place, &ty, span)?,
            ("fill", [value]) => {
                let (e, ty) = self.read(value.clone(), span);
                self.unify(&ty, &element);
                self.fill(place, e, element, span);
                Value::Unit
            }
            _ => return None,
        })
    }

    /// Whether the call is `swap(i, j)` with two indices.
    fn is_index_swap(&mut self, name: &str, args: &[Value]) -> bool {
        let counts = |l: &mut Self, v: &Value| match l.value_ty(v) {
            Ty::Int(_) => true,
            ty => matches!(v, Value::Expr(Expr::Lit(..), _)) && l.infer.is_number(&ty),
        };
        name == "swap" && args.len() == 2 && args.iter().all(|v| counts(self, v))
    }

    /// `split_first()`, `split_last()`: an `Option` of the element at an end and the remaining slice.
    fn split_end(&mut self, place: &Place, name: &str, span: Span) -> Value {
        let mutable = name.ends_with("_mut");
        let len = self.stable_operand(Expr::Len(place.clone()), Ty::USIZE, span);
        let tag = Expr::Binary(BinOp::Gt, Box::new(len.clone()), Box::new(usize_lit(0)));
        let tag = self.freeze_tag(tag, span);
        let before = Expr::Discrete("saturating_sub".into(), vec![len, usize_lit(1)], Ty::USIZE);
        let (at, rest) = match name.starts_with("split_first") {
            true => (usize_lit(0), (Some(usize_lit(1)), None)),
            false => {
                let last = self.stable_operand(before, Ty::USIZE, span);
                (last.clone(), (None, Some(last)))
            }
        };
        let element = self.element(place, at, span);
        let rest = self.slice(place, rest.0, rest.1);
        let parts = vec![
            Value::PlaceRef(element, mutable),
            Value::PlaceRef(rest, mutable),
        ];
        self.some_if(tag, Value::Tuple(parts))
    }

    /// An `Option` of a reference to the element at an index.
    fn checked_element(&mut self, place: &Place, index: Expr, name: &str, span: Span) -> Value {
        let index = self.stable_operand(index, Ty::USIZE, span);
        let len = Box::new(Expr::Len(place.clone()));
        let tag = Expr::Binary(BinOp::Lt, Box::new(index.clone()), len);
        let element = self.element(place, index, span);
        let yes = Value::PlaceRef(element, name.ends_with("_mut"));
        self.some_if(tag, yes)
    }

    /// `each_mut()`: a reference to each element.
    fn element_refs(&mut self, place: &Place, ty: &Ty, span: Span) -> Option<Value> {
        let Ty::Array(_, extent) = ty else {
            return None;
        };
        let extent = extent.parse::<usize>().ok()?;
        let element = |at| Value::PlaceRef(self.element(place, usize_lit(at), span), true);
        Some(Value::Tuple((0..extent).map(element).collect()))
    }

    /// An `Option` of a reference to the elements in a range.
    fn checked_slice(
        &mut self,
        place: &Place,
        range: &Value,
        name: &str,
        span: Span,
    ) -> Option<Value> {
        let (lo, hi) = self.range_bounds(range, place, span)?;
        let (lo, hi) = (
            self.stable_operand(lo, Ty::USIZE, span),
            self.stable_operand(hi, Ty::USIZE, span),
        );
        let ordered = binary(BinOp::Le, lo.clone(), hi.clone());
        let inside = binary(BinOp::Le, hi.clone(), Expr::Len(place.clone()));
        let there = self.freeze_tag(binary(BinOp::And, ordered, inside), span);
        let part = self.slice(place, Some(lo), Some(hi));
        Some(self.some_if(there, Value::PlaceRef(part, name.ends_with("_mut"))))
    }

    /// `split_at(mid)`
    fn split_halves(&mut self, place: &Place, mid: &Expr, element: &Ty, mutable: bool) -> Value {
        let ty = Ty::Slice(Box::new(element.clone()));
        let head = place.project(Proj::Head(Box::new(mid.clone())), ty.clone());
        let tail = place.project(Proj::Tail(Box::new(mid.clone())), ty);
        Value::Tuple(vec![
            Value::PlaceRef(head, mutable),
            Value::PlaceRef(tail, mutable),
        ])
    }
}
